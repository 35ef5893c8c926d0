! SPDX-License-Identifier: Apache-2.0
! Pointers to arrays from their last element to the first.
program reversed
   implicit none
   integer, pointer :: back(:), table(:, :), forth(:)
   integer, target :: list(4), square(2, 3)
   list = [1, 2, 3, 4]
   square = reshape([1, 2, 3, 4, 5, 6], [2, 3])
   back => list(4:1:-1)
   forth => list(1:4:2)
   table => square(:, 3:1:-1)
   !$omp parallel num_threads(2)
   call probe(back(1) + table(1, 1) + forth(1))
   !$omp end parallel
contains
   subroutine probe(sum)
      integer, intent(in) :: sum
      if (sum /= 10) error stop
   end subroutine
end program
