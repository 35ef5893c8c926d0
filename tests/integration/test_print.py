# SPDX-License-Identifier: Apache-2.0
"""How `ompd print`, `ompd diff` and `ompd apply` answer: options, folding, errors, and what
they leave as it was."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.refusals import compiled
from support.runtimes import GNU
from support.values import AT_STOP, SHARING, answers

PATTERNS = {"diff", "errors"}
CASES = {
    "print": [
        ("ompd print shared", "0-2: 5\n"),
        ("ompd print mine", "0: 0\n1: 7\n2: 14\n"),
        ("ompd print mine == 7", "1: 1\n0,2: 0\n"),
        ("ompd print/x mine", "0: 0x0\n1: 0x7\n2: 0xe\n"),
        ("ompd print /x -mine", "0: 0x0\n1: 0xfffffff9\n2: 0xfffffff2\n"),
        ("ompd print -threads 0,2 mine", "0: 0\n2: 14\n"),
        ("ompd print -threads 1-2 -- -mine", "1: -7\n2: -14\n"),
        ("ompd print -team mine / (mine - 7)", "0: 0\n2: 2\n1: <Division by zero>\n"),
        ("ompd print -all everybody", "GDB 1-3: 11\n"),
        ("ompd print -state working everybody", "0-2: 11\n"),
        ("ompd print -elements 2 list", "0-2: {0.5, 1.5...}\n"),
        ("ompd print sized", "0-2: {0, 10, 20, 30, 40}\n"),
        ("ompd print nothing", '0-2: <No symbol "nothing" in current context>\n'),
        (
            "ompd print grid",
            "2 members of grid differ in 0-2:\n"
            "cell[1][2]  1: -1\n            0,2: 6\n"
            "id          0: 0\n            1: 7\n            2: 14\n",
        ),
        (
            "ompd print (char[4])mine",
            '0: "\\000\\000\\000"\n1: "\\a\\000\\000"\n2: "\\016\\000\\000"\n',
        ),
        (
            "ompd print -stats grid.cell[1][2]",
            "1: -1\n0,2: 6\nminimum -1.0 in thread 1\nmaximum 6.0 in threads 0,2\n"
            "mean 3.6666666666666665 of 3 threads\n",
        ),
        ("ompd print -pretty -- grid.cell[0]", "0-2: {1, 2, 3}\n"),
        ("ompd print $_omp_thread_num()", "0: 0\n1: 1\n2: 2\n"),
        ("ompd print $_thread", "0: 1\n1: 2\n2: 3\n"),
        ('ompd print "\\033[31m\\007"', '0-2: "\\033[31m\\a"\n'),
    ],
    "diff": [
        (
            "ompd diff mine",
            r"mine is an object of its own in each thread\.\n(\d: at 0x[0-9a-f]+\n){3}0: 0\n1: 7\n2: 14\n",
        ),
        ("ompd diff shared", r"shared is one object, at 0x[0-9a-f]+, in all of these threads\.\n"),
        (
            "ompd diff own",
            r"own is an object of its own in each thread\.\n(\d: at .*\n){3}0: 0.25\n1: 7.25\n2: 14.25\n",
        ),
        ("ompd diff mine * 2", r"mine \* 2 is at no known address.*\n0: 0\n1: 14\n2: 28\n"),
        ("ompd diff shared * 2", r"shared \* 2 is at no known address, and is the same.*\n"),
        ("ompd diff list", r"list is one object.*\n"),
    ],
    "errors": [
        ("ompd print", "error: An expression is wanted.*"),
        ("ompd print -threads 7 mine", "error: the current team has threads 0 to 2, not 7"),
        ("ompd print -threads x mine", 'error: "x" is no thread number.*'),
        ("ompd print -threads 1-0 mine", 'error: "1-0" is no thread number.*'),
        ("ompd print /q mine", 'error: "/q" is no format.*'),
        ("ompd print -state idle mine", "error: no thread of the team is idle"),
        ("ompd print -state floating mine", 'error: no thread is "floating".*'),
        ("ompd print -all -threads 1 mine", "error: -all is every thread.*"),
        ("ompd print -threads", "error: -threads wants a value.*"),
        ("ompd print -elements few -- mine", "error: print elements: .*"),
        ("ompd print /xd mine", 'error: "/xd" is no format.*'),
        ("ompd apply", "error: A command is wanted.*"),
        ("ompd apply -s -q print 1", "error: -s and -q exclude each other.*"),
        ("ompd apply print nothing", 'error: No symbol "nothing" in current context.'),
    ],
    "apply": [
        ("ompd apply -q output $_thread", "123"),
        (
            "ompd apply output $_omp_thread_num()",
            "\nThread 0 (GDB thread 1):\n0\nThread 1 (GDB thread 2):\n1\nThread 2 (GDB thread 3):\n2",
        ),
        ("ompd apply -threads 2,0 -q output $_thread", "13"),
        ("ompd apply -s print nothing", ""),
        (
            "ompd apply -s output 1 / ($_thread - 1)",
            "\nThread 1 (GDB thread 2):\n1\nThread 2 (GDB thread 3):\n0",
        ),
    ],
}


def test_answers(tmp_path: Path) -> None:
    asked = [command for group in CASES.values() for command, _ in group]
    told = dict(zip(asked, answers(asked, binary(SHARING), tmp_path)))
    for group, cases in CASES.items():
        for command, expected in cases:
            if group in PATTERNS:
                assert re.fullmatch(expected, told[command]), (command, told[command])
            else:
                assert told[command] == expected, command


def test_apply_asks_the_innermost_frame_of_each_thread(tmp_path: Path) -> None:
    """Also of the one whose frame is selected, as GDB's "thread apply" does."""
    asked = ["ompd apply -q python gdb.write(str(gdb.selected_frame().level()))"]
    assert answers(asked, binary(SHARING), tmp_path, (*AT_STOP, "up")) == ["000"]


def test_json_has_each_thread(tmp_path: Path) -> None:
    asked = [
        "ompd print -json -stats mine",
        "ompd print -json grid",
        "ompd diff -json list",
        "print $",
    ]
    of_mine, of_grid, of_list, last = answers(asked, binary(SHARING), tmp_path)
    mine = json.loads(of_mine)
    assert [row["gdb_num"] for row in mine["values"]] == [1, 2, 3]
    assert [row["thread_num"] for row in mine["values"]] == [0, 1, 2]
    assert [row["text"] for row in mine["values"]] == ["0", "7", "14"]
    assert len({row["address"] for row in mine["values"]}) == 3
    assert [row["error"] for row in mine["values"]] == [None, None, None]
    found = mine["statistics"][0]
    assert (found["minimum"], found["maximum"], found["mean"], found["threads"]) == (0, 14, 7.0, 3)
    assert found["maximum_in"] == {"gdb_num": [3], "thread_num": [2]}
    grid = json.loads(of_grid)
    assert [part["path"] for part in grid["differs"]] == ["id", "cell[1][2]"]
    assert grid["differs"][1]["groups"][0] == {"text": "-1", "gdb_num": [2], "thread_num": [1]}
    lists = json.loads(of_list)
    assert len({row["address"] for row in lists["values"]}) == 1 and lists["differs"] == []
    # The last "ompd print" was of grid: the selected thread's is in the history.
    assert "id = 14" in last


def test_a_call_is_made_only_if_the_expression_has_one(tmp_path: Path) -> None:
    program = binary(Build("values/objects.cpp"))
    asked = ["ompd print omp_get_thread_num()", "ompd print weight", "ompd print -- sizeof (int)"]
    called, plain, size = answers(asked, program, tmp_path)
    assert re.fullmatch(r"warning: .*called functions.*\n0: 0\n1: 1\n2: 2\n", called)
    assert plain == "0-2: 1.5\n"
    assert size == "0-2: 4\n"
    asked = ["ompd print local = scale<double>(nothing)", "ompd print omp_get_level(1, nothing)"]
    for said in answers([*asked, "ompd print values_note()"], program, tmp_path):
        assert "called" not in said and said.startswith("0-2: <"), said


def test_beside_a_core_the_frame_stays_selected(tmp_path: Path) -> None:
    """GDB forgets it when it is asked for threads while another inferior is a core."""
    program, core = binary(SHARING), tmp_path / "core"
    run_gdb([*AT_STOP, f"gcore {core}"], program)
    other = (f"add-inferior -no-connection -exec {program}", "inferior 2", f"core-file {core}")
    first = (*AT_STOP, *other, "thread 1.3", "up 2")
    (told,) = answers(["ompd print mine"], program, tmp_path, first)
    assert told == "0: 0\n1: 7\n2: 14\n"


def test_an_object_of_virtual_bases(tmp_path: Path) -> None:
    """As "print object" asks, a part leads to the object. A virtual base is one, though two classes
    have it, and where it is may be lost in one thread."""
    first = ("tbreak derived", "run", "break values_stop", "continue", *AT_STOP[2:])
    asked = ["ompd print object", "ompd print -object on -- *part", "ompd print -json *part"]
    asked += ["set variable *(long *) &object = 8", "ompd print -json object", "ompd print object"]
    program = binary(Build("values/objects.cpp"))
    told, part, plain, _, lost, _ = answers(asked, program, tmp_path, first)
    assert told == "1 member of object differs in 0-2:\ntop  0: 40\n     1: 41\n     2: 42\n"
    assert part == told.replace("object", "*part")
    assert "top = 41}" in plain and "bottom" not in plain
    assert [row["error"] is None for row in json.loads(lost)["values"]] == [True] * 3


CALLS = """
import gdb
from gdb_ompd.host.object_names import variable_name

called = []
gdb.events.inferior_call.connect(called.append)

def ask():
    for command in ("print unused", "print -up unused", "diff unused", "whatis unused"):
        gdb.execute("ompd " + command, to_string=True)
    gdb.execute("thread 1", to_string=True)
    gdb.execute("frame function attributes", to_string=True)
    variable_name(8, gdb.selected_frame())
    print("CALLED", len(called))
"""


def test_of_an_array_that_is_not_in_memory_no_address_is_made(tmp_path: Path) -> None:
    """GDB has the program allocate memory for one whose address is asked."""
    script = tmp_path / "calls.py"
    script.write_text(CALLS, encoding="ascii")
    program = binary(dataclasses.replace(SHARING, compiler="gcc", opt="O2"))
    done = run_gdb([*AT_STOP, f"source {script}", "python ask()"], program)
    assert "CALLED 0\n" in done.stdout, done.stdout + done.stderr


def test_expressions_complete_as_prints_do() -> None:
    asked = [*AT_STOP]
    pairs = [("ev", "ompd print "), ("grid.", "ompd print -stats "), ("grid.c", "ompd diff -- ")]
    for text, command in pairs:
        asked += [
            f"echo @@\\n",
            f"complete print {text}",
            "echo @@\\n",
            f"complete {command}{text}",
        ]
    asked += [
        "echo @@\\n",
        "complete ompd apply info thr",
        "echo @@\\n",
        "complete ompd print -state wai",
        "echo @@\\n",
        "complete ompd diff -all -pretty o",
        "complete ompd print -elements un",
        "complete ompd print -pretty everyb",
    ]
    done = run_gdb(asked, binary(SHARING))
    parts = [part.splitlines() for part in done.stdout.split("@@\n")[1:]]
    for index, (_, command) in enumerate(pairs):
        plain, ours = parts[2 * index : 2 * index + 2]
        assert plain and [line.replace("print ", command, 1) for line in plain] == ours
    assert "ompd apply info threads" in parts[-3]
    assert parts[-2] == ["ompd print -state waiting"]
    words = ["diff -all -pretty off", "diff -all -pretty on", "print -elements unlimited"]
    assert parts[-1] == [f"ompd {each}" for each in (*words, "print -pretty everybody")]


def test_of_a_thread_elsewhere_it_is_said_where(tmp_path: Path) -> None:
    """The inner team of three is stopped; GDB's thread 1 waits for it in the outer one."""
    first = ("break values_stop", "run", *["continue"] * 4, "frame function values_hold", "up")
    asked = ["ompd print inner", "ompd print outer", "ompd print -all now", "ompd print -all outer"]
    inner, outer, now, of_all = answers(asked, binary(SHARING), tmp_path, first)
    assert inner == "0: 100\n1: 101\n2: 102\n"
    assert outer == "0-2: 1001\n"
    assert now == 'GDB 1-4: <No symbol "now" in current context>\n'
    assert of_all == "GDB 1: 1000 (in nested)\nGDB 2-4: 1001\n"


INTERRUPT = """
import os, signal
import gdb
from gdb_ompd.host import selection
from gdb_ompd.values.reading import ValueReader

ask_thread, asked = ValueReader._in_thread, []

def interrupted(self, *arguments):
    asked.append(arguments)
    found = ask_thread(self, *arguments)
    if len(asked) == 2:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10_000_000):  # Python takes signals between instructions
            pass
    return found

def interrupt(command):
    ValueReader._in_thread = interrupted
    try:
        gdb.execute(command, to_string=True)
    except KeyboardInterrupt:
        print("INTERRUPTED")
    ValueReader._in_thread = ask_thread

set_, putting_back = selection._set, []

def interrupted_putting_back(name, value):
    if (name, value) == ("may-call-functions", True) and not putting_back:
        putting_back.append(name)
        raise KeyboardInterrupt
    set_(name, value)

def interrupt_putting_back(command):
    selection._set = interrupted_putting_back
    try:
        gdb.execute(command, to_string=True)
    except KeyboardInterrupt:
        print("LATE")
    selection._set = set_
"""


def test_ctrl_c_leaves_the_selection(tmp_path: Path) -> None:
    script = tmp_path / "interrupt.py"
    script.write_text(INTERRUPT, encoding="ascii")
    show = 'python print("AT", gdb.selected_thread().num, gdb.selected_frame().level())'
    settings = ["show print elements", "show may-call-functions", "ompd print mine"]
    asked = [f"source {script}", show, "python interrupt('ompd print -elements 3 -- mine')", show]
    asked.append("python interrupt_putting_back('ompd print mine')")
    done = run_gdb([*AT_STOP, *asked, *settings], binary(SHARING))
    assert "INTERRUPTED" in done.stdout and "LATE" in done.stdout, done.stdout + done.stderr
    assert re.findall(r"^AT (.*)$", done.stdout, flags=re.MULTILINE) == ["3 2", "3 2"]
    assert "elements to print is 200." in done.stdout
    assert "functions in the program is on." in done.stdout
    assert done.stdout.endswith("0: 0\n1: 7\n2: 14\n")


def test_a_call_that_ctrl_c_ends_leaves_the_stack(tmp_path: Path) -> None:
    call = "((int (*) (int)) raise) (2) + mine"
    stacks = "thread apply all -q bt"
    asked = [stacks, f"ompd print {call}", f"ompd print -up {call}", stacks]
    before, said, found, after = answers(asked, binary(SHARING), tmp_path)
    by_gdb_13 = "The program being debugged was signaled while in a function called from GDB"
    by_gdb_16 = "The program being debugged received signal SIGINT, Interrupt"
    why = by_gdb_13 if by_gdb_13 in said else by_gdb_16
    assert said.endswith(f"\n0-2: <{why}>\n")
    assert found.rstrip(".") == f"error: {call}: {why}"
    assert after == before


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_thread_is_asked_where_its_task_in_the_team_is(compiler: str, tmp_path: Path) -> None:
    """Not in its innermost frame of the function, which is in another team."""
    program = binary(Build("values/recursion.c", compiler))
    first = ("break values_stop", "run", "up")
    of_team, of_all = answers(
        ["ompd print value", "ompd print -all value"], program, tmp_path, first
    )
    assert of_team == "0: 100\n1: 101\n"
    assert of_all == "GDB 1: 200\nGDB 2: 101\nGDB 3: 201\n"


def test_of_a_task_the_function_around_is_not_any_frame_of_it(tmp_path: Path) -> None:
    """GCC describes a task's body as a block of the function that generated the task, of which
    the thread that executes it has another frame."""
    program = binary(Build("values/resumed.c", "gcc", runtime=GNU))
    first = ("break values_stop", "run", "up")
    own, value, static = answers(
        ["ompd print held", "ompd print -up held", "ompd print values_counts[0]"],
        program,
        tmp_path,
        first,
    )
    assert own.startswith(
        '0: <No symbol "held" in the body of the construct: "ompd print -up held"'
    )
    assert value.startswith("error: held of make may be another one than where the task was")
    assert static == "0: 0\n"


def test_in_a_body_no_name_is_another_files_static_variable(tmp_path: Path) -> None:
    """Clang describes in a body what it uses alone; GDB looks for others in all files."""
    program = binary(Build("values/resumed.c"))
    first = ("break values_stop", "run", "up")
    commands = ["ompd print held", "ompd print -up passed"]
    own, others = answers(commands, program, tmp_path, first)
    assert own.startswith('0: <No symbol "held" in the body of the construct')
    assert others.startswith('error: no variable "passed"')


def test_no_name_is_a_library_s_static_variable(tmp_path: Path) -> None:
    """GDB finds one of any file, where the user's code may have a variable that is not described."""
    first = ("break values_stop", "run", "frame function values_hold")
    commands = ["ompd print verbose_init", "print verbose_init", "ompd print values_counts[0] > 0"]
    commands += ["ompd print kmp_sch_static", "print kmp_sch_static"]
    name, gdbs, own, constant, gdbs_constant = answers(commands, binary(SHARING), tmp_path, first)
    assert gdbs.endswith(" = 0\n")
    assert name == '0-2: <No symbol "verbose_init" in current context>\n'
    assert own == "0-2: 1\n"
    assert constant == '0-2: <No symbol "kmp_sch_static" in current context>\n'
    assert gdbs_constant.endswith(" = kmp_sch_static\n")


@pytest.mark.parametrize("language", ["auto", "rust"])
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_static_names_mean_what_they_mean_where_it_is_asked(
    compiler: str, language: str, tmp_path: Path
) -> None:
    """In threads that have no frame of the selected function, too, and in another file's code. As
    Rust's, GDB takes any file's variables."""
    program = binary(Build("values/other_file.c", compiler))
    first = ("break values_stop", "run", "thread 1", "frame function first")
    passed, held, both, cast, up, kind = answers(
        [
            "ompd print passed",
            "ompd print held",
            "ompd print passed + held",
            "ompd print (unsigned)passed + sizeof(struct note *)",
            "ompd print -up passed + held",
            "ompd whatis held",
        ],
        program,
        tmp_path,
        (*first, f"set language {language}"),
    )
    assert passed == "0-2: 4.5\n"
    assert held == "0: 10\n1: 11\n2: 12\n"
    assert both == "0: 14.5\n1: 15.5\n2: 16.5\n"
    assert cast == "0-2: 12\n"
    assert up.startswith("14.5\n")
    assert kind.startswith("held: threadprivate (")


def test_a_pretty_printer_that_writes_nothing_tells_no_value(tmp_path: Path) -> None:
    """As one does that fails: nothing is the same in all threads then."""
    printer = tmp_path / "printer.py"
    printer.write_text(
        "class Grid:\n"
        "    def to_string(self):\n"
        "        return ''\n"
        "def known(value):\n"
        "    return Grid() if str(value.type) == 'struct grid' else None\n"
        "gdb.pretty_printers.append(known)\n",
        encoding="ascii",
    )
    first = (*AT_STOP, f"source {printer}")
    asked = ["ompd print grid", "ompd diff grid", "ompd print -up grid"]
    said, diff, up = answers(asked, binary(SHARING), tmp_path, first)
    assert said == diff == "0-2: <its pretty-printer writes nothing>\n"
    assert up.startswith("<its pretty-printer writes nothing>\n"), up


def test_what_a_pretty_printer_writes_is_no_part_of_a_document(tmp_path: Path) -> None:
    """Nor are GDB's warnings, which come in the same way."""
    printer = tmp_path / "printer.py"
    printer.write_text(
        "class Grid:\n"
        "    def to_string(self):\n"
        "        gdb.write('noise\\n')\n"
        "        return 'a grid'\n"
        "def known(value):\n"
        "    return Grid() if str(value.type) == 'struct grid' else None\n"
        "gdb.pretty_printers.append(known)\n",
        encoding="ascii",
    )
    first = (*AT_STOP, f"source {printer}")
    (said,) = answers(["ompd print -json grid"], binary(SHARING), tmp_path, first)
    assert [row["text"] for row in json.loads(said)["values"]] == ["a grid"] * 3


def test_a_static_variable_is_read_once(tmp_path: Path) -> None:
    """Also where a thread is at a function's first instruction, where a file begins."""
    script = tmp_path / "count.py"
    script.write_text(
        "from gdb_ompd.values.reading import ValueReader\n"
        "asked, ask = [], ValueReader._in_thread\n"
        "def count(self, *arguments):\n"
        "    asked.append(arguments)\n"
        "    return ask(self, *arguments)\n"
        "ValueReader._in_thread = count\n",
        encoding="ascii",
    )
    at = ["break *values_note", "run", f"source {script}", "ompd print passed"]
    program = binary(dataclasses.replace(SHARING, opt="O2"))
    done = run_gdb([*at, "python print('ASKED', len(asked))"], program)
    assert "0-2: 0\nASKED 0\n" in done.stdout, done.stdout + done.stderr


NAMELESS = """\
static volatile int stops;
__attribute__((noinline)) static void stop(void) { stops++; }
int main(void) {
    struct { union { int i; float f; }; struct { short p, q; }; } own = {{3}, {8, 9}};
#pragma omp parallel num_threads(1) firstprivate(own)
    {
        own.q++;
        stop();
        stops = own.q;
    }
    return own.q;
}
"""


def test_a_class_without_a_name_is_told_as_fortrans(tmp_path: Path) -> None:
    """GDB 13 ends itself at the type of one while the language is Fortran."""
    program = compiled(NAMELESS, tmp_path, "gcc", "-O0", "-fopenmp")
    asked = ["set language fortran", "ompd print own", "ompd diff own", "ompd whatis own", "kill"]
    done = run_gdb(["break stop", "run", "up", *asked], program)
    assert "\n0: (  = ( i = 3" in done.stdout, done.stdout + done.stderr
    assert "type = a type without a name\n" in done.stdout and "[Inferior 1" in done.stdout


EMPTY = """\
struct nothing {} empty;
void stop(void) {}
int main(void) {
#pragma omp parallel num_threads(1)
    stop();
}
"""


def test_what_has_no_bytes_is_told(tmp_path: Path) -> None:
    """GDB 16 does not read them."""
    program = compiled(EMPTY, tmp_path, "gcc", "-O0", "-fopenmp", "-w")
    done = run_gdb(["break stop", "run", "up", "ompd print empty", "kill"], program)
    assert "\n0: {<No data fields>}" in done.stdout, done.stdout + done.stderr


def test_allocatable_components_are_compared_where_their_elements_are() -> None:
    program = binary(Build("components.f90", "gcc", "O0", GNU))
    said = run_gdb(["break measured", "run", "up", "ompd print one"], program).stdout
    wanted = "speed(1)  0: 0\n          1: 1\nspeed(3)  0: 10\n          1: 11\n"
    assert f"2 members of one differ in 0-1:\n{wanted}" in said, said


def test_what_differs_in_fortran_can_be_typed_as_it_is_written() -> None:
    program = binary(Build("values/differing.f90", "gcc", "O0", GNU))
    asked = ["break all_are_there", "run", "up", "ompd print low", "ompd print cells"]
    said = run_gdb([*asked, "ompd print cells(2,1)%v(3)"], program).stdout
    assert "low differs in 0-1:\n(-1,2)  0: 0\n        1: 10\n" in said
    assert "cells differs in 0-1:\n(2,1)%v(3)  0: 0\n            1: 1\n" in said
    assert said.endswith("\n0: 0\n1: 1\n")


def test_arrays_that_go_backwards_through_memory() -> None:
    asked = ("back", "table", "forth", "forth(2)", "back(1)", "Table (1, 1)", "back(2:3)")
    commands = ["break probe", "run", "up", *(f"ompd print -- {each}" for each in asked), "kill"]
    done = run_gdb(commands, binary(Build("values/reversed.f90", "gcc", "O0", GNU)))
    told = re.findall(r"^(?:0-1|0): (.*?)(?: \(in \w+\))?$", done.stdout, re.MULTILINE)
    assert told[:4] == ["(4, 3, 2, 1)", "((5, 6) (3, 4) (1, 2))", "(1, 3)", "3"], done.stdout
    assert len(told) == 7 and all("goes backwards" in each for each in told[4:]), done.stdout
