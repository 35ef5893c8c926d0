# SPDX-License-Identifier: Apache-2.0
"""A hand-made libomp in memory, for damage that no real one would show.

The layout is our own: the code under test must take every offset from it.
"""

from __future__ import annotations

from typing import Iterable, Literal, Optional, Sequence

from gdb_ompd.providers.ompd import names
from gdb_ompd.providers.ompd.layout import Layout

FIELD = 8
FIRST_ADDRESS = 0x10000
SIZE = 0x100
SERIALIZED_SIZE = 0x40


def layout() -> Layout:
    """Make a layout in which each field of a record has eight bytes of its own,
    and nested records are at offset 0 of their field."""
    values = {name: FIELD for name in names.meta_symbols()}
    for record, fields in names.FIELDS.items():
        for position, field in enumerate(fields):
            values[f"ompd_access__{record}__{field}"] = position * SERIALIZED_SIZE
    for position, flag in enumerate(names.FLAGS):
        values[f"ompd_bitfield__{names.FLAGS_TYPE}__{flag}"] = 1 << position
    for record in ("kmp_taskdata_t", "kmp_info_t"):
        values[f"ompd_sizeof__{record}"] = SIZE * 8
    for inner in ("kmp_info_t__th", "kmp_team_p__t", "kmp_desc_t__ds"):
        values[f"ompd_access__{inner}"] = 0
    return Layout(values)


class Memory:
    """Just enough of an AddressSpace: eight-byte words that were written."""

    byte_order: Literal["little"] = "little"
    pointer_size = 8

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.reads = 0
        self._next = FIRST_ADDRESS
        self.layout = layout()

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

    def record(self, kind: str, **fields: int) -> int:
        """Make a record of KIND with zeroes but for FIELDS; return its address."""
        address = self._next
        self._next += SIZE * 16
        for offset in range(0, SIZE * 16, 8):
            self.words[address + offset] = 0
        for name, value in fields.items():
            self.put(address, kind, name, value)
        return address

    def put(self, address: int, kind: str, name: str, value: int) -> None:
        """Set a field."""
        self.words[address + self.layout.access(kind, name)] = value

    def array(self, values: Sequence[int]) -> int:
        """Make an array of words; return its address."""
        address = self._next
        self._next += SIZE * 16
        for position, value in enumerate(values):
            self.words[address + 8 * position] = value
        return address

    def team(self, members: Iterable[int], level: int, parent: int = 0, master_tid: int = 0) -> int:
        """Make a team of these threads."""
        threads = list(members)
        return self.record(
            "kmp_base_team_t",
            t_nproc=len(threads),
            t_level=level,
            t_parent=parent,
            t_master_tid=master_tid,
            t_threads=self.array(threads),
        )

    def thread(self) -> int:
        """Make a thread that is in no team yet."""
        return self.record("kmp_base_info_t")

    def join(self, thread: int, team: int, thread_num: int, task: Optional[int] = None) -> None:
        """Make THREAD execute in TEAM."""
        self.put(thread, "kmp_base_info_t", "th_team", team)
        self.put(thread, "kmp_base_info_t", "th_current_task", task or 0)
        inner = self.layout.access("kmp_base_info_t", "th_info")
        self.words[thread + inner + self.layout.access("kmp_desc_base_t", "ds_tid")] = thread_num

    def task(self, team: int, parent: int = 0, flags: int = 0) -> int:
        """Make a task of TEAM."""
        return self.record("kmp_taskdata_t", td_team=team, td_parent=parent, td_flags=flags)
