# SPDX-License-Identifier: Apache-2.0
"""What is mapped into a process: its ELF files, their load bias and their TLS.

Read from the dynamic linker's own list in the target's memory, so that it is
the same live, in a core file and through gdbserver. Thread-local storage is
found by the descriptors that glibc exports for debuggers (``_thread_db_*``),
never by fixed offsets.
"""

from __future__ import annotations

import os
from typing import Collection, Iterator, NamedTuple, Optional, TYPE_CHECKING

from .. import _native
from ..errors import Inconsistent
from .files import is_shortage
from .protocols import READ_ERRORS, MappedFile

if TYPE_CHECKING:
    from .target import GdbTarget

# A process maps tens of libraries; a longer list is damaged memory.
MAX_MODULES = 4096
MAX_NAMESPACES = 64  # glibc has 16
MAX_DYNAMIC = 1024  # a dynamic section has some 30 entries
DT_DEBUG = 21


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


def read_modules(target: GdbTarget, space: _native.AddressSpace) -> list[MappedModule]:
    """List what is mapped, executable first, then libraries in load order."""
    try:
        entries = list(_link_map(target, space))
    except READ_ERRORS as error:
        if target.link_map() is not None:
            raise Inconsistent(f"the list of loaded libraries cannot be read: {error}") from error
        entries = []  # a core may lack the memory that DT_DEBUG leads to
    if not entries:
        return _only_executable(target)
    files: list[tuple[_Entry, MappedFile]] = []
    for position, entry in enumerate(entries):
        executable = target.executable() if position == 0 else None
        if executable is None and "/" not in entry.name:
            continue  # the vDSO, or an executable the debugger has no file of
        files.append((entry, executable or target.local_file(entry.name)))
    elves = [_open_elf(file) for _, file in files]
    tls = _tls_descriptors(space, files, elves)
    return [_mapped(space, entry, file, elf, tls) for (entry, file), elf in zip(files, elves)]


def can_be_mapped(
    target: GdbTarget, space: _native.AddressSpace, names: Collection[str], elf: _native.Elf
) -> bool:
    """Tell whether ELF can be the file that is mapped under one of NAMES.

    No only where the build-id in memory is another one.
    """
    try:
        found = [entry.bias for entry in _link_map(target, space) if entry.name in names]
    except (Inconsistent, *READ_ERRORS):
        return True  # too early in the program's start, or damaged
    return all(_same_build(space, elf, bias) for bias in found)


class _Entry(NamedTuple):
    address: int
    bias: int
    name: str


def _link_map(target: GdbTarget, space: _native.AddressSpace) -> Iterator[_Entry]:
    """Walk ``r_debug.r_map`` (<link.h>): l_addr, l_name, l_ld, l_next; all namespaces."""
    r_debug = target.link_map() or _told_to_debuggers(target, space)
    word = target.type_sizes()[5]
    for _ in range(MAX_NAMESPACES):
        if not r_debug:
            return
        yield from _namespace(space, space.read_pointer(r_debug + word), word)
        # Version 2 goes on: "struct r_debug_extended", one for each dlmopen namespace.
        extended = space.read_uint(r_debug, 4) >= 2
        r_debug = space.read_pointer(r_debug + 5 * word) if extended else None


def _told_to_debuggers(target: GdbTarget, space: _native.AddressSpace) -> Optional[int]:
    """Return where the dynamic linker's list is by the executable's DT_DEBUG (<elf.h>): GDB
    may have no symbols of the linker, as with a sysroot that lacks it, "auto-solib-add off"
    or another osabi. None in a static program, and before the linker has run."""
    file = target.executable()
    elf = _open_elf(file)[0] if file is not None else None
    start = elf.symbol("_start") if elf is not None else None
    if elf is None or elf.dynamic_address is None or start is None:
        return None
    bias = target.executable_bias("_start", start.value)
    if bias is None:
        return None
    at, word = bias + elf.dynamic_address, elf.pointer_size
    try:
        for entry in range(at, at + 2 * word * MAX_DYNAMIC, 2 * word):
            tag = space.read_uint(entry, word)
            if tag == DT_DEBUG:
                return space.read_pointer(entry + word) or None
            if tag == 0:
                break
    except READ_ERRORS:
        pass
    return None


def _namespace(space: _native.AddressSpace, entry: int, word: int) -> Iterator[_Entry]:
    seen: set[int] = set()
    for _ in range(MAX_MODULES):
        if entry == 0:
            return
        if entry in seen:
            raise Inconsistent("the list of loaded libraries has no end: memory is damaged")
        seen.add(entry)
        name = space.read_string(space.read_pointer(entry + word)) or b""
        yield _Entry(entry, space.read_pointer(entry), os.fsdecode(name))
        entry = space.read_pointer(entry + 3 * word)


def _only_executable(target: GdbTarget) -> list[MappedModule]:
    """A static program, or one whose dynamic linker has not run yet."""
    file = target.executable()
    if file is None:
        return []
    elf, why = _open_elf(file)
    if elf is None:
        return [MappedModule(file.name, file.path, 0, None, why)]
    start = elf.symbol("_start")
    bias = target.executable_bias("_start", start.value) if start is not None else 0
    if bias is None:
        return [MappedModule(file.name, file.path, 0, None, "it is not in memory yet")]
    return [MappedModule(file.name, file.path, bias, _native.Module(elf, bias, file.name))]


def _open_elf(file: MappedFile) -> tuple[Optional[_native.Elf], Optional[str]]:
    if file.path is None:
        return None, "its file is not on this machine"
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


def _mapped(
    space: _native.AddressSpace,
    entry: _Entry,
    file: MappedFile,
    opened: tuple[Optional[_native.Elf], Optional[str]],
    tls: Optional["_TlsDescriptors"],
) -> MappedModule:
    elf, why = opened
    if elf is None:
        return MappedModule(file.name, file.path, entry.bias, None, why)
    if not _same_build(space, elf, entry.bias):
        why = "the file differs from the one that is mapped (build-id)"
        return MappedModule(file.name, file.path, entry.bias, None, why)
    module_id, offset = tls.of(space, entry.address) if tls and elf.tls_size else (0, None)
    module = _native.Module(elf, entry.bias, file.name, module_id, offset)
    why = None if elf.symbols_from else "it has no symbols"
    return MappedModule(file.name, file.path, entry.bias, module, why)


def _same_build(space: _native.AddressSpace, elf: _native.Elf, bias: int) -> bool:
    """Compare the file's build-id with the one in memory, where both have one."""
    if elf.build_id is None or elf.build_id_location is None:
        return True
    address, size = elf.build_id_location
    try:
        return space.read(bias + address, size).hex() == elf.build_id
    except READ_ERRORS:
        return True  # a core may leave out pages that are in the file


class _TlsDescriptors(NamedTuple):
    """Where glibc keeps a module's TLS id and offset in its link map entry."""

    modid: tuple[int, int]  # offset, size in bytes
    offset: Optional[tuple[int, int]]

    def of(self, space: _native.AddressSpace, entry: int) -> tuple[int, Optional[int]]:
        module_id = space.read_uint(entry + self.modid[0], self.modid[1])
        if self.offset is None:
            return module_id, None
        offset = space.read_uint(entry + self.offset[0], self.offset[1])
        # glibc marks "not static" by 0 and "never to be static" by -1; what else is
        # negative is damaged, and the thread's own table tells.
        is_static = 0 < offset < 1 << (8 * self.offset[1] - 1)
        return module_id, offset if is_static else None


def _tls_descriptors(
    space: _native.AddressSpace,
    files: list[tuple[_Entry, MappedFile]],
    elves: list[tuple[Optional[_native.Elf], Optional[str]]],
) -> Optional[_TlsDescriptors]:
    for (entry, _), (elf, _) in zip(files, elves):
        if elf is None or not elf.exports("_thread_db_link_map_l_tls_modid"):
            continue
        modid = _descriptor(space, elf, entry.bias, "_thread_db_link_map_l_tls_modid")
        offset = _descriptor(space, elf, entry.bias, "_thread_db_link_map_l_tls_offset")
        return _TlsDescriptors(modid, offset) if modid else None
    return None


def _descriptor(
    space: _native.AddressSpace, elf: _native.Elf, bias: int, name: str
) -> Optional[tuple[int, int]]:
    """Read a thread_db descriptor: three u32, the field's bits, count and offset."""
    symbol = elf.symbol(name)
    if symbol is None:
        return None
    at = bias + symbol.value
    try:
        offset, size = space.read_uint(at + 8, 4), space.read_uint(at, 4) // 8
    except READ_ERRORS:  # a core has no constants, and GDB does not find the file
        return None
    if size not in (1, 2, 4, 8):
        raise Inconsistent(f"the C library's {name} is of {size} bytes: memory is damaged")
    return offset, size
