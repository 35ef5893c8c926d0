# SPDX-License-Identifier: Apache-2.0
"""What a stripped file's addresses are, by the file as it was before."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from typing import Any, Optional

from generator.statements import CRITICALS, LOCKS, NEST_LOCKS

LOCK_KINDS = ("lock", "nest lock", "critical")


class Symbols:
    """Those of the file FULL; MODULE is the stripped one that is mapped. Places that the commands
    show by their offsets in it are put into the words of the others."""

    def __init__(self, full: str, module: str, locks: dict[int, str], known: int) -> None:
        """LOCKS are names by address. KNOWN is where ``record_threads`` is mapped."""
        self._full, self._module = full, module
        said = subprocess.run(["nm", full], stdout=subprocess.PIPE, text=True, check=True)
        at = {line.split()[-1]: line.split()[0] for line in said.stdout.splitlines()}
        self._base = known - int(at["record_threads"], 16)
        self._locks = dict(locks)
        for name in filter(None, CRITICALS):
            for symbol in (f".gomp_critical_user_{name}.var", f".gomp_critical_user_{name}"):
                if symbol in at:
                    self._locks[self._base + int(at[symbol], 16)] = name

    def complete(self, value: Any) -> Any:
        """Return a document with the names and the lines that it would have."""
        if isinstance(value, list):
            return [self.complete(each) for each in value]
        if not isinstance(value, dict):
            return value
        made = {key: self.complete(each) for key, each in value.items()}
        code = value.get("code")
        if code and code["module"] == self._module and value.get("line") is None:
            made.update(self._place(value))
        if value.get("kind") in LOCK_KINDS and value.get("address") in self._locks:
            made["name"] = self._locks[value["address"]]
        return made

    def _place(self, row: dict[str, Any]) -> dict[str, Any]:
        frame = row.get("frame") or {}
        pc = frame.get("pc") or row.get("pc") or None
        # A caller's address is that behind its call.
        places = self._at(row["code"]["offset"] if pc is None else pc - self._base - 1)
        function, file, line = places[0] if pc else places[-1]
        if pc is None and (len(places) > 1 or function is None or function.startswith(".omp")):
            # Of code that begins with another's, the line is that one's.
            line, function = (None if len(places) > 1 else line), None
        return {"function": function or row["function"], "file": file, "line": line}

    @lru_cache(maxsize=None)
    def _at(self, offset: int) -> list[tuple[Optional[str], Optional[str], Optional[int]]]:
        said = subprocess.run(
            ["addr2line", "-C", "-f", "-i", "-e", self._full, hex(offset)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        lines = said.stdout.splitlines()
        found = []
        for function, place in zip(lines[::2], lines[1::2]):
            matched = re.match(r"(.*):(\d+)", place)
            file, line = (matched[1], int(matched[2])) if matched else (None, None)
            name = None if function == "??" else function
            found.append((name, file if line else None, line or None))
        return found


def lock_names(locks: int, nest_locks: int, sizes: tuple[int, int]) -> dict[int, str]:
    """Return the names of a program's locks by their addresses."""
    names = {locks + i * sizes[0]: f"record_locks[{i}]" for i in range(LOCKS)}
    names.update({nest_locks + i * sizes[1]: f"record_nest_locks[{i}]" for i in range(NEST_LOCKS)})
    return names
