! SPDX-License-Identifier: Apache-2.0
! A thread sleeps in an ordered construct, which the others wait for.
program sleep_in_ordered
  implicit none
  integer :: i
  print '(a)', 'ready'
  flush(6)
  !$omp parallel do ordered schedule(static, 1) num_threads(3)
  do i = 1, 9
    !$omp ordered
    if (i == 4) call sleep(1000)
    !$omp end ordered
  end do
  !$omp end parallel do
end program sleep_in_ordered
