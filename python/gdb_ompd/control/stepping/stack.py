# SPDX-License-Identifier: Apache-2.0
"""The selected thread's frames as stepping sees them: the user's, and all others."""

from __future__ import annotations

import itertools
from typing import Iterator, Optional

import gdb

from ..._native import EntryPoint, FunctionName
from ...host.inlined import begin_of, block_of, functions_around, physical
from ...host.line_table import line_entries
from ...host.linker_symbols import symbol_at
from ...host.locations import local_blocks
from ...host.selection import frames_from
from ...host.runtimes.event_functions import BREAKPOINT_FUNCTIONS
from ...host.sessions.session import Session

_GOES_ELSEWHERE = ("longjmp", "context", "throw", "Unwind")  # GDB's own step follows these
PRIVATES_ARGUMENT = ".copy_fn."  # of a task's body of clang's


def has_line(frame: gdb.Frame) -> bool:
    """Tell whether a frame's place in the source is known."""
    sal = frame.find_sal()
    return sal.symtab is not None and sal.line != 0


def address_has_line(address: int) -> bool:
    """Tell whether the source of the code at ADDRESS is known."""
    sal = gdb.current_progspace().find_pc_line(address)
    return sal.symtab is not None and sal.line != 0


def begins_line(frame: gdb.Frame) -> bool:
    """Tell whether a frame that was called from is to go on at the begin of a line."""
    here = gdb.current_progspace().find_pc_line(frame.pc())
    call = gdb.current_progspace().find_pc_line(frame.pc() - 1)
    return bool(here.line and here.pc == frame.pc() and here.line != call.line)


def in_prologue(frame: gdb.Frame) -> bool:
    """Tell whether a frame is where its function is declared: at a call that a
    compiler made before the first statement."""
    function = frame.function()
    return function is not None and bool(frame.find_sal().line == function.line)


def _function_at(address: int) -> Optional[str]:
    """Return the name of the function that begins at ADDRESS."""
    block = block_of(address)
    return block.function.name if block is not None and begin_of(block) == address else None


def _lines_of(address: int) -> set[int]:
    """Return where lines' code begins in the function around ADDRESS."""
    block, symtab = block_of(address), gdb.current_progspace().find_pc_line(address).symtab
    if block is None or symtab is None:
        return set()
    return {entry.pc for entry in line_entries(symtab) if block.start <= entry.pc < block.end}


class SteppedStack:
    """The selected thread's frames, read anew by each question."""

    def __init__(self, session: Session) -> None:
        self._session = session
        session.files.unwinder()  # GDB's frames are those that it finds

    def frames(self) -> Iterator[gdb.Frame]:
        """Yield the frames that are returned to, innermost first; ends where unwinding
        does. GDB shows functions that ended with a jump into another one, too."""
        for frame in frames_from(gdb.newest_frame()):
            if frame.type() != gdb.TAILCALL_FRAME:
                yield frame

    def is_user(self, address: int) -> bool:
        """Tell whether ADDRESS is in the user's code."""
        return self._session.code_map().is_user(address)

    def in_runtime(self) -> bool:
        """Tell whether the runtime executes, or a system function that it called."""
        code = self._session.code_map()
        for frame in self.frames():
            whose = code.code_at(frame.pc())
            if whose != "system":
                return whose == "runtime"
        return False

    def in_call_of_system(self, home: Optional[gdb.Frame]) -> bool:
        """Tell whether a function of the system executes that user code called in the
        physical frame HOME or, where that has ended, around it."""
        code = self._session.code_map()
        if code.code_at(gdb.newest_frame().pc()) != "system":
            return False
        ended = not self.is_alive(home)
        return any((ended or f == home) and code.is_user(f.pc()) for f in self.frames())

    def user_frame(self, home: Optional[gdb.Frame] = None) -> Optional[gdb.Frame]:
        """Return the innermost frame of HOME's call, where that has ended the
        innermost frame of the user's, one that has source if any has; None if there is none."""
        users = [frame for frame in self.frames() if self.is_user(frame.pc())]
        sourced = [frame for frame in users if has_line(frame)]
        of_home = (frame for frame in users if home is not None and physical(frame) == home)
        return next(itertools.chain(of_home, sourced, users), None)

    def is_alive(self, home: Optional[gdb.Frame]) -> bool:
        """Tell whether the call of the physical frame HOME goes on."""
        return home is not None and any(frame == home for frame in self.frames())

    def in_region_call(self) -> bool:
        """Tell whether the innermost user frame, as above, has called the runtime to
        execute a region."""
        user = self.user_frame()
        callee: Optional[gdb.Frame] = None
        for frame in self.frames():
            if frame == user:
                return callee is not None and EntryPoint(callee.name()).begins_region
            callee = frame
        return False

    def at_event(self, event: str) -> bool:
        """Tell whether the runtime announces EVENT."""
        # In the names that LLVM 14 to 16 mangle, too.
        return BREAKPOINT_FUNCTIONS[event] in (gdb.newest_frame().name() or "")

    def body_caller(self) -> Optional[gdb.Frame]:
        """Return the runtime's frame that called the function which executes, if it is
        a construct's body; the functions that compilers put between count as it."""
        frame = physical(gdb.newest_frame())
        caller = frame.older()
        while caller is not None and FunctionName(caller.name() or "").is_wrapper_of(
            frame.name() or ""
        ):
            frame = physical(caller)
            caller = frame.older()
        if caller is None:
            return None
        is_runtime = self._session.code_map().code_at(caller.pc()) == "runtime"
        return physical(caller) if is_runtime else None

    def behind_repeated(self) -> Optional[int]:
        """Return the address behind the instruction that executes if that repeats itself, as in
        memset: GDB stops after each time, of which there may be a billion. None for another."""
        return self._session.fresh_wait_reader().at(gdb.newest_frame().pc()).behind_repeated

    def body_above(self, frame: gdb.Frame) -> Optional[gdb.Frame]:
        """Return the frame of the construct's body that has called the function of FRAME."""
        above = frame.older()
        if above is None or not FunctionName(above.name()).is_outlined:
            return None
        if FunctionName(above.name()).is_wrapper_of(frame.name()):
            return None
        return above if self.is_user(above.pc()) else None

    def in_clang_body(self) -> bool:
        """Tell whether a body of clang's executes, or the function that it makes only
        to call one: GDB may name the frame at the next step, or not."""
        return FunctionName(gdb.newest_frame().name()).is_clangs_body

    def in_inlined_body(self) -> bool:
        """Tell whether a body executes that is inlined into the function which is there only to
        call it. Some code of the body's has no line but that one's, and a "next" that comes
        through it takes all of the body for a call."""
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME and frame.older() is not None:
            if FunctionName(frame.older().name()).is_wrapper_of(frame.name()):
                return True
            frame = frame.older()
        return False

    def in_stub(self) -> bool:
        """Tell whether an entry of the user's linkage table executes."""
        frame = gdb.newest_frame()
        return self.is_user(frame.pc()) and (frame.name() or "").endswith("@plt")

    def called_bodies(self) -> list[int]:
        """Return where the bodies begin, behind their prologues, that the function which
        executes, about to call them, is there only to call: clang's have such a function
        around them. One may be inlined."""
        frame, code = gdb.newest_frame(), self._session.fresh_wait_reader()
        found = set()
        called = {each.target for each in code.at(frame.pc()).calls_made}
        for begin in called | _lines_of(frame.pc()):
            if FunctionName(frame.name()).is_wrapper_of(_function_at(begin)):
                prologue = code.at(begin).sets_up_frame
                found.add(min(_lines_of(begin) - {begin}, default=begin) if prologue else begin)
        return [] if frame.pc() in found else sorted(found)

    def calls_of_system(self) -> dict[int, int]:
        """Return the user's calls on the line that executes of functions of the system's: where
        each is, and where it returns to. GDB would step into one that has source."""
        frame = gdb.newest_frame()
        if not self.is_user(frame.pc()):
            return {}  # who steps in the system's code wants to see it
        here = frame.find_sal()
        found = {}
        for call in self._session.fresh_wait_reader().at(frame.pc()).calls_made:
            line = gdb.current_progspace().find_pc_line(call.address)
            if line.symtab is None or here.symtab is None or line.line != here.line:
                continue
            if line.symtab.filename != here.symtab.filename:
                continue
            if self._is_sourced_system(call.target):
                found[call.address] = call.returns_to
        return found

    def _is_sourced_system(self, target: int) -> bool:
        """Tell whether TARGET, or what a stub of the linkage table there leads to, is a function
        of the system's that has source and returns. Of one that nobody has called yet the stub
        has its name only."""
        found = symbol_at(target)
        if found is None or any(word in found.name for word in _GOES_ELSEWHERE):
            return False
        name, stub, _ = found.name.partition("@plt")
        code, functions = self._session.code_map(), [target]
        if stub:
            symbols = [
                (mapped.bias, mapped.module.elf.symbol(name))
                for mapped in self._session.files.modules()
                if mapped.module is not None and mapped.module.elf.exports(name)
            ]
            functions = [bias + symbol.value for bias, symbol in symbols if symbol is not None]
        sourced = [code.code_at(each) == "system" and address_has_line(each) for each in functions]
        return bool(sourced) and all(sourced)

    def helpers(self, frame: gdb.Frame) -> list[int]:
        """Return where the functions begin that clang makes in the file of FRAME for
        bodies to find their private variables."""
        symtab = frame.find_sal().symtab
        if symtab is None:
            return []
        return [
            int(symbol.value().address)
            for symbol in symtab.static_block()
            if symbol.is_function and FunctionName(symbol.name).is_private_map
        ]

    def finds_privates(self) -> bool:
        """Tell whether the task's body that executes calls a function to find its private
        variables, which the runtime gave it."""
        frame = gdb.newest_frame()
        for block in local_blocks(frame):
            for symbol in block:
                if symbol.name == PRIVATES_ARGUMENT:
                    value = frame.read_var(symbol, block)
                    return not value.is_optimized_out and int(value) != 0
        return False

    def region_bodies(self, frame: gdb.Frame) -> list[int]:
        """Return where the outlined bodies of regions in the file of FRAME begin; without source,
        that of the region which FRAME's call begins."""
        symtab = frame.find_sal().symtab
        if symtab is None:
            given = self._session.fresh_stacks().body_given(frame) or self._called_next(frame)
            return [] if given is None else [given]
        # By the lines' code: GDB lists no functions that GCC calls artificial.
        bodies = set()
        for entry in line_entries(symtab):
            for block in functions_around(gdb.block_for_pc(entry.pc)):
                if FunctionName(block.function.name).is_region_body:
                    bodies.add(begin_of(block))
        return sorted(bodies)

    def _called_next(self, frame: gdb.Frame) -> Optional[int]:
        """Return the outlined body that FRAME's code itself calls next, as it does that of a
        serialized region."""
        calls = self._session.fresh_wait_reader().at(frame.pc()).calls_made
        after = [each for each in calls if each.address >= frame.pc()]
        if not after:
            return None
        target = min(after, key=lambda each: each.address).target
        if not self.is_user(target):
            return None
        symbol = symbol_at(target)
        has_another_name = (
            symbol is not None and not symbol.offset and not FunctionName(symbol.name).is_outlined
        )
        return None if has_another_name else target
