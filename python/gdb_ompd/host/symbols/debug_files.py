# SPDX-License-Identifier: Apache-2.0
"""A debug file with recovered symbols for a stripped runtime: found, or made."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Optional

from ... import _native
from . import cache, note, private

# What identifies a file: its path, the time of its last change (ns), its size.
_Stamp = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Either PATH, the debug file, or the REASONS why there is none."""

    path: Optional[str]
    reasons: tuple[str, ...] = ()


# What is asked again at every start of the program, and takes 0.1 s to answer.
_outcomes: dict[_Stamp, Outcome] = {}


def debug_file(runtime: str, use_cache: bool) -> Outcome:
    """Return the debug file for RUNTIME's file, which need not be sound.

    Without USE_CACHE, or where the cache cannot be written, it lies in a folder
    that goes when this process ends.
    """
    try:
        stamp = _stamp(runtime)
        build_id = _native.Elf(runtime).build_id
    except (OSError, ValueError) as error:
        return Outcome(None, (str(error),))
    place = cache.symbols_place(build_id) if use_cache and build_id else None
    if place is not None and _is_of(place, build_id):
        return Outcome(place)
    remembered = _outcomes.get(stamp)
    if remembered is not None and (remembered.path is None or _is_of(remembered.path, build_id)):
        return remembered
    outcome = _recovered(runtime, build_id, place)
    _outcomes[stamp] = outcome
    return outcome


def refusal(runtime: Optional[str]) -> tuple[str, ...]:
    """Return why RUNTIME's file was refused; nothing if it was not, or not asked about."""
    try:
        outcome = _outcomes.get(_stamp(runtime)) if runtime is not None else None
    except OSError:
        return ()
    return outcome.reasons if outcome is not None else ()


def write(recovery: _native.Recovery, runtime: str, build_id: Optional[str], out: str) -> None:
    """Write the debug file of RUNTIME to OUT. Raises OSError or ValueError."""
    contents = note.encode(note.of_recovery(recovery, build_id))
    _native.write_debug_file(runtime, recovery.symbols, contents, out)
    note.seal(out)


def _recovered(runtime: str, build_id: Optional[str], place: Optional[str]) -> Outcome:
    try:
        recovery = _native.recover(runtime)
        if recovery.reasons:
            return Outcome(None, tuple(recovery.reasons))
        if place is not None:
            try:
                with cache.written(place) as out:
                    write(recovery, runtime, build_id, out)
                return Outcome(place)
            except OSError:
                pass  # read-only or full: what follows needs no cache
        out = private.place(f"{build_id or os.path.basename(runtime)}.debug")
        write(recovery, runtime, build_id, out)
        return Outcome(out)
    except (OSError, ValueError) as error:
        return Outcome(None, (str(error),))


def _is_of(path: str, build_id: Optional[str]) -> bool:
    """Tell whether PATH is a sound debug file for that build."""
    found = note.read(path)
    return found is not None and found.build_id == build_id


def _stamp(path: str) -> _Stamp:
    status = os.stat(path)
    return path, status.st_mtime_ns, status.st_size
