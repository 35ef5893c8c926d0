# SPDX-License-Identifier: Apache-2.0
"""What OMPD demands of a library, of LLVM's, of the tiny runtime's and of libgompd, by one
client.

``faults.json`` has what each library is known to do wrong, by the check that shows it: a
fault that is new is noticed, and one that is mended. A demand is OpenMP 5.0 to 5.2's,
chapter 5: what each function does with good arguments, without a handle, without a place
for its answer, at the end of a chain and beyond a team, how enumerations end, that the
compare functions are orders, and whose memory is whose.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from support import tiny
from support.gdb_session import clean_environment
from support.runtimes import ROOT, runtime_folder

HERE = Path(__file__).parent
FAULTS = json.loads((HERE / "faults.json").read_text(encoding="utf-8"))
HEADER = ROOT / "native" / "src" / "ompd" / "ompd_functions.hpp"
LIBGOMPD = ROOT / "python" / "gdb_ompd" / "libgompd.so"
CORE = ROOT / "build" / "native" / "libgdb_ompd_core.a"


class Answer(NamedTuple):
    """What one check demands, and what was observed."""

    demanded: tuple[str, ...]
    observed: str


def compiled(*command: str, sources: tuple[Path, ...]) -> Path:
    """Return what COMMAND makes of SOURCES, with "-o FILE" added, once per content."""
    digest = hashlib.sha256(repr(command).encode())
    for source in sources:
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gdb-ompd"
    made = base / "programs" / f"conformance-{digest.hexdigest()[:16]}"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as folder:
            subprocess.run([*command, "-o", f"{folder}/made"], check=True)
            os.replace(f"{folder}/made", made)
    return made


@functools.lru_cache(maxsize=None)
def client() -> Path:
    if not CORE.exists():
        pytest.fail(f"{CORE} is missing: build first")
    flags = ["pkg-config", "--libs", "libelf", "libdw", "capstone"]
    found = subprocess.run(flags, check=True, stdout=subprocess.PIPE, text=True).stdout
    sources = tuple(sorted(HERE.glob("*.cpp")))
    includes = [f"-I{ROOT / 'native' / name}" for name in ("src", "tests")]
    options = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", *includes]
    return compiled(
        *("g++", *options, *map(str, sources), str(CORE)),
        *(*shlex.split(found), "-ldl", "-lpthread"),
        sources=(*sources, HERE / "subject.hpp", HERE / "scene.h", CORE),
    )


def scene(runtime: Path, *options: str) -> Path:
    """Return the program on RUNTIME, as a shared object."""
    sources = (HERE / "scene.c", HERE / "scene.h")
    flags = ["-O1", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", *options]
    made = compiled("clang", *flags, "-c", str(sources[0]), sources=sources)
    # With -fopenmp here, the compiler would name a runtime of its own.
    linked = [str(made), str(runtime), f"-Wl,-rpath,{runtime.parent}", "-lpthread"]
    return compiled("clang", "-shared", *linked, sources=(made, runtime))


def gccs_scene() -> Path:
    """Return the program as GCC builds it, on its libgomp."""
    sources = (HERE / "scene.c", HERE / "scene.h")
    flags = ["-O1", "-g", "-fPIC", "-shared", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    return compiled("gcc", *flags, str(sources[0]), sources=sources)


def subject(name: str) -> tuple[Path, Path]:
    """Return a library and the program that it is asked about."""
    if name == "libgompd":
        return LIBGOMPD, gccs_scene()
    if name == "tiny":
        return tiny.library(), scene(tiny.runtime(), "-DSCENE_TINY", f"-I{tiny.SOURCES}")
    folder = runtime_folder(name.removeprefix("libompd"))
    return folder / "libompd.so", scene(folder / "libomp.so", "-fopenmp")


@functools.lru_cache(maxsize=None)
def answers(name: str) -> dict[str, Answer]:
    library, program = subject(name)
    done = subprocess.run(
        [str(client()), str(library), str(program)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=clean_environment({"OMP_DEBUG": "enabled"}),
        text=True,
        timeout=250,
        check=True,
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    found = {name: Answer(tuple(wanted.split("|")), said) for name, wanted, said in rows}
    assert len(found) == len(rows)
    return found


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


def test_our_own_library_has_no_fault() -> None:
    assert FAULTS["tiny"] == {}
