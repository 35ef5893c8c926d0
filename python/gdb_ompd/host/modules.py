# SPDX-License-Identifier: Apache-2.0
"""What is mapped into a process: GDB says which file each entry of the dynamic linker's list is,
and memory whether that is so. Where it is not, the kernel may have the file that is mapped."""

from __future__ import annotations

from typing import Collection, Iterator, Mapping, NamedTuple, Optional, TYPE_CHECKING

from .. import _native
from ..errors import Inconsistent
from . import program_file
from .files import is_shortage
from .protocols import READ_ERRORS, MappedFile

if TYPE_CHECKING:
    from .target import GdbTarget


class MappedModule(NamedTuple):
    """One mapped file. MODULE is None when the file cannot be read here. WHY says that, or
    that it has nothing to be known by."""

    name: str
    path: Optional[str]  # None where there is none of that name, or it is another file
    bias: int
    module: Optional[_native.Module]
    why: Optional[str] = None
    is_misread: bool = False  # GDB has read another file there, whose names are wrong
    is_unread: bool = False  # GDB has no file

    @property
    def file(self) -> str:
        """The file as the user knows it."""
        return self.path or self.name

    @property
    def read_from(self) -> Optional[str]:
        """Where it is read if not there."""
        path = self.module.elf.path if self.module is not None else None
        return path if path != self.path else None

    @property
    def why_nameless(self) -> Optional[str]:
        """Why GDB does not know the names of what is read elsewhere, and what to do; None where it
        does."""
        if self.is_misread:
            return (
                f"GDB has read another {self.name}, which has replaced the one that is mapped: its"
                " names for that code are wrong, and not used"
            )
        if self.is_unread and self.read_from is not None:
            give = f"'add-symbol-file {self.read_from} -o {self.bias:#x}'"
            return (
                f"GDB does not find {self.name}, and has no names for that code: {give} gives them"
            )
        return None

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Return the address ranges [start, end) of the file's segments."""
        if self.module is None:
            return []
        return [
            (self.bias + each.address, self.bias + each.address + each.size)
            for each in self.module.elf.segments
        ]

    def holds(self, address: int) -> bool:
        """Tell whether ADDRESS is in one of them."""
        return any(start <= address < end for start, end in self.ranges)


class _Opened(NamedTuple):
    """The file that is mapped, None where it cannot be had: WHY."""

    elf: Optional[_native.Elf]
    why: Optional[str] = None
    is_misread: bool = False


def read_modules(
    target: GdbTarget, space: _native.AddressSpace, symbols: Mapping[str, str]
) -> list[MappedModule]:
    """List what is mapped, executable first, then libraries in load order. SYMBOLS are debug files
    that GDB does not have, by the file they are for.

    Raises NoRuntime where GDB has another file of the program's, or has not read its libraries.
    """
    try:
        entries = _link_map(target, space)
    except READ_ERRORS as error:
        if target.link_map() is not None:
            raise Inconsistent(f"the list of loaded libraries cannot be read: {error}") from error
        entries = []  # a core may lack the memory that DT_DEBUG leads to
    if not entries:
        return _only_executable(target, space)
    files: list[MappedFile] = []
    listed: list[_native.LinkMapEntry] = []
    read = target.objfiles()
    for position, entry in enumerate(entries):
        executable = target.executable() if position == 0 else None
        if executable is None and "/" not in entry.name:
            continue  # the vDSO, or an executable the debugger has no file of
        files.append(executable or read.library(entry.name))
        listed.append(_native.LinkMapEntry(entry.address, entry.bias, files[-1].name))
    opened = [_opened(target, space, file, at.bias, symbols) for file, at in zip(files, listed)]
    if opened[0].is_misread and target.has_executable():
        raise program_file.why_another(target, space, files[0])
    if target.lacks_libraries([each.name for each in entries[1:] if "/" in each.name]):
        raise program_file.why_unread()
    modules = _native.mapped_modules(space, [(at, one.elf) for at, one in zip(listed, opened)])
    return [
        _mapped(target, file, at.bias, each, module)
        for file, at, each, module in zip(files, listed, opened, modules)
    ]


def _mapped(
    target: GdbTarget,
    file: MappedFile,
    bias: int,
    opened: _Opened,
    module: Optional[_native.Module],
) -> MappedModule:
    is_own = not file.is_copy and (module is None or module.elf.path == file.path)
    why = opened.why
    if module is not None and module.elf.symbols_from is None:
        why = "it has no symbols"
    path = file.path if is_own else None
    is_read = file.is_read or (module is not None and target.has_read(module.elf.path))
    return MappedModule(file.name, path, bias, module, why, opened.is_misread, not is_read)


def _opened(
    target: GdbTarget,
    space: _native.AddressSpace,
    file: MappedFile,
    bias: int,
    symbols: Mapping[str, str],
) -> _Opened:
    """Open what is mapped as FILE: GDB's file, else the one that the kernel has."""
    elf, why = _open_elf(file, symbols)
    if elf is not None and _native.can_be_mapped(space, elf, bias):
        return _Opened(elf)
    of_file, of_program = _native.headers_of_file, program_file.headers_in_memory
    headers = of_file(space, bias) if bias else of_program(space)
    build_id = headers.build_id if headers is not None else None
    is_misread = _is_misread(file, elf, build_id)
    for path in target.process_files(bias, file.name):
        own, _ = _open_elf(MappedFile(file.name, path, None), symbols)
        if own is not None and _native.can_be_mapped(space, own, bias):
            return _Opened(own, None, is_misread)
    if elf is not None:
        why = "the file differs from the one that is mapped (build-id)"
    needed = f": the one with build id {build_id} is needed" if build_id is not None else ""
    return _Opened(None, f"{why}{needed}", is_misread)


def _is_misread(file: MappedFile, elf: Optional[_native.Elf], build_id: Optional[str]) -> bool:
    """Tell whether GDB has read another file than the one with BUILD_ID, which is mapped. ELF, what
    is at its place now, is not it: GDB may have read what was there before."""
    if not file.is_read:
        return False
    known = file.build_id is not None and build_id is not None
    return file.build_id != build_id if known else elf is not None


def can_be_mapped(
    target: GdbTarget, space: _native.AddressSpace, names: Collection[str], elf: _native.Elf
) -> bool:
    """Tell whether ELF can be the file that is mapped under one of NAMES.

    No only where the build-id in memory is another one.
    """
    return all(_native.can_be_mapped(space, elf, at) for at in _biases(target, space, names))


def is_misread(
    target: GdbTarget, space: _native.AddressSpace, names: Collection[str], build_id: str
) -> bool:
    """Tell whether a file with BUILD_ID, which GDB has read, is not the one that is mapped under
    one of NAMES."""
    headers = (_native.headers_of_file(space, bias) for bias in _biases(target, space, names))
    return any(each is not None and each.build_id not in (None, build_id) for each in headers)


def _biases(target: GdbTarget, space: _native.AddressSpace, names: Collection[str]) -> list[int]:
    """Return where files are mapped under one of NAMES, nothing where that is not known."""
    try:
        return [each.bias for each in _link_map(target, space) if each.name in names]
    except (Inconsistent, *READ_ERRORS):
        return []  # too early in the program's start, or damaged


def kernels_code(target: GdbTarget, space: _native.AddressSpace) -> list[tuple[int, int]]:
    """Return where the kernel has mapped code of its own: of the vDSO, which is no file."""
    try:
        entries = _link_map(target, space)
    except (Inconsistent, *READ_ERRORS):
        return []
    biases = [each.bias for each in entries if each.name.startswith("linux-vdso.")]
    headers = (_native.headers_of_file(space, bias) for bias in biases)
    return [part for each in headers if each is not None for part in each.ranges]


def _link_map(target: GdbTarget, space: _native.AddressSpace) -> list[_native.LinkMapEntry]:
    """Return the dynamic linker's list. Empty in a static program."""
    r_debug = target.link_map() or _told_to_debuggers(target, space)
    return _native.link_map(space, r_debug) if r_debug else []


def _told_to_debuggers(target: GdbTarget, space: _native.AddressSpace) -> Optional[int]:
    """Return where the dynamic linker's list is by the executable's DT_DEBUG (<elf.h>): GDB
    may have no symbols of the linker, as with a sysroot that lacks it, "auto-solib-add off"
    or another osabi. None in a static program, and before the linker has run."""
    file = target.executable()
    elf = _open_elf(file, {})[0] if file is not None else None
    bias = _bias(target, space, elf) if elf is not None else None
    if elf is None or bias is None:
        return None
    return _native.told_to_debuggers(space, elf, bias)


def _bias(target: GdbTarget, space: _native.AddressSpace, elf: _native.Elf) -> Optional[int]:
    """Return where the executable is, by its headers in memory or else by GDB; None where neither
    tells."""
    headers = program_file.headers_in_memory(space)
    if headers is not None:
        return headers.bias
    start = elf.symbol("_start")
    return target.executable_bias(start.value) if start is not None else 0


def _only_executable(target: GdbTarget, space: _native.AddressSpace) -> list[MappedModule]:
    """A static program, or one whose dynamic linker has not run yet."""
    file = target.executable()
    if file is None:
        return []
    elf, why = _open_elf(file, {})
    if elf is None:
        return [MappedModule(file.name, file.path, 0, None, why)]
    bias = _bias(target, space, elf)
    if bias is None:
        return [MappedModule(file.name, file.path, 0, None, "it is not in memory yet")]
    opened = _opened(target, space, file, bias, {})
    if opened.is_misread:
        raise program_file.why_another(target, space, file)
    entry = _native.LinkMapEntry(0, bias, file.name)
    (module,) = _native.mapped_modules(space, [(entry, opened.elf)])
    return [_mapped(target, file, bias, opened, module)]


def _open_elf(
    file: MappedFile, symbols: Mapping[str, str]
) -> tuple[Optional[_native.Elf], Optional[str]]:
    if file.path is None:
        return None, (
            "its file is not on this machine, or elsewhere ('set solib-search-path', 'set sysroot')"
        )
    try:
        return _native.Elf(file.path, symbols.get(file.path, file.debug_path)), None
    except (OSError, ValueError) as error:
        if is_shortage(error):
            raise
        return None, _reason(error, file.path)


def _reason(error: Exception, path: str) -> str:
    """Return what ERROR says, without the PATH that is named before."""
    if isinstance(error, OSError) and error.filename == path and error.strerror:
        return error.strerror
    return str(error).removeprefix(f"{path}: ")
