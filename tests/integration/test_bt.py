# SPDX-License-Identifier: Apache-2.0
"""Logical stacks against what chains.c has written down itself, and GDB's own bt
through the frame filter."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.build import PROGRAMS, Build, binary, build
from support.gdb_session import run_gdb
from support.refusals import compiled
from support.runtimes import GNU, ROOT, VERSIONS, library_folder, stripped

IN_GDB = ROOT / "tests" / "support" / "bt_in_gdb.py"
# The program's own helpers, which it does not write down.
HELPERS = {"next_stop", "record", "leads", "reach"}
STOPS = 3
RUNTIME_FRAME = re.compile(r"__kmp|GOMP_|omp_outlined|_omp_fn|omp_task_entry")
AT_THIRD_LEVEL = ("break truth_stop", "run")

Stop = dict[str, Any]


# On runtimes without symbols; all with GDB_OMPD_ALL_BUILDS set.
ALL_STRIPPED = [
    (symbols, version, compiler, opt)
    for symbols in ("stripped", "debian")
    for version in VERSIONS
    for compiler in ("clang", "gcc")
    for opt in ("O0", "O2")
]
CHOSEN_STRIPPED = [("debian", "14", "gcc", "O0"), ("stripped", "19", "gcc", "O2")]
STRIPPED = ALL_STRIPPED if "GDB_OMPD_ALL_BUILDS" in os.environ else CHOSEN_STRIPPED


def stops(
    program: Path, core: Path | None = None, cores: Path | None = None, lib: Path | None = None
) -> list[Stop]:
    """Return what gdb saw at each stop of PROGRAM, or in one core."""
    task = {"live": core is None, "cores": str(cores)}
    env = {"BT_TASK": json.dumps(task), "OMP_STACKSIZE": "1M", "MALLOC_ARENA_MAX": "1"}
    if lib is not None:
        env["LD_LIBRARY_PATH"] = str(lib)
    done = run_gdb([f"source {IN_GDB}"], program, core, env=env)
    found = re.findall(r"^STOP (\{.*\})$", done.stdout, flags=re.MULTILINE)
    assert found, done.stdout + done.stderr
    return [json.loads(each) for each in found]


def chain(document: dict[str, Any]) -> list[str]:
    """Return a logical stack as the program writes it down: outermost first, its own
    functions and constructs."""
    found = []
    for entry in reversed(document["stack"]):
        if entry["entry"] != "frame":
            found.append(entry["entry"])
        elif (entry["file"] or "").endswith("chains.c") and entry["function"] not in HELPERS:
            found.append(entry["function"])
    return found


def compare(stop: Stop) -> int:
    """Compare every thread that has recorded; return how many those are."""
    for lwp, expected in stop["recorded"].items():
        document = stop["shown"][lwp]
        assert chain(document) == expected, (stop["stop"], lwp)
        assert document["ends"] is None
    return len(stop["recorded"])


def test_logical_stacks_are_the_call_chains(
    tmp_path: Path, compiler: str, opt: str, runtime: str
) -> None:
    program = build("chains.c", compiler, opt, runtime)
    live = stops(program, cores=tmp_path)
    assert [stop["stop"] for stop in live] == list(range(1, STOPS + 1))
    assert [compare(stop) for stop in live] == [8, 2, 1]
    in_cores = [stops(program, tmp_path / f"core.{n}")[0] for n in range(1, STOPS + 1)]
    assert [compare(stop) for stop in in_cores] == [8, 2, 1]


@pytest.mark.parametrize(("symbols", "version", "compiler", "opt"), STRIPPED, ids="-".join)
def test_logical_stacks_need_no_symbols_of_the_runtime(
    tmp_path: Path, symbols: str, version: str, compiler: str, opt: str
) -> None:
    program = build("chains.c", compiler, opt, version)
    lib = library_folder(version, symbols, tmp_path)
    live = stops(program, cores=tmp_path, lib=lib)
    assert [compare(stop) for stop in live] == [8, 2, 1]
    trees = live[0]["trees"]["trees"]
    assert sorted(t["region"]["level"] for t in trees if t["region"]) == [1, 2, 2, 3, 3, 3, 3]
    in_core = stops(program, tmp_path / "core.2", lib=lib)
    assert [compare(stop) for stop in in_core] == [2]


@pytest.mark.parametrize(("symbols", "version", "compiler", "opt"), STRIPPED, ids="-".join)
def test_filter_needs_no_symbols_of_the_runtime(
    tmp_path: Path, symbols: str, version: str, compiler: str, opt: str
) -> None:
    commands = [*AT_THIRD_LEVEL, "ompd bt on continued", "echo @@\\n", "thread apply all bt"]
    env = {"LD_LIBRARY_PATH": str(library_folder(version, symbols, tmp_path))}
    said = run_gdb(commands, build("chains.c", compiler, opt, version), env=env)
    stacks = said.stdout.split("@@\n")[1].split("\nThread ")[1:]
    assert len(stacks) == 8
    for stack in stacks:
        assert re.search(r"\bmain( \[thread 1\])? \(\) at", stack.splitlines()[-1])
        assert stack.count("third [parallel region]") == 1
        assert not RUNTIME_FRAME.search(stack) and "libomp" not in stack


def test_trees_have_every_thread_once_a_region(runtime: str, tmp_path: Path) -> None:
    first = stops(build("chains.c", runtime=runtime), cores=tmp_path)[0]
    trees = first["trees"]["trees"]
    regions = [tree["region"] for tree in trees if tree["region"]]
    assert sorted(region["level"] for region in regions) == [1, 2, 2, 3, 3, 3, 3]
    for tree in trees:
        outermost = [n for node in tree["nodes"] if node["parent"] is None for n in node["threads"]]
        members = tree["region"]["threads"] if tree["region"] else outermost
        assert sorted(outermost) == sorted(members)
        assert tree["missing"] == []
    nested = {node["region"] for tree in trees for node in tree["nodes"] if node["region"]}
    assert nested == {region["id"] for region in regions if region["parent"] is not None}


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_filter_leaves_no_frame_of_the_runtime(compiler: str, opt: str, runtime: str) -> None:
    commands = [*AT_THIRD_LEVEL, "thread apply all bt", "ompd bt on", "echo @@\\n"]
    done = run_gdb([*commands, "thread apply all bt"], build("chains.c", compiler, opt, runtime))
    without, filtered = done.stdout.split("@@\n")
    assert RUNTIME_FRAME.search(without)
    assert not RUNTIME_FRAME.search(filtered)
    assert filtered.count("third [parallel region] (") == 8
    assert done.stderr == ""


SWITCHED = ("Enabled", "Disabled")


def test_filter_off_shows_everything_again() -> None:
    program = build("chains.c")
    commands = [*AT_THIRD_LEVEL, "bt", "ompd bt on", "ompd bt off", "echo @@\\n", "bt"]
    before, after = run_gdb(commands, program).stdout.split("@@\n")
    switched = "".join(f'{word} filter for "bt" output successfully.\n' for word in SWITCHED)
    assert after and before.endswith(after + switched)


def test_continued_goes_on_in_the_threads_that_began_the_regions(runtime: str) -> None:
    commands = [*AT_THIRD_LEVEL, "ompd bt on continued", "echo @@\\n", "thread apply all bt"]
    done = run_gdb(commands, build("chains.c", runtime=runtime))
    stacks = done.stdout.split("@@\n")[1].split("\nThread ")[1:]
    assert len(stacks) == 8
    for stack in stacks:
        assert re.search(r"in main( \[thread 1\])? \(\) at", stack.splitlines()[-1]) or re.search(
            r"^#\d+ +main \(\) at", stack.splitlines()[-1]
        )
        assert len(re.findall(r"\bthird(?: \[thread \d+\])? \(\)", stack)) == 1
        assert not RUNTIME_FRAME.search(stack)


def test_mi_clients_get_the_filtered_frames() -> None:
    mi = ["-enable-frame-filters", "-stack-list-frames"]
    commands = [*AT_THIRD_LEVEL, "ompd bt on", "echo @@\\n"]
    commands += [f'interpreter-exec mi "{each}"' for each in mi]
    listed = run_gdb(commands, build("chains.c")).stdout.split("@@\n")[1]
    functions = re.findall(r'func="([^"]*)"', listed)
    assert functions[-2:] == ["regions", "main"]
    assert functions.count("second [parallel region]") == 1
    assert not RUNTIME_FRAME.search(listed)


def test_up_and_frame_keep_to_gdbs_own_frames() -> None:
    commands = [*AT_THIRD_LEVEL, "ompd bt on", "up 4", "ompd bt", "frame", "frame 5"]
    said = run_gdb(commands, build("chains.c")).stdout
    assert len(re.findall(r"^#4 .*omp_outlined", said, flags=re.MULTILINE)) == 2
    assert re.search(r"^#5 .*__kmp_invoke_microtask", said, flags=re.MULTILINE)


def test_full_shows_what_is_left_out() -> None:
    commands = [*AT_THIRD_LEVEL, "ompd bt", "echo @@\\n", "ompd bt -full"]
    short, full = run_gdb(commands, build("chains.c")).stdout.split("@@\n")
    assert "__kmp_invoke_microtask" in full and "__kmp" not in short
    numbers = [int(n) for n in re.findall(r"^#(\d+)", full, flags=re.MULTILINE)]
    assert numbers == list(range(len(numbers)))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "ompd bt maybe",
            '"maybe" is no number of frames, nor "on", "off" or "on continued". Try "help ompd bt".',
        ),
        ("ompd bt on -full", '"on" has no options. Try "help ompd bt".'),
        ("ompd bt", "no process: start one with 'run', attach, or load a core file"),
        ("ompd bt -all", "no process: start one with 'run', attach, or load a core file"),
    ],
)
def test_mistakes_are_one_line(command: str, said: str) -> None:
    assert run_gdb([command]).stderr == f"{said}\n"


def test_bt_without_an_openmp_runtime_is_gdbs(tmp_path: Path) -> None:
    source, program = tmp_path / "plain.c", tmp_path / "plain"
    source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    subprocess.run(["cc", "-g", str(source), "-o", str(program)], check=True)
    commands = ["break main", "run", "ompd bt on", "echo @@\\n", "bt", "echo @@\\n", "ompd bt off"]
    _, filtered, plain = run_gdb([*commands, "echo @@\\n", "bt"], program).stdout.split("@@\n", 2)
    assert filtered.startswith("#0  main () at ")
    assert plain.endswith(f"@@\n{filtered}")


@pytest.mark.parametrize(("opt", "runtime"), [("O0", "19"), ("O2", stripped("14"))])
def test_a_league_is_no_region(opt: str, runtime: str) -> None:
    """The regions of its teams are told although there is none of the league."""
    commands = ["set width 0", "break truth_stop", "run", "continue", "ompd bt", "ompd bt -all"]
    apart = ["echo @@\\n", "thread apply all -q ompd bt"]
    done = run_gdb([*commands, *apart], build("teams.c", "clang", opt, runtime))
    own, _, others = done.stdout.partition("@@\n")
    marks = re.findall(r"^--  (.*)$", own, flags=re.MULTILINE)
    leagues = re.findall(r"^--  (league.*)$", others, flags=re.MULTILINE)
    # The first team's two threads come to its begin in thread 1, the second's in one of its own.
    place = "league of teams: main at teams.c:32"
    assert sorted(leagues) == [place] * 2 + [f"{place}; begun by GDB thread 1"] * 2
    assert "not known" not in others and len(re.findall("main \\(.*\\) at teams.c", others)) == 4
    assert marks == [
        "parallel region 1, level 1, thread 0 of 2: region_in_team at teams.c:22",
        "league of teams: main at teams.c:32",
    ]
    assert "do not agree" not in done.stdout and "Region not known" not in done.stdout


@pytest.mark.parametrize("runtime", [GNU, stripped("14")])
def test_a_task_whose_body_jumped_to_a_function(runtime: str) -> None:
    """Its construct has its own line, not that of a directive in what is inlined at its begin."""
    commands = ["set width 0", "break usleep if $_omp_thread_num() == 1", "run", "ompd bt"]
    done = run_gdb(
        [*commands, "ompd tasks", "ompd bt -all"], build("jumping.c", "gcc", "O2", runtime)
    )
    marks = re.findall(r"^--  (.*)$", done.stdout, flags=re.MULTILINE)
    assert marks == [
        "task: main at jumping.c:29; created by GDB thread 1",
        "parallel region 1, level 1, thread 0 of 2: main at jumping.c:27",
    ]
    assert re.search(r"^ +0 explicit .* main at jumping\.c:29$", done.stdout, re.MULTILINE)
    assert "do not agree" not in done.stdout and "Region not known" not in done.stdout


@pytest.mark.parametrize("runtime", [GNU, stripped("14"), "19"])
def test_two_regions_that_share_the_call_that_begins_them(runtime: str) -> None:
    """And both bodies have jumped on to the system: the runtime alone knows which it called."""
    program = build("shared_call.c", "gcc", "O2", runtime)
    code = subprocess.run(["objdump", "-d", program], capture_output=True, text=True, check=True)
    assert len(re.findall(r"call.*GOMP_parallel@plt", code.stdout)) == 1
    for arguments, line in (("", 13), ("again", 23)):
        said = run_gdb(["break usleep", f"run {arguments}", "ompd bt"], program).stdout
        assert f"serialized: main at shared_call.c:{line}\n" in said, said


@pytest.mark.parametrize(
    ("compiler", "runtime"),
    [("gcc", GNU), ("gcc", stripped("14")), ("clang", stripped("14")), ("clang", "19")],
)
def test_bodies_that_jumped_to_the_inner_region_and_out_of_it(compiler: str, runtime: str) -> None:
    program = build("nested_jump.c", compiler, "O2", runtime)
    primary = "break usleep if $_omp_thread_num() == 0 && $_thread != 1"
    said = run_gdb([primary, "run", "ompd bt", "ompd bt -all", "ompd threads"], program).stdout
    inner, outer = re.findall(r"^--  (.*)", said, re.MULTILINE)
    assert inner.startswith("parallel region") and "level 2, thread 0 of 2" in inner, said
    assert inner.endswith("main at nested_jump.c:18"), said
    assert re.search(r"level 1, thread 1 of 2: main at nested_jump.c:16; begun by .* 1$", outer)
    assert "do not agree" not in said and "not known" not in said, said
    assert len(re.findall(r" in region \d+$", said, re.MULTILINE)) == 2, said


@pytest.mark.parametrize("runtime", [stripped("14"), "19"])
def test_a_serialized_region_whose_call_and_body_jumped(runtime: str) -> None:
    program = build("inner_jump.c", "clang", "O2", runtime)
    said = run_gdb(["break usleep if $_thread == 2", "run", "ompd bt"], program).stdout
    inner, outer = re.findall(r"^--  parallel region \d+, (.*)", said, re.MULTILINE)
    assert inner == "level 2, serialized: main at inner_jump.c:13", said
    assert outer.startswith("level 1, thread 1 of 2: main at inner_jump.c:11;"), said


@pytest.mark.parametrize("runtime", [GNU, stripped("14"), "19"])
def test_who_waits_at_the_end_of_a_region_that_a_body_jumped_to_begin(runtime: str) -> None:
    program = build("nested_end.c", "gcc", "O2", runtime)
    said = run_gdb(["break late", "run", "ompd bt -all", "ompd parallel -all"], program).stdout
    assert said.count(" in region ") == 4, said
    assert "do not agree" not in said and "not known" not in said, said


@pytest.mark.parametrize("runtime", [stripped("14"), "19"])
def test_bodies_of_serialized_regions_that_jumped(runtime: str) -> None:
    program = build("serialized_jump.c", "clang", "O2", runtime)
    show = ["ompd bt", "ompd bt -all"]
    commands = ["break body if $_thread == 1", "run", *show, "break within", "continue"]
    said = run_gdb([*commands, "continue", *show], program).stdout
    marks = re.findall(r"^--  parallel region \d+, (.*)", said, re.MULTILINE)
    assert marks == [
        "level 2, thread 0 of 2: around at serialized_jump.c:14",
        "level 1, serialized: around at serialized_jump.c:13",
        "level 2, serialized: within at serialized_jump.c:21",
        "level 1, serialized: within at serialized_jump.c:20",
    ], said
    assert "do not agree" not in said and "not known" not in said, said


LEFT_FOR_READ = """
#include <omp.h>
#include <unistd.h>
int ends[2];
static char byte;
static void work(void) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        read(ends[0], &byte, 1);
}
int main(void) {
    if (pipe(ends) == 0)
        work();
    return 0;
}
"""


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_body_that_jumped_to_a_function_of_the_system(compiler: str, tmp_path: Path) -> None:
    """Its own frame is gone: the system's functions stand in its place."""
    program = compiled(LEFT_FOR_READ, tmp_path, compiler, "-O2", "-fopenmp")
    # the runtime itself reads, in the initial thread, files that tell what the machine is
    commands = ["break main", "run", "break read if $_thread == 2", "continue"]
    said = run_gdb([*commands, "ompd bt", "ompd bt -full", "ompd bt -all"], program).stdout
    _, plain, full = said.split("GDB thread 2\n")
    top = r"#0 .*read.*\n(?:#1 .*read.*\n)?"
    assert re.match(f"{top}--  parallel region 1, level 1, thread 1 of 2: work", plain), said
    assert re.match(f"{top}#. +0x[0-9a-f]+ in .*\\n", full), said
    assert re.search(r"^\*? +1 \(GDB 2\)  .*read", full, re.MULTILINE), said
    assert "working" not in plain + full, said


@pytest.mark.parametrize(("compiler", "opt"), [("clang", "O0"), ("gcc", "O2")])
def test_a_region_in_a_function_that_goes_on_for_ever(compiler: str, opt: str) -> None:
    commands = ["set width 0", "break work", "run", "ompd parallel -all", "ompd threads"]
    said = run_gdb(commands, build("endless.c", compiler, opt)).stdout
    assert "2 threads: add at endless.c:16, begun by GDB thread 1" in said
    assert re.search(r"work (?:\(.*\) )?at endless\.c:\d+$", said, re.MULTILINE)


def test_nobody_is_at_the_end_of_a_region_before_the_runtime_has_started() -> None:
    commands = ["set breakpoint pending on", "break __kmp_do_serial_initialize", "run"]
    done = run_gdb([*commands, "ompd why"], build("endless.c"))
    assert "Running: GDB thread 1 can go on." in done.stdout
    assert "end-of-region" not in done.stdout


@pytest.mark.parametrize("runtime", ["14", "19"])
def test_a_league_whose_body_jumped_to_the_call_that_begins_a_region(runtime: str) -> None:
    program = build("league_jump.c", "gcc", "O2", runtime)
    commands = ["break body", "run", "ompd bt", "ompd bt -all"]
    said = run_gdb(commands, program, env={"KMP_WARNINGS": "0"}).stdout
    assert "--  league of teams" in said and "--  parallel region" in said, said
    assert "--  task" not in said and "do not agree" not in said, said


@pytest.mark.parametrize("compiler, runtime", [("gcc", GNU), ("clang", "14"), ("clang", "19")])
def test_a_league_is_not_where_what_began_it_with_a_jump_was_called(
    compiler: str, runtime: str
) -> None:
    program = build("league_called.c", compiler, "O2", runtime)
    asked = ["ompd bt", "ompd parallel -all", "continue"]
    said = run_gdb(["break visit", "run", *asked, *asked], program).stdout
    assert "--  league of teams: league at league_called.c:11\n" in said, said
    assert "--  league of teams\n" in said or "league of teams: jumps at" in said, said
    assert not re.search("[Ll]eague.*: main", said), said


@pytest.mark.parametrize("runtime", ["14", "19"])
def test_a_serialized_region_that_a_body_jumped_to_begin_is_no_task(runtime: str) -> None:
    program = build("parallel_jump.c", "gcc", "O2", runtime)
    said = run_gdb(["break body if $_thread == 1", "run", "ompd bt"], program).stdout
    inner, outer = re.findall(r"^--  (.*)", said, re.MULTILINE)
    assert inner.endswith(", level 2, serialized: outer at parallel_jump.c:14"), said
    assert outer.endswith(", level 1, thread 0 of 2: outer at parallel_jump.c:13"), said


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_tasks_that_gccs_runtime_executes_inside_of_each_other(opt: str) -> None:
    """Its library does not tell which task has suspended another: the calls do, also of bodies
    that have left no frame."""
    program = build("task_in_task.c", "gcc", opt, GNU)
    said = run_gdb(["break innermost", "run", "ompd bt -json"], program).stdout
    rows = json.JSONDecoder().raw_decode(said[said.index('{"schema"') :])[0]["stack"]
    tasks = [row for row in rows if row["entry"] == "task"]
    assert [(row["function"], row["line"]) for row in tasks] == [("deeper", 11)] * 4
    assert all(row["creator"] for row in tasks)


def test_a_body_of_which_gcc_has_moved_a_part_begins_where_it_is_called() -> None:
    """What is seldom executed lies before all other code, and is of another line."""
    asked = [
        "from gdb_ompd.host.inlined import begin_of, block_of",
        "block = block_of(gdb.selected_frame().pc() - 1)",
        "print('BEGINS', block.start < begin_of(block), gdb.find_pc_line(begin_of(block)).line)",
    ]
    commands = ["break innermost", "run", "up", *(f"python {each}" for each in asked)]
    said = run_gdb(commands, build("split.c", "gcc", "O2", GNU)).stdout
    line = next(
        number
        for number, text in enumerate((PROGRAMS / "split.c").read_text().splitlines(), 1)
        if "omp task firstprivate" in text
    )
    assert f"BEGINS True {line}\n" in said, said


def test_a_target_region_that_gccs_runtime_executes_on_the_host_is_no_task() -> None:
    said = run_gdb(
        ["break inside", "run", "ompd bt"], build("league_in_region.c", "gcc", "O0", GNU)
    )
    entries = re.findall(r"^--  (.*)", said.stdout, re.MULTILINE)
    place = "main at league_in_region.c:18"
    assert entries[:2] == [f"league of teams: {place}", f"target region: {place}"], said.stdout
    assert not any(entry.startswith("task") for entry in entries), said.stdout


OF_CLASSES = """
struct Plate {
    int cells = 3;
    inline __attribute__((always_inline)) void relax(int by) {
#pragma omp parallel num_threads(1)
        cells += by;
    }
};
int main() {
    Plate plate;
    plate.relax(1);
    return plate.cells;
}
"""


def test_a_function_of_cpps_has_its_parameters_once(tmp_path: Path) -> None:
    program = compiled(OF_CLASSES, tmp_path, "g++", "-O1", "-fopenmp")
    said = run_gdb(["break program.c:6", "run", "ompd bt", "ompd bt on", "bt"], program).stdout
    assert said.count("main () at ") == 2, said
    assert len(re.findall(r"Plate::relax \((?:by=1, this=|this=\w+, by=1\))", said)) == 2, said


def test_a_signals_handler_is_shown_as_gdb_shows_it() -> None:
    program = binary(Build("hangs/spin_in_handler.c", "gcc", "O0", GNU))
    goes_on = "handle SIGUSR1 nostop noprint"
    said = run_gdb(["break handle", goes_on, "run", "ompd bt", "ompd bt -all"], program).stdout
    assert re.search(r"^#1  <signal handler called>$", said, re.MULTILINE), said
    assert re.search(r"^ +<signal handler called>$", said, re.MULTILINE), said
    assert "restore_rt" not in said
