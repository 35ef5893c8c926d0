# SPDX-License-Identifier: Apache-2.0
"""What is read of many threads at once: return addresses, and records of the runtime."""

from __future__ import annotations

import ctypes
import ctypes.util
import mmap
import os
import platform
import sys
from dataclasses import dataclass
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
        self.pc = BIAS + elf.symbol("syscall").value
        self.registers = (0, 0, STACK, 0, 0, 0, 0, self.pc)

    def addresses(self) -> Any:
        """Return what the tables lead to."""
        return self.unwinder.addresses_from([self.registers])


@x86_64
def test_the_first_user_frame_ends_it(native: ModuleType) -> None:
    assert Thread(native).addresses() == [(Thread(native).pc, USER)]


@x86_64
def test_it_goes_on_beyond_a_frame_that_is_passed_over(native: ModuleType) -> None:
    thread = Thread(native)
    thread.unwinder.pass_over(USER)
    assert thread.addresses() == [None]  # no file has tables for what is there


@x86_64
def test_a_stack_that_cannot_be_read_is_not_guessed(native: ModuleType) -> None:
    thread = Thread(native)
    del thread.target.regions[STACK]
    assert thread.addresses() == [None]


@x86_64
def test_less_of_the_stack_than_is_read_at_once_is_enough(native: ModuleType) -> None:
    thread = Thread(native)
    del thread.target.regions[STACK][16:]
    assert thread.addresses() == [(thread.pc, USER)]


@x86_64
def test_an_interrupt_goes_through(native: ModuleType) -> None:
    thread = Thread(native)
    thread.target.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        thread.addresses()


def test_a_thread_without_registers_has_no_addresses(native: ModuleType) -> None:
    unwinder = native.Unwinder(native.AddressSpace(FakeTarget()), [], [])
    assert unwinder.addresses_from([None, (0, 0, 0, 0, 0, 0, 0, USER)]) == [None, (USER,)]
    assert unwinder.addresses([os.getpid()]) == [None]  # which nobody traces


def test_a_thread_unknown_to_the_runtime_is_none_and_one_without_pointer_is_asked(
    native: ModuleType,
) -> None:
    layout = native.RecordLayout(0x1000, 0, [(0, 8)] * 6, [(0, 4), (8, 8)])
    space = native.AddressSpace(FakeTarget(), byte_order=sys.byteorder)
    assert native.thread_records(space, layout, [0x9000, None]) == [None, ()]


class Words:
    """Eight-byte words in this very process, which the kernel gives like another's."""

    def __init__(self, count: int) -> None:
        self._words = (ctypes.c_uint64 * count)()
        self.address = ctypes.addressof(self._words)

    def at(self, position: int) -> int:
        """Return the value at a POSITION."""
        return int(self._words[position])

    def put(self, position: int, *values: int) -> int:
        """Write VALUES from a POSITION on; return the address of the first."""
        for offset, value in enumerate(values):
            self._words[position + offset] = value
        return self.address + 8 * position


def test_many_places_of_a_process_are_read_at_once(native: ModuleType) -> None:
    words = Words(1024)
    near, far = words.put(0, 1, 2, 3), words.put(1000, 4)
    data = native.Places([(far, 8), (near + 8, 16), (near, 8)]).read(os.getpid())
    assert [int.from_bytes(data[i : i + 8], sys.byteorder) for i in range(0, 32, 8)] == [4, 2, 3, 1]


def test_a_place_that_is_nowhere_is_not_read(native: ModuleType) -> None:
    address = Words(1).put(0, 7)
    assert native.Places([(address, 8), (16, 8)]).read(os.getpid()) is None
    assert native.Places([((1 << 64) - 4, 8)]).read(os.getpid()) is None
    assert native.Places([(address, 8)]).read(1 << 22) is None  # no process has that number


def records_of_this_process(
    native: ModuleType, words: Words, pointers: list[Any], notes: Any = None
) -> Any:
    """Ask for threads whose number is 8 bytes after their pointer; the first fields of a
    record are its own address's place, 1 to 5 words on, those of a task its first two.
    NOTES take down what is read."""
    threads = words.put(0, words.address + 80, 0, words.address + 160, 24)
    fields = [(0, 8), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8)]
    layout = native.RecordLayout(threads, 0, fields, [(0, 4), (8, 8)])
    space = native.AddressSpace(FakeTarget(), byte_order=sys.byteorder)
    space.note_reads(notes)
    return native.thread_records_of_process(space, layout, pointers, os.getpid(), 8)


def test_records_are_read_from_the_kernel(native: ModuleType) -> None:
    words = Words(64)
    task = words.put(40, 5, 6)
    first, second = words.put(10, 11, 12, 13, task, 15, 16), words.put(20, 21, 22, 23, 0, 25, 26)
    own = words.put(30, 0, 0, 2, 1, (1 << 32) - 1, 3)
    pointers = [own, own + 8, own + 16, own + 24, None, own + 32, 64]
    assert records_of_this_process(native, words, pointers) == [
        (0, first, 11, 12, 13, task, 15, 16, 5, 6),
        (2, second, 21, 22, 23, 0, 25, 26, 0, 0),
        None,  # nothing is in the runtime's table for it
        None,  # its number is negative
        (),
        (),  # the table leads nowhere
        (),  # nothing is at its pointer
    ]


def test_all_that_records_are_read_from_is_noted(native: ModuleType) -> None:
    words, notes = Words(64), native.ReadNotes()
    task = words.put(40, 5, 6)
    words.put(10, 11, 12, 13, task, 15, 16)
    own = words.put(30, 0, 0)
    records_of_this_process(native, words, [own], notes)
    assert notes.still_hold(os.getpid())
    # The table, the record, the thread's own number, the task.
    for position in (0, *range(10, 16), 31, 40, 41):
        before = words.at(position)
        words.put(position, before ^ 1)
        assert not notes.still_hold(os.getpid()), position
        words.put(position, before)
    assert notes.still_hold(os.getpid())


def test_records_that_cannot_be_read_are_never_the_same(native: ModuleType) -> None:
    words, notes = Words(64), native.ReadNotes()
    records_of_this_process(native, words, [64], notes)
    assert not notes.still_hold(os.getpid())


def test_what_lies_beside_something_unreadable_is_read(native: ModuleType) -> None:
    size = mmap.PAGESIZE
    with mmap.mmap(-1, 2 * size) as pages:
        begin = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mprotect(ctypes.c_void_p(begin + size), size, 0) == 0
        pages[size - 4 : size] = (9).to_bytes(4, sys.byteorder)
        words = Words(64)
        words.put(10, *range(11, 14), 0, 15, 16)
        layout = native.RecordLayout(words.address, 0, [(8 * i, 8) for i in range(6)], [(0, 4)] * 2)
        space = native.AddressSpace(FakeTarget(), byte_order=sys.byteorder)
        words.put(9, words.address + 80)
        pointers = [begin + size - 4, begin + size]
        found = native.thread_records_of_process(space, layout, pointers, os.getpid(), 0)
        assert found == [(9, words.address + 80, 11, 12, 13, 0, 15, 16, 0, 0), ()]
        libc.mprotect(ctypes.c_void_p(begin + size), size, 3)


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: str = ""


def test_instances_are_what_the_constructor_makes(native: ModuleType) -> None:
    assert native.instances(Point, [(1, "a"), (2, "")]) == [Point(1, "a"), Point(2)]
    with pytest.raises(ValueError, match="each field"):
        native.instances(Point, [(1,)])
