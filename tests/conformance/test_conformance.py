# SPDX-License-Identifier: Apache-2.0
"""What OMPD demands of a library, of LLVM's, of the tiny runtime's and of libgompd, by one
client.

``faults.json`` has what each library is known to do wrong, by the check that shows it: a
fault that is new is noticed, and one that is mended. A demand is that of the version which was
agreed on, from OpenMP 5.0, chapter 5, to 6.0: what each function does with good arguments, without a handle, without a place
for its answer, at the end of a chain and beyond a team, how enumerations end, that the
compare functions are orders, and whose memory is whose.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest
from support import tiny

import conformance.__main__ as asking
from conformance.__main__ import gccs_scene, scene
from support.runtimes import ROOT, runtime_folder

HERE = Path(__file__).parent
FAULTS = json.loads((HERE / "faults.json").read_text(encoding="utf-8"))
HEADER = ROOT / "native" / "src" / "base" / "ompd_functions.hpp"
LIBGOMPD = ROOT / "python" / "gdb_ompd" / "libgompd.so"


def subject(name: str) -> tuple[Path, Path]:
    """Return a library and the program that it is asked about."""
    if name == "libgompd":
        return LIBGOMPD, gccs_scene()
    if name.startswith("tiny"):
        return tiny.library(), scene(tiny.runtime(), "-DSCENE_TINY", f"-I{tiny.SOURCES}")
    folder = runtime_folder(name.removeprefix("libompd"))
    return folder / "libompd.so", scene(folder / "libomp.so", "-fopenmp")


@functools.lru_cache(maxsize=None)
def answers(name: str) -> dict[str, asking.Answer]:
    version = name.partition(" ")[2]
    return asking.answers(*subject(name), env={"TINY_OMPD_VERSION": version} if version else {})


@pytest.fixture(params=FAULTS)
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_what_is_wrong_is_known(library: str) -> None:
    wrong = {
        name: answer.observed
        for name, answer in answers(library).items()
        if answer.observed not in answer.demanded
    }
    assert wrong == FAULTS[library]


def test_every_function_is_asked(library: str) -> None:
    functions = re.findall(r"^    X\((\w+)", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
    asked = {name.partition(":")[0] for name in answers(library)}
    assert len(functions) == 35
    # What has only good arguments is asked on the way to everything else.
    assert not set(functions) - asked
    assert len(answers(library)) > 120


def test_our_own_library_has_no_fault_in_any_version() -> None:
    versions = ("201811", "202011", "202111", "202411")
    assert {name: faults for name, faults in FAULTS.items() if name.startswith("tiny")} == {
        f"tiny {version}": {} for version in versions
    }
