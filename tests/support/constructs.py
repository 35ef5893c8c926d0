# SPDX-License-Identifier: Apache-2.0
"""The table in tests/programs/constructs.cpp: where steps through its constructs lead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.build import PROGRAMS, Build, binary
from support.gdb_session import run_gdb

PROGRAM = "constructs.cpp"
HELPER = Path(__file__).with_name("constructs_in_gdb.py")
ENVIRONMENT = {
    "OMP_NUM_THREADS": "2",
    "OMP_CANCELLATION": "true",
    "OMP_WAIT_POLICY": "passive",
}
_ROW = re.compile(r"// ((?:clang |gcc )?(?:O\d )?)(step|next|finish(?: region| task)?): (.*)")
_MARK = re.compile(r"// (\w+)$")
_FUNCTION = re.compile(r"^(?:template.* )?ALONE .*?(\S+)\(.*\) \{$")
_WALK = re.compile(r"^WALK (.*)\n((?:.*\n)*?)END$", re.MULTILINE)


@dataclass
class Case:
    """One construct: its name, its lines' marks by their numbers, and each command's pattern of
    the lines that it leads to, by the build that it is for."""

    name: str
    rows: dict[str, dict[str, str]]
    marks: dict[int, str] = field(default_factory=dict)

    def lines(self, *marks: str) -> list[int]:
        """Return the lines that have one of MARKS."""
        return [number for number, name in self.marks.items() if name in marks]

    def is_own_of(self, build: Build) -> bool:
        """Tell whether a pattern is of this compiler's code at this level alone."""
        return any(f"{build.compiler} {build.opt}" in rows for rows in self.rows.values())

    def pattern(self, command: str, build: Build) -> str:
        """Return what COMMAND is to meet in BUILD."""
        rows = self.rows[command]
        keys = (f"{build.compiler} {build.opt}", build.compiler, build.opt, "")
        return next(rows[key] for key in keys if key in rows)


def cases() -> Iterator[Case]:
    """Yield the program's constructs with what its comments say of them."""
    case, rows = Case("", {}), dict[str, dict[str, str]]()
    text = (PROGRAMS / PROGRAM).read_text("ascii").splitlines()
    for number, line in enumerate([*text, "ALONE end() {"], 1):
        row, function, mark = _ROW.match(line), _FUNCTION.match(line), _MARK.search(line)
        if row is not None:
            pattern = row[3].partition(", because ")[0]
            rows.setdefault(row[2], {})[row[1].strip()] = pattern
        elif function is not None and (rows or number > len(text)):
            if case.rows:
                yield case
            case, rows = Case(function[1], rows), {}
        elif mark is not None:
            case.marks[number] = mark[1]


@dataclass
class Walk:
    """What one command, given until it was at its end, led to: the marks of the lines, and the
    threads; and what gdb said."""

    case: Case
    command: str
    path: list[str]
    threads: set[int | None]
    said: str

    def is_as(self, pattern: str) -> bool:
        """Tell whether the path is what a row of the table says."""
        expected = re.sub(r"\w+", r"(?:\g<0> )", pattern).replace(") ", ")").replace(" (", "(")
        path = "".join(f"{word} " for word in self.path)
        return re.fullmatch(f"(?:construct )*(?:{expected})", path) is not None


def walks(build: Build, chosen: Sequence[Case]) -> tuple[list[Walk], str]:
    """Return what each command led to in each construct, in one gdb; and all that it said."""
    known = {case.name: case for case in chosen}
    asked = [
        [name, command, min(case.lines("before")), *_ends(case, command)]
        for name, case in known.items()
        for command in case.rows
    ]
    commands = ["set confirm off", "set print thread-events off", f"source {HELPER}"]
    commands.append(f"python walk({asked})")
    done = run_gdb(commands, binary(build), env=ENVIRONMENT, merged=True)
    found = []
    for head, said in _WALK.findall(done.stdout):
        name, command = json.loads(head)
        found.append(_walk(known[name], command, said))
    assert len(found) == len(asked), done.stdout
    return found, done.stdout


def _ends(case: Case, command: str) -> tuple[list[int], list[int]]:
    """Return at which lines COMMAND, repeated, ends, none if it is given once; and to which the
    program is to be brought before that."""
    if command.startswith("finish"):
        return [], case.lines("first", "last", "after")
    return case.lines("after"), []


def _walk(case: Case, command: str, text: str) -> Walk:
    walk = Walk(case, command, [], set(), "")
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "PLACE":
            thread, file, number = json.loads(rest)
            walk.threads.add(thread)
            mark = case.marks.get(number) if file == PROGRAM else None
            walk.path.append("out" if file == "main" else mark or f"{file}:{number}")
        elif word == "REFUSED":
            walk.path.append("refused")
        else:
            walk.said += f"{line}\n"
    return walk
