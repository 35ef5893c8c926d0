# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x stacks.gdb stacks
# Where a worker is: its stack goes on in the threads that began its regions.
set print thread-events off
break weigh if part == 3
run
ompd bt
ompd bt on
bt
ompd bt on continued
bt
ompd bt off
ompd bt -all
