! SPDX-License-Identifier: Apache-2.0
! Strings whose length is an argument, blocks and associate constructs in a region, threadprivate
! variables of a module and of a common block, an array that the optimiser removes with its bounds.
module held ! record.c has a static variable of this name
    implicit none
    integer :: inside = 3
end module

module recording
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: modules_own = 1
    !$omp threadprivate(modules_own)
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
        integer, intent(in) :: value
        call values_note(expression, real(value, c_double))
    end subroutine

    subroutine region(text)
        use omp_lib
        use held
        character(len=*), intent(in) :: text
        character(len=6) :: copied
        integer :: length, hidden, pair(2)
        integer :: first_in_common, commons_own
        common /block/ first_in_common, commons_own
        !$omp threadprivate(/block/)
        length = len(text)
        hidden = length*10
        copied = text
        pair = 3
        !$omp parallel num_threads(3) firstprivate(copied)
        copied(1:1) = achar(65 + omp_get_thread_num())
        block
            integer :: hidden
            hidden = omp_get_thread_num() + 40
            call note("hidden"//c_null_char, hidden)
            call note("held::inside"//c_null_char, inside)
            call values_hold()
            if (hidden < 0) error stop
        end block
        modules_own = omp_get_thread_num() + 50
        commons_own = omp_get_thread_num() + 70
        associate (named => pair(2))
            call note("length"//c_null_char, length)
            call note("modules_own"//c_null_char, modules_own)
            call note("commons_own"//c_null_char, commons_own)
            call note("hidden"//c_null_char, hidden)
            call note("named"//c_null_char, named)
            call values_hold()
            if (hidden < 0 .or. length < 0 .or. text < " " .or. copied < " " .or. named < 0) error stop
        end associate
        call removed(pair)
        !$omp end parallel
    end subroutine

    subroutine removed(list)
        use omp_lib
        integer, intent(in) :: list(:)
        integer :: thread
        thread = omp_get_thread_num()
        call note("list(2)"//c_null_char, list(2))
        call note("thread"//c_null_char, thread)
        call values_hold()
        if (thread < 0) error stop
    end subroutine
end module

program blocks
    use recording
    use omp_lib
    implicit none
    call omp_set_dynamic(.false.)
    call region("given")
end program
