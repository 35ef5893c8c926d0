# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: stop a program of the distribution, and ask every command.

PRODUCTION_JOB in gdb's environment is the path of a JSON file with "life" ("run", a process's
number, or a core's path), "stops", "seed", "folder", "output" (the file of the program's
output), "moves" and "cores". Prints one line of JSON with what was found.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Optional

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.findings import Findings  # noqa: E402
from production import commands, rules  # noqa: E402
from production.plain import Process, is_same  # noqa: E402
from support.asking import BUGS  # noqa: E402

MOST_SECONDS = 2.0  # of gdb's own processor time, for an answer
MOST_FOR_A_MOVE = 20.0
RUN_SECONDS = (0.02, 0.3)


class Ended(Exception):
    """The program has ended."""


class Alarm:
    """Stops the program after some seconds, unless it has stopped before. Not by SIGINT: GDB
    hears nothing where a thread waits for signals."""

    def __init__(self, seconds: float) -> None:
        script = f"sleep {seconds}; kill -STOP {gdb.selected_inferior().pid}"
        self._pid = os.posix_spawn("/bin/sh", ["sh", "-c", f"exec 2>&-; {script}"], os.environ)

    def stop(self) -> bool:
        """Take it back; return whether it has rung."""
        try:
            os.kill(self._pid, 9)
        except ProcessLookupError:
            return True
        return False


class Examination:
    """What the commands said of one program, and what is wrong with it."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job
        self.folder = Path(job["folder"])
        self._chance = random.Random(job["seed"])
        self.found = Findings()
        self.answers = 0
        self.slowest = (0.0, "")
        self.problems: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.exit_code: Optional[int] = None
        # The file that is mapped at an address.
        self._module: Callable[[int], Optional[str]] = gdb.solib_name
        gdb.events.exited.connect(self._has_ended)

    def _has_ended(self, event: Any) -> None:
        self.exit_code = getattr(event, "exit_code", -1)

    def ask(self, command: str) -> Optional[str]:
        """Return what a command says, None if it refuses."""
        shown = self._shown(command)
        began = time.process_time()
        try:
            text, is_refused = gdb.execute(command, to_string=True), False
        except gdb.error as error:
            text, is_refused = str(error), True
        taken = time.process_time() - began
        self.answers += 1
        self.slowest = max(self.slowest, (round(taken, 2), shown))
        if taken > MOST_SECONDS:
            self.problems[f"slow: {shown}: {taken:.1f} s"] += 1
        self._look_for_bugs(shown, text)
        is_gdbs = command.startswith(("ompd apply", "ompd frame"))  # which print GDB's frames
        if not is_gdbs and rules.unnamed(text, self._module):
            self.problems[f"no module: {shown}"] += 1
        if is_refused:
            self.refused[f"{shown}: {self._shown(text.splitlines()[0])}"] += 1
            if "-json" in command.split() and self._has_runtime():
                self.problems[f"refused: {shown}: {self._shown(text)}"] += 1
        return None if is_refused else text

    def _shown(self, text: str) -> str:
        """Return a TEXT that is the same at each stop of each program."""
        return re.sub(rf"{self.folder}(/stop\d+)?", "FOLDER", text)

    def _look_for_bugs(self, command: str, text: str) -> None:
        for bug in BUGS:
            if bug in text:
                self.problems[f"bug: {command}: {text.strip().splitlines()[-1]}"] += 1

    @staticmethod
    def _has_runtime() -> bool:
        return any(rules.is_runtime(objfile.filename) for objfile in gdb.objfiles())

    def documents(self, names: tuple[str, ...], end: str = "") -> dict[str, Any]:
        """Return the JSON documents of some commands."""
        said = {}
        for name in names:
            text = self.ask(f"ompd {name} -json{end}")
            try:
                said[name] = json.loads(text or "null")
            except ValueError:
                self.problems[f"bug: ompd {name} -json: no JSON"] += 1
                said[name] = None
        return said

    def examine(self, number: int) -> None:
        """Ask everything at a stop, and compare it."""
        process = Process()
        self._module = process.module
        folder = self.folder / f"stop{number}"
        folder.mkdir(exist_ok=True)
        for command in commands.ANSWERS:
            self.ask("ompd " + command.format(folder=folder))
        for function in commands.FUNCTIONS:
            self.ask(function_of(function))
        said = self.documents(commands.DOCUMENTS)
        rows = process.threads()
        (folder / "said.json").write_text(json.dumps({"said": said, "plain": rows}), "utf-8")
        before = len(self.found.wrong) + len(self.found.contradictions)
        if None not in said.values():
            rules.check(said, rows, process.lwps(), self.found, is_same)
        if len(self.found.wrong) + len(self.found.contradictions) > before:
            shown = gdb.execute("thread apply all -q -s -- bt 30", to_string=True)
            (folder / "bt.txt").write_text(shown, "utf-8")
        if (folder / "stop.json").exists():
            self._saved(folder, said)
        if self._job["cores"]:
            gdb.execute(f"gcore {folder / 'core'}", to_string=True)
            os.symlink(os.readlink(f"/proc/{gdb.selected_inferior().pid}/exe"), folder / "exe")

    def _saved(self, folder: Path, said: dict[str, Any]) -> None:
        """The saved stop gives the documents again."""
        end = f" -from {folder / 'stop.json'}"
        for command in commands.OF_SAVED:
            self.ask("ompd " + command.format(folder=folder) + end)
        again = self.documents(commands.DOCUMENTS, end)
        for name, document in said.items():
            self.found.same("saved", name, again[name], document)

    def core(self, of_live: dict[str, Any]) -> None:
        """Ask everything of a core, and compare it with what was said of the process."""
        for command in commands.ANSWERS:
            self.ask("ompd " + command.format(folder=self.folder))
        for function in commands.FUNCTIONS:
            self.ask(function_of(function))
        said = self.documents(commands.DOCUMENTS)
        if None not in (*said.values(), *of_live.values()):
            rules.same_again(of_live, said, self.found)

    def go_on(self) -> None:
        """Let the program run for a moment."""
        self._move(("continue",), self._chance.uniform(*RUN_SECONDS))

    def move(self) -> None:
        """Let a command run the program on, and take back what it has set."""
        move = commands.MOVES[self._job["seed"] % len(commands.MOVES)]
        self._job["seed"] += 1
        began = time.monotonic()
        self._move(move, MOST_FOR_A_MOVE)
        self.answers += 1
        if time.monotonic() - began > MOST_FOR_A_MOVE:
            self.problems[f"slow: {move[0]}: not back after {MOST_FOR_A_MOVE:.0f} s"] += 1
        gdb.execute("delete", to_string=True)

    def _move(self, move: tuple[str, ...], seconds: float) -> None:
        for command in move:
            alarm = Alarm(seconds)
            try:
                text = gdb.execute(command, to_string=True)
            except gdb.error as error:
                text = str(error)
                self.refused[f"{command}: {text.splitlines()[0]}"] += 1
            alarm.stop()
            self._look_for_bugs(command, text)
            if self.exit_code is not None or not gdb.selected_inferior().pid:
                raise Ended

    def report(self, stops: int, error: str) -> dict[str, Any]:
        """Return all that was found."""
        found = self.found
        return {
            "stops": stops,
            "answers": self.answers,
            "facts": found.facts,
            "wrong": found.wrong,
            "contradictions": found.contradictions,
            "slowest": self.slowest,
            "problems": dict(self.problems),
            "refused": dict(self.refused),
            "exit_code": self.exit_code,
            "error": error,
        }


def function_of(call: str) -> str:
    """Return the command that calls a convenience function in the language of the place."""
    is_fortran = "fortran" in gdb.execute("show language", to_string=True)
    return "print " + (call.replace('"', "'") if is_fortran else call)


def attach(pid: int) -> None:
    """Attach to a process; Ended says that it has ended."""
    try:
        gdb.execute(f"attach {pid}", to_string=True)
    except gdb.error as error:
        raise Ended from error


def live(examination: Examination, job: dict[str, Any]) -> int:
    """Stop a process so often; let it end if it is gdb's own. Return the count of stops."""
    is_own, stops = job["life"] == "run", 0
    try:
        if is_own:
            gdb.execute(f"starti {job['arguments']} > {job['output']} 2>&1", to_string=True)
        else:
            attach(job["life"])
        while stops < job["stops"]:
            examination.go_on()
            examination.examine(stops)
            stops += 1
            if job["moves"]:
                examination.move()
        if is_own:
            gdb.execute("continue", to_string=True)
        else:
            gdb.execute("detach", to_string=True)
    except Ended:
        pass
    return stops


def main() -> None:
    """Examine a program, and report."""
    job = json.loads(Path(os.environ["PRODUCTION_JOB"]).read_text("utf-8"))
    for setting in ("pagination off", "confirm off", "height 0", "width 0"):
        gdb.execute(f"set {setting}")
    gdb.execute("set print thread-events off")
    gdb.execute("handle SIGSTOP stop nopass", to_string=True)
    examination, stops, error = Examination(job), 0, ""
    names = re.findall(r"^ompd ([\w-]+) -- ", gdb.execute("help ompd", to_string=True), re.M)
    for name in sorted(set(names) - commands.asked()):
        examination.problems[f"unasked: ompd {name}: is in no table of commands.py"] += 1
    try:
        if job["life"] == "core":
            of_live = json.loads(Path(job["said"]).read_text("utf-8"))["said"]
            examination.core(of_live)
        else:
            stops = live(examination, job)
    except Exception:
        error = traceback.format_exc()
    print("\nPRODUCTION " + json.dumps(examination.report(stops, error)))
    if gdb.selected_inferior().pid and job["life"] == "run":
        gdb.execute("kill", to_string=True)


main()
