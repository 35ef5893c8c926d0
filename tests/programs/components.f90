! SPDX-License-Identifier: Apache-2.0
! Private objects of a type with an allocatable component, for which gfortran makes functions and
! keeps in the object only what describes the array.
module shapes
  type body
    integer :: mass
    integer, allocatable :: speed(:)
  end type body
end module shapes

subroutine measured(who)
  integer, intent(in) :: who
  if (who > 9) print *, who
end subroutine measured

program components
  use omp_lib
  use shapes
  implicit none
  type(body) :: one
  integer :: me
  !$omp parallel private(one, me) num_threads(2)
  me = omp_get_thread_num()
  one%mass = 5
  allocate(one%speed(3))
  one%speed = [me, 7, me + 10]
  !$omp barrier
  if (me == 1) call measured(me)
  !$omp barrier
  deallocate(one%speed)
  !$omp end parallel
end program components
