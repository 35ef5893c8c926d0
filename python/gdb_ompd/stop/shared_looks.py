# SPDX-License-Identifier: Apache-2.0
"""What a stack shows, told once for all threads that are at the same place.

GDB unwinds a thread at the cost of a listing of it. A thread's program counters up to
the user's code are found by the unwind tables of the mapped files instead, at a
hundredth of that. Which place in the source they are, and what is waited for there,
GDB tells of the first thread that has them. Another thread gets the same answer only if

- the tables gave for the first thread the very addresses that GDB found, and
- the answer hung on those addresses alone: on no register, no memory of a thread.

At a later stop the answer still holds if besides the memory that it was read from, which is
that of code and of the linkage table, is as it was.

Where a thread began the regions that it is in is kept in the same way, by the program
counters of its whole stack.

Everything else, such as a signal's frame, a stack without tables, a lock whose address
is in a register, is GDB's to tell of each thread.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Optional, Sequence

import gdb

from .. import _native
from ..code.code_map import CodeMap
from ..model import Location
from ..host.modules import MappedModule
from .noted_memory import NotedMemory
from .places import Look, Stacks
from ..host.target import GdbTarget, kept_selection

Addresses = tuple[int, ...]

# What is kept: a program that is stepped for hours comes to ever new places.
MOST_LOOKS = 4096
MOST_STACKS = 256


class SharedLooks:
    """The looks of one inferior's threads; holds until files change."""

    def __init__(
        self,
        target: GdbTarget,
        memory: NotedMemory,
        space: _native.AddressSpace,
        modules: Sequence[MappedModule],
        code: CodeMap,
    ) -> None:
        self._target = target
        self._memory = memory
        self._space = space
        self._are_checked = True
        self._looks: dict[Addresses, Optional[Look]] = {}  # None: GDB is to be asked
        self._begun: dict[Addresses, Sequence[Location]] = {}
        self._unwinder: Optional[_native.Unwinder] = None
        if code.foreign is not None:
            known = [mapped.module for mapped in modules if mapped.module is not None]
            self._unwinder = _native.Unwinder(space, known, code.foreign)

    def end_stop(self) -> None:
        """Doubt what memory said."""
        self._are_checked = False

    def _check(self) -> None:
        """Forget what was told at an earlier stop, unless memory says the same now. Where
        each read is a round trip, nothing is known of a thread, or much is kept, it is not
        asked."""
        if self._are_checked:
            return
        self._are_checked = True
        many = len(self._looks) > MOST_LOOKS or len(self._begun) > MOST_STACKS
        if many or self._target.kernels_process() is None or not self._memory.is_unchanged():
            self._looks.clear()
            self._begun.clear()
            self._memory.forget()

    def read(self, gdb_nums: Sequence[int], stacks: Stacks) -> dict[int, Look]:
        """Return what these threads' stacks show. Keeps the selection."""
        self._check()
        chains = self._addresses(gdb_nums)
        found: dict[int, Look] = {}
        missing: list[int] = []
        for number in gdb_nums:
            pcs = chains.get(number)
            known = self._looks.get(pcs) if pcs is not None else None
            if known is not None:
                found[number] = known
            else:
                missing.append(number)
        if missing:
            with self._asking_gdb(stacks):
                for number in missing:
                    found[number] = self._look(number, chains.get(number), stacks)
        return found

    def begun_regions(self, gdb_num: int, stacks: Stacks) -> Sequence[Location]:
        """Return where a thread's user code began the regions that it is in now, outermost
        first. Keeps the selection."""
        self._check()
        pcs = self._whole_stack(gdb_num)
        known = self._begun.get(pcs) if pcs is not None else None
        if known is not None:
            return known
        with self._asking_gdb(stacks):
            begun = stacks.begun_regions(gdb_num)
            seen = stacks.seen
        if pcs is not None and seen.by_code_alone and seen.to_the_end and seen.pcs is not None:
            if seen.pcs == pcs[: len(seen.pcs)] and not _may_begin_inlined(pcs):
                self._begun[pcs] = begun
        return begun

    @contextmanager
    def _asking_gdb(self, stacks: Stacks) -> Iterator[None]:
        # What was read before for something else would be in no note.
        stacks.read_anew()
        self._space.drop_cache()
        with kept_selection(), self._memory.noting():
            yield

    def _whole_stack(self, gdb_num: int) -> Optional[Addresses]:
        """Return the program counters of a thread's stack, None where that costs as much
        as to ask GDB, or cannot be told."""
        process = self._target.kernels_process()
        if self._unwinder is None or process is None or self._target.machine() != "x86-64":
            return None
        lwp = self._target.lwps().get(gdb_num)
        return self._unwinder.addresses([lwp], process, whole=True)[0] if lwp else None

    def _addresses(self, gdb_nums: Sequence[int]) -> dict[int, Addresses]:
        if self._unwinder is None or self._target.machine() != "x86-64":
            return {}
        lwps = self._target.lwps()
        known = [number for number in gdb_nums if number in lwps]
        process = self._target.kernels_process()
        if process is not None:
            found = self._unwinder.addresses([lwps[number] for number in known], process)
        else:
            with kept_selection():
                found = self._unwinder.addresses_from(self._target.registers(known))
        return {number: pcs for number, pcs in zip(known, found) if pcs is not None}

    def _look(self, gdb_num: int, pcs: Optional[Addresses], stacks: Stacks) -> Look:
        known = self._looks.get(pcs) if pcs is not None else None
        if known is not None:
            return known
        look = stacks.look(gdb_num)
        if pcs is not None and pcs not in self._looks:
            seen = stacks.seen
            if seen.pcs is not None and seen.pcs[: len(pcs)] == pcs and len(seen.pcs) > len(pcs):
                # What is there has no source: further out a frame decides.
                if self._unwinder is not None:
                    self._unwinder.pass_over(pcs[-1])
            shared = seen.pcs == pcs and seen.by_code_alone and not _may_begin_inlined(pcs)
            self._looks[pcs] = look if shared else None
        return look


def _may_begin_inlined(pcs: Addresses) -> bool:
    """Tell whether a thread may be about to enter a function that is inlined: it is GDB's
    to say in which of the two it is, by how the thread came there."""
    block = gdb.block_for_pc(pcs[0])
    while block is not None:
        if block.start == pcs[0] and block.superblock is not None and block.function is not None:
            return not block.superblock.is_static
        block = block.superblock
    return False
