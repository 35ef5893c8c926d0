# SPDX-License-Identifier: Apache-2.0
"""Build generated programs and run them under gdb."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.program import Program, generate
from support.gdb_session import run_gdb
from support.runtimes import GNU, runtime_folder, stripped

BARRIER_PATTERNS = [f"KMP_{kind}_BARRIER_PATTERN" for kind in ("PLAIN", "FORKJOIN", "REDUCTION")]
FOLDER = Path(__file__).resolve().parent
# What a runtime says that ends a program for a fault of its own.
RUNTIMES_OWN = re.compile(
    r"Assertion failure at kmp_\w+\.(?:cpp|h)"
    r"|received signal SIGSEGV, Segmentation fault\.\n(?:0x\w+ in )?__kmp"
)
FILES = ("generated", "other")
LIVES = (*5 * ["run"], "gdbserver", "attach")
# What a run does without, by what GDB is told before it starts: nothing that is shown is lost by it.
# The odd numbers' programs have all.
DEPRIVATIONS: dict[str, list[str]] = {
    "without libc6-dbg": ["set debug-file-directory /nonexistent"],
    "without libthread_db": ["set libthread-db-search-path /nonexistent"],
    "in Fortran": [],
    "in Ada": [],
    "in Modula-2": [],
}
CORES_OF = 7  # the programs of which one is looked at in cores, too
DRIVERS = {("clang", "c"): "clang", ("clang", "cpp"): "clang++"}
DRIVERS.update({("gcc", "c"): "gcc", ("gcc", "cpp"): "g++"})


@dataclass(frozen=True)
class Way:
    """One way to build and to run a program."""

    compiler: str
    opt: str
    runtime: str  # as support.runtimes names it

    def __str__(self) -> str:
        runtime = "libgomp" if self.runtime == GNU else f"libomp{self.runtime}"
        return f"{self.compiler}-{self.opt}-{runtime}"


WAYS = [
    *(Way("clang", opt, "19") for opt in ("O0", "O1", "O2")),
    *(Way("clang", opt, stripped("14")) for opt in ("O0", "O2")),
    Way("clang", "O1", "14"),
    *(Way("gcc", opt, "19") for opt in ("O0", "O2")),
    *(Way("gcc", opt, GNU) for opt in ("O0", "O2")),
]


def build(program: Program, way: Way, folder: Path) -> Path:
    """Compile a program; its source stays in FOLDER."""
    driver = DRIVERS[way.compiler, program.language]
    common = ["-fopenmp", f"-I{FOLDER}", "-w", "-pthread"]
    record, made = folder / "record.o", folder / "generated"
    _run([DRIVERS[way.compiler, "c"], "-O1", *common, "-c", FOLDER / "record.c", "-o", record])
    objects = [record]
    for name, text in zip(FILES, program.sources):
        source = folder / f"{name}.{program.language}"
        source.write_text(text, encoding="utf-8")
        objects.append(folder / f"{name}.o")
        _run([driver, "-g", f"-{way.opt}", *common, "-c", source, "-o", objects[-1]])
    if way.runtime == GNU:
        _run([driver, *objects, "-fopenmp", "-pthread", "-o", made])
    else:
        lib = runtime_folder("14" if way.runtime.startswith("14") else way.runtime)
        _run([driver, *objects, f"-L{lib}", "-lomp", "-pthread", "-o", made])
    return made


def _run(command: list[Any]) -> None:
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise ValueError(f"{' '.join(map(str, command))}\n{done.stdout}")


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


def deprivation(seed: int) -> str:
    """Return what the program of a number is examined without, "" where it has all."""
    names = list(DEPRIVATIONS)
    return "" if seed % 2 else names[seed // 2 % len(names)]


def stop_at(
    seed: int, language: str, way: Way, stops: int, folder: Path, timeout: float = 600
) -> dict[str, Any]:
    """Run the program of a number, stop it so often, and return what was found."""
    program = generate(seed, language, without(way))
    made = build(program, way, folder)
    job = {
        "constructs": [dataclasses.asdict(each) for each in program.constructs],
        "notes": [dataclasses.asdict(each) for each in program.notes],
        "files": [f"{name}.{language}" for name in FILES],
        "seed": seed,
        "stops": stops,
        "life": LIVES[seed % len(LIVES)],
        "cores": seed % CORES_OF == 0,
        "calls": None,
        "deprived": deprivation(seed),
    }
    env = environment(seed)
    if way.runtime != GNU:
        env["LD_LIBRARY_PATH"] = _libraries(way.runtime, folder)
    report = _examined(made, job, env, timeout)
    for kept in report["cores"]:
        of_core = {**job, "life": kept["core"], "calls": kept["calls"], "stops": 1, "cores": False}
        _add(report, _examined(made, of_core, env, timeout))
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
    made: Path, job: dict[str, Any], env: dict[str, str], timeout: float
) -> dict[str, Any]:
    """Have gdb bring the program to its stops, and return what it reports."""
    folder = made.parent
    file, screens = folder / "job.json", folder / "screens"
    screens.mkdir(exist_ok=True)
    file.write_text(json.dumps(job), encoding="utf-8")
    env = {**env, "GENERATED_JOB": str(file), "GENERATED_SCREENS": str(screens)}
    first = DEPRIVATIONS.get(job["deprived"], [])
    done = run_gdb(
        [f"source {FOLDER / 'in_gdb.py'}"],
        arguments=[*(word for command in first for word in ("-iex", command)), made],
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


def _libraries(runtime: str, folder: Path) -> str:
    """Return the folder of a runtime, with a link for the name that programs look for."""
    found = runtime_folder(runtime)
    if (found / "libomp.so").exists():
        return str(found)
    lib = folder / "lib"
    lib.mkdir(exist_ok=True)
    if not (lib / "libomp.so").exists():
        os.symlink((found / "libomp.so.5").resolve(), lib / "libomp.so")
    return str(lib)
