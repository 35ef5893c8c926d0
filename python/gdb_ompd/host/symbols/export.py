# SPDX-License-Identifier: Apache-2.0
"""Giving recovered symbols to others: a copy of the generated debug file."""

from __future__ import annotations

import os
from contextlib import suppress

from ... import _native
from ...errors import NoSymbols, NotFound, UsageError
from . import debug_files, note


def export(elf: _native.Elf, out: str) -> note.Note:
    """Write the recovered symbols of a runtime to OUT, and return what is known of them.

    An existing file is never replaced. NotFound for a runtime whose symbols are
    real, NoSymbols for one that was refused, UsageError for an OUT that cannot be.
    """
    found = note.read(elf.debug_path) if elf.debug_path is not None else None
    if found is None or elf.debug_path is None:
        raise _nothing_recovered(elf)
    try:
        with open(elf.debug_path, "rb") as file:
            contents = file.read()
        _write_new(out, contents)
    except FileExistsError as error:
        raise UsageError(
            f"{out} exists, and is not replaced: remove it, or name another file"
        ) from error
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    return found


def _write_new(out: str, contents: bytes) -> None:
    with open(out, "xb") as file:
        try:
            file.write(contents)
            file.flush()
        except OSError:
            with suppress(OSError):
                os.unlink(out)
            raise


def _nothing_recovered(elf: _native.Elf) -> Exception:
    reasons = debug_files.refusal(elf.path)
    if reasons:
        return NoSymbols(f"the symbols of {elf.path} cannot be recovered: {'; '.join(reasons)}")
    if elf.symbols_from == "debuginfo":
        return NotFound(f"{elf.path} has real symbols, nothing is recovered: see {elf.debug_path}")
    return NotFound(
        f"{elf.path} has real symbols, nothing is recovered:"
        f" 'objcopy --only-keep-debug {elf.path} FILE' takes them out"
    )
