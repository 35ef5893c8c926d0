# SPDX-License-Identifier: Apache-2.0
"""A layout that cannot be one is refused before anything is read by it."""

from __future__ import annotations

from typing import Optional

import pytest
from runtime_memory import layout

from gdb_ompd.errors import Inconsistent
from gdb_ompd.providers.ompd import names, thread_records
from gdb_ompd.providers.ompd.layout import Layout, read_layout

FIRST = 0x1000


class Published:
    """Just enough of an AddressSpace: the words of a layout, one behind the other."""

    def __init__(self, values: dict[str, int]) -> None:
        self._values = values

    def symbol_address(self, name: str) -> Optional[int]:
        return FIRST + 8 * names.meta_symbols().index(name)

    def read_uint(self, address: int, size: int) -> int:
        return self._values[names.meta_symbols()[(address - FIRST) // 8]]


def read(**changed: int) -> Layout:
    published = Published({**layout().values, **changed})
    return read_layout(published)  # type: ignore[arg-type]


def test_what_is_published_is_read() -> None:
    assert read().values == layout().values
    thread_records.check(read())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ompd_sizeof__kmp_base_info_t__th_team", 3),
        ("ompd_sizeof__kmp_base_info_t__th_team", 16),
        ("ompd_access__kmp_base_info_t__th_team", 1 << 16),
        ("ompd_sizeof__kmp_info_t", 1 << 16),
        ("ompd_bitfield__kmp_tasking_flags_t__final", 3),
    ],
)
def test_what_no_field_can_be_is_refused(name: str, value: int) -> None:
    with pytest.raises(Inconsistent, match=f"{name} is {value}"):
        read(**{name: value})


@pytest.mark.parametrize(
    "name",
    [
        "ompd_access__kmp_base_info_t__th_team",
        "ompd_access__kmp_desc_base_t__ds_tid",
        "ompd_access__ompt_thread_info_t__state",
    ],
)
def test_fields_of_a_record_are_near_each_other(name: str) -> None:
    with pytest.raises(Inconsistent, match="bytes apart"):
        thread_records.check(read(**{name: 60_000}))
