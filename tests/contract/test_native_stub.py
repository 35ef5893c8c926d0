# SPDX-License-Identifier: Apache-2.0
"""The native module's types are in one place, the bindings, and what crosses has names."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import gdb_ompd._native as native
import gdb_ompd.model

ROOT = Path(__file__).resolve().parents[2]
STUB = (ROOT / "python" / "gdb_ompd" / "_native.pyi").read_text("utf-8")


def the_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stub", ROOT / "scripts" / "native-stub.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_what_the_module_says() -> None:
    written = ast.dump(ast.parse(the_script().stub(native)))
    assert ast.dump(ast.parse(STUB)) == written, "run scripts/native-stub.py"


def test_everything_has_its_text() -> None:
    for name, member in vars(native).items():
        if callable(member):
            text = (member.__doc__ or "").partition("\n")[2 if not isinstance(member, type) else 0]
            assert text.strip(), f"{name} has no text"
