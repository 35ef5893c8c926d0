# SPDX-License-Identifier: Apache-2.0
"""What is known of the files that one inferior has mapped, and of their code.

It holds from stop to stop, until files come or go. This inferior must be the
selected one while any of it is asked.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Callable, Collection, Iterator, Optional, Sequence

import gdb

from ... import _native
from ..._native import NativeThread
from ...errors import NoProcess, NoRuntime, OmpdToolError
from ..found_frames import find_frames
from ..modules import MappedModule, can_be_mapped, is_misread, kernels_code, read_modules
from ..parameters import value
from ..runtimes.detect import Detected, detect
from ..runtimes.library import Instance
from ..runtimes.provider import Provider
from ..selection import connection_type, threads_of
from ..target import GdbTarget, REMOTE

# A start of the program asks for the runtimes alone, and does not wait for the rest.
if TYPE_CHECKING:
    from .stack_reader import StackReader
    from .stacks import GdbStacks
    from ..source import SourceMap

# How many bytes are read at a time. Of a process of this machine they are read from the kernel, of
# which a listing takes 5 % less than by pages, as records are few to a page. Of a core GDB reads
# them.
LINES = {"native": 1024, **dict.fromkeys(REMOTE, 256)}
PAGE = 4096


class InferiorFiles:
    """The mapped files of one inferior, each thing read when first asked for."""

    def __init__(
        self,
        inferior: gdb.Inferior,
        target: GdbTarget,
        attach: Callable[[MappedModule], Optional[str]],
    ) -> None:
        """ATTACH gives GDB the symbols of a stripped runtime, and returns their file."""
        self._inferior = inferior
        self._target = target
        self._attach = attach
        target.identify = self._identified
        self._instances: dict[str, Instance] = {}  # kept from run to run
        self._forget()

    def _forget(self) -> None:
        self._sources: Optional[SourceMap] = None
        self._space: Optional[_native.AddressSpace] = None
        self._modules: Optional[list[MappedModule]] = None
        self._detected: Optional[Detected] = None
        self._code: Optional[_native.CodeMap] = None
        self._waits: Optional[_native.WaitReader] = None
        self._unwinder: Optional[_native.Unwinder] = None
        self._stacks: Optional[StackReader] = None

    def end_stop(self) -> None:
        """Drop what was read of the inferior's memory."""
        for provider in self.known().providers:
            provider.runtime.end_stop()
        self.read_code_anew()

    def read_code_anew(self) -> None:
        """Drop what was read of memory for code and stacks."""
        if self._waits is not None:
            self._waits.end_stop()
        if self._space is not None:
            self._space.drop_cache()

    def forget(self) -> None:
        """Drop what was read of the files: some came or went."""
        self.end_stop()
        self._forget()
        self._target.forget_files()

    def space(self) -> _native.AddressSpace:
        """Return the address space that everything but libompd reads through."""
        if self._space is None:
            self._space = self._new_space()
        return self._space

    def _new_space(self) -> _native.AddressSpace:
        return _native.AddressSpace(
            self._target,
            machine=self._target.machine(),
            byte_order=self._target.byte_order(),
            type_sizes=self._target.type_sizes(),
            cache_line=LINES.get(connection_type(self._inferior) or "", PAGE),
        )

    # Which files are mapped

    def modules(self) -> list[MappedModule]:
        """Return the mapped files; NoProcess if there is no process."""
        if not threads_of(self._inferior):
            raise NoProcess()
        self._check_byte_order()
        if self._modules is None:
            self._modules = self._read_modules()
        return self._modules

    def _check_byte_order(self) -> None:
        """Raise NoRuntime where the user has GDB read a program's numbers by another byte order
        than this machine's, which its OMPD library has."""
        chosen = gdb.parameter("endian")  # "" before it is set: GDB 10
        if chosen not in ("", "auto", sys.byteorder):
            self._space = None  # which has that order, too
            raise NoRuntime(
                f"GDB reads the program's numbers as {chosen}-endian ones, by 'set endian {chosen}':"
                " 'set endian auto' first"
            )

    def _identified(self, threads: list[NativeThread]) -> list[NativeThread]:
        """Return THREADS with what the C library says of those that GDB does not know."""
        try:
            pointers = self._target.storage_register
            return _native.identified(self.space(), self.readable(), threads, pointers)
        except OmpdToolError:
            return threads  # it is said where the files are asked for

    def readable(self) -> list[_native.Module]:
        """Return those of them that can be read."""
        return [mapped.module for mapped in self.modules() if mapped.module is not None]

    def at(self, address: int) -> Optional[MappedModule]:
        """Return the file that is mapped at ADDRESS, None where none is that can be read."""
        return next((mapped for mapped in self.modules() if mapped.holds(address)), None)

    def _read_modules(self) -> list[MappedModule]:
        modules = read_modules(self._target, self.space(), {})
        symbols: dict[str, str] = {}
        for mapped in modules[1:]:
            if mapped.module is not None and _native.is_stripped_runtime(mapped.module.elf):
                file = self._attach(mapped)
                if file is not None:
                    symbols[mapped.module.elf.path] = file
        return read_modules(self._target, self.space(), symbols) if symbols else modules

    def misread(self) -> list[str]:
        """Return the names of the files of which GDB has read others, which have replaced them."""
        return [mapped.name for mapped in self.modules() if mapped.is_misread]

    def notes(self) -> list[str]:
        """Return what is to be said of files that GDB has not read."""
        whys = [mapped.why_nameless for mapped in self.modules()]
        return [f"{why}." for why in whys if why is not None]

    def is_mapping_known(self) -> bool:
        """Tell whether the list of what is mapped can be found: not before the
        dynamic linker's symbols are read."""
        return self._target.link_map() is not None

    def can_be_mapped(self, names: Collection[str], path: str) -> bool:
        """Tell whether the file at PATH can be what is mapped under one of NAMES.

        For a moment of the program's start: nothing that is read is kept.
        """
        with self._passing() as space:
            return can_be_mapped(self._target, space, names, _native.Elf(path))

    def is_misread(self, names: Collection[str], build_id: str) -> bool:
        """Tell whether the file that GDB has read for one of NAMES, with BUILD_ID, is not the one
        that is mapped. For a moment of the program's start, too."""
        with self._passing() as space:
            return is_misread(self._target, space, names, build_id)

    @contextmanager
    def _passing(self) -> Iterator[_native.AddressSpace]:
        """Give an address space of which nothing that is read is kept."""
        space = self.space()
        try:
            yield space
        finally:
            space.drop_cache()

    # The OpenMP runtimes among them

    def detected(self) -> Detected:
        """Return the OpenMP runtimes that are mapped, each with its provider."""
        if self._detected is None:
            library, corrections = value("library") or "", bool(value("corrections"))
            self._detected = detect(
                self._target, self.space(), self.modules(), self._instance, library, corrections
            )
        return self._detected

    def provider_at(self, pc: int) -> Optional[Provider]:
        """Return the provider of the runtime whose code is at PC, None for other code."""
        providers = self.detected().providers
        return next((each for each in providers if each.mapped.holds(pc)), None)

    def known(self) -> Detected:
        """Return the same as far as it has been asked for before."""
        return self._detected or Detected((), ())

    def _instance(self, runtime: MappedModule) -> Instance:
        """Return the runtime's own libompd and contexts."""
        machine, sizes = self._target.machine(), self._target.type_sizes()
        path = runtime.module.elf.path if runtime.module is not None else None
        key = f"{path} {machine} {sizes}"
        if key not in self._instances:
            self._instances[key] = Instance(self._new_space())
        return self._instances[key]

    # What reads their code

    @property
    def sources(self) -> SourceMap:
        """What is known of source files."""
        if self._sources is None:
            from ..source import SourceMap

            executable = next((mapped.name for mapped in self.modules()), "")
            around, giver = self._function_around, self._only_giver
            self._sources = SourceMap(around, giver, executable, self.misread())
        return self._sources

    def _function_around(self, pc: int) -> Optional[_native.FunctionAround]:
        # Before the begin of memory is what has "called" in a damaged stack.
        return self.wait_reader().at(pc).function if pc >= 0 else None

    def _only_giver(self, function: int) -> Optional[int]:
        return self.wait_reader().at(function).only_giver

    def code_map(self) -> _native.CodeMap:
        """Return whose code is where in the process."""
        if self._code is None:
            modules = self.modules()
            executable = modules[0].module if modules else None
            kernels = kernels_code(self._target, self.space())
            self._code = _native.CodeMap(self.readable(), executable, self._runtimes(), kernels)
        return self._code

    def readable_code(self) -> list[tuple[int, int]]:
        """Return where the mapped files are that could be read."""
        readable = (mapped for mapped in self.modules() if mapped.why is None)
        return [part for mapped in readable for part in mapped.ranges]

    def wait_reader(self) -> _native.WaitReader:
        """Return what reads calls, waits and held locks from code and stacks."""
        if self._waits is None:
            known, runtimes = self.readable(), self._runtimes()
            self._waits = _native.WaitReader(self.space(), known, self.code_map(), runtimes)
        return self._waits

    def unwinder(self) -> Optional[_native.Unwinder]:
        """Return what unwinds by the files' tables; None where it cannot."""
        if self._unwinder is None:
            self._unwinder = self.new_unwinder()
            unread = [m for m in self.modules() if m.is_misread or m.is_unread]
            ranges = [part for mapped in unread for part in mapped.ranges]
            find_frames(self._inferior, self._unwinder, ranges)
        return self._unwinder

    def new_unwinder(self) -> Optional[_native.Unwinder]:
        """Return another one, which has learned of no frame that is to be passed over."""
        foreign = self.code_map().foreign
        if foreign is None or self._target.machine() != "x86-64":
            return None
        has_all = all(mapped.module is not None for mapped in self.modules())
        return _native.Unwinder(self.space(), self.readable(), foreign, has_all)

    def new_stacks(
        self, listed: Optional[Callable[[], Sequence[NativeThread]]] = None
    ) -> GdbStacks:
        """Return what reads stacks at one stop. LISTED returns the inferior's threads; without it
        GDB is asked for them."""
        from .stacks import GdbStacks

        return GdbStacks(
            self._inferior,
            self._target,
            self.sources,
            self.wait_reader(),
            self.code_map(),
            self.unwinder(),
            listed or self._target.threads,
        )

    def stack_reader(self) -> StackReader:
        """Return what reads whole stacks."""
        if self._stacks is None:
            from .stack_reader import StackReader

            self.unwinder()  # GDB's frames are those that it finds
            self._stacks = StackReader(self.code_map(), self.sources, self.wait_reader())
        return self._stacks

    def _runtimes(self) -> list[_native.Module]:
        runtimes = (provider.mapped.module for provider in self.detected().providers)
        known = [module for module in runtimes if module is not None]
        return [*known, *_native.offloading_libraries(self.readable())]
