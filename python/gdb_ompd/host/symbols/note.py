# SPDX-License-Identifier: Apache-2.0
"""What is written into a debug file beside the recovered symbols, and its checksum.

The note is JSON in the section ".gdb_ompd". Its checksum is that of the whole
file, taken with zeros in the checksum's own place: a file that was damaged
anywhere is not a sound one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Optional

from ... import _native
from . import profiles

FORMAT = 1
METHOD = 1  # raised whenever the recovery finds more, or differently
UNSEALED = "0" * 64  # a SHA-256 in hex
# Architectures on which recovered symbols were also checked against running programs.
CHECKED_LIVE = ("x86-64",)


@dataclass(frozen=True, slots=True)
class Note:
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
        """Tell whether the layout is a known one, on a machine where that was tried."""
        return self.profile is not None and self.architecture in CHECKED_LIVE


def of_recovery(recovery: _native.Recovery, build_id: Optional[str]) -> Note:
    """Return the note for a runtime that was not refused."""
    profile = profiles.matching(recovery.constants)
    label = profile.label if profile is not None else None
    return Note(build_id, recovery.architecture, label, dict(recovery.constants))


def encode(note: Note) -> bytes:
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


def read(path: str) -> Optional[Note]:
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
        return Note(document["build_id"], document["architecture"], _profile(constants), constants)
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
    with open(path, "rb") as file:
        contents = file.read().replace(checksum.encode("ascii"), UNSEALED.encode("ascii"))
    return hashlib.sha256(contents).hexdigest() == checksum


def _profile(constants: dict[str, int]) -> Optional[str]:
    """Return the label by the values: what this version knows counts, not what
    the one that wrote the file did."""
    profile = profiles.matching(constants)
    return profile.label if profile is not None else None
