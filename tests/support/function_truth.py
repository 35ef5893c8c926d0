# SPDX-License-Identifier: Apache-2.0
"""Compare what the convenience functions answer in each thread with omp_get_*."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from support.facts import Fact
from support.truth import Slot, Stop, same_state

_LEVELS = range(-1, 8)
_ICVS = {
    "nthreads-var": "max_threads",
    "dyn-var": "dynamic",
    "max-active-levels-var": "max_active_levels",
    "thread-limit-var": "thread_limit",
    "thread-num-var": "thread_num",
    "final-task-var": "in_final",
    "levels-var": "level",
    "active-levels-var": "active_level",
    "bind-var": "proc_bind",
    "stacksize-var": "stack_size",
    "num-procs-var": "num_procs",
}


def function_facts(where: str, stop: Stop) -> Iterator[Fact]:
    """Yield every answer that a function gave in a thread that the program knows."""
    for slot in stop.slots:
        answers = stop.functions.get(slot.gdb_num)
        if answers is None:
            continue
        truth = _in_openmp(slot) if slot.in_openmp else {}
        if slot.idle:
            truth["state()"] = "idle"
        for call, said in answers.items():
            if call == 'icv("stacksize-var")' and slot.answers.get("stack_size") == 0:
                continue  # GCC's runtime has no routine that tells it
            name = "state" if call == "state()" else f"$_omp_{call}"
            value = same_state(said, slot.state) if call == "state()" else said
            yield Fact(where, f"thread {slot.gdb_num}", name, value, truth.get(call))


def _in_openmp(slot: Slot) -> dict[str, Any]:
    answers = slot.answers
    truth: dict[str, Any] = {
        "thread_num()": answers["thread_num"],
        "num_threads()": answers["num_threads"],
        "level()": answers["level"],
        "active_level()": answers["active_level"],
        "in_parallel()": answers["in_parallel"],
        "in_explicit_task()": int(slot.chain[0].task_kind == "explicit"),
        "state()": slot.state,
    }
    for level in _LEVELS:
        for name in ("ancestor_thread_num", "team_size"):
            truth[f"{name}({level})"] = answers[name][level] if level >= 0 else -1
    truth.update({f'icv("{name}")': answers[answer] for name, answer in _ICVS.items()})
    return truth
