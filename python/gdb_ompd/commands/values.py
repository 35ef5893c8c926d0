# SPDX-License-Identifier: Apache-2.0
"""What each thread of a team has: ``ompd print``, ``locals``, ``diff``, ``whatis`` and ``apply``."""

from __future__ import annotations

from contextlib import suppress
from typing import Iterable, TYPE_CHECKING

import gdb

from ..errors import OmpdToolError, UsageError
from ..host.selection import kept_selection, number_prefix, selected_thread, threads_of
from ..host.sessions.registry import session_of
from .base import Answer, Arguments, JSON
from .over_threads import CHOOSING, ChosenThreads, OverThreads, levels_of, option_settings

if TYPE_CHECKING:
    from ..host.expressions import Format
    from ..model.values import AskedThread, Values


class ApplyCommand(OverThreads):
    """Execute a GDB command in each thread of the team.

    Usage: ompd apply [-team] [-all] [-threads LIST] [-state STATE] [-s] [-q]
           COMMAND
    Example: ompd apply -state waiting info frame

    The threads are taken in the order of their OpenMP numbers, which head what
    COMMAND says; the first error ends it.  As after GDB's "thread apply", what was
    selected is selected again."""

    name = "ompd apply"
    options = {
        **CHOOSING,
        "-s": "Go on after errors, and say nothing of a thread where COMMAND says nothing.",
        "-q": "Do not head what COMMAND says.",
    }

    def completed_as(self) -> str:
        return "thread apply all --"

    def run(self, arguments: Arguments) -> Answer:
        silent, quiet = arguments.has("-s"), arguments.has("-q")
        if silent and quiet:
            raise UsageError(f"-s and -q exclude each other. {self._see_help()}")
        command = self._rest(arguments, "A command")
        asked = self.asked(arguments, session_of())
        inferior = gdb.selected_inferior()
        threads = {thread.num: thread for thread in threads_of(inferior)}
        with kept_selection():
            for member in asked.members:
                thread = threads.get(member.gdb_num) if member.gdb_num is not None else None
                if thread is not None and thread.is_valid():
                    thread.switch()
                    _select_innermost()
                    _execute(command, _head(member), silent, quiet)
        return ()


def _select_innermost() -> None:
    """Leave the frame that the user has selected: GDB's "thread apply" does, and all threads
    are to be asked alike."""
    with suppress(gdb.error):  # a thread that runs has no frame
        gdb.newest_frame().select()


def _execute(command: str, head: str, silent: bool, quiet: bool) -> None:
    if not silent:
        if not quiet:
            gdb.write(head)
        try:
            gdb.execute(command)
        except gdb.error as error:
            raise OmpdToolError(str(error)) from error
        return
    try:
        said = gdb.execute(command, to_string=True)
    except gdb.error:
        return
    if said:
        gdb.write(head + said)


def _head(member: AskedThread) -> str:
    if member.thread_num is None:
        return f"\nGDB thread {member.gdb_num}:\n"
    return f"\nThread {member.thread_num} (GDB thread {member.gdb_num}):\n"


# GDB's own options of "print": each is a setting, with one more word if it is a number.
FLAGS = """
  -address -array -array-indexes -memory-tag-violations -nibbles -null-stop
  -object -pretty -raw-values -static-members -symbol -union -vtbl"""
NUMBERS = """
  -elements -max-depth -repeats"""


UP = {
    "-up": (
        "Look the variables of EXPR up along the logical stack: in the frame, then in\n"
        "those of the thread that generated the task or began the region, to the\n"
        "program's start; say where they were found."
    ),
}
# With one of these "print -up" is of several threads, without of the selected one.
OF_SEVERAL = (*(option.partition(" ")[0] for option in CHOOSING), "-stats")


class _ValuesCommand(OverThreads):
    """What the two share."""

    flags = tuple(FLAGS.split())
    numbers = tuple(NUMBERS.split())
    more_options = (
        '\n\nThese are options of GDB\'s "print", with the same meaning:'
        f"{FLAGS} [on|off]{NUMBERS} NUMBER|unlimited"
    )
    takes_format = True

    def _values(self, arguments: Arguments, history: bool) -> "Values":
        """Evaluate the expression in the threads that are chosen."""
        from ..values.reading import ValueReader
        from ..values.reading_up import ReaderUp

        expression = self._rest(arguments, "An expression")
        session = session_of()
        asked = self.asked(arguments, session)
        kind = ReaderUp if arguments.has("-up") else ValueReader
        reader = kind(
            session, expression, self._format(arguments), lambda n: levels_of(asked, session, n)
        )
        found = reader.read(asked.members, history, asked.one_team)
        return found._replace(prefix=number_prefix())

    def _format(self, arguments: Arguments) -> "Format":
        from ..host.expressions import print_format

        return print_format(
            option_settings(arguments, self.flags + self.numbers), arguments.words[1]
        )


class PrintCommand(_ValuesCommand):
    """Show the value of an expression in each thread of the team.

    Usage: ompd print [OPTION]... [--] [/FMT] EXPR
           ompd print -up [OPTION]... [--] [/FMT] EXPR
    Example: ompd print a[i]

    EXPR is evaluated in each thread's innermost frame of the same function as the
    selected frame, else in the thread's innermost frame of your code, which is then
    named.  Threads with equal values share a line that begins with their OpenMP
    numbers; what few threads have comes first.  Of an array or a struct only what
    differs is shown, member by member.  What cannot be evaluated is listed last,
    with the reason.  The selected thread's value enters GDB's value history.

    With -up it is the value in the selected thread or, with options that choose
    threads or -stats, in each of them.

    No function of the program is called unless EXPR calls one."""

    name = "ompd print"
    options = {
        **CHOOSING,
        "-stats": "Show least, greatest and mean of numbers, and which threads have them.",
        **JSON,
        **UP,
    }

    def run(self, arguments: Arguments) -> Answer:
        from ..render import values

        if arguments.has("-up") and not any(map(arguments.has, OF_SEVERAL)):
            return self._up(arguments)
        found = self._values(arguments, history=True)
        if arguments.has("-json"):
            return values.document(found, arguments.has("-stats"))
        style = self.style
        shown = list(values.lines(found, style))
        if arguments.has("-stats"):
            shown += values.statistics_lines(found, style)
        return shown

    def _up(self, arguments: Arguments) -> Iterable[str]:
        """Look the names up along the logical stack of the selected thread."""
        from ..render import values
        from ..values.up import shown

        expression = self._rest(arguments, "An expression")
        found = shown(session_of(), expression, self._format(arguments))
        if arguments.has("-json"):
            return values.found_document(found)
        return values.found_lines(found, self.style, number_prefix())


class LocalsCommand(_ValuesCommand):
    """List your variables in the selected construct or function.

    Usage: ompd locals [OPTION]... [/FMT]
    Example: ompd locals -team

    The variables that you declared, each as "ompd print" has it: shared ones and
    the thread's own copies, loop variables, arrays with their length; nothing
    that the compiler has added.  Of a thread that waits in the runtime the
    innermost frame of your code is meant.  With an option that chooses threads,
    such as -team, each variable is shown in all of them."""

    name = "ompd locals"
    options = {**CHOOSING, "-team": "All threads of the current team.", **JSON}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import values
        from ..values.of_frame import own_names
        from ..values.reading import ValueReader

        self._refuse_words(arguments)
        session, shown = session_of(), self._format(arguments)
        names = own_names(session)
        is_of_several = any(map(arguments.has, OF_SEVERAL))
        asked = self.asked(arguments, session) if is_of_several else _selected()
        readers = (
            ValueReader(session, name, shown, lambda n: levels_of(asked, session, n))
            for name in names
        )
        found = [reader.read(asked.members, False, asked.one_team) for reader in readers]
        found = [each._replace(prefix=number_prefix()) for each in found]
        if arguments.has("-json"):
            return values.locals_document(found)
        return values.locals_lines(found, is_of_several, self.style)

    def completed_as(self) -> str:
        return "info locals"


def _selected() -> ChosenThreads:
    from ..model.values import AskedThread

    thread = selected_thread()
    if thread is None:
        raise OmpdToolError("no thread is selected: 'thread NUM' selects one")
    return ChosenThreads((AskedThread(thread.num),), None)


class DiffCommand(_ValuesCommand):
    """Show only what differs between the threads of the team.

    Usage: ompd diff [OPTION]... [--] [/FMT] EXPR
    Example: ompd diff -threads 0-3 sum

    Says whether EXPR is one object, at the same address in all threads, or each has
    its own, and where; then the values, as "ompd print" has them, but of an array
    or a struct all that differs."""

    name = "ompd diff"
    options = {**CHOOSING, **JSON, **UP}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import values

        found = self._values(arguments, history=False)
        if arguments.has("-json"):
            return values.document(found, False)
        return list(values.differing(found, self.style))


class WhatisCommand(OverThreads):
    """Tell the data-sharing attribute of a variable, such as private.

    Usage: ompd whatis [-json] NAME
    Example: ompd whatis sum

    Says whether NAME is shared, private, firstprivate, lastprivate, linear, of a
    reduction or threadprivate, and what tells it: the addresses in the threads of
    the team, the debug information, the variable outside of the construct, the
    clauses of the directive.  What these do not tell is unknown."""

    name = "ompd whatis"
    options = {**JSON}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import sharing as shown
        from ..values.sharing import sharing

        found = sharing(session_of(), self._rest(arguments, "A name"))
        if arguments.has("-json"):
            return shown.document(found)
        return shown.lines(found, self.style, number_prefix())

    def completed_as(self) -> str:
        return "whatis"
