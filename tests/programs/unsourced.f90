! SPDX-License-Identifier: Apache-2.0
! The same of Fortran, whose linker's names are not the user's.
module heat
contains
  subroutine relax(n)
    integer :: n, i
    !$omp parallel num_threads(2)
    !$omp single
    !$omp task private(i)
    i = n
    !$omp end task
    !$omp end single
    !$omp end parallel
  end subroutine relax
end module heat

subroutine outer(n)
  integer :: n
  !$omp parallel num_threads(2)
  call work(n)
  !$omp end parallel
  call inner(n)
contains
  subroutine inner(k)
    integer :: k
    !$omp parallel num_threads(2)
    call work(k)
    !$omp end parallel
  end subroutine inner
  subroutine work(k)
    integer :: k
    if (k > 1000) print *, k
  end subroutine work
end subroutine outer

program unsourced
  use heat
  integer :: round
  do round = 1, 3
    call relax(round)
    call outer(round)
  end do
end program unsourced
