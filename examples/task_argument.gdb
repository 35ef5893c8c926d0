# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x task_argument.gdb jobs
# A task of one function, and the argument that it was made with.
set print thread-events off
ompd tbreak task-begin last_job
run
tbreak add
continue
print number
