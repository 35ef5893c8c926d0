# SPDX-License-Identifier: Apache-2.0
"""The wait-for graph and the verdict, on values made up here."""

from __future__ import annotations

from typing import Optional

from gdb_ompd.model.waits import Kind, RUNTIME, SystemCall, Wait
from gdb_ompd.model import (
    Absence,
    AbsentThread,
    Location,
    Region,
    TargetConstruct,
    TargetKind,
    WaitingTask,
    Whereabouts,
)
from gdb_ompd.render import why as render
from gdb_ompd.render.style import Style
from gdb_ompd.explain.facts import At, Crash, Facts, Held, LockWord, Overflow
from gdb_ompd.explain.report import Report, Step, Verdict
from gdb_ompd.explain.stuck import Needs, cycles, sinks, stuck
from gdb_ompd.explain.verdict import explain
from hypothesis import given
from hypothesis import strategies as st

NUMBERS = st.integers(1, 7)
SETS = st.frozensets(NUMBERS, max_size=4)
NEEDS = st.dictionaries(NUMBERS, st.builds(Needs, SETS, SETS, st.booleans(), st.just(False)))
WITH_THE_GONE = st.dictionaries(NUMBERS, st.builds(Needs, SETS, SETS, st.booleans(), st.booleans()))
A, B = 0x1000, 0x2000


def _runs_dry(needs: dict[int, Needs]) -> set[int]:
    """Let every thread go on that may, until none can; return those that are left.
    A thread whose need is not certain may always go on."""
    left = set(needs)
    while True:
        able = {
            thread
            for thread in left
            if not needs[thread].certain
            or (
                not needs[thread].never
                and not needs[thread].all & left
                and (not needs[thread].any or bool(needs[thread].any - left))
            )
        }
        if not able:
            return left
        left -= able


@given(WITH_THE_GONE)
def test_stuck_is_what_no_order_of_running_frees(needs: dict[int, Needs]) -> None:
    assert stuck(needs) == _runs_dry(needs)


@given(NEEDS)
def test_a_cycle_is_stuck_and_each_member_waits_for_another(needs: dict[int, Needs]) -> None:
    found = cycles(needs, stuck(needs))
    assert bool(found) == bool(stuck(needs))
    members = [number for knot in found for number in knot]
    assert len(members) == len(set(members))
    for knot in found:
        assert set(knot) <= stuck(needs)
        assert all(needs[number].targets & set(knot) for number in knot)


@given(NEEDS)
def test_sinks_wait_for_nobody(needs: dict[int, Needs]) -> None:
    ends = sinks(needs, list(needs))
    assert all(number not in needs or not needs[number].targets for number in ends)


def _place(line: int) -> Location:
    return Location("main", "heat.c", line, line)


def _lock(address: int, line: int) -> Wait:
    return Wait(Kind.LOCK, address, "ab"[address > A], location=_place(line))


def _holds(address: int, certain: bool = True) -> tuple[Held, ...]:
    return (Held("lock", address, "ab"[address > A], _place(1), certain),)


def _region(*threads: Optional[int]) -> Region:
    return Region(1, 1, None, 1, 1, len(threads), False, "main", "heat.c", 5, threads)


def test_lock_order_inversion_is_a_deadlock_with_both_lines() -> None:
    first = At(1, _lock(B, 10), held=_holds(A))
    second = At(2, _lock(A, 20), held=_holds(B))
    report = explain(Facts((first, second)))
    assert report.verdict is Verdict.DEADLOCK
    assert 'lock "b" at heat.c:10 held by GDB thread 2' in report.text
    assert 'lock "a" at heat.c:20 held by GDB thread 1' in report.text
    assert [lock.source for lock in report.locks] == ["inferred", "inferred"]


def test_a_holder_that_only_may_be_one_makes_no_deadlock() -> None:
    first = At(1, _lock(B, 10), held=_holds(A))
    second = At(2, _lock(A, 20), held=_holds(B, certain=False))
    report = explain(Facts((first, second)))
    assert report.verdict is not Verdict.DEADLOCK
    assert report.cycles == ()


def test_of_a_thread_in_unknown_code_nothing_is_concluded() -> None:
    unknown, free = At(1, in_known_code=False), At(2, Wait(location=_place(3)))
    at_barrier = At(3, Wait(Kind.EXPLICIT_BARRIER, location=_place(30)))
    alone = explain(Facts((unknown, at_barrier)))
    assert (alone.verdict, alone.text) == (
        Verdict.UNKNOWN,
        "unknown: whether GDB thread 1 can go on",
    )
    assert "  GDB thread 1: in unknown code" in render.lines(alone)
    with_another = explain(Facts((unknown, free)))
    assert with_another.verdict is Verdict.RUNNING
    assert with_another.text == (
        "running: GDB thread 2 can go on; whether GDB thread 1 can go on is not known"
    )


def test_a_barrier_that_may_be_complete_makes_no_deadlock() -> None:
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(30))
    ending = At(1, Wait(Kind.REGION_BARRIER), region=1, blocked=True)
    for blocked, verdict in ((True, Verdict.DEADLOCK), (None, Verdict.WAITING)):
        other = At(2, at_barrier, region=1, blocked=blocked)
        report = explain(Facts((ending, other), (_region(1, 2),)))
        assert report.verdict is verdict
        first = "  0 (GDB thread 1): at end-of-region barrier, not at that of heat.c:30"
        assert first in list(render.lines(report))
    other = At(2, at_barrier, region=1, blocked=False)
    assert explain(Facts((ending, other), (_region(1, 2),))).verdict is Verdict.RUNNING


def test_a_lock_that_was_handed_over_makes_no_deadlock() -> None:
    waiting = tuple(At(number, _lock(A, 10)) for number in (1, 2))
    handed = LockWord(held=True, queued=frozenset({2}))
    report = explain(Facts(waiting, locks=((A, handed),)))
    assert report.verdict is Verdict.RUNNING
    everyone = LockWord(held=True, queued=frozenset({1, 2}))
    report = explain(Facts(waiting, locks=((A, everyone),)))
    assert report.verdict is Verdict.DEADLOCK
    assert "which no thread is left to release" in report.text


def test_a_lock_that_its_waiter_has_just_got_makes_no_deadlock() -> None:
    own = ((A, LockWord(held=True, owner=1)),)
    assert explain(Facts((At(1, _lock(A, 10)),), locks=own)).verdict is Verdict.WAITING
    holding = At(1, _lock(A, 10), held=_holds(A))
    assert explain(Facts((holding,), locks=own)).verdict is Verdict.DEADLOCK


def test_a_thread_that_leaves_the_barrier_before_the_loop_makes_no_ordered_deadlock() -> None:
    turn = Wait(Kind.ORDERED, location=_place(60))
    waiting = tuple(At(n, turn, region=1, blocked=True) for n in (1, 2))
    for blocked, verdict in ((True, Verdict.DEADLOCK), (False, Verdict.RUNNING)):
        leaving = At(3, Wait(Kind.LOOP_BARRIER), region=1, blocked=blocked)
        facts = Facts((*waiting, leaving), (_region(1, 2, 3),))
        assert explain(facts).verdict is verdict


def test_a_thread_that_ends_a_task_at_its_barrier_makes_no_deadlock() -> None:
    parent = At(1, Wait(Kind.TASKWAIT), region=1, tasks=(10, 1))
    for busy, verdict in ((False, Verdict.DEADLOCK), (True, Verdict.RUNNING)):
        barrier = Wait(Kind.SINGLE_BARRIER)
        worker = At(2, barrier, region=1, blocked=True, busy=busy, tasks=(20, 10, 1))
        assert explain(Facts((parent, worker), (_region(1, 2),))).verdict is verdict


def test_a_wait_for_a_thread_that_left_never_ends() -> None:
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(52))
    region = _region(1, None, 3)._replace(absent=(AbsentThread(1),))
    sure = At(1, at_barrier, region=1, blocked=True)
    other = At(3, at_barrier, region=1, blocked=None)
    report = explain(Facts((sure, other), (region,)))
    assert report.verdict is Verdict.DEADLOCK and report.cycles == ()
    said = (
        "GDB thread 1 waits at barrier at heat.c:52 for member 1 of the team, not in this process"
    )
    assert report.text == f"deadlock: {said}"
    ended = region._replace(absent=(AbsentThread(1, Absence.ENDED),))
    report = explain(Facts((sure, other), (ended,)))
    assert report.text.endswith("for member 1 of the team, which has ended")
    report = explain(Facts((other,), (region,)))
    assert report.verdict is Verdict.WAITING


FORKED = tuple(AbsentThread(number, Absence.FORK, True) for number in (1, 2))


def test_a_region_that_was_begun_without_its_threads_can_never_end() -> None:
    region = _region(1, None, None)._replace(absent=FORKED)
    library = region._replace(file=None, line=None, function="exec_blas")
    works = At(1, Wait(outside="sched_yield"), thread_num=0, region=1)
    for at in (works, works._replace(wait=Wait(Kind.REGION_BARRIER)), works._replace(running=True)):
        report = explain(Facts((at,), (library,), forked=True))
        assert report.verdict is Verdict.DEADLOCK and report.cycles == ()
        assert report.text == (
            "deadlock: the region in exec_blas can never end: this process was forked, and fork()"
            " did not copy members 1-2 of its team; cure: spawn or forkserver instead of fork, exec"
            " after it, or one thread in the child (OMP_NUM_THREADS=1)"
        )
        assert [(team.missing, team.unknown) for team in report.teams] == [((1, 2), ())]
    starting = region._replace(starting=True)
    assert "heat.c:5 can never begin" in explain(Facts((works,), (starting,))).text
    ended = region._replace(absent=(AbsentThread(1, Absence.ENDED, True),))
    text = explain(Facts((works,), (ended,))).text
    assert text == "deadlock: the region at heat.c:5 can never end: member 1 of its team has ended"


def test_who_was_forked_inside_of_a_region_may_leave_it() -> None:
    absent = tuple(thread._replace(awaited=False) for thread in FORKED)
    region = _region(1, None, None)._replace(absent=absent)
    works = At(1, Wait(location=_place(8)), thread_num=0, region=1)
    report = explain(Facts((works,), (region,), forked=True))
    assert report.verdict is Verdict.RUNNING
    lacks = "members 1-2, which fork() did not copy into this process"
    assert report.notes == (f"The region at heat.c:5 lacks {lacks}.",)
    waits = works._replace(wait=Wait(Kind.BARRIER, location=_place(9)), blocked=True)
    report = explain(Facts((waits,), (region,), forked=True))
    assert report.verdict is Verdict.DEADLOCK and report.notes == ()
    assert "members 1-2 of the team, which fork() did not copy" in report.text
    assert "cure: spawn" in report.text


def test_a_team_that_lacks_a_thread_is_not_known_to_have_come() -> None:
    region = Region(1, 1, None, 1, 1, 2, False, "main", "heat.c", 5, (1, None))
    waits = At(1, Wait(Kind.REGION_BARRIER), region=1, blocked=None, thread_num=0)
    other = At(2, Wait(outside="read", location=_place(60)), is_omp=True)
    report = explain(Facts((waits, other), (region,)))
    assert report.verdict is Verdict.WAITING and "GDB thread 2 at heat.c:60" in report.text
    assert [(team.unknown, team.missing) for team in report.teams] == [((1,), ()), ((), ())]
    assert not report.teams[1].known
    whole = region._replace(threads=(1, 2))
    report = explain(Facts((waits, other._replace(region=1, blocked=None)), (whole,)))
    assert report.teams[0].unknown == ()


def test_a_taskgroup_waits_for_its_own_tasks_only() -> None:
    end = Wait(Kind.TASKGROUP, location=_place(9))
    for group, verdict in ((7, Verdict.DEADLOCK), (8, Verdict.WAITING)):
        parent = At(1, end, held=_holds(A), tasks=(10, 1), groups=(7,), children=2)
        child = At(2, _lock(A, 20), tasks=(20, 10, 1), groups=(group,))
        assert explain(Facts((parent, child))).verdict is verdict


def test_a_task_that_is_to_be_executed_next_is_no_child_that_may_still_run() -> None:
    for undeferred, verdict in ((True, Verdict.DEADLOCK), (False, Verdict.WAITING)):
        wait = Wait(Kind.DEPENDENCE, location=_place(24), undeferred=undeferred)
        parent = At(1, wait, held=_holds(A), tasks=(10, 1), children=2)
        child = At(2, _lock(A, 20), tasks=(20, 10, 1))
        assert explain(Facts((parent, child))).verdict is verdict


def test_a_critical_that_a_fork_inherited_has_its_owner_elsewhere() -> None:
    waiting = At(1, Wait(Kind.CRITICAL, A, "gate", location=_place(10)))
    report = explain(Facts((waiting,), locks=((A, LockWord(True)),)))
    assert report.verdict is Verdict.WAITING
    said = "heat.c:10, entered by a thread that has ended, or that fork() did not copy"
    assert report.text.endswith(said)
    report = explain(Facts((waiting,), locks=((A, LockWord(True)),), forked=False))
    assert report.text.endswith("entered by a thread that has ended")
    report = explain(Facts((waiting,)))
    assert report.text.endswith("owner unknown: no other thread is in this process")
    inside = At(1, waiting.wait, held=(Held("critical", A, "gate", _place(9), True),))
    assert explain(Facts((inside,), locks=((A, LockWord(True)),))).verdict is Verdict.DEADLOCK
    report = explain(
        Facts(
            (At(1, _lock(A, 10), region=1),),
            (_region(1, None, None)._replace(absent=(AbsentThread(1), AbsentThread(2))),),
            ((A, LockWord(True)),),
        )
    )
    assert report.text.endswith("in this process, nor members 1-2 of the team")


def test_a_wait_that_may_end_says_who_waits_where_and_for_what() -> None:
    holder = At(1, Wait(Kind.BARRIER, location=_place(6)), region=1, held=_holds(A))
    waiters = tuple(At(n, _lock(A, 13), region=1) for n in (2, 3))
    report = explain(Facts((holder, *waiters), (_region(1, 2, 3),)))
    assert report.verdict is Verdict.WAITING and report.cycles == ()
    assert report.text == (
        "waiting: GDB thread 1 waits at barrier at heat.c:6, GDB threads 2-3 wait for"
        ' lock "a" at heat.c:13 held by GDB thread 1; whether one of them can go on is not known'
    )


def test_who_may_hold_a_lock_is_its_holder_only_if_another_holds_it_than_waits() -> None:
    waiting = At(1, _lock(A, 10))
    sleeper = At(2, Wait(location=_place(20)), held=_holds(A, certain=False))

    def holders(word: LockWord) -> tuple[int, ...]:
        return explain(Facts((waiting, sleeper), locks=((A, word),))).locks[0].holders

    assert holders(LockWord(True, queued=frozenset({1}))) == (2,)
    assert holders(LockWord(True, queued=frozenset())) == ()  # the waiter has just been given it
    assert holders(LockWord()) == ()


def test_the_runtime_s_owner_is_believed_before_the_code() -> None:
    waiting = At(1, _lock(A, 10))
    inside = At(2, Wait(location=_place(20)), held=_holds(A))
    owner = At(3, Wait(location=_place(30)))
    report = explain(Facts((waiting, inside, owner), locks=((A, LockWord(True, 3)),)))
    assert report.locks[0].holders == (3,)
    assert report.locks[0].source == "runtime"
    assert report.text == "waiting for GDB thread 3 at heat.c:30"


def test_who_is_late_at_a_barrier_is_said_on_one_line_each() -> None:
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(52))
    early = tuple(At(n, at_barrier, region=1, blocked=True) for n in range(2, 33) if n != 9)
    late = (
        At(
            1, Wait(location=_place(40), outside="read"), call=SystemCall(function="read"), region=1
        ),
    )
    late += (
        At(
            9, Wait(location=_place(40), outside="read"), call=SystemCall(function="read"), region=1
        ),
    )
    report = explain(Facts(late + early, (_region(*range(1, 33)),)))
    assert report.verdict is Verdict.WAITING
    assert report.text == "waiting for GDB threads 1,9 at heat.c:40, blocked in read()"
    shown = list(render.lines(report))
    assert shown[1:] == [
        "Team of 32, level 1, main at heat.c:5",
        "  0,8 (GDB threads 1,9): in read, main at heat.c:40, has not arrived",
        "  1-7,9-31 (GDB threads 2-8,10-32): at barrier, main at heat.c:52",
    ]


def test_nothing_to_do_is_idle_and_something_is_running() -> None:
    idle = At(2, Wait(Kind.IDLE))
    assert explain(Facts((idle,))).verdict is Verdict.IDLE
    working = At(1, Wait(location=_place(3)))
    assert explain(Facts((working, idle))).verdict is Verdict.RUNNING


def test_running_threads_are_not_known_to_go_on() -> None:
    runs = tuple(At(n, running=True, region=1) for n in (1, 2))
    report = explain(Facts(runs, (_region(1, 2),), complete=False))
    assert report.verdict is Verdict.RUNNING
    assert report.text == "running: GDB threads 1-2 are not stopped: 'interrupt -a' stops all"
    assert "(GDB threads 1-2): not stopped" in list(render.lines(report))[2]
    stopped = At(3, Wait(location=_place(7)))
    report = explain(Facts((*runs, stopped), (_region(1, 2),), complete=False))
    assert report.text.startswith("running: GDB thread 3 can go on, GDB threads 1-2 are not")
    waiter = At(3, Wait(Kind.EXPLICIT_BARRIER), region=1, blocked=True)
    one = At(2, running=True, region=1, thread_num=0, team_size=2)
    report = explain(Facts((one, waiter), (_region(2, 3),), complete=False))
    assert report.text.startswith("waiting for thread 0 of 2 (GDB thread 2), which runs")


def test_who_is_in_a_call_of_the_system_is_not_said_to_go_on() -> None:
    works = At(1, Wait(location=_place(5)), region=1)
    reads = tuple(
        At(n, Wait(location=_place(7), outside="read"), call=SystemCall(function="read"), region=1)
        for n in (2, 3)
    )
    report = explain(Facts((works, *reads), (_region(1, 2, 3),)))
    said = "running: GDB thread 1 can go on, and perhaps GDB threads 2-3 at heat.c:7, blocked in read()"
    assert (report.verdict, report.text) == (Verdict.RUNNING, said)


def _queued(number: int, parent: int, tied: bool = True, region: int = 1) -> WaitingTask:
    where = Whereabouts.QUEUED
    return WaitingTask(number, where, region=region, generated_by=parent, tied=tied)


def test_queued_tasks_are_work_for_who_waits_at_a_barrier() -> None:
    at_barrier = Wait(Kind.SINGLE_BARRIER, location=_place(9))
    early = tuple(At(n, at_barrier, region=1, blocked=True, tasks=(n * 100, 1)) for n in (1, 2))
    late = At(
        4, Wait(location=_place(5), outside="read"), call=SystemCall(function="read"), region=1
    )
    tasks = tuple(_queued(n, 400) for n in range(210))
    facts = Facts((*early, late), (_region(1, 2, 4),), waiting_tasks=tasks)
    report = explain(facts)
    assert report.verdict is Verdict.RUNNING
    said = "running: 210 tasks are queued, and GDB threads 1-2 are free to run them"
    assert report.text == f"{said}, and perhaps GDB thread 4 at heat.c:5, blocked in read()"
    report = explain(facts._replace(waiting_tasks=()))
    assert report.text == "waiting for GDB thread 4 at heat.c:5, blocked in read()"
    elsewhere = explain(facts._replace(waiting_tasks=(_queued(1, 400, region=2),)))
    assert elsewhere.verdict is Verdict.WAITING
    assert elsewhere.notes == ("1 task is queued, and no thread is free to run it.",)


def test_a_tied_task_is_taken_only_below_the_task_that_waits() -> None:
    waits = At(1, Wait(Kind.TASKWAIT), region=1, tasks=(10, 1), children=1, in_explicit_task=True)
    for task, verdict in (
        (_queued(20, 10), Verdict.RUNNING),
        (_queued(20, 30), Verdict.WAITING),
        (_queued(20, 30, tied=False), Verdict.RUNNING),
        (_queued(20, 99), Verdict.WAITING),
    ):
        other = WaitingTask(30, Whereabouts.SUSPENDED, region=1, generated_by=1)
        facts = Facts((waits,), (_region(1, 2),), waiting_tasks=(task, other))
        assert explain(facts).verdict is verdict, task
        sleeps = facts._replace(threads=(waits._replace(blocked=True),))
        assert explain(sleeps).verdict is Verdict.WAITING, task


def test_who_executes_a_target_region_on_the_host_may_be_waited_for() -> None:
    waits = At(1, Wait(Kind.TASKWAIT), region=1, tasks=(10, 1), children=1, thread_num=0)
    reads = At(2, Wait(location=_place(5)), thread_num=0, call=SystemCall(function="read"))
    team = _region(1, 2)._replace(threads=(1, 2))
    report = explain(Facts((waits, reads), (team,), waiting_tasks=()))
    assert report.text == "waiting for GDB thread 2 at heat.c:5, blocked in read()"


def test_all_that_have_come_are_said_to_have_come() -> None:
    at_end = Wait(Kind.REGION_BARRIER, location=_place(50))
    team = tuple(At(n, at_end, region=1, blocked=None) for n in range(1, 17))
    report = explain(Facts(team, (_region(*range(1, 17)),)))
    assert report.verdict is Verdict.RUNNING
    said = "running: all 16 threads of the team have come to the end of region at heat.c:50"
    assert report.text == f"{said}, and can go on"
    assert not any("arrived" in line for line in render.lines(report))
    alone = explain(Facts(team[:1], (_region(1),)))
    assert (alone.verdict, alone.text) == (Verdict.RUNNING, "running: GDB thread 1 can go on")


def test_nobody_is_at_a_barrier_and_has_not_arrived() -> None:
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(9))
    waits = At(1, at_barrier, region=1, blocked=True)
    works = At(2, at_barrier, region=1, busy=True)
    leaves = At(3, at_barrier, region=1, blocked=False)
    shown = list(render.lines(explain(Facts((waits, works, leaves), (_region(1, 2, 3),)))))
    assert shown[2:] == [
        "  0 (GDB thread 1): at barrier, main at heat.c:9",
        "  1 (GDB thread 2): executing a task at barrier, main at heat.c:9, has not arrived",
        "  2 (GDB thread 3): at barrier (complete), main at heat.c:9",
    ]


def test_who_executes_a_task_inside_a_barrier_has_come_and_is_waited_for() -> None:
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(9))
    waits = At(1, at_barrier, region=1, blocked=True)
    inside = At(
        2,
        Wait(location=_place(30)),
        region=1,
        in_explicit_task=True,
        call=SystemCall(function="read"),
        come=frozenset({"team"}),
    )
    report = explain(Facts((waits, inside), (_region(1, 2),)))
    assert report.verdict is Verdict.WAITING and "thread 2" in report.text.lower()
    assert [group.arrived for group in report.teams[0].groups] == [True, True]
    other = inside._replace(come=frozenset({"region"}))
    report = explain(Facts((waits, other), (_region(1, 2),)))
    assert [group.arrived for group in report.teams[0].groups] == [True, False]
    untold = inside._replace(come=None)
    report = explain(Facts((waits, untold), (_region(1, 2),)))
    assert [group.arrived for group in report.teams[0].groups] == [True, None]


def test_a_barrier_awaits_the_inner_region_of_who_has_not_come() -> None:
    inner = _region(2, 3)._replace(id=2, parent=1, level=2)
    early = At(1, Wait(Kind.BARRIER), region=1, blocked=True, held=_holds(A))
    reads = At(2, Wait(outside="read"), call=SystemCall(function="read"), region=2)
    facts = Facts((early, reads, At(3, _lock(A, 20), region=2)), (_region(1, 2), inner))
    report = explain(facts)
    assert report.verdict is Verdict.DEADLOCK and "held by GDB thread 1" in report.text
    alone = facts._replace(regions=(_region(1, 2), inner._replace(threads=(2,))))
    assert explain(alone).verdict is Verdict.WAITING
    elsewhere = facts._replace(regions=(_region(1, 2), inner._replace(parent=None)))
    assert explain(elsewhere).verdict is Verdict.WAITING


def test_a_team_that_waits_for_locks_alone_is_deadlocked() -> None:
    waiting = tuple(At(n, _lock(A, 10), region=1) for n in (1, 2))
    stranger = At(3, Wait(location=_place(70)), is_omp=False)
    locks = ((A, LockWord(True, queued=frozenset({1, 2}), keeps_owner=False)),)
    report = explain(Facts((*waiting, stranger), (_region(1, 2),), locks))
    assert report.verdict is Verdict.DEADLOCK
    assert "KMP_LOCK_KIND=tas" in report.notes[-1]
    untied = (_queued(20, 1, tied=False),)
    report = explain(Facts((*waiting, stranger), (_region(1, 2),), locks, waiting_tasks=untied))
    assert report.verdict is not Verdict.DEADLOCK


def test_only_who_waits_for_the_likely_holder_is_in_its_cycle() -> None:
    """That all are stuck is concluded without it: the cause is not each of them."""
    joins = SystemCall(function="pthread_join", joins=2)
    may_hold = _holds(A, certain=False)
    holder = At(1, held=may_hold, call=joins)
    waiting = [At(number, _lock(A, 10)) for number in (2, 3, 4)]
    word = LockWord(held=True, queued=frozenset({2, 3, 4}))
    report = explain(Facts((holder, *waiting), locks=((A, word),)))
    assert report.verdict is Verdict.DEADLOCK
    assert [[(step.gdb_num, step.waits_for) for step in knot] for knot in report.cycles] == [
        [(1, (2,)), (2, (1,))]
    ]
    assert "GDB threads 3-4 can never go on either" in report.text


def test_a_wait_for_a_time_only_makes_no_deadlock() -> None:
    def waiting(number: int, owner: int, is_timed: bool) -> At:
        call = SystemCall(mutex=A + number, owner=owner, is_timed=is_timed)
        return At(number, call=call)

    ends = explain(Facts((waiting(1, 2, True), waiting(2, 1, False))))
    assert ends.verdict is Verdict.WAITING and not ends.cycles
    assert ends.text.endswith("; GDB thread 1 waits for a time only")
    assert explain(Facts((waiting(1, 2, False), waiting(2, 1, False)))).cycles
    left = At(1, call=SystemCall(mutex=A, owner_ended=77, is_timed=True))
    assert explain(Facts((left,))).verdict is Verdict.WAITING


def test_who_sleeps_until_woken_is_stuck_only_where_nobody_can_wake_it() -> None:
    call = SystemCall(function="pthread_cond_wait", sleep="until woken")
    asleep = At(2, Wait(location=_place(9)), region=1, call=call)
    at_end = At(1, Wait(Kind.REGION_BARRIER, location=_place(8)), region=1, blocked=True)
    team = (_region(1, 2),)
    idle = At(3, Wait(Kind.IDLE))
    report = explain(Facts((at_end, asleep, idle), team))
    assert report.verdict is Verdict.DEADLOCK and len(report.cycles) == 1
    assert report.text.endswith(
        "waits in pthread_cond_wait() at heat.c:9 until woken by another thread"
    )
    works = At(3, Wait(location=_place(3)), is_omp=False)
    report = explain(Facts((at_end, asleep, works), team))
    assert report.verdict is Verdict.WAITING and not report.cycles
    blocked = "for GDB thread 2 at heat.c:9, blocked in pthread_cond_wait()"
    assert report.text.endswith(f"{blocked}; outside of OpenMP GDB thread 3 can go on")


def test_who_has_taken_a_lock_of_a_condition_is_said_as_far_as_the_code_tells() -> None:
    call = SystemCall(function="pthread_cond_timedwait", sleep="repeats", taken_by=1)
    wait = Wait(location=_place(9), library="PyGILState_Ensure")
    waiting = At(2, wait, region=1, call=call._replace(function="PyGILState_Ensure"))
    at_end = At(1, Wait(Kind.REGION_BARRIER, location=_place(8)), region=1, blocked=True)
    report = explain(Facts((at_end, waiting), (_region(1, 2),)))
    assert report.verdict is Verdict.DEADLOCK
    assert report.text.startswith("deadlock, as far as the code tells: GDB thread 1 waits at end")
    lock = "waits for the lock of PyGILState_Ensure() at heat.c:9 held by GDB thread 1"
    assert report.text.endswith(lock)


def test_who_sleeps_for_a_nest_lock_of_its_own_waits_for_another_task() -> None:
    at = At(1, Wait(Kind.NEST_LOCK, A, "gate", location=_place(10)))
    locks = ((A, LockWord(True, owner=1)),)
    assert explain(Facts((at,), locks=locks)).verdict is Verdict.RUNNING
    report = explain(Facts((at._replace(blocked=True),), locks=locks))
    assert report.verdict is Verdict.DEADLOCK
    assert report.text.endswith("at heat.c:10, which another of its tasks holds")


def test_of_one_thread_it_is_not_said_that_any_of_it_is_waited_for() -> None:
    here = Location("f", "/a.c", 3, 1)
    steps = (Step(1, "lock", here, (2,), True), Step(2, "lock", here, (1, 3), True))
    report = Report(Verdict.DEADLOCK, "deadlock", (), (), (steps,))
    said = list(render.lines(report))
    assert said[-2:] == [
        "  GDB thread 1: lock, f at a.c:3 -> GDB thread 2",
        "  GDB thread 2: lock, f at a.c:3 -> any of GDB threads 1,3",
    ]


def test_a_lock_whose_holder_has_ended_is_never_free() -> None:
    waits = At(1, _lock(A, 10), region=1)
    locks = ((A, LockWord(True, owner_ended=True)),)
    report = explain(Facts((waits, At(2, Wait(location=_place(3)))), locks=locks))
    assert report.verdict is Verdict.DEADLOCK
    assert report.text.endswith('for lock "a" at heat.c:10, whose holder has ended')
    assert "held by a thread that has ended" in " ".join(render.lines(report))
    mutex = At(1, Wait(outside="pthread_mutex_lock"), call=SystemCall(mutex=B, owner_ended=77))
    report = explain(Facts((mutex,)))
    assert report.verdict is Verdict.DEADLOCK and "held by LWP 77, which is no" in report.text


def test_a_detached_task_is_waited_for_at_its_line() -> None:
    at_end = Wait(Kind.REGION_BARRIER, location=_place(50))
    team = tuple(At(n, at_end, region=1, blocked=True) for n in (1, 2))
    task = WaitingTask(9, Whereabouts.DETACHED, "main", "heat.c", 33, region=1)
    report = explain(Facts(team, (_region(1, 2),), waiting_tasks=(task,)))
    assert report.verdict is Verdict.WAITING
    said = "waiting for the event of a detached task at heat.c:33, which nobody has fulfilled: "
    assert report.text == f"{said}GDB threads 1-2 wait at end of region at heat.c:50"
    assert "detached, its event is not fulfilled: main at heat.c:33" in " ".join(
        render.lines(report)
    )


def test_who_is_blocked_beside_those_that_wait_for_an_event_is_not_said_to_go_on() -> None:
    waits = At(1, Wait(Kind.TASKWAIT, location=_place(50)), region=1)
    call = SystemCall(function="pthread_cond_wait", sleep="until woken")
    blocked = At(2, Wait(location=_place(31), outside="pthread_cond_wait"), region=1, call=call)
    task = WaitingTask(9, Whereabouts.DETACHED, "main", "heat.c", 33, region=1)
    facts = Facts((waits, blocked), (_region(1, 2),), waiting_tasks=(task,))
    report = explain(facts)
    assert report.verdict is Verdict.WAITING
    said = "which nobody has fulfilled: GDB thread 1 waits for taskwait at heat.c:50; beside them "
    assert said in report.text and report.text.endswith("blocked in pthread_cond_wait()")
    working = blocked._replace(wait=Wait(location=_place(31)), call=SystemCall())
    assert explain(facts._replace(threads=(waits, working))).verdict is Verdict.RUNNING


def test_a_crash_comes_first_and_what_the_others_do_after_it() -> None:
    crashed = At(4, Wait(location=_place(31)), region=1, thread_num=3, team_size=4)
    early = tuple(
        At(n, Wait(Kind.BARRIER, location=_place(40)), region=1, blocked=True) for n in (1, 2, 3)
    )
    facts = Facts((*early, crashed), (_region(1, 2, 3, 4),), crashes=(Crash(4, "SIGSEGV", 16),))
    report = explain(facts)
    assert report.verdict is Verdict.CRASHED
    said = "crashed: thread 3 of 4 (GDB thread 4), SIGSEGV at heat.c:31, in main"
    assert report.text == f"{said}, in the region at heat.c:5; 3 other threads wait for it"
    assert "  3 (GDB thread 4): crashed: SIGSEGV, main at heat.c:31, has not arrived" in list(
        render.lines(report)
    )
    overflow = (Overflow(4, 1 << 20, False, True),)
    report = explain(facts._replace(overflows=overflow))
    assert ": its stack of 1 MiB overflowed: a larger OMP_STACKSIZE" in report.text
    called = crashed._replace(wait=Wait(location=_place(31), outside="memcpy"))
    abort = (Crash(4, "SIGABRT", None, "uncaught exception"),)
    report = explain(Facts((called,), crashes=abort))
    assert "SIGABRT (uncaught exception) in memcpy(), called at heat.c:31, in" in report.text


def test_many_cycles_are_folded() -> None:
    def own(number: int) -> At:
        address = 0x1000 + 8 * number
        lock = Wait(Kind.LOCK, address, f"locks[{number}]", location=_place(20))
        held = (Held("lock", address, None, _place(10), True),)
        return At(number, lock, region=1, held=held, blocked=True)

    report = explain(Facts(tuple(map(own, range(1, 65))), (_region(*range(1, 65)),)))
    each = "each of GDB threads 1-64 waits for a lock at heat.c:20, which it holds itself"
    assert report.text == f"deadlock: {each}"
    shown = [str(line) for line in render.lines(report)]
    assert shown.count("Cycle") == 4 and "  and 60 cycles more (-json has all)" in shown

    def of_pair(number: int) -> At:
        mine, others = 0x1000 + 8 * number, 0x1000 + 8 * (number ^ 1)
        lock = Wait(Kind.LOCK, others, f"locks[{number ^ 1}]", location=_place(20))
        held = (Held("lock", mine, None, _place(10), True),)
        return At(number, lock, region=1, held=held, blocked=True)

    said = explain(Facts(tuple(map(of_pair, range(2, 64))), (_region(*range(2, 64)),))).text
    assert said.count(";") == 4 and said.endswith("; and 27 more cycles")


def test_threads_that_crash_alike_are_said_once() -> None:
    alike = [At(n, Wait(location=_place(31)), region=1) for n in range(1, 65)]
    crashes = tuple([Crash(n, "SIGSEGV", 16) for n in range(1, 65)])
    facts = Facts(tuple(alike), (_region(*range(1, 65)),), crashes=crashes)
    where = "SIGSEGV at heat.c:31, in main, in the region at heat.c:5"
    assert explain(facts).text == f"crashed: GDB threads 1-64, {where}"
    ran_off = tuple([Overflow(n, 1 << 20, n == 1, n > 1) for n in (1, 2, 3)])
    said = explain(facts._replace(overflows=ran_off)).text
    assert f"; GDB threads 2-3, {where}: their stacks of 1 MiB overflowed: a larger OMP_" in said
    assert said.endswith(f"; GDB threads 4-64, {where}")


def test_many_threads_are_counted_and_a_few_named() -> None:
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(52))
    early = tuple(At(n, at_barrier, region=1, blocked=True) for n in range(2, 201, 2))
    late = tuple(At(n, Wait(location=_place(40)), region=1) for n in range(1, 200, 2))
    report = explain(Facts(late + early, (_region(*range(1, 201)),)))
    assert report.text == "waiting for 100 threads (GDB 1,3,5,7,9,11,13,15,...) at heat.c:40"


def _lines(report: Report) -> list[str]:
    return list(render.lines(report, Style(width=80)))


def test_the_cycle_of_many_threads_is_on_the_first_screen() -> None:
    around = [
        At(n, Wait(Kind.LOCK, n % 64 + 1, f"fork[{n % 64}]", location=_place(13)), held=held)
        for n in range(1, 65)
        for held in ((Held("lock", n, f"fork[{n - 1}]", _place(12), True),),)
    ]
    shown = _lines(explain(Facts(tuple(around))))
    first = shown.index("Cycle")
    assert shown[first + 1] == '  GDB thread 1: lock "fork[1]", main at heat.c:13 -> GDB thread 2'
    assert shown[first + 8 : first + 11] == [
        "  and 56 threads more (-json has all)",
        '  GDB thread 64: lock "fork[0]", main at heat.c:13 -> GDB thread 1',
        "Locks",
    ]
    assert first + 10 < 24 and "  and 52 locks more (-json has all)" in shown


def test_teams_that_do_the_same_are_one() -> None:
    regions = tuple(_region(2 * n, 2 * n + 1)._replace(id=n, level=2) for n in range(1, 5))
    at_barrier = Wait(Kind.EXPLICIT_BARRIER, location=_place(9))
    threads = [At(2 * n, at_barrier, region=n, blocked=True) for n in range(1, 5)]
    threads += [At(2 * n + 1, Wait(location=_place(7)), region=n) for n in range(1, 4)]
    threads += [At(9, Wait(location=_place(8)), region=4)]
    shown = _lines(explain(Facts(tuple(threads), regions)))
    assert shown[1:] == [
        "3 teams of 2, level 2, main at heat.c:5",
        "  0 (GDB threads 2,4,6): at barrier, main at heat.c:9",
        "  1 (GDB threads 3,5,7): working, main at heat.c:7, has not arrived",
        "Team of 2, level 2, main at heat.c:5",
        "  0 (GDB thread 8): at barrier, main at heat.c:9",
        "  1 (GDB thread 9): working, main at heat.c:8, has not arrived",
    ]


def test_who_is_missing_at_a_copyprivate_or_reduction_is_named() -> None:
    for kind in (Kind.COPYPRIVATE, Kind.REDUCTION):
        early = tuple(At(n, Wait(kind, location=_place(8)), region=1) for n in (2, 3))
        late = At(
            1, Wait(location=_place(6), outside="read"), call=SystemCall(function="read"), region=1
        )
        report = explain(Facts((late, *early), (_region(1, 2, 3),)))
        assert report.text == "waiting for GDB thread 1 at heat.c:6, blocked in read()"
        assert list(render.lines(report))[2].endswith("has not arrived")


def test_taskwait_whose_tasks_are_complete_goes_on() -> None:
    for kind, children, undeferred, verdict in (
        (Kind.TASKWAIT, 0, False, "running"),
        (Kind.TASKWAIT, 1, False, "waiting"),
        (Kind.TASKWAIT, None, False, "waiting"),
        (Kind.DEPENDENCE, 1, True, "running"),
        (Kind.DEPENDENCE, 1, False, "waiting"),
        (Kind.TASKGROUP, 0, False, "running"),
        (Kind.TASKLOOP, 0, False, "running"),
        (Kind.TASKGROUP, 1, False, "waiting"),
        (Kind.TASKGROUP, None, False, "waiting"),
    ):
        wait = Wait(kind, location=_place(9), undeferred=undeferred)
        at = At(1, wait, tasks=(7,), children=children, tasks_of_group=children)
        report = explain(Facts((at,)))
        assert report.verdict.value == verdict, (kind, children)


def test_reduction_is_named_without_the_compilers_own_word() -> None:
    group = At(1, Wait(Kind.TASKGROUP, location=_place(9)), region=1)
    wait = Wait(Kind.REDUCTION, 0x4CA260, location=_place(8))
    others = (At(n, wait, region=1) for n in (2, 3))
    report = explain(Facts((group, *others), (_region(1, 2, 3),)))
    assert "GDB threads 2-3 wait at reduction at heat.c:8; " in report.text


def test_without_a_runtime_no_thread_is_said_to_be_outside_of_openmp() -> None:
    """Nothing could be asked for teams; a thread that is none of OpenMP's is known to be one."""
    unknown = At(1, Wait(location=_place(3)))
    assert _shown(unknown) == [
        "In no team, or not known",
        "  GDB thread 1: working, main at heat.c:3",
    ]
    native = At(1, Wait(location=_place(3)), is_omp=False)
    assert _shown(native) == ["In no team", "  GDB thread 1: outside of OpenMP, main at heat.c:3"]


def test_a_team_around_a_target_region_of_the_host_is_not_denied() -> None:
    """GCC's runtime keeps no record of it meanwhile."""
    place = TargetConstruct(TargetKind.REGION, True, on_host=True, file="heat.c", line=2)
    assert _shown(At(1, Wait(location=_place(3)), target=place)) == [
        "In no team, or not known",
        "  GDB thread 1: working, in target at heat.c:2 (the host), main at heat.c:3",
    ]


def _shown(thread: At) -> list[str]:
    return [str(line) for line in render.lines(explain(Facts((thread,))))][1:]


def test_a_call_in_a_function_of_the_runtime_without_a_name_has_no_parentheses() -> None:
    called = At(1, Wait(entry_point="?", location=_place(7)), call=SystemCall(function=RUNTIME))
    report = explain(Facts((called,)))
    assert report.text == "waiting for GDB thread 1 at heat.c:7, blocked in the OpenMP runtime"
    assert "in the OpenMP runtime, " in "\n".join(render.lines(report))


def test_who_executes_the_last_task_lets_the_others_go() -> None:
    at_end = Wait(Kind.REGION_BARRIER)
    sleeps = [At(n, at_end, region=1, blocked=True, awaits_tasks=True) for n in (1, 3)]
    works = At(2, Wait(outside="sleep"), region=1, in_explicit_task=True)
    report = explain(Facts((*sleeps, works), (_region(1, 2, 3),), waiting_tasks=()))
    assert report.verdict is Verdict.WAITING and report.notes == ()


def test_a_suspended_task_goes_on_where_what_descends_from_it_is_executed() -> None:
    for tied, children, call, verdict in (
        (None, 1, None, Verdict.DEADLOCK),
        (True, 1, None, Verdict.DEADLOCK),
        (False, 1, None, Verdict.WAITING),  # another thread may go on with it
        (True, 2, None, Verdict.DEADLOCK),  # all must end: this one cannot
        (True, 1, "read", Verdict.WAITING),
    ):
        waits = Wait(Kind.TASKWAIT, location=_place(9))
        parent = At(1, waits, region=1, held=_holds(A), tasks=(10, 1), children=children)
        below = At(2, _lock(A, 20), region=1, tasks=(30, 20, 10, 1), in_explicit_task=True)
        if call is not None:
            below = below._replace(wait=Wait(), call=SystemCall(function=call))
        suspended = WaitingTask(20, Whereabouts.SUSPENDED, region=1, generated_by=10, tied=tied)
        facts = Facts((parent, below), (_region(1, 2),), waiting_tasks=(suspended,))
        report = explain(facts)
        assert report.verdict is verdict, (tied, children, call)
        assert call is None or report.text == "waiting for GDB thread 2, blocked in read()"
        if children == 2:  # below the task of a third thread may be one that has ended
            lost = At(3, Wait(), region=1, tasks=(40,), call=SystemCall(function="read"))
            more = facts._replace(threads=(parent, below, lost))
            assert explain(more).verdict is Verdict.WAITING
            other = below._replace(gdb_num=3, tasks=(31, 20, 10, 1))
            more = facts._replace(threads=(parent, below, other))
            assert explain(more).verdict is Verdict.WAITING
