# SPDX-License-Identifier: Apache-2.0
"""What is read or made of many threads at once."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
from types import ModuleType
from typing import Any

import pytest

from fake_target import FakeTarget

BIAS = 0x7F0000000000
SIZE = 0x1000000
STACK = 0x20000
USER = 0x401000

x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="unwinds x86-64 only")


def system_library() -> str:
    """Return the C library's file, which this Python has mapped."""
    name = ctypes.util.find_library("c") or "libc.so.6"
    ctypes.CDLL(name)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return next(line.split()[-1] for line in maps if os.path.basename(line.split()[-1]) == name)


class Stopped:
    """What a debugger gives of threads that stand still."""

    def __init__(self, *stacks: Any) -> None:
        self._stacks = dict(enumerate(stacks))

    def stopped(self, gdb_nums: list[int]) -> dict[int, Any]:
        """Return the stacks of those of threads that it knows."""
        return {number: self._stacks[number] for number in gdb_nums if number in self._stacks}


class Thread:
    """A thread that has just called the C library's ``syscall`` from the user's code."""

    def __init__(self, native: ModuleType) -> None:
        elf = native.Elf(system_library())
        self.target = FakeTarget()
        self.target.regions[STACK] = bytearray(4096)
        self.target.write_memory(STACK, USER.to_bytes(8, "little"))
        self.space = native.AddressSpace(self.target)
        module = native.Module(elf, bias=BIAS, name="libc.so.6")
        self.unwinder = native.Unwinder(self.space, [module], [(BIAS, BIAS + SIZE)])
        code = native.CodeMap([module], None, [])
        self.reader = native.WaitReader(self.space, [module], code, [])
        self.pc = BIAS + elf.symbol("syscall").value
        self.native = native
        self.registers = (*[0] * 7, STACK, *[0] * 8, self.pc)  # by DWARF's numbers

    def addresses(self) -> Any:
        """Return what the tables lead to."""
        stopped = Stopped(self.native.ThreadStack.given(self.registers))
        whole = self.native.Stacks(self.reader, self.unwinder, stopped, None)
        return whole.addresses([0]).get(0)


@x86_64
def test_the_first_user_frame_ends_it(native: ModuleType) -> None:
    assert Thread(native).addresses() == [Thread(native).pc, USER]


@x86_64
def test_it_goes_on_beyond_a_frame_that_is_passed_over(native: ModuleType) -> None:
    thread = Thread(native)
    thread.unwinder.pass_over(USER)
    assert thread.addresses() is None  # no file has tables for what is there


@x86_64
def test_a_stack_that_cannot_be_read_is_not_guessed(native: ModuleType) -> None:
    thread = Thread(native)
    del thread.target.regions[STACK]
    assert thread.addresses() is None


@x86_64
def test_less_of_the_stack_than_is_read_at_once_is_enough(native: ModuleType) -> None:
    thread = Thread(native)
    del thread.target.regions[STACK][16:]
    assert thread.addresses() == [thread.pc, USER]


@x86_64
def test_an_interrupt_goes_through(native: ModuleType) -> None:
    thread = Thread(native)
    thread.target.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        thread.addresses()


def test_a_thread_without_registers_has_no_addresses(native: ModuleType) -> None:
    space = native.AddressSpace(FakeTarget())
    unwinder = native.Unwinder(space, [], [])
    reader = native.WaitReader(space, [], native.CodeMap([], None, []), [])
    values = (*[0] * 16, USER)
    (untraced,) = native.ThreadStack.traced([os.getpid()], None)
    stopped = Stopped(None, native.ThreadStack.given(values), untraced)
    whole = native.Stacks(reader, unwinder, stopped, None)
    assert whole.addresses([0, 1, 2, 3]) == {1: [USER]}
    assert whole.executed([0, 2, 3]) == {}
