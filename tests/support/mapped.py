# SPDX-License-Identifier: Apache-2.0
"""Programs outside of gdb, whose files are not what their names on this machine say: in a
container, removed, replaced."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.build import PROGRAMS
from support.gdb_session import clean_environment
from support.runtimes import runtime_folder

# By compiler: the runtime's file, as programs name it.
RUNTIMES = {"gcc": "libgomp.so.1", "clang": "libomp.so"}


def runtime_of(compiler: str) -> Path:
    """Return the runtime that a compiler's programs have here."""
    if compiler == "clang":
        return runtime_folder("19") / RUNTIMES[compiler]
    said = subprocess.run(
        ["gcc", f"-print-file-name={RUNTIMES[compiler]}"], stdout=subprocess.PIPE, text=True
    )
    return Path(said.stdout.strip()).resolve()


def program_with_own_runtime(compiler: str, folder: Path, *options: str) -> Path:
    """Compile in_region.c in FOLDER, with a copy of the runtime in its lib; return the program."""
    lib = folder / "lib"
    lib.mkdir()
    shutil.copy(runtime_of(compiler), lib / RUNTIMES[compiler])
    program = folder / "in_region"
    source = str(PROGRAMS / "in_region.c")
    link = [f"-L{runtime_of(compiler).parent}", f"-Wl,-rpath,{lib}"]
    command = [compiler, "-g", "-fopenmp", *options, source, "-o", str(program), *link]
    subprocess.run(command, check=True)
    return program


@contextmanager
def running(argv: Sequence[str], **how: object) -> Iterator[subprocess.Popen[str]]:
    """Give a program that has come to its region; it is killed at the block's end."""
    env = clean_environment({"OMP_DEBUG": "enabled"})
    with subprocess.Popen(  # type: ignore[call-overload]
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **how
    ) as process:
        try:
            assert process.stdout.readline() == "in the region\n"
            yield process
        finally:
            process.kill()


@contextmanager
def in_container(program: Path, root: Path) -> Iterator[int]:
    """Run PROGRAM with ROOT as its root folder, in namespaces of its own: the program and its
    libraries are copied below it. Gives its process when it has come to its region."""
    needed = subprocess.run(["ldd", str(program)], stdout=subprocess.PIPE, text=True, check=True)
    files = [str(program), *re.findall(r"(/\S+) \(0x", needed.stdout)]
    for file in files:
        copy = root / file.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (root / "old").mkdir()
    enter = (
        f"mount --make-rprivate / && mount --bind {root} {root} && cd {root}"
        f" && pivot_root . old && exec {program}"
    )
    with running(["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-c", enter]) as outer:
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text("ascii")
        yield int(children)


def can_make_containers() -> bool:
    """Tell whether this user may make namespaces."""
    tried = ["unshare", "-m", "-p", "-f", "mount", "--make-rprivate", "/"]
    return os.geteuid() == 0 and subprocess.run(tried, stderr=subprocess.DEVNULL).returncode == 0
