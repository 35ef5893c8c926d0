# SPDX-License-Identifier: Apache-2.0
"""What a runtime's own symbol table and its own memory say, for recovery to be held against."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from gdb_ompd._native import Recovery

META = re.compile(r"ompd_(access|sizeof|bitfield)__\w+")
META_COUNT = 145
# Beside the layout variables, what libompd reads or a tool stops at.
OTHERS = (
    "ompd_dll_locations",
    "ompd_dll_locations_valid",
    "ompd_state",
    "ompd_env_block",
    "ompd_env_block_size",
    "ompd_bp_parallel_begin",
    "ompd_bp_parallel_end",
    "ompd_bp_task_begin",
    "ompd_bp_task_end",
    "ompd_bp_thread_begin",
    "ompd_bp_thread_end",
    "__kmp_stksize",
    "__kmp_omp_cancellation",
    "__kmp_max_task_priority",
    "__kmp_display_affinity",
    "__kmp_affinity_format",
    "__kmp_tool",
    "__kmp_tool_libraries",
    "__kmp_tool_verbose_init",
    "__kmp_nested_nth",
    "__kmp_nested_proc_bind",
    "__kmp_max_nth",
    "__kmp_avail_proc",
    "__kmp_nth",
    "__kmp_threads",
    "__kmp_gtid",
    "__kmp_openmp_version",
)
WANTED = META_COUNT + len(OTHERS)


@dataclass(frozen=True)
class Score:
    """How the recovered table of one runtime compares with its true one.

    RIGHT and MISSING count the 172 names; WRONG is every recovered name, the
    optional ones too, whose address is not the true one, and every true size
    of a variable that is contradicted.
    """

    right: int
    wrong: list[str]
    missing: list[str]
    optional: int
    reasons: list[str]

    def __str__(self) -> str:
        if self.reasons:
            return refused(self.reasons)
        counts = f"right {self.right}, wrong {len(self.wrong)}, missing {len(self.missing)}"
        return f"{counts}, {self.optional} optional right"


def refused(reasons: Sequence[str]) -> str:
    """Say in one line why a file is refused; the first reason is the nearest to the cause."""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"refused: {reasons[0]}{more}"


def true_symbols(runtime: Path) -> dict[str, tuple[int, int]]:
    """Return value and size of every symbol of a file that has its table, as nm prints them.

    A thread-local symbol's value is its offset in the TLS block. The
    breakpoint functions of LLVM 14 to 16 have C++ names; they are given here
    as OMPD calls them. A symbol that nm prints without a size has size 0.
    """
    return _nm(runtime, "--demangle")


def exported_symbols(runtime: Path) -> dict[str, tuple[int, int]]:
    """Return the same of the dynamic table, which a stripped file keeps."""
    return _nm(runtime, "--dynamic", "--without-symbol-versions")


def _nm(runtime: Path, *options: str) -> dict[str, tuple[int, int]]:
    done = subprocess.run(
        ["nm", "--defined-only", "--print-size", *options, str(runtime)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = {}
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"([0-9a-f]+) (?:([0-9a-f]+) )?[A-Za-z] (\w+)(?:\(\))?", line)
        if match:
            value, size, name = match.groups()
            found[name] = (int(value, 16), int(size or "0", 16))
    return found


def wanted_names(truth: dict[str, tuple[int, int]]) -> list[str]:
    """Return the names that must be recovered: 172 where OMPD is compiled in."""
    return [name for name in truth if META.fullmatch(name)] + list(OTHERS)


def strip(runtime: Path, folder: Path) -> Path:
    """Return a copy of RUNTIME in FOLDER, stripped as a distribution does it."""
    copy = folder / "libomp.so"
    subprocess.run(["strip", "-o", str(copy), str(runtime)], check=True)
    return copy


def compare(recovered: Recovery, truth: dict[str, tuple[int, int]]) -> Score:
    """Score a Recovery against the true symbols."""
    symbols = {symbol.name: symbol for symbol in recovered.symbols}
    wanted = wanted_names(truth)
    wrong = []
    for name, symbol in symbols.items():
        value, size = truth.get(name, (None, 0))
        if symbol.value != value:
            wrong.append(f"{name} at {symbol.value:#x}, is at {value}")
        elif symbol.kind != "function" and symbol.size != size:
            wrong.append(f"{name} has {symbol.size} bytes, is {size}")
    bad = {line.split()[0] for line in wrong}
    return Score(
        right=sum(name in symbols and name not in bad for name in wanted),
        wrong=wrong,
        missing=[name for name in wanted if name not in symbols],
        optional=sum(name not in wanted and name not in bad for name in symbols),
        reasons=list(recovered.reasons),
    )


def values_in_memory(runtime: Path, addresses: dict[str, int]) -> Optional[dict[str, int]]:
    """Return the 8-byte words that RUNTIME, loaded and initialised, has at link-time ADDRESSES.

    In a process of its own; None where the C library here is too old for RUNTIME.
    """
    environment = {**os.environ, "OMP_DEBUG": "enabled", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, __file__, str(runtime)],
        input=json.dumps(addresses),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        env=environment,
    )
    if "GLIBC_" in done.stderr:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"{runtime}: {done.stderr}")
    values: dict[str, int] = json.loads(done.stdout)
    return values


def _load_base(path: str) -> int:
    """Return where PATH is mapped: its first mapping is that of its address 0."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        return min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(path))


def _print_values(path: str, addresses: dict[str, int]) -> None:
    # The first question makes the runtime initialise itself.
    ctypes.CDLL(path).omp_get_max_threads()
    base = _load_base(path)
    print(
        json.dumps({n: ctypes.c_uint64.from_address(base + a).value for n, a in addresses.items()})
    )


if __name__ == "__main__":
    _print_values(os.path.realpath(sys.argv[1]), json.load(sys.stdin))
