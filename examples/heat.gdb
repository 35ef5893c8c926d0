# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x heat.gdb heat
# Nested regions: one half of the plate is done, the other looks at its result.
set print thread-events off
set environment OMP_NUM_THREADS 4,2
set environment OMP_STACKSIZE 4M
break largest_change if half == 0
run
ompd status
ompd threads
ompd parallel -all
ompd tasks
ompd icvs
