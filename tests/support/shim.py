# SPDX-License-Identifier: Apache-2.0
"""The OMPD library that passes calls on to a real one, and does wrong where it is told to."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from support.build import build
from support.gdb_session import run_gdb
from support.runtimes import ROOT, runtime_folder

SCRIPT = ROOT / "tests" / "support" / "faulty_in_gdb.py"
BUGS = ("Traceback", "Python Exception", "Error occurred in Python")


def shim(folder: Path) -> Path:
    """Build the shim."""
    path = folder / "libompd.so"
    source = ROOT / "native" / "tests" / "shim_libompd.cpp"
    options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"]
    options.append(f"-I{ROOT / 'native' / 'src'}")
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, *options, "-o", str(path), str(source)], check=True)
    return path


def told_by(function: str) -> Any:
    """Return what FUNCTION of the script writes down, in one gdb that uses the shim."""
    with tempfile.TemporaryDirectory() as name:
        folder, real = Path(name), runtime_folder("19") / "libompd.so"
        library, out = shim(folder), folder / "said.json"
        done = run_gdb(
            [
                f"set ompd library {library}",
                "break truth_stop",
                "run",
                "up",
                f"source {SCRIPT}",
                f"python {function}({str(library)!r}, {str(out)!r})",
                "print 6 * 7",
            ],
            program=build("task_regions.c"),
            env={"SHIM_LIBOMPD": str(real)},
            timeout=300,
        )
        said = f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        assert out.exists(), said
        assert "= 42" in done.stdout and done.returncode == 0, said
        assert not any(bug in done.stderr for bug in BUGS), said
        return json.loads(out.read_text())
