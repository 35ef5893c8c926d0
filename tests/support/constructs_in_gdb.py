# SPDX-License-Identifier: Apache-2.0
"""Sourced in gdb: "walk(WALKS)" gives the commands that support/constructs.py asks for, and writes
after each where it led to."""

import json
import os

import gdb

MOST = 30
OUT = "main"


def place():
    """Return the thread, the file and the line that are selected; OUT for the caller's file."""
    thread = gdb.selected_thread()
    if thread is None:
        return [None, OUT, 0]
    frame = gdb.selected_frame()
    sal = frame.find_sal()
    file = os.path.basename(sal.symtab.filename) if sal.symtab else "?"
    return [thread.num, OUT if frame.name() == OUT else file, sal.line]


def repeat(command, ends):
    """Give COMMAND until the program is at one of the lines ENDS, once if there is none, or has left
    the construct's function; yield each place."""
    for _ in range(MOST if ends else 1):
        try:
            gdb.execute(command)
        except gdb.error as error:
            gdb.write(f"REFUSED {error}\n")
        here = place()
        yield here
        if here[1] == OUT or here[2] in ends:
            break


def stop_at(line):
    """Let the program come to a line in thread 1: to its code, as of some functions GCC says that
    no line's code begins a statement, and GDB's own breakpoint would be somewhere else."""
    table = gdb.lookup_symbol(OUT)[0].symtab.linetable()
    address = min(entry.pc for entry in table if entry.line == line)
    gdb.execute(f"tbreak *{address} thread 1", to_string=True)
    gdb.execute("continue", to_string=True)


def walk(walks):
    """Of each [NAME, COMMAND, BEGIN, ENDS, FIRST]: let the program come to line BEGIN, step to one
    of the lines FIRST if there are any, then give COMMAND until it is at one of the lines ENDS."""
    gdb.execute("start", to_string=True)
    for name, command, begin, ends, first in walks:
        stop_at(begin)
        if first:
            list(repeat("ompd step", first))
        gdb.write(f"WALK {json.dumps([name, command])}\n")
        for each in repeat(f"ompd {command}", ends):
            gdb.write(f"PLACE {json.dumps(each)}\n")
        gdb.write("END\n")
