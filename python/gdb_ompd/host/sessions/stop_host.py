# SPDX-License-Identifier: Apache-2.0
"""What native code asks of GDB at one stop of an inferior: see StopHost in the native module."""

from __future__ import annotations

from typing import Optional

import gdb

from ... import _native
from ...errors import OmpdToolError
from ..environment import is_forked
from ..mappings import FileMappings
from ..moments import one_command
from ..runtimes.detect import why_unreadable
from ..runtimes.provider import Provider
from ..target import GdbTarget
from .files import InferiorFiles
from .stacks import GdbStacks


class GdbStopHost:
    """The runtimes, stacks and files of one inferior at one stop."""

    def __init__(self, inferior: gdb.Inferior, target: GdbTarget, files: InferiorFiles) -> None:
        self._inferior = inferior
        self._target = target
        self._files = files
        self._is_own = FileMappings().is_own
        self._stacks: Optional[GdbStacks] = None
        self._failed_in: Optional[int] = None  # the number of the command
        self.natives = target.threads()
        self.providers: list[Provider] = []  # of the runtimes that were read, in their order
        self.told: list[str] = []  # what is to be said of all runtimes

    def is_to_be_asked_again(self) -> bool:
        """Tell whether no runtime could be read by the command before: what the user has done since
        may have changed that. One command asks once, for it may ask of every thread."""
        return self._failed_in is not None and self._failed_in != one_command.number

    def add_runtimes(self, runtimes: _native.AllRuntimes) -> Optional[OmpdToolError]:
        """Add each one that can be read to RUNTIMES; return why none can."""
        try:
            self._add(runtimes)
        except OmpdToolError as error:
            self._failed_in = one_command.number
            return error
        return None

    def _add(self, runtimes: _native.AllRuntimes) -> None:
        detected = self._files.detected()
        self.providers, self.told = [], []
        errors: dict[str, OmpdToolError] = {}
        for provider in detected.providers:
            try:
                self.told += provider.read_into(runtimes)
                self.providers.append(provider)
            except OmpdToolError as error:
                errors[provider.file] = error
        if not self.providers:
            raise next(iter(errors.values()), None) or detected.why_none()
        unread = {name: str(error) for name, error in errors.items()}
        unread.update((each.name, why_unreadable(each)) for each in detected.unreadable_runtimes)
        if unread:
            self.told += [f"Not shown: {why}" for why in unread.values()]
            runtimes.doubt(f"no thread of the runtime that is read; {next(iter(unread))} is not")
        if len(self.providers) > 1:
            stacks = self.gdb_stacks()
            with stacks.frames.kept_selection():
                runtimes.decide(stacks.native)

    def gdb_stacks(self) -> GdbStacks:
        """Return what reads single threads' stacks."""
        if self._stacks is None:
            natives = self.natives
            self._stacks = self._files.new_stacks(lambda: natives)
        return self._stacks

    def stacks(self) -> _native.Stacks:
        """Return the same as native code has it."""
        return self.gdb_stacks().native

    def unreadable_stacks(self) -> dict[int, str]:
        """Return why threads' stacks could not be read, of those that were asked for."""
        return {} if self._stacks is None else self._stacks.frames.unreadable

    def readable_code(self) -> Optional[list[tuple[int, int]]]:
        """Return where the files are that could be read, None where all runtimes could."""
        is_all_known = (
            self._target.has_executable() and not self._files.detected().unreadable_runtimes
        )
        return None if is_all_known else self._files.readable_code()

    def is_forked(self) -> Optional[bool]:
        """Tell whether the process began by fork() and has executed no program since."""
        return is_forked(self._inferior)

    def is_own_memory(self, address: int) -> bool:
        """Tell whether no other process can use the memory at ADDRESS."""
        return self._is_own(address)
