# SPDX-License-Identifier: Apache-2.0
"""What stepping knows of the runtime: the functions that it waits for, by their exported names. Of
each it knows which argument is a construct's body, or the task's record that holds it. Where a
region is left, it knows which frame of which thread goes on after it."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional

import gdb

from ... import _native
from ...errors import NotFound, OmpdToolError
from ...host.selection import thread_number
from ...model import Region, Snapshot, Thread
from ...host.sessions.session import Session

_ENTRIES = _native.entry_points()

BODY_ARGUMENT = {each.name: each.body for each in _ENTRIES if each.body >= 0}
REGION_BODY_ARGUMENT = {
    each.name: each.body for each in _ENTRIES if each.body >= 0 and not each.makes_task
}
# clang's code hands over a record, made before, that holds the body.
TASK_RECORD_ARGUMENT = {each.name: each.record for each in _ENTRIES if each.record >= 0}
# Of such a record compilers know: a pointer to shared variables, then the body's.
BODY_IN_RECORD = POINTER = 8

# clang's code calls a serialized region's body itself, after this.
SERIALIZED_BEGIN = frozenset(_native.functions_with_role("begins serialized"))
SERIALIZED_END = frozenset(_native.functions_with_role("ends serialized"))
# Where an undeferred task is over, whose body such code calls itself, too.
UNDEFERRED_END = frozenset(_native.functions_with_role("ends undeferred task"))

# Where a thread waits for others. With scheduler-locking "step" GDB's own
# commands hold those back even while a call is stepped over.
WAITS = frozenset(each.name for each in _ENTRIES if each.waits_for) - BODY_ARGUMENT.keys()
# Of these, those that nobody leaves before the whole team has come.
BARRIERS = WAITS & {each.name for each in _ENTRIES if each.waits_for.endswith("barrier")}

HANDED_OVER = BODY_ARGUMENT.keys() | TASK_RECORD_ARGUMENT.keys() | SERIALIZED_BEGIN
MAY_WAIT = WAITS | BODY_ARGUMENT.keys() | TASK_RECORD_ARGUMENT.keys()
KNOWN = WAITS | HANDED_OVER | SERIALIZED_END | UNDEFERRED_END

# The registers of integer arguments (the psABIs), in GDB's names.
ARGUMENT_REGISTERS = {
    "i386:x86-64": ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5"),
}


def callees(session: Session, pc: int) -> Iterator[tuple[str, int]]:
    """Yield name and address of each runtime function that the file with PC calls."""
    home = session.files.at(pc)
    if home is None or home.module is None:
        return
    for provider in session.files.detected().providers:
        module = provider.mapped.module
        if module is None:
            continue
        # A runtime that is linked into the program is called by any name.
        static = provider.mapped is home
        names = KNOWN if static else set(home.module.elf.imports())
        for name in sorted(names):
            if static or module.elf.exports(name):
                symbol = module.elf.symbol(name)
                if symbol is not None:
                    yield name, module.bias + symbol.value


class RegionExit(NamedTuple):
    """THREAD, the region's primary one, goes on after REGION in its physical frame HOME."""

    region: Region
    thread: gdb.InferiorThread
    home: gdb.Frame
    by: _native.RegionReturn


def region_exit(session: Session, thread: gdb.InferiorThread) -> RegionExit:
    """Return where the innermost region of THREAD is left.

    Raises NotFound if it is in none, OmpdToolError if its end cannot be told.
    """
    snapshot = session.snapshot(locations=False)
    row = _row(snapshot, thread)
    if row.region is None:
        raise NotFound(f"GDB thread {thread_number(thread)} is in no parallel region")
    region = snapshot.region(row.region)
    primary = _native_thread(region.threads[0] if region.threads else None)
    returns = session.region_returns(primary.num)
    begun = [r.id for r in snapshot.regions if r.threads and r.threads[0] == primary.num]
    # One call for each region, or it is not known which is whose.
    if len(returns) != len(begun):
        whose = f"the region of GDB thread {thread_number(thread)}"
        raise OmpdToolError(f"the call that began {whose} is not found")
    return RegionExit(region, primary, *returns[begun.index(region.id)])


def others_are_held(thread: gdb.InferiorThread) -> bool:
    """Tell whether the user's settings keep other threads from running with THREAD."""
    if gdb.parameter("scheduler-locking") == "on":
        return True
    others = [each for each in thread.inferior.threads() if each.num != thread.num]
    return bool(gdb.parameter("non-stop")) and not all(each.is_running() for each in others)


def others_are_needed(session: Session, thread: gdb.InferiorThread) -> bool:
    """Tell whether THREAD's region cannot end since the rest of its team is held back."""
    if not others_are_held(thread):
        return False
    try:
        return _row(session.snapshot(locations=False), thread).team_size != 1
    except OmpdToolError:
        return True


def others_are_to_come(session: Session, thread: gdb.InferiorThread) -> bool:
    """Tell whether THREAD is at a barrier in its region, and others of its team that have not
    come to one are held back."""
    if not others_are_needed(session, thread):
        return False
    try:
        snapshot = session.snapshot()
        own = _row(snapshot, thread)
    except OmpdToolError:
        return False
    team = [row for row in snapshot.threads if row.region is not None and row.region == own.region]
    waiting = [row for row in team if row.waits_for and row.waits_for.kind.endswith("barrier")]
    is_at_end = own.waits_for is not None and own.waits_for.kind == "end-of-region barrier"
    return own in waiting and not is_at_end and len(waiting) < (own.team_size or 0)


def _row(snapshot: Snapshot, thread: gdb.InferiorThread) -> Thread:
    for row in snapshot.threads:
        if row.gdb_num == thread.num:
            return row
    raise NotFound(f"GDB thread {thread_number(thread)} is not known to GDB any more")


def _native_thread(gdb_num: Optional[int]) -> gdb.InferiorThread:
    for thread in gdb.selected_inferior().threads():
        if thread.num == gdb_num:
            return thread
    raise OmpdToolError("the region's primary thread is not known to GDB")
