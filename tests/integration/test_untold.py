# SPDX-License-Identifier: Apache-2.0
"""A name of which compilers do not tell the variable: what is shown is the program's, or nothing.
Static variables have the same names."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.refusals import compiled
from support.runtimes import GNU

AT = {
    "untied_stop": ("base", "second", "kept.first", "given"),
    "constructor_stop": ("base", "kept", "given"),
}


HELPER = """
import json
def ask(expression):
    truth = float(gdb.parse_and_eval("noted_" + expression.split(".")[0]))
    for option in ("--",) if "." in expression else ("--", "-up"):
        try:
            said = gdb.execute(f"ompd print -json {option} {expression}", to_string=True)
            row = json.loads(said)["values"][0]
        except gdb.error as error:
            row = {"error": str(error)}
        print("ASKED", json.dumps([f"{option} {expression}", truth, row["error"] or row["text"]]))
"""


@pytest.mark.parametrize("opt", ["O0", "O1", "O2"])
@pytest.mark.parametrize("compiler, runtime", [("clang", "19"), ("gcc", "19"), ("gcc", GNU)])
def test_no_other_variable_is_taken(compiler: str, runtime: str, opt: str) -> None:
    asked = [f"python exec({HELPER!r})", *(f"break {place}" for place in AT), "run"]
    for place in reversed(AT):
        asked += ["up", *(f'python ask("{each}")' for each in AT[place]), "continue"]
    program = binary(Build("untold.cpp", compiler, opt, runtime))
    done = run_gdb(asked, program)
    said = [json.loads(each) for each in re.findall(r"^ASKED (.*)$", done.stdout, re.MULTILINE)]
    assert len(said) == 13, done.stdout + done.stderr
    for asked_for, truth, text in said:
        is_number = re.fullmatch(r"[-\d.e+]+", text) is not None
        assert not is_number or float(text) == truth, (asked_for, truth, text)
        if asked_for.startswith("-- ") and compiler == "clang" and opt == "O0":
            assert is_number or "does not describe" in text, (asked_for, text)


@pytest.mark.parametrize("option", ["--", "-up"])
@pytest.mark.parametrize("compiler, runtime", [("clang", "19"), ("gcc", GNU)])
def test_what_is_declared_further_down_is_not_meant(
    compiler: str, runtime: str, option: str
) -> None:
    """GDB shows it from the beginning of its block on."""
    program = binary(Build("declared_later.c", compiler, "O0", runtime))
    asked = ["up", "ompd whatis every", f"ompd print {option} every"]
    done = run_gdb(["break stop_here", "run", *asked, "continue", *asked, "kill"], program)
    said = done.stdout + done.stderr
    refusal = "what every means here: one is declared further down, at line 15"
    assert said.count(refusal) == 2, said
    assert said.count("every: private") == 1, said
    assert re.search(r"^(0: )?7$", done.stdout, re.MULTILINE), said


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_what_an_ended_block_declares_is_not_told(opt: str) -> None:
    """Of a constructor's body GCC describes it as there in the whole of it."""
    asked = ["up", "ompd print -up first", "ompd print -up second", "ompd print -up given"]
    later = ["up", "print first", "ompd print first"]
    program = binary(Build("ended_block.cpp", "gcc", opt, GNU))
    done = run_gdb(["break stop_here", "run", *asked, "continue", *later, "kill"], program)
    said = done.stdout + done.stderr
    assert said.count("where the block ends that declares first, at line 29") == 2, said
    assert "second of made::made may be another one than where the task was generated" in said
    assert re.search(r"^given of made::made", done.stdout, re.MULTILINE), said
    assert re.search(r"^\$\d+ = \d+$", done.stdout, re.MULTILINE), "GDB shows what was first"


def test_a_place_is_not_told_for_the_value() -> None:
    """Of a number that clang has converted and keeps on the stack."""
    program = binary(Build("place_for_value.c", "clang", "O2", "19"))
    asked = ["up", "print sum", "ompd print sum", "ompd print -up sum"]
    done = run_gdb(["break own if number == 2", "run", *asked, "kill"], program)
    assert re.search(
        r"^\$1 = (?!18$|21$)-?\d+$", done.stdout, re.MULTILINE
    ), "clang tells its value"
    said = done.stdout + done.stderr
    assert said.count("of sum clang tells the place on the stack as the value") == 2, said


IN_CONSTRUCTOR = """
#include <omp.h>
static int base = 1;
extern "C" __attribute__((noinline)) void stop() { __asm__ volatile("" ::: "memory"); }
struct made {
    made() {
        long mine = 5;
        __asm__ volatile("" : : "r"(&mine) : "memory");
        #pragma omp parallel num_threads(2) private(mine)
        {
            long base = mine = omp_get_thread_num() + 100;
            __asm__ volatile("" : : "r"(&base), "r"(&mine) : "memory");
            if (base == 100)
                stop();
            #pragma omp barrier
            if (base == 101)
                stop();
            #pragma omp barrier
            __asm__ volatile("" : : "r"(&base), "r"(&mine) : "memory");
        }
        __asm__ volatile("" : : "r"(&mine) : "memory");
    }
};
int main() {
    __asm__ volatile("" : : "r"(&base) : "memory");
    made it;
    return 0;
}
"""


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_nor_in_the_workers_of_a_constructors_region(opt: str, tmp_path: Path) -> None:
    program = compiled(IN_CONSTRUCTOR, tmp_path, "g++", f"-{opt}", "-fopenmp")
    asked = ["up", "ompd print -json base", "ompd print -json mine", "ompd print -up mine"]
    said = run_gdb(["break stop", "run", *asked, "continue", *asked], program).stdout
    documents = [json.JSONDecoder().raw_decode("{" + part)[0] for part in said.split("\n{")[1:]]
    assert len(documents) == 4, said
    assert not re.search(r"^5$", said, re.MULTILINE), "it is the constructor's"
    for values in (document["values"] for document in documents):
        assert [row["thread_num"] for row in values] == [0, 1]
        for row in values:
            assert row["error"] or float(row["text"]) == 100 + row["thread_num"], values


WITH_ITERATORS = """
#include <vector>
extern "C" __attribute__((noinline)) void stop(int number) {
    __asm__ volatile("" : : "r"(number) : "memory");
}
static volatile int has_come, may_leave;
__attribute__((noinline)) static void visit(int number) {
    if (number == 7) {
        has_come = 1;
        while (!may_leave) {
        }
        return;
    }
    while (!has_come) {
    }
    stop(number);
    may_leave = 1;
}
int main() {
    std::vector<int> list = {7, 8};
    #pragma omp parallel for num_threads(2) schedule(static, 1)
    for (auto at = list.begin(); at != list.end(); ++at) {
        int element = *at;
        visit(element);
        __asm__ volatile("" : : "r"(&element) : "memory");
    }
    return list[0] - 7;
}
"""


@pytest.mark.parametrize("opt", ["O0", "Og"])
def test_an_iterator_that_counts_is_not_the_first(opt: str, tmp_path: Path) -> None:
    """Clang has it at the place of another variable of its own when it optimises. Without, the code
    tells where it is."""
    program = compiled(WITH_ITERATORS, tmp_path, "clang++", f"-{opt}", "-fopenmp")
    asked = [
        "up 2",
        "print *at._M_current",
        "ompd print *at._M_current",
        "ompd print -up *at._M_current",
    ]
    said = run_gdb(["break stop", "run", *asked], program)
    assert "$1 = 7\n" in said.stdout, said.stdout + said.stderr
    if opt == "O0":
        assert "\n0: 7\n1: 8\n8\nat of main" in said.stdout, said.stdout + said.stderr
        return
    assert "tells only the first value" in said.stderr, said.stdout + said.stderr
    assert not re.search(r"^7\n|: 7$", said.stdout, re.MULTILINE), said.stdout


OF_TWO_TYPES = """
#include <omp.h>
__attribute__((noinline)) void stop(double sum, int i, int argc, int own) {
    __asm__ volatile("" ::"r"((int)sum), "r"(i), "r"(argc), "r"(own) : "memory");
}
int main(int argc, char **argv) {
    (void)argv;
    #pragma omp parallel num_threads(1)
    {
        int own = omp_get_thread_num();
        #pragma omp taskloop num_tasks(3) firstprivate(argc) nogroup if(0)
        for (int i = 0; i < 1; i++) {
            int sum = i + argc + own;
            stop((double)sum, i, argc, own);
            __asm__ volatile("" ::"r"(sum), "r"(i), "r"(argc), "r"(own) : "memory");
        }
    }
    return 0;
}
"""


def test_what_gdb_cannot_read_is_said_to_be_the_description(tmp_path: Path) -> None:
    """Clang adds what is of two types."""
    program = compiled(OF_TWO_TYPES, tmp_path, "clang", "-O2", "-fopenmp")
    asked = ["up", "print sum", "ompd print sum", "ompd print -up sum"]
    done = run_gdb(["break stop", "run", *asked], program)
    said = done.stdout + done.stderr
    assert (
        said.count("not described as GDB can read it: Incompatible types on DWARF stack") == 2
    ), said


OPTIMIZED_OUT = """
#include <vector>
__attribute__((noinline)) void stop() { __asm__ volatile("" ::: "memory"); }
int main() {
    std::vector<int> gone{1, 2};
    #pragma omp parallel num_threads(1)
    #pragma omp task firstprivate(gone)
    {
        stop();
        __asm__ volatile("" : : "r"(&gone) : "memory");
    }
    return (int)gone.size();
}
"""


def test_no_pretty_printer_is_asked_for_what_is_optimized_out(tmp_path: Path) -> None:
    """It fails, and GDB writes so; GDB's own "print" does not ask it."""
    program = compiled(OPTIMIZED_OUT, tmp_path, "clang++", "-O2", "-fopenmp")
    asked = ["up", "print gone", "ompd print gone", "ompd print -up gone", "kill"]
    done = run_gdb(["break stop", "run", *asked], program)
    said = done.stdout + done.stderr
    assert "Python Exception" not in said, said
    assert re.findall(r"^.*<optimized out>$", done.stdout, re.MULTILINE) == [
        "$1 = <optimized out>",
        "0: <optimized out>",
        "<optimized out>",
    ], said


PUSHED = """\
volatile int stops;
__attribute__((noinline)) static void stop(void) { stops++; }
#define LOCALS int a = n, b = n, c = n, d = n, e = n; volatile int kept = n * 7
__attribute__((noinline)) static int many(int n) {
    LOCALS;
#pragma omp parallel num_threads(1)
    {
        a += b++ + c++ + d++ + e++;
        stop();
    }
    return a + b + c + d + e + kept;
}
__attribute__((noinline)) static int few(int n) {
    LOCALS;
#pragma omp parallel num_threads(1)
    {
        a += b++;
        stop();
    }
    return a + b + c + d + e + kept;
}
int main(int argc, char **argv) { return many(argc) + few(argc); }
"""


HANDED_ON = """\
#include <stdlib.h>
__attribute__((noinline)) static void stop(double *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
__attribute__((noinline)) static double work(double *cells, int count, double scale) {
    double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < count; i++) {
        sum += cells[i] * scale;
        stop(cells);
    }
    return sum;
}
int main(int argc, char **argv) { return work(calloc(20, sizeof(double)), 20 * argc, 2.5) > 0; }
"""


def test_what_only_the_function_that_calls_a_body_has(tmp_path: Path) -> None:
    program = compiled(HANDED_ON, tmp_path, "clang", "-O2", "-fopenmp")
    asked = ["up", "print cells", "ompd print cells[3]", "ompd print -up cells == $cells", "kill"]
    done = run_gdb(["break stop", "run", "set $cells = p", *asked], program)
    assert "$1 = <optimized out>" in done.stdout, "clang tells the body's: " + done.stdout
    assert re.search(r"^ *[01](-1)?: 0$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert re.search(r"^1\ncells of work at ", done.stdout, re.MULTILINE), done.stdout + done.stderr


TO_END = """\
while '\\tpop ' not in gdb.execute('x/i $pc', to_string=True): gdb.execute('nexti', to_string=True)\
"""


def test_a_place_told_from_a_stack_pointer_that_a_call_has_moved(tmp_path: Path) -> None:
    """Clang pushes what a call has more than registers for, and GDB looks too far down. At the
    function's end it has taken off all of its frame."""
    program = compiled(PUSHED, tmp_path, "clang", "-O2", "-fopenmp")
    up = "ompd print -up kept"
    asked = ["break stop", "run", up, "frame function many", "ompd locals", "up", "continue", up]
    at_end = ["delete", "tbreak few", "continue", f"python {TO_END}", up, "kill"]
    done = run_gdb([*asked, "kill", "run", *at_end], program)
    said = done.stdout + done.stderr
    assert "clang tells where kept is by the stack pointer, which has moved" in said, said
    assert re.search(r"^7\nkept of many at ", said, re.MULTILINE), said
    assert "kept = 7\n" in said, said
    assert re.search(r"^7\nkept of few at ", said, re.MULTILINE), said


TO_RETURN = """\
while '\\tret' not in gdb.execute('x/i $pc', to_string=True): gdb.execute('nexti', to_string=True)\
"""


def test_where_a_function_ends_nothing_is_told_by_its_callers_frame(tmp_path: Path) -> None:
    source = "int add(int n) {\n int more = n, all[n];\n all[0] = more;\n return all[0];\n}\n"
    source += "int main(int argc, char **argv) { return add(argc + 6); }\n"
    program = compiled(source, tmp_path, "clang", "-O0", "-fopenmp")
    asked = ["print more == 7", "ompd print more", "ompd print all[0]"]
    stops = ["break *add", "break 4", "run", *asked, "continue", *asked]
    done = run_gdb([*stops, f"python {TO_RETURN}", *asked, "kill"], program)
    said = done.stdout + done.stderr
    assert re.findall(r"^\$\d = (\d)$", done.stdout, re.MULTILINE) == ["0", "1", "0"], said
    why = (
        "<not described: where its function begins or ends clang tells more by the caller's frame>"
    )
    told = re.findall(r"^GDB 1: (.*)$", done.stdout, re.MULTILINE)
    assert told[::2] == [why, "7", why] and told[3] == "7" and not told[5].isdigit(), said


DIVIDED = """\
__attribute__((noinline)) static void stop(double value) {
    __asm__ volatile("" : : "x"(value) : "memory");
}
int main(int argc, char **argv) {
#pragma omp parallel for num_threads(1)
    for (int i = -2; i < argc; i++) {
        int part[2] = {i, (i * 24) % 1000};
        stop(part[1]);
        stop(part[0]);
    }
    return 0;
}
"""


def test_what_is_divided_is_not_told_from_all_of_a_register(tmp_path: Path) -> None:
    program = compiled(DIVIDED, tmp_path, "gcc", "-O2", "-fopenmp")
    asked = ["up", "print part", "ompd print part"]
    once = ["break stop if value == -48", "run", *asked]
    done = run_gdb([*once, "delete", "break stop if value == 0", "continue", *asked], program)
    assert "$1 = {-2, 56}" in done.stdout, "GCC tells a narrow division: " + done.stdout
    why = "<not described: GCC tells part by a division of 8 bytes, of which the code may have 4>"
    assert re.findall(r"^0: (.*)$", done.stdout, re.MULTILINE) == [why, "{0, 0}"], done.stdout


OF_TWO = """\
static volatile int there;
__attribute__((noinline)) static void both(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void stop(double value) {
    __asm__ volatile("" : : "x"(value) : "memory");
    if (value == 48 || value == -48) {
        if (__sync_fetch_and_add(&there, 1)) both();
        while (there < 3) ;
    }
}
int main(int argc, char **argv) {
#pragma omp parallel for num_threads(2)
    for (int i = -2; i < argc * 5; i++) {
        int part[2] = {i, (i * 24) % 1000};
        stop(part[1]);
        stop(part[0]);
    }
    return 0;
}
"""


def test_what_is_divided_may_be_told_of_one_thread_and_not_of_another(tmp_path: Path) -> None:
    program = compiled(OF_TWO, tmp_path, "gcc", "-O2", "-fopenmp")
    asked = ["frame function main._omp_fn.0", "ompd print part"]
    done = run_gdb(["break both", "run", "thread 2", *asked, "thread 1", *asked, "kill"], program)
    why = "<not described: GCC tells part by a division of 8 bytes, of which the code may have 4>"
    told = re.findall(r"^([01]): (.*)$", done.stdout, re.MULTILINE)
    assert sorted(told) == [("0", why)] * 2 + [("1", "{2, 48}")] * 2, done.stdout + done.stderr


SHIFTED = """\
__attribute__((noinline)) static int get(int n) { __asm__("" : "+r"(n)); return n; }
__attribute__((noinline)) static void stop(double n) { __asm__ volatile("" : : "x"(n)); }
int main(int argc, char **argv) {
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < argc * 2; i++) {
        int number = get(i ? -1080 : 1080), part = number >> 3;
        stop(1);
        stop(number);
    }
}
"""


def test_a_number_below_0_is_not_shifted_as_all_of_a_register(tmp_path: Path) -> None:
    program = compiled(SHIFTED, tmp_path, "gcc", "-O2", "-fopenmp")
    asked = ["up", "print part", "ompd print part", "continue"]
    done = run_gdb(["break stop if n == 1", "run", *asked * 2], program)
    assert " = 536870777" in done.stdout, "GCC tells a narrow shift: " + done.stdout
    why = "<not described: GCC tells part by a division of 8 bytes, of which the code may have 4>"
    assert re.findall(r"^0: (.*)$", done.stdout, re.MULTILINE) == ["135", why], done.stdout


LOST_IN_FORTRAN = """\
program lost
  integer :: all(4), number
  number = command_argument_count() + 1
  call inner(all(1:3:2))
contains
  subroutine inner(part)
    integer :: part(:)
    part(1) = number
    !$omp parallel num_threads(2)
    number = 3
    !$omp end parallel
    part(2) = number
  end subroutine
end program
"""


def test_an_array_of_fortrans_that_was_optimized_out_is_not_absent(tmp_path: Path) -> None:
    source, program = tmp_path / "lost.f90", tmp_path / "lost"
    source.write_text(LOST_IN_FORTRAN, "ascii")
    command = ["gfortran", "-g", "-O2", "-fopenmp", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    stops = ["break main", "run", "break GOMP_parallel", "continue", "up"]
    done = run_gdb([*stops, "ompd print part", "ompd print -up part", "kill"], program)
    assert "0: <part was optimized out>\n" in done.stdout, done.stdout + done.stderr
    assert "part was optimized out\n" in done.stderr, done.stderr


TEXT_WITHOUT_LENGTH = """\
subroutine work(n)
  character(len=:), allocatable :: made
  integer :: n, more
  made = repeat('zx', more(n))
  call show(ichar(made(n:n)))
  !$omp parallel num_threads(2)
  n = 3
  !$omp end parallel
  call show(ichar(made(2:2)))
end subroutine
integer function more(n)
  integer :: n
  more = n + 1
end function
subroutine show(n)
  integer :: n
  if (n == 99) print *, n
end subroutine
program main
  integer :: n
  n = command_argument_count() + 2
  call work(n)
end program
"""


def test_a_text_whose_length_was_optimized_out_is_not_told(tmp_path: Path) -> None:
    source, program = tmp_path / "text.f90", tmp_path / "text"
    source.write_text(TEXT_WITHOUT_LENGTH, "ascii")
    for level, said in ("O0", "'zxzxzx'"), ("O2", "<optimized out>"):
        options = ["-g", f"-{level}", "-fno-inline", "-fopenmp"]
        subprocess.run(["gfortran", *options, str(source), "-o", str(program)], check=True)
        asked = ["up", "print *made", "ompd print made", "ompd locals", "kill"]
        done = run_gdb(["break show", "run", *asked], program)
        is_lost = level == "O2"
        assert ("$1 = '\\000'\n" in done.stdout) is is_lost, done.stdout + done.stderr
        assert f"0: {said}\n" in done.stdout and f"made = {said}\n" in done.stdout, done.stdout


DIVIDED_IN_VECTOR = """\
int main(int argc, char **argv) {
    int whole;
    __asm__("movd %1, %0" : "=x"(whole) : "r"(argc));
    int part = whole % 1000;
    __asm__ volatile("divided: nop" : : "x"(whole));
    return 0;
}
"""


def test_what_is_divided_in_a_vector_register_is_not_told(tmp_path: Path) -> None:
    program = compiled(DIVIDED_IN_VECTOR, tmp_path, "gcc", "-O2", "-fopenmp")
    done = run_gdb(["break *&divided", "run", "info address part", "ompd locals", "kill"], program)
    assert "$xmm" in done.stdout, "GCC divides no vector's part: " + done.stdout + done.stderr
    why = "<not described: GCC tells part by a division of 8 bytes, of which the code may have 4>"
    assert f"part = {why}\n" in done.stdout, done.stdout + done.stderr


DIVIDED_IN_MEMORY = """\
int main(int argc, char **argv) {
    struct { int first, second; } whole = {argc * -7001, 2};
    __asm__ volatile("" : "+m"(whole));
    int part = whole.first % 1000;
    __asm__ volatile("divided: nop" : : "m"(whole));
    return 0;
}
"""


def test_what_is_divided_in_memory_is_not_told(tmp_path: Path) -> None:
    program = compiled(DIVIDED_IN_MEMORY, tmp_path, "gcc", "-O2", "-fopenmp")
    done = run_gdb(["break *&divided", "run", "print part", "ompd locals", "kill"], program)
    assert "$1 = 295\n" in done.stdout, "GCC extends by the sign: " + done.stdout + done.stderr
    why = "<not described: GCC tells part by a division of 8 bytes, of which the code may have 4>"
    assert f"part = {why}\n" in done.stdout, done.stdout + done.stderr


REMOVED_COPY = """\
__attribute__((noinline)) static int get(int n) { __asm__("" : "+r"(n)); return n; }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(1)
    {
        int sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 3; i < argc * 9; i++) {
            sum = argc + 4;
            get(i);
        }
    }
}
"""


def test_the_original_is_not_told_for_a_copy_that_was_removed(tmp_path: Path) -> None:
    program = compiled(REMOVED_COPY, tmp_path, "clang", "-O2", "-fopenmp")
    asked = ["up", "print sum", "ompd print sum", "ompd bt on", "bt -full 2"]
    done = run_gdb(["break get if n == 3", "run", *asked, "kill"], program)
    said = done.stdout + done.stderr
    assert "$1 = 0\n" in said, "clang describes the copy: " + said
    why = "<not described: nothing is told of the copy of sum that the directive in line 6 makes>"
    assert re.findall(r"^ *(?:sum =|0:) (.*)$", said, re.MULTILINE) == [why, why], said


FROM_STACK = """\
__attribute__((noinline)) static void note(long n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
        for (long i = 1 + argc * 12; i > 1; i -= 2) {
            note((1 + argc * 12 - i) / 2);
            __asm__ volatile("" : : : "rbx", "rbp", "r12", "r13", "r14", "r15", "memory");
            note((1 + argc * 12 - i) / 2);
        }
    }
}
"""
EACH = """
for _ in range(12):
    truth = int(gdb.newest_frame().read_register("rdi"))
    gdb.newest_frame().older().select()
    print("told", truth, gdb.parse_and_eval("(long)$_omp_iteration()"), gdb.selected_frame().read_var(".omp.iv"))
    gdb.execute("continue", to_string=True)
"""


def test_an_iteration_that_is_kept_on_the_stack(tmp_path: Path) -> None:
    program = compiled(FROM_STACK, tmp_path, "clang", "-O2", "-fopenmp")
    script = tmp_path / "ask.py"
    script.write_text(EACH)
    done = run_gdb(["break note", "run", f"source {script}"], program)
    rows = re.findall(r"^told (\d+) (\d+) (\d+)$", done.stdout, re.MULTILINE)
    assert len(rows) == 12 and all(truth == said for truth, said, _ in rows), done.stdout
    assert any(truth != described for truth, _, described in rows), "clang tells that it is read"


REMOVED_STORE = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv) {
#pragma omp parallel num_threads(1)
    {
        int numbers[4] = {argc, 2, 3, 4};
        use(numbers[argc]);
        numbers[1] = argc + 8;
        use(numbers[1]);
        use(argc);
    }
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_part_whose_store_was_removed_is_not_told(compiler: str, tmp_path: Path) -> None:
    program = compiled(REMOVED_STORE, tmp_path, compiler, "-O2", "-fopenmp")
    asked = ["up", "print numbers", "ompd print numbers", "ompd bt on", "bt -full 2", "ompd bt off"]
    stops = ["break use if n == 2", "run", *asked, "tbreak use if n == 9", "continue", *asked]
    done = run_gdb([*stops, "kill"], program)
    said = done.stdout + done.stderr
    assert "$1 = {1, 2, 3, 4}" in said and "$3 = {1, 2, 3, 4}" in said, said
    before, after = done.stdout.split("$3 = ")
    assert "0: {1, 2, 3, 4}" in before and "numbers = {1, 2, 3, 4}" in before, said
    why = "<not described: a store to numbers in line 7 was optimized out>"
    assert f"0: {why}" in after and f"numbers = {why}" in after, said


OF_A_TASK = """\
__attribute__((noinline)) static void use(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv) {
    int numbers[2] = {argc, 2};
#pragma omp parallel num_threads(1) firstprivate(numbers)
    {
#pragma omp task
        {
            numbers[1] = 3;
        }
        use(numbers[1]);
    }
}
"""


def test_what_a_task_stores_is_not_taken_for_a_store_of_the_code_around(tmp_path: Path) -> None:
    program = compiled(OF_A_TASK, tmp_path, "clang", "-O0", "-fopenmp")
    done = run_gdb(["break use", "run", "up", "ompd print numbers", "kill"], program)
    assert "0: {1, 2}" in done.stdout, done.stdout + done.stderr


INLINED_WITH_NAME = """\
__attribute__((noinline)) static int use(long n, long *p) {
    __asm__ volatile("" : : "r"(n), "r"(p) : "memory");
    return n & 3;
}
static inline double draw(long *seed) {
    *seed = (*seed * 2806196910506780709L + 1) & 0x7fffffffffffffff;
    return (double)*seed / 9e18;
}
int main(int argc, char **argv) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int p = 0; p < argc * 4; p++) {
        long seed = 1070 + p;
        double energy = draw(&seed);
        use(3, &seed);
        for (int i = 0; i < argc * 2; i++) {
            energy += draw(&seed);
        }
        use(energy, &seed);
    }
}
"""


def test_a_function_that_is_inlined_in_the_block_has_no_end_with_it(tmp_path: Path) -> None:
    program = compiled(INLINED_WITH_NAME, tmp_path, "gcc", "-O2", "-fopenmp")
    stops = ["break use", "run", "print *p", "up", "ompd print seed", "kill"]
    done = run_gdb(stops, program)
    told = re.search(r"^\$1 = (\d+)$", done.stdout, re.MULTILINE)
    assert told and re.search(rf"^\d: {told[1]}$", done.stdout, re.MULTILINE), done.stdout


BEHIND_LAST = """\
int main(int argc, char **argv) {
    double most = 0;
#pragma omp parallel for num_threads(2) schedule(static) reduction(max : most)
    for (int i = 0; i < argc * 8; i++) {
        if (i > most)
            most = i;
    }
    return most > 7;
}
"""
EACH_TO_END = """
said = set()
while "omp_outlined" in (gdb.newest_frame().name() or ""):
    value = gdb.parse_and_eval("$_omp_iteration()")
    said.add(None if value.type.code == gdb.TYPE_CODE_VOID else int(value))
    gdb.execute("nexti", to_string=True)
print("told", None in said, sorted(said - {None}))
"""


def test_behind_its_last_a_thread_is_in_no_iteration(tmp_path: Path) -> None:
    program = compiled(BEHIND_LAST, tmp_path, "clang", "-O0", "-fopenmp")
    script = tmp_path / "ask.py"
    script.write_text(EACH_TO_END)
    stops = ["break 5", "run", "set scheduler-locking step", "delete", f"source {script}", "kill"]
    done = run_gdb(stops, program)
    mine = ([0, 1, 2, 3], [4, 5, 6, 7])
    assert re.search(r"^told .*$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert any(f"told True {each}\n" in done.stdout for each in mine), done.stdout
