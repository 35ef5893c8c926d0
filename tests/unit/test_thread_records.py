# SPDX-License-Identifier: Apache-2.0
"""Where each thread keeps its number: at one distance from its pointer."""

from __future__ import annotations

from typing import Optional

import pytest
from runtime_memory import layout

from gdb_ompd.providers.ompd.thread_records import RecordReader

ADDRESSES = 1 << 64


class Space:
    """Just enough of an AddressSpace: a variable BLOCK bytes before a thread's pointer."""

    def __init__(self, block: int) -> None:
        self._block = block

    def symbol_address(self, name: str, module: Optional[str], pointer: int) -> int:
        return (pointer - self._block) % ADDRESSES


@pytest.mark.parametrize("block", [64, 1 << 62])
def test_a_number_is_at_one_distance_even_round_the_end_of_memory(block: int) -> None:
    reader = RecordReader(None, Space(block), layout(), True)  # type: ignore[arg-type]
    assert reader._own_number([0x7F0000, None, 0x100]) == -block
    assert reader._own_number([0x10]) == -block
