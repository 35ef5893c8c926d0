# SPDX-License-Identifier: Apache-2.0
"""Real OMPD libraries and files load."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from fake_target import FakeTarget

ROOT = Path(__file__).resolve().parents[2]


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
