# SPDX-License-Identifier: Apache-2.0
"""Runtimes that cannot be read, so that the user is told which and why."""

from __future__ import annotations

from typing import NoReturn, Optional, Sequence, Union

from ..errors import NoRuntime
from ..model import ControlVariable, Icv, Membership, RuntimeStatus, TaskKind
from ..host.modules import MappedModule
from ..host.protocols import NativeThread
from .base import DebugFields, Place, TaskView, View, WaitingViews

LIBGOMP_PROBLEM = (
    "GCC's libgomp has no OMPD library: build the program with clang, or link it"
    " with LLVM's libomp (-lomp), which takes GCC's calls too"
)


class LibgompProvider:
    """GCC's runtime: recognised, not served."""

    def __init__(self, runtime: MappedModule) -> None:
        self._runtime = runtime

    @property
    def runtime(self) -> MappedModule:
        """The runtime as it is mapped."""
        return self._runtime

    @property
    def file(self) -> str:
        """The runtime's file."""
        return self.runtime.path or self.runtime.name

    def status(self) -> RuntimeStatus:
        """Say what it is and that it is not served."""
        module = self.runtime.module
        return RuntimeStatus(
            file=self.file,
            kind="GNU libgomp",
            build_id=module.elf.build_id if module else None,
            problem=LIBGOMP_PROBLEM,
        )

    def _refuse(self) -> NoReturn:
        raise NoRuntime(f"{self.file}: {LIBGOMP_PROBLEM}")

    def view(self, natives: Sequence[NativeThread]) -> View:
        """Raise NoRuntime."""
        self._refuse()

    def tasks(self, gdb_nums: Sequence[int]) -> list[TaskView]:
        """Raise NoRuntime."""
        self._refuse()

    def implicit_tasks(self, region: int) -> list[TaskView]:
        """Raise NoRuntime."""
        self._refuse()

    def icvs(self, gdb_nums: Sequence[int], regions: Sequence[int]) -> list[Icv]:
        """Raise NoRuntime."""
        self._refuse()

    def control_variables(self) -> list[ControlVariable]:
        """Raise NoRuntime."""
        self._refuse()

    def waiting_tasks(self, debug_fields: DebugFields) -> WaitingViews:
        """Raise NoRuntime."""
        self._refuse()

    def place(self, thread: NativeThread) -> Optional[Place]:
        """Raise NoRuntime."""
        self._refuse()

    def knows(self, thread: NativeThread) -> bool:
        """Raise NoRuntime."""
        self._refuse()

    def membership_of(self, thread: NativeThread, level: int) -> Optional[Membership]:
        """Raise NoRuntime."""
        self._refuse()

    def task_kind_of(self, thread: NativeThread) -> Optional[TaskKind]:
        """Raise NoRuntime."""
        self._refuse()

    def state_of(self, thread: NativeThread) -> Optional[str]:
        """Raise NoRuntime."""
        self._refuse()

    def icv_of(self, thread: NativeThread, name: str) -> Union[int, str, None]:
        """Raise NoRuntime."""
        self._refuse()

    def end_stop(self) -> None:
        """There is nothing to drop."""
