# SPDX-License-Identifier: Apache-2.0
"""python -m soak.leaks COMMANDS: what a gdb with the extension leaves behind, by valgrind.

gdb itself leaves much. So a session with COMMANDS commands is compared with one of a
tenth: what each command adds is told apart from what every session does, and from what
gdb's own commands add without the extension. No block that is lost for good may have
been asked for by our code or by an OMPD library.
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
# More than gdb's own commands add: never a snapshot (8 KiB), nor a block each.
MOST_LOST = 16.0
MOST_HELD = 512.0


@dataclass(frozen=True)
class Leaks:
    """What one session left: bytes lost for good, bytes in all, and those lost for good
    that our code asked for, a line each."""

    commands: int
    lost: int
    held: int
    ours: tuple[str, ...]


class LeaksFailed(Exception):
    """gdb did not come to the script's end; the message holds what it said."""


def leaks(
    program: Path, commands: int, folder: Path, plain: bool = False, keep: Optional[str] = None
) -> Leaks:
    """Run so many commands in one gdb under valgrind: PLAIN are gdb's own, without the
    extension; KEEP loses a block each on purpose."""
    report = folder / f"leaks-{'plain' if plain else 'ompd'}-{commands}.xml"
    argv = ["valgrind", "--leak-check=full", "--show-leak-kinds=all", "--num-callers=40"]
    argv += ["--child-silent-after-fork=yes", "--xml=yes", f"--xml-file={report}"]
    argv += ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off"]
    argv += [] if plain else ["-ex", f"source {EXTENSION}"]
    argv += ["-ex", f"source {HERE / 'leaks_in_gdb.py'}"]
    # Python's objects each in a block of their own, where valgrind sees them.
    env = {"PYTHONMALLOC": "malloc", "LEAKS_COMMANDS": str(commands), "LEAKS_KEEP": keep or ""}
    env["LEAKS_PLAIN"] = "1" if plain else ""
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


@dataclass(frozen=True)
class Growth:
    """What each command adds, in bytes: lost for good, and in all."""

    lost: float
    held: float


def growth(few: Leaks, many: Leaks) -> Growth:
    """Return what each of the commands that MANY has more than FEW has added."""
    more = many.commands - few.commands
    return Growth((many.lost - few.lost) / more, (many.held - few.held) / more)


def complaints(many: Leaks, ours: Growth, plain: Growth) -> list[str]:
    """Return what is not as it should be in the session MANY; nothing if all is well."""
    found = [f"lost: {record}" for record in many.ours]
    for what, each, its, most in (
        ("loses", ours.lost, plain.lost, MOST_LOST),
        ("holds", ours.held, plain.held, MOST_HELD),
    ):
        # gdb alone may give memory back: that is no reason to complain.
        if each - max(its, 0.0) > most:
            found.append(
                f"each command {what} {each:.0f} bytes, {its:.0f} with gdb alone"
                f" ({most:.0f} more are allowed)"
            )
    return found


def few_and_many(
    program: Path, commands: int, folder: Path, plain: bool = False, keep: Optional[str] = None
) -> tuple[Leaks, Leaks]:
    """Run a session with a tenth of COMMANDS and one with all, and print what each left."""
    name = "gdb" if plain else "gdb-ompd"
    both = []
    for count in (commands // 10, commands):
        each = leaks(program, count, folder, plain, keep)
        both.append(each)
        row = f"{count:>8}  {each.lost:>10}  {len(each.ours):>7}  {each.held:>10}"
        print(f"{name:>8}  {row}", flush=True)
    added = growth(*both)
    print(f"{name:>8}: each command {added.lost:+.1f} bytes lost, {added.held:+.1f} held")
    return both[0], both[1]


def main() -> int:
    """Compare the sessions; return 1 if something is lost."""
    commands, keep = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    print(f"{'':>8}  {'commands':>8}  {'lost bytes':>10}  {'of ours':>7}  {'held bytes':>10}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build_program(folder)
        plain = few_and_many(program, commands, folder, plain=True)
        ours = few_and_many(program, commands, folder, keep=keep)
    found = complaints(ours[1], growth(*ours), growth(*plain))
    print("leaks: " + ("; ".join(found) if found else "none of ours, and no growth"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
