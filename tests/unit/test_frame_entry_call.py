# SPDX-License-Identifier: Apache-2.0
"""Which function a call calls, from its bytes."""

from __future__ import annotations

from typing import Any

import pytest
from gdb_ompd.code.entry_call import Calls

STUB, SLOT, FUNCTION = 0x2000, 0x3000, 0x7F00


class Space:
    """Bytes by address; what is not there cannot be read."""

    def __init__(self, **areas: bytes) -> None:
        self._bytes: dict[int, int] = {
            SLOT + i: b for i, b in enumerate(FUNCTION.to_bytes(8, "little"))
        }
        for at, content in areas.items():
            self._bytes.update({int(at[1:], 16) + i: b for i, b in enumerate(content)})

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._bytes.get(address + i, 0x90) for i in range(size))

    def read_pointer(self, address: int) -> int:
        if address not in self._bytes:
            raise RuntimeError("not mapped")
        return int.from_bytes(self.read(address, 8), "little")


def calls(machine: str = "x86-64", **areas: bytes) -> Calls:
    space: Any = Space(**areas)
    return Calls(space, machine)


def rel(distance: int) -> bytes:
    return distance.to_bytes(4, "little", signed=True)


JUMP = b"\xff\x25" + rel(SLOT - STUB - 6)


@pytest.mark.parametrize(
    "stub",
    [
        JUMP,
        b"\xf3\x0f\x1e\xfa\xff\x25" + rel(SLOT - STUB - 10),
        b"\xf3\x0f\x1e\xfa\xf2\xff\x25" + rel(SLOT - STUB - 11),
    ],
    ids=("plain", "endbr64", "bnd"),
)
def test_a_call_through_the_linkage_table(stub: bytes) -> None:
    reader = calls(x1000=b"\xe8" + rel(STUB - 0x1005), x2000=stub)
    assert list(reader.targets(0x1005)) == [FUNCTION]


def test_a_call_through_the_offset_table() -> None:
    reader = calls(x1000=b"\xff\x15" + rel(SLOT - 0x1006))
    assert list(reader.targets(0x1006)) == [FUNCTION]


def test_a_direct_call() -> None:
    assert list(calls(x1000=b"\xe8" + rel(0x500)).targets(0x1005)) == [0x1505]


def test_a_call_through_a_register_names_no_function() -> None:
    assert list(calls(x1000=b"\xff\xd0").targets(0x1002)) == []


@pytest.mark.parametrize(
    "code, registers, function",
    [
        (b"\xff\xd3", {"rbx": 0x4444}, 0x4444),
        (b"\x41\xff\xd4", {"r12": 0x4444}, 0x4444),
        (b"\xff\x53\x08", {"rbx": SLOT - 8}, FUNCTION),
        (b"\x41\xff\x16", {"r14": SLOT}, FUNCTION),
        (b"\xff\xd0", {"rbx": 0x4444}, None),
        (b"\xff\xd3", {}, None),
    ],
)
def test_an_indirect_call(code: bytes, registers: dict[str, int], function: object) -> None:
    reader = calls(x1000=code)
    assert reader.indirect(0x1000 + len(code), registers.get) == function


def test_a_branch_with_link_of_aarch64() -> None:
    branch = (0x94000000 | (STUB - 0x1000) >> 2).to_bytes(4, "little")
    # adrp x16, +1 page; ldr x17, [x16, #0]
    stub = (0xB0000010).to_bytes(4, "little") + (0xF9400211).to_bytes(4, "little")
    reader = calls("aarch64", x1000=branch, x2000=stub)
    assert list(reader.targets(0x1004)) == [FUNCTION]
