# SPDX-License-Identifier: Apache-2.0
"""The comparison itself: a document that lies in one place is found out."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from support.build import build
from support.facts import Fact
from support.truth import Stop
from support.truth_compare import stop_facts
from support.truth_session import run_live

Document = dict[str, Any]
THREADS = "ompd threads -json"
PARALLEL = "ompd parallel -all -json"
TASKS = "ompd tasks -all -json"
ICVS = "ompd icvs -all -json"


def _set(key: str, name: str, value: Any) -> Callable[[Document], None]:
    def lie(document: Document) -> None:
        document[key][0][name] = value

    return lie


def _drop(key: str) -> Callable[[Document], None]:
    def lie(document: Document) -> None:
        del document[key][0]

    return lie


def _raise_thread_count(document: Document) -> None:
    for row in document["icvs"]:
        if row["name"] == "nthreads-var" and row["owner"] is not None:
            row["value"] = 4321


LIES = {
    "a thread's number": (THREADS, _set("threads", "thread_num", 77)),
    "a thread's nest": (THREADS, _set("threads", "memberships", [[0, 1]])),
    "a thread's state": (THREADS, _set("threads", "state", "wait_lock")),
    "a thread's place": (THREADS, _set("threads", "location", None)),
    "a thread left out": (THREADS, _drop("threads")),
    "a region's members": (PARALLEL, _set("regions", "threads", [1])),
    "a region's parent": (PARALLEL, _set("regions", "parent", 99)),
    "a region's line": (PARALLEL, _set("regions", "line", 1)),
    "a region left out": (PARALLEL, _drop("regions")),
    "a task's kind": (TASKS, _set("tasks", "kind", "explicit")),
    "a task left out": (TASKS, _drop("tasks")),
    "an ICV": (ICVS, _raise_thread_count),
}


@pytest.fixture(scope="module")
def deep_stop(tmp_path_factory: pytest.TempPathFactory) -> Stop:
    """A stop with eight threads in regions three deep."""
    return run_live(build("nested.c"), tmp_path_factory.mktemp("deep")).stops[1]


def _not_right(stop: Stop) -> list[Fact]:
    return [fact for fact in stop_facts(stop) if not fact.right]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found(lie: str, deep_stop: Stop) -> None:
    command, tell = LIES[lie]
    document = json.loads(deep_stop.said[command]["text"])
    tell(document)
    answer = {**deep_stop.said[command], "text": json.dumps(document)}
    told = dataclasses.replace(deep_stop, said={**deep_stop.said, command: answer})
    assert len(_not_right(told)) > len(_not_right(deep_stop))


@pytest.mark.parametrize("command", (THREADS, PARALLEL, TASKS, ICVS))
def test_a_failing_command_is_found(command: str, deep_stop: Stop) -> None:
    answer = {"error": "no process", "selection_kept": True}
    told = dataclasses.replace(deep_stop, said={**deep_stop.said, command: answer})
    assert len(_not_right(told)) > len(_not_right(deep_stop))


def test_a_changed_selection_is_found(deep_stop: Stop) -> None:
    answer = {**deep_stop.said[THREADS], "selection_kept": False}
    told = dataclasses.replace(deep_stop, said={**deep_stop.said, THREADS: answer})
    assert len(_not_right(told)) > len(_not_right(deep_stop))
