# SPDX-License-Identifier: Apache-2.0
"""Where a module's thread-local storage is, as glibc has it in memory."""

from __future__ import annotations

from typing import Optional

import pytest
from runtime_memory import Memory

from gdb_ompd.host.modules import _TlsDescriptors

ENTRY = 0x1000


@pytest.mark.parametrize(
    ("offset", "found"),
    [
        (0x40, 0x40),
        (0, None),  # not static
        ((1 << 64) - 1, None),  # never to be
        ((1 << 63) + 0x40, None),  # damaged
    ],
)
def test_only_a_distance_is_an_offset(offset: int, found: Optional[int]) -> None:
    memory = Memory()
    memory.words = {ENTRY + 8: 2, ENTRY + 16: offset}
    descriptors = _TlsDescriptors(modid=(8, 8), offset=(16, 8))
    assert descriptors.of(memory, ENTRY) == (2, found)  # type: ignore[arg-type]
