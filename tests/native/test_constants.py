# SPDX-License-Identifier: Apache-2.0
"""The 145 constants of a layout, and the rules that judge them."""

from __future__ import annotations

from types import ModuleType


def test_no_name_is_there_twice(native: ModuleType) -> None:
    assert len(set(native.META_SYMBOLS)) == 145


def test_violations_are_lines_that_name_the_constant(native: ModuleType) -> None:
    said = native.check_constants({name: 3 for name in native.META_SYMBOLS})
    assert "ompd_sizeof__int is 3 instead of 4" in said
    assert all("ompd_" in line and "\n" not in line for line in said)


def test_an_empty_layout_lacks_everything(native: ModuleType) -> None:
    missing = [f"{name} is missing" for name in native.META_SYMBOLS]
    assert native.check_constants({}) == missing
