! SPDX-License-Identifier: Apache-2.0
! Constructs that GCC places at the last statement in them: each stops with its directive's line.
module constructs
  implicit none
contains
  subroutine stop_here(line)
    integer, intent(in) :: line
    integer, volatile, save :: seen
    seen = line
  end subroutine

  subroutine visit(n, x)
    integer, intent(in) :: n
    real, intent(inout) :: x(:)
    integer :: i
    !$omp parallel if(n > 100)
    x(1) = 1
    call stop_here(16)
    !$omp atomic
    x(2) = x(2) + 1
    !$omp end parallel
    !$omp parallel do num_threads(1)
    do i = 1, n
      call stop_here(22)
    end do
    !$OMP PARALLEL &
    !$OMP& NUM_THREADS(1)
    !$omp single
    !$omp task if(.false.)
    x(3) = 3
    call stop_here(29)
    x(4) = 4
    !$omp end task
    x(2) = 3
    call stop_here(26)
    x(2) = 2
    !$omp end single
    !$OMP END PARALLEL
    !$omp parallel num_threads(1)
    !$omp parallel do num_threads(1)
    do i = 1, n
      call stop_here(40)
    end do
    call stop_here(39)
    x(1) = 8
    !$omp end parallel
    !$omp target map(tofrom: x)
    call stop_here(47)
    x(1) = 8
    !$omp end target
  end subroutine
end module

program places
  use constructs
  implicit none
  real :: x(10)
  x = 0
  call visit(command_argument_count() + 1, x)
end program
