# SPDX-License-Identifier: Apache-2.0
"""Build the tiny runtime, its OMPD library and its program, once per content."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from support.build import PROGRAMS
from support.runtimes import ROOT

SOURCES = ROOT / "tests" / "tiny_runtime"
_SHARED = ("-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
# The runtime without debug information, as others come.
_COMMANDS = (
    ("gcc", "-O2", *_SHARED, "tinyomp.c", "-o", "lib/libtinyomp.so", "-lpthread", "-ldl"),
    ("g++", "-std=c++20", "-O2", *_SHARED, "tinyompd.cpp", "-o", "lib/libtinyompd.so"),
    ("gcc", "-O0", "-g", "-Wall", "-Wextra", "-Werror", "program.c", "truth.c")
    + ("-Llib", "-ltinyomp", "-lpthread", "-o", "program/tiny"),
)


@functools.lru_cache(maxsize=None)
def program() -> Path:
    """Return the program, which came with neither the runtime nor the OMPD library."""
    sources = [*sorted(SOURCES.iterdir()), PROGRAMS / "truth.c", PROGRAMS / "truth.h"]
    sources.append(ROOT / "native" / "src" / "base" / "ompd_types.h")
    digest = hashlib.sha256(repr(_COMMANDS).encode())
    for source in sources:
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gdb-ompd"
    folder = base / "programs" / f"tiny-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _make(folder)
    made = folder / "program" / "tiny"
    # A new checkout's sources are newer than what was made of the same text: gdb would warn.
    if made.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        os.utime(made)
    return made


def runtime() -> Path:
    """Return the tiny runtime."""
    return program().parents[1] / "lib" / "libtinyomp.so"


def library() -> Path:
    """Return the tiny runtime's OMPD library, which lies beside it."""
    return runtime().with_name("libtinyompd.so")


def _make(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    for name in ("lib", "program"):
        (made / name).mkdir()
    places = {name: str(SOURCES / name) for name in ("tinyomp.c", "tinyompd.cpp", "program.c")}
    places["truth.c"] = str(PROGRAMS / "truth.c")
    found_in = f"-Wl,-rpath,{folder / 'lib'}"
    headers = [f"-I{SOURCES}", f"-I{PROGRAMS}", f"-I{ROOT / 'native' / 'src'}"]
    try:
        for command in _COMMANDS:
            subprocess.run(
                [*(places.get(word, word) for word in command), *headers, found_in],
                cwd=made,
                check=True,
            )
        try:
            made.rename(folder)
        except OSError:  # another process was faster
            if not folder.exists():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
