! SPDX-License-Identifier: Apache-2.0
! Changes teams and tasks again and again: regions in regions, worksharing, tasks, workshare.
module restless_work
  use omp_lib
  implicit none
  real(8), allocatable :: field(:)
contains

  recursive integer function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: one, two
    value = n
    if (n < 2) return
    !$omp task shared(one) if(n > 3) untied
    one = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(two) final(n < 5)
    two = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    value = one + two
  end function fibonacci

  subroutine inner(threads)
    integer, intent(in) :: threads
    integer :: i
    !$omp parallel do num_threads(threads) schedule(dynamic) &
    !$omp& shared(field)
    do i = 1, 8
      field(i) = field(i) + omp_get_level()
    end do
    !$omp end parallel do
  end subroutine inner

  subroutine share()
    !$omp parallel num_threads(3)
    !$omp workshare
    field = 0.5d0 * field
    !$omp end workshare
    !$omp sections
    !$omp section
    call inner(1)
    !$omp section
    call inner(2)
    !$omp end sections
    !$omp end parallel
  end subroutine share
end module restless_work

program restless
  use restless_work
  integer :: round, total
  allocate (field(64), source=1d0)
  call omp_set_max_active_levels(2)
  total = 0
  do round = 1, 1000000
    call share()
    !$omp parallel num_threads(4) reduction(+:total)
    !$omp single
    total = total + mod(fibonacci(7), 10)
    !$omp end single
    !$omp critical
    total = total + 1
    !$omp end critical
    !$omp end parallel
  end do
  print *, total, field(1)
end program restless
