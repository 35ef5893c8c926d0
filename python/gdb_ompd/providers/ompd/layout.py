# SPDX-License-Identifier: Apache-2.0
"""The layout of LLVM's runtime, as it publishes it in the program's memory.

Read and checked by native/src/runtimes/llvm/layout.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Sequence

from ... import _native
from . import names
from .fields import Fields

# Fields that are structures or unions in their own right.
AGGREGATE_FIELDS = frozenset(
    {
        "th_info",
        "ompt_thread_info",
        "ompt_team_info",
        "ompt_task_info",
        "ds",
        "th",
        "r",
        "t",
        "sched",
        "td_icvs",
        "frame",
        "task_data",
        "parallel_data",
        "thread_data",
        "exit_frame",
        "enter_frame",
    }
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Offsets, sizes and masks by name: what the 145 layout symbols hold."""

    values: dict[str, int]
    _fields: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict, repr=False)
    _together: dict[tuple[str, ...], Fields] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for record, fields in names.FIELDS.items():
            for name in fields:
                place = self.access(record, name), self.field_size(record, name)
                self._fields[record, name] = place

    def place(self, record: str, name: str) -> tuple[int, int]:
        """Return a field's offset and size, as ``access`` and ``field_size`` do."""
        return self._fields[record, name]

    def together(self, record: str, names: Sequence[str], byte_order: str) -> Fields:
        """Return what takes these fields of a record apart at once."""
        key = (byte_order, record, *names)
        if key not in self._together:
            places = [self.place(record, name) for name in names]
            self._together[key] = Fields(places, byte_order)
        return self._together[key]

    def access(self, record: str, name: str) -> int:
        """Return the field's offset in its record, in bytes."""
        return self.values[f"ompd_access__{record}__{name}"]

    def field_size(self, record: str, name: str) -> int:
        """Return the field's size in bytes."""
        return self.values[f"ompd_sizeof__{record}__{name}"]

    def sizeof(self, name: str) -> int:
        """Return the size in bytes of a type or variable."""
        return self.values[f"ompd_sizeof__{name}"]

    def flag(self, name: str) -> int:
        """Return the mask of a task flag."""
        return self.values[f"ompd_bitfield__{names.FLAGS_TYPE}__{name}"]

    def key(self) -> tuple[int, ...]:
        """Return what tells two layouts apart."""
        return tuple(self.values.values())


def read_layout(space: _native.AddressSpace) -> Layout:
    """Read and check the layout; Inconsistent if it cannot be one.

    The caller has seen that the runtime's ``ompd_init`` has run: before that
    every value is 0.
    """
    return Layout(_native.llvm_layout(space))
