# SPDX-License-Identifier: Apache-2.0
"""Who may import whom, read from the sources without running them."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Iterator
from pathlib import Path

PACKAGE = "gdb_ompd"

# The rooms of native/src, lower ones first: each includes only those before it.
NATIVE_ROOMS = ("base", "elf", "ompd", "code", "unwind", "recovery", "model", "runtimes", "stop")

# The rooms of the Python package, lower ones first: each imports only those before it, also
# inside functions and for types alone. The native module and the package's version have no
# room: their names stand where the rooms begin that may use them.
ROOMS = (
    "model",
    "errors",
    "explain",
    "__version__",
    "_native",
    "host",
    "stacks",
    "values",
    "functions",
    "render",
    "saved",
    "control",
    "commands",
    "inquiry",
    "tool",
    "__init__",
)
NO_ROOMS = frozenset({"__version__", "_native"})

# From values to values: these import only each other.
PURE = frozenset({"model", "errors", "explain", "render"})
# These are given what GDB says, or what was saved of it.
WITHOUT_GDB = PURE | {"saved", "tool"}

# A command leaves columns to render.
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


@functools.lru_cache(maxsize=None)
def imports(source: str, module: str, is_package: bool = False) -> frozenset[str]:
    """Return the absolute name of everything SOURCE imports, at any depth.

    `from a import b` counts as a.b: nothing tells a submodule from a function. It is kept, as
    each planted violation is looked for in a copy of the whole package.
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
    return frozenset(found)


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
    if top == "gdb" and importer in WITHOUT_GDB:
        yield f"imports gdb ({name}), and works without it"
    if importer not in ROOMS:
        yield f"{importer} is in no room"
    elif top == PACKAGE and ROOMS.index(layer(name)) > ROOMS.index(importer):
        yield f"{importer} imports {name}"
    elif top == PACKAGE and importer in PURE and layer(name) not in PURE:
        yield f"{importer} imports {name}, and makes values of values only"
    if importer == "commands" and (name + ".").startswith(NOT_FOR_COMMANDS + "."):
        yield f"a command lays out columns itself ({name})"


def circles(package: Path) -> list[set[str]]:
    """Return the modules below PACKAGE that import each other, in a circle or directly."""
    modules = {_module_of(package, path): path for path in package.rglob("*.py")}
    reached: dict[str, set[str]] = {}
    for module, path in modules.items():
        source = path.read_text(encoding="utf-8")
        found = imports(source, module, path.stem == "__init__")
        reached[module] = {_of_module(name, modules) for name in found} - {module, PACKAGE, ""}
    for between in modules:
        for below in reached.values():
            if between in below:
                below |= reached[between]
    return [
        {m, *(n for n in below if m in reached[n])} for m, below in reached.items() if m in below
    ]


def _of_module(name: str, modules: Collection[str]) -> str:
    """Return the module that NAME is, or is something of; "" if it is none of MODULES."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name
