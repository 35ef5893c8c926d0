! SPDX-License-Identifier: Apache-2.0
! Nested regions, a loop and a task in Fortran. Preprocessed, for __LINE__.
module work
  use omp_lib
  use truth
  implicit none

contains

  subroutine lead_or_hold(others)
    integer, intent(in) :: others
    integer :: outer_num, inner_num
    outer_num = omp_get_ancestor_thread_num(1)
    inner_num = omp_get_ancestor_thread_num(2)
    if (outer_num == 0 .and. inner_num <= 0) then
      call truth_lead(others)
    else
      call truth_hold()
    end if
  end subroutine lead_or_hold

  subroutine inner()
    integer :: region
    region = truth_next(truth_parallel, __FILE__, __LINE__, "work::inner")
    !$omp parallel num_threads(2)
    call truth_begin(region)
    call lead_or_hold(3)
    call truth_end(region)
    !$omp end parallel
  end subroutine inner

  subroutine loop()
    integer :: region, i
    region = truth_next(truth_parallel, __FILE__, __LINE__, "work::loop")
    !$omp parallel do num_threads(3) &
    !$omp& default(shared) &  ! the construct's line is the first of these
    !$omp schedule(static) private(i)
    do i = 1, 3
      call truth_begin(region)
      call lead_or_hold(2)
      call truth_end(region)
    end do
    !$omp end parallel do
  end subroutine loop

  subroutine one_task()
    integer :: region, task
    region = truth_next(truth_parallel, __FILE__, __LINE__, "work::one_task")
    !$omp parallel num_threads(2) private(task)
    call truth_begin(region)
    if (omp_get_thread_num() == 0) then
      task = truth_next(truth_task, __FILE__, __LINE__, "work::one_task")
      !$omp task if(.false.) &
      !$omp firstprivate(task)
      call truth_begin(task)
      call truth_lead(1)
      call truth_end(task)
      !$omp end task
    else
      call truth_hold()
    end if
    call truth_end(region)
    !$omp end parallel
  end subroutine one_task

end module work

program fortran
  use work
  implicit none
  integer :: region
  call omp_set_max_active_levels(2)
  region = truth_next(truth_parallel, __FILE__, __LINE__, "fortran")
  !$omp parallel num_threads(2)
  call truth_begin(region)
  call lead_or_hold(1)
  call inner()
  call truth_end(region)
  !$omp end parallel
  call loop()
  call one_task()
end program fortran
