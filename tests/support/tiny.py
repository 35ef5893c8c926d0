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
    ("gcc", "-O2", *_SHARED, "tinyomp.c", "-o", "libtinyomp.so", "-lpthread", "-ldl"),
    ("g++", "-std=c++20", "-O2", *_SHARED, "tinyompd.cpp", "-o", "libtinyompd.so"),
    ("gcc", "-O0", "-g", "-Wall", "-Wextra", "-Werror", "program.c", "truth.c", "-L.", "-ltinyomp")
    + ("-Wl,-rpath,$ORIGIN", "-lpthread", "-o", "tiny"),
)


@functools.lru_cache(maxsize=None)
def program() -> Path:
    """Return the program, beside which the runtime and the OMPD library lie."""
    sources = [*sorted(SOURCES.iterdir()), PROGRAMS / "truth.c", PROGRAMS / "truth.h"]
    sources.append(ROOT / "native" / "src" / "base" / "ompd_types.h")
    digest = hashlib.sha256(repr(_COMMANDS).encode())
    for source in sources:
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gdb-ompd"
    folder = base / "programs" / f"tiny-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _make(folder)
    return folder / "tiny"


def library() -> Path:
    """Return the tiny runtime's OMPD library."""
    return program().parent / "libtinyompd.so"


def _make(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    places = {name: str(SOURCES / name) for name in ("tinyomp.c", "tinyompd.cpp", "program.c")}
    places["truth.c"] = str(PROGRAMS / "truth.c")
    headers = [f"-I{SOURCES}", f"-I{PROGRAMS}", f"-I{ROOT / 'native' / 'src'}"]
    try:
        for command in _COMMANDS:
            subprocess.run(
                [*(places.get(word, word) for word in command), *headers], cwd=made, check=True
            )
        try:
            made.rename(folder)
        except OSError:  # another process was faster
            if not folder.exists():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
