# SPDX-License-Identifier: Apache-2.0
"""Where in the user's code a thread is.

Native code unwinds and reads what is waited for; GDB is asked once for each place in
the code. Where the files' tables do not tell a stack, GDB unwinds it: for its frames
only their program counters are asked, and names and lines once the user's code is
reached.
"""

from __future__ import annotations

from itertools import count, filterfalse, islice, takewhile
from typing import Callable, Iterator, Mapping, Optional, Sequence, TypeVar

import gdb

from .. import _native
from .._native import (
    GivenFrame,
    NativeThread,
    RegionCalls,
    ThreadPlace,
    ThreadRead,
    ThreadWait,
)
from ..model.waits import UNNAMED, Wait
from ..model import Location
from ..host.inlined import may_begin_inlined
from ..host.source import SourceMap, is_stub, is_system_header
from ..host.selection import KeptSelection, frames_from, kept_selection, threads_of
from ..host.target import GdbTarget
from .begun import Begun, that_called
from .waiting import Waits, given_frames

T = TypeVar("T")
Asking = Callable[[_native.Unwinder, Sequence[Optional[_native.ThreadStack]]], Sequence[T]]


class Stacks:
    """The stacks of one inferior at one stop."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        target: GdbTarget,
        sources: SourceMap,
        waits: Waits,
        unwinder: Optional[_native.Unwinder],
        listed: Callable[[], Sequence[NativeThread]],
    ) -> None:
        """LISTED returns the inferior's threads."""
        self._inferior = inferior
        self._threads: dict[int, gdb.InferiorThread] = {}  # by number; see frames()
        self._target = target
        self._code = waits.code
        self._sources = sources
        self.waits = waits
        self._unwinder = unwinder
        # By the program counter of the user's frame, and whether it is the innermost.
        self._locations: dict[tuple[int, bool], Optional[Location]] = {}
        self._places: dict[tuple[int, ThreadWait, Optional[Location]], ThreadPlace] = {}
        # The last one that is the same for every thread of which native code tells the same, and
        # what that is.
        self._shared: tuple[Optional[ThreadRead], ThreadPlace] = (None, ThreadPlace(Wait()))
        self._outside_headers: dict[tuple[int, ...], Wait] = {}
        self.begun = Begun(self.frames, self._region_calls, waits, sources)
        self.unreadable: dict[int, str] = {}  # why a thread has no stack
        # What native code unwinds: once, for all that is asked of a thread.
        self._plain: dict[int, Optional[_native.ThreadStack]] = {}
        self._listed = listed
        self._lwps: Optional[dict[int, int]] = None  # of those that stand still
        self._latest: tuple[int, list[gdb.Frame], Iterator[gdb.Frame]] = (0, [], iter(()))

    @property
    def whole(self) -> _native.WholeStacks:
        """All frames of threads that ``places`` was asked of; of others GDB's. It is made for each
        use: Python does not see that it leads back here, and would free neither."""
        return _native.WholeStacks(self.waits.reader, self._unwinder, self._plain, self._given)

    def whole_in(self, selection: KeptSelection) -> _native.WholeStacks:
        """The same, where SELECTION is kept."""

        def given(gdb_num: int) -> list[GivenFrame]:
            selection.will_change()
            return self._given(gdb_num)

        return _native.WholeStacks(self.waits.reader, self._unwinder, self._plain, given)

    def places(self, gdb_nums: Sequence[int]) -> dict[int, ThreadPlace]:
        """Return what these threads' stacks show. Keeps the selection."""
        found: dict[int, ThreadPlace] = {}
        natively = self._natively(gdb_nums, self.waits.reader.read_threads)
        with KeptSelection() as selection:
            for number in gdb_nums:
                read = natively.get(number)
                if read is not None and read is self._shared[0]:
                    found[number] = self._shared[1]
                    continue
                place = self._of_addresses(number, read, selection) if read else None
                if place is None:
                    selection.will_change()
                    place = self.place(number)
                    if read is not None:
                        self._pass_over(read.addresses, place)
                found[number] = place
        return found

    def _natively(self, gdb_nums: Sequence[int], ask: Asking[T]) -> dict[int, T]:
        """Return what native code tells of those of the threads that stand still."""
        if self._unwinder is None:
            return {}
        known = self._look_at(gdb_nums)
        return dict(zip(known, ask(self._unwinder, list(map(self._plain.__getitem__, known)))))

    def _look_at(self, gdb_nums: Sequence[int]) -> list[int]:
        """Get the stacks of threads ready; return those of them that stand still."""
        if self._lwps is None:
            self._lwps = {t.gdb_num: t.lwp for t in self._listed() if t.lwp and not t.running}
        lwps = self._lwps
        known = list(filter(lwps.__contains__, gdb_nums))
        missing = list(filterfalse(self._plain.__contains__, known))
        if missing:
            self._plain.update(self._stopped(dict(zip(missing, map(lwps.__getitem__, missing)))))
        return known

    def bodies(self, gdb_num: int) -> list[tuple[int, str]]:
        """Return the bodies that the runtime has called on a thread's stack; see WholeStacks.
        Keeps the selection."""
        if self._unwinder is not None:
            self._look_at([gdb_num])
        with kept_selection():
            return self.whole.bodies(gdb_num)

    def _stopped(self, lwps: Mapping[int, int]) -> dict[int, Optional[_native.ThreadStack]]:
        """Return threads' stacks: from the kernel, if their process is one that it can tell of."""
        process, stack = self._target.kernels_process(), _native.ThreadStack
        if process is not None:
            return dict(zip(lwps, stack.traced(list(lwps.values()), process)))
        with kept_selection():
            registers = zip(lwps, self._target.registers(tuple(lwps)))
            return {n: None if values is None else stack.given(values) for n, values in registers}

    def executed(self, gdb_nums: Sequence[int]) -> dict[int, Optional[int]]:
        """Return which code the innermost frames of the user's code execute, of a call its last
        byte, None where there is no such frame, of those threads whose stacks native code can
        read."""
        found = self._natively(gdb_nums, _native.Unwinder.last_executed).items()
        return {n: pc if self._code.is_user(pc) else None for n, pc in found if pc is not None}

    def _given(self, gdb_num: int) -> list[GivenFrame]:
        """Return a thread's frames as GDB has them. Leaves the thread selected."""
        return given_frames(list(self.frames(gdb_num)), self.waits.reader)

    def _region_calls(self, gdb_num: int) -> Optional[RegionCalls]:
        """Return the calls that began regions on a thread's stack; None where GDB's frames are
        to tell them."""
        return self._natively([gdb_num], self.waits.reader.region_calls).get(gdb_num)

    def _of_addresses(
        self,
        gdb_num: int,
        read: ThreadRead,
        selection: KeptSelection,
    ) -> Optional[ThreadPlace]:
        """Return what a thread's stack shows that native code has read; None where it is
        GDB's to tell."""
        pcs, found = read.addresses, read.wait
        location: Optional[Location] = None
        at = len(pcs) - 1  # the frame that LOCATION is of
        called_from: Optional[Wait] = None
        is_any_threads = True
        users = [n for n, pc in enumerate(pcs) if self._code.is_user(pc)]
        if users and not found.frameless:
            at, location = self._place_among(pcs, users, found)
            if location is not None and not found.kind and is_system_header(location.file):
                called_from = self._called_from(gdb_num, at + 1, selection)
                location = called_from.location if called_from else None
                is_any_threads = False
            if location is None:
                return None
        elif _is_unnamed(found):
            return None
        key = pcs[at], found, location
        if key not in self._places:

            def frame() -> Optional[gdb.Frame]:
                selection.will_change()
                return next((f for f in self.frames(gdb_num) if f.pc() == pcs[at]), None)

            wait = self.waits.complete(found, pcs[at], frame)
            if location is not None:
                wait = wait._replace(location=location)
            if called_from is not None:
                wait = wait._replace(outside=called_from.outside, library=called_from.library)
            self._places[key] = ThreadPlace(wait, found.in_runtime, found.before_body)
        if is_any_threads:
            self._shared = read, self._places[key]
        return self._places[key]

    def _place_among(
        self, pcs: Sequence[int], users: Sequence[int], found: ThreadWait
    ) -> tuple[int, Optional[Location]]:
        """Return the place of that of the USERS' frames which a listing names, and which it is:
        the innermost with source that no runtime's frame is around, or the innermost of all. None
        where GDB's frames tell it."""
        if found.library and found.caller in pcs:  # a deep stack is cut off
            users = [n for n in users if n >= pcs.index(found.caller)]
        innermost: Optional[Location] = None
        at = users[0]
        for number in users:
            if not all(map(self._is_no_runtimes, pcs[users[0] : number])):
                break
            location = self._location(pcs[number], number == 0)
            if location is None:
                return number, None
            if location.line is not None:
                return number, location._replace(innermost=innermost)
            if innermost is None and not self._is_between(location):
                at, innermost = number, location
        lines = any(self.waits.reader.at(pcs[n]).has_lines for n in users)
        return at, None if lines else innermost

    def _is_between(self, location: Location) -> bool:
        """Tell whether a function without source is no place of the user's."""
        return is_stub(location) or self._sources.starts_stack(location)

    def _called_from(self, gdb_num: int, first: int, selection: KeptSelection) -> Optional[Wait]:
        """Return where the user's own code has called that of a header of the system's, which a
        thread's FIRSTth frame is in, and what it called there. GDB's frames tell it, once for
        all threads that came there the same way."""
        pcs = (pc for pc, _ in self.whole.unwound(gdb_num)[first - 1 :])
        way = tuple(takewhile(self._is_no_runtimes, pcs))
        if way and way not in self._outside_headers:
            selection.will_change()
            self._outside_headers[way] = self.place(gdb_num).wait
        return self._outside_headers[way] if way else None

    def _is_no_code(self, location: Location) -> bool:
        """Tell whether what should have called is in no memory: GDB goes on where a stack ends."""
        if location.function is not None or location.code is not None:
            return False
        return not self._target.is_readable(location.pc)

    def _is_no_runtimes(self, pc: int) -> bool:
        return self._code.code_at(pc) != "runtime"

    def _pass_over(self, pcs: Sequence[int], place: ThreadPlace) -> None:
        """Have native code go on beyond the last of PCS from now on, if what is there has no
        source, though its file knows lines, and GDB found a PLACE further out."""
        pc, location = pcs[-1], place.wait.location
        if self._unwinder is None or not self._code.is_user(pc):
            return
        if location is None or location.line is None or location.pc == pc:
            return
        known = self._location(pc, len(pcs) == 1)
        if known is None or known.line is None:
            self._unwinder.pass_over(pc)

    def _location(self, pc: int, innermost: bool) -> Optional[Location]:
        """Return the user's place at PC; None where only GDB's frames tell it."""
        key = pc, innermost
        if key not in self._locations:
            is_known = not innermost or not may_begin_inlined(pc)
            self._locations[key] = self._sources.location_at(pc, innermost) if is_known else None
        return self._locations[key]

    def place(self, gdb_num: int) -> ThreadPlace:
        """Return what a thread's stack shows, by GDB's frames. The innermost frame of the user's
        code is its place and, where that has no source, the innermost that has, as far as no
        runtime's frame is between the two. The user's own is preferred to a header of the system's
        that waits for nothing of OpenMP's, and that the system may have called (pthread_once,
        qsort). Leaves the thread selected: the caller restores the selection."""
        wait: Optional[Wait] = None
        in_header: list[Location] = []
        innermost: Optional[Location] = None
        caller: Optional[int] = None  # what of the user's frames has called a library, if one has
        below: list[gdb.Frame] = []
        for frame in self.frames(gdb_num):
            if not self._code.is_user(frame.pc()):
                if (in_header or innermost) and not self._is_no_runtimes(frame.pc()):
                    break
                below.append(frame)
                continue
            location = self._sources.location_of(frame)
            if self._sources.starts_stack(location):
                continue
            if frame.level() and self._is_no_code(location):
                break
            if wait is None:
                wait, found = self.waits.read(below, that_called(frame))
                if found.frameless:
                    return ThreadPlace(wait)
                caller = found.caller if found.library else None
            caller = None if caller == location.pc else caller
            if caller is not None:
                continue
            if location.line is not None:
                if wait.kind is not None or not is_system_header(location.file):
                    outside = _name_outside(wait, in_header)
                    location = location._replace(innermost=innermost)
                    return ThreadPlace(wait._replace(location=location, outside=outside))
                in_header.append(location)
            elif not is_stub(location):
                innermost = innermost or location
        if wait is not None:
            return ThreadPlace(wait._replace(location=innermost or next(iter(in_header), None)))
        if gdb_num in self.unreadable:
            return ThreadPlace(Wait(entry_point=UNNAMED))
        wait, found = self.waits.read(below, None)
        in_handler = any(frame.type() == gdb.SIGTRAMP_FRAME for frame in below)
        return ThreadPlace(wait, found.in_runtime, found.before_body, in_handler)

    def frames(self, gdb_num: int) -> Iterator[gdb.Frame]:
        """Yield a thread's frames, innermost first; ends where unwinding does. Leaves the
        thread selected. Several questions about one thread have GDB unwind it once:
        where native code does not, ``ompd why`` asks of 1,000 threads at a barrier for 36,000
        frames, 13,000 different."""
        if not self._threads:
            self._threads = {thread.num: thread for thread in threads_of(self._inferior)}
        thread = self._threads.get(gdb_num)
        if thread is None:
            return
        try:
            thread.switch()
        except gdb.error as error:
            self.unreadable[gdb_num] = str(error)
            return
        if self._latest[0] != gdb_num:
            self._latest = gdb_num, [], self._unwind(gdb_num)
        _, known, others = self._latest
        for index in count():
            if index == len(known):
                known.extend(islice(others, 1))
            if index == len(known):
                return
            yield known[index]

    def _unwind(self, gdb_num: int) -> Iterator[gdb.Frame]:
        try:
            newest = gdb.newest_frame()
            newest.pc()  # a core may lack the thread's registers
        except gdb.error as error:  # nor has a thread that runs any
            self.unreadable[gdb_num] = str(error)
            return iter(())
        return frames_from(newest)


def _is_unnamed(found: ThreadWait) -> bool:
    """Tell whether a thread is in a function of the system's that has no symbol."""
    return not (found.outside or found.entry_point or found.in_runtime)


def _name_outside(wait: Wait, in_header: Sequence[Location]) -> Optional[str]:
    """Return the name of what the user has called outside of OpenMP: where code of the system's
    headers called what is only for it, the function of these IN_HEADER that the user's called."""
    name = wait.outside
    if not in_header or not name or not (name == "syscall" or _is_internal(name)):
        return name
    return in_header[-1].function or name


def _is_internal(name: str) -> bool:
    return name.rpartition("::")[2].startswith("_")
