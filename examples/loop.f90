! SPDX-License-Identifier: Apache-2.0
! A loop shared by three threads; thread 0 comes last.
module settling
  implicit none
  interface
    subroutine settle(others) bind(c, name="settle")
      use iso_c_binding, only: c_int
      integer(c_int), value :: others
    end subroutine settle
    subroutine done_working() bind(c, name="done_working")
    end subroutine done_working
  end interface
end module settling

subroutine advance(cell, value)
  implicit none
  integer, intent(in) :: cell
  real, intent(inout) :: value
  value = value + 0.5 * real(cell)
end subroutine advance

program loop
  use omp_lib
  use settling
  implicit none
  integer, parameter :: cells = 3
  real :: values(cells)
  integer :: cell

  call omp_set_dynamic(.false.)
  call omp_set_schedule(omp_sched_dynamic, 4)
  values = 1.0
  !$omp parallel do schedule(static, 1) num_threads(3)
  do cell = 1, cells
    if (omp_get_thread_num() == 0) call settle(2)
    call advance(cell, values(cell))
    if (omp_get_thread_num() /= 0) call done_working()
  end do
  !$omp end parallel do
  print '(a, f6.2)', 'sum:', sum(values)
end program loop
