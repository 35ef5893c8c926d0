# SPDX-License-Identifier: Apache-2.0
"""Which OpenMP runtimes a process has mapped, by what they define."""

from __future__ import annotations

from functools import partial
from os.path import basename
from typing import Callable, NamedTuple, Optional, Sequence, TYPE_CHECKING

import gdb

from ... import _native
from ...errors import NoRuntime, OmpdToolError, printable
from .. import children, program_file
from ..modules import MappedModule
from .event_functions import RUNTIME_FILE
from .library import Instance
from .provider import Provider

if TYPE_CHECKING:
    from ..target import GdbTarget


class Detected(NamedTuple):
    """The providers of the mapped runtimes, in load order, and files not readable.

    WHY_NOTHING makes the error that says why none is listed of a program that may have some.
    """

    providers: tuple[Provider, ...]
    unreadable: tuple[MappedModule, ...]
    why_nothing: Optional[Callable[[], OmpdToolError]] = None

    @property
    def unreadable_runtimes(self) -> tuple[MappedModule, ...]:
        """The files not readable that are runtimes, as far as their names tell."""
        return tuple(m for m in self.unreadable if RUNTIME_FILE.match(basename(m.name)))

    def why_none(self) -> OmpdToolError:
        """Return why there is no provider, as far as that is known."""
        if self.why_nothing:
            return self.why_nothing()
        if self.unreadable_runtimes:
            return NoRuntime(why_unreadable(self.unreadable_runtimes[0]))
        if self.unreadable:
            which = self.unreadable[0]
            return NoRuntime(
                f"no OpenMP runtime found, but {which.name} cannot be read: {which.why}"
            )
        return NoRuntime(
            "no OpenMP runtime is mapped: the program is not built with OpenMP,"
            f" or has not loaded its libraries yet{_who_has_one()}"
        )


def _who_has_one() -> str:
    """Say which process has a runtime that the selected one, as a shell does, has begun."""
    found = children.that_map(gdb.selected_inferior(), RUNTIME_FILE)
    if not found:
        return ""
    pid, name = found[0]
    others = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f". Its child, process {pid} ({printable(name)}){others}, has one: 'gdb -p {pid}'"


def why_unreadable(runtime: MappedModule) -> str:
    """Say of a runtime's file why it cannot be read."""
    return f"the OpenMP runtime {runtime.file} cannot be read: {runtime.why}"


def _is_of_musl(modules: Sequence[MappedModule]) -> bool:
    """Tell whether the program's C library is musl, by its file or, in a static program, by what
    only that defines."""
    first = modules[0].module if len(modules) == 1 else None
    is_in_it = first is not None and first.elf.symbol("__init_libc") is not None
    return is_in_it or any(basename(m.name).startswith(("ld-musl-", "libc.musl-")) for m in modules)


def _why_musl() -> OmpdToolError:
    return NoRuntime(
        "the program's C library is musl, of which the OpenMP threads are not known:"
        " programs on glibc are served"
    )


def detect(
    target: GdbTarget,
    space: _native.AddressSpace,
    modules: Sequence[MappedModule],
    instance_of: Callable[[MappedModule], Instance],
    users_library: str,
    corrections: bool,
) -> Detected:
    """Find the runtimes among MODULES and give each a provider. USERS_LIBRARY is the one that the
    user has set, "" for none, CORRECTIONS says whether libraries' known faults are put right."""
    providers: list[Provider] = []
    unreadable = tuple(m for m in modules if m.why is not None)
    if _is_of_musl(modules):
        return Detected((), unreadable, _why_musl)
    known = [m.module for m in modules if m.module is not None]
    tools = _native.intercepting_libraries(known)
    for position, mapped in enumerate(modules):
        elf = mapped.module.elf if mapped.module is not None else None
        family = _native.runtime_family(elf, position == 0) if elf is not None else None
        if family is None or mapped.module in tools:
            continue
        instance = instance_of(mapped)
        instance.set_modules(known, mapped.name)
        providers.append(Provider(family, target, mapped, instance, users_library, corrections))
    # The only file is a program that needs others, or has all in it.
    first = modules[0].module if len(modules) == 1 else None
    why_nothing = None
    if first is not None and first.elf.needed:
        why_nothing = target.no_libraries
    elif first is not None and first.elf.symbols_from is None:
        why_nothing = partial(program_file.why_nameless, first.elf)
    if not target.has_executable():
        why_nothing = partial(program_file.why_none, target, space)
    return Detected(tuple(providers), unreadable, why_nothing)
