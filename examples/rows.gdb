# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x rows.gdb rows
# Variables of a construct: what differs between the threads, and which iterations they have.
set print thread-events off
break rows.c:36
run
ompd print row
ompd locals -team
ompd loop
ompd whatis sum
ompd print -up length
