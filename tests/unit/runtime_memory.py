# SPDX-License-Identifier: Apache-2.0
"""Memory that a test writes by hand, for what no real program would show."""

from __future__ import annotations

from typing import Literal


class Memory:
    """Just enough of an AddressSpace: eight-byte words that were written."""

    byte_order: Literal["little"] = "little"
    pointer_size = 8

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.reads = 0

    def read_uint(self, address: int, size: int) -> int:
        """Return the word at ADDRESS; gdb's memory error where none was written."""
        self.reads += 1
        if address not in self.words:
            raise RuntimeError(f"Cannot access memory at address {address:#x}")
        return self.words[address] & ((1 << (8 * size)) - 1)

    def read_pointer(self, address: int) -> int:
        """Return the word at ADDRESS."""
        return self.read_uint(address, 8)

    def read(self, address: int, size: int) -> bytes:
        """Return SIZE bytes, a multiple of a word: one read."""
        before = self.reads
        words = [self.read_pointer(address + i) for i in range(0, size, 8)]
        self.reads = before + 1
        return b"".join(word.to_bytes(8, "little") for word in words)
