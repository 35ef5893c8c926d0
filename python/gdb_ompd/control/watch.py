# SPDX-License-Identifier: Apache-2.0
"""Watchpoints that say which OpenMP thread wrote, and with "-race" stop only where threads of
a team write without a lock in common.

They are GDB's own hardware watchpoints. Of a race the condition asks at each write: it notes
the write, and holds where it makes a race with an earlier one. The end of an outermost region
comes after all writes in it: there they are forgotten.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Optional

import gdb

from .._native import hardware_watchpoints_stop, unbroken
from ..errors import OmpdToolError, UsageError
from ..host.charset import decoded
from ..host.flush_help import HelpedFunction
from ..host.selection import connection_type, number_prefix, selected_thread
from ..host.sessions.registry import session_of

if TYPE_CHECKING:
    from ..explain.facts import Held
    from ..explain.races import Race, Write, Writes

REGISTER = "{0} has no place of its own: a register holds it, here or elsewhere in the code"
ANOTHER = "GDB takes {0} for another object here: select the frame that it is meant in"
# Of GDB's software watchpoints any thread seems to be the writer.
ONLY_HARDWARE = "and only those tell which thread writes"
NO_HARDWARE = (
    "this machine takes hardware watchpoints and never stops at them, as virtual machines do, "
    f"{ONLY_HARDWARE}: run the program on another machine, or build it with -fsanitize=thread"
)
SWITCHED_OFF = (
    f"hardware watchpoints are switched off, {ONLY_HARDWARE}: 'set can-use-hw-watchpoints 1'"
)
REGION_ENDS = "ompd_bp_parallel_end"


class _Watch:
    """A watchpoint of ours: the expression, and for a race the writes so far and the RACE that
    has stopped the program."""

    def __init__(self, expression: str, writes: Optional[Writes]) -> None:
        self.expression = expression
        self.writes = writes
        self.race: Optional[Race] = None


_watches: dict[int, _Watch] = {}  # by GDB's number


class _RegionEnds(gdb.Breakpoint):
    """Stops nothing: forgets the writes of a region that ends."""

    def __init__(self) -> None:
        super().__init__(REGION_ENDS, internal=True)
        self.silent = True

    @unbroken
    def stop(self) -> bool:
        """Forget, unless the region is within another one."""
        from ..functions.current import place

        try:
            found = decoded(place)
        except (OmpdToolError, gdb.error):
            found = None
        if found is None or found.level <= 1:
            for watch in _watches.values():
                if watch.writes is not None:
                    watch.writes.forget()
        return False


_region_ends: list[_RegionEnds] = []


class WriteRaces(HelpedFunction):
    """Tell whether a write makes a race, for the condition of "ompd watch -race".

    Usage: $_omp_write_races (NUMBER)

    NUMBER is the watchpoint's.  Each time it is asked it notes the selected thread's
    write."""

    def __init__(self) -> None:
        super().__init__("_omp_write_races")

    def invoke(self, number: gdb.Value) -> bool:
        """Answer; a watchpoint that is not known always stops."""
        watch = _watches.get(int(number))
        if watch is None or watch.writes is None:
            return True
        watch.race = watch.writes.add(decoded(partial(read_write, locks=True)))
        return watch.race is not None


def set_watch(expression: str, race: bool) -> None:
    """Make GDB's watchpoint for the object that EXPRESSION is now."""
    _check_machine()
    _check(expression)
    before = {each.number for each in gdb.breakpoints()}
    try:
        gdb.execute(f"watch -location {expression}")
    except gdb.error as error:
        raise OmpdToolError(str(error)) from error
    made = [each for each in gdb.breakpoints() if each.number not in before]
    if len(made) != 1:
        return
    if made[0].type != gdb.BP_HARDWARE_WATCHPOINT:
        made[0].delete()
        raise UsageError(
            f"{expression} cannot be watched by hardware, and only that sees all threads: "
            "it is too large, or there are too many watchpoints."
        )
    from ..explain.races import Writes

    _watches[made[0].number] = _Watch(expression, Writes() if race else None)
    if race:
        made[0].condition = f"$_omp_write_races({made[0].number})"
        if not (_region_ends and _region_ends[0].is_valid()):
            _region_ends[:] = [_RegionEnds()]
        _region_ends[0].enabled = True


def _check_machine() -> None:
    """Refuse where no hardware watchpoint can stop the program."""
    if not gdb.parameter("can-use-hw-watchpoints"):
        raise OmpdToolError(SWITCHED_OFF)
    is_here = connection_type(gdb.selected_inferior()) == "native"
    if is_here and hardware_watchpoints_stop() is False:
        raise OmpdToolError(NO_HARDWARE)


def _check(expression: str) -> None:
    """Refuse an expression that GDB takes for another object than the selected thread's code
    means, and one that is in no memory of its own."""
    from ..host.expressions import Format, address_of, calls_forbidden, changes, referred
    from ..model.values import AskedThread
    from ..values.reading import ValueReader

    thread = selected_thread()
    if thread is None or thread.is_running() or changes(expression):
        return
    try:
        with calls_forbidden():
            taken = address_of(referred(gdb.parse_and_eval(expression)))
    except gdb.error:
        return  # GDB says so, too, or the expression calls a function
    reader = ValueReader(session_of(), expression, Format(), lambda gdb_num: None)
    row = reader.read([AskedThread(thread.num)], history=False).values[0]
    if row.error is not None:
        raise OmpdToolError(row.error)
    if taken is not None and row.address is None:
        raise OmpdToolError(REGISTER.format(expression))
    if taken != row.address:
        raise OmpdToolError(ANOTHER.format(expression))


def read_write(locks: bool) -> Write:
    """Return the write that the selected thread has just made, with the LOCKS that it holds."""
    from ..explain.races import Write
    from ..functions import current

    thread = gdb.selected_thread()
    write = Write(thread.num)
    try:
        found = current.current()
    except (OmpdToolError, gdb.error):
        found = None
    if found is not None and found.place is not None:
        at = found.place
        write = write._replace(thread_num=at.thread_num, team_size=at.team_size, level=at.level)
        try:
            write = write._replace(task=found.provider.task_kind_of(found.thread))
        except OmpdToolError:
            pass
    sources = session_of().places()[1]
    write = write._replace(place=sources.location_of(gdb.newest_frame()))
    return write._replace(held=_held()) if locks else write


def _held() -> Optional[tuple["Held", ...]]:
    """Return the locks that the selected thread holds, by its place in the code; None where
    that cannot be read."""
    from ..values.frames import frames

    try:
        return session_of().fresh_stacks().held([frame for frame, _ in frames()])
    except (OmpdToolError, gdb.error):
        return None


@unbroken
def _stopped(stop: gdb.StopEvent) -> None:
    """Say who wrote, where one of our watchpoints has stopped the program."""
    if not _watches:
        return
    from ..render import event
    from .styles import current_style

    shown = current_style(), number_prefix()
    for each in getattr(stop, "breakpoints", ()):
        watch = _watches.get(each.number)
        if watch is None or each.silent:
            continue
        if watch.race is not None:
            lines = list(event.race(watch.race, watch.expression, *shown))
            watch.race = None
        else:
            lines = [event.written(decoded(partial(read_write, locks=False)), *shown)]
        gdb.write("\n".join([*lines, ""]))


@unbroken
def _deleted(breakpoint: gdb.Breakpoint) -> None:
    _watches.pop(breakpoint.number, None)
    # To delete it GDB would have to be done with the other one. Nothing of ours must be left to
    # be done later: GDB may end before.
    if not any(watch.writes is not None for watch in _watches.values()):
        for ends in _region_ends:
            if ends.is_valid():
                ends.enabled = False


def connect() -> None:
    """Make the condition's function known, and listen to stops."""
    WriteRaces()
    gdb.events.stop.connect(_stopped)
    gdb.events.breakpoint_deleted.connect(_deleted)
