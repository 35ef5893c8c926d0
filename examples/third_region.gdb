# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x third_region.gdb jobs
# The third region of one function: the two before are not stopped at.
set print thread-events off
ompd break parallel-begin solve
ignore 1 2
run
info breakpoints
print threads
print $_omp_event_requested
