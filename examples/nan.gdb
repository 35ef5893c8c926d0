# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x nan.gdb nan
# A total is not a number: which thread's part, and which element.
set print thread-events off
break not_finite
run
up
ompd print part
ompd print -threads 5 list[part.at]
ompd print -stats part.sum
