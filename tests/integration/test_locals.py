# SPDX-License-Identifier: Apache-2.0
"""`ompd locals`, and the variables that GDB's own views have in the frames of constructs: the
user's, typed as in the source, and nothing of the compiler's."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import GNU, ROOT

IN_GDB = ROOT / "tests" / "support" / "locals_in_gdb.py"
BUILDS = [Build("values/sharing.c"), Build("values/sharing.c", "gcc", "O0", GNU)]
AT_STOP = ("break values_stop", "run", "frame function values_hold", "up")
OF_REGION = {"shared", "mine", "given", "reduced", "grid", "list", "sized"}


def noted(said: str) -> dict[str, str]:
    """Return the variables that ``bt -full`` has of its first frame of a region."""
    frame = re.search(r" \[parallel region\] \((.*)\) at [^\n]*\n((?:   +.*\n)*)", said)
    assert frame is not None, said
    arguments = re.findall(r"(\w+)=((?:\.\.\.)|[^,]+)", frame.group(1))
    return dict(arguments) | dict(re.findall(r"^ +(\w+) = (.*)$", frame.group(2), re.MULTILINE))


@pytest.mark.parametrize("what", BUILDS, ids=str)
def test_all_views_have_the_users_variables(what: Build) -> None:
    asked = ["set print frame-arguments all", "ompd bt on", "echo @@", "bt -full", "echo @@"]
    asked += ["ompd locals -json", "echo @@", "ompd locals -team", "echo @@"]
    mi = '"-stack-list-variables --all-values"'
    asked += ['interpreter-exec mi "-enable-frame-filters"', f"interpreter-exec mi {mi}", "kill"]
    done = run_gdb([*AT_STOP, *asked], binary(what))
    _, stack, document, team, variables, *_ = done.stdout.split("@@")
    rows = {row["expression"]: row["values"] for row in json.loads(document)["locals"]}
    assert OF_REGION <= rows.keys() and not [name for name in rows if name.startswith(".")]
    shown = noted(stack)
    assert set(re.findall(r'name="([^"]+)"', variables)) == rows.keys() == shown.keys()
    for name in ("shared", "mine", "given", "reduced"):
        assert [row["text"] for row in rows[name]] == [shown[name]], name
    assert "{0.5, 1.5, 2.5, 3.5}" in variables
    assert re.search(r"^shared  +0-2: 5$", team, re.MULTILINE), team
    assert re.search(r"^mine +0: 0\n +1: 7\n +2: 14$", team, re.MULTILINE), team
    assert re.search(r"^sized +0-2: \{0, 10, 20", team, re.MULTILINE), team


def test_what_is_copied_in_is_shown_with_rusts_rules_too() -> None:
    """By which its name with that of its file is none."""
    asked = [*AT_STOP, "ompd bt on", "set print frame-arguments all", "echo @@", "bt -full"]
    asked += ["echo @@", "ompd print -threads 2 own"]
    shown = set()
    for language in ("auto", "rust"):
        done = run_gdb([f"set language {language}", *asked, "kill"], binary(BUILDS[0]))
        _, stack, own = done.stdout.split("@@")
        shown.add((noted(stack)["own"], own.splitlines()[0]))
    assert shown == {("14.25", "2: 14.25")}


@pytest.mark.parametrize("language, name", [("c", '"own"'), ("rust", 'b"own"')])
def test_a_name_is_a_string_of_the_language(language: str, name: str) -> None:
    asked = [*AT_STOP, f"set language {language}", f"print $_omp_var({name})"]
    done = run_gdb([*asked, "kill"], binary(BUILDS[0]))
    assert re.search(r"^\$1 = [\d.]+$", done.stdout, re.MULTILINE), done.stdout + done.stderr


def test_what_has_no_variables_is_said() -> None:
    asked = [
        "ompd locals",
        *AT_STOP,
        "ompd locals mine",
        "frame 0",
        "up-silently 99",
        "ompd locals",
    ]
    done = run_gdb(asked, binary(BUILDS[0]))
    assert done.stderr.count("no thread is selected") + done.stderr.count("no process") == 1
    assert 'Junk at end of command: "mine". Try "help ompd locals".' in done.stderr


def test_what_is_handed_over_to_a_body_is_told_as_the_body_has_it() -> None:
    """Where clang's function is selected that only calls the body, and where that is not called."""
    asked = ["ompd print -up narrow", "ompd whatis real", "ompd locals", "echo @@", "delete"]
    before = ["tbreak *(&'.omp_outlined.' + 4)", "run", "echo @@", "ompd locals"]
    editors = ['"-enable-frame-filters"', '"-stack-list-variables --thread 1 --frame 2 1"']
    asked = [*(f"interpreter-exec mi {each}" for each in editors), *asked]
    stop = ("break handed_over_stop", "run", "up", "up", "frame", "echo @@", "ompd bt on")
    done = run_gdb([*stop, *asked, *before, "kill"], binary(Build("values/handed_over.c")))
    _, body, _, wrapper = done.stdout.split("@@")
    assert "\n1.5\nnarrow of main" in body and 'name="real",arg="1",value="-5"' in body, body
    assert "type = double" in body, body
    values = dict(re.findall(r"^(\w+) = (.*)$", body, re.MULTILINE))
    assert (values["real"], values["is_one"]) == ("-5", "true"), body
    assert (values["small"], values["below"]) == ("-3", "-7"), body
    words = "<not described: of {0} clang tells only the bits where it calls the construct's body>"
    assert f"real = {words.format('real')}\n" in wrapper, wrapper
    assert wrapper.count("not described") == 5, wrapper


INLINED = """\
volatile int sink;
static inline __attribute__((always_inline)) int get(int given) {
    int inner = given + 4;
    sink = inner;
    return inner * given;
}
static inline __attribute__((always_inline)) int hand_on(int from) {
    int kept = from + 1;
    return get(kept) + kept;
}
int main(void) {
    int from = 2;
#pragma omp parallel num_threads(1) firstprivate(from)
    {
        int outer = from + 5;
        sink = hand_on(outer);
    }
}
"""


def test_functions_inlined_into_each_other_have_variables_of_their_own(tmp_path: Path) -> None:
    source, program = tmp_path / "inlined.c", tmp_path / "inlined"
    source.write_text(INLINED, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    done = run_gdb(["break 4", "run", "ompd bt on", "bt -full 3", "kill"], program)
    shown = re.findall(r"^ +(\w+) = (.*)$", done.stdout, re.MULTILINE)
    own = [("inner", "12"), ("kept", "8"), ("outer", "7")]
    assert shown == own, done.stdout + done.stderr


@pytest.mark.parametrize(
    "program, at, stops",
    [
        ("values/counted_loops.cpp", ("probe", "probe"), 96),
        ("values/sharing.c", ("values_stop", "values_hold"), 6),
    ],
)
def test_what_gdb_has_of_gccs_optimised_code_is_not_refused(
    program: str, at: tuple[str, str], stops: int
) -> None:
    where = f"python STOP_AT, CALLED, STOPS = {(*at, stops)}"
    arguments = "8" if "counted" in program else ""
    commands = [f"set args {arguments}", where, f"source {IN_GDB}", "kill"]
    done = run_gdb(commands, binary(Build(program, "gcc", "O2", GNU)))
    rows = [json.loads(row) for row in re.findall(r"^LOCAL (.*)$", done.stdout, re.MULTILINE)]
    assert sum(has for _, has, _ in rows) >= 20, done.stdout + done.stderr
    refused = [(name, error) for name, has, error in rows if has and error]
    assert not refused, refused


CALLED_AS_FUNCTIONS = """\
program called
   integer :: rank, loc, i
   integer, allocatable :: size(:)
   rank = 2; loc = 3; allocate(size(2)); size = [4, 5]
   !$omp parallel num_threads(1) firstprivate(rank)
   rank = rank + loc
   print *, rank, loc, size
   !$omp end parallel
end program
"""


def test_variables_may_be_called_as_functions_of_fortran(tmp_path: Path) -> None:
    source, program = tmp_path / "called.f90", tmp_path / "called"
    source.write_text(CALLED_AS_FUNCTIONS, encoding="utf-8")
    subprocess.run(["gfortran", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    asked = ["print rank", "ompd print rank + 1", "ompd print size(2)", "ompd locals"]
    done = run_gdb(["break 7", "run", *asked, "kill"], program)
    assert "A syntax error" in done.stderr, "GDB takes no word for a function: " + done.stderr
    assert re.findall(r"^0: (.*)$", done.stdout, re.MULTILINE) == ["6", "5"], done.stdout
    own = dict(re.findall(r"^(\w+) = (.*)$", done.stdout, re.MULTILINE))
    assert own == {"rank": "5", "loc": "3", "size": "(4, 5)"}, done.stdout


ASSUMED_SIZE = """\
subroutine work(rows, table, list)
   integer :: rows, table(rows, *), list(*)
   !$omp parallel num_threads(1)
   table(2, 1) = table(2, 2) + list(2)
   print *, table(2, 2), rows
   !$omp end parallel
   print *, table(2, 1)
end subroutine
program assumed
   integer :: all(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
   call work(2, all, all(:, 3))
end program
"""


def test_elements_of_an_array_of_assumed_size(tmp_path: Path) -> None:
    source, program = tmp_path / "assumed.f90", tmp_path / "assumed"
    source.write_text(ASSUMED_SIZE, encoding="utf-8")
    subprocess.run(["gfortran", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    asked = ["ompd print table(2, 3)", "ompd print list(2)", "ompd print table"]
    at_end = ["break 7", "continue", *asked, "kill"]
    done = run_gdb(["break 5", "run", *asked, *at_end], program)
    whole = "<its last bound is not described: print elements of it>"
    told = re.findall(r"^(?:0|GDB 1): (.*)$", done.stdout, re.MULTILINE)
    assert told == ["6", "6", whole] * 2, done.stdout + done.stderr
