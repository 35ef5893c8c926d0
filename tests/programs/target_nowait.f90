! SPDX-License-Identifier: Apache-2.0
! With optimisation no function of the source is left, but that which gfortran has made: main.
program target_nowait
   implicit none
   interface
      subroutine sync() bind(c)
      end subroutine sync
   end interface
   !$omp parallel num_threads(1)
   !$omp target nowait
   call sync()
   !$omp end target
   !$omp end parallel
end program target_nowait
