# SPDX-License-Identifier: Apache-2.0
"""python -m soak.leaks COMMANDS: what a gdb with the extension leaves behind, by valgrind.

gdb itself leaves much. So a session with COMMANDS commands is compared with one of a
tenth: what each command adds is told apart from what every session does, and no block
that is lost for good may have been asked for by our code or by an OMPD library.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from soak.session import HERE, build_program
from support.gdb_session import EXTENSION, clean_environment

# By the name of the file that the code is in; OMPD libraries are loaded as memory files.
OURS = ("_native.", "libompd", "memfd:ompd", "/proc/self/fd/")
LOST = {"Leak_DefinitelyLost", "Leak_IndirectlyLost"}
# Each command may add what gdb keeps of values and types, never a snapshot (8 KiB).
MOST_LOST = 64.0
MOST_HELD = 1024.0


@dataclass(frozen=True)
class Leaks:
    """What one session left: bytes lost for good, bytes in all, and the records of ours."""

    commands: int
    lost: int
    held: int
    ours: tuple[str, ...]


class LeaksFailed(Exception):
    """gdb did not come to the script's end; the message holds what it said."""


def leaks(program: Path, commands: int, folder: Path, keep: Optional[str] = None) -> Leaks:
    """Run so many commands in one gdb under valgrind."""
    report = folder / f"leaks-{commands}.xml"
    argv = ["valgrind", "--leak-check=full", "--show-leak-kinds=all", "--num-callers=40"]
    argv += ["--child-silent-after-fork=yes", "--xml=yes", f"--xml-file={report}"]
    argv += ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    argv += ["-ex", f"source {EXTENSION}", "-ex", f"source {HERE / 'leaks_in_gdb.py'}"]
    env = {"LEAKS_COMMANDS": str(commands), "LEAKS_KEEP": keep or ""}
    done = subprocess.run(
        [*argv, str(program)],
        env=clean_environment(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if f"LEAKS {commands}\n" not in done.stdout:
        raise LeaksFailed(done.stdout[-4000:])
    return read_report(report, commands)


def read_report(report: Path, commands: int) -> Leaks:
    """Return what valgrind's XML REPORT says."""
    lost = held = 0
    ours = []
    for error in ElementTree.parse(report).iter("error"):
        kind = error.findtext("kind", "")
        size = int(error.findtext("xwhat/leakedbytes", "0"))
        held += size
        if kind not in LOST:
            continue
        lost += size
        stack = [frame for frame in error.iterfind("stack/frame")]
        if any(mark in frame.findtext("obj", "") for frame in stack for mark in OURS):
            names = [frame.findtext("fn", "?") for frame in stack[:8]]
            ours.append(f"{size} bytes: {' < '.join(names)}")
    return Leaks(commands, lost, held, tuple(ours))


def complaints(few: Leaks, many: Leaks) -> list[str]:
    """Return what is not as it should be; nothing if all is well."""
    found = [f"lost: {record}" for record in many.ours]
    more = many.commands - few.commands
    for what, each, most in (
        ("loses", (many.lost - few.lost) / more, MOST_LOST),
        ("holds", (many.held - few.held) / more, MOST_HELD),
    ):
        if each > most:
            found.append(f"each command {what} {each:.0f} bytes more ({most:.0f} are allowed)")
    return found


def main() -> int:
    """Compare the two sessions; return 1 if something is lost."""
    total = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(Path(folder))
        both = [leaks(program, count, Path(folder)) for count in (total // 10, total)]
    print(f"{'commands':>8}  {'lost bytes':>10}  {'of ours':>7}  {'held bytes':>10}")
    for each in both:
        print(f"{each.commands:>8}  {each.lost:>10}  {len(each.ours):>7}  {each.held:>10}")
    few, many = both
    more = many.commands - few.commands
    print(
        f"each command: {(many.lost - few.lost) / more:+.1f} bytes lost,"
        f" {(many.held - few.held) / more:+.1f} bytes held"
    )
    found = complaints(few, many)
    print("leaks: " + ("; ".join(found) if found else "none of ours, and no growth"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
