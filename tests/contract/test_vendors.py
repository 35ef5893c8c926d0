# SPDX-License-Identifier: Apache-2.0
"""What a vendor's runtime calls its functions and records is known where runtimes are read, and
nowhere above: by them one runtime would be served, and the next one not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# ".gomp_critical_user_gate" is a name that compilers make.
NAMES = re.compile(r"(?<![.\w])(?:__kmp|__ompt_|kmp_|GOMP_|gomp_)\w*")
NATIVE = ("base", "elf", "code", "unwind", "model", "stop")
SUFFIXES = frozenset({".cpp", ".hpp", ".py", ".pyi"})


def sources() -> list[Path]:
    """Return the files of the rooms that know no vendor."""
    folders = [ROOT / "native" / "src" / room for room in NATIVE]
    folders += [ROOT / "native" / "bindings", ROOT / "python" / "gdb_ompd"]
    return [p for each in folders for p in sorted(each.rglob("*")) if p.suffix in SUFFIXES]


def test_no_vendor_is_known_above_the_runtimes() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if NAMES.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line", ["name == '__kmp_fork_call'", "the ``kmp_task_t``", "startswith('GOMP_')"]
)
def test_what_is_looked_for_is_found(line: str) -> None:
    assert NAMES.search(line)
    assert not NAMES.search(".gomp_critical_user_gate") and len(sources()) > 200
