# SPDX-License-Identifier: Apache-2.0
"""`ompd why` names the cause and the line of each hang, and no hang where there is none.

The programs are for what reads the facts; what is concluded from them is tested on the facts
alone (tests/unit/test_facts.py). So each program hangs here once, and once more on some of GCC's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.build import Build, binary, build
from support.gdb_session import run_gdb
from support.hangs import Document, HEALTHY, HUNG, Setting, ask, is_right, is_verdict_right
from support.refusals import compiled
from support.runtimes import EVERYTHING, GNU, VERSIONS

STOPS = 3 if EVERYTHING else 2
ALL = [
    Setting(opt, version, symbols)
    for symbols in ("symbols", "stripped", "debian")
    for version in VERSIONS
    for opt in ("O0", "O2")
]
GNUS = [Setting("O0", GNU, ""), Setting("O2", GNU, "")]  # gcc's own runtime
# A choice that has every value of each, unless GDB_OMPD_ALL_BUILDS is set.
CHOSEN = [
    Setting("O0", "14", "symbols"),
    Setting("O2", "19", "symbols"),
    Setting("O2", "14", "debian"),
    Setting("O0", "19", "stripped"),
]
SETTINGS = ALL if EVERYTHING else CHOSEN
# A quarter each, and those in which gcc's code or runtime is a case of its own.
OF_GCC = [
    "async_in_task.cpp",
    "barrier_in_tail.c",
    "barrier_in_task.c",
    "dependence_and_blocked.c",
    "lock_by_helper.c",
    "lock_in_tail.c",
    "lock_named_by_other.c",
    "lock_of_other_thread.c",
    "mutex_in_fork_handler.c",
    "nest_lock_kept.c",
    "reduction_combined_in_turn.c",
    "reduction_of_tasks.c",
    "task_below_suspended.c",
    "target_in_read.c",
]
HUNG_ON_GNU = {
    GNUS[0]: sorted(
        {
            *HUNG[0::4],
            "arguments_on_stack.c",
            "lock_by_call.cpp",
            "lock_guards.cpp",
            "locks_of_objects.cpp",
        }
    ),
    GNUS[1]: sorted({*HUNG[1::4], *OF_GCC}),
}
SPUN = ["mutex_at_barrier.c", "nested_outer_lock.c", "single_with_barrier.c"]
# The healthy ones take longer; those that only stripped runtimes could get wrong, and others.
BUSY = ALL if EVERYTHING else [CHOSEN[1], CHOSEN[2]]


def test_there_are_enough_programs() -> None:
    assert len(HUNG) >= 60
    assert len(HEALTHY) >= 12


@pytest.mark.parametrize("setting", SETTINGS + GNUS, ids=str)
def test_the_cause_of_a_hang_is_named(setting: Setting, tmp_path: Path) -> None:
    names = HUNG
    if SETTINGS is CHOSEN:
        names = HUNG[CHOSEN.index(setting) :: 4] if setting in CHOSEN else HUNG_ON_GNU[setting]
    answers = [each for found in ask(names, setting, tmp_path).values() for each in found]
    wrong = [f"{a['name']} {a['how']}: {a['shown']}" for a in answers if not is_right(a)]
    print(f"{len(answers)} hangs on {setting}, {len(wrong)} wrong")
    assert not wrong, "\n".join(wrong)
    both = [f"{a['name']}: {each}" for a in answers for each in a.get("contradictions", ())]
    assert not both, "\n".join(both)


# Which iteration is waited for is known where the call of clang's code tells it.
@pytest.mark.parametrize("setting", ALL if EVERYTHING else CHOSEN[1::2], ids=str)
def test_who_waits_for_an_iteration_that_nobody_posts(setting: Setting, tmp_path: Path) -> None:
    names = ["doacross_not_posted.c", "doacross_and_lock.c", "dependence_on_blocked.c"]
    answers = ask(names, setting, tmp_path)
    (blocked,) = answers["dependence_on_blocked.c", "live"]
    assert blocked["verdict"] == "deadlock", blocked["shown"]
    (left,) = answers["doacross_not_posted.c", "live"]
    assert left["verdict"] == "deadlock", left["shown"]
    awaited = "GDB thread 2 waits for doacross iteration (0, 2) at doacross_not_posted.c:12"
    assert f"{awaited}, which no thread is left to post" in left["text"]
    (locked,) = answers["doacross_and_lock.c", "live"]
    assert locked["verdict"] == "deadlock", locked["shown"]
    assert "waits for doacross iteration 0 at doacross_and_lock.c:19" in locked["text"]
    assert len(locked["cycles"]) == 1


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_loop_that_gccs_runtime_spins_in_tells_who_stays(
    setting: Setting, tmp_path: Path
) -> None:
    names = ["doacross_not_posted.c", "doacross_and_lock.c"]
    answers = ask(names, setting, tmp_path)
    for name in names:
        (answer,) = answers[name, "live"]
        assert answer["verdict"] == "deadlock" and is_right(answer), answer["shown"]


# A primary thread that spins says by no word of its own that it waits.
@pytest.mark.parametrize(
    "setting",
    [Setting("O2", "14", "debian", active=True), Setting("O0", "19", "stripped", active=True)],
    ids=str,
)
def test_the_cause_is_named_where_waiting_threads_spin(setting: Setting, tmp_path: Path) -> None:
    names = HUNG if EVERYTHING else SPUN
    answers = [each for found in ask(names, setting, tmp_path).values() for each in found]
    wrong = [f"{a['name']} {a['how']}: {a['shown']}" for a in answers if not is_right(a)]
    print(f"{len(answers)} hangs on {setting}, {len(wrong)} wrong")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("setting", BUSY + (GNUS if BUSY is ALL else GNUS[1:]), ids=str)
def test_a_busy_program_is_no_deadlock(setting: Setting, tmp_path: Path) -> None:
    answers = [each for found in ask(HEALTHY, setting, tmp_path, STOPS).values() for each in found]
    assert len(answers) == len({answer["name"] for answer in answers}) * STOPS
    wrong = [
        f"{a['name']}: {a.get('shown')}"
        for a in answers
        if a["verdict"] == "deadlock" or a["cycles"]
    ]
    print(f"{len(answers)} stops on {setting}, {len(wrong)} cried deadlock")
    assert not wrong, "\n".join(wrong)
    assert all(answer["teams"] for answer in answers)


# A stripped runtime's functions have no names, and its records are those of a barrier that is over.
@pytest.mark.parametrize("setting", [*CHOSEN[2:], GNUS[1]], ids=str)
def test_who_executes_a_task_at_a_barrier_has_come_to_it(setting: Setting, tmp_path: Path) -> None:
    expected = {"lock_in_task_at_barrier.c": {True}, "taskwait_before_barrier.c": {True, False}}
    if setting.symbols != "debian":  # there it is not told of the thread that has made the task
        expected["task_sleeps_in_tail.c"] = {True}
    answers = ask([*expected], setting, tmp_path)
    for name, has_come in expected.items():
        (answer,) = answers[name, "live"]
        (team,) = (team for team in answer["teams"] if team["region"] is not None)
        assert {group["arrived"] for group in team["groups"]} == has_come, answer["shown"]
        assert is_right(answer), answer["shown"]


# The code that handles an exception is reached by no jump and no call.
@pytest.mark.parametrize("setting", [*CHOSEN[:2], GNUS[0]], ids=str)
def test_who_has_caught_an_exception_still_has_its_lock(setting: Setting, tmp_path: Path) -> None:
    answers = ask(["lock_behind_catch.cpp"], setting, tmp_path)
    (answer,) = answers["lock_behind_catch.cpp", "live"]
    (lock,) = answer["locks"]
    assert [each["gdb_num"] for each in lock["holders"]] == [1], answer["shown"]


# A call whose arguments are pushed moves the stack pointer, by which the lock's address is found.
@pytest.mark.parametrize("setting", [CHOSEN[1], CHOSEN[2]], ids=str)
def test_who_has_let_a_lock_go_does_not_hold_it(setting: Setting, tmp_path: Path) -> None:
    (answer,) = ask(["left/lock_let_go.c"], setting, tmp_path)["left/lock_let_go.c", "live"]
    (lock,) = answer["locks"]
    assert (lock["name"], lock["holders"]) == ("taken", []), answer["shown"]


# OpenMP and POSIX forbid it, but a lock and a mutex are let go for whoever asks.
@pytest.mark.parametrize("setting", [*CHOSEN[1:3], *GNUS], ids=str)
def test_who_may_let_go_a_lock_that_another_thread_has_set(
    setting: Setting, tmp_path: Path
) -> None:
    names = [
        "lock_let_go_by_handler.c",
        "lock_let_go_by_timer.c",
        "lock_let_go_by_other.c",
        "lock_set_twice.c",
        "mutex_let_go_by_other.c",
        "mutex_not_let_go_by_other.c",
        "nest_lock_let_go_by_thread.c",
    ]
    answers = ask(names, setting, tmp_path)
    wrong = [each["shown"] for found in answers.values() for each in found if not is_right(each)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("setting", [CHOSEN[2], *GNUS], ids=str)
def test_who_waits_by_hand(setting: Setting, tmp_path: Path) -> None:
    names = [
        "spins_by_hand.c",
        "spins_behind_pointers.c",
        "spins_in_calls.c",
        "once_at_barrier.c",
        "call_once_at_barrier.c",
        "semaphore_at_barrier.c",
        "semaphore_posted_by_handler.c",
        "words_of_own.c",
        "word_counted_down.c",
        "word_of_two_processes.c",
    ]
    for (answer,) in ask(names, setting, tmp_path).values():
        assert is_right(answer) and not answer["contradictions"], answer


# LLVM's queue tells that nobody else has the critical: GCC's runtime keeps none.
@pytest.mark.parametrize("setting", [*CHOSEN[1:3], *GNUS], ids=str)
def test_who_looks_at_a_flag_in_a_critical(setting: Setting, tmp_path: Path) -> None:
    name = "left/flag_in_critical.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and not answer["contradictions"], answer["shown"]


@pytest.mark.parametrize("setting", [CHOSEN[1], GNUS[0]], ids=str)
def test_who_outside_of_openmp_can_go_on(setting: Setting, tmp_path: Path) -> None:
    name = "left/helped_from_outside.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and not answer["contradictions"], answer["shown"]
    works = r"blocked in sem_wait\(\); outside of OpenMP GDB thread \d can go on"
    assert re.search(works, answer["text"]), answer["shown"]
    assert re.search(r"GDB thread \d: in syscall", answer["shown"]), answer["shown"]


POSTED = """
#include <omp.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t done;
int main(void) {
    omp_set_num_threads(1);
    alarm(1);
    return sem_wait(&done);
}
"""


def test_a_semaphore_that_is_posted_blocks_nobody(tmp_path: Path) -> None:
    """Its thread sleeps in the kernel until that lets it go on."""
    program = compiled(POSTED, tmp_path, "gcc", "-O0", "-fopenmp")
    asked = [
        "handle SIGALRM stop nopass",
        "run",
        "ompd why",
        "set var *(int *)&done = 1",
        "ompd why",
    ]
    said = run_gdb(asked, program).stdout
    assert said.count("waits in sem_wait() at program.c:9, where no thread is left to wake it") == 1
    assert "Running: GDB thread 1 can go on" in said, said


# By GDB's names and lines, where templates of the C++ library's are inlined into each other.
@pytest.mark.parametrize("setting", [*CHOSEN[:2], *GNUS], ids=str)
def test_what_of_the_cpp_librarys_waits(setting: Setting, tmp_path: Path) -> None:
    name = "left/std_waits.cpp"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "deadlock" and not answer["contradictions"], answer["shown"]
    for waits in ("std::latch::wait()", "std::barrier", "std::counting_semaphore"):
        assert f" waits in {waits}" in answer["text"], answer["shown"]


# Each that arrives changes the word that the others sleep for. Without optimisation, the loop that
# looks at it again is in callers of what sleeps.
@pytest.mark.parametrize("setting", [CHOSEN[0], GNUS[0]], ids=str)
def test_threads_that_have_arrived_at_a_latch(setting: Setting, tmp_path: Path) -> None:
    name = "left/latch_of_three.cpp"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "deadlock" and not answer["contradictions"], answer["shown"]


# Without optimisation, C++'s functions call each other, and ask whether there are threads.
@pytest.mark.parametrize("setting", [CHOSEN[0], GNUS[0]], ids=str)
def test_who_writes_what_it_reads_by_guards(setting: Setting, tmp_path: Path) -> None:
    name = "left/shared_mutex_upgraded.cpp"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "deadlock" and not answer["contradictions"], answer["shown"]
    awaits = 'GDB thread 1 waits for pthread rwlock "table" at shared_mutex_upgraded.cpp:12'
    assert f"{awaits}, which it holds itself" in answer["text"], answer["shown"]


# As distributions build that bind all when a program starts: the place of a function in another
# file has its address from then on, and the function may be called, or jumped to, through that.
# clang keeps that address in a register, and a function may do nothing but jump there.
@pytest.mark.parametrize(
    ("setting", "env"),
    [
        (Setting("O2", GNU, ""), {"LD_BIND_NOW": "1"}),
        (Setting("O2 -fno-plt", GNU, ""), {}),
        (Setting("O2 -fno-plt", "14", "debian"), {}),
    ],
    ids=["bound", "gcc", "clang"],
)
def test_functions_that_are_bound_at_the_start(
    setting: Setting, env: dict[str, str], tmp_path: Path
) -> None:
    names = [
        "critical_and_lock.c",
        "lock_by_helper.c",
        "lock_in_tail.c",
        "lock_order_two.c",
        "spins_by_hand.c",
        "test_locks_crosswise.c",
    ]
    answers = ask(names, setting, tmp_path, env=env)
    for answer in [each for found in answers.values() for each in found]:
        assert is_right(answer) and "perhaps" not in answer["text"], answer["shown"]


# It has how far a function or its place is from the table of them as a number in a register.
@pytest.mark.parametrize("version", [GNU, "14"])
def test_code_for_a_large_memory_model(version: str, tmp_path: Path) -> None:
    names = [
        "join_timed.c",
        "lock_by_helper.c",
        "lock_let_go_by_handler.c",
        "mutex_let_go_by_other.c",
        "semaphore_posted_by_handler.c",
        "test_locks_crosswise.c",
    ]
    setting = Setting("O2 -mcmodel=large", version, "" if version == GNU else "debian")
    for answer in [each for found in ask(names, setting, tmp_path).values() for each in found]:
        assert is_right(answer) and "perhaps" not in answer["text"], answer["shown"]


# As std::mutex::try_lock() does without optimisation.
@pytest.mark.parametrize("setting", [CHOSEN[0], GNUS[0]], ids=str)
def test_a_lock_that_is_tried_in_functions(setting: Setting, tmp_path: Path) -> None:
    name = "left/tries_in_functions.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "deadlock" and not answer["contradictions"], answer["shown"]
    assert 'waits for pthread mutex "kept"' in answer["text"], answer["shown"]


# A function that runs at exit has no frame where it ends with a jump: the runtime's own is the first.
# GCC's has no name there.
@pytest.mark.parametrize("setting", [CHOSEN[1], CHOSEN[2], GNUS[1]], ids=str)
def test_a_lock_that_is_set_at_exit(setting: Setting, tmp_path: Path) -> None:
    (answer,) = ask(["left/lock_at_exit.c"], setting, tmp_path)["left/lock_at_exit.c", "live"]
    # Newer C libraries call it from a function by which the stack goes on.
    at_exit = answer["text"].startswith("waiting for GDB thread 1, blocked in exit();")
    if setting not in GNUS or not at_exit:
        assert answer["verdict"] == "deadlock", answer["shown"]
        assert 'waits for lock "kept"' in answer["text"]
    assert not answer["contradictions"], answer


@pytest.mark.parametrize("setting", [CHOSEN[2], *GNUS], ids=str)
def test_a_program_that_ends(setting: Setting, tmp_path: Path) -> None:
    ending, given_up = "left/ends_with_process.cpp", "left/gave_up.c"
    answers = ask([ending, given_up], setting, tmp_path)
    (ends,), (gives_up,) = answers[ending, "live"], answers[given_up, "live"]
    assert is_right(ends) and not ends["contradictions"], ends["shown"]
    said = (
        'gave up in GDB thread 1, in GOMP_parallel(), after writing "Thread creation failed: '
        'Resource temporarily unavailable"; the process is ending: GDB thread 1 is in exit()'
        if setting in GNUS
        else "gave up in GDB thread 1, in __kmpc_fork_call(), after writing"
        ' "OMP: Error #34, system error #11 (Resource temporarily unavailable)"'
    )
    assert gives_up["cycles"] and said in gives_up["text"], gives_up["shown"]
    assert 'GDB thread 1 waits for pthread mutex "kept"' in gives_up["text"]
    assert not any("not begun" in line for line in gives_up["shown"].splitlines())


@pytest.mark.parametrize("setting", [CHOSEN[0], CHOSEN[2]], ids=str)
def test_who_waits_for_the_runtime_to_make_a_thread(setting: Setting, tmp_path: Path) -> None:
    name = "left/makes_threads.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and "blocked in pause()" in answer["text"], answer["shown"]
    (lock,) = answer["locks"]
    assert (lock["kind"], len(lock["waiters"])) == ("runtime lock", 2), answer["shown"]


# Neither is the thread on its way to its region, nor does it work there.
@pytest.mark.parametrize("setting", [CHOSEN[2], GNUS[1]], ids=str)
def test_a_handler_that_leaves_no_frame_of_its_own(setting: Setting, tmp_path: Path) -> None:
    at_barrier, locked = "left/pause_at_barrier.c", "left/lock_in_handler.c"
    answers = ask([at_barrier, locked], setting, tmp_path)
    (paused,) = answers[at_barrier, "live"]
    assert "(GDB thread 2), blocked in pause();" in paused["text"], paused["shown"]
    (waiting,) = answers[locked, "live"]
    said = "blocked in the OpenMP runtime" if setting in GNUS else 'waits for lock "kept"'
    assert said in waiting["text"], waiting["shown"]
    assert not paused["contradictions"] and not waiting["contradictions"], answers


# What calls raise() is not what the other signal has interrupted.
@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_signal_that_has_interrupted_another_ones_handler(
    setting: Setting, tmp_path: Path
) -> None:
    name = "left/handler_of_handlers_signal.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    said = "in a handler of SIGUSR2, which has interrupted raise()"
    line = " at handler_of_handlers_signal.c:16" if setting.opt == "O0" else ""
    assert answer["text"].endswith(said + line), answer["shown"]


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_barrier_that_gccs_runtime_does_not_let_go(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/event_from_outside.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "waiting", answer["shown"]
    assert "barrier at event_from_outside.c:34" in answer["text"]
    assert "sleep until its last task is done, and none is left" in answer["text"]
    assert any("fulfills the event" in note for note in answer["notes"])


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_detached_task_that_is_executed_at_once(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/detached_at_once.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and not answer["contradictions"], answer
    assert "waiting for the event of a detached task at" in answer["text"]


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_detached_task_that_nothing_leads_to(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/detached_by_ended_task.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and not answer["notes"], answer


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_who_sleeps_at_a_taskgroup_s_end_takes_no_task(setting: Setting, tmp_path: Path) -> None:
    name = "task_of_group_queued.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and "no thread is free to run it" in answer["notes"][0], answer


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_barrier_that_awaits_a_task_which_is_executed(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/one_task_executes.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer) and "blocked in pause()" in answer["text"], answer["shown"]
    assert not any("event" in note for note in answer["notes"]), answer["shown"]


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_region_of_a_forked_child_lacks_its_threads(setting: Setting, tmp_path: Path) -> None:
    begun = [
        "gnu/forked_before_region.c",
        "gnu/forked_bigger_region.c",
        "gnu/forked_body_spins.c",
    ]
    inside = "gnu/forked_in_region.c"
    for (name, how), (answer,) in ask([*begun, inside], setting, tmp_path).items():
        assert is_right(answer), (how, answer["shown"])
        assert not answer.get("contradictions"), answer
        assert "fork() did not copy" in answer["text"], answer["shown"]
        assert "cure: spawn or forkserver instead of fork" in answer["text"]
        assert ("can never" in answer["text"]) is (name in begun)
        (team,) = answer["teams"]
        own = [number for group in team["groups"] for number in group["thread_num"]]
        assert sorted([*team["missing"], *own]) == list(range(team["region"]["team_size"]))
        assert {each["why"] for each in team["region"]["absent"]} == {"fork"}


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_child_of_a_thread_outside_of_openmp(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/forked_by_other_thread.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_right(answer), answer["shown"]
    assert "cure: spawn or forkserver instead of fork" in answer["text"]


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_workers_forked_child_waits_at_the_end(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/forked_behind_others.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert is_verdict_right(answer), answer["shown"]
    assert "members 0,2 of the team, which fork() did not copy" in answer["text"], answer["shown"]


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_nest_lock_of_another_task_of_the_thread(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/nest_lock_of_other_task.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "deadlock" and len(answer["cycles"]) == 1, answer["shown"]
    awaited = 'nest lock "gate" at nest_lock_of_other_task.c:18, which another of its tasks holds'
    assert awaited in answer["text"]


# An optimised function that begins a region with its last call jumps there, and has no frame.
@pytest.mark.parametrize("setting", [CHOSEN[1], GNUS[1]], ids=str)
def test_a_region_that_was_begun_with_a_jump(setting: Setting, tmp_path: Path) -> None:
    by_system = ["region_at_exit.c", "region_in_signal.c", "region_in_walk.c"]
    answers = ask(["teams_of_std_threads.cpp", *by_system], setting, tmp_path)
    for answer in [each for found in answers.values() for each in found]:
        assert is_right(answer) and not answer["contradictions"], answer
        assert "; thread" not in answer["text"] or answer["name"] not in by_system


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_locks_have_the_names_that_the_program_gives_them(opt: str, tmp_path: Path) -> None:
    setting = Setting(opt, "19", "symbols")
    answers = ask(["lock_names.cpp", "lock_order_three.c"], setting, tmp_path)
    (cpp,) = answers["lock_names.cpp", "live"]
    # Where the pointer that a function was given is gone, the file's own leads there.
    pointed = "this->lock" if opt == "O0" else "heat::single->lock"
    names = [lock["name"] for lock in cpp["locks"]]
    assert len(names) == 3
    assert set(names) == {"heat::gate", "heat::cells[1].lock", pointed}
    (ring,) = answers["lock_order_three.c", "live"]
    assert sorted(lock["name"] for lock in ring["locks"]) == ["ring[0]", "ring[1]", "ring[2]"]


@pytest.mark.parametrize("setting", GNUS, ids=str)
def test_a_thread_that_ends_in_its_region_is_waited_for(setting: Setting, tmp_path: Path) -> None:
    name = "gnu/ended_in_region.c"
    (answer,) = ask([name], setting, tmp_path)[name, "live"]
    assert answer["verdict"] == "waiting", answer["shown"]
    awaited = r"thread 0 of 3 \(GDB thread \d\), blocked in pthread_exit\(\)"
    assert re.search(awaited, answer["text"]), answer["shown"]


# gcc ends its functions at -O0 with an instruction that restores their caller's registers.
def test_the_owners_of_a_modules_locks_are_known(tmp_path: Path) -> None:
    answers = ask(["locks_of_module.f90"], GNUS[0], tmp_path)
    (answer,) = answers["locks_of_module.f90", "live"]
    owners = {lock["name"]: [one["gdb_num"] for one in lock["holders"]] for lock in answer["locks"]}
    locks = {"bank::left": [1], "bank::chest(2)%locks(0,3)": [2]}
    assert owners == locks, answer["shown"]
    assert not answer["contradictions"]


def test_a_procedure_of_fortran_has_the_name_that_it_is_called_by(tmp_path: Path) -> None:
    (answer,) = ask(["sleep_in_ordered.f90"], GNUS[0], tmp_path)["sleep_in_ordered.f90", "live"]
    awaited = r"thread 0 of 3 \(GDB thread 1\) at sleep_in_ordered.f90:11, blocked in sleep\(\)"
    assert re.search(awaited, answer["text"]), answer["shown"]


@pytest.mark.parametrize("runtime", [GNU, "19"])
def test_a_lock_is_no_variable_of_the_function_around_a_body(runtime: str) -> None:
    program = build("lock_in_body.cpp", "gcc", "O0", runtime)
    said = run_gdb(["break omp_set_lock", "run", "ompd threads"], program).stdout
    assert 'waiting for lock "gate"' in said, said


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_a_call_has_the_name_that_people_write(opt: str, tmp_path: Path) -> None:
    names = ["called_names.c", "read_in_tail.c", "sem_wait_in_tail.c"]
    answers = ask(names, Setting(opt, "19", "symbols"), tmp_path)
    (called,) = answers["called_names.c", "live"]
    assert _called(called) == {"pthread_join", "waitpid", "sem_wait", "read", "fscanf"}
    (read,) = answers["read_in_tail.c", "live"]
    assert _called(read) == {"read"}
    (waiting,) = answers["sem_wait_in_tail.c", "live"]
    assert _called(waiting) == {"sem_wait"}


@pytest.mark.parametrize("version", ["14", "19", GNU])
def test_a_region_of_one_thread_is_a_team(version: str) -> None:
    """A thread that the listing has in a region is in no other part of the verdict's."""
    program = build("serialized.c", "gcc" if version == GNU else "clang", "O0", version)
    stops = ["ompd threads -json", "ompd why -json", "continue"]
    said = run_gdb(["break truth_stop", "run", *stops * 3, "kill"], program).stdout
    decoder = json.JSONDecoder()
    found = [decoder.raw_decode(said, m.start())[0] for m in re.finditer(r"^\{", said, re.M)]
    assert len(found) == 6
    for listing, why in zip(found[::2], found[1::2]):
        inside = {row["gdb_num"] for row in listing["threads"] if row["level"]}
        told = {team["region"] is None: set(_threads_of(team)) for team in why["teams"]}
        assert not inside & told.get(True, set())
    assert inside


@pytest.mark.parametrize("version", VERSIONS)
def test_a_mutex_of_the_runtime_is_nothing_that_the_program_waits_for(version: str) -> None:
    program = build("lock_of_runtime.c", "clang", "O0", version)
    worker = "__kmp_threads[0]->th.th_root->r.r_hot_team->t.t_threads[1]"
    contended = f"set var *(int *)&{worker}->th.th_suspend_mx = 2"
    stop = ["handle SIGALRM stop nopass", "break workers_sleep", "run", "finish", contended]
    said = run_gdb([*stop, "continue", "ompd why -json", "kill"], program).stdout
    document: Document = json.JSONDecoder().raw_decode(said[said.index("\n{") + 1 :])[0]
    assert document["locks"] == []
    (team,) = document["teams"]
    (primary,) = (group for group in team["groups"] if group["thread_num"] == [0])
    assert (primary["waits_for"], primary["outside"]) == (None, "__kmpc_fork_call")


def _threads_of(team: Document) -> Iterator[int]:
    for group in team["groups"]:
        yield from group["gdb_num"]


@pytest.mark.parametrize("version", ["19", GNU])
def test_who_waits_at_a_regions_end_is_in_the_line_of_its_construct(
    version: str, tmp_path: Path
) -> None:
    """GCC gives the call that began it the line of the statement before, in another function."""
    answers = ask(["read_in_tail.c"], Setting("O2", version, "symbols"), tmp_path)
    (document,) = answers["read_in_tail.c", "live"]
    (team,) = (team for team in document["teams"] if team["region"] is not None)
    (primary,) = (group for group in team["groups"] if group["thread_num"] == [0])
    assert primary["waits_for"]["kind"] == "end-of-region barrier"
    assert (primary["location"]["function"], primary["location"]["line"]) == ("main", 12)


@pytest.mark.parametrize("version", ["19", GNU])
def test_a_task_that_jumps_to_what_blocks_is_in_the_line_of_its_call(
    version: str, tmp_path: Path
) -> None:
    """Stripped, libgomp has no name for the function that executes tasks inside a barrier."""
    answers = ask(["tasks_in_tail.c"], Setting("O2", version, "symbols"), tmp_path)
    (document,) = answers["tasks_in_tail.c", "live"]
    places = [
        (group["location"]["line"], len(group["gdb_num"]))
        for team in document["teams"]
        for group in team["groups"]
        if group["outside"] == "pthread_barrier_wait"
    ]
    assert {line for line, _ in places} == {9} and sum(count for _, count in places) == 2


def _called(document: Document) -> set[str]:
    """Return the functions outside of OpenMP that threads of the teams are in."""
    return {
        group["outside"]
        for team in document["teams"]
        if team["region"] is not None
        for group in team["groups"]
        if group["outside"] is not None
    }


FREES = "break __kmp_free_task_and_ancestors"  # which LLVM's runtime calls behind the count


@pytest.mark.parametrize("runtime", ["14", "19", GNU])
def test_the_end_of_a_taskgroup_whose_tasks_are_complete(runtime: str) -> None:
    """Its count of tasks tells that the thread which waits there can go on, and has not yet."""
    program = build("group_ends.c", "gcc" if runtime == GNU else "clang", "O0", runtime)
    to_end = ["catch syscall futex" if runtime == GNU else FREES, "continue"]
    asked = ["break last", "run", "ompd why", "set scheduler-locking on", *to_end]
    said = run_gdb([*asked, "ompd why", "ompd threads"], program).stdout
    before, after = re.findall(r"^(?:Waiting|Running).*$", said, re.M)
    assert before.startswith("Waiting for thread 1 of 2 (GDB thread 2)"), said
    assert after.startswith("Running: GDB thread"), said
    assert "not known" not in after and re.search("1 .* at end of taskgroup", said), said


@pytest.mark.parametrize("opt", ["O0", "O2"])
@pytest.mark.parametrize("compiler, runtime", [("clang", "14"), ("gcc", GNU)])
def test_who_yields_to_tasks_is_free_to_run_them(compiler: str, runtime: str, opt: str) -> None:
    """GCC's runtime executes none there: the thread waits for ever."""
    at = "__kmpc_omp_taskyield" if compiler == "clang" else "GOMP_taskyield"
    again = ["ignore 1 1000"] if compiler == "gcc" else []
    asked = ["set breakpoint pending on", f"break {at}", *again, "run", "ompd why"]
    said = run_gdb(asked, binary(Build("yields_to_tasks.c", compiler, opt, runtime))).stdout
    if compiler == "gcc":
        assert 'which spins on "is_done"' in said, said
        assert "1 task is queued, and no thread is free to run it." in said, said
    else:
        assert re.search(r"^Running: .*thread 1 can go on", said, re.M), said
        assert "no thread is free" not in said, said
