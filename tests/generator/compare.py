# SPDX-License-Identifier: Apache-2.0
"""Hold what the commands say at a stop against what the program has recorded."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any, Optional

from generator.findings import Findings
from generator.record import (
    BLOCKS,
    DROPS,
    ENDED,
    Link,
    MEETS,
    ON,
    PLACES,
    Record,
    TAIL,
    TEAM,
    Task,
    Thread,
    WANTS,
    WORKS,
)
from generator.statements import CRITICALS, FILE_NUMBER, KINDS, LOCKS, NEST_LOCKS, Construct

Document = dict[str, Any]
SYSTEM_LOCK = "system lock"
NOT_THE_PROGRAMS = (SYSTEM_LOCK, "runtime lock")

# What a thread may be shown to wait for at each place; it need not wait.
_WORKSHARING = {"barrier", "worksharing barrier"}
ALLOWED: dict[str, set[str]] = {
    "barrier": {"explicit barrier", "barrier"},
    "loop": {"loop barrier", "ordered"} | _WORKSHARING,
    "sections": {"sections barrier"} | _WORKSHARING,
    "single": {"single barrier"} | _WORKSHARING,
    "task": {"task dependence", "taskwait", "runtime lock"},
    "taskwait": {"taskwait"},
    "taskgroup": {"taskgroup"},
    "taskloop": {"taskloop", "taskgroup"},
    "ordered": {"ordered"},
    "reduction": {"loop barrier", "reduction", "atomic", "critical"} | _WORKSHARING,
    "copyprivate": {"copyprivate", "single barrier"} | _WORKSHARING,
    "taskyield": set(),
    "doacross": {"doacross", "ordered"},
}
# LLVM's runtime makes the threads of one region at a time, and enlarges a queue of tasks, under
# locks of its own.
AT_END = {
    "end-of-region barrier",
    "begin of region",
    "runtime lock",
    "reduction",
    "atomic",
    "critical",
    "barrier",
}
ALLOWED["last"] = ALLOWED["loop"] | AT_END


@dataclass(frozen=True)
class Place:
    """A region that a thread is in, directly or by those that it began from there: MEMBER is
    who has the NUMBER in it."""

    link: Link
    member: Thread
    number: int
    size: int
    level: int


class Comparison:
    """One stop. GDB_NUMS has GDB's numbers by LWP."""

    def __init__(
        self,
        record: Record,
        constructs: list[Construct],
        files: list[str],
        gdb_nums: dict[int, int],
        findings: Findings,
    ) -> None:
        self._record = record
        self._constructs = constructs
        self._files = files
        self._gdb_nums = gdb_nums
        self._found = findings
        self._by_number = {thread.number: thread for thread in record.threads.values()}

    def threads(self, document: Document) -> None:
        """Hold ``ompd threads`` against the record."""
        rows = {row["gdb_num"]: row for row in document["threads"]}
        for thread in self._record.threads.values():
            row = rows.get(self._gdb_nums.get(thread.lwp, -1))
            if row is None or thread.busy or not thread.tasks:
                continue
            subject = self._subject(thread, "threads")
            if thread.is_steady or thread.current.is_in_team:
                self._team_of(subject, row, thread.current)
            if thread.is_steady:
                self._doing(subject, row, thread)
            elif thread.current.phase in (TEAM, ENDED, TAIL):
                allowed = tuple(sorted(_allowed(thread)))
                self._found.among(subject, "waits for", _kind(row), (None, *allowed))
            elif thread.current.phase == MEETS:
                self._met(subject, row, thread.current)

    def _team_of(self, subject: str, row: Document, task: Task) -> None:
        why = _why_not(row)
        number, size = task.memberships[0]
        for name, truth in (
            ("thread_num", number),
            ("team_size", size),
            ("level", task.level),
            ("active_level", task.active_level),
            ("memberships", task.memberships),
            ("team_num", task.team_num),
            ("num_teams", task.num_teams),
        ):
            said = row[name] if row[name] != [] else None
            if name == "team_size" and self._is_teams(task):
                continue  # how many a region would get
            self._found.true(subject, name, said, truth, why)

    def _met(self, subject: str, row: Document, task: Task) -> None:
        """A thread between two teams is in the one or the other."""
        inner = [[0, place[1]] for place in row["memberships"][:1]] + task.memberships
        self._found.among(subject, "memberships", row["memberships"], ([], task.memberships, inner))

    def _doing(self, subject: str, row: Document, thread: Thread) -> None:
        task = thread.current
        kind = "explicit" if task.is_explicit else self._kind_of(task.construct)
        self._found.true(subject, "task", row["task"], kind, _why_not(row) or _why([row], "task"))
        allowed = _of_calls(task)
        # One that takes a lock, lets it go or begins a taskgroup may be in the runtime, which may
        # allocate memory, and have to wait for nobody.
        is_in_call = task.phase == ON and row["outside"] is not None
        may_be_in_runtime = task.phase in (WANTS, DROPS) or is_in_call
        states = ("working", "overhead") if may_be_in_runtime else ("working",)
        if task.phase == WANTS:
            wanted = _lock(task.detail)
            allowed = (None, wanted[0])
            if _kind(row) == wanted[0]:
                name = row["waits_for"]["name"]
                self._found.true(subject, "waits for which", name, wanted[1])
        self._found.among(subject, "waits for", _kind(row), allowed)
        if _kind(row) is None:
            said = row["state"]
            said = "working" if said and said.startswith("work") else said
            self._found.among(subject, "state", said, states, _why_not(row))
        if task.phase in (WORKS, BLOCKS, TAIL):
            self._place(subject, row["location"], task)

    def _place(self, subject: str, location: Optional[Document], task: Task) -> None:
        location = location or {"function": None, "line": None, "file": None}
        file = location["file"] and location["file"].rpartition("/")[2]
        if task.phase == WORKS:
            number, line = divmod(task.line, FILE_NUMBER)
            self._found.true(subject, "file", file, self._files[number])
            self._found.true(subject, "line", location["line"], line)
        elif file is not None:
            self._found.among(subject, "file", file, self._files)
        if location["line"] is None:
            self._found.true(subject, "line", None, "known")

    def parallel(self, document: Document) -> None:
        """Hold ``ompd parallel -all`` against the record."""
        row_of: dict[int, int] = {}
        for thread in filter(lambda each: each.is_steady, self._record.threads.values()):
            chain = self._record.chain(thread)
            if chain is None:
                continue
            links = [link for link in chain if self._constructs[link.construct].kind == "parallel"]
            places = thread.current.memberships
            member = thread
            for link, (number, size), level in zip(links, places, range(len(links), 0, -1)):
                place = Place(link, member, number, size, level)
                self._region(thread, place, document["regions"], row_of)
                # In the next one is who met this one: perhaps in a task of another thread's.
                member = self._by_number[self._record.instances[link.instance][2]]

    def _region(
        self, thread: Thread, place: Place, rows: list[Document], row_of: dict[int, int]
    ) -> None:
        subject = self._subject(thread, f"parallel, level {place.level}")
        gdb_num, at = self._gdb_nums[place.member.lwp], place.number
        having = [
            row
            for row in rows
            if row["level"] == place.level and row["threads"][at : at + 1] == [gdb_num]
        ]
        self._found.true(subject, f"regions with {gdb_num} as {at}", len(having), 1)
        if len(having) != 1:
            return
        row = having[0]
        known = row_of.setdefault(place.link.instance, row["id"])
        self._found.true(subject, "region's number", row["id"], known)
        self._found.true(subject, "size", row["team_size"], place.size)
        self._found.true(subject, "serialized", row["serialized"], place.size == 1)
        self._construct(subject, row, self._constructs[place.link.construct])

    def tasks(self, document: Document) -> None:
        """Hold ``ompd tasks -all`` against the record."""
        for thread in filter(lambda each: each.is_steady, self._record.threads.values()):
            chain = self._record.chain(thread)
            if chain is None:
                continue
            gdb_num = self._gdb_nums[thread.lwp]
            rows = [row for row in document["tasks"] if row["gdb_num"] == gdb_num]
            rows.sort(key=lambda row: int(row["depth"]))
            subject = self._subject(thread, "tasks")
            truth = [self._kind_of(link.construct) for link in chain]
            kinds = _generating_kinds(rows)
            if kinds == truth[: len(kinds)] and len(kinds) < len(chain):
                # A league's tasks are the initial one to GCC's runtime.
                in_league = "initial" if truth == [*kinds, "initial"] else ""
                why = _why(rows[: len(kinds)][-1:], "generating") or in_league and "in a league"
                why = why if rows else "not an OpenMP thread"
                self._found.true(subject, "the whole chain", None, truth, why)
                continue
            if _is_unknown(kinds, truth):
                why = _why([row for row in rows if row["kind"] is None], "kind")
                self._found.true(subject, "the order of tasks", None, truth, why)
                continue
            self._found.true(subject, "kinds", kinds, truth)
            if kinds != truth:
                continue
            for depth, (row, link) in enumerate(zip(rows, chain)):
                each = f"{subject}, depth {depth}"
                self._construct(each, row, self._constructs[link.construct])
                last = depth + 1 == len(chain)
                self._found.true(each, "generating", row["generating"], None if last else depth + 1)
            explicit = itertools.takewhile(lambda link: self._is_task(link.construct), chain)
            is_final = any(self._constructs[link.construct].final for link in explicit)
            # LLVM's omp_in_final() says so in a serialized region in a final task, too.
            if is_final or not any(self._constructs[link.construct].final for link in chain):
                self._found.true(subject, "final", rows[0]["final"], is_final)
            self._scheduling(subject, rows, thread, chain)
        self._waiting_tasks(document)

    def _scheduling(
        self, subject: str, rows: list[Document], thread: Thread, chain: list[Link]
    ) -> None:
        if not thread.current.is_explicit:
            return
        below = thread.tasks[-2]
        said = rows[0]["scheduling"]
        expected = [
            depth
            for depth, link in enumerate(chain)
            if link.instance == below.instance
            and (below.is_explicit or link.thread == thread.number)
        ]
        if expected:
            # What a task that has left its body makes ready its runtime may execute in its end.
            if said is not None and said >= len(chain) and rows[said]["frames"]["exit"] is None:
                expected = [said]
            self._found.true(subject, "scheduling", said, expected[0], _why(rows[:1], "scheduling"))
        elif said is None or said < len(chain):
            self._found.true(
                subject,
                "scheduling",
                said,
                f"outside of the chain, {below.construct}",
                _why(rows[:1], "scheduling"),
            )
        else:
            kind = self._kind_of(below.construct)
            self._found.true(subject, "suspended", rows[said]["kind"], kind)

    def _waiting_tasks(self, document: Document) -> None:
        """Tasks that nobody executes are the program's, each with a line of one."""
        places = {
            (self._files[each.file], each.line): each
            for each in self._constructs
            if each.kind == "task"
        }
        for row in (row for row in document["tasks"] if row["gdb_num"] is None):
            subject = f"tasks, {row['where']}"
            place = (row["file"] and row["file"].rpartition("/")[2], row["line"])
            said = None if place[1] is None else place
            self._found.among(subject, "place", said, tuple(places), _why([row], "function"))
            if place in places:
                self._construct(subject, row, places[place])

    def why(self, document: Document) -> None:
        """Hold ``ompd why`` against the record."""
        steady = {
            self._gdb_nums[thread.lwp]: thread
            for thread in self._record.threads.values()
            if thread.is_steady
        }
        allowed = ("running", "waiting") if steady else ("running", "waiting", "idle")
        self._found.among("why", "verdict", document["verdict"], allowed)
        if any(thread.current.phase == WORKS for thread in steady.values()):
            said = document["text"].startswith(("running", "waiting"))
            self._found.true("why", document["text"], said, True)
        for team in document["teams"]:
            for group in team["groups"]:
                for gdb_num in group["gdb_num"]:
                    if gdb_num in steady:
                        self._group(steady[gdb_num], group)
        for lock in document["locks"]:
            self._lock(lock, steady)

    def _group(self, thread: Thread, group: Document) -> None:
        subject = self._subject(thread, "why")
        allowed = _of_calls(thread.current)
        if thread.current.phase == WANTS:
            allowed = (None, _lock(thread.current.detail)[0])
        self._found.among(subject, "waits for", _kind(group), allowed)
        if _kind(group) is None:
            # From inside the barrier it executes tasks.
            below = [task.phase for task in thread.tasks if task.is_explicit or task.level > 0][:-1]
            inside = thread.current.is_explicit and below and below[-1] in (TEAM, ENDED, TAIL)
            allowed_arrival = (False, None, True) if inside else (False, None)
            self._found.among(subject, "arrived", group["arrived"], allowed_arrival)

    def _lock(self, lock: Document, steady: dict[int, Thread]) -> None:
        if lock["kind"] in NOT_THE_PROGRAMS:
            return
        known = [n for n in range(LOCKS + NEST_LOCKS + len(CRITICALS)) if _is(lock, n)]
        subject = f"why, {lock['kind']} {lock['name']}"
        said = None if lock["name"] is None else len(known)
        self._found.true(subject, "lock's name", said, 1)
        if len(known) != 1:
            return
        (number,) = known
        holders = {
            gdb_num
            for gdb_num, thread in steady.items()
            if number in thread.held or self._is_about(thread, number)
        }
        certain = {gdb_num for gdb_num, thread in steady.items() if number in thread.held}
        for waiter in (each["gdb_num"] for each in lock["waiters"]):
            if waiter in steady:
                task = steady[waiter].current
                waits = task.phase == WANTS and task.detail == number
                self._found.true(subject, f"{waiter} waits", True, waits)
        said = {each["gdb_num"] for each in lock["holders"]}
        for holder in said & set(steady):
            if len(said) == 1:
                self._found.true(subject, f"{holder} holds", True, holder in holders)
        if certain:
            self._found.among(subject, "held", lock["held"], (True, None))
            if not said:
                self._found.true(subject, f"{lock['kind']}'s holder", None, certain)
            else:
                self._found.true(subject, f"{certain} hold", bool(said & certain), True)

    @staticmethod
    def _is_about(thread: Thread, number: int) -> bool:
        task = thread.current
        return task.phase in (WANTS, DROPS) and task.detail == number

    def stack(self, thread: Thread, document: Document) -> None:
        """Hold ``ompd bt`` of a thread against the record."""
        chain = self._record.chain(thread)
        # Nor is a task in a stack that has jumped out of its body.
        is_gone = thread.current.is_explicit and thread.current.phase == TAIL
        if chain is None or not thread.is_steady or is_gone:
            return
        subject = self._subject(thread, "bt")
        marks = [row for row in document["stack"] if row["entry"] != "frame"]
        self._work_in(subject, document, thread.current)
        at, link = thread, chain[0]
        for mark in marks:
            if link.instance < 0:
                self._found.true(subject, "constructs", "another", "no more")
                return
            construct = self._constructs[link.construct]
            entry = {"task": "task", "teams": "league"}.get(construct.kind, "region")
            self._found.true(subject, "entry", mark["entry"], entry)
            if mark["entry"] != entry:
                return
            self._construct(subject, mark, construct)
            self._found.true(subject, "executed by", mark["gdb_num"], self._gdb_nums[at.lwp])
            below = self._below(at, link) if mark["creator"] is False else self._parent(link)
            if below is None:
                return
            link = below
            at = self._by_number[link.thread]
        why = document["ends"] or ""
        self._found.true(
            subject, "stack to its end", True if link.instance < 0 else None, True, why
        )

    def _work_in(self, subject: str, document: Document, task: Task) -> None:
        """The line that works is among those of the innermost frames."""
        if task.phase != WORKS:
            return
        frames = itertools.takewhile(lambda row: row["entry"] == "frame", document["stack"])
        lines = [row["line"] for row in frames]
        line = task.line % FILE_NUMBER
        said = line if line in lines else lines if any(lines) else None
        self._found.true(subject, "line that works", said, line, document["ends"] or "")

    def _parent(self, link: Link) -> Optional[Link]:
        _, parent, thread = self._record.instances[link.instance]
        return self._link(parent, thread)

    def _below(self, thread: Thread, link: Link) -> Optional[Link]:
        """Return what a thread executes below a task."""
        numbers = [task.instance for task in thread.tasks]
        if link.instance not in numbers:
            return None
        return self._link(numbers[numbers.index(link.instance) - 1], thread.number)

    def _link(self, instance: int, thread: int) -> Optional[Link]:
        if instance < 0:
            return Link(instance, 0, thread)
        if instance not in self._record.instances:
            return None
        construct = self._record.instances[instance][0]
        return Link(instance, construct if construct >= 0 else -1 - construct, thread)

    def _construct(self, subject: str, row: Document, construct: Construct) -> None:
        if construct.kind in ("initial", "teams"):
            return
        said = row["function"]
        if said is not None:
            names = re.findall(r"operator\(\)|\w+", said)
            said = construct.function if construct.function in names else said
        why = _why([row], "function")
        self._found.true(subject, "construct's function", said, construct.function, why)
        self._found.true(subject, "construct's line", row["line"], construct.line, why)
        if row["file"] is not None:
            file = row["file"].rpartition("/")[2]
            self._found.true(subject, "construct's file", file, self._files[construct.file])

    def _kind_of(self, construct: int) -> str:
        return KINDS.get(self._constructs[construct].kind, "initial")

    def _is_task(self, construct: int) -> bool:
        return self._constructs[construct].kind == "task"

    def _is_teams(self, task: Task) -> bool:
        return self._constructs[task.construct].kind == "teams"

    def _subject(self, thread: Thread, document: str) -> str:
        task = thread.current
        doing = f"phase {task.phase}, detail {task.detail}, construct {task.construct}"
        return f"{document} of thread {self._gdb_nums.get(thread.lwp)} ({doing})"


def _allowed(thread: Thread) -> set[str]:
    """Return what a thread in the runtime can wait for. After a last act it may be done with
    that task."""
    found: set[str] = set()
    for task in reversed(thread.tasks):
        found |= ALLOWED[PLACES[task.detail]] if task.phase == TEAM else AT_END
        if not (task.is_explicit and task.phase == TAIL):
            break
    return found


def _generating_kinds(rows: list[Document]) -> list[Optional[str]]:
    """Return the kinds of a chain: after it come tasks that were suspended on the thread."""
    found = []
    for depth, row in enumerate(rows):
        found.append(row["kind"])
        if row["generating"] != depth + 1:
            break
    return found


def _why_not(row: Document) -> str:
    """Return why nothing is known of a thread. One that has not used OpenMP yet is none to
    GCC's runtime, and shown as none."""
    native = "not an OpenMP thread" if row["kind"] == "native" else ""
    return row["error"] or native or _why([row], "kind")


def _why(rows: list[Document], fact: str) -> str:
    """Return why a FACT of one of ROWS is not known, as the document says: what failed, or
    the known fault of the library that it had to be taken back for."""
    said = (row.get(place, {}).get(fact) for row in rows for place in ("unknown", "sources"))
    return next((str(why) for why in said if why), "")


def _is_unknown(kinds: list[Optional[str]], truth: list[str]) -> bool:
    """Tell whether nothing is wrong of KINDS, and some are not known, or what is behind them."""
    if len(kinds) > len(truth) or None not in kinds:
        return False
    return all(said in (None, true) for said, true in zip(kinds, truth))


def _of_calls(task: Task) -> tuple[Optional[str], ...]:
    """Return what a thread in the user's code may wait for: pthread_create takes locks."""
    return (None, SYSTEM_LOCK) if task.phase == BLOCKS else (None,)


def _kind(row: Document) -> Optional[str]:
    return row["waits_for"]["kind"] if row["waits_for"] else None


def _lock(number: int) -> tuple[str, str]:
    """Return the kind and the name of a lock by its number."""
    if number < LOCKS:
        return "lock", f"record_locks[{number}]"
    if number < LOCKS + NEST_LOCKS:
        return "nest lock", f"record_nest_locks[{number - LOCKS}]"
    return "critical", CRITICALS[number - LOCKS - NEST_LOCKS]


def _is(lock: Document, number: int) -> bool:
    return (lock["kind"], lock["name"]) == _lock(number)
