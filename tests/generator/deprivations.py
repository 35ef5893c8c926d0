# SPDX-License-Identifier: Apache-2.0
"""What generated programs are built, run and examined without, or have beside them."""

from __future__ import annotations

from dataclasses import dataclass

# Facts that need names, lines or variables of the program's: where it has none, they are not
# known, and nothing that is said of them may be wrong.
NAMES = frozenset({"construct's function", "lock's name", "waits for which"})
LINES = frozenset({"construct's line", "construct's file", "file", "line", "place"})


@dataclass(frozen=True)
class Deprivation:
    """One of them. Each field is what differs from a program that has all."""

    name: str
    gdb: tuple[str, ...] = ()  # commands before gdb loads the program
    language: str = ""  # that the commands are asked in
    debug: str = "-g"  # the compiler's option
    stripped: bool = False
    sources: str = ""  # "gone" or "newer"
    # What begins the program in a library: options for host.c, None if it has a main() itself.
    host: tuple[str, ...] | None = None
    forks: bool = False
    beside: str = ""  # the runtime in the process besides: "copy" of its own, or the "other"
    preloaded: bool = False
    untold: bool = False  # its threads work in a library without unwind information
    separate: bool = False  # its debug information is in a file of its own
    sampled: bool = False  # "ompd sample" brings it to its stops
    life: str = ""  # how it is started, if not as its number says: "container", "attach"
    removed: bool = False  # the file of its runtime is, while it runs
    loses: frozenset[str] = frozenset()

    @property
    def outside(self) -> bool:
        """Whether a core does not tell all: the file of its runtime, or its own numbers."""
        return self.removed or self.life == "container"


ALL = [
    Deprivation("without libc6-dbg", gdb=("set debug-file-directory /nonexistent",)),
    Deprivation("without libthread_db", gdb=("set libthread-db-search-path /nonexistent",)),
    Deprivation("in Fortran", language="fortran"),
    Deprivation("in Ada", language="ada"),
    Deprivation("in Modula-2", language="modula-2"),
    Deprivation("in Rust", language="rust"),
    Deprivation("stripped", stripped=True, loses=NAMES | LINES),
    Deprivation("lines only", debug="-g1"),
    Deprivation("sources gone", sources="gone"),
    Deprivation("sources newer", sources="newer"),
    Deprivation("in a stripped library", stripped=True, host=(), loses=NAMES | LINES),
    Deprivation("forked before", host=("-DFORKS_BEFORE",), forks=True),
    Deprivation("forked within", host=("-DFORKS_WITHIN",), forks=True),
    Deprivation("beside a copy of the runtime", host=(), beside="copy"),
    Deprivation("beside another runtime", host=(), beside="other"),
    Deprivation("under an interceptor", preloaded=True),
    Deprivation("beside code without unwind information", untold=True),
    Deprivation("debug file of its own", separate=True),
    Deprivation("by ompd sample", sampled=True, life="attach"),
    Deprivation("in a container", life="container"),
    Deprivation("in a container, stripped", stripped=True, life="container", loses=NAMES | LINES),
    Deprivation("runtime removed", life="attach", removed=True),
]
NOTHING = Deprivation("")
BY_NAME = {each.name: each for each in [*ALL, NOTHING]}


def of(seed: int) -> Deprivation:
    """Return that of the program of a number. There are 23 with NOTHING, a prime: all ways to
    build and to run meet all of them."""
    return [NOTHING, *ALL][seed % (len(ALL) + 1)]
