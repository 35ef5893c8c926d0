# SPDX-License-Identifier: Apache-2.0
"""How each command of the extension is asked at a stop of a program that nobody knows."""

from __future__ import annotations

# What is compared with plain gdb, and what a saved stop and a core have to give again.
DOCUMENTS = (
    "threads",
    "parallel -all",
    "tasks -all",
    "why",
    "bt",
    "bt -all",
    "icvs -all",
    "env",
    "status",
)
# What is shown, and leaves the program where it is. {folder} is one of the stop's own.
ANSWERS = (
    *DOCUMENTS,
    "version",
    "loop",
    "parallel -why",
    "places",
    "places -all",
    "devices",
    "threads -all",
    "threads -no-location",
    "threads -state waiting",
    "parallel",
    "tasks",
    "icvs",
    "bt -full",
    "bt -team",
    "thread",
    "thread 0",
    "frame 0",
    "print $pc",
    "diff $pc",
    "print -all $sp",
    "whatis errno",
    "locals",
    "apply -all -s bt 1",
    "save {folder}/stop.json",
    "compare {folder}/stop.json",
    "report {folder}/stop.html",
    "export-symbols {folder}/symbols.debug",
)
FUNCTIONS = (
    "$_omp_thread_num()",
    "$_omp_num_threads()",
    "$_omp_level()",
    "$_omp_active_level()",
    "$_omp_in_parallel()",
    "$_omp_ancestor_thread_num(0)",
    "$_omp_team_size(0)",
    "$_omp_in_explicit_task()",
    '$_omp_icv("dyn-var")',
    "$_omp_state()",
)
OF_SAVED = (*DOCUMENTS, "threads -all", "parallel", "tasks", "bt -team", "report {folder}/2.html")
# What lets the program run on, with the commands of gdb that go with it.
MOVES = (
    ("ompd step",),
    ("ompd next",),
    ("ompd finish",),
    ("ompd finish region",),
    ("ompd finish task",),
    ("ompd sample -every 0.05 2",),
    ("ompd tbreak parallel-begin", "continue"),
    ("ompd break task-begin", "delete"),
    ("ompd watch *(long *)$sp", "delete"),
    ("ompd disable",),
    ("ompd enable",),
    ("ompd init",),
)
# Without an OpenMP runtime that has started, these have nothing to say; all others always do.
REFUSED_WITHOUT_RUNTIME = {"thread 0", "export-symbols {folder}/symbols.debug"}


def asked() -> set[str]:
    """Return the names of the commands that are asked at a stop."""
    shown = {command.split()[0] for command in ANSWERS}
    return shown | {commands[0].split()[1] for commands in MOVES}
