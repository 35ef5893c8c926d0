# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x nan.gdb nan
# A total is not a number: whose part, at which iteration, and why.
set print thread-events off
break nan.c:58
run
ompd print part.sum
ompd print -threads 5 part
ompd print -threads 5 list[part.at]
