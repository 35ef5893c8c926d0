# SPDX-License-Identifier: Apache-2.0
"""The table of places holds for the runtimes that it was read from, and no others."""

from __future__ import annotations

import pytest

from gdb_ompd.providers.ompd import wait_fields
from gdb_ompd.providers.ompd.layout import Layout
from gdb_ompd.host.symbols import profiles


def layout_of(label: str) -> Layout:
    (constants,) = [p.constants for p in profiles.known() if p.label == label]
    return Layout(dict(constants))


def nothing(_: str) -> bool:
    return False


@pytest.mark.parametrize("label", ["LLVM 14", "LLVM 19"])
def test_a_known_layout_has_every_place(label: str) -> None:
    places = wait_fields.known(layout_of(label), nothing)
    wanted = {f"{record}.{f}" for record, fields in wait_fields.FIELDS.items() for f in fields}
    wanted |= set(wait_fields.FIELDS)
    wanted |= {f"{wait_fields.ENUMERATION}.{name}" for name in wait_fields.QUEUING}
    assert places is not None and set(places) == wanted


def test_other_layouts_have_none() -> None:
    assert wait_fields.known(layout_of("LLVM 16"), nothing) is None
    one_off = dict(layout_of("LLVM 19").values)
    one_off["ompd_sizeof__kmp_info_t"] += 64
    assert wait_fields.known(Layout(one_off), nothing) is None


def test_a_later_version_with_the_same_constants_has_none() -> None:
    later = {"omp_get_device_from_uid"}
    assert wait_fields.known(layout_of("LLVM 19"), later.__contains__) is None
