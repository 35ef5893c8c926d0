! SPDX-License-Identifier: Apache-2.0
! Scalars of each attribute and arrays with descriptors, in a region and in a loop.
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

subroutine attributes(given, list, grid)
    use recording
    use omp_lib
    implicit none
    integer, intent(in) :: given
    real(c_double), intent(inout) :: list(:), grid(:, :)
    integer :: mine, reduced, copied, i
    real(c_double), allocatable :: work(:)
    reduced = 100
    copied = given
    allocate (work(0:4))
    work = [(0.5d0*i, i=0, 4)]
    !$omp parallel num_threads(3) default(shared) private(mine) firstprivate(copied) reduction(+:reduced)
    mine = omp_get_thread_num()*7
    copied = copied + mine
    reduced = reduced + mine
    call note("mine"//c_null_char, real(mine, c_double))
    call note("copied"//c_null_char, real(copied, c_double))
    call note("reduced"//c_null_char, real(reduced, c_double))
    call note("work(3)"//c_null_char, work(3))
    call note("list(2)"//c_null_char, list(2))
    call note("grid(2,3)"//c_null_char, grid(2, 3))
    call values_hold()
    copied = copied + mine
    reduced = reduced + copied
    !$omp end parallel
    list(1) = reduced
end subroutine

program arrays
    use recording
    use omp_lib
    implicit none
    interface
        subroutine attributes(given, list, grid)
            use recording
            integer, intent(in) :: given
            real(c_double), intent(inout) :: list(:), grid(:, :)
        end subroutine
    end interface
    real(c_double), target :: values(10), matrix(4, 6)
    integer :: i
    call omp_set_dynamic(.false.)
    values = [(1.0d0*i, i=1, 10)]
    matrix = reshape([(1.0d0*i, i=1, 24)], [4, 6])
    call attributes(3, values(1:10:2), matrix(1:4:2, :))
    print *, values(1)
end program
