# SPDX-License-Identifier: Apache-2.0
"""Sourced in gdb: the commands "place" and "repeat" write where a step led to."""

import json
import os
import re

import gdb

MOST = 40


def own_breakpoints():
    """Return the addresses of gdb's hidden breakpoints, its own and every extension's."""
    listed = gdb.execute("maint info breakpoints", to_string=True)
    return sorted(re.findall(r"^(?:-\d+|0) +breakpoint .*?(0x[0-9a-f]+)", listed, re.MULTILINE))


def write_place(command):
    thread = gdb.selected_thread()
    where = {"command": command, "thread": thread.num if thread else None}
    if thread is not None and not thread.is_running():
        frame = gdb.selected_frame()
        sal = frame.find_sal()
        file = os.path.basename(sal.symtab.filename) if sal.symtab else None
        where.update(function=frame.name(), level=frame.level(), file=file, line=sal.line)
    where["hidden"] = own_breakpoints()
    where["locking"] = gdb.parameter("scheduler-locking")
    gdb.write("PLACE " + json.dumps(where) + "\n")


class Place(gdb.Command):
    """Write the selected frame's place as one line of JSON."""

    def __init__(self):
        super().__init__("place", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        write_place(argument)


class Repeat(gdb.Command):
    """Give a command until a line is reached, at most MOST times: repeat LINE COMMAND."""

    def __init__(self):
        super().__init__("repeat", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        line, command = argument.split(" ", 1)
        for _ in range(MOST):
            gdb.execute(command)
            if gdb.selected_thread() is None:
                return
            write_place(command)
            if gdb.selected_frame().find_sal().line == int(line):
                return


Place()
Repeat()
