# SPDX-License-Identifier: Apache-2.0
"""``ompd export-symbols``."""

from __future__ import annotations

import os
from typing import Iterable, Optional, Sequence, Union

import gdb

from ..errors import UsageError
from .base import Arguments, OmpdCommand


class ExportSymbolsCommand(OmpdCommand):
    """Write the symbols that were recovered from a stripped OpenMP runtime to a file.

    Usage: ompd export-symbols FILE [RUNTIME]

    FILE becomes a small separate debug file of the runtime: it has the runtime's
    build id and sections, a symbol table, and no code.  Other debuggers and
    tools can load it, GDB with "add-symbol-file FILE -o ADDRESS", where ADDRESS
    is where the runtime is loaded.  A file that exists is not replaced.

    RUNTIME, part of a file name, says which where several runtimes are loaded.
    With this extension GDB needs no such file: "ompd status" shows whether it
    has recovered the symbols.  Do not install FILE where debuggers look for
    debug information: it would hide the real one."""

    name = "ompd export-symbols"
    is_question = False
    takes_words = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Write the file."""
        from ..control import attach
        from ..host.symbols import debug_files

        if not 1 <= len(arguments.words) <= 2:
            raise UsageError(f"Requires the name of the file to write. {self._see_help()}")
        out = os.path.expanduser(arguments.words[0])
        elf = attach.runtime(arguments.words[1] if len(arguments.words) == 2 else "")
        found = debug_files.export(elf, out)
        said = f"profile {found.profile}" if found.profile else "unverified layout"
        return [f"Recovered symbols of {elf.path} ({said}) written to {out}."]

    def complete(self, text: str, word: Optional[str]) -> Union[Sequence[str], int]:
        """Complete names of files."""
        return int(gdb.COMPLETE_FILENAME)
