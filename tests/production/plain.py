# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: what gdb and the kernel say of the threads, without the extension."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any, Optional

import gdb

MOST_FRAMES = 80


class Process:
    """The stopped process, as gdb's own stacks and /proc have it."""

    def __init__(self) -> None:
        self._folder = Path(f"/proc/{gdb.selected_inferior().pid}")
        self._maps: list[tuple[int, int, str]] = []
        for line in (self._folder / "maps").read_text("utf-8", "replace").splitlines():
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[5].startswith("/"):
                first, _, end = fields[0].partition("-")
                self._maps.append((int(first, 16), int(end, 16), fields[5]))

    def module(self, address: int) -> Optional[str]:
        """Return the file that is mapped at ADDRESS."""
        at = bisect_right(self._maps, (address, 1 << 64, "")) - 1
        if at < 0 or address >= self._maps[at][1]:
            return None
        return self._maps[at][2]

    def lwps(self) -> list[int]:
        """Return the threads that the kernel has of the process."""
        return sorted(int(path.name) for path in (self._folder / "task").iterdir())

    def threads(self) -> list[dict[str, Any]]:
        """Return each thread's numbers, the system call that it is in, and its frames."""
        selected, frame = gdb.selected_thread(), gdb.selected_frame()
        found = []
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.num):
            thread.switch()
            lwp = thread.ptid[1]
            row = {"gdb_num": thread.num, "lwp": lwp, "call": self._call(lwp)}
            found.append({**row, "frames": self._frames()})
        selected.switch()
        frame.select()
        return found

    def _call(self, lwp: int) -> Optional[int]:
        try:
            said = (self._folder / "task" / str(lwp) / "syscall").read_text("ascii")
        except OSError:
            return None
        first = said.split()[0]
        return int(first) if first.isdigit() else None

    def _frames(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        frame: Optional[gdb.Frame] = gdb.newest_frame()
        while frame is not None and len(found) < MOST_FRAMES:
            pc = frame.pc()
            found.append({"pc": pc, "function": frame.name(), "module": self.module(pc)})
            try:
                frame = frame.older()
            except gdb.error:  # what cannot be read ends it
                break
        return found


def is_same(*names: str) -> bool:
    """Tell whether these are names of one function."""
    if len(set(names)) == 1:
        return True
    try:
        return len({int(gdb.parse_and_eval(f"(long) &'{name}'")) for name in names}) == 1
    except gdb.error:
        return False
