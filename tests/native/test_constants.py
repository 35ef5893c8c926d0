# SPDX-License-Identifier: Apache-2.0
"""Python and C++ mean the same 145 names, and one set of rules judges them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
NAMES = ROOT / "python" / "gdb_ompd" / "providers" / "ompd" / "names.py"


def names_module() -> ModuleType:
    """Return providers/ompd/names.py without the package, which needs GDB."""
    spec = importlib.util.spec_from_file_location("names", NAMES)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_sides_have_the_same_names_in_the_same_order(native: ModuleType) -> None:
    assert native.META_SYMBOLS == names_module().meta_symbols()
    assert len(set(native.META_SYMBOLS)) == 145


def test_violations_are_lines_that_name_the_constant(native: ModuleType) -> None:
    said = native.check_constants({name: 3 for name in native.META_SYMBOLS})
    assert "ompd_sizeof__int is 3 instead of 4" in said
    assert all("ompd_" in line and "\n" not in line for line in said)


def test_an_empty_layout_lacks_everything(native: ModuleType) -> None:
    missing = [f"{name} is missing" for name in native.META_SYMBOLS]
    assert native.check_constants({}) == missing
