# SPDX-License-Identifier: Apache-2.0
"""All that a stop answers, asked once: what is saved."""

from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
from itertools import groupby
from typing import Callable, Iterable, Iterator, Optional, Sequence, TypeVar

from ..errors import LibraryFailed, NoProcess, NotInitialized, OmpdToolError
from ..explain.moved import Comparison, Moment, Whole
from ..explain.report import Report
from ..model import Icv, Snapshot, Task, Thread, ThreadKind, WaitingTasks, may_have_tasks
from ..model.stacks import Stack, Tree
from ..stacks.facts import StackFacts
from ..stacks.logical import logical_stack
from ..stacks.merge import plain_tree, trees
from .document import Bare, Circumstances, Contents, Failure, IcvsOf, Ran, TasksOf
from .stop import AnyStop

Answer = TypeVar("Answer")
NONE = Snapshot((), ())


def taken(stop: AnyStop, circumstances: Circumstances) -> Contents:
    """Return everything that STOP answers, with the errors of what it does not."""
    asked = _Asked()
    everyone = asked.once("everyone", lambda: stop.everyone(True), NONE)
    alone = asked.once("everyone", lambda: stop.everyone(False), NONE)
    snapshot = asked.once("snapshot", stop.snapshot, NONE)
    threads = everyone.threads or snapshot.threads
    listed = [t.gdb_num for t in snapshot.threads if may_have_tasks(t)]
    helpers = [t.gdb_num for t in snapshot.threads if t.selected and t.kind is ThreadKind.HELPER]
    regions = [region.id for region in snapshot.regions]
    icvs = asked.of_threads("icvs", lambda nums: stop.icvs(nums, regions), listed, helpers)
    none: dict[int, Stack] = {}
    stacks = asked.once("stacks", lambda: stop.stacks(stop.numbers), none)
    led = _Followed(stop)
    if stop.selected in stacks:
        asked.once("logical", partial(_follow, led, stop.selected or 0), None)
    return Contents(
        circumstances=circumstances,
        inferior=stop.inferior,
        prefix=stop.prefix,
        qualified=stop.qualified,
        selected=stop.selected,
        numbers=tuple(stop.numbers),
        status=stop.status(),
        report=asked.once("report", stop.report, None),
        threads=threads,
        listing_notes=everyone.notes,
        notes=snapshot.notes,
        bare=tuple(_bare(threads, alone.threads)),
        regions=snapshot.regions,
        tasks=tuple(asked.of_threads("tasks", stop.tasks, listed, helpers)),
        waiting_tasks=asked.once("waiting_tasks", stop.waiting_tasks, None),
        implicit_tasks=tuple(TasksOf(*each) for each in led.implicit.items()),
        icvs=tuple(_by_owner(icvs)),
        control_variables=asked.once("control_variables", stop.control_variables, ()),
        stacks=tuple({**stacks, **led.found}.values()),
        ran=tuple(Ran(*each) for each in stop.ran().items()),
        said_once=tuple(stop.said_once),
        facts=asked.once("report", stop.facts, None),
        failures=tuple(asked.failures),
        team_sizes=asked.once("sizes", lambda: stop.team_sizes(snapshot, regions), ()),
        cpus=asked.once("cpus", stop.cpus, None),
        devices=asked.once("devices", stop.devices, None),
        begins_none=None if regions else asked.once("sizes", stop.begins_none, None),
    )


def moment(stop: AnyStop, circumstances: Circumstances) -> Moment:
    """Return what of a stop is compared with another; OmpdToolError where no thread is known."""
    asked = _Asked()
    report = asked.once("report", stop.report, None)
    snapshot = asked.once("snapshot", stop.snapshot, NONE)
    everyone = asked.once("everyone", lambda: stop.everyone(True), NONE)
    threads = snapshot.threads or [t for t in everyone.threads if t.inferior == stop.inferior]
    if not threads:
        raise OmpdToolError(asked.failures[0].text) if asked.failures else NoProcess()
    listed = [t.gdb_num for t in snapshot.threads if may_have_tasks(t)]
    return Moment(
        circumstances.time,
        (circumstances.host, circumstances.pid),
        (circumstances.host, circumstances.moment),
        threads,
        snapshot.regions,
        asked.of_threads("tasks", stop.tasks, listed, ()),
        stop.stacks(stop.numbers),
        report,
        stop.ran(),
    )


def whole(
    stop: AnyStop, circumstances: Circumstances, comparison: Optional[Comparison] = None
) -> Whole:
    """Return what a page shows of a stop."""
    asked = _Asked()
    empty: tuple[Tree, ...] = ()
    snapshot = asked.once("snapshot", stop.snapshot, NONE)
    everyone = asked.once("everyone", lambda: stop.everyone(True), NONE)
    if not snapshot.threads:
        own = (thread for thread in everyone.threads if thread.inferior == stop.inferior)
        snapshot = everyone._replace(threads=tuple(own))
    listed = [t.gdb_num for t in snapshot.threads if may_have_tasks(t)]
    regions = [region.id for region in snapshot.regions]
    return Whole(
        about=tuple(_about(circumstances)),
        status=stop.status(),
        report=asked.once("report", stop.report, None),
        snapshot=snapshot,
        trees=asked.once("stacks", lambda: _trees(stop), empty),
        tasks=tuple(asked.of_threads("tasks", stop.tasks, listed, ())),
        waiting=asked.once("waiting_tasks", stop.waiting_tasks, WaitingTasks()),
        icvs=tuple(asked.of_threads("icvs", lambda nums: stop.icvs(nums, regions), listed, ())),
        variables=asked.once("control_variables", stop.control_variables, ()),
        prefix=stop.prefix,
        notes=(*snapshot.notes, *(failure.text for failure in asked.failures)),
        comparison=comparison,
    )


def _trees(stop: AnyStop) -> tuple[Tree, ...]:
    facts = StackFacts(stop)
    facts.read_all(stop.numbers)
    return plain_tree(facts, stop.numbers) if facts.snapshot is None else trees(facts)


def trees_and_report(stop: AnyStop) -> tuple[tuple[Tree, ...], Optional[Report]]:
    """Return what is merged of several stops."""
    return _trees(stop), _Asked().once("report", stop.report, None)


def _about(circumstances: Circumstances) -> Iterator[tuple[str, str]]:
    when = datetime.fromtimestamp(circumstances.time // 1000, timezone.utc)
    yield "Program", circumstances.program or "unknown"
    yield "Time", when.strftime("%Y-%m-%d %H:%M:%S UTC")
    yield "Host", circumstances.host
    yield "Process", str(circumstances.pid)
    if circumstances.rank is not None:
        number, size, variable = circumstances.rank
        yield "Rank", f"{number}{f' of {size}' if size else ''} ({variable})"
    yield "Debugger", circumstances.debugger


class _Asked:
    """Asks, and keeps what fails."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []

    def once(self, question: str, ask: Callable[[], Answer], otherwise: Answer) -> Answer:
        """Return the answer, OTHERWISE if there is none."""
        return self._ask(question, ask, otherwise, None)

    def of_threads(
        self,
        question: str,
        ask: Callable[[Sequence[int]], Sequence[Answer]],
        numbers: Sequence[int],
        others: Sequence[int],
    ) -> Sequence[Answer]:
        """Return the answers of threads, and of OTHERS that no list of all has; where one
        hides the others', those of each."""
        none: Sequence[Answer] = ()
        before = len(self.failures)
        found = self._ask(question, lambda: ask(numbers), none, None)
        if len(self.failures) == before and not others:
            return found
        every: dict[Answer, None] = dict.fromkeys(found)
        for number in (*numbers, *others) if len(self.failures) > before else others:
            every.update(dict.fromkeys(self._ask(question, lambda: ask([number]), none, number)))
        return list(every)

    def _ask(
        self, question: str, ask: Callable[[], Answer], otherwise: Answer, number: Optional[int]
    ) -> Answer:
        try:
            return ask()
        except LibraryFailed:
            raise
        except OmpdToolError as error:
            early = isinstance(error, NotInitialized)
            failure = Failure(question, str(error), number, early)
            if failure not in self.failures:
                self.failures.append(failure)
            return otherwise


class _Followed:
    """A stop whose stacks are asked for one thread's: what that leads to is kept."""

    def __init__(self, stop: AnyStop) -> None:
        self._stop = stop
        self.snapshot, self.tasks = stop.snapshot, stop.tasks
        self.found: dict[int, Stack] = {}
        self.implicit: dict[int, tuple[Task, ...]] = {}

    def stacks(self, gdb_nums: Sequence[int], arguments: bool = False) -> dict[int, Stack]:
        """Return stacks."""
        found = self._stop.stacks(gdb_nums, arguments)
        self.found.update(found)
        return found

    def implicit_tasks(self, region: int) -> tuple[Task, ...]:
        """Return a region's implicit tasks."""
        self.implicit[region] = self._stop.implicit_tasks(region)
        return self.implicit[region]


def _follow(led: _Followed, gdb_num: int) -> None:
    """Read what a thread's logical stack is made of."""
    logical_stack(StackFacts(led, arguments=True), gdb_num)


def _bare(threads: Iterable[Thread], alone: Iterable[Thread]) -> Iterator[Bare]:
    """Yield those threads that the runtime alone has in another state."""
    known = {(thread.inferior, thread.gdb_num): thread for thread in threads}
    for bare in alone:
        full = known.get((bare.inferior, bare.gdb_num))
        if full is not None and (full.state, full.waits_for) != (bare.state, bare.waits_for):
            yield Bare(bare.inferior, bare.gdb_num, bare.state, bare.waits_for)


def _by_owner(icvs: Iterable[Icv]) -> Iterator[IcvsOf]:
    for owner, own in groupby(icvs, lambda icv: icv.owner):
        yield IcvsOf(owner, tuple(icv._replace(owner=None) for icv in own))
