# SPDX-License-Identifier: Apache-2.0
"""The rooms of ARCHITECTURE.md: who imports whom, and what does without GDB."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from layering import (
    NO_ROOMS,
    ROOMS,
    WITHOUT_GDB,
    circles,
    imports,
    layer,
    native_room_violations,
    native_violations,
    violations,
)

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "gdb_ompd"
NATIVE = ROOT / "native" / "src"

PLANTED = {
    "model/__init__.py": [
        "from ..errors import OmpdToolError",
        "from .. import render",
        "import gdb",
    ],
    "errors.py": ["import gdb.types"],
    "render/table.py": [
        "import gdb",
        "def f():\n    import gdb",
        "from ..host.charset import decoded",
        "from gdb_ompd.host.sessions.session import Session",
        "import gdb_ompd._native",
    ],
    "render/__init__.py": [
        "from ..host.sessions import session",
        "from ..host.runtimes.notes import View",
    ],
    "explain/stuck.py": ["from ..host.sessions import session", "import gdb"],
    "saved/codec.py": [
        "import gdb",
        "import importlib\nimportlib.import_module('gdb')",
        "from ..inquiry import ask",
        "from ..commands.base import OmpdCommand",
    ],
    "host/sessions/stacks.py": ["from ...commands import base"],
    "newcomer.py": ["import gdb"],
    "commands/newcomer.py": [
        "from ..render.table import lines",
        "from ..render import table",
        "import gdb_ompd.render.table",
    ],
}


def test_the_package_keeps_its_layers() -> None:
    assert violations(PACKAGE) == []


def test_no_modules_import_each_other() -> None:
    assert circles(PACKAGE) == []


def test_each_room_is_there_and_has_its_place() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py"}
    there |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert there == set(ROOMS) - NO_ROOMS


def test_a_planted_circle_is_found(tmp_path: Path) -> None:
    package = tmp_path / "gdb_ompd"
    (package / "host").mkdir(parents=True)
    (package / "host" / "one.py").write_text("def f():\n    from . import two\n", "utf-8")
    (package / "host" / "two.py").write_text("from .three import g\n", "utf-8")
    (package / "host" / "three.py").write_text("from ..host.one import f\n", "utf-8")
    circle = {f"gdb_ompd.host.{name}" for name in ("one", "two", "three")}
    assert circles(package) == [circle] * 3


@pytest.mark.parametrize(
    ("file", "line"), [(file, line) for file, lines in PLANTED.items() for line in lines]
)
def test_a_planted_violation_is_found(tmp_path: Path, file: str, line: str) -> None:
    copy = tmp_path / "gdb_ompd"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    planted = copy / file
    planted.parent.mkdir(parents=True, exist_ok=True)
    before = planted.read_text(encoding="utf-8") if planted.exists() else ""
    planted.write_text(f"{before}\n{line}\n", encoding="utf-8")
    found = violations(copy)
    assert found and all(entry.startswith(f"{file}: ") for entry in found)


def test_rooms_that_do_without_gdb_are_loaded_without_it() -> None:
    modules = sorted(
        ".".join(("gdb_ompd", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in PACKAGE.rglob("*.py")
        if layer(f"gdb_ompd.{path.relative_to(PACKAGE).parts[0]}".removesuffix(".py"))
        in WITHOUT_GDB
    )
    assert len(modules) > len(WITHOUT_GDB)
    load = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)\n"
    subprocess.run(
        [sys.executable, "-c", load, *modules],
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )


def test_imports_are_made_absolute() -> None:
    source = "from ..model import Thread\nfrom . import folding\nimport os.path\n"
    expected = {"gdb_ompd.model.Thread", "gdb_ompd.render.folding", "os.path"}
    assert imports(source, "gdb_ompd.render.threads") == expected
    assert imports("from . import table", "gdb_ompd.render", is_package=True) == {
        "gdb_ompd.render.table"
    }
    assert layer("gdb_ompd") == "__init__"


def test_native_rooms_include_only_lower_ones() -> None:
    assert native_room_violations(NATIVE) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [("base/target.hpp", "ompd/call.hpp"), ("code/image.hpp", "recovery/recover.hpp")],
)
def test_a_planted_include_is_found(tmp_path: Path, file: str, line: str) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(f'#include "{line}"\n', encoding="utf-8")
    assert native_room_violations(tmp_path) == [f"{file} includes {line}"]


def test_native_core_knows_no_python() -> None:
    sources = sorted(path for path in NATIVE.rglob("*") if path.suffix in (".cpp", ".hpp", ".h"))
    assert sources, "native/src holds no source"
    found = {
        str(path.relative_to(NATIVE)): native_violations(path.read_text(encoding="utf-8"))
        for path in sources
    }
    assert {name: headers for name, headers in found.items() if headers} == {}


@pytest.mark.parametrize(
    "line",
    [
        "#include <Python.h>",
        "# include <pybind11/pybind11.h>",
        '  #include "pybind11/embed.h"',
        "#include <python3.11/Python.h>",
    ],
)
def test_a_planted_python_header_is_found(line: str) -> None:
    assert native_violations(f"#include <vector>\n{line}\nint x;\n") != []
    assert native_violations("#include <vector>\n// not Python.h\n") == []


def test_a_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
