# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x walk.gdb walk
# Into a region and a function of it, out after the region, into a task and out of it.
set print thread-events off
break walk.c:11
run
ompd next
ompd step
ompd step
ompd finish region
ompd next
ompd step
ompd next
ompd finish task
ompd next
