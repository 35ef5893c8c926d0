# SPDX-License-Identifier: Apache-2.0
"""What is said of each program of causes.py: live, of the saved stop, in a core file and attached,
as a table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from support.build import PROGRAMS, Build
from support.causes import CAUSES, Cause, said
from support.gdb_session import GdbTimeout, clean_environment, run_gdb
from support.runtimes import GNU, link_options, runtime_folder, stripped

BUILDS = {
    "gcc-O0": Build("", "gcc", "O0", GNU),
    "gcc-O2": Build("", "gcc", "O2", GNU),
    "clang14-O2": Build("", "clang", "O2", stripped("14")),
    "clang19-O0": Build("", "clang", "O0", "19"),
}
MODES = ("live", "saved", "core", "attached")
MARK = "== ASKED"


class Answer(NamedTuple):
    """How one cause was told in one MODE of one BUILD, and in which words."""

    cause: str
    build: str
    mode: str
    told: str  # "ok", "not told", "WRONG" or "-"
    words: str = ""


def compiled(cause: Cause, build: Build, folder: Path) -> Path:
    """Return the binary of CAUSE, made in FOLDER."""
    source = folder / f"program{cause.suffix}"
    source.write_text(cause.text or (PROGRAMS / "slow.c").read_text("utf-8"), "utf-8")
    drivers = {"gcc": ("gcc", "g++"), "clang": ("clang", "clang++")}
    driver = drivers[build.compiler][cause.suffix == ".cpp"]
    program = folder / "program"
    link = ["-fopenmp"]
    if build.runtime != GNU:
        lib = runtime_folder(build.runtime)
        link = [f"-L{lib}", "-lomp", f"-Wl,-rpath,{lib}", *link_options(build.runtime)]
    compiling = [driver, "-g", f"-{build.opt}", "-fopenmp", "-w"]
    subprocess.run([*compiling, "-c", source, "-o", folder / "program.o"], check=True)
    linking = [driver, folder / "program.o", *link, "-lm", "-lpthread"]
    if cause.library:
        linking += [cause.library, f"-Wl,-rpath,{Path(cause.library).parent}"]
    subprocess.run([*linking, "-o", program], check=True)
    return program


def answers(name: str, build: str) -> list[Answer]:
    """Return what is said of the cause NAME in each mode."""
    cause = CAUSES[name]
    if cause.only not in ("", BUILDS[build].compiler):
        return []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        program = compiled(cause, BUILDS[build], folder)
        try:
            texts = _texts(cause, program, folder)
        except GdbTimeout as late:
            texts = {"live": str(late)}
    return [Answer(name, build, mode, *_told(cause, mode, texts.get(mode, ""))) for mode in MODES]


def _asked(cause: Cause, more: str = "") -> list[str]:
    if cause.size_only:
        return [f"ompd parallel -json{more}", f"ompd parallel -why{more}"]
    return [f"ompd why{more}"]


def _texts(cause: Cause, program: Path, folder: Path) -> dict[str, str]:
    env = clean_environment({"OMP_NUM_THREADS": "4", **cause.env})
    saved, core, mark = folder / "stop.json", folder / "core", f"echo {MARK}\\n"
    width = "set width 0"
    wrap = [f"set exec-wrapper {' '.join(cause.wrapper)}"] if cause.wrapper else []
    commands = [width, *wrap, "break stop_here", f"run {' '.join(cause.arguments)}", *cause.before]
    if not cause.size_only:
        commands += ["ompd why", "continue"]
    commands += [
        mark,
        *_asked(cause),
        mark,
        f"ompd save {saved}",
        *_asked(cause, f" -from {saved}"),
    ]
    live = run_gdb([*commands, f"generate-core-file {core}"], program, env=env, merged=True)
    parts = live.stdout.split(MARK + "\n")
    in_core = run_gdb([width, *cause.before, mark, *_asked(cause)], program, core, merged=True)
    texts = dict(zip(("live", "saved"), parts[1:]), core=in_core.stdout.rpartition(MARK + "\n")[2])
    command = [*cause.wrapper, str(program), *cause.arguments]
    silent = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env={**env, "STAY": "1"}, **silent) as process:
        try:
            time.sleep(1.5)
            attach = [f"attach {process.pid}", *cause.before, mark, *_asked(cause)]
            attached = run_gdb([width, *attach], program, env=env, merged=True)
        finally:
            process.kill()
    return {**texts, "attached": attached.stdout.rpartition(MARK + "\n")[2]}


def _told(cause: Cause, mode: str, text: str) -> tuple[str, str]:
    """Return how TEXT tells the CAUSE, and its words."""
    if cause.size_only:
        return _told_rule(cause.rule, text)
    expected = cause.in_core if mode == "core" else cause.slow
    found = tuple(each for each in said(text) if each not in cause.may_be)
    if found == expected:
        silent = mode == "core" and cause.slow != found and "not in a core file" not in text
        return ("not told" if silent else "ok"), text
    return ("WRONG" if set(found) - set(expected) else "not told"), text


def _told_rule(rule: str, text: str) -> tuple[str, str]:
    begin = text.find('{"schema"')
    regions = json.JSONDecoder().raw_decode(text[begin:])[0]["regions"] if begin >= 0 else []
    if not regions or regions[0]["why"] is None:
        return "not told" if begin >= 0 else "WRONG", text
    why = regions[0]["why"]
    if why["rule"] == rule:
        return "ok", why["text"]
    doubts = why["rule"] == "unknown" or rule in why["rule"].split(" or ")
    return ("not told" if doubts else "WRONG"), why["text"]


def _tries(names: Sequence[str]) -> Iterator[Answer]:
    tries = [(name, build) for name in names for build in BUILDS]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda each: answers(*each), tries):
            yield from found


def main(arguments: Sequence[str]) -> None:
    """Print a line for each of the causes whose names have one of the ARGUMENTS in them, and what
    was said where that was not right."""
    names = [name for name in CAUSES if not arguments or any(a in name for a in arguments)]
    counts: Counter[str] = Counter()
    for answer in _tries(names):
        counts[answer.told] += 1
        if answer.mode == MODES[0]:
            print(f"\n{answer.cause:<22} {answer.build:<11}", end="")
        print(f" {answer.mode} {answer.told};", end="")
        if answer.told != "ok":
            print(f"\n    {answer.words.strip()}", end="\n   ", flush=True)
    print(f"\n{len(names)} programs: {', '.join(f'{n} {told}' for told, n in counts.items())}")


if __name__ == "__main__":
    main(sys.argv[1:])
