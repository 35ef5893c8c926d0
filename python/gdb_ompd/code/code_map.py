# SPDX-License-Identifier: Apache-2.0
"""Whose code an address is: the user's, an OpenMP runtime's, or the system's."""

from __future__ import annotations

import bisect
import os
import re
from enum import Enum
from typing import Optional, Sequence

from ..host.modules import MappedModule

# Libraries that are on nearly every stack and never the user's.
SYSTEM_LIBRARIES = re.compile(
    r"^(libc|libm|libpthread|libdl|librt|ld-linux[-\w]*|ld|libgcc_s|libstdc\+\+|libc\+\+|"
    r"libc\+\+abi|libunwind|libgfortran|libquadmath|libatomic|libarcher|linux-vdso|libtsan|"
    r"libasan|libflang\w*|libFortran\w*)([-.]|$)"
)
# The functions of a runtime that is linked into the program itself.
STATIC_RUNTIME = re.compile(r"^_?_?(kmp|kmpc|ompt|ompd|omp|GOMP)_|^__kmp")


class Code(Enum):
    """Whose code it is."""

    USER = "user"
    RUNTIME = "runtime"
    SYSTEM = "system"


class CodeMap:
    """The mapped files of one process, by address."""

    def __init__(self, modules: Sequence[MappedModule], runtimes: Sequence[MappedModule]) -> None:
        executable = modules[0] if modules else None
        self._static = executable if executable in runtimes else None
        self._ranges = sorted(
            (start, end, Code.RUNTIME if module in runtimes else Code.SYSTEM)
            for module in modules
            if module is not executable and (module in runtimes or _is_system(module.name))
            for start, end in module.ranges
        )
        self._starts = [start for start, _, _ in self._ranges]

    @property
    def foreign(self) -> Optional[list[tuple[int, int]]]:
        """The ranges of code that is not the user's, None where ranges do not tell: a
        runtime is linked into the program."""
        return [(a, b) for a, b, _ in self._ranges] if self._static is None else None

    def code_at(self, pc: int) -> Code:
        """Return whose code is at PC."""
        position = bisect.bisect_right(self._starts, pc) - 1
        if position >= 0 and pc < self._ranges[position][1]:
            return self._ranges[position][2]
        return Code.RUNTIME if self._static is not None and self._is_static(pc) else Code.USER

    def is_user(self, pc: int) -> bool:
        """Tell whether PC is in the user's code."""
        return self.code_at(pc) is Code.USER

    def _is_static(self, pc: int) -> bool:
        module = self._static.module if self._static is not None else None
        inside = module is not None and pc >= module.bias
        symbol = module.elf.function_at(pc - module.bias) if module and inside else None
        return symbol is not None and STATIC_RUNTIME.search(symbol.name) is not None


def _is_system(name: str) -> bool:
    return SYSTEM_LIBRARIES.match(os.path.basename(name)) is not None
