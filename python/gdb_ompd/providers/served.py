# SPDX-License-Identifier: Apache-2.0
"""A provider whose facts come from a native reader of the runtime."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Optional, Sequence, Union

from .. import _native
from ..errors import NotFound
from ..host.protocols import NativeThread
from ..model import ControlVariable, Icv, Membership, TaskKind
from . import facts
from .base import Place, PlaceLike, TaskView, View, WaitingViews

STATES_OFF = (
    "States are not tracked: the program was started without OMPD events"
    " ('ompd enable' switches them on while it runs)."
)
NEEDS_STATE_TRACKING = 6  # ompd_rc_needs_state_tracking
TASKS_UNKNOWN = "Tasks that are not running are not known for this runtime."


class ServedProvider:
    """What a reader tells at a stop, as the model has it."""

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime at this stop. Raises OmpdToolError with the cure."""
        raise NotImplementedError

    def asking(self) -> AbstractContextManager[None]:
        """Return what is to be around all that asks the library."""
        raise NotImplementedError

    # Of whom the reader was asked last, and which reader: one whose library fails is replaced
    # by another at the same stop.
    _natives: Sequence[NativeThread] = ()
    _has_read: Optional[_native.RuntimeReader] = None

    def view(self, natives: Sequence[NativeThread]) -> View:
        """Return threads and regions; an unreadable thread is a row with its error."""
        self._natives, self._has_read = natives, None
        with self.asking():
            thread_rows, region_rows = self.reader().read(natives)
            self._has_read = self.reader()
        threads = facts.threads(natives, thread_rows)
        regions, constructs = facts.regions(region_rows)
        of_threads = [thread.doubts for thread in threads if thread.doubts]
        untracked = any(doubt.code == NEEDS_STATE_TRACKING for each in of_threads for doubt in each)
        notes = [STATES_OFF] if untracked else []
        known = [
            tuple(doubt for doubt in each if doubt.code != NEEDS_STATE_TRACKING)
            for each in of_threads
        ]
        notes += facts.notes("thread", known)
        notes += facts.notes("region", [region.doubts for region in regions])
        return View(threads, regions, constructs, tuple(notes))

    def _reader_of_view(self) -> _native.RuntimeReader:
        """Return the reader that has read the threads of the last view."""
        reader = self.reader()
        if reader is not self._has_read:
            reader.read(self._natives)
            self._has_read = reader
        return reader

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Return the chains of these threads, innermost task first."""
        with self.asking():
            return list(map(facts.task, self._reader_of_view().tasks(gdb_nums)))

    def implicit_tasks(self, region: int) -> list[TaskView]:
        """Return the region's implicit tasks by thread number."""
        with self.asking():
            return list(map(facts.task, self._reader_of_view().implicit_tasks(region)))

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Return the ICVs of the process, then of these threads and regions."""
        with self.asking():
            return list(map(facts.icv, self._reader_of_view().icvs(gdb_nums, regions)))

    def control_variables(self) -> list[ControlVariable]:
        """Return the display control variables."""
        with self.asking():
            return facts.control_variables(self.reader().control_variables())

    def waiting_tasks(self) -> WaitingViews:
        """Return the tasks that no thread executes: OMPD has no word for them, but the
        runtime's own reader may know them."""
        with self.asking():
            found = self._reader_of_view().waiting_tasks()
        if found is None:
            return WaitingViews((), (TASKS_UNKNOWN,), False)
        rows, notes = found
        return WaitingViews(tuple(map(facts.waiting_task, rows)), notes)

    # Of one thread

    def place(self, thread: NativeThread) -> Optional[PlaceLike]:
        """Return where a thread executes, as memory has it now."""
        with self.asking():
            found = self.reader().place(thread)
        return None if found is None else Place(*found)

    def knows(self, thread: NativeThread) -> bool:
        """Tell whether the runtime knows a thread."""
        with self.asking():
            return self.reader().knows(thread)

    def membership_of(self, thread: NativeThread, level: int) -> Optional[Membership]:
        """Return a thread's number and the team's size at a level."""
        with self.asking():
            found = self.reader().memberships(thread)
        return Membership(*found[-1 - level]) if 0 <= level < len(found) else None

    def task_kind_of(self, thread: NativeThread) -> Optional[TaskKind]:
        """Tell what kind of task a thread executes."""
        with self.asking():
            kind = self.reader().task_kind(thread)
        return None if kind is None else TaskKind(kind)

    def state_of(self, thread: NativeThread) -> Optional[str]:
        """Return a thread's OMPT state."""
        with self.asking():
            return self.reader().state(thread)

    def icv_of(self, thread: NativeThread, name: str) -> Union[int, str, None]:
        """Return one ICV of a thread, its task, its region or the process."""
        with self.asking():
            row = self.reader().icv(thread, name)
        if row is None:
            raise NotFound(f'no ICV is called "{name}": "ompd icvs" lists them')
        return facts.icv(row).value
