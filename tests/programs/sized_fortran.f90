! SPDX-License-Identifier: Apache-2.0
! Teams of one, by clauses. GCC places each construct at its first statement.
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

    ! The construct's first statement follows.
    call visit()  ! if
  !$omp end parallel
  !$omp parallel num_threads(n + 1)
    call visit()  ! num_threads
  !$omp end parallel
  ! Whose the clause is, lines do not tell.
  !$omp parallel if(n > 100)
  !$omp parallel num_threads(n + 1)
    call visit()  ! if or num_threads
  !$omp end parallel
  !$omp end parallel
end program
