# SPDX-License-Identifier: Apache-2.0
"""Where everything that is measured is: programs, runtime, extension, plugin."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
RUNTIME_VERSION = "19"
EXTENSION = ROOT / "gdb-scripts" / "ompd.py"
FLAGS = ("-g", "-O1", "-fno-omit-frame-pointer", "-fopenmp", "-Wall", "-Wextra", "-Werror")


@dataclass(frozen=True)
class Runtime:
    """A self-built libomp, with LLVM's own gdb plugin if there is one."""

    library_folder: Path
    plugin: Path | None


@functools.lru_cache(maxsize=None)
def runtime() -> Runtime:
    """Return the runtime to measure with, building it once."""
    script = ROOT / "scripts" / "build-libomp.sh"
    done = subprocess.run(
        ["sh", str(script), RUNTIME_VERSION], stdout=subprocess.PIPE, text=True, check=True
    )
    folder = Path(done.stdout.strip().splitlines()[-1])
    plugin = folder.parent / "share" / "gdb" / "python" / "ompd" / "__init__.py"
    return Runtime(folder, plugin if plugin.is_file() else None)


@functools.lru_cache(maxsize=None)
def program(name: str, compiler: str = "clang") -> Path:
    """Return the binary of programs/NAME.c, compiled if the source is newer: by gcc for its
    own runtime as it is installed."""
    source = HERE / "programs" / f"{name}.c"
    target = ROOT / "build" / "benchmarks" / (name if compiler == "clang" else f"{name}-{compiler}")
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        library = runtime().library_folder
        link = [f"-L{library}", f"-Wl,-rpath,{library}"] if compiler == "clang" else []
        subprocess.run([compiler, *FLAGS, str(source), *link, "-o", str(target)], check=True)
    return target


@functools.lru_cache(maxsize=None)
def floor() -> Path:
    """Return the program that asks libompd without a debugger, compiled if need be."""
    source = HERE / "programs" / "floor.cpp"
    target = ROOT / "build" / "benchmarks" / "floor"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["c++", *flags, str(source), "-o", str(target), "-lelf", "-ldl"], check=True)
    return target


def clean_environment() -> dict[str, str]:
    """Return an environment without settings of Python, OpenMP or a user's."""
    return {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        # Idle threads would spin on the few cores that do the work.
        "KMP_BLOCKTIME": "0",
    }
