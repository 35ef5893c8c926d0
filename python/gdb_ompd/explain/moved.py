# SPDX-License-Identifier: Apache-2.0
"""Two moments of one program: which threads have moved, and what that tells."""

from __future__ import annotations

from enum import Enum
from typing import Hashable, Mapping, NamedTuple, Optional, Sequence

from ..model import (
    ControlVariable,
    Icv,
    OMP_KINDS,
    Region,
    Snapshot,
    Status,
    Task,
    Thread,
    WaitingTasks,
    place_key,
)
from ..model.stacks import Stack, StackFrame, Tree
from .report import Report, Verdict
from .phrases import counted, named

MAIN = ("main", "MAIN__")  # gfortran calls a program so
# Milliseconds that a thread must have run before it can be said to be in a loop: a step ends sooner.
A_LOOP = 10
TO_STOP = 1  # millisecond: that a thread is stopped and goes on takes it a tenth at most


class Change(str, Enum):
    """What a thread has done. AROUND is another instruction, region or task, but in the same
    functions and of the same constructs. UNSEEN are those whose stack was not read."""

    SAME = "not moved"
    AROUND = "at the same places again"
    ON = "went on"
    CAME = "came"
    WENT = "went"
    UNSEEN = "not seen"


class Outcome(str, Enum):
    """The one word for all threads."""

    ONE_STOP = "one stop"
    DEADLOCK = "deadlock"
    STUCK = "stuck"
    UNCLEAR = "unclear"
    AGAIN = "again"
    GOES_ON = "goes on"


# Of the threads of two processes that have the same numbers.
SEEN = {
    Change.SAME: "at the same place",
    Change.AROUND: "in the same functions",
    Change.ON: "at another place",
    Change.CAME: "in the later one only",
    Change.WENT: "in the earlier one only",
    Change.UNSEEN: "not seen",
}


class Moment(NamedTuple):
    """A program at a stop."""

    time: int  # in milliseconds
    process: Hashable  # two moments of one process have the same threads by their LWPs
    identity: Hashable  # of the stop: the same until the program goes on
    threads: Sequence[Thread]
    regions: Sequence[Region]
    tasks: Sequence[Task]
    stacks: Mapping[int, Stack]
    report: Optional[Report]
    ran: Mapping[int, int]  # how many milliseconds, by GDB's numbers, where that is known


class Moved(NamedTuple):
    """A thread BEFORE and AFTER; CHANGED says of one that went on what is another."""

    change: Change
    before: Optional[Thread]
    after: Optional[Thread]
    changed: tuple[str, ...] = ()


class Comparison(NamedTuple):
    """The answer of ``ompd compare``."""

    outcome: Outcome
    text: str
    seconds: float
    threads: tuple[Moved, ...]
    notes: tuple[str, ...] = ()


def compare(before: Moment, after: Moment) -> Comparison:
    """Return what moved between two moments, the earlier one first."""
    if before.time > after.time:
        before, after = after, before
    same_process = before.process == after.process
    old = {_key(t, same_process): _Seen(before, t) for t in before.threads}
    new = {_key(t, same_process): _Seen(after, t) for t in after.threads}
    threads = [_moved(old.get(key), seen, before, after) for key, seen in new.items()]
    threads += [
        Moved(Change.WENT, seen.thread, None) for key, seen in old.items() if key not in new
    ]
    notes = ("Not one process: threads are told apart by GDB's numbers.",) * (not same_process)
    seconds = (after.time - before.time) / 1000
    outcome, text = _verdict(before, after, threads, same_process)
    return Comparison(outcome, text, seconds, tuple(threads), notes)


def _key(thread: Thread, same_process: bool) -> int:
    return thread.lwp if same_process else thread.gdb_num


class _Seen:
    """What tells whether a thread has moved: in the runtime it may spin, so that only frames of
    the user's count."""

    def __init__(self, moment: Moment, thread: Thread) -> None:
        self.thread = thread
        stack = moment.stacks.get(thread.gdb_num)
        self.is_known = stack is not None and not thread.error
        frames = _of_program(stack) if stack else []
        region = next((r for r in moment.regions if r.id == thread.region), None)
        task = next((t for t in moment.tasks if (t.gdb_num, t.depth) == (thread.gdb_num, 0)), None)
        waits = thread.waits_for
        self.exact = {
            "place": tuple(frame.pc for frame in frames),
            "region": region and region.parallel_id,
            "task": task and task.task_id,
            "state": (
                thread.state,
                thread.idle,
                thread.signal,
                waits and (waits.kind, waits.address),
            ),
        }
        self.around = (
            tuple((frame.function, frame.file, frame.code) for frame in frames),
            region and place_key(region),
            task and (task.kind, place_key(task)),
        )


def _of_program(stack: Stack) -> list[StackFrame]:
    """Return the frames of the user's, up to the program's main function. Whether a stack has those
    behind it is a setting of GDB's ("backtrace past-main"), which may differ between two stops."""
    found: list[StackFrame] = []
    for frame in (f for s in stack.segments for f in s.frames if not f.hidden):
        found.append(frame)
        if frame.function in MAIN:
            break
    return found


def _moved(before: Optional[_Seen], after: _Seen, *moments: Moment) -> Moved:
    if before is None:
        return Moved(Change.CAME, None, after.thread)
    threads = before.thread, after.thread
    if not (before.is_known and after.is_known):
        return Moved(Change.UNSEEN, *threads)
    changed = tuple(k for k, fact in after.exact.items() if fact != before.exact[k])
    if not changed:
        return Moved(Change.SAME, *threads)
    ran = _ran(moments[0], before.thread, moments[1], after.thread)
    may_loop = before.around == after.around and (ran is None or ran >= A_LOOP)
    change = Change.AROUND if may_loop else Change.ON
    return Moved(change, *threads, changed)


def _verdict(
    before: Moment, after: Moment, threads: Sequence[Moved], same_process: bool
) -> tuple[Outcome, str]:
    time = _seconds((after.time - before.time) / 1000)
    numbers: dict[Change, list[int]] = {change: [] for change in Change}
    for each in threads:
        thread = each.after or each.before
        numbers[each.change] += [thread.gdb_num] if thread is not None else []
    said = f"; {after.report.text}" if after.report else ""
    deadlocks = [
        m.report is not None and m.report.verdict is Verdict.DEADLOCK for m in (before, after)
    ]
    if before.identity == after.identity:
        return Outcome.ONE_STOP, f"one stop: the program did not go on in between{said}"
    moved = [change for change in numbers if numbers[change] and change is not Change.SAME]
    if not same_process:
        counts = [f"{counted(len(n), 'thread')} {SEEN[c]}" for c, n in numbers.items() if n]
        return (
            Outcome.UNCLEAR,
            f"two processes, of which neither tells of the other: {', '.join(counts)}",
        )
    if not moved and all(deadlocks):
        return Outcome.DEADLOCK, f"nothing moved in {time}, and nobody can{said}"
    if not moved:
        ran = [
            new.gdb_num
            for _, old, new, _ in threads
            if old and new and (_ran(before, old, after, new) or 0) > TO_STOP
        ]
        one = len(ran) == 1
        why = (
            "spins or came back to where it was" if one else "spin or came back to where they were"
        )
        busy = f", but {named(ran)} ran, and {why}" if ran else ""
        outcome = Outcome.UNCLEAR if busy else Outcome.STUCK
        return outcome, f"nobody was seen to move in {time}{busy}{said}"
    but = f"; but {after.report.text}" if after.report and deadlocks[1] else ""
    still = numbers[Change.SAME]
    rest = f", {named(still)} did not move" if still else ""
    if moved == [Change.AROUND]:
        who = named(numbers[Change.AROUND])
        why = "in a long loop or a live-lock"
        return Outcome.AGAIN, f"the same places again after {time}: {who}, {why}{rest}{but}"
    parts = [
        f"{counted(len(numbers[change]), 'thread')} {words}"
        for change, words in (
            (Change.ON, "went on"),
            (Change.AROUND, "at the same places again"),
            (Change.CAME, "came"),
            (Change.WENT, "went"),
            (Change.UNSEEN, "not seen"),
        )
        if numbers[change]
    ]
    return Outcome.GOES_ON, f"it goes on: in {time} {', '.join(parts)}{rest}{but}"


def _ran(before: Moment, old: Thread, after: Moment, new: Thread) -> Optional[int]:
    """Return how long a thread ran between two moments, None where that is not known."""
    since, until = before.ran.get(old.gdb_num), after.ran.get(new.gdb_num)
    return None if since is None or until is None else until - since


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


class Whole(NamedTuple):
    """A stop. ABOUT are names and values: which program, when, where. NOTES say what is not
    known. COMPARISON is with an earlier moment."""

    about: tuple[tuple[str, str], ...]
    status: Status
    report: Optional[Report]
    snapshot: Snapshot
    trees: tuple[Tree, ...]
    tasks: tuple[Task, ...]
    waiting: WaitingTasks
    icvs: tuple[Icv, ...]
    variables: tuple[ControlVariable, ...]
    prefix: str
    notes: tuple[str, ...]
    comparison: Optional[Comparison] = None
