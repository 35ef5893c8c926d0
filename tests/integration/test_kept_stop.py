# SPDX-License-Identifier: Apache-2.0
"""What is kept from one stop to the next is what would be read anew."""

from __future__ import annotations

import json

from support.build import Build, binary
from support.gdb_session import run_gdb
from support.runtimes import ROOT


def test_what_is_kept_is_what_would_be_read() -> None:
    commands = [
        f"python import sys; sys.path.insert(0, '{ROOT / 'tests' / 'support'}')",
        "python import kept_stop_in_gdb; kept_stop_in_gdb.main()",
    ]
    done = run_gdb(commands, binary(Build("restless.c", "clang", "O0", "19")), timeout=100)
    reports = [line for line in done.stdout.splitlines() if line.startswith("KEPT ")]
    assert reports, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    report = json.loads(reports[-1].removeprefix("KEPT "))
    assert report["differences"] == []
    assert report["begun"] > 0, report
