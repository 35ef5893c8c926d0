# SPDX-License-Identifier: Apache-2.0
"""The instructions and source lines of user functions, as GDB has them."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from operator import itemgetter
from typing import Optional, Sequence

import gdb

from .. import _native
from .arguments import Flow
from .instructions import Instruction, parse
from ..host.modules import MappedModule
from ..host.protocols import READ_ERRORS

# A function that is longer is not taken apart: at 20 us an instruction it would show.
MAX_FUNCTION = 32768


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """A function's instructions, in the order of their addresses."""

    start: int
    end: int
    instructions: Sequence[Instruction]
    flow: Flow
    calls: dict[int, int]  # the index of each call, by the address it returns to

    def call_before(self, return_address: int) -> Optional[int]:
        """Return the index of the call that returns there."""
        return self.calls.get(return_address)

    def call_leading_to(self, index: int) -> Optional[int]:
        """Return where the last call before the instruction at INDEX returns to; None
        where several jumps lead there, or there is none."""
        for _ in self.instructions:
            if index == 0:
                break
            before = index - 1
            if self.instructions[before].ends_flow:
                address = self.instructions[index].address
                sources: Sequence[int] = self.flow.sources.get(address, ())
                if len(sources) != 1:
                    break
                before = sources[0]
            call = self.instructions[before]
            if call.is_call:
                return call.address + call.length
            index = before
        return None


class CodeReader:
    """Reads code of the mapped files; what it reads holds while memory says the same."""

    def __init__(self, space: _native.AddressSpace, modules: Sequence[MappedModule]) -> None:
        self._space = space
        self._ranges = sorted(
            ((start, end, mapped) for mapped in modules for start, end in mapped.ranges),
            key=itemgetter(0),
        )
        self._starts = [start for start, _, _ in self._ranges]
        self._functions: dict[int, Optional[FunctionCode]] = {}
        self._bytes: dict[int, Optional[bytes]] = {}  # what each was made from
        self._are_same: set[int] = set()  # at this stop

    def end_stop(self) -> None:
        """Doubt what was read: memory may have been damaged, or mended."""
        self._are_same.clear()

    def function(self, pc: int) -> Optional[FunctionCode]:
        """Return the code of the function around PC, None where it is not known."""
        bounds = self._bounds(pc)
        if bounds is None or bounds[1] - bounds[0] > MAX_FUNCTION:
            return None
        start = bounds[0]
        if start not in self._are_same:
            data = self._read(*bounds)
            if start not in self._functions or data != self._bytes[start]:
                self._functions[start], self._bytes[start] = _disassembled(*bounds), data
            self._are_same.add(start)
        return self._functions[start]

    def _read(self, start: int, end: int) -> Optional[bytes]:
        try:
            return self._space.read(start, end - start)
        except READ_ERRORS:
            return None  # not all of it is in memory

    def _bounds(self, pc: int) -> Optional[tuple[int, int]]:
        if pc < 0:
            return None  # before the 0 at which GDB loses a stack without unwind information
        position = bisect.bisect_right(self._starts, pc) - 1
        if position >= 0 and pc < self._ranges[position][1]:
            mapped = self._ranges[position][2]
            symbol = mapped.module.elf.function_at(pc - mapped.bias) if mapped.module else None
            if symbol is not None and symbol.size:
                start = mapped.bias + symbol.value
                return start, start + symbol.size
        # A frame of an overwritten stack may return to 0, and its call be before that.
        block = gdb.block_for_pc(pc) if pc >= 0 else None
        while block is not None and block.function is None:
            block = block.superblock
        return None if block is None else (block.start, block.end)


def _disassembled(start: int, end: int) -> Optional[FunctionCode]:
    try:
        with gdb.with_parameter("disassembly-flavor", "att"):
            found = gdb.selected_inferior().architecture().disassemble(start, end - 1)
    except (gdb.error, UnicodeDecodeError):
        return None  # not all of it is in memory, or it calls what has no name in UTF-8
    code = tuple(parse(int(i["addr"]), int(i["length"]), str(i["asm"])) for i in found)
    calls = {i.address + i.length: index for index, i in enumerate(code) if i.is_call}
    return FunctionCode(start, end, code, Flow(code), calls)


def line_at(pc: int) -> Optional[tuple[str, int]]:
    """Return the source file, with its folder, and line of an instruction."""
    sal = gdb.current_progspace().find_pc_line(pc)
    if sal.symtab is None or sal.line == 0:
        return None
    return sal.symtab.fullname(), sal.line
