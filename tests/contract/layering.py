# SPDX-License-Identifier: Apache-2.0
"""Who may import whom, read from the sources without running them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "gdb_ompd"

# The rooms of native/src, lower ones first: each includes only those before it.
NATIVE_ROOMS = ("base", "elf", "ompd", "code", "unwind", "recovery", "model", "runtimes", "stop")

# What each layer may import of ours. A layer that is not named here is GDB's
# side and free in this respect.
ALLOWED: dict[str, frozenset[str]] = {
    "model": frozenset({"model"}),
    "errors": frozenset(),
    "explain": frozenset({"errors", "model", "explain"}),
    "render": frozenset({"errors", "model", "explain", "render"}),
    "saved": frozenset({"errors", "host", "model", "explain", "stacks", "saved"}),
    "tool": frozenset({"errors", "host", "render", "saved", "tool"}),
    "providers": frozenset({"_native", "errors", "host", "model", "providers", "stop"}),
}

GDB_SIDE = frozenset({"commands", "control", "functions", "host", "stacks", "stop", "values"})

# Only these may reach up to the commands; a command leaves columns to render.
ABOVE_COMMANDS = frozenset({"__init__", "commands"})
NOT_FOR_COMMANDS = f"{PACKAGE}.render.table"


def violations(package: Path) -> list[str]:
    """Return one line for each import below PACKAGE that breaks a rule."""
    found = []
    for path in sorted(package.rglob("*.py")):
        module = _module_of(package, path)
        for name in sorted(
            imports(path.read_text(encoding="utf-8"), module, path.stem == "__init__")
        ):
            found += [f"{path.relative_to(package)}: {why}" for why in _judge(layer(module), name)]
    return found


def imports(source: str, module: str, is_package: bool = False) -> set[str]:
    """Return the absolute name of everything SOURCE imports, at any depth.

    `from a import b` counts as a.b: nothing tells a submodule from a function.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, module, is_package)
            found |= {f"{base}.{alias.name}".lstrip(".") for alias in node.names}
        elif isinstance(node, ast.Call):
            found |= set(_dynamic(node))
    return found


def layer(module: str) -> str:
    """Return the layer of a module of ours: the name right below the package."""
    return (module.split(".") + ["__init__"])[1]


def native_room_violations(source_folder: Path) -> list[str]:
    """Return one line for each include below SOURCE_FOLDER of a room that comes later."""
    found = []
    for path in sorted(source_folder.rglob("*.[ch]*")):
        name = path.relative_to(source_folder)
        own = NATIVE_ROOMS.index(name.parts[0])
        for included in re.findall(r'^#include "([^"]+)"', path.read_text("utf-8"), re.MULTILINE):
            room = included.split("/")[0]
            if room not in NATIVE_ROOMS or NATIVE_ROOMS.index(room) > own:
                found.append(f"{name} includes {included}")
    return found


def native_violations(source: str) -> list[str]:
    """Return the includes of Python or pybind11 headers in C++ SOURCE."""
    pattern = r'^[ \t]*#[ \t]*include[ \t]*[<"]((?:python[\d.]*/)?Python\.h|pybind11/[^">]*)[">]'
    return re.findall(pattern, source, flags=re.MULTILINE)


def _module_of(package: Path, path: Path) -> str:
    parts = [PACKAGE, *path.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _base(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if node.level == 0:
        return node.module or ""
    parts = module.split(".")
    above = node.level - 1 if is_package else node.level
    parts = parts[: len(parts) - above]
    return ".".join(parts + ([node.module] if node.module else []))


def _dynamic(node: ast.Call) -> Iterator[str]:
    """Yield what importlib.import_module("x") or __import__("x") brings in."""
    called = (
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    )
    if called in ("import_module", "__import__") and node.args:
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value


def _judge(importer: str, name: str) -> Iterator[str]:
    top = name.split(".")[0]
    if top == "gdb" and importer not in GDB_SIDE:
        yield f"imports gdb ({name}), and is not on GDB's side"
    if top != PACKAGE:
        return
    imported = layer(name)
    if importer in ALLOWED and imported not in ALLOWED[importer]:
        yield f"{importer} imports {name}"
    if imported == "commands" and importer not in ABOVE_COMMANDS:
        yield f"{importer} reaches up to {name}"
    if importer == "commands" and (name + ".").startswith(NOT_FOR_COMMANDS + "."):
        yield f"a command lays out columns itself ({name})"
