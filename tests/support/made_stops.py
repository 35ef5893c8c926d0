# SPDX-License-Identifier: Apache-2.0
"""Stops that no program was at, as large as wanted: threads of one team at a barrier, but one.

    python3 -m support.made_stops RANKS THREADS FOLDER

writes so many saved ranks: all but the last at a barrier; the last one's thread 3 is in MPI_Recv.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gdb_ompd.explain.report import Group, Report, Team, Verdict
from gdb_ompd.model import (
    ControlVariable,
    Icv,
    IcvOwner,
    Location,
    Membership,
    Region,
    Scope,
    Snapshot,
    Status,
    Task,
    TaskFrames,
    TaskKind,
    Thread,
    ThreadKind,
    WaitingTasks,
    WaitsFor,
)
from gdb_ompd.model.stacks import Boundary, Construct, Segment, Stack, StackFrame
from gdb_ompd.model.cpus import Places
from gdb_ompd.model.devices import Devices
from gdb_ompd.model.teams import TeamSize
from gdb_ompd.saved import document
from gdb_ompd.saved.document import Circumstances, Rank
from gdb_ompd.saved.taking import taken

BARRIER = Location("step", "/src/heat.c", 52, 0x401200)
RECEIVE = Location("exchange", "/src/exchange.c", 40, 0x401900)
WAIT = WaitsFor("explicit barrier")


class MadeStop:
    """A stop of COUNT threads, of which thread LATE is not at the barrier, and calls OUTSIDE."""

    inferior, prefix, qualified, selected = 1, "", False, 1
    said_once = ("said",)

    def __init__(self, count: int, late: int | None = None, outside: str | None = None) -> None:
        self.numbers = tuple(range(1, count + 1))
        self.late, self.outside = late, outside
        self.region = Region(
            1, 0x7000, None, 1, 1, count, False, "main", "/src/heat.c", 40, self.numbers
        )

    def status(self) -> Status:
        return Status((), (("cache", "on"),))

    def everyone(self, locations: bool) -> Snapshot:
        return Snapshot(self.threads(locations), ())

    def snapshot(self, locations: bool = True) -> Snapshot:
        return Snapshot(self.threads(locations), (self.region,))

    def threads(self, locations: bool = True) -> tuple[Thread, ...]:
        made = tuple(map(self._thread, self.numbers))
        return made if locations else tuple(thread._replace(location=None) for thread in made)

    def _thread(self, number: int) -> Thread:
        late = number - 1 == self.late
        return Thread(
            1,
            number,
            5000 + number,
            0x7F00_0000_0000 + number * 4096,
            ThreadKind.WORKER if number > 1 else ThreadKind.INITIAL,
            selected=number == 1,
            thread_num=number - 1,
            team_size=len(self.numbers),
            level=1,
            active_level=1,
            memberships=(Membership(number - 1, len(self.numbers)), Membership(0, 1)),
            region=1,
            state="work_parallel" if late else "wait_barrier_explicit",
            waits_for=None if late else WAIT,
            task=TaskKind.IMPLICIT,
            location=RECEIVE if late else BARRIER,
        )

    def tasks(self, gdb_nums: Sequence[int]) -> tuple[Task, ...]:
        frames = TaskFrames(None, 0x7FFF_0000)
        place = ("main", "/src/heat.c", 40)
        return tuple(
            task
            for n in gdb_nums
            for task in (
                Task(n, 0, 10 * n, TaskKind.IMPLICIT, *place, False, frames, 1, None, True),
                Task(n, 1, 9, TaskKind.INITIAL, None, None, None, False, frames, None, None, False),
            )
        )

    def team_sizes(self, snapshot: Snapshot, region_ids: object) -> tuple[TeamSize, ...]:
        return ()

    def cpus(self) -> Places:
        return Places()

    def devices(self) -> Devices:
        return Devices()

    def begins_none(self) -> None:
        return None

    def waiting_tasks(self) -> WaitingTasks:
        return WaitingTasks()

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        return ()

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> tuple[Icv, ...]:
        own = [
            Icv(f"icv{n}-var", Scope.TASK, IcvOwner(number), n, str(n), "libompd")
            for number in gdb_nums
            for n in range(10)
        ]
        return (Icv("num-procs-var", Scope.ADDRESS_SPACE, None, 64, "64", "libompd"), *own)

    def control_variables(self) -> tuple[ControlVariable, ...]:
        return tuple(ControlVariable(f"OMP_{n}", "x", "runtime default") for n in range(40))

    def facts(self) -> None:
        return None  # as in a file of before 0.2

    def report(self) -> Report:
        if self.late is None:
            text = f"running: all {len(self.numbers)} threads of the team have come to the barrier"
            return Report(Verdict.RUNNING, text, (), (), ())
        late = self.late + 1
        rest = tuple(n for n in self.numbers if n != late)
        groups = (
            Group(rest, tuple(n - 1 for n in rest), WAIT.kind, None, None, None, BARRIER, True),
            Group((late,), (self.late,), None, None, None, self.outside, RECEIVE, False),
        )
        text = f"waiting for thread {self.late} (GDB thread {late}) at exchange.c:40"
        team = Team(self.region, groups, (), BARRIER)
        return Report(Verdict.WAITING, text, (team,), (), ())

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        return {n: Stack(n, (), self._segments(n)) for n in gdb_nums}

    def _segments(self, number: int) -> tuple[Segment, ...]:
        late = number - 1 == self.late
        spot = RECEIVE if late else BARRIER
        names = [(spot.function, spot), ("main", Location("main", "/src/heat.c", 41, 0x401100))]
        if late and self.outside:
            names.insert(0, (self.outside, Location(None, None, None, 0x7F10)))
        frames = tuple(
            StackFrame(n, name, at.file, at.line, at.pc) for n, (name, at) in enumerate(names)
        )
        end = Boundary(Construct.REGION, (), BARRIER, bottom=number > 1)
        outer = (
            () if number > 1 else (Segment((StackFrame(9, "main", "/src/heat.c", 60, 1),), None),)
        )
        return (Segment(frames, end), *outer)

    def ran(self) -> dict[int, int]:
        return {}

    def not_told(self, notes: Sequence[str]) -> tuple[str, ...]:
        return tuple(notes)


def circumstances(rank: int | None = None, size: int | None = None) -> Circumstances:
    """Return those of a rank."""
    own = None if rank is None else Rank(rank, size, "OMPI_COMM_WORLD_RANK")
    return Circumstances(1_700_000_000_000, "node", "/bin/heat", 77, own, "GDB", "0", "1.0.77")


def write(ranks: int, threads: int, folder: Path) -> None:
    """Write the saved stops of so many ranks."""
    folder.mkdir(parents=True, exist_ok=True)
    mark = 987654321  # stands for the rank in a text that is made once
    at_barrier = document.text(taken(MadeStop(threads), circumstances(mark, ranks)))
    late = document.text(taken(MadeStop(threads, 3, "MPI_Recv"), circumstances(mark, ranks)))
    for rank in range(ranks):
        text = late if rank == ranks - 1 else at_barrier
        (folder / f"rank-{rank}.json").write_text(text.replace(str(mark), str(rank)))


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
