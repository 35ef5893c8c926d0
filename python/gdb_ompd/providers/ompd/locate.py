# SPDX-License-Identifier: Apache-2.0
"""Where the OMPD library for a mapped runtime is.

The runtime's own word (``ompd_dll_locations``) is not followed: its first entry
is a bare name that loads whatever comes first on the debugger's path, and it is
memory of the program, which must not choose what the debugger loads.
"""

from __future__ import annotations

import glob
import os
from typing import Optional

from ... import _native
from ...errors import NoOmpdLibrary

NAME = "libompd.so"
SYSTEM_PLACES = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
)


def candidates(runtime: Optional[str]) -> list[str]:
    """List the OMPD libraries there are, best first, for the runtime's file.

    The one beside the runtime comes first, unless loading it would load an
    OpenMP runtime into the debugger as well (LLVM 15 to 17): then the others
    come before. One library can serve other versions, since every offset comes
    from the program.
    """
    found: list[str] = []
    for place in _places(runtime):
        for path in sorted(glob.glob(os.path.join(place, NAME)), key=_version_key, reverse=True):
            real = os.path.realpath(path)
            if real not in found:
                found.append(real)
    return sorted(found, key=_needs_runtime)


def locate(runtime: Optional[str], setting: str) -> list[str]:
    """Return the libraries to try; NoOmpdLibrary says where was searched."""
    if setting:
        if not os.path.isfile(setting):
            raise NoOmpdLibrary(
                f"no OMPD library at {setting}: mend it with 'set ompd library PATH'"
            )
        return [setting]
    found = candidates(runtime)
    if not found:
        places = ", ".join(_places(runtime))
        raise NoOmpdLibrary(
            f"no {NAME} found (searched {places}): install the runtime's OMPD library"
            " (Debian: libomp-VERSION-dev) or 'set ompd library PATH'"
        )
    return found


def _places(runtime: Optional[str]) -> list[str]:
    beside = [os.path.dirname(os.path.realpath(runtime))] if runtime else []
    return beside + list(SYSTEM_PLACES)


def _version_key(path: str) -> list[int]:
    return [int("".join(filter(str.isdigit, part)) or 0) for part in path.split("/")]


def _needs_runtime(path: str) -> bool:
    try:
        return any(name.startswith("libomp.so") for name in _native.Elf(path).needed)
    except (OSError, ValueError):
        return True
