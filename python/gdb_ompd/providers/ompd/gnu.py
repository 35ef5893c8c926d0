# SPDX-License-Identifier: Apache-2.0
"""The provider for GCC's libgomp, which has no OMPD library but the one that is installed
with this package (native/libgompd)."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import ClassVar

from ... import _native
from ...errors import NotInitialized, OmpdToolError
from ...model import RuntimeStatus
from ..facts import UNAVAILABLE
from .conforming import ConformingProvider

LIBRARY = "libgompd.so"
INCOMPATIBLE = 7  # ompd_rc_incompatible


def library(setting: str) -> str:
    """Return the library for libgomp: the user's SETTING may be for another runtime."""
    if os.path.basename(setting).startswith("libgompd"):
        return setting
    return os.path.join(os.path.dirname(_native.__file__), LIBRARY)


@dataclass
class LibgompProvider(ConformingProvider):
    """One mapped libgomp."""

    kind: ClassVar[str] = "GNU libgomp"
    _is_proved: bool = False  # at this stop

    def __post_init__(self) -> None:
        users_setting = self.library_setting
        self.library_setting = lambda: library(users_setting())

    def check_initialized(self) -> None:
        """Nothing that libgomp has tells it: the library does."""

    def reader(self) -> _native.RuntimeReader:
        """Return what reads the runtime. Raises NotInitialized, NoOmpdLibrary or, for a
        libgomp whose layout is not proved, OmpdToolError."""
        reader = super().reader()
        if not self._is_proved:
            try:
                reader.versions()
            except _native.OmpdError as error:
                if error.code == UNAVAILABLE:
                    raise NotInitialized(
                        f"{self.file} is not loaded yet: go on to the program's main"
                    ) from error
                if error.code == INCOMPATIBLE:
                    raise OmpdToolError(
                        f"{self.file} is not served: that its records are those of GCC 9 or later"
                        " on x86-64 cannot be proved on its code"
                    ) from error
                raise
            self._is_proved = True
        return reader

    def status(self) -> RuntimeStatus:
        """Tell what is there and what is missing, and of which versions the layout is."""
        status = super().status()
        if status.problem is not None:
            return status
        with self.asking():
            family = self.reader().versions()[3]
        return replace(status, version=family, layout_verified=True)

    def end_stop(self) -> None:
        """Give back the handles of this stop and forget what was read."""
        self._is_proved = False
        super().end_stop()
