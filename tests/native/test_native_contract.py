# SPDX-License-Identifier: Apache-2.0
"""The stub tells the truth about the module, and real OMPD libraries load."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fake_target import FakeTarget

ROOT = Path(__file__).resolve().parents[2]
STUB = ast.parse((ROOT / "python" / "gdb_ompd" / "_native.pyi").read_text())
PROTOCOLS = {"Target"}  # what Python code implements; the module has no such class


def classes() -> Iterator[ast.ClassDef]:
    for node in STUB.body:
        if isinstance(node, ast.ClassDef) and node.name not in PROTOCOLS:
            yield node


def class_name(node: object) -> str:
    return node.name if isinstance(node, ast.ClassDef) else str(node)


def names_of(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements of the stub declare."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def public(thing: Any) -> set[str]:
    return {name for name in vars(thing) if not name.startswith("_")}


def stub_parameters(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Return (name, has a default) of each parameter, without self."""
    arguments = function.args
    plain = arguments.args
    optional = len(plain) - len(arguments.defaults)
    pairs = [(argument.arg, i >= optional) for i, argument in enumerate(plain)]
    pairs += [
        (argument.arg, default is not None)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)
    ]
    return [pair for pair in pairs if pair[0] != "self"]


def real_parameters(function: Any) -> list[tuple[str, bool]]:
    """Read the same from the signature that pybind11 writes into the docstring."""
    signature = re.match(r"\w+\((.*)\) ->", function.__doc__)
    assert signature is not None, function.__doc__
    nested = re.compile(r"[\[(][^\[\]()]*[\])]")
    text = signature[1]
    while nested.search(text):
        text = nested.sub("", text)
    parts = [part.strip() for part in text.split(",") if part.strip() not in ("", "*")]
    return [
        (part.partition(":")[0], "=" in part)
        for part in parts
        if part.partition(":")[0] not in ("self", "arg0")
    ]


def test_the_same_names(native: ModuleType) -> None:
    assert names_of(STUB.body) - PROTOCOLS == public(native)


@pytest.mark.parametrize("declared", list(classes()), ids=class_name)
def test_the_same_members(native: ModuleType, declared: ast.ClassDef) -> None:
    real = getattr(native, declared.name)
    if declared.name in ("OmpdError", "LibraryFailure"):
        error = real("text")
        assert issubclass(real, Exception) and str(error) == "text"
        return
    members = {name for name in names_of(declared.body) if not name.startswith("__")}
    if hasattr(real, "__members__"):  # pybind11's enumerations
        members |= {"name", "value"}
    assert members == public(real)
    bases: set[object] = {base.id for base in declared.bases if isinstance(base, ast.Name)}
    assert bases == {base.__name__ for base in real.__bases__ if base.__name__ in public(native)}


@pytest.mark.parametrize("declared", list(classes()), ids=class_name)
def test_the_same_signatures(native: ModuleType, declared: ast.ClassDef) -> None:
    for node in declared.body:
        if isinstance(node, ast.FunctionDef):
            real = getattr(getattr(native, declared.name), node.name)
            if isinstance(real, property):
                assert [ast.unparse(each) for each in node.decorator_list] == ["property"]
                continue
            assert real_parameters(real) == stub_parameters(node), f"{declared.name}.{node.name}"


def test_the_same_functions(native: ModuleType) -> None:
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            assert real_parameters(getattr(native, node.name)) == stub_parameters(node)


def libompd_of(version: int) -> str:
    """Build that runtime unless it is in the cache; return its OMPD library."""
    script = ROOT / "scripts" / "build-libomp.sh"
    made = subprocess.run(
        ["sh", str(script), str(version)], check=True, capture_output=True, text=True
    )
    return os.path.join(made.stdout.strip(), "libompd.so")


@pytest.fixture(params=[14, 19], ids=lambda version: f"libompd{version}")
def real_path(request: pytest.FixtureRequest) -> str:
    return libompd_of(request.param)


def test_a_real_library_loads(native: ModuleType, real_path: str) -> None:
    library = native.Library(real_path)
    assert library.path == real_path
    assert library.api_version() == library.agreed_version == native.OMPD_API_VERSIONS[0]
    assert "OpenMP" in library.version_string()
    library.finalize()


def test_a_real_library_reports_a_target_without_runtime(
    native: ModuleType, real_path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    library = native.Library(real_path)
    with pytest.raises(native.OmpdError) as caught:
        library.process_initialize(native.AddressSpace(FakeTarget()))
    assert caught.value.call == "ompd_process_initialize"
    assert capfd.readouterr().out == ""


def test_an_absent_library_is_an_os_error(native: ModuleType) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        native.Library("/nonexistent/libompd.so")
    assert caught.value.filename == "/nonexistent/libompd.so"


def test_a_library_without_ompd_is_a_value_error(native: ModuleType, real_path: str) -> None:
    with pytest.raises(ValueError, match="not an OMPD library"):
        native.Library(os.path.join(os.path.dirname(real_path), "libomp.so"))


def test_elf_agrees_with_binutils(native: ModuleType, real_path: str) -> None:
    path = os.path.join(os.path.dirname(real_path), "libomp.so")
    elf = native.Elf(path)
    listed = subprocess.run(["nm", "-P", path], check=True, capture_output=True, text=True).stdout
    kinds = {"T": "function", "t": "function", "D": "data", "d": "data", "B": "data", "b": "data"}
    seen = set()
    for line in listed.splitlines():
        name, letter, *rest = line.split()
        if letter in kinds and name.startswith(("ompd_", "__kmpc_", "omp_")):
            found = elf.symbol(name)
            seen.add(letter)
            assert found is not None and found.kind in (kinds[letter], "tls", "label"), name
            assert found.kind == "tls" or found.value == int(rest[0], 16), name
    assert {"T", "t"} & seen and {"D", "d", "B", "b"} & seen
    assert elf.symbol("__kmp_gtid").kind == "tls"
    notes = subprocess.run(["readelf", "-n", path], check=True, capture_output=True, text=True)
    assert f"Build ID: {elf.build_id}" in notes.stdout
