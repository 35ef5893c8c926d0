# SPDX-License-Identifier: Apache-2.0
"""``ompd print`` and ``ompd diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from ..errors import UsageError
from ..stop.registry import session_of
from .base import Arguments
from .over_threads import CHOOSING, OverThreads, levels_of, option_settings

if TYPE_CHECKING:
    from ..host.expressions import Format
    from ..model.values import Values

# GDB's own options of "print": each is a setting, with one more word if it is a number.
FLAGS = (
    "-address",
    "-array",
    "-array-indexes",
    "-memory-tag-violations",
    "-nibbles",
    "-null-stop",
    "-object",
    "-pretty",
    "-raw-values",
    "-static-members",
    "-symbol",
    "-union",
    "-vtbl",
)
NUMBERS = ("-elements", "-max-depth", "-repeats")


class _ValuesCommand(OverThreads):
    """What the two share."""

    valued: tuple[str, ...] = (*OverThreads.valued, *NUMBERS)
    flags = FLAGS
    takes_format = True

    def _values(self, arguments: Arguments, history: bool) -> "Values":
        """Evaluate the expression in the threads that are chosen."""
        from ..values.reading import Reader
        from .gather import number_prefix

        expression = self._rest(arguments, "an expression")
        session = session_of()
        asked = self.asked(arguments, session)
        reader = Reader(
            session, expression, self._format(arguments), lambda n: levels_of(asked, session, n)
        )
        found = reader.read(asked.members, history, asked.one_team)
        return found._replace(prefix=number_prefix())

    def _format(self, arguments: Arguments) -> "Format":
        from ..host.expressions import print_format

        return print_format(option_settings(arguments, FLAGS + NUMBERS), arguments.words[1])


class PrintCommand(_ValuesCommand):
    """Show the value of an expression in each thread of the team.

    Usage: ompd print [OPTION]... [--] [/FMT] EXPR
           ompd print -up [-json] [OPTION]... [--] [/FMT] NAME

    EXPR is evaluated in each thread's innermost frame of the same function as the
    selected frame, else in the thread's innermost frame of your code, which is then
    named.  Threads with equal values share a line that begins with their OpenMP
    numbers; what few threads have comes first.  Of an array or a struct only what
    differs is shown, member by member.  What cannot be evaluated is listed last, with
    the reason.  The selected thread's value enters GDB's value history.

    No function of the program is called unless EXPR calls one.

    Options:
      -team
        The current team, which is also meant without this.
      -all
        Every thread, by GDB's numbers.
      -threads LIST
        The threads of the team with these OpenMP numbers, such as 0-3,7.
      -state STATE
        Those threads that are working, waiting or whatever "ompd threads -state" takes.
      -stats
        Show least, greatest and mean of numbers, and which threads have them.
      -json
        Print one JSON document.
      -up
        Look the variable NAME up along the logical stack of the selected thread: in the
        selected frame, then in those of the thread that generated the task or began the
        region, to the program's start; say where it was found.

    These are options of GDB's "print", with the same meaning:
      -address -array -array-indexes -memory-tag-violations -nibbles -null-stop -object
      -pretty -raw-values -static-members -symbol -union -vtbl [on|off]
      -elements -max-depth -repeats NUMBER|unlimited"""

    name = "ompd print"
    options = (*CHOOSING, "-json", "-stats", "-up", *FLAGS, *NUMBERS)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show the values."""
        from ..render import values
        from ..render.json_document import dump
        from . import styles

        if arguments.has("-up"):
            return self._up(arguments)
        found = self._values(arguments, history=True)
        if arguments.has("-json"):
            return [dump(values.document(found, arguments.has("-stats")))]
        style = styles.current_style()
        shown = list(values.lines(found, style))
        if arguments.has("-stats"):
            shown += values.statistics_lines(found, style)
        return shown

    def _up(self, arguments: Arguments) -> Iterable[str]:
        """Look a name up along the logical stack."""
        from ..render import values
        from ..render.json_document import dump
        from ..values.lookup import shown
        from . import styles
        from .gather import number_prefix

        for option in (*CHOOSING, "-stats"):
            if arguments.has(option):
                raise UsageError(
                    f"-up is of the selected thread: {option} is not. {self._see_help()}"
                )
        name = self._rest(arguments, "a name")
        found = shown(session_of(), name, self._format(arguments))
        if arguments.has("-json"):
            return [dump(values.found_document(found))]
        return values.found_lines(found, styles.current_style(), number_prefix())


class DiffCommand(_ValuesCommand):
    """Show only what differs between the threads of the team.

    Usage: ompd diff [OPTION]... [--] [/FMT] EXPR

    Says whether EXPR is one object, at the same address in all threads, or each has
    its own, and where; then the values, as "ompd print" has them, but of an array
    or a struct all that differs.

    Options:
      -team
        The current team, which is also meant without this.
      -all
        Every thread, by GDB's numbers.
      -threads LIST
        The threads of the team with these OpenMP numbers, such as 0-3,7.
      -state STATE
        Those threads that are working, waiting or whatever "ompd threads -state" takes.
      -json
        Print one JSON document.

    These are options of GDB's "print", with the same meaning:
      -address -array -array-indexes -memory-tag-violations -nibbles -null-stop -object
      -pretty -raw-values -static-members -symbol -union -vtbl [on|off]
      -elements -max-depth -repeats NUMBER|unlimited"""

    name = "ompd diff"
    options = (*CHOOSING, "-json", *FLAGS, *NUMBERS)

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Show what differs."""
        from ..render import values
        from ..render.json_document import dump
        from . import styles

        found = self._values(arguments, history=False)
        if arguments.has("-json"):
            return [dump(values.document(found, False))]
        return list(values.differing(found, styles.current_style()))
