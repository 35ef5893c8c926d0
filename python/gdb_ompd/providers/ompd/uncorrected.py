# SPDX-License-Identifier: Apache-2.0
"""LLVM's runtime as its OMPD library alone has it ("set ompd corrections off")."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Optional

from ... import _native
from ..served import ServedProvider
from .provider import OmpdProvider


@dataclass
class UncorrectedProvider(ServedProvider, OmpdProvider):
    """Answers from the library's handles; all else is as in OmpdProvider."""

    _reader: Optional[_native.RuntimeReader] = None
    _reader_of: Optional[_native.Library] = None

    def asking(self) -> AbstractContextManager[None]:
        """Return what is to be around all that asks the library."""
        return self.instance.guarded()

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime. Raises what OmpdProvider.stop does."""
        layout, library = self._checked_layout(), self.load_library()
        if self._reader is None or self._reader_of is not library:
            self._reader = _native.OmpdReader(library, self.instance.context(layout))
            self._reader_of = library
        return self._reader

    def end_stop(self, keep: bool = True) -> None:
        """Give back the handles of this stop and forget what was read."""
        if self._reader is not None:
            self._reader.end_stop()
        super().end_stop(keep)
