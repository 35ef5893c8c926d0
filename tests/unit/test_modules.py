# SPDX-License-Identifier: Apache-2.0
"""The list of what is mapped, in memory that is damaged."""

from __future__ import annotations

import pytest
from runtime_memory import Memory

from gdb_ompd.errors import Inconsistent
from gdb_ompd.host.modules import _namespace

FIRST, SECOND = 0x1000, 0x2000


class Named(Memory):
    """Memory in which each entry's name is at address 0."""

    def read_string(self, address: int) -> bytes:
        return b"/lib/one.so"


def listed(after_the_second: int) -> list[int]:
    memory = Named()
    for entry, following in ((FIRST, SECOND), (SECOND, after_the_second)):
        memory.words |= {entry: 0x400000, entry + 8: 0, entry + 24: following}
    return [found.address for found in _namespace(memory, FIRST, 8)]  # type: ignore[arg-type]


def test_a_list_ends_with_0() -> None:
    assert listed(0) == [FIRST, SECOND]


@pytest.mark.parametrize("following", [FIRST, SECOND])
def test_a_list_that_goes_round_is_damaged(following: int) -> None:
    with pytest.raises(Inconsistent, match="no end"):
        listed(following)
