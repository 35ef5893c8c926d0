# SPDX-License-Identifier: Apache-2.0
"""Which OpenMP runtimes a process has mapped, by what they define."""

from __future__ import annotations

from os.path import basename
from typing import Callable, NamedTuple, Optional, Sequence, TYPE_CHECKING

from .. import _native
from ..errors import OmpdToolError
from ..host.modules import MappedModule
from .ompd.gnu import LibgompProvider
from .ompd.instance import Instance, LOCATIONS
from .ompd.llvm import LlvmProvider
from .ompd.names import RUNTIME_FILE
from .provider import Provider

if TYPE_CHECKING:
    from ..host.target import GdbTarget

LLVM_ENTRY = "__kmpc_fork_call"
GNU_ENTRY = "GOMP_parallel"
# One of those that OMPD needs stands for all: they are stripped together.
OMPD_SYMBOL = "ompd_state"
# GCC's runtime has no such function: the name is given to places in its code.
GNU_EVENT = "ompd_bp_parallel_begin"


class Detected(NamedTuple):
    """The providers of the mapped runtimes, in load order, and files not readable.

    NO_LIBRARIES makes the error that says why none is listed of a program that has some.
    """

    providers: tuple[Provider, ...]
    unreadable: tuple[MappedModule, ...]
    no_libraries: Optional[Callable[[], OmpdToolError]] = None

    @property
    def unreadable_runtimes(self) -> tuple[MappedModule, ...]:
        """The files not readable that are runtimes, as far as their names tell."""
        return tuple(m for m in self.unreadable if RUNTIME_FILE.match(basename(m.name)))


def detect(
    target: GdbTarget,
    modules: Sequence[MappedModule],
    instance_of: Callable[[MappedModule], Instance],
    users_library: str,
    corrections: bool,
) -> Detected:
    """Find the runtimes among MODULES and give each a provider. USERS_LIBRARY is the one that the
    user has set, "" for none, CORRECTIONS says whether libraries' known faults are put right."""
    providers: list[Provider] = []
    for position, mapped in enumerate(modules):
        entry = _entry(mapped, executable=position == 0)
        if entry is None:
            continue
        instance = instance_of(mapped)
        known = [m.module for m in modules if m.module is not None]
        instance.set_modules(known, mapped.name)
        serve = {LLVM_ENTRY: LlvmProvider, GNU_ENTRY: LibgompProvider}.get(entry, Provider)
        providers.append(serve(target, mapped, instance, users_library, corrections))
    unreadable = tuple(m for m in modules if m.why is not None)
    # The only file is a program that needs others.
    first = modules[0].module if len(modules) == 1 else None
    why_alone = target.no_libraries if first is not None and first.elf.needed else None
    return Detected(tuple(providers), unreadable, why_alone)


def is_stripped(elf: _native.Elf) -> bool:
    """Tell whether a shared library is LLVM's runtime without what OMPD needs, or GCC's
    without names of where its events are."""
    try:
        if elf.exports(LLVM_ENTRY):
            return elf.symbol(OMPD_SYMBOL) is None
        return elf.exports(GNU_ENTRY) and elf.symbol(GNU_EVENT) is None
    except ValueError:
        return False  # damaged, or replaced since it was opened: nothing to go by


def _entry(mapped: MappedModule, executable: bool) -> Optional[str]:
    """Return the symbol by which a file shows that it is a runtime: one that tells whose it
    is, or else the variable that every runtime with an OMPD library has (OpenMP 5.0, 5.2.2).

    A program that only uses a runtime does not define it, and needs its file; one with the
    runtime linked into it defines it, and exports nothing.
    """
    if mapped.module is None:
        return None
    elf = mapped.module.elf
    is_alone = executable and not any("omp" in name for name in elf.needed)
    for entry in (LLVM_ENTRY, LOCATIONS, GNU_ENTRY):
        if elf.exports(entry):
            return entry
        if is_alone and elf.symbol(entry) is not None:
            return entry
    return None
