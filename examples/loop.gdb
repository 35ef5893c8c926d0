# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x loop.gdb loop
# Fortran: the last thread of a loop, while the others wait at its end.
set print thread-events off
set environment OMP_NUM_THREADS 4
break advance if cell == 1
run
ompd threads
ompd parallel
ompd icvs nthreads-var run-sched-var
