# SPDX-License-Identifier: Apache-2.0
"""A Target over memory that a test makes up."""

from __future__ import annotations

from typing import Optional

DATA = 0x10000  # where the fake library reads


class FakeMemoryError(RuntimeError):
    """Stands for gdb.MemoryError, which exists only inside GDB."""


class FakeTarget:
    def __init__(self) -> None:
        self.regions: dict[int, bytearray] = {DATA: bytearray(64)}
        self.threads = {5: 0x9000}
        self.failure: Optional[BaseException] = None
        self.answer: Optional[object] = None
        self.printed: list[tuple[str, int]] = []

    def _region(self, address: int, size: int) -> tuple[bytearray, int]:
        if self.failure is not None:
            raise self.failure
        for start, data in self.regions.items():
            if start <= address and address + size <= start + len(data):
                return data, address - start
        raise FakeMemoryError(f"cannot access memory at address {address:#x}")

    def read_memory(self, address: int, size: int) -> object:
        data, offset = self._region(address, size)
        return self.answer if self.answer is not None else memoryview(data)[offset : offset + size]

    def write_memory(self, address: int, data: bytes) -> None:
        region, offset = self._region(address, len(data))
        region[offset : offset + len(data)] = data

    def thread_pointer(self, kind: int, thread_id: int) -> Optional[int]:
        return self.threads.get(thread_id)

    def print_string(self, text: str, category: int) -> None:
        self.printed.append((text, category))
