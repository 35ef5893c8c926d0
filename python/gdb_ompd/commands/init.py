# SPDX-License-Identifier: Apache-2.0
"""``ompd init``."""

from __future__ import annotations

from typing import Iterable

from ..registry import session_of
from .base import Arguments, OmpdCommand


class InitCommand(OmpdCommand):
    """Check that the OpenMP program can be read; there is no need to.

    Usage: ompd init

    The extension starts by itself.  This is kept for scripts that were written
    for LLVM's plugin: it fails with the reason where nothing can be read."""

    name = "ompd init"

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Ask once, and say who answers."""
        session = session_of()
        session.threads(locations=False)
        for runtime in session.status():
            if runtime.problem is None:
                yield f"OMPD library {runtime.ompd_library} serves {runtime.file}."
