# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: stop a restless program anywhere, and hold what we say against
what the program itself answers when gdb calls omp_get_* in each of its threads.

The environment gives RANDOM_SEED, RANDOM_STOPS, and in RANDOM_LIFE whether the program is gdb's
own child ("run") or "gdbserver"'s. Prints one line of JSON; "aborted" in
it tells that the runtime has ended the program ("Thread identifier invalid" was seen, in
one run of ten on a busy machine). The thread that was looked at had hit the breakpoint
together with the one that GDB reported, and was made to call a function while GDB still
kept its hit for later.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator

import gdb

# Where the runtime changes teams and tasks: the places where a reader goes wrong.
PLACES = (
    "__kmp_fork_call",
    "__kmp_join_call",
    "__kmp_allocate_team",
    "__kmp_free_team",
    "__kmp_invoke_task",
    "__kmp_push_current_task_to_thread",
    "__kmp_create_worker",
    "__kmp_serialized_parallel",
    "__kmpc_serialized_parallel",
    "__kmpc_end_serialized_parallel",
    "__ompt_lw_taskteam_link",
    "__kmp_fork_barrier",
    "__kmp_join_barrier",
    "__kmp_task_finish",
    "ompd_bp_parallel_begin",
    "ompd_bp_parallel_end",
    "ompd_bp_task_begin",
    "fibonacci",
    "inner",
)
# The same of GCC's runtime, of which only what is exported has a name: from there it goes
# further on.
GNU_PLACES = (
    "GOMP_parallel",
    "GOMP_task",
    "GOMP_taskwait",
    "GOMP_barrier",
    "GOMP_single_start",
    "GOMP_critical_start",
    "GOMP_loop_end",
    "fibonacci",
)
# Is met again and again, so that no run is without end.
IS_GNUS = os.environ.get("RANDOM_RUNTIME") == "gnu"
LATEST = "GOMP_barrier" if IS_GNUS else "inner"
ICVS = {
    "nthreads-var": "omp_get_max_threads",
    "max-active-levels-var": "omp_get_max_active_levels",
    "thread-limit-var": "omp_get_thread_limit",
    "dyn-var": "omp_get_dynamic",
    "final-task-var": "omp_in_final",
}
SYSCALL = b"\x0f\x05"
Answer = tuple[int, str, object]  # gdb number, fact, value


def run_to(place: str, hits: int) -> None:
    """Go on to PLACE, or to where the program is bound to come by."""
    points = [gdb.Breakpoint(place, internal=True), gdb.Breakpoint(LATEST, internal=True)]
    for point, ignored in zip(points, (hits, 150)):
        point.silent = True
        point.ignore_count = ignored
    gdb.execute("continue", to_string=True)
    for point in points:
        point.delete()


def step(count: int) -> None:
    """Go COUNT instructions on in the selected thread alone, but into no call of the kernel,
    which may wait for another thread."""
    for _ in range(count):
        code = gdb.selected_inferior().read_memory(gdb.selected_frame().pc(), len(SYSCALL))
        if bytes(code) == SYSCALL:
            break
        gdb.execute("stepi", to_string=True)


def said(document: str) -> list[dict[str, object]]:
    """Return the rows of a JSON document of ours."""
    rows = json.loads(gdb.execute(f"ompd {document} -json", to_string=True))
    return [
        row
        for key, value in rows.items()
        if isinstance(value, list)
        for row in value
        if key != "notes"
    ]


def our_answers() -> Iterator[Answer]:
    """Yield what the extension says of each thread that is in a team."""
    in_team = set()
    for row in said("threads"):
        if row["level"] is None:
            continue
        in_team.add(row["gdb_num"])
        for fact in ("thread_num", "team_size", "level", "active_level", "memberships"):
            yield row["gdb_num"], fact, row[fact]
    for icv in said("icvs -all"):
        owner = icv["owner"]
        if owner is not None and owner.get("gdb_num") in in_team and icv["name"] in ICVS:
            yield owner["gdb_num"], icv["name"], icv["value"]


def call(function: str, argument: int = 0) -> int:
    """Call an OpenMP function in the selected thread."""
    return int(gdb.parse_and_eval(f"((int (*)(int)) {function})({argument})"))


def _is_starting() -> bool:
    """Tell whether the selected thread is a worker that has not got its number yet: it
    cannot answer, and the runtime would take it for one more initial thread if it were
    asked. Without the runtime's symbols, programs stop only where all have begun."""
    try:
        return int(gdb.parse_and_eval("__kmp_gtid")) < 0
    except gdb.error:
        return False


def _leaves_its_region() -> bool:
    """Tell whether the selected thread, its team's first, has the number that it has outside
    already: from then on the program's other answers are still those of the team."""
    thread = "__kmp_threads[__kmp_gtid]"
    is_primary = f"{thread}->th.th_team->t.t_threads[0] == {thread}"
    try:
        return bool(gdb.parse_and_eval(f"{is_primary} && {thread}->th.th_info.ds.ds_tid != 0"))
    except gdb.error:
        return False


def the_programs_answers(gdb_nums: set[int]) -> Iterator[Answer]:
    """Yield what the program answers in each of these threads."""
    for thread in gdb.selected_inferior().threads():
        if thread.num not in gdb_nums:
            continue
        thread.switch()
        if _is_starting():
            continue
        yield thread.num, "thread_num", call("omp_get_thread_num")
        if _leaves_its_region():
            continue
        level = call("omp_get_level")
        yield thread.num, "team_size", call("omp_get_num_threads")
        yield thread.num, "level", level
        yield thread.num, "active_level", call("omp_get_active_level")
        yield thread.num, "memberships", [
            [call("omp_get_ancestor_thread_num", n), call("omp_get_team_size", n)]
            for n in range(level, -1, -1)
        ]
        for name, function in ICVS.items():
            yield thread.num, name, call(function)


def _is_no_value(fact: str, truth: object, said: object) -> bool:
    """Tell whether the program answers what the ICV cannot be: a worker that has not
    taken over its region's ICVs counts 0 threads, which we call unknown."""
    return fact == "nthreads-var" and truth == 0 and said is None


def compare(where: str) -> tuple[int, list[str]]:
    """Compare at one stop: how many facts, and those that are wrong."""
    ours = {(number, fact): value for number, fact, value in our_answers()}
    truth = {
        (number, fact): value
        for number, fact, value in the_programs_answers({number for number, _ in ours})
    }
    wrong = [
        f"{where}: thread {number}: {fact}: said {ours.get((number, fact))}, truth {value}"
        for (number, fact), value in truth.items()
        if ours.get((number, fact)) != value
        and not _is_no_value(fact, value, ours.get((number, fact)))
    ]
    return len(truth), wrong


def main() -> None:
    """Stop again and again, and report."""
    chance = random.Random(int(os.environ["RANDOM_SEED"]))
    for setting in ("pagination", "confirm"):
        gdb.execute(f"set {setting} off")
    gdb.execute("break main", to_string=True)
    if os.environ["RANDOM_LIFE"] == "gdbserver":
        program = gdb.current_progspace().filename
        gdb.execute(f"target remote | exec gdbserver --once - {program}", to_string=True)
    gdb.execute("run" if os.environ["RANDOM_LIFE"] == "run" else "continue", to_string=True)
    gdb.execute("delete", to_string=True)
    facts, wrong = 0, []
    signals: list[str] = []
    gdb.events.stop.connect(lambda event: signals.append(getattr(event, "stop_signal", "")))
    for _ in range(int(os.environ["RANDOM_STOPS"])):
        place = chance.choice(GNU_PLACES if IS_GNUS else PLACES)
        steps = chance.randrange(800 if IS_GNUS else 60)
        try:
            run_to(place, chance.randrange(60))
            if "SIGABRT" not in signals:
                gdb.execute("set scheduler-locking on")
                step(steps)
            if "SIGABRT" not in signals:
                compared, bad = compare(f"{steps} instructions after {place}")
                facts, wrong = facts + compared, wrong + bad
        except gdb.error:
            if "SIGABRT" not in signals:
                raise
        if "SIGABRT" in signals:
            break
        gdb.execute("set scheduler-locking off")
    if gdb.selected_inferior().pid:
        gdb.execute("kill", to_string=True)
    report = {"facts": facts, "wrong": wrong, "aborted": "SIGABRT" in signals}
    print("\nRANDOM " + json.dumps(report))


if "RANDOM_STOPS" in os.environ:  # else another script wants compare()
    main()
