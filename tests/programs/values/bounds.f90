! SPDX-License-Identifier: Apache-2.0
! Arrays whose bounds are arguments, and copies of such: in a region, and in a subroutine that its threads call. With
! optimisation nothing tells the bounds after the first instructions.
module recording
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        subroutine values_note(expression, value) bind(c)
            import :: c_char, c_double
            character(kind=c_char), intent(in) :: expression(*)
            real(c_double), value :: value
        end subroutine
        subroutine values_hold() bind(c)
        end subroutine
    end interface
contains
    subroutine note(expression, value)
        character(len=*), intent(in), target :: expression
        real(c_double), intent(in) :: value
        call values_note(expression, value)
    end subroutine
end module

subroutine region(n, table)
    use recording
    use omp_lib
    implicit none
    integer, intent(in) :: n
    real(c_double) :: table(n, -1:n)
    integer :: in_common, copy, list(2)
    real(c_double) :: own(n), low(0:n, 2)
    common /block/ in_common, copy, list
    in_common = n*4
    copy = -1
    list = n*5
    !$omp parallel num_threads(3) private(copy, own, low) shared(list)
    copy = omp_get_thread_num() + 30
    own = copy + 0.5d0
    low = copy + 0.25d0
    call note("own(2)"//c_null_char, own(2))
    call note("low(0,2)"//c_null_char, low(0, 2))
    call note("in_common"//c_null_char, real(in_common, c_double))
    call note("list(2)"//c_null_char, real(list(2), c_double))
    call note("copy"//c_null_char, real(copy, c_double))
    call note("table(2,0)"//c_null_char, table(2, 0))
    call note("n"//c_null_char, real(n, c_double))
    call values_hold()
    if (table(n, n) < 0 .or. copy < 0 .or. own(n) < 0 .or. low(n, 1) < 0 .or. in_common < 0 .or. list(2) < 0) error stop
    !$omp end parallel
end subroutine

subroutine called(n, table)
    use recording
    implicit none
    integer, intent(in) :: n
    real(c_double) :: table(n, -1:n)
    call note("table(2,0)"//c_null_char, table(2, 0))
    call note("n"//c_null_char, real(n, c_double))
    call values_hold()
    if (table(n, n) < 0) error stop
end subroutine

program bounds
    use recording
    use omp_lib
    implicit none
    real(c_double) :: filled(3, -1:3)
    integer :: i
    call omp_set_dynamic(.false.)
    filled = reshape([(1.0d0*i, i=1, 15)], [3, 5])
    call region(3, filled)
    !$omp parallel num_threads(3) firstprivate(filled)
    call called(3, filled)
    !$omp end parallel
end program
