# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x one_thread.gdb jobs
# Why an inner team has one thread.
set print thread-events off
break work if outer == 0
run
ompd parallel
