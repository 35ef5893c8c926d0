#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a page for each command of the extension: python3 command-pages.py FOLDER.

A page has the command's help and a session: what it says at a stop of a program in examples/, which
is built and run for it. Fails where a command of GDB's list has no session, or one says an error.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
MARK = "@@ "
QUIET = [f"source {ROOT}/gdb-scripts/ompd.py", "set print thread-events off", "set width 100"]


class Stop(NamedTuple):
    """A program of the examples, how it gets to its stop, and what each command is shown with."""

    program: str
    until: list[str]
    shown: dict[str, list[str]]


STOPS = [
    Stop(
        "heat",
        ["set environment OMP_NUM_THREADS 4,2", "break largest_change if half == 0", "run"],
        {
            "status": ["ompd status"],
            "threads": ["ompd threads", "ompd threads -state waiting"],
            "thread": ["ompd thread", "ompd thread 1"],
            "parallel": ["ompd parallel -all", "ompd parallel -why"],
            "places": ["ompd places"],
            "tasks": ["ompd tasks"],
            "icvs": ["ompd icvs nthreads-var run-sched-var"],
            "env": ["ompd env"],
            "apply": ["ompd apply -team -q bt 1"],
            "version": ["ompd version"],
        },
    ),
    Stop(
        "hang",
        ["break hang.c:47", "run"],
        {
            "why": ["ompd why"],
            "report": ["ompd report hang.html"],
            "save": ["ompd save hang.json", "ompd threads -from hang.json"],
            "compare": ["ompd compare hang.json"],
            "sample": ["delete", "ompd sample -every 0.1 3"],
        },
    ),
    Stop(
        "stacks",
        ["break weigh if part == 3", "run"],
        {"bt": ["ompd bt", "ompd bt -team"], "frame": ["ompd frame 1", "ompd frame"]},
    ),
    Stop(
        "nan",
        ["break nan.c:58", "run"],
        {
            "print": ["ompd print part.sum", "ompd print -threads 5 part"],
            "diff": ["ompd diff part.first"],
            "locals": ["ompd locals"],
            "whatis": ["ompd whatis part", "ompd whatis total"],
        },
    ),
    Stop(
        "nan",
        ["break main", "run", "tbreak nan.c:51", "continue"],
        {"watch": ["delete", "ompd watch total", "continue"]},
    ),
    Stop(
        "loop",
        ["set environment OMP_NUM_THREADS 4", "break advance if cell == 1", "run"],
        {"loop": ["ompd loop"]},
    ),
    Stop(
        "walk",
        ["break walk.c:11", "run"],
        {"next": ["ompd next"], "step": ["ompd step"], "finish": ["ompd finish region"]},
    ),
    Stop("walk", [], {"break": ["ompd break parallel-begin walk", "run", "ompd bt"]}),
    Stop("walk", [], {"tbreak": ["ompd tbreak task-begin", "run"]}),
    Stop("walk", [], {"init": ["ompd init"]}),
]
# GCC's runtime announces no events, and its symbols are not recovered.
OF_LLVM = Stop(
    "walk",
    ["break walk.c:11", "run"],
    {
        "disable": ["ompd disable"],
        "enable": ["ompd enable"],
        "export-symbols": ["ompd export-symbols libomp.debug"],
    },
)

OF_DEVICES = Stop("plate", ["break middle", "run"], {"devices": ["ompd devices"]})


def said(stop: Stop, folder: Path) -> dict[str, str]:
    """Return what GDB says to each of the commands at STOP."""
    lines = [*QUIET, *stop.until]
    for command, shown in stop.shown.items():
        lines.append(f"echo {MARK}{command}\\n")
        for line in shown:
            lines += [f"echo (gdb) {line}\\n", line, "echo \\n"]
    lines.append(f"echo {MARK}\\n")
    script = folder / "session.gdb"
    # An error of one line must not end the others.
    quoted = [f"python command({line!r})" if line[:5] != "echo " else line for line in lines]
    script.write_text(COMMAND + "\n".join(quoted) + "\n", "utf-8")
    done = subprocess.run(
        ["gdb", "-nx", "-q", "-batch", "-x", str(script), str(folder / stop.program)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
        text=True,
    )
    parts = done.stdout.split(MARK)[1:-1]
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in parts}


COMMAND = """python
def command(line):
    try:
        gdb.execute(line)
    except gdb.error as error:
        print(f"ERROR {error}")
end
"""


def sessions(folder: Path) -> dict[str, str]:
    """Return the session of each command, made with programs that are built in FOLDER."""
    found: dict[str, str] = {}
    for runtime, stops in (
        ("gcc", STOPS),
        ("distribution", [OF_LLVM]),
        ("offload", [OF_DEVICES]),
    ):
        built = folder / runtime
        programs = {stop.program for stop in stops}
        build = ["sh", str(EXAMPLES / "build.sh"), str(built), runtime, *programs]
        subprocess.run(build, check=True, timeout=300)
        for stop in stops:
            found.update(said(stop, built))
    without = {name: text.replace(f"{folder}/", "") for name, text in found.items()}
    return {name: text.replace(f"{ROOT}/", "") for name, text in without.items()}


def helps() -> dict[str, str]:
    """Return the help of each command that GDB lists."""
    ask = ["gdb", "-nx", "-q", "-batch", "-ex", QUIET[0]]
    listed = subprocess.check_output([*ask, "-ex", "help ompd"], text=True)
    names = re.findall(r"^ompd ([a-z-]+)(?:,[^-]*)? -- ", listed, re.MULTILINE)
    for name in names:
        ask += ["-ex", f"echo {MARK}{name}\\n", "-ex", f"help ompd {name}"]
    parts = subprocess.check_output(ask, text=True).split(MARK)[1:]
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in parts}


def main(folder: str) -> int:
    """Write the pages; return the exit status."""
    with tempfile.TemporaryDirectory() as place:
        shown = sessions(Path(place))
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    wrong = []
    for name, text in helps().items():
        session = shown.get(name, "")
        if not session or "ERROR " in session or "Traceback" in session:
            wrong.append(f"ompd {name}: {session or 'no session'}")
        first, _, rest = text.partition("\n")
        page = [
            f"# ompd {name}",
            first,
            f"```text\n{session}\n```",
            f"```text\n{rest.strip()}\n```",
        ]
        (out / f"ompd-{name}.md").write_text("\n\n".join(page) + "\n", "utf-8")
    print("\n".join(wrong) or f"{len(shown)} commands, each with its session")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
