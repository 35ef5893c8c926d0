# SPDX-License-Identifier: Apache-2.0
"""Where in the user's code a thread is.

Native code reads from its frames what is waited for, and GDB is asked once for each place in
the code. Native code unwinds, too; where the files' tables do not tell a stack, it is given
GDB's frames, and all is told of them as it is of its own.
"""

from __future__ import annotations

from itertools import count, dropwhile, filterfalse, islice, takewhile
from typing import Callable, Iterator, Mapping, NamedTuple, Optional, Sequence, TypeVar

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
from .begun import Begun
from .waiting import KEPT_CALLERS, MAX_FRAMES, given_frames, outer_frame, Waits

T = TypeVar("T")
Asking = Callable[[_native.Unwinder, Sequence[Optional[_native.ThreadStack]]], Sequence[T]]


class Named(NamedTuple):
    """The NUMBER of a frame of the user's, which a listing names, and its LOCATION, if it is known.
    HEADER is the function of a header of the system's that it has called, IS_ANY_THREADS tells
    that every thread with that frame is there, IS_OWN that it is the user's own with source."""

    number: int
    location: Optional[Location] = None
    header: Optional[str] = None
    is_any_threads: bool = True
    is_own: bool = False


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
        self._chains: dict[int, tuple[Location, ...]] = {}
        self._places: dict[
            tuple[int, ThreadWait, Optional[Location], Optional[str]], ThreadPlace
        ] = {}
        # The last one that is the same for every thread of which native code tells the same, and
        # what that is.
        self._shared: tuple[Optional[ThreadRead], ThreadPlace] = (None, ThreadPlace(Wait()))
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
                else:
                    found[number] = self._place(number, read, selection)
        return found

    def _place(
        self, gdb_num: int, read: Optional[ThreadRead], selection: KeptSelection
    ) -> ThreadPlace:
        """Return what a thread's stack shows: by what was READ of its frames up to the user's, else
        by those around them, else by GDB's."""

        def given(gdb_num: int) -> list[GivenFrame]:
            selection.will_change()
            return self._given_around_user(gdb_num)

        place = None if read is None else self._of(gdb_num, read, selection, False)
        if place is not None:
            return place
        stacks = _native.WholeStacks(self.waits.reader, self._unwinder, self._plain, given)
        for by_gdb in (False, True):
            around = stacks.read(gdb_num, by_gdb)
            place = self._of(gdb_num, around, selection, by_gdb) if around is not None else None
            if place is not None:
                if read is not None:
                    self._pass_over(read.addresses, place)
                return place
        return ThreadPlace(Wait(entry_point=UNNAMED if gdb_num in self.unreadable else None))

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

    def library_call(self, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user's code called of the library that the frame at PC of a thread is in,
        one without source. Keeps the selection."""
        if self._unwinder is not None:
            self._look_at([gdb_num])
        with kept_selection():
            return self.whole.library_call(gdb_num, pc)

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

    def _given_around_user(self, gdb_num: int) -> list[GivenFrame]:
        """Return those of them in which its place is looked for, the outer ones without registers.
        Leaves the thread selected."""
        frames = self.frames(gdb_num)
        own = (frame for frame in frames if _is_physical(frame))
        inner: list[gdb.Frame] = []
        for frame in own:
            inner.append(frame)
            if self._code.is_user(frame.pc()):
                break
        inner += islice(own, KEPT_CALLERS)
        outer = [outer_frame(frame) for frame in islice(own, MAX_FRAMES)]
        return [*given_frames(inner, self.waits.reader), *outer]

    def _region_calls(self, gdb_num: int) -> Optional[RegionCalls]:
        """Return the calls that began regions on a thread's stack; None where GDB's frames are
        to tell them."""
        return self._natively([gdb_num], self.waits.reader.region_calls).get(gdb_num)

    def _of(
        self, gdb_num: int, read: ThreadRead, selection: KeptSelection, is_last: bool
    ) -> Optional[ThreadPlace]:
        """Return what a thread's stack shows by what was READ of it; None where more of its frames
        are to tell it, unless IS_LAST."""
        pcs, found = read.addresses, read.wait

        def frame() -> Optional[gdb.Frame]:
            return self._frame_at(gdb_num, pcs[place.number], selection)

        place = Named(len(pcs) - 1)
        users = [n for n, pc in enumerate(pcs) if self._code.is_user(pc)]
        if users and not found.frameless:
            named = self._named(gdb_num, read, users, selection)
            if not (named.is_own or is_last) and self._may_be_further_out(named, read, users):
                return None
            place = named
        # Where the symbols of its file do not name what is below the user's code.
        is_nameless = _is_unnamed(found) and (not users or (is_last and users[0] > 0))
        key = pcs[place.number], found, place.location, place.header
        shown = self._places.get(key)
        if shown is None:
            wait = self.waits.complete(found, pcs[place.number], frame)
            if place.location is not None:
                wait = wait._replace(location=place.location)
            if is_nameless:
                wait = wait._replace(outside=self._outermost_called(gdb_num, selection))
            wait = wait._replace(outside=_name_outside(wait, place.header))
            shown = ThreadPlace(wait, found.in_runtime, found.before_body, found.in_handler)
            self._places[key] = shown
        if place.is_any_threads and not is_nameless:
            self._shared = read, shown
        return shown

    def _named(
        self, gdb_num: int, read: ThreadRead, users: Sequence[int], selection: KeptSelection
    ) -> Named:
        """Return the place of that of the USERS' frames which a listing names: the innermost with
        source that no runtime's frame is around, or the innermost of all. The user's own is
        preferred to a header of the system's that waits for nothing of OpenMP's, and that the
        system may have called (pthread_once, qsort)."""
        pcs, found = read.addresses, read.wait
        if found.library and found.caller in pcs:  # a deep stack is cut off
            users = [n for n in users if n >= pcs.index(found.caller)]
        innermost: Optional[Location] = None
        header: Optional[Location] = None
        at, is_any_threads = users[0], True
        for number in users:
            if not all(map(self._is_no_runtimes, pcs[users[0] : number])):
                break
            chain = self._chain(gdb_num, pcs[number], number == 0, selection)
            is_any_threads = is_any_threads and self._location(pcs[number], number == 0) is not None
            for location in chain:
                if self._sources.starts_stack(location) or is_stub(location):
                    continue
                if number and self._is_no_code(location):
                    return Named(at, innermost or header, None, is_any_threads)
                if location.line is None:
                    if innermost is None:
                        at, innermost = number, location
                elif found.kind or not is_system_header(location.file):
                    named = location._replace(innermost=innermost)
                    return Named(number, named, header and header.function, is_any_threads, True)
                else:
                    header = location
        return Named(at, innermost or header, None, is_any_threads)

    def _chain(
        self, gdb_num: int, pc: int, innermost: bool, selection: KeptSelection
    ) -> Iterator[Location]:
        """Yield the places at PC, innermost first: those of inlined functions, then that of the
        function they are inlined into, which GDB's frames tell. Most often the first is wanted."""
        first = self._location(pc, innermost)
        if first is None:
            yield from self._by_frames(gdb_num, pc, selection)
            return
        yield first
        if pc not in self._chains:
            self._chains[pc] = tuple(self._by_frames(gdb_num, pc, selection))
        yield from self._chains[pc][1:]

    def _by_frames(self, gdb_num: int, pc: int, selection: KeptSelection) -> Iterator[Location]:
        selection.will_change()
        for frame in dropwhile(lambda frame: frame.pc() != pc, self.frames(gdb_num)):
            yield self._sources.location_of(frame)
            if frame.type() != gdb.INLINE_FRAME:
                return

    def _may_be_further_out(self, named: Named, read: ThreadRead, users: Sequence[int]) -> bool:
        """Tell whether frames around those of a READ stack may have a better place than what was
        NAMED there."""
        if named.location is None or (named.location.line is not None and not read.is_long):
            return True
        is_sourced = named.location.line is not None
        return not is_sourced and any(
            self.waits.reader.at(read.addresses[number]).has_lines for number in users
        )

    def _frame_at(self, gdb_num: int, pc: int, selection: KeptSelection) -> Optional[gdb.Frame]:
        selection.will_change()
        return next((frame for frame in self.frames(gdb_num) if frame.pc() == pc), None)

    def _outermost_called(self, gdb_num: int, selection: KeptSelection) -> Optional[str]:
        """Name the outermost frame below the user's code that no signal has interrupted."""
        selection.will_change()
        below = list(takewhile(lambda f: not self._code.is_user(f.pc()), self.frames(gdb_num)))
        callers = zip(below, [*below[1:], None])
        inner = (f for f, by in callers if by is None or by.type() == gdb.SIGTRAMP_FRAME)
        return next((frame.name() for frame in inner), None)

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


def _is_physical(frame: gdb.Frame) -> bool:
    """Tell whether a frame is on the stack: GDB makes up others, which have the same place."""
    return frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME)


def _name_outside(wait: Wait, header: Optional[str]) -> Optional[str]:
    """Return the name of what the user has called outside of OpenMP: where code of the system's
    headers called what is only for it, the function of this HEADER that the user's called."""
    name = wait.outside
    if header is None or not name or not (name == "syscall" or _is_internal(name)):
        return name
    return header


def _is_internal(name: str) -> bool:
    return name.rpartition("::")[2].startswith("_")
