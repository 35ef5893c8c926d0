# SPDX-License-Identifier: Apache-2.0
# gdb -batch -x tree.gdb tree
# Explicit tasks: both threads are two tasks deep in a tree.
set print thread-events off
tbreak weigh_leaf
run
ompd threads
ompd tasks -all
