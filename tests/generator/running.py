# SPDX-License-Identifier: Apache-2.0
"""Run generated programs under gdb."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
from pathlib import Path
from typing import Any

from generator.building import FILES, FOLDER, Built, Way, build
from generator.deprivations import BY_NAME, Deprivation, of
from generator.program import generate
from support.gdb_session import run_gdb
from support.runtimes import GNU

BARRIER_PATTERNS = [f"KMP_{kind}_BARRIER_PATTERN" for kind in ("PLAIN", "FORKJOIN", "REDUCTION")]
# What a runtime says that ends a program for a fault of its own.
RUNTIMES_OWN = re.compile(
    r"Assertion failure at kmp_\w+\.(?:cpp|h)"
    r"|received signal SIGSEGV, Segmentation fault\.\n(?:0x\w+ in )?__kmp"
)
LIVES = (*5 * ["run"], "gdbserver", "attach")
CORES_OF = 7  # the programs of which one is looked at in cores, too


def without(way: Way) -> list[str]:
    """Return what a runtime cannot: LLVM's knows no events of tasks in gcc's code, and no doacross
    loops of it in serialized regions; GCC's frees what it has not allocated for reductions."""
    if way.runtime == GNU:
        return ["task_reduction"]
    return ["detach", "doacross"] if way.compiler == "gcc" else []


def environment(seed: int) -> dict[str, str]:
    """Return the settings of OpenMP for a program."""
    chance = random.Random(seed)
    return {
        "OMP_WAIT_POLICY": chance.choice(("passive", "passive", "active")),
        "OMP_NUM_THREADS": chance.choice(("4", "3,2")),
        "OMP_SCHEDULE": chance.choice(("static", "dynamic", "guided,2")),
        "OMP_DYNAMIC": chance.choice(("false", "false", "false", "true")),
        "OMP_CANCELLATION": chance.choice(("false", "true")),
        "OMP_PROC_BIND": chance.choice(("false", "false", "true")),
        "OMP_THREAD_LIMIT": chance.choice(("1000", "1000", "6")),
        **chance.choice(
            (
                {},
                {},
                {"KMP_LOCK_KIND": chance.choice(("tas", "ticket", "futex"))},
                {"KMP_TASK_STEALING_CONSTRAINT": "0"},
                dict.fromkeys(BARRIER_PATTERNS, chance.choice(("linear,linear", "tree,tree"))),
            )
        ),
    }


def stop_at(
    seed: int,
    language: str,
    way: Way,
    stops: int,
    folder: Path,
    timeout: float = 600,
    deprived: Deprivation | None = None,
) -> dict[str, Any]:
    """Run the program of a number, stop it so often, and return what was found."""
    deprived = of(seed) if deprived is None else deprived
    program = generate(seed, language, without(way))
    built = build(program, way, deprived, folder)
    job = {
        "constructs": [dataclasses.asdict(each) for each in program.constructs],
        "notes": [dataclasses.asdict(each) for each in program.notes],
        "files": [f"{name}.{language}" for name in FILES],
        "seed": seed,
        "stops": stops,
        "life": deprived.life or LIVES[seed % len(LIVES)],
        "cores": seed % CORES_OF == 0 and not deprived.outside,
        "calls": None,
        "deprived": deprived.name,
        "preloaded": built.preloaded,
        "module": str(built.module),
        "full": str(built.full) if deprived.stripped or deprived.debug != "-g" else "",
    }
    env = environment(seed)
    if built.libraries:
        env["LD_LIBRARY_PATH"] = built.libraries
    if deprived.forks:
        env["OMP_SCHEDULE"] = "static"  # a child of libomp 19 with assertions fails with "guided"
    if deprived.beside == "copy":
        env["KMP_DUPLICATE_LIB_OK"] = "TRUE"  # else LLVM's runtime ends the program
    report = _examined(built, job, env, timeout)
    for kept in report["cores"]:
        of_core = {**job, "life": kept["core"], "calls": kept["calls"], "stops": 1, "cores": False}
        _add(report, _examined(built, of_core, env, timeout))
        os.unlink(kept["core"])
    return report


def _add(report: dict[str, Any], other: dict[str, Any]) -> None:
    """Add what was found in a core to the REPORT of its program."""
    for name in ("wrong", "contradictions"):
        report[name] += [f"in a core: {each}" for each in other[name]]
    report["facts"] += other["facts"]
    report["error"] = report["error"] or other["error"]
    for reason, count in other["unknown"].items():
        report["unknown"][reason] = report["unknown"].get(reason, 0) + count


def _examined(
    built: Built, job: dict[str, Any], env: dict[str, str], timeout: float
) -> dict[str, Any]:
    """Have gdb bring the program to its stops, and return what it reports."""
    folder = built.program.parent
    file, screens = folder / "job.json", folder / "screens"
    screens.mkdir(exist_ok=True)
    file.write_text(json.dumps(job), encoding="utf-8")
    env = {**env, "GENERATED_JOB": str(file), "GENERATED_SCREENS": str(screens)}
    first = BY_NAME[job["deprived"]].gdb
    done = run_gdb(
        [f"source {FOLDER / 'in_gdb.py'}"],
        arguments=[*(word for command in first for word in ("-iex", command)), built.program],
        env=env,
        timeout=timeout,
    )
    (folder / "gdb.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    reports = [line for line in done.stdout.splitlines() if line.startswith("GENERATED ")]
    if not reports:
        raise ValueError(f"gdb said\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    report: dict[str, Any] = json.loads(reports[-1].split(" ", 1)[1])
    if report["aborted"] and not RUNTIMES_OWN.search(done.stdout + done.stderr):
        report["error"] = report["aborted"]
    return report
