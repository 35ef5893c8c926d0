# SPDX-License-Identifier: Apache-2.0
"""Programs each of which has one reason for a team's size, or for being slow, or none."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

CPUS = len(os.sched_getaffinity(0))
FIRST = min(os.sched_getaffinity(0))
# Words that stand in the sentence of one cause only.
SAID = {
    "one CPU": r"may run on CPU \d+ only, and take\s+turns",
    "too many": r"(work|works) or\s+spin,\s+but\s+the\s+process\s+may",
    "bound": r"are bound to CPUs? [\d,-]+ while no\s+thread",
    "inside": r"have begun teams of \d+\s+inside",
    "imbalance": r"has used \d+ %\s+of\s+the\s+processor",
    "rejected": r"The runtime rejected \w+=",
    "locking": r"'set scheduler-locking \w+' lets",
}
_START = """#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int zero = 0, one = 1, four = 4;
__attribute__((noinline)) void stop_here(int n) {
    __asm__ volatile("" ::"r"(n) : "memory");
    if (getenv("STAY"))
        for (;;)
            pause();
}
__attribute__((noinline)) void work(void) {
    if (omp_get_thread_num() == 0)
        stop_here(omp_get_num_threads());
}
"""


@dataclass(frozen=True)
class Cause:
    """A program, and what is to be said: the RULE of the size of the team that stops, or the causes
    SLOW and IN_CORE; MAY_BE said are those that differ from run to run. TEXT is its source, or it
    is slow.c with ARGUMENTS."""

    rule: str = ""
    text: str = ""
    suffix: str = ".c"
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    in_core: tuple[str, ...] = ()
    may_be: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # commands of gdb's
    only: str = ""  # the compiler
    library: str = ""  # of OpenBLAS's

    @property
    def size_only(self) -> bool:
        """Whether the team's size is what is asked for."""
        return bool(self.rule)


def _size(
    rule: str, body: str, before: str = "", env: Mapping[str, str] = {}, only: str = ""
) -> Cause:
    suffix = ".cpp" if "auto " in body or "template" in before or "[[" in body else ".c"
    text = f"{_START}{before}\nint main(void) {{\n{body}\nreturn 0;\n}}\n"
    return Cause(rule, text, suffix, env, only=only)


def _in_function(rule: str, clauses: str, call: str, parameters: str = "int c, int n") -> Cause:
    pragma = f"#pragma omp parallel {clauses}\n work();"
    return _size(rule, call, f"__attribute__((noinline)) void f({parameters}) {{\n{pragma}\n}}")


def _slow(*causes: str, how: str, **more: object) -> Cause:
    more = {"env": {"OMP_WAIT_POLICY": "passive"}, **more}
    return Cause(slow=causes, arguments=tuple(how.split()), **more)  # type: ignore[arg-type]


def _rejected(name: str, value: str, only: str = "") -> Cause:
    env = {"OMP_WAIT_POLICY": "passive", name: value}
    return Cause(
        arguments=("even", "2"), slow=("rejected",), in_core=("rejected",), env=env, only=only
    )


_PRAGMAS = "#define STR(x) #x\n#define PRAG(x) _Pragma(STR(x))\n"
_IF = "#pragma omp parallel if(zero)\n"
_INNER = "#pragma omp parallel num_threads(3)\n work();"
_LEVEL = "max-active-levels-var"
SIZES = {
    "if": _size("if", f"{_IF} work();"),
    "if of two, false": _in_function("if", "if(c) num_threads(n)", "f(0, 4);"),
    "if of two, true": _in_function("num_threads", "if(c) num_threads(n)", "f(1, 1);"),
    "true if, constant": _in_function("num_threads", "if(c) num_threads(1)", "f(1, 0);"),
    "false if, constant": _in_function("if", "if(c) num_threads(1)", "f(0, 0);"),
    "macro's number": _size(
        "num_threads", "#pragma omp parallel num_threads(ONE)\n work();", "#define ONE 1"
    ),
    "macro's directive": _size(
        "num_threads",
        "PAR(1) work();",
        f"{_PRAGMAS}#define PAR(n) PRAG(omp parallel num_threads(n))",
    ),
    "macro's if": _size(
        "if", "PAR(zero) work();", f"{_PRAGMAS}#define PAR(n) PRAG(omp parallel if(n))"
    ),
    "macro's region": _size(
        "num_threads",
        "REGION()",
        '#define REGION() _Pragma("omp parallel num_threads(1)") \\\n  work();',
    ),
    "if in many lines": _size(
        "if",
        "#pragma omp parallel \\\n default(shared) \\\n if(zero) \\\n proc_bind(close)\n work();",
    ),
    "if of a loop": _size(
        "if", "#pragma omp parallel for if(parallel: zero)\n for (int i = 0; i < 3; i++) work();"
    ),
    "number of a loop": _size(
        "num_threads",
        "#pragma omp parallel for num_threads(one)\n for (int i = 0; i < 3; i++) work();",
    ),
    "number of sections": _size(
        "num_threads",
        "#pragma omp parallel sections num_threads(1)\n{\n#pragma omp section\n work();\n"
        "#pragma omp section\n work();\n}",
    ),
    "if of a double": _size("if", "double d = zero;\n#pragma omp parallel if(d)\n work();"),
    "if and others": _size("if", "#pragma omp parallel if(four > 5 && one)\n work();"),
    "if in a branch": _size(
        "if",
        "f(0);",
        "__attribute__((noinline)) void f(int c) {\n if (zero) {\n#pragma omp parallel "
        "num_threads(3)\n work();\n } else {\n#pragma omp parallel if(c)\n work();\n }\n}",
    ),
    "if inlined": _size(
        "if", "g(zero);", "static inline void g(int c) {\n#pragma omp parallel if(c)\n work();\n}"
    ),
    "number chosen": _size(
        "num_threads", "#pragma omp parallel num_threads(zero ? 4 : 1)\n work();"
    ),
    "number of a call": _size(
        "num_threads", "#pragma omp parallel num_threads(omp_get_num_procs() > 0 ? 1 : 2)\n work();"
    ),
    "number of a short": _size(
        "num_threads", "short n = one;\n#pragma omp parallel num_threads(n)\n work();"
    ),
    "number in a loop": _size(
        "num_threads",
        "for (int t = 1; t < 2; t++) {\n#pragma omp parallel num_threads(t)\n work();\n}",
    ),
    "if of a lambda": _size(
        "if", "auto f = [&](int c) {\n#pragma omp parallel if(c)\n work();\n};\nf(zero);"
    ),
    "two of a template": _size(
        "num_threads",
        "T<int> t; t.run(1);",
        "template<class X> struct T { int m = 1; void run(X n) {\n"
        "#pragma omp parallel num_threads(n) if(m > 0)\n work();\n} };",
    ),
    "if of a member": _size(
        "if",
        "T<int> t; t.run(0);",
        "template<class X> struct T { int m = 0; void run(X n) {\n"
        "#pragma omp parallel if(m > n)\n work();\n} };",
    ),
    "if of an attribute": _size(
        "if", "[[omp::directive(parallel if(zero))]]\n work();", only="gcc"
    ),
    "comment's number": _size("if", f"{_IF[:-1]} // num_threads(1)\n work();"),
    "if in one": _size("if", f"{_IF}{{\n{_IF} work();\n}}"),
    "number in one": _size(
        "num_threads", f"{_IF}{{\n#pragma omp parallel num_threads(1)\n work();\n}}"
    ),
    "task's if": _size(
        "num_threads", "#pragma omp parallel num_threads(1)\n#pragma omp task if(zero)\n work();"
    ),
    "nested": _size(
        _LEVEL,
        "#pragma omp parallel num_threads(2)\n" f"if (omp_get_thread_num() == 0) {{\n{_INNER}\n}}",
    ),
    "nested in a task": _size(
        _LEVEL,
        "#pragma omp parallel num_threads(2)\n#pragma omp master\n#pragma omp task\n"
        f"{{\n{_INNER}\n}}",
    ),
    "third level": _size(
        _LEVEL,
        "#pragma omp parallel num_threads(2)\n{\n#pragma omp parallel num_threads(2)\n{\n"
        "#pragma omp parallel num_threads(3)\n if (omp_get_ancestor_thread_num(1) == 0 && "
        "omp_get_ancestor_thread_num(2) == 0) work();\n}\n}",
        env={"OMP_MAX_ACTIVE_LEVELS": "2"},
    ),
    "no level": _size(_LEVEL, "omp_set_max_active_levels(0);\n#pragma omp parallel\n work();"),
    "call": _size("call", "omp_set_num_threads(1);\n#pragma omp parallel\n work();"),
    "limit 1": _size(
        "thread-limit-var", "#pragma omp parallel\n work();", env={"OMP_THREAD_LIMIT": "1"}
    ),
    "limit 3": _size(
        "thread-limit-var",
        "#pragma omp parallel num_threads(5)\n work();",
        env={"OMP_THREAD_LIMIT": "3"},
    ),
    "limit of teams": _size(
        "thread-limit-var", f"#pragma omp teams num_teams(1) thread_limit(1)\n{{\n{_INNER}\n}}"
    ),
    "limit of two teams": _size(
        "thread-limit-var",
        "#pragma omp teams num_teams(2) thread_limit(2)\nif (omp_get_team_num() == 0) "
        f"{{\n{_INNER}\n}}",
    ),
    "environment": _size(
        "environment", "#pragma omp parallel\n work();", env={"OMP_NUM_THREADS": "1"}
    ),
    "environment's list": _size(
        "environment",
        "#pragma omp parallel\n{\n#pragma omp parallel\n"
        "if (omp_get_ancestor_thread_num(1) == 0) work();\n}",
        env={"OMP_NUM_THREADS": "2,3", "OMP_MAX_ACTIVE_LEVELS": "2"},
    ),
    "rejected 8c": _size(
        "rejected", "#pragma omp parallel\n work();", env={"OMP_NUM_THREADS": "8c"}, only="gcc"
    ),
    "rejected -2": _size(
        "rejected", "#pragma omp parallel\n work();", env={"OMP_NUM_THREADS": "-2"}, only="gcc"
    ),
    "dynamic": _size(
        "dyn-var", "omp_set_dynamic(1);\n#pragma omp parallel num_threads(64)\n work();"
    ),
}
_BLAS = """#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
static volatile int calls;
__attribute__((noinline)) void stop_here(void) { __asm__ volatile("" ::: "memory"); }
static void multiply(void) {
    const int n = 700;
    const double one = 1, zero = 0;
    double *a = calloc(3 * n * n, 8), *b = a + n * n, *c = b + n * n;
    for (int round = 0; round < 1000; round++) {
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
        calls++;
    }
}
int main(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() > 0)
            multiply();
        while (calls < 4)
            usleep(1000);
        stop_here();
        usleep(300000);
        stop_here();
        multiply();
    }
}
"""
_ONE_EACH = {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "close"}
_JAIL = {"OMP_PLACES": f"{{{FIRST}}}", "OMP_PROC_BIND": "close"}
_MANY = str(6 * CPUS)
SLOW = {
    "bound to one CPU": _slow("one CPU", how=f"one {CPUS}"),
    "OMP_PLACES of one": _slow("one CPU", how="even 2", env=_JAIL),
    "started on one CPU": _slow("one CPU", how="even 2", wrapper=("taskset", "-c", str(FIRST))),
    "many": _slow("too many", how=f"even {_MANY}"),
    "many spin": _slow("too many", how=f"even {_MANY}", env={"OMP_WAIT_POLICY": "active"}),
    "teams inside": _slow("too many", "inside", how=f"inside {CPUS}", in_core=("inside",)),
    "imbalance": _slow("imbalance", how="uneven 2"),
    "locking on": _slow("locking", how="even 2", before=("set scheduler-locking on",)),
    "locking step": _slow("locking", how="even 2", before=("set scheduler-locking step",)),
    "rejected threads": _rejected("OMP_NUM_THREADS", "8c", "gcc"),
    "rejected places": _rejected("OMP_PLACES", "core"),
    "rejected schedule": _rejected("OMP_SCHEDULE", "dynamik"),
    "rejected stack": _rejected("OMP_STACKSIZE", "8X"),
    "rejected binding": _rejected("OMP_PROC_BIND", "sprad"),
    "none": _slow(how="even 2"),
    "none, teams of one": _slow(how="alone 2"),
    "none, bound apart": _slow(how="apart 2"),
    "none, places apart": _slow(how="even 2", env=_ONE_EACH),
    "none, settings": _slow(
        how="even 2",
        env={
            "OMP_WAIT_POLICY": "passive",
            "OMP_PLACES": "cores(2)",
            "OMP_SCHEDULE": "nonmonotonic:dynamic,4",
            "OMP_STACKSIZE": "4M",
            "OMP_PROC_BIND": "spread,close",
        },
    ),
}
# Where the distribution has OpenBLAS, or its packages are unpacked.
_LIBRARIES = os.environ.get("GDB_OMPD_BLAS", "/usr/lib/x86_64-linux-gnu").split(":")
BLAS = {
    f"BLAS, {kind}": Cause(
        text=_BLAS,
        may_be=("too many", "imbalance"),
        env={"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4", "OMP_MAX_ACTIVE_LEVELS": "2"},
        library=library,
    )
    for kind in ("openmp", "pthread")
    for folder in _LIBRARIES
    if os.path.exists(library := f"{folder}/openblas-{kind}/libopenblas.so.0")
}
CAUSES = {**SIZES, **SLOW, **BLAS}


def said(text: str) -> tuple[str, ...]:
    """Return the causes that TEXT names."""
    return tuple(name for name, words in SAID.items() if re.search(words, text))
