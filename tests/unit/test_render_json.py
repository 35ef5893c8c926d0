# SPDX-License-Identifier: Apache-2.0
"""The JSON documents: exactly the promised keys, plain values, one document."""

from __future__ import annotations

import json
from typing import Any

from gdb_ompd.model import (
    Code,
    Doubt,
    ControlVariable,
    Icv,
    IcvOwner,
    Location,
    Membership,
    Region,
    RuntimeStatus,
    Scope,
    Snapshot,
    Status,
    Task,
    TaskFrames,
    TaskKind,
    Thread,
    ThreadKind,
    WaitsFor,
)
from gdb_ompd.model.teams import SizeRule, TeamSize
from gdb_ompd.render import json_document


def again(document: dict[str, Any]) -> dict[str, Any]:
    """Read back what is written: one document, equal to the one that was made."""
    read: dict[str, Any] = json.loads(json_document.dump(document))
    assert read == document
    return read


def test_a_thread_of_which_all_is_known() -> None:
    thread = Thread(
        inferior=1,
        gdb_num=4,
        lwp=20455,
        pthread_id=0x7F00,
        kind=ThreadKind.WORKER,
        selected=True,
        thread_num=1,
        team_size=8,
        level=3,
        active_level=2,
        memberships=(Membership(1, 8), Membership(0, 1), Membership(0, 4), Membership(0, 1)),
        region=2,
        state="wait_critical",
        waits_for=WaitsFor("critical", 64, "gate"),
        task=TaskKind.EXPLICIT,
        location=Location("work", "src/heat.c", 6, 4198662, Code("/lib/heat.so", 64)),
    )
    assert list(again(json_document.threads(Snapshot((thread,), ()))).items()) == [
        ("schema", 1),
        (
            "threads",
            [
                {
                    "inferior": 1,
                    "gdb_num": 4,
                    "lwp": 20455,
                    "pthread_id": 32512,
                    "kind": "worker",
                    "running": False,
                    "thread_num": 1,
                    "team_size": 8,
                    "level": 3,
                    "active_level": 2,
                    "memberships": [[1, 8], [0, 1], [0, 4], [0, 1]],
                    "state": "wait_critical",
                    "waits_for": {"kind": "critical", "address": 64, "name": "gate"},
                    "task": "explicit",
                    "location": {
                        "function": "work",
                        "file": "src/heat.c",
                        "line": 6,
                        "pc": 4198662,
                        "code": {"module": "/lib/heat.so", "offset": 64, "executable": False},
                        "innermost": None,
                    },
                    "error": None,
                    "signal": None,
                    "outside": None,
                    "team_num": None,
                    "num_teams": None,
                    "target": None,
                    "sources": {},
                    "unknown": {},
                    "text": 'waiting for critical "gate"',
                }
            ],
        ),
        ("notes", []),
    ]


def test_a_thread_of_which_nothing_is_known_has_the_same_keys() -> None:
    nothing = Snapshot((Thread(2, 1, 9, error="why"),), ())
    [thread] = again(json_document.threads(nothing))["threads"]
    assert {key: value for key, value in thread.items() if value is not None} == {
        "inferior": 2,
        "gdb_num": 1,
        "lwp": 9,
        "running": False,
        "memberships": [],
        "error": "why",
        "sources": {},
        "unknown": {},
        "text": "unreadable",
    }
    assert " ".join(thread) == (
        "inferior gdb_num lwp pthread_id kind running thread_num team_size level active_level "
        "memberships state waits_for task location error signal outside team_num num_teams target "
        "sources unknown text"
    )


def test_what_the_library_did_not_tell_is_named() -> None:
    doubts = (Doubt("level", "nested regions", None, 0), Doubt("state", None, "ompd_get_state", 4))
    [thread] = again(json_document.threads(Snapshot((Thread(1, 1, 9, doubts=doubts),), ())))[
        "threads"
    ]
    assert thread["sources"] == {"level": "nested regions"}
    assert thread["unknown"] == {"state": "ompd_get_state"}


def test_regions() -> None:
    region = Region(5, 4096, 3, 2, 1, 4, True, "main", "heat.c", 11, (3, None))
    assert again(json_document.regions(Snapshot((), (region,)))) == {
        "schema": 1,
        "regions": [
            {
                "id": 5,
                "parent": 3,
                "level": 2,
                "active_level": 1,
                "team_size": 4,
                "serialized": True,
                "function": "main",
                "file": "heat.c",
                "line": 11,
                "threads": [3, None],
                "starting": False,
                "absent": [],
                "runtime": None,
                "code": None,
                "library_call": None,
                "kind": "parallel",
                "thread_limit": None,
                "sources": {},
                "unknown": {},
                "why": None,
            }
        ],
        "notes": [],
    }


def test_why_a_team_has_its_size() -> None:
    region = Region(5, 4096, 3, 2, 1, 1, True, "main", "heat.c", 11, (3,))
    size = TeamSize(5, SizeRule.ACTIVE_LEVELS, True, True, 1, 4, 4, 1, "4")
    (said,) = again(json_document.regions(Snapshot((), (region,)), [size]))["regions"]
    assert said["why"] == {
        "rule": "max-active-levels-var",
        "certain": True,
        "notable": True,
        "asked": 4,
        "nthreads": 4,
        "limit": 1,
        "setting": "4",
        "variable": None,
        "others": 0,
        "text": "1 thread: 4 were asked for, but max-active-levels-var is 1 and the region around "
        "it is active; OMP_MAX_ACTIVE_LEVELS=2 lets it have more.",
    }


def test_tasks() -> None:
    frames = TaskFrames(4096, None)
    task = Task(3, 0, 77, TaskKind.EXPLICIT, "fib", "fib.c", 9, True, frames, 1, None, False)
    assert again(json_document.tasks([task])) == {
        "schema": 1,
        "tasks": [
            {
                "gdb_num": 3,
                "depth": 0,
                "kind": "explicit",
                "function": "fib",
                "file": "fib.c",
                "line": 9,
                "code": None,
                "final": True,
                "frames": {"enter": 4096, "exit": None},
                "generating": 1,
                "scheduling": None,
                "running": False,
                "where": None,
                "queue": None,
                "creator": None,
                "sources": {},
                "unknown": {},
            }
        ],
        "notes": [],
    }


def test_icvs_of_a_thread_of_a_region_and_of_nobody() -> None:
    owners = [None, IcvOwner(gdb_num=3), IcvOwner(region=1)]
    icvs = [Icv("a-var", Scope.ADDRESS_SPACE, owner, 1, "one", "libompd") for owner in owners]
    document = again(json_document.icvs(icvs))
    assert document["schema"] == 1
    assert [icv["owner"] for icv in document["icvs"]] == [None, {"gdb_num": 3}, {"region": 1}]
    assert document["icvs"][0] == {
        "name": "a-var",
        "scope": "address space",
        "owner": None,
        "value": 1,
        "text": "one",
        "source": "libompd",
        "runtime": None,
    }


def test_control_variables() -> None:
    set_by_user = ControlVariable("OMP_DYNAMIC", "maybe", "environment", True, "dyn-var is false")
    assert again(json_document.env([set_by_user])) == {
        "schema": 1,
        "control_variables": [
            {
                "name": "OMP_DYNAMIC",
                "value": "maybe",
                "source": "environment",
                "rejected": True,
                "in_force": "dyn-var is false",
                "runtime": None,
            }
        ],
    }


def test_status() -> None:
    runtime = RuntimeStatus(
        "a.so", "libomp", "19", "ab", "d.so", 201811, "symtab", "p", True, False, None, "why"
    )
    assert again(json_document.status(Status((runtime,), (("events", "on"),)))) == {
        "schema": 1,
        "runtimes": [
            {
                "file": "a.so",
                "kind": "libomp",
                "version": "19",
                "build_id": "ab",
                "ompd_library": "d.so",
                "api_version": 201811,
                "symbols": "symtab",
                "profile": "p",
                "layout_verified": True,
                "initialized": False,
                "events_enabled": None,
                "problem": "why",
                "refused": [],
                "read_from": None,
            }
        ],
        "settings": {"events": "on"},
        "notes": [],
    }


def test_each_thread_is_one_line_of_ascii() -> None:
    threads = tuple(Thread(1, n, n, error='a "b"\n\u00e9\udc80') for n in (1, 2))
    written = json_document.dump(json_document.threads(Snapshot(threads, ())))
    assert written.isascii()
    assert [line.strip()[:12] for line in written.splitlines()] == [
        '{"schema": 1',
        '"threads": [',
        '{"inferior":',
        '{"inferior":',
        "],",
        '"notes": []}',
    ]
    assert json.loads(written)["threads"][1]["error"] == 'a "b"\n\u00e9\udc80'


def test_nothing_to_list_is_a_document_too() -> None:
    assert (
        json_document.dump(json_document.tasks([])) == '{"schema": 1,\n "tasks": [],\n "notes": []}'
    )
