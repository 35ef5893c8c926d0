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
    type part
        integer :: id
        real(c_double) :: cell(2)
    end type
    type holder
        integer, pointer :: at => null()
    end type
contains
    subroutine note(expression, value)
        character(len=*), intent(in), target :: expression
        real(c_double), intent(in) :: value
        call values_note(expression, value)
    end subroutine
end module

! What is described as pointers, and a variable of the module.
module objects
    use recording
    implicit none
    integer :: counted = 5
contains
    subroutine described(given, whole, missing, missing_list)
        use omp_lib
        integer, intent(in), optional :: given, missing, missing_list(:)
        class(part), intent(in) :: whole
        integer, pointer :: led_to, own
        type(holder) :: held(2)
        allocate (led_to)
        led_to = 60
        held(2)%at => led_to
        !$omp parallel num_threads(3) private(own)
        allocate (own)
        own = omp_get_thread_num() + 80
        associate (named => whole%cell(2))
            call note("counted"//c_null_char, real(counted, c_double))
            if (present(given)) call note("given"//c_null_char, real(given, c_double))
            call note("whole%id"//c_null_char, real(whole%id, c_double))
            call note("led_to"//c_null_char, real(led_to, c_double))
            call note("led_to+OWN*given"//c_null_char, real(led_to + own*given, c_double))
            call note("held(2)%at"//c_null_char, real(held(2)%at, c_double))
            call note("*own"//c_null_char, real(own, c_double))
            call note("named"//c_null_char, named)
            call values_hold()
            if (associated(held(1)%at)) error stop
            if (present(missing) .or. present(missing_list)) error stop
            if (named < 0 .or. own < 0 .or. given < 0 .or. led_to < 0 .or. whole%id < 0) error stop
        end associate
        !$omp end parallel
    end subroutine
end module

subroutine attributes(given, list, grid, table)
    use recording
    use omp_lib
    implicit none
    integer, intent(in) :: given
    real(c_double), intent(inout) :: list(:), grid(:, :), table(given, -1:given)
    integer :: mine, reduced, copied, i, automatic(given)
    type(part) :: own
    real(c_double), allocatable :: work(:)
    reduced = 100
    copied = given
    automatic = given*2
    own = part(1, [0.5d0, 1.5d0])
    allocate (work(0:4))
    work = [(0.5d0*i, i=0, 4)]
    !$omp parallel num_threads(3) default(shared) private(mine) firstprivate(copied, own) reduction(+:reduced)
    mine = omp_get_thread_num()*7
    copied = copied + mine
    own%cell(2) = mine
    reduced = reduced + mine
    call note("mine"//c_null_char, real(mine, c_double))
    call note("copied"//c_null_char, real(copied, c_double))
    call note("reduced"//c_null_char, real(reduced, c_double))
    call note("work(3)"//c_null_char, work(3))
    call note("list(2)"//c_null_char, list(2))
    call note("grid(2,3)"//c_null_char, grid(2, 3))
    call note("table(2,0)"//c_null_char, table(2, 0))
    call note("automatic(3)"//c_null_char, real(automatic(3), c_double))
    call note("own%id"//c_null_char, real(own%id, c_double))
    call note("OWN%cell(2)"//c_null_char, own%cell(2))
    call values_hold()
    own%id = mine
    copied = copied + mine
    reduced = reduced + copied
    !$omp end parallel
    list(1) = reduced + automatic(1)
end subroutine

program arrays
    use recording
    use objects
    use omp_lib
    implicit none
    interface
        subroutine attributes(given, list, grid, table)
            use recording
            integer, intent(in) :: given
            real(c_double), intent(inout) :: list(:), grid(:, :), table(given, -1:given)
        end subroutine
    end interface
    real(c_double), target :: values(10), matrix(4, 6), filled(3, -1:3)
    integer :: i
    call omp_set_dynamic(.false.)
    values = [(1.0d0*i, i=1, 10)]
    matrix = reshape([(1.0d0*i, i=1, 24)], [4, 6])
    filled = reshape([(1.0d0*i, i=1, 15)], [3, 5])
    call attributes(3, values(1:10:2), matrix(1:4:2, :), filled)
    call described(17, part(4, [0.5d0, 2.5d0]))
    if (values(1) < 0) error stop
end program
