# SPDX-License-Identifier: Apache-2.0
"""What is noted of reads, and when it no longer holds: the kernel is asked of this process."""

from __future__ import annotations

import ctypes
import os
import sys
from types import ModuleType
from typing import Any, Callable

import pytest

from fake_target import FakeMemoryError, FakeTarget

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")


class OwnMemory(FakeTarget):
    """A target whose memory is this process's own."""

    def read_memory(self, address: int, size: int) -> object:
        if address < 4096:
            raise FakeMemoryError(f"cannot access memory at address {address:#x}")
        return memoryview(ctypes.string_at(address, size))


class Noted:
    """Two numbers that a space is asked for."""

    def __init__(self, native: ModuleType) -> None:
        self.numbers = (ctypes.c_uint64 * 64)(1, 2)
        self.address = ctypes.addressof(self.numbers)
        self.space = native.AddressSpace(OwnMemory(), cache_line=16)
        self.notes = native.ReadNotes()

    def while_noting(self, ask: Callable[[], Any]) -> None:
        """Ask something of the space, and note what it reads."""
        self.space.note_reads(self.notes)
        try:
            ask()
        finally:
            self.space.note_reads(None)

    def hold(self) -> bool:
        """Tell whether the notes say what memory says now."""
        return bool(self.notes.still_hold(os.getpid()))


@pytest.fixture
def noted(native: ModuleType) -> Noted:
    return Noted(native)


def test_notes_hold_until_what_was_read_changes(noted: Noted) -> None:
    noted.while_noting(lambda: noted.space.read_uint(noted.address + 8, 8))
    assert noted.hold()
    noted.numbers[0] = 9  # of the same line of the cache, but nobody asked for it
    assert noted.hold()
    noted.numbers[1] = 9
    assert not noted.hold()
    noted.numbers[1] = 2
    assert noted.hold()


def test_every_kind_of_read_is_noted(noted: Noted) -> None:
    noted.numbers[2] = int.from_bytes(b"words\0\0\0", sys.byteorder)

    def ask() -> None:
        noted.space.read(noted.address, 8)
        noted.space.read_pointer(noted.address + 8)
        noted.space.read_string(noted.address + 16)

    noted.while_noting(ask)
    before = list(noted.numbers)
    for index in range(3):
        noted.numbers[index] ^= 1
        assert not noted.hold()
        noted.numbers[index] = before[index]
        assert noted.hold()


def test_what_comes_from_the_cache_is_noted_too(noted: Noted) -> None:
    noted.space.read_uint(noted.address, 8)
    noted.while_noting(lambda: noted.space.read_uint(noted.address, 8))
    noted.numbers[0] = 9
    assert not noted.hold()


def test_what_is_read_afterwards_is_not_noted(noted: Noted) -> None:
    noted.while_noting(lambda: noted.space.read_uint(noted.address, 8))
    noted.space.read_uint(noted.address + 8, 8)
    noted.numbers[1] = 9
    assert noted.hold()


def test_notes_of_a_failed_read_never_hold(noted: Noted) -> None:
    def ask() -> None:
        with pytest.raises(FakeMemoryError):
            noted.space.read_uint(8, 8)

    noted.while_noting(lambda: noted.space.read_uint(noted.address, 8))
    assert noted.hold()
    noted.while_noting(ask)
    assert not noted.hold()


def test_notes_of_more_than_is_worth_comparing_never_hold(noted: Noted) -> None:
    size = 1 << 20
    block = ctypes.create_string_buffer(size)

    def ask() -> None:
        noted.space.read(ctypes.addressof(block), size)

    for _ in range(16):
        noted.while_noting(ask)
    assert noted.hold()
    noted.while_noting(ask)
    assert not noted.hold()


def test_no_process_no_word(noted: Noted) -> None:
    noted.while_noting(lambda: noted.space.read_uint(noted.address, 8))
    assert not noted.notes.still_hold(2**22 + 1)  # above the highest number there can be
