# SPDX-License-Identifier: Apache-2.0
"""What threads do that wait for nothing of OpenMP's: the function of the system's that they are
in, and the mutex that they wait for there. Every listing says it as this does."""

from __future__ import annotations

from functools import partial
from typing import Mapping, Optional, Sequence

from .. import _native
from .._native import Outside
from ..model import Thread
from ..model.waits import Kind, OWN_LOCKS, RUNTIME, SystemCall, UNNAMED, Wait
from .places import Stacks

WORKS = SystemCall()


class SystemCalls:
    """The calls of one inferior's threads at one stop, each read once."""

    def __init__(
        self,
        waits: _native.WaitReader,
        stacks: Stacks,
        threads: Sequence[Thread],
        readable: Optional[Sequence[tuple[int, int]]],
        is_forked: Optional[bool],
    ) -> None:
        """READABLE is the code of the files that could be read, None where all runtimes could;
        IS_FORKED is as in host.environment."""
        process = [(t.gdb_num, t.lwp, t.pthread_id or None) for t in threads]
        self.reader = _native.HangReader(waits, process, readable, is_forked)
        self._stacks = stacks
        self._known: dict[int, Outside] = {}

    def read(self, waits: Mapping[int, Wait]) -> dict[int, Outside]:
        """Return what threads do that have these waits, none of OpenMP's. Keeps the
        selection."""
        missing = [n for n in waits if n not in self._known]
        asked = [(n, waits[n].outside or "", waits[n].entry_point or "") for n in missing]
        with self._stacks.frames.kept_selection():
            self._note(waits, missing, self.reader.system_calls(self._stacks.whole, asked))
        return {number: self._known[number] for number in waits}

    def _note(
        self,
        waits: Mapping[int, Wait],
        missing: Sequence[int],
        calls: Sequence[SystemCall],
    ) -> None:
        last: tuple[Optional[Wait], Optional[SystemCall]] = (None, None)
        known = Outside(Wait(), WORKS)
        for number, call in zip(missing, calls):
            wait = waits[number]
            # Neighbours often do the same: then the answer is made once, unless it has the name of
            # a mutex, which depends on the thread's frames.
            if wait is not last[0] or call is not last[1] or known.call.mutex is not None:
                known = self._completed(number, wait, call)
                last = wait, call
            self._known[number] = known

    def _completed(self, gdb_num: int, wait: Wait, call: SystemCall) -> Outside:
        if call.function == UNNAMED:
            call = call._replace(function=RUNTIME)
        if call.calls_workers:
            wait = wait._replace(outside=wait.entry_point)
        if call.mutex is not None and call.lock not in OWN_LOCKS:
            wait = wait._replace(name=self._mutex_name(gdb_num, wait, call.mutex))
        library = wait.library
        if library is not None:
            from ..explain.job import waits_for_others

            wait = wait._replace(outside=library)
            is_blocked = call.function is not None or waits_for_others(library)
            if is_blocked and call.lock not in OWN_LOCKS:
                call = call._replace(function=library)
        return Outside(wait, call)

    def _mutex_name(self, gdb_num: int, wait: Wait, mutex: int) -> Optional[str]:
        """Return what the user calls a lock of the C library's that a thread waits for."""
        place = wait.location.pc if wait.location is not None else None
        frame = partial(self._stacks.frames.users, gdb_num)
        return self._stacks.waits.object_name(Kind.LOCK, mutex, place or 0, frame)
