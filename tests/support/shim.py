# SPDX-License-Identifier: Apache-2.0
"""The OMPD library that passes calls on to a real one, and does wrong where it is told to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support.runtimes import ROOT

SCRIPT = ROOT / "tests" / "support" / "faulty_in_gdb.py"


def shim(folder: Path) -> Path:
    """Build the shim."""
    path = folder / "libompd.so"
    source = ROOT / "native" / "tests" / "shim_libompd.cpp"
    options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"]
    options.append(f"-I{ROOT / 'native' / 'src'}")
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, *options, "-o", str(path), str(source)], check=True)
    return path
