# SPDX-License-Identifier: Apache-2.0
"""What is known of the files that one inferior has mapped, and of their code.

It holds from stop to stop, until files come or go. This inferior must be the
selected one while any of it is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Collection, Optional, Union

import gdb

from .. import _native
from ..control import attach
from ..errors import NoProcess
from ..host.modules import MappedModule, can_be_mapped, read_modules
from .noted_memory import NotedMemory
from ..host.parameters import corrections, ompd_library
from ..providers.detect import Detected, detect, is_stripped
from ..providers.ompd.instance import Instance
from ..host.target import GdbTarget

# A start of the program asks for the runtimes alone, and does not wait for the rest.
if TYPE_CHECKING:
    from ..code.code_map import CodeMap
    from .held_locks import HeldLocks
    from .seen_threads import SeenThreads
    from .shared_looks import SharedLooks
    from ..host.source import SourceMap
    from ..stacks.reader import StackReader
    from ..code.user_code import UserCode
    from .waiting import WaitReader

PAGE = 4096
REMOTE_LINE = 256


class InferiorFiles:
    """The mapped files of one inferior, each thing read when first asked for."""

    def __init__(self, inferior: gdb.Inferior, target: GdbTarget) -> None:
        self._inferior = inferior
        self._target = target
        self._instances: dict[str, Instance] = {}  # kept from run to run
        self._forget()

    def _forget(self) -> None:
        self._sources: Optional[SourceMap] = None
        self._memory = NotedMemory(self._target)
        self._space: Optional[_native.AddressSpace] = None
        self._modules: Optional[list[MappedModule]] = None
        self._detected: Optional[Detected] = None
        self._code: Optional[CodeMap] = None
        self._user_code: Optional[UserCode] = None
        self._waits: Optional[WaitReader] = None
        self._held: Optional[HeldLocks] = None
        self._looks: Optional[SharedLooks] = None
        self._seen_threads: Optional[SeenThreads] = None
        self._stacks: Optional[StackReader] = None

    def end_stop(self, keep: bool = True) -> None:
        """Drop what was read of the inferior's memory. KEEP says whether the next stop may
        use it where memory is found to be as it was."""
        for provider in self.known().providers:
            provider.end_stop(keep)
        for reader in (self._waits, self._held, self._looks):
            if reader is not None:
                reader.end_stop()
        if self._user_code is not None:
            self._user_code.functions.end_stop()
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
            self._space = self._new_space(self._memory)
        return self._space

    def _new_space(self, memory: Union[GdbTarget, NotedMemory]) -> _native.AddressSpace:
        return _native.AddressSpace(
            memory,
            machine=self._target.machine(),
            byte_order=self._target.byte_order(),
            type_sizes=self._target.type_sizes(),
            cache_line=REMOTE_LINE if self._target.is_remote() else PAGE,
        )

    # Which files are mapped

    def modules(self) -> list[MappedModule]:
        """Return the mapped files; NoProcess if there is no process."""
        if not self._inferior.threads():
            raise NoProcess()
        if self._modules is None:
            self._modules = self._read_modules()
        return self._modules

    def _read_modules(self) -> list[MappedModule]:
        modules = read_modules(self._target, self.space())
        stripped = [m for m in modules[1:] if m.module is not None and is_stripped(m.module.elf)]
        if any([attach.mapped(module) for module in stripped]):
            modules = read_modules(self._target, self.space())
        return modules

    def is_mapping_known(self) -> bool:
        """Tell whether the list of what is mapped can be found: not before the
        dynamic linker's symbols are read."""
        return self._target.link_map() is not None

    def can_be_mapped(self, names: Collection[str], path: str) -> bool:
        """Tell whether the file at PATH can be what is mapped under one of NAMES.

        For a moment of the program's start: nothing that is read is kept.
        """
        space = self.space()
        try:
            return can_be_mapped(self._target, space, names, _native.Elf(path))
        finally:
            space.drop_cache()

    # The OpenMP runtimes among them

    def detected(self) -> Detected:
        """Return the OpenMP runtimes that are mapped, each with its provider."""
        if self._detected is None:
            self._detected = detect(
                self._target, self.modules(), self._instance, ompd_library, corrections()
            )
        return self._detected

    def known(self) -> Detected:
        """Return the same as far as it has been asked for before."""
        return self._detected or Detected((), ())

    def _instance(self, runtime: MappedModule) -> Instance:
        """Return the runtime's own libompd and contexts."""
        machine, sizes = self._target.machine(), self._target.type_sizes()
        key = f"{runtime.path} {machine} {sizes}"
        if key not in self._instances:
            self._instances[key] = Instance(self._new_space(self._target))
        return self._instances[key]

    # What reads their code

    @property
    def sources(self) -> SourceMap:
        """What is known of source files."""
        if self._sources is None:
            from ..host.source import SourceMap

            self._sources = SourceMap()
        return self._sources

    def code_map(self) -> CodeMap:
        """Return whose code is where in the process."""
        if self._code is None:
            from ..code.code_map import CodeMap

            self._code = CodeMap(self.modules(), self._runtimes())
        return self._code

    def waits(self) -> WaitReader:
        """Return what reads the waits of single threads."""
        if self._waits is None:
            from .waiting import WaitReader

            self._waits = WaitReader(self._code_reader())
        return self._waits

    def held_locks(self) -> HeldLocks:
        """Return what reads the locks that a thread is inside of."""
        if self._held is None:
            from .held_locks import HeldLocks

            self._held = HeldLocks(self._code_reader())
        return self._held

    def looks(self) -> SharedLooks:
        """Return what threads at the same place share."""
        if self._looks is None:
            from .shared_looks import SharedLooks

            self._looks = SharedLooks(
                self._target, self._memory, self.space(), self.modules(), self.code_map()
            )
        return self._looks

    def seen_threads(self) -> SeenThreads:
        """Return what completes threads by what their stacks show."""
        if self._seen_threads is None:
            from .seen_threads import SeenThreads

            self._seen_threads = SeenThreads()
        return self._seen_threads

    def stack_reader(self) -> StackReader:
        """Return what reads whole stacks."""
        if self._stacks is None:
            from ..stacks.reader import StackReader

            waits = self.waits()
            self._stacks = StackReader(
                self.code_map(),
                self.sources,
                waits.called,
                waits.entry_point_at,
                waits.has_microtask,
            )
        return self._stacks

    def _code_reader(self) -> UserCode:
        if self._user_code is None:
            from ..code.user_code import UserCode

            self._user_code = UserCode(
                self.space(),
                self._target.machine(),
                self.code_map(),
                self.modules(),
                self._runtimes(),
            )
        return self._user_code

    def _runtimes(self) -> list[MappedModule]:
        return [provider.runtime for provider in self.detected().providers]
