# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x hang.gdb hang
# A program that hangs: who waits for whom.
set print thread-events off
break hang.c:47
run
ompd why
ompd why -facts
ompd bt -team
