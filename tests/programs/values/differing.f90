! SPDX-License-Identifier: Apache-2.0
! Each thread's arrays and components differ in one element.
program differing
   use omp_lib
   implicit none
   type :: part
      real :: v(3)
      integer :: n
   end type
   type(part) :: one, cells(2, 2)
   integer :: low(-1:1, 0:2), me
   !$omp parallel num_threads(2) private(one, cells, low, me)
   me = omp_get_thread_num()
   low = 1
   low(-1, 2) = 10*me
   one%v = 1.0
   one%v(2) = real(me)
   one%n = 7
   cells = one
   cells%v(2) = 3.0
   cells(2, 1)%v(3) = real(me)
   !$omp barrier
   if (me == 1) call all_are_there(me)
   !$omp barrier
   !$omp end parallel
contains
   subroutine all_are_there(number)
      integer, intent(in) :: number
      if (number < 0) print *, number
   end subroutine
end program
