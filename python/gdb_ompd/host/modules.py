# SPDX-License-Identifier: Apache-2.0
"""What is mapped into a process: GDB says which file each entry of the dynamic linker's list is."""

from __future__ import annotations

from typing import Collection, NamedTuple, Optional, TYPE_CHECKING

from .. import _native
from ..errors import Inconsistent
from .files import is_shortage
from .protocols import READ_ERRORS, MappedFile

if TYPE_CHECKING:
    from .target import GdbTarget


class MappedModule(NamedTuple):
    """One mapped file. MODULE is None when the file cannot be read here. WHY says that, or
    that it has nothing to be known by."""

    name: str
    path: Optional[str]
    bias: int
    module: Optional[_native.Module]
    why: Optional[str] = None

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Return the address ranges [start, end) of the file's segments."""
        if self.module is None:
            return []
        return [
            (self.bias + address, self.bias + address + size)
            for address, size, _ in self.module.elf.segments
        ]

    def holds(self, address: int) -> bool:
        """Tell whether ADDRESS is in one of them."""
        return any(start <= address < end for start, end in self.ranges)


def read_modules(target: GdbTarget, space: _native.AddressSpace) -> list[MappedModule]:
    """List what is mapped, executable first, then libraries in load order."""
    try:
        entries = _link_map(target, space)
    except READ_ERRORS as error:
        if target.link_map() is not None:
            raise Inconsistent(f"the list of loaded libraries cannot be read: {error}") from error
        entries = []  # a core may lack the memory that DT_DEBUG leads to
    if not entries:
        return _only_executable(target)
    listed: list[tuple[int, int, MappedFile]] = []
    for position, (entry, bias, name) in enumerate(entries):
        executable = target.executable() if position == 0 else None
        if executable is None and "/" not in name:
            continue  # the vDSO, or an executable the debugger has no file of
        listed.append((entry, bias, executable or target.local_file(name)))
    opened = [_open_elf(file) for *_, file in listed]
    rows = [(at, bias, file.name, elf) for (at, bias, file), (elf, _) in zip(listed, opened)]
    modules = _native.mapped_modules(space, rows)
    return [
        MappedModule(file.name, file.path, bias, module, why or _doubt(module))
        for (_, bias, file), (_, why), module in zip(listed, opened, modules)
    ]


def _doubt(module: Optional[_native.Module]) -> Optional[str]:
    if module is None:
        return "the file differs from the one that is mapped (build-id)"
    return None if module.elf.symbols_from else "it has no symbols"


def can_be_mapped(
    target: GdbTarget, space: _native.AddressSpace, names: Collection[str], elf: _native.Elf
) -> bool:
    """Tell whether ELF can be the file that is mapped under one of NAMES.

    No only where the build-id in memory is another one.
    """
    try:
        found = [bias for _, bias, name in _link_map(target, space) if name in names]
    except (Inconsistent, *READ_ERRORS):
        return True  # too early in the program's start, or damaged
    return all(_native.can_be_mapped(space, elf, bias) for bias in found)


def _link_map(target: GdbTarget, space: _native.AddressSpace) -> list[tuple[int, int, str]]:
    """Return the address, load bias and name of each entry. Empty in a static program."""
    r_debug = target.link_map() or _told_to_debuggers(target, space)
    return _native.link_map(space, r_debug) if r_debug else []


def _told_to_debuggers(target: GdbTarget, space: _native.AddressSpace) -> Optional[int]:
    """Return where the dynamic linker's list is by the executable's DT_DEBUG (<elf.h>): GDB
    may have no symbols of the linker, as with a sysroot that lacks it, "auto-solib-add off"
    or another osabi. None in a static program, and before the linker has run."""
    file = target.executable()
    elf = _open_elf(file)[0] if file is not None else None
    start = elf.symbol("_start") if elf is not None else None
    bias = target.executable_bias(start.value) if start is not None else None
    if elf is None or bias is None:
        return None
    return _native.told_to_debuggers(space, elf, bias)


def _only_executable(target: GdbTarget) -> list[MappedModule]:
    """A static program, or one whose dynamic linker has not run yet."""
    file = target.executable()
    if file is None:
        return []
    elf, why = _open_elf(file)
    if elf is None:
        return [MappedModule(file.name, file.path, 0, None, why)]
    start = elf.symbol("_start")
    bias = target.executable_bias(start.value) if start is not None else 0
    if bias is None:
        return [MappedModule(file.name, file.path, 0, None, "it is not in memory yet")]
    return [MappedModule(file.name, file.path, bias, _native.Module(elf, bias, file.name))]


def _open_elf(file: MappedFile) -> tuple[Optional[_native.Elf], Optional[str]]:
    if file.path is None:
        return None, (
            "its file is not on this machine, or elsewhere ('set solib-search-path', 'set sysroot')"
        )
    try:
        return _native.Elf(file.path, file.debug_path), None
    except (OSError, ValueError) as error:
        if is_shortage(error):
            raise
        return None, _reason(error, file.path)


def _reason(error: Exception, path: str) -> str:
    """Return what ERROR says, without the PATH that is named before."""
    if isinstance(error, OSError) and error.filename == path and error.strerror:
        return error.strerror
    return str(error).removeprefix(f"{path}: ")
