# SPDX-License-Identifier: Apache-2.0
"""Event breakpoints are GDB's own: whatever GDB does with breakpoints works."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from support.build import Build, binary
from support.events import PROGRAM, QUIET, events, line_of, script
from support.gdb_session import EXTENSION, START, clean_environment, run_gdb
from support.gdb_ways import stays_in_script
from support.runtimes import GNU, runtime_folder

WHAT = Build(PROGRAM, "clang", "O0", "19")
BEGINS = "OpenMP parallel region begins at events.c:{line} in {function}"
SOLVE = BEGINS.format(line=line_of("num_threads(n)"), function="solve")
COUNT = "python print('HITS', [b.hit_count for b in gdb.breakpoints() if b.number > 0])"


def announced(output: str) -> list[str]:
    return [line for line in output.split("\n") if line.startswith("OpenMP ")]


def test_the_stop_says_what_begins_and_selects_the_users_code() -> None:
    said = events(WHAT, ["ompd break parallel-begin solve", "run r", "frame", "info locals"]).stdout
    assert announced(said) == [f"{SOLVE}, 1 thread requested, level 1"]
    assert f"\nBreakpoint 1\n{SOLVE}" in said  # of the process's only thread
    assert re.findall(r"^#\d+ .* in solve \(n=1\)", said, re.M)
    assert len(re.findall(r" in solve \(n=1\)", said)) == 2
    assert "ompd_bp" not in said.split("OpenMP ", 2)[2]


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_requested_threads_and_level(runtime: str, opt: str) -> None:
    what = Build(PROGRAM, "clang", opt, runtime)
    said = events(what, ["ompd break parallel-begin nest", "run r", "continue"]).stdout
    outer, inner = announced(said)
    assert re.search(r'^Thread \d "events" hit Breakpoint 1\nOpenMP .* level 2$', said, re.M)
    assert outer.endswith("in nest, 2 threads requested, level 1")
    assert inner.endswith("in nest, 2 threads requested, level 2")


def test_what_a_limit_cut_is_not_called_requested() -> None:
    asked = ["ompd break parallel-begin solve", "run r", "continue 2"]
    said = events(WHAT, asked, env={"OMP_THREAD_LIMIT": "2"}).stdout
    assert announced(said)[-1] == f"{SOLVE}, 2 threads, level 1"


def test_scripts_find_the_event_in_variables() -> None:
    show = [f"print ${name}" for name in ("_omp_event", "_omp_event_function")]
    show.append("print $_omp_event_requested")
    stops = ["ompd break parallel-begin solve", "tbreak ended", "run r", *show, "delete 1"]
    said = events(WHAT, [*stops, "continue", *show]).stdout
    assert '$1 = "parallel-begin"\n$2 = "solve"\n$3 = 1\n' in said
    assert "$4 = void\n$5 = void\n$6 = void\n" in said


@pytest.mark.parametrize(
    "program, compiler, names, stops",
    [
        (
            "classes.cpp",
            "clang",
            ["smooth", "Grid::relax", "visit", "operator()", "Grid::smooth", "elax"],
            {"Grid::relax": 1, "smooth<double>": 2, "Grid::visit": 1, "operator()": 1},
        ),
        (
            "bodies.cpp",
            "clang",
            ["Field<...>::fill", "instance< int >", "Field<int>::fil", "Field<long>::fill"],
            {"Field<int>::fill": 1, "Field<double>::fill": 1, "instance<int>": 1},
        ),
        ("fortran.f90", "gcc", ["INNER", "Work::Loop"], {"work::inner": 2, "work::loop": 1}),
    ],
)
def test_functions_are_named_as_for_gdbs_own_break(
    program: str, compiler: str, names: list[str], stops: dict[str, int]
) -> None:
    """Without templates' arguments, and with or without what is around a function;
    Fortran's names in upper and lower case."""
    asked = [f"ompd break parallel-begin {name}" for name in names]
    asked += ["run", *["continue"] * sum(stops.values())]
    done = run_gdb([*QUIET, *asked], binary(Build(program, compiler, "O0", "19")))
    found = [line.split(" in ")[1].split(",")[0] for line in announced(done.stdout)]
    # What a lambda's class is called is the compiler's affair.
    found = [re.sub(r"^main::.*::", "", name) for name in found]
    assert Counter(found) == stops, done.stdout + done.stderr
    for number, name in enumerate(names, 1):
        assert f"Breakpoint {number}: OpenMP parallel-begin in {name} (pending)\n" in done.stdout
    assert "exited normally" in done.stdout


def test_a_task_says_who_made_it_and_who_runs_it(runtime: str) -> None:
    what = Build(PROGRAM, "clang", "O0", runtime)
    said = events(what, ["ompd break task-begin update", "run t", *["continue"] * 9]).stdout
    line = line_of("task firstprivate")
    places = f"OpenMP task begins at events.c:{line} in update, made by "
    lines = announced(said)
    assert len(lines) == 10
    maker = rf"the implicit task of thread [0-2]|the task at events.c:{line + 14} in make_tasks"
    for each in lines:
        assert re.fullmatch(f"{places}({maker}), run by thread [0-2] of 3", each), each
    assert len([each for each in lines if "the implicit task" in each]) == 5


def test_a_task_is_known_where_registers_do_not_tell_it(runtime: str) -> None:
    blind = (
        "python from gdb_ompd.control import event_records;"
        " event_records.saved_registers = lambda *_: []"
    )
    told = []
    for first in ([], [blind]):
        asked = [*first, "ompd break task-end update", "ompd break task-begin update", "run t"]
        said = events(Build(PROGRAM, "clang", "O0", runtime), [*asked, *["continue"] * 19]).stdout
        # Which thread makes and which runs them is another one in each run.
        lines = [re.sub(r", run by.*|(?<= of thread )\d+", "", line) for line in announced(said)]
        told.append(sorted(lines))
    assert len(told[0]) == 20
    assert told[1] == told[0]


def test_each_thread_begins_and_ends_once(runtime: str) -> None:
    asked = ["ompd break thread-begin", "ompd break thread-end", "run r"]
    said = events(Build(PROGRAM, "clang", "O0", runtime), [*asked, *["continue"] * 20]).stdout
    event = r"^OpenMP thread {}: GDB thread (\d+) \(LWP (\d+)\)$"
    begun = re.findall(event.format("begins"), said, re.M)
    gone = re.findall(event.format("ends"), said, re.M)
    assert len(begun) == len(set(begun)) > 1
    assert len(gone) == len(set(gone)) > 0
    assert set(gone) <= set(begun)
    assert "exited normally" in said


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_the_thread_is_in_the_region_that_begins_or_ends(runtime: str, opt: str) -> None:
    """In every region, reused teams and serialized ones included, and the task is the
    encountering one: of a level less."""
    lines = ["ompd break parallel-begin", "ompd break parallel-end", "break ended", "run r"]
    lines += ["python", "import gdb, gdb_ompd", "from gdb_ompd import inquiry", "found = []"]
    lines += ["while gdb.selected_frame().name() != 'ended':"]
    lines += ["  event = gdb.convenience_variable('_omp_event').string()"]
    lines += ["  me = next(t for t in gdb_ompd.snapshot(False).threads if t.selected)"]
    lines += ["  task = inquiry.innermost_task(me.gdb_num)"]
    lines += ["  chain = [t for t in inquiry.session_of().tasks([me.gdb_num])]"]
    lines += ["  found.append((event, me.level, me.thread_num, len(chain), task.kind.value))"]
    lines += ["  gdb.execute('continue', to_string=True)"]
    lines += ["print('BOUND', found)", "end"]
    folder = binary(Build(PROGRAM, "clang", opt, runtime)).parent
    path = folder / "bound.gdb"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = events(Build(PROGRAM, "clang", opt, runtime), [f"source {path}"]).stdout
    found = eval(said.split("BOUND ", 1)[1].split("\n", 1)[0])  # a list of plain values
    assert len(found) == 2 * (6 + 3 + 4 + 7)
    for event, level, thread_num, tasks, kind in found:
        assert thread_num == 0
        # One task for each region around, and the initial one.
        assert tasks == level, (event, level, tasks)
        assert kind == ("initial" if level == 1 else "implicit")


def test_pending_until_the_runtime_is_mapped_and_kept_across_runs() -> None:
    asked = ["ompd break parallel-begin solve", "info breakpoints", "run r", "run r", COUNT]
    said = events(WHAT, asked).stdout
    assert "Breakpoint 1: OpenMP parallel-begin in solve (pending)" in said
    # The condition has a line of its own in newer debuggers.
    filtered = r"<PENDING>  ompd_bp_parallel_begin\s+(stop only )?if "
    assert re.search(filtered + r'\$_omp_event_at\("parallel-begin","solve"\)', said)
    assert len(announced(said)) == 2
    assert "HITS [1]" in said  # GDB counts anew in each run


def test_a_condition_is_evaluated_in_the_users_code() -> None:
    asked = ["ompd break parallel-begin solve if n == 3 && total >= 0", "run r", "info breakpoints"]
    said = events(WHAT, asked).stdout
    assert announced(said) == [f"{SOLVE}, 3 threads requested, level 1"]
    filter_text = r'$_omp_event_at("parallel-begin","solve") && $_omp_user("n == 3 && total >= 0")'
    assert f"stop only if {filter_text}\n" in said


def test_a_condition_that_fails_says_why_in_one_line() -> None:
    done = events(WHAT, ["ompd break parallel-begin solve if nothing > 2", "run r"])
    assert len(announced(done.stdout)) == 1
    assert 'No symbol "nothing" in current context.' in done.stderr
    assert "Python Exception" not in done.stderr


def test_a_condition_that_is_no_expression_is_refused_at_once() -> None:
    asked = [
        "if )(",
        "solve if total ==",
        "solve if 1 1",
        "solve if n .eq. 3",
        "if sizeof(int) == 4",
    ]
    done = events(WHAT, [f"ompd break parallel-begin {each}" for each in asked])
    refused = done.stderr.splitlines()
    assert len(refused) == 3 and all("A syntax error in expression" in each for each in refused)
    assert done.stdout.count(": OpenMP parallel-begin") == 2


def test_a_condition_of_a_task_sees_globals_alone() -> None:
    refused = events(WHAT, ["ompd break task-begin update if index == 3"])
    assert refused.stderr.startswith('"index" is no global variable: at task-begin the body of')
    assert refused.stderr.count("\n") == 1 and "Breakpoint" not in refused.stdout
    condition = "(int)total >= 0 && sizeof(int) == 4 && $_omp_num_threads() == 3"
    asked = [f"ompd break task-begin update if {condition}", "run t", COUNT]
    done = events(WHAT, asked)
    assert len(announced(done.stdout)) == 1 and "HITS [1]" in done.stdout
    assert "Error" not in done.stderr


def test_what_keeps_it_from_stopping_is_said(tmp_path: Path) -> None:
    source = tmp_path / "plain.c"
    source.write_text("int main(void) { return 0; }\n")
    plain = tmp_path / "plain"
    subprocess.run(["gcc", "-g", str(source), "-o", str(plain)], check=True)
    said = run_gdb(["start", "ompd break task-begin"], plain).stdout
    assert "It cannot stop yet: no OpenMP runtime is mapped: " in said
    core = tmp_path / "core"
    asked = ["break ended", "run r", f"generate-core-file {core}"]
    events(WHAT, asked)
    done = run_gdb(["ompd break task-begin", "ompd enable"], binary(WHAT), core)
    assert "A core file does not run: the breakpoint waits for a process.\n" in done.stdout
    assert done.stderr.endswith("a core file's events cannot be switched: that needs a process\n")


def test_a_condition_typed_later_is_joined_to_the_filter() -> None:
    asked = ["ompd break parallel-begin solve", "run r", 'condition 1 $_omp_user("n") > 2']
    asked += ["info breakpoints", "continue", "condition 1", "info breakpoints"]
    said = events(WHAT, asked).stdout
    first = '$_omp_event_at("parallel-begin","solve")'
    assert f'stop only if {first} && ($_omp_user("n") > 2)\n' in said
    assert f"stop only if {first}\n" in said
    assert announced(said)[1] == f"{SOLVE}, 3 threads requested, level 1"


def test_a_condition_typed_while_pending_holds() -> None:
    asked = ["ompd break parallel-begin solve", 'condition 1 $_omp_user("n") == 2', "run r"]
    said = events(WHAT, asked).stdout
    assert announced(said) == [f"{SOLVE}, 2 threads requested, level 1"]


def test_ignore_counts_matches_only() -> None:
    asked = ["ompd break parallel-begin solve if n == 2", "ignore 1 1", "run r", COUNT]
    said = events(WHAT, asked).stdout
    assert [line.rsplit(",", 1)[1] for line in announced(said)] == [" level 3"]
    assert "HITS [2]" in said


def test_of_several_at_an_event_the_one_that_has_stopped_is_named(tmp_path: Path) -> None:
    """In each run, and the commands of one that has not do not silence the stop."""
    breaks = ["ompd break parallel-begin nest", "commands", "silent", "end"]
    breaks += ["ompd break parallel-begin", "ignore 2 1000", "ompd break parallel-begin solve"]
    breaks += ["break ompd_bp_parallel_begin if 0"]
    for build in (WHAT, Build(PROGRAM, "gcc", "O0", GNU)):
        asked = [script(tmp_path, breaks), *["run r", "continue"] * 2]
        said = events(build, ["set breakpoint pending on", *asked]).stdout
        hits_said = re.findall(r"^(?:Thread .* hit )?Breakpoint (\d+)\n", said, re.M)
        assert hits_said == ["3"] * 4, said
        assert len(announced(said)) == 4


def test_commands_with_silent(tmp_path: Path) -> None:
    lines = ["ompd break parallel-begin solve", "commands", "silent"]
    lines += ["output $_omp_event_requested", "echo \\ threads\\n", "continue", "end", "run r"]
    said = events(WHAT, [script(tmp_path, lines)]).stdout
    assert announced(said) == []
    # At the limit of nesting nobody knows how many were asked for.
    assert re.findall(r"^(\w+) threads$", said, re.M)[:4] == ["1", "2", "3", "void"]
    assert "exited normally" in said or not stays_in_script()


def test_disable_delete_and_tbreak() -> None:
    asked = ["ompd tbreak parallel-begin solve", "ompd break parallel-begin solve_if"]
    asked += ["disable 2", "run r", "info breakpoints", "enable 2", "continue", "delete 2"]
    said = events(WHAT, [*asked, "continue"]).stdout
    assert "Temporary breakpoint 1: OpenMP parallel-begin in solve (pending)" in said
    assert [line.split(" in ")[1].split(",")[0] for line in announced(said)] == [
        "solve",
        "solve_if",
    ]
    assert "exited normally" in said


def test_saved_and_sourced_again(tmp_path: Path) -> None:
    saved = tmp_path / "saved.gdb"
    asked = ["ompd break parallel-begin solve if n == 2", "run r", f"save breakpoints {saved}"]
    events(WHAT, asked)
    again = ["set breakpoint pending on", f"source {saved}", "run r"]
    assert announced(events(WHAT, again).stdout) == [f"{SOLVE}, 2 threads requested, level 1"]
    pending = events(WHAT, [asked[0], f"save breakpoints {saved}", "delete", *again]).stdout
    assert announced(pending) == [f"{SOLVE}, 2 threads requested, level 1"]


def test_a_thread_must_live() -> None:
    asked = ["ompd break parallel-begin thread 7", "break ended", "run r"]
    done = events(WHAT, [*asked, "ompd break parallel-begin thread 1", "info breakpoints"])
    assert "there is no GDB thread 7: a breakpoint's thread must be alive\n" in done.stderr
    assert "stop only in thread 1" in done.stdout


def test_the_older_names() -> None:
    names = ["parallel_pre_execute", "parallel_post_execute", "task_pre_execute"]
    names += ["task_post_execute", "ompd_bp_thread_begin", "ompd_bp_thread_end"]
    said = events(WHAT, [f"ompd break {name}" for name in names]).stdout
    made = re.findall(r"^Breakpoint \d: OpenMP ([a-z-]+) \(pending\)$", said, re.M)
    parts = [
        f"{what}-{when}" for what in ("parallel", "task", "thread") for when in ("begin", "end")
    ]
    assert made == parts


def test_events_complete() -> None:
    asked = ["complete ompd break para", "complete ompd tbreak thread-"]
    asked += ["complete ompd break task_p", "complete ompd break task-begin make_un"]
    asked += ["complete ompd break task-end events.c"]
    assert events(WHAT, asked).stdout.splitlines() == [
        "ompd break parallel-begin",
        "ompd break parallel-end",
        "ompd tbreak thread-begin",
        "ompd tbreak thread-end",
        "ompd break task_post_execute",
        "ompd break task_pre_execute",
        "ompd break task-begin make_undeferred",
        "ompd break task-begin make_untied",
        "ompd break task-end events.c:",
    ]


@pytest.mark.parametrize(
    "command, text",
    [
        ("ompd break", "An event is wanted: one of parallel-begin, "),
        ("ompd break begin", '"begin" is no OpenMP event: one of parallel-begin, '),
        ("ompd break task-begin 12", "12 is not a place: write FILE:12, or a function."),
        ("ompd break thread-end main", "thread-end has no construct: no location can be given."),
        ("ompd break task-end main if", '"if" wants a condition. Try "help ompd break".'),
        ("ompd break task-end thread x", '"x" is not a thread number. Try "help ompd break".'),
        ("ompd enable", "no process: start one with 'run', attach, or load a core file"),
    ],
)
def test_a_mistake_is_one_line(command: str, text: str) -> None:
    done = events(WHAT, [command])
    assert done.stderr.startswith(text), done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unknown_place_is_said() -> None:
    said = events(WHAT, ["ompd break task-begin nowhere", "ompd break task-begin update"]).stdout
    assert said.count("Nothing is known yet of nowhere: the breakpoint waits for it.") == 1
    assert said.count("Nothing is known yet") == 1


def test_under_a_front_end_the_stop_has_reason_thread_and_frame() -> None:
    asked = "\n".join(
        [
            '-interpreter-exec console "set print thread-events off"',
            '-interpreter-exec console "ompd break parallel-begin solve"',
            "-exec-run",
        ]
    )
    argv = ["gdb", *START, "-q", "-i=mi"]
    argv += ["-ex", f"source {EXTENSION}", str(binary(WHAT))]
    with subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(asked + "\n")
        process.stdin.flush()
        said = [next(process.stdout)]
        while not said[-1].startswith("*stopped"):
            said.append(next(process.stdout))
        process.stdin.write("-stack-info-frame\n-gdb-exit\n")
        process.stdin.flush()
        rest = process.stdout.read()
    stopped = said[-1]
    assert 'reason="breakpoint-hit"' in stopped and 'bkptno="1"' in stopped
    assert 'thread-id="1"' in stopped and 'func="ompd_bp_parallel_begin' in stopped
    assert SOLVE in rest
    assert re.search(r'\^done,frame=\{[^}]*func="solve"', rest)


def test_two_inferiors() -> None:
    other = binary(Build(PROGRAM, "gcc", "O0", "14"))
    asked = ["ompd break parallel-begin solve", "run r", f"add-inferior -exec {other}"]
    asked += ["inferior 2", "run r", "continue", "inferior 1", "continue", "ompd parallel"]
    said = events(WHAT, asked).stdout
    requested = [line.split(", ")[1] for line in announced(said)]
    assert requested == ["1 thread requested"] * 2 + ["2 threads requested"] * 2


def test_threads_of_several_inferiors_have_gdbs_numbers() -> None:
    asked = [f"add-inferior -exec {binary(WHAT)}", "inferior 2", "ompd tbreak thread-begin"]
    asked += ["tbreak solve", "run r", "continue", "ompd finish region"]
    done = events(WHAT, asked)
    assert "\nOpenMP thread begins: GDB thread 2.1 (LWP" in done.stdout
    assert "thread 2.1 is in no parallel region" in done.stderr


def test_attached_then_enabled(tmp_path: Path) -> None:
    """The program waits in its first region for a debugger that writes a variable."""
    with subprocess.Popen(
        [binary(Build("attached.c", "clang", "O0", "19"))],
        stdout=subprocess.PIPE,
        env=clean_environment(),
    ) as program:
        try:
            assert program.stdout is not None
            program.stdout.readline()  # it is in its region
            asked = [f"attach {program.pid}", "ompd break parallel-begin again"]
            asked += ["ompd enable", "set var go_on = 1", "tbreak again", "continue"]
            asked += ["ompd enable", "continue", "ompd parallel"]
            asked += ["ompd disable", "continue"]
            done = run_gdb([*QUIET, *asked])
        finally:
            program.kill()
    said = done.stdout
    assert "OMPD events are off in this process: 'ompd enable' switches them on." in said
    assert "OMPD events are on in " in said
    refused = "OMPD events cannot be switched on now, or the program could crash: GDB threads 1-2"
    assert done.stderr.count(refused) == 1, done.stderr
    assert [line.split(" in ")[1] for line in announced(said)] == [
        "again, 2 threads requested, level 1"
    ]
    assert "Region 1  level 1, 2 threads: again at attached.c" in said
    assert "OMPD events are off in " in said
    assert "exited normally" in said


def test_a_refused_runtime_has_its_regions_begin(tmp_path: Path) -> None:
    """Where GDB knows none of the event functions, what is exported must do."""
    stripped = tmp_path / "libomp.so"
    folder = runtime_folder("19")
    subprocess.run(["strip", "-o", stripped, folder / "libomp.so"], check=True)
    # Without this text its symbols cannot be recovered; it is as good a runtime as before.
    stripped.write_bytes(stripped.read_bytes().replace(b"OMP_OMPD active", b"OMP_OMPD Active"))
    asked = ["set ompd cache off", "break main", "run r", "ompd break parallel-begin solve"]
    asked += ["ompd break task-begin", "ompd status", "continue", "continue"]
    done = events(WHAT, asked, env={"LD_PRELOAD": str(stripped)})
    assert "it stops where __kmp_fork_call begins" in done.stdout
    stops = [line.split(",")[0] for line in announced(done.stdout) if "runtime" not in line]
    assert stops == [SOLVE, SOLVE]
    assert "the program cannot be stopped at task-begin" in done.stderr
    assert "Event breakpoints: parallel-begin only" in done.stdout
