# SPDX-License-Identifier: Apache-2.0
"""The verdict and its sentence where there is no deadlock: who can go on, and for whom the rest wait."""

from __future__ import annotations

from typing import Iterator, Mapping, Optional, Sequence

from ..model.waits import BARRIERS, Kind, MUTEXES, RUNTIME, UNNAMED
from . import absent
from .facts import At, Facts
from .needs import POOL, takers_of
from .phrases import at_place, counted, named, place, places, wait_for, waited_object, waits, who
from .queued import Queued
from .report import Said, Verdict
from .stuck import Needs, sinks
from .teams import doing_key
from .whom import each_at_its_place, for_whom


class Others:
    """What is said where there is no deadlock."""

    def __init__(self, facts: Facts, needs: Mapping[int, Needs]) -> None:
        self._facts = facts
        self._takers, _ = takers_of(facts)
        self._needs = {n: need for n, need in needs.items() if n not in self._takers}
        crashed = {each.gdb_num for each in facts.crashes}
        # GCC's runtime does not know a thread that has begun no region, and waits for a lock.
        omp = [t for t in facts.threads if t.is_omp or t.wait.kind in MUTEXES]
        self._waiting = [thread for thread in omp if thread.gdb_num in self._needs]
        left = [t for t in omp if t.gdb_num not in self._needs and t.wait.kind not in POOL]
        self._running = [thread for thread in left if thread.running]
        stopped = [t for t in left if not t.running and t.gdb_num not in crashed]
        self._free = [thread for thread in stopped if thread.in_known_code]
        self._unknown = [thread for thread in stopped if not thread.in_known_code]
        self._outside = [
            t.gdb_num
            for t in facts.threads
            if not (t.is_omp or t.running or t.is_held_up or t.gdb_num in needs)
            and t.in_known_code
            and t.wait.kind is None
        ]

    def verdict(self) -> Said:
        """Return the verdict and its sentence."""
        if self._unknown:
            return self._cannot_tell()
        if self._takers:
            return self._able(self._free)
        if self._waiting:
            return self._wait()
        called = [thread for thread in self._free if thread.is_held_up]
        if self._free and len(called) == len(self._free) and not self._running:
            return self._held_up(f"waiting for {each_at_its_place(called)}")
        if self._free or self._running:
            return self._able(self._free)
        return Verdict.IDLE, "all idle: no OpenMP thread has anything to do"

    def _cannot_tell(self) -> Said:
        """Say of whom it is not known whether they wait, and who can go on all the same."""
        numbers = [thread.gdb_num for thread in self._unknown]
        unknown = f"whether {named(numbers)} can go on"
        if not (self._free or self._running or self._takers):
            return Verdict.UNKNOWN, f"unknown: {unknown}"
        verdict, text = self._able(self._free)
        return verdict, f"{text}; {unknown} is not known"

    def _wait(self) -> Said:
        """Say for whom the threads wait that do, where that is one place."""
        ends = sinks(self._needs, [thread.gdb_num for thread in self._waiting])
        last = [
            t for t in self._facts.threads if t.gdb_num in ends and t.gdb_num not in self._needs
        ]
        if any(self._comes_out(thread) and not thread.is_held_up for thread in last):
            return self._able(last)
        if last and all(thread.is_held_up for thread in last):
            # Others may be blocked for whom nobody waits.
            others = [t for t in self._free if t.gdb_num not in ends and t.is_held_up]
            return self._held_up(f"waiting for {each_at_its_place([*last, *others])}")
        if last and len({doing_key(thread) for thread in last}) == 1:
            return Verdict.WAITING, f"waiting for {who(last)}"
        if last or self._running or not all(thread.is_held_up for thread in self._free):
            return self._able(self._free or last)
        beside = f"; beside them {each_at_its_place(self._free)}" if self._free else ""
        return self._held_up(f"{self._for_nobody_known()}{beside}")

    def _held_up(self, text: str) -> Said:
        """Say who outside of OpenMP may end what nobody of OpenMP's is known to."""
        can = f"; outside of OpenMP {named(self._outside)} can go on" if self._outside else ""
        return Verdict.WAITING, f"{text}{can}"

    def _comes_out(self, thread: At) -> bool:
        """Tell whether a thread that waits for nobody is in a call of the runtime which keeps it no
        longer: one that lets a lock go, or begins a region which others have executed already."""
        if thread.wait.kind is None and thread.call.calls_workers:
            return any(
                other.region == thread.region and other.wait.kind in BARRIERS and other.blocked
                for other in self._facts.threads
            )
        is_inside = thread.wait.outside == RUNTIME and thread.wait.entry_point != UNNAMED
        return thread.wait.kind is not None or (is_inside and thread.in_known_code)

    def _for_nobody_known(self) -> str:
        """Say what is waited for where nobody is known who could end it."""
        unknown = [
            t
            for t in self._waiting
            if t.wait.kind in MUTEXES and not self._needs[t.gdb_num].targets - {t.gdb_num}
        ]
        if unknown:
            first = unknown[0]
            what = f"{waited_object(first)}{at_place(first)}, {absent.unknown_owner(first, self._facts)}"
            return f"waiting for {what}"
        said = places(self._waiting, lambda thread: for_whom(thread, self._facts))
        if all(is_lost(thread, self._facts, self._needs) for thread in self._waiting):
            until = "all of the team sleep until its last task is done, and none is left"
            return f"waiting: {said}; {until}"
        detached = Queued.detached(self._facts)
        at_once = [t for t in self._waiting if t.wait.kind is Kind.TASK_EVENT]
        number = len(detached) + len(at_once)
        if number:
            tasks = "a detached task" if number == 1 else f"{number} detached tasks"
            where = place(detached[0]) if detached else at_place(at_once[0])
            return f"waiting for the event of {tasks}{where}, which nobody has fulfilled: {said}"
        timed = [thread.gdb_num for thread in self._waiting if thread.call.is_timed]
        if timed:
            return f"waiting: {said}; {named(timed)} {waits(timed)} for a time only"
        return f"waiting: {said}; whether one of them can go on is not known"

    def _able(self, able: Sequence[At]) -> Said:
        """Say who can go on, and how many wait."""
        parts = list(self._who_can(able))
        if self._running:
            numbers = [thread.gdb_num for thread in self._running]
            known = "not stopped: 'interrupt -a' stops all"
            parts.append(f"{named(numbers)} {'is' if len(numbers) == 1 else 'are'} {known}")
        left = len(self._waiting)
        if left:
            parts.append(f"{counted(left, 'thread')} {'waits' if left == 1 else 'wait'} for that")
        return Verdict.RUNNING, "running: " + ", ".join(parts)

    def _who_can(self, able: Sequence[At]) -> Iterator[str]:
        takers = [t.gdb_num for t in self._facts.threads if t.gdb_num in self._takers]
        if takers:
            are = "is" if len(takers) == 1 else "are"
            them = "it" if len(Queued(self._facts)) == 1 else "them"
            yield f"{_queued(self._facts)}, and {named(takers)} {are} free to run {them}"
        able = [thread for thread in able if thread.gdb_num not in self._takers]
        called = [thread for thread in able if thread.is_held_up]
        if takers or len(called) < len(able):
            able = [thread for thread in able if not thread.is_held_up]
        else:
            called = []
        come = self._all_come(able)
        if come:
            yield come
        elif able:
            yield f"{named(t.gdb_num for t in able)} can go on"
        if called:
            yield f"{'and perhaps ' if able or takers else ''}{each_at_its_place(called)}"

    def _all_come(self, able: Sequence[At]) -> Optional[str]:
        """Say that all of a team have come to their barrier; None if that is not all, or of one
        thread alone."""
        if (
            len(able) < 2
            or self._waiting
            or any(thread.wait.kind not in BARRIERS for thread in able)
        ):
            return None
        regions = {thread.region for thread in able}
        region = next((r for r in self._facts.regions if r.id in regions), None)
        if len(regions) != 1 or region is None or region.team_size != len(able):
            return None
        at = {wait_for(f"{waited_object(thread)}{at_place(thread)}") for thread in able}
        if len(at) != 1:
            kinds = {waited_object(thread) for thread in able}
            at = {wait_for(kinds.pop()) if len(kinds) == 1 else "at their barriers"}
        return (
            f"all {len(able)} threads of the team have come to {_article(at.pop())}, and can go on"
        )


def is_lost(thread: At, facts: Facts, needs: Mapping[int, Needs]) -> bool:
    """Tell whether a thread's team sleeps until the last of its tasks is done, and has none."""
    left = facts.waiting_tasks is None or any(
        task.region in (None, thread.region) for task in facts.waiting_tasks
    )
    # Who executes the last one meanwhile has not come to the barrier.
    awaits = thread.awaits_tasks and thread.gdb_num in needs and not needs[thread.gdb_num].all
    return awaits and not left


def _queued(facts: Facts) -> str:
    """Say how many tasks are queued."""
    number = len(Queued(facts))
    return f"{counted(number, 'task')} {'is' if number == 1 else 'are'} queued"


def unreached(facts: Facts, verdict: Verdict) -> list[str]:
    """Say that nobody can run the tasks that are queued, where somebody waits for them."""
    takers, is_known = takers_of(facts)
    number, waits = len(Queued(facts)), verdict in (Verdict.DEADLOCK, Verdict.WAITING)
    if takers or not is_known or not number or not waits:
        return []
    return [f"{_queued(facts)}, and no thread is free to run {'it' if number == 1 else 'them'}."]


def _article(at: str) -> str:
    """Turn "at barrier at heat.c:52" into "the barrier at heat.c:52"."""
    what = at.partition(" ")[2]
    return what if what.startswith("their") else f"the {what}"
