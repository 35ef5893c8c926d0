# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x inner_thread.gdb jobs
# One thread of one nesting level only.
set print thread-events off
break work if $_omp_thread_num() == 3 && $_omp_level() == 2
run
print $_omp_thread_num()
print $_omp_level()
print outer
