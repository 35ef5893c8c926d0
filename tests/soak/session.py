# SPDX-License-Identifier: Apache-2.0
"""Run the soak's script in a gdb, with the extension or without."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Optional

from soak.growth import Sample
from support.gdb_session import run_gdb
from support.runtimes import runtime_folder

HERE = Path(__file__).resolve().parent
THREADS = 8  # of soak.c


class SoakFailed(Exception):
    """gdb did not come to the script's end; the message holds what it said."""


def build_program(folder: Path) -> Path:
    """Compile soak.c into FOLDER."""
    library = runtime_folder("19")
    target = folder / "soak"
    link = [f"-L{library}", f"-Wl,-rpath,{library}"]
    flags = ["-g", "-O0", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["clang", *flags, str(HERE / "soak.c"), *link, "-o", str(target)], check=True)
    return target


def soak(
    program: Path,
    reruns: int,
    snapshots: int,
    plain: bool = False,
    leak: Optional[str] = None,
    timeout: float = 240,
    stops: int = 0,
    ending: int = 0,
) -> dict[str, list[Sample]]:
    """Return the samples of each kind of work ("reruns", "snapshots", "stops", "ending")."""
    task = {
        "stop": "soak_is_here",
        "threads": THREADS,
        "reruns": reruns,
        "snapshots": snapshots,
        "stops": stops,
        "ending": ending,
        "plain": plain,
        "leak": leak,
    }
    result = run_gdb(
        [f"source {HERE / 'soak_in_gdb.py'}"],
        program=program,
        extension=not plain,
        env={"SOAK_TASK": json.dumps(task)},
        timeout=timeout,
    )
    match = re.search(r"^SOAK (\{.*\})$", result.stdout, flags=re.MULTILINE)
    if match is None:
        raise SoakFailed(f"{result.stdout[-2000:]}\n{result.stderr[-2000:]}")
    answer: dict[str, list[Sample]] = json.loads(match.group(1))
    return answer
