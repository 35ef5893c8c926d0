! SPDX-License-Identifier: Apache-2.0
! Two locks of a module, which one procedure takes by the names of its dummy arguments.
module bank
  use omp_lib
  implicit none
  type drawer
    integer :: used
    integer(omp_lock_kind) :: locks(0:1, 3)
  end type drawer
  integer(omp_lock_kind) :: left
  type(drawer) :: chest(2)
  integer :: come = 0
contains
  subroutine both(one, other)
    integer(omp_lock_kind) :: one, other
    integer :: seen
    call omp_set_lock(one)
    !$omp atomic
    come = come + 1
    seen = 0
    do while (seen < 2)
      !$omp atomic read
      seen = come
    end do
    call omp_set_lock(other)
    call omp_unset_lock(other)
    call omp_unset_lock(one)
  end subroutine both
end module bank

program locks_of_module
  use bank
  call omp_init_lock(left)
  call omp_init_lock(chest(2)%locks(0, 3))
  print '(a)', 'ready'
  flush(6)
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) then
    call both(left, chest(2)%locks(0, 3))
  else
    call both(chest(2)%locks(0, 3), left)
  end if
  !$omp end parallel
end program locks_of_module
