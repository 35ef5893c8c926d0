! SPDX-License-Identifier: Apache-2.0
! What truth.h declares, for Fortran. A line is that of the construct itself.
module truth
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char
  implicit none
  private
  public :: truth_next, truth_begin, truth_end, truth_hold, truth_lead
  integer(c_int), parameter, public :: truth_parallel = 1, truth_task = 2

  interface
    integer(c_int) function truth_construct(kind, file, line, function) bind(c)
      import :: c_int, c_char
      integer(c_int), value :: kind, line
      character(kind=c_char), intent(in) :: file(*), function(*)
    end function truth_construct

    subroutine truth_begin(construct) bind(c)
      import :: c_int
      integer(c_int), value :: construct
    end subroutine truth_begin

    subroutine truth_end(construct) bind(c)
      import :: c_int
      integer(c_int), value :: construct
    end subroutine truth_end

    subroutine truth_hold() bind(c)
    end subroutine truth_hold

    subroutine truth_lead(others) bind(c)
      import :: c_int
      integer(c_int), value :: others
    end subroutine truth_lead
  end interface

contains

  integer function truth_next(kind, file, line, function)
    integer, intent(in) :: kind, line
    character(len=*), intent(in) :: file, function
    truth_next = truth_construct(kind, file // c_null_char, line + 1, function // c_null_char)
  end function truth_next

end module truth
