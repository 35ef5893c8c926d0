# SPDX-License-Identifier: Apache-2.0
"""Which known faults of LLVM's OMPD library each version has, found by running programs.

``python -m support.corrections`` from ``tests`` writes docs/corrections.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from gdb_ompd import _native
from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import ROOT

VERSIONS = ("14", "19")
PAGE = ROOT / "docs" / "corrections.md"
# Programs, and where they are stopped to be asked.
STOPS = (
    ("nested.c", "break truth_stop"),
    ("serialized.c", "break truth_stop"),
    ("tasks.c", "break truth_stop"),
    ("teams.c", "break truth_stop"),
    ("idle.c", "break truth_stop"),
    ("icvs.c", "break truth_stop"),
    ("worksharing.c", "break truth_stop"),
    ("task_regions.c", "break truth_stop"),
    ("helpers.c", "break stop_here"),
    ("untied.c", "break leaf"),
    ("beginning.c", "break body"),
    ("events.c", "break solve"),
    ("events.c", "ompd break parallel-begin"),
    ("nested.c", "ompd break thread-begin"),
    ("nested.c", "set ompd auto-enable off", "break truth_stop"),
)
# Of states that a thread has for a moment: whether a stop meets one is chance.
OF_A_MOMENT = frozenset({"starting-workers", "unnamed-states"})
INTRODUCTION = """\
# What LLVM's OMPD library gets wrong

What is shown of LLVM's runtime is what its OMPD library says, put right where the library is
known to be wrong, and completed where OMPD has no word. `set ompd corrections off` shows what
the library says. `-json` has the name of the correction with each fact that one gave.

A fact that a call of the library failed to tell is not filled in: it is unknown, with the name
of the function that failed.

`sh scripts/corrections.sh` writes this page: it runs programs on each version of the runtime
and notes which corrections changed a fact there. Those that changed none ("-") are of moments
that these programs do not stop at, or add what OMPD has no word for.
"""


def needed(version: str, program: str, *begin: str) -> dict[str, list[object]]:
    """Return the corrections that a program needs on a version of the runtime, at the stops
    that the commands BEGIN make."""
    commands = [
        f"python import sys; sys.path.insert(0, '{ROOT / 'tests' / 'support'}')",
        *begin,
        "python import corrections_in_gdb; corrections_in_gdb.main()",
    ]
    done = run_gdb(commands, binary(Build(program, "clang", "O0", version)))
    lines = [line for line in done.stdout.splitlines() if line.startswith("NEEDED ")]
    assert lines, f"{program} on {version}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    found: dict[str, list[object]] = json.loads(lines[-1].removeprefix("NEEDED "))
    return found


def faults() -> dict[str, frozenset[str]]:
    """Return by version the corrections that some program needs."""
    return {
        version: frozenset(rule for each in STOPS for rule in needed(version, *each))
        for version in VERSIONS
    }


def page(by_version: Mapping[str, frozenset[str]]) -> str:
    """Return the page that tells of these."""
    versions = " | ".join(f"LLVM {version}" for version in by_version)
    lines = [INTRODUCTION, f"| Correction | {versions} |", "|---" * (len(by_version) + 1) + "|"]
    rules = _native.llvm_corrections()
    for name in (rule.name for rule in rules):
        marks = " | ".join(_mark(name, each) for each in by_version.values())
        lines.append(f"| `{name}` | {marks} |")
    for rule in rules:
        lines += ["", f"## {rule.name}", "", rule.fault, "", f"The right value: {rule.right}"]
    return "\n".join(lines) + "\n"


def _mark(name: str, needed_here: frozenset[str]) -> str:
    if name in OF_A_MOMENT:
        return "at moments"
    return "needed" if name in needed_here else "-"


def main(path: Path = PAGE) -> None:
    """Write the page."""
    path.write_text(page(faults()), encoding="utf-8")


if __name__ == "__main__":
    main()
