# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x plate.gdb plate
# Devices: what is mapped where, between two target regions and inside of one.
set print thread-events off
break middle
run
ompd devices
tbreak plate.c:36
continue
ompd threads
ompd devices
