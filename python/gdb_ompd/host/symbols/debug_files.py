# SPDX-License-Identifier: Apache-2.0
"""Debug files with the recovered symbols of stripped runtimes: found or made, described
by a note in them, exported.

The note is JSON in the section ".gdb_ompd". Its checksum is that of the whole file,
taken with zeros in the checksum's own place: a file that was damaged anywhere is not
a sound one.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from typing import NamedTuple, Optional

from ... import _native
from ...errors import NoSymbols, NotFound, UsageError
from .. import files
from . import cache
from .releases import release_of

FORMAT = 1
METHOD = 4  # raised whenever the recovery finds more, or differently
UNSEALED = "0" * 64  # a SHA-256 in hex
MAX_SIZE = 1 << 26  # a debug file of ours has some 20 KiB
# What identifies a file: its path, the time of its last change (ns), its size.
_Stamp = tuple[str, int, int]


class Note(NamedTuple):
    """Whose symbols a debug file has, and what tells whether they are right.

    BUILD_ID is None for a runtime that has none, PROFILE the label of the known
    layout, None if the runtime's is not known.
    """

    build_id: Optional[str]
    architecture: str
    profile: Optional[str]
    constants: dict[str, int]  # what ompd_init() stores, by name

    @property
    def layout_verified(self) -> bool:
        """Tell whether the layout is a known one."""
        return self.profile is not None


def of_recovery(recovery: _native.Recovery, build_id: Optional[str]) -> Note:
    """Return the note for a runtime that was not refused."""
    constants = dict(recovery.constants)
    return Note(build_id, recovery.architecture, _label(constants), constants)


def encoded(note: Note) -> bytes:
    """Return the contents of the section, not yet with its checksum."""
    document = {
        "format": FORMAT,
        "method": METHOD,
        "build_id": note.build_id,
        "architecture": note.architecture,
        "profile": note.profile,
        "constants": note.constants,
        "checksum": UNSEALED,
    }
    return json.dumps(document).encode("ascii")


def seal(path: str) -> None:
    """Put the checksum into a file that was written with an encoded note."""
    with open(path, "r+b") as file:
        contents = file.read()
        file.seek(contents.rindex(UNSEALED.encode("ascii")))
        file.write(hashlib.sha256(contents).hexdigest().encode("ascii"))


def note_of_file(path: str) -> Optional[Note]:
    """Return the note of a sound debug file.

    None for a file that cannot be read, is damaged, is none of ours, or was
    made by another version's method.
    """
    try:
        contents = _native.read_debug_note(path)
        document = json.loads(contents) if contents is not None else None
        if not _is_sound(path, document):
            return None
        constants = {str(name): int(value) for name, value in document["constants"].items()}
        return Note(document["build_id"], document["architecture"], _label(constants), constants)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_sound(path: str, document: object) -> bool:
    if not isinstance(document, dict):
        return False
    if (document["format"], document["method"]) != (FORMAT, METHOD):
        return False
    checksum = str(document["checksum"])
    if len(checksum) != len(UNSEALED):
        return False
    contents = files.read(path, MAX_SIZE).replace(
        checksum.encode("ascii"), UNSEALED.encode("ascii")
    )
    return hashlib.sha256(contents).hexdigest() == checksum


def _label(constants: dict[str, int]) -> Optional[str]:
    """Return the known layout's label by the values: what this version knows counts, not what
    the one that wrote the file did."""
    release = release_of(constants)
    return release.label if release is not None else None


class Recovered(NamedTuple):
    """Either PATH, the debug file, or the REASONS why there is none."""

    path: Optional[str]
    reasons: tuple[str, ...] = ()


# What is asked again at every start of the program, and takes 0.1 s to answer.
_outcomes: dict[_Stamp, Recovered] = {}


def debug_file(runtime: str, use_cache: bool) -> Recovered:
    """Return the debug file for RUNTIME's file, which need not be sound.

    Without USE_CACHE, or where the cache cannot be written, it lies in a folder
    that goes when this process ends.
    """
    try:
        stamp = _stamp(runtime)
        build_id = _native.Elf(runtime).build_id
    except (OSError, ValueError) as error:
        return Recovered(None, (str(error),))
    place = cache.symbols_place(build_id, METHOD) if use_cache and build_id else None
    if place is not None and _is_of(place, build_id):
        return Recovered(place)
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
    contents = encoded(of_recovery(recovery, build_id))
    _native.write_debug_file(runtime, recovery.symbols, contents, out)
    seal(out)


def _recovered(runtime: str, build_id: Optional[str], place: Optional[str]) -> Recovered:
    try:
        recovery = _native.recover(runtime)
        if recovery.reasons:
            return Recovered(None, tuple(recovery.reasons))
        if place is not None:
            try:
                with cache.written(place, lambda path: _is_of(path, build_id)) as out:
                    write(recovery, runtime, build_id, out)
                return Recovered(place)
            except OSError:
                pass  # read-only or full: what follows needs no cache
        out = cache.private_place(f"{build_id or os.path.basename(runtime)}.debug")
        write(recovery, runtime, build_id, out)
        return Recovered(out)
    except (OSError, ValueError) as error:
        return Recovered(None, (str(error),))


def _is_of(path: str, build_id: Optional[str]) -> bool:
    """Tell whether PATH is a sound debug file for that build."""
    found = note_of_file(path)
    return found is not None and found.build_id == build_id


def _stamp(path: str) -> _Stamp:
    status = os.stat(path)
    return path, status.st_mtime_ns, status.st_size


def export(elf: _native.Elf, out: str) -> Note:
    """Write the recovered symbols of a runtime to OUT, and return what is known of them.

    An existing file is never replaced. NotFound for a runtime whose symbols are
    real, NoSymbols for one that was refused, UsageError for an OUT that cannot be.
    """
    found = note_of_file(elf.debug_path) if elf.debug_path is not None else None
    if found is None or elf.debug_path is None:
        raise _nothing_recovered(elf)
    try:
        _write_new(out, files.read(elf.debug_path, MAX_SIZE))
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
    reasons = refusal(elf.path)
    if reasons:
        return NoSymbols(f"the symbols of {elf.path} cannot be recovered: {'; '.join(reasons)}")
    if elf.symbols_from == "debuginfo":
        return NotFound(f"{elf.path} has real symbols, nothing is recovered: see {elf.debug_path}")
    return NotFound(
        f"{elf.path} has real symbols, nothing is recovered:"
        f" 'objcopy --only-keep-debug {elf.path} FILE' takes them out"
    )
