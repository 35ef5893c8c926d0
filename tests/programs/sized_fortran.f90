! SPDX-License-Identifier: Apache-2.0
! Teams of one, by clauses. GCC places each construct at the last statement in it.
subroutine visit()
end subroutine

program sizes
  implicit none
  integer :: n
  n = command_argument_count()
  !$omp parallel if(n > 100)
    call visit()  ! if
  !$omp end parallel
  !$omp parallel &
  !$omp& if(n > 100)

    call visit()  ! if
    n = n + 0
  !$omp end parallel
  !$omp parallel num_threads(n + 1)
    call visit()  ! num_threads
  !$omp end parallel
  !$omp parallel if(n > 100)
  !$omp parallel num_threads(n + 1)
    call visit()  ! num_threads, if
  !$omp end parallel
  !$omp end parallel
end program
