# SPDX-License-Identifier: Apache-2.0
"""The lines of `ompd status` and `ompd env`."""

from __future__ import annotations


from gdb_ompd.model import ControlVariable, RuntimeStatus, Status
from gdb_ompd.render import status
from gdb_ompd.render.style import Style

GOOD = RuntimeStatus(
    file="/usr/lib/libomp.so.5",
    kind="LLVM libomp",
    version="19.1.7",
    build_id="0a1b2c",
    ompd_library="/usr/lib/libompd.so",
    api_version=201811,
    symbols="recovered",
    profile="LLVM 19",
    layout_verified=True,
    initialized=True,
    events_enabled=False,
    problem=None,
)
UNKNOWN = RuntimeStatus(
    file="/opt/libomp.so",
    kind="LLVM libomp",
    version=None,
    build_id=None,
    ompd_library=None,
    api_version=None,
    symbols=None,
    profile=None,
    layout_verified=None,
    initialized=None,
    events_enabled=None,
    problem="no OMPD library: install libomp-19-dev",
)


def test_a_runtime_that_works_and_the_settings() -> None:
    settings = (("location-cache", "on"), ("events", "auto"))
    assert list(status.status_lines(Status((GOOD,), settings, ("A note.",)))) == [
        "OpenMP runtime /usr/lib/libomp.so.5",
        "  Kind          LLVM libomp",
        "  Version       19.1.7",
        "  Build id      0a1b2c",
        "  OMPD library  /usr/lib/libompd.so",
        "  OMPD version  201811 (OpenMP 5.0)",
        "  Symbols       recovered (profile LLVM 19)",
        "  Initialized   yes",
        "  Events        disabled",
        "Settings",
        "  location-cache  on",
        "  events          auto",
        "A note.",
    ]


def symbols_line(runtime: RuntimeStatus) -> str:
    lines = status.status_lines(Status((runtime,), ()))
    return next(line for line in lines if line.startswith("  Symbols")).split(maxsplit=1)[1]


def test_how_far_recovered_symbols_can_be_trusted() -> None:
    unknown = GOOD._replace(profile=None, layout_verified=False, architecture="x86-64")
    assert symbols_line(unknown) == "recovered (unverified layout)"
    real = GOOD._replace(symbols="debuginfo", profile=None, layout_verified=None)
    assert symbols_line(real) == "debuginfo"


def test_the_problem_comes_first_and_what_is_not_known_is_said() -> None:
    style = Style(highlight=lambda s: f"!{s}!")
    assert list(status.status_lines(Status((GOOD, UNKNOWN), ()), style))[9:] == [
        "OpenMP runtime /opt/libomp.so",
        "  !Problem: no OMPD library: install libomp-19-dev!",
        "  Kind          LLVM libomp",
        "  Version       unknown",
        "  Build id      unknown",
        "  OMPD library  none",
        "  OMPD version  unknown",
        "  Symbols       none",
        "  Initialized   unknown",
        "  Events        unknown",
    ]


def test_no_runtime() -> None:
    assert list(status.status_lines(Status((), ()))) == ["No OpenMP runtime is mapped."]
    why = ("There is no process.",)
    assert list(status.status_lines(Status((), (("events", "on"),), why))) == [
        "There is no process.",
        "Settings",
        "  events  on",
    ]


def test_variables_with_their_sources() -> None:
    variables = [
        ControlVariable("OMP_PLACES", "", "runtime default"),
        ControlVariable("OMP_NUM_THREADS", "4,2", "environment"),
        ControlVariable("KMP_LOCK_KIND", None, "runtime's start"),
    ]
    style = Style(variable=str.lower)
    assert list(status.env_lines(variables, style)) == [
        "* omp_num_threads=4,2       environment",
        "  omp_places=               runtime default",
        "  kmp_lock_kind is unknown  runtime's start",
    ]
    assert list(status.env_lines(variables[:1])) == ["OMP_PLACES=  runtime default"]
    assert list(status.env_lines([])) == ["No display control variables."]
