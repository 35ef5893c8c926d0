# SPDX-License-Identifier: Apache-2.0
"""Where the OMPD library for a mapped runtime is.

The runtime says it by ``ompd_dll_locations`` (OpenMP 5.0, section 5.2.2), a list of
paths and bare names in the program's memory. A bare name is looked for beside the
runtime and in the system's folders, never along the debugger's own path. Whether
what is found may be loaded is not the program's to say (``gdb_ompd.host.trust``).
"""

from __future__ import annotations

import glob
import os
from typing import Iterator, NamedTuple, Optional, Sequence

from ... import _native
from ...errors import NoOmpdLibrary
from ...host.trust import Found, Trust

NAME = "libompd.so"
LOCATIONS = "ompd_dll_locations"
SYSTEM_PLACES = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
)


class Candidates(NamedTuple):
    """The OMPD libraries there are, best first, and of each that must not be loaded a
    line that says why, and what allows it."""

    paths: tuple[str, ...]
    refused: tuple[str, ...]


def candidates(runtime: Optional[str], named: Sequence[str], trust: Trust) -> Candidates:
    """Find the OMPD libraries for the runtime's file, which names NAMED.

    What the runtime names comes first, then what is beside it, then the system's; a
    library that would load an OpenMP runtime into the debugger (LLVM 15 to 17) after
    those that would not. One library can serve other versions, since every offset
    comes from the program.
    """
    found: list[str] = []
    refused: dict[str, str] = {}
    for path, by in _places(runtime, named):
        real = os.path.realpath(path)
        why = trust.objection(path, by)
        if why is not None:
            refused.setdefault(real, _refusal(path, real, why))
        elif real not in found:
            found.append(real)
    lines = tuple(line for real, line in refused.items() if real not in found)
    return Candidates(tuple(sorted(found, key=_needs_runtime)), lines)


def locate(runtime: Optional[str], setting: str, named: Sequence[str], trust: Trust) -> Candidates:
    """Return the libraries to try; NoOmpdLibrary says where was searched, or why what
    was found there must not be loaded."""
    if setting:
        if not os.path.isfile(setting):
            raise NoOmpdLibrary(
                f"no OMPD library at {setting}: mend it with 'set ompd library PATH'"
            )
        # A bare name would be looked for elsewhere.
        return Candidates((os.path.abspath(setting),), ())
    found = candidates(runtime, named, trust)
    if found.paths:
        return found
    if found.refused:
        raise NoOmpdLibrary("; ".join(found.refused))
    places = ", ".join([*_beside(runtime), *SYSTEM_PLACES])
    raise NoOmpdLibrary(
        f"no {NAME} found (searched {places}): install the runtime's OMPD library"
        " (Debian: libomp-VERSION-dev) or 'set ompd library PATH'"
    )


def _refusal(path: str, real: str, why: str) -> str:
    allow = f"'add-auto-load-safe-path {os.path.dirname(real)}' or 'set ompd library {path}'"
    return f"{path} is not loaded, for {why}: {allow} allows it"


def _places(runtime: Optional[str], named: Sequence[str]) -> Iterator[tuple[str, Found]]:
    """Yield each library that there is, and by whose word it is looked for there."""
    names = dict.fromkeys(os.path.basename(name) for name in named) or [NAME]
    bare = [name for name in names if name not in ("", ".", "..")]
    system = [path for place in SYSTEM_PLACES for name in bare for path in _in(place, name)]
    folders = _beside(runtime)
    beside = [path for place in folders for name in bare for path in _in(glob.escape(place), name)]
    systems = {os.path.realpath(path) for path in system}
    for path in [*filter(_is_there, named), *beside, *system]:
        if os.path.realpath(path) in systems:
            yield path, Found.IN_SYSTEM
        elif os.path.dirname(os.path.realpath(path)) in folders or path in beside:
            yield path, Found.BESIDE_RUNTIME
        else:
            yield path, Found.IN_MEMORY


def _is_there(path: str) -> bool:
    return os.path.isabs(path) and os.path.exists(path)


def _in(place: str, name: str) -> list[str]:
    """Return the libraries in a folder, or in those that a pattern stands for."""
    pattern = os.path.join(place, glob.escape(name))
    return sorted(glob.glob(pattern), key=_version_key, reverse=True)


def _beside(runtime: Optional[str]) -> list[str]:
    return [os.path.dirname(os.path.realpath(runtime))] if runtime else []


def _version_key(path: str) -> list[int]:
    return [int("".join(filter(str.isdecimal, part)) or 0) for part in path.split("/")]


def _needs_runtime(path: str) -> bool:
    try:
        return any(name.startswith("libomp.so") for name in _native.Elf(path).needed)
    except (OSError, ValueError):
        return True
