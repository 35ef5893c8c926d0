# SPDX-License-Identifier: Apache-2.0
"""Hold what the commands say of variables against what the program's threads have noted."""

from __future__ import annotations

import random
import re
from typing import Any, Callable, Optional

import gdb

from generator.findings import Findings
from generator.record import Record, Thread
from generator.statements import Construct
from generator.variables import FIRSTPRIVATE, GLOBALS, LASTPRIVATE, LINEAR, PRIVATE, REDUCTION, Note

ASKED_THREADS, ASKED_VALUES = 2, 3  # at a stop
COPIES = (PRIVATE, FIRSTPRIVATE, LASTPRIVATE, LINEAR, REDUCTION)
Document = Callable[[str], Any]


class Values:
    """What is said of the threads that work, at one stop."""

    def __init__(
        self,
        record: Record,
        constructs: list[Construct],
        notes: list[Note],
        files: list[str],
        gdb_nums: dict[int, int],
        found: Findings,
    ) -> None:
        self._record = record
        self._constructs = constructs
        self._notes = notes
        self._files = tuple(files)
        self._found = found
        self._by_number = {gdb_nums[t.lwp]: t for t in record.threads.values() if t.lwp in gdb_nums}

    def compare(self, chance: random.Random, document: Document) -> None:
        """Ask some threads. Keeps the selected thread."""
        selected = gdb.selected_thread()
        working = [number for number, thread in self._by_number.items() if thread.values]
        for number in chance.sample(working, min(ASKED_THREADS, len(working))):
            thread = self._by_number[number]
            next(t for t in gdb.selected_inferior().threads() if t.num == number).switch()
            frame = gdb.newest_frame()
            while frame is not None and not _is_in(frame, self._files):
                frame = frame.older()
            if frame is None:
                continue  # a program without lines, or a stack that ends early
            frame.select()
            noted = list(thread.values)
            for each in chance.sample(noted, min(ASKED_VALUES, len(noted))):
                self._one(number, thread, each, document)
            self._around(number, thread, document)
        selected.switch()

    def _one(self, number: int, thread: Thread, noted: int, document: Document) -> None:
        note = self._notes[noted]
        subject = f"thread {number}, line {thread.current.line}: {note.expression}"
        rows = self._said(f"print -- {note.expression}", document)["values"]
        own = [row["text"] for row in rows if row["gdb_num"] == number and row["text"]]
        if own and own == [_gdbs(note.expression)] and float(own[0]) != thread.values[noted][0]:
            why = "the compiler describes another"
            self._found.true(subject, "value", None, thread.values[noted][0], why)
            return
        for row in rows:
            truth = self._truth(note, thread, self._by_number.get(row["gdb_num"]))
            if truth is not None:
                self._value(f"{subject} in {row['gdb_num']}", row, *truth)
        diff = self._said(f"diff -- {note.expression}", document)
        self._found.same(subject, "print and diff", rows, diff["values"])
        said = self._said(f"whatis {note.name}", document).get("attribute")
        if said is not None and note.attribute:
            copy = ("private copy",) if note.attribute in COPIES else ()
            self._found.among(subject, "attribute", said, (note.attribute, *copy))
        if note.name == note.expression:
            found = self._said(f"print -up {note.name}", document)
            self._value(f"{subject} (-up)", _row(found), *thread.values[noted])

    def _truth(
        self, note: Note, asked: Thread, other: Optional[Thread]
    ) -> Optional[tuple[float, int]]:
        """Return what another thread has noted of the same variable in the same team."""
        if other is None or (other is not asked and note.name in GLOBALS):
            return None
        if self._region(other) != self._region(asked):
            return None
        for number, truth in other.values.items():
            mine = self._notes[number]
            if (mine.expression, mine.body) == (note.expression, note.body):
                return truth
        return None

    def _region(self, thread: Thread) -> Optional[int]:
        for link in (thread.tasks and self._record.chain(thread)) or ():
            if self._constructs[link.construct].kind == "parallel":
                return link.instance
        return None

    def _value(self, subject: str, row: Any, truth: float, place: int) -> None:
        if row["error"] or "<optimized out>" in row["text"]:
            return  # the optimiser's, or one that compilers do not describe
        said = float(row["text"])
        self._found.true(subject, "value", said, truth)
        if place and row["address"] is not None:
            self._found.true(subject, "address", row["address"], place)

    def _around(self, number: int, thread: Thread, document: Document) -> None:
        """Ask for variables of the code around the constructs that a thread is in."""
        for link in (thread.tasks and self._record.chain(thread)) or ():
            name = self._constructs[link.construct].outer
            if name:
                found = self._said(f"print -up {name}", document)
                subject = f"thread {number}, line {thread.current.line}: {name} (-up)"
                self._value(subject, _row(found), link.instance * 3 + 1, 0)

    @staticmethod
    def _said(command: str, document: Document) -> Any:
        """Return a document; where there is none, one with the reason."""
        try:
            return document(command)
        except gdb.error as error:
            return {
                "values": [{"gdb_num": None, "text": None, "error": str(error), "address": None}]
            }


def _is_in(frame: gdb.Frame, files: tuple[str, ...]) -> bool:
    symtab = frame.find_sal().symtab
    return symtab is not None and symtab.filename.endswith(files)


def _gdbs(expression: str) -> str:
    """Return what GDB itself says of a number in the selected frame; "" if nothing."""
    try:
        said = gdb.parse_and_eval(expression).format_string()
        return said if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", said) else ""
    except gdb.error:
        return ""


def _row(found: Any) -> Any:
    return found["values"][0]
