# SPDX-License-Identifier: Apache-2.0
"""The programs of the distribution that are examined, and what each is given to do."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

WORKLOADS = Path(__file__).with_name("workloads")
PYTHON = "/usr/bin/python3"
LIBOMP = "/usr/lib/x86_64-linux-gnu/libomp.so.5"
LIBRARIES = "libraries"  # in a program's folder: libgomp's name for LLVM's runtime
MMSEQS = next(
    (
        f"/usr/bin/mmseqs-{extension}"
        for extension in ("avx2", "sse4.1")
        if extension.replace(".", "_") in Path("/proc/cpuinfo").read_text("ascii")
    ),
    "/usr/bin/mmseqs-plain",
)


@dataclass(frozen=True)
class Program:
    """A program: the PACKAGES that it is in, and its command, in which ROUNDS says how much is to
    be done. FILES, in which ROUNDS says it, too, are copied to its folder, and PREPARED is done
    before. RESULT matches what is the same in each run's output."""

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    files: tuple[str, ...] = ()
    prepared: tuple[tuple[str, ...], ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    result: str = r"(?s).*"

    def result_of(self, output: str) -> list[str]:
        """Return what of an OUTPUT is the program's result."""
        return re.findall(self.result, output)


def _python(name: str, file: str, *packages: str, **env: str) -> Program:
    command = (PYTHON, str(WORKLOADS / file), "ROUNDS")
    return Program(name, ("python3", *packages), command, env=MappingProxyType(env))


_NUMPY = ("python3-numpy", "libopenblas0-openmp")
_FEW = str(WORKLOADS / "sequences.py")
PROGRAMS = (
    _python("numpy", "products.py", *_NUMPY),
    _python("scikit-learn", "clusters.py", "python3-sklearn", *_NUMPY),
    _python("faiss", "neighbours.py", "python3-faiss", *_NUMPY),
    _python("xgboost", "boosting.py", "python3-xgboost", *_NUMPY),
    _python("torch", "convolutions.py", "python3-torch", *_NUMPY),
    # As conda installs it: LLVM's runtime under the name of GCC's.
    _python("numpy-on-libomp", "products.py", "libomp5-14", *_NUMPY, LD_LIBRARY_PATH=LIBRARIES),
    # As vendors advise: LLVM's runtime before all others, with GCC's mapped as well.
    _python("torch-both", "convolutions.py", "python3-torch", "libomp5-14", LD_PRELOAD=LIBOMP),
    Program(
        "data.table",
        ("r-base-core", "r-cran-data.table", "libopenblas0-openmp"),
        ("/usr/bin/Rscript", str(WORKLOADS / "groups.R"), "ROUNDS"),
    ),
    Program(
        "octave",
        ("octave", "libopenblas0-openmp"),
        ("/usr/bin/octave-cli", str(WORKLOADS / "products.m"), "ROUNDS"),
    ),
    Program(
        "imagemagick",
        ("imagemagick",),
        (
            *("/usr/bin/convert-im6.q16", "-size", "500x400", "gradient:red-blue", "-blur", "0x6"),
            *("-resize", "ROUNDS00%", "-blur", "0x9", "-resize", "50x50!", "txt:-"),
        ),
    ),
    Program(
        "graphicsmagick",
        ("graphicsmagick",),
        (
            *("/usr/bin/gm", "convert", "-size", "900x600", "gradient:red-blue", "-blur", "0x8"),
            *("-resize", "ROUNDS00%", "-blur", "0x9", "-resize", "50x50!", "txt:-"),
        ),
    ),
    Program(
        "cp2k",
        ("cp2k",),
        ("/usr/bin/cp2k.psmp", "-i", "water.inp"),
        files=("water.inp",),
        env=MappingProxyType(
            {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        ),
        result=r"energy \[a\.u\.\]: +-\d+\.\d{4}|PROGRAM ENDED",
    ),
    Program(
        "mmseqs2",
        ("mmseqs2", "python3"),
        (MMSEQS, "prefilter", "q", "t", "found", "--threads", "4", "-v", "1"),
        prepared=(
            (PYTHON, _FEW, "ROUNDS00"),
            (MMSEQS, "createdb", "q.fasta", "q", "-v", "1"),
            (MMSEQS, "createdb", "t.fasta", "t", "-v", "1"),
        ),
    ),
    Program(
        "fasttree",
        ("fasttree", "python3"),
        ("/usr/bin/fasttreeMP", "-quiet", "-nosupport", "t.fasta"),
        prepared=((PYTHON, _FEW, "ROUNDS0"),),
    ),
)


def missing(program: Program) -> list[str]:
    """Return the packages of a program that are not installed."""
    asked = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package}\n", *program.packages]
    said = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    installed = {line[3:].strip() for line in said.stdout.splitlines() if line[1:2] == "i"}
    return [package for package in program.packages if package not in installed]


def prepare(program: Program, rounds: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Make in FOLDER what a program reads; return its command and its environment."""
    env = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "4",
        **program.env,
    }
    if program.env.get("LD_LIBRARY_PATH") == LIBRARIES:
        libraries = folder / LIBRARIES
        libraries.mkdir(exist_ok=True)
        if not (libraries / "libgomp.so.1").is_symlink():
            os.symlink(os.path.realpath(LIBOMP), libraries / "libgomp.so.1")
        env["LD_LIBRARY_PATH"] = str(libraries)
    for name in program.files:
        text = (WORKLOADS / name).read_text(encoding="ascii")
        (folder / name).write_text(text.replace("ROUNDS", str(rounds)), encoding="ascii")
    for command in program.prepared:
        subprocess.run(_filled(command, rounds), cwd=folder, env=env, check=True)
    return _filled(program.command, rounds), env


def clean(folder: Path) -> None:
    """Remove what a run has written to FOLDER, so that the next one does the same."""
    for pattern in ("found*", "water-*"):
        for path in folder.glob(pattern):
            path.unlink()


def _filled(command: tuple[str, ...], rounds: int) -> list[str]:
    return [word.replace("ROUNDS", str(rounds)) for word in command]
