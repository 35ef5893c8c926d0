# SPDX-License-Identifier: Apache-2.0
"""What is known of symbols that were recovered from the runtime's code."""

from __future__ import annotations

from typing import Optional

from ... import _native
from ...errors import Inconsistent, NoSymbols
from ...recovery import note
from .layout import Layout

# One of those that OMPD needs stands for all: they come from one source.
STANDS_FOR_ALL = "ompd_state"


def source_of_symbols(elf: _native.Elf) -> Optional[str]:
    """Return "symtab", "debuginfo" or "recovered"; None if OMPD's symbols are nowhere."""
    try:
        symbol = elf.symbol(STANDS_FOR_ALL)
    except ValueError:
        return None  # damaged, or replaced since the program started
    return symbol.source if symbol is not None else None


def note_of(elf: _native.Elf) -> Optional[note.Note]:
    """Return what was written down at the recovery; None for symbols that are real.

    NoSymbols for a file that is damaged, or was made by another version.
    """
    if source_of_symbols(elf) != "recovered":
        return None
    found = note.read(elf.debug_path) if elf.debug_path is not None else None
    if found is None or found.build_id != elf.build_id:
        raise NoSymbols(
            f"the recovered symbols in {elf.debug_path} are damaged, or were made by another"
            " version of gdb-ompd: remove that file"
        )
    return found


def check_constants(layout: Layout, found: note.Note, runtime: str) -> None:
    """Raise Inconsistent if the program holds other constants than the code stores."""
    for name, stored in found.constants.items():
        if layout.values.get(name) != stored:
            raise Inconsistent(
                f"the runtime in memory is not the file {runtime}: {name} is"
                f" {layout.values.get(name)} in the program and {stored} in the file's code;"
                " use the file that the program was started with"
            )
