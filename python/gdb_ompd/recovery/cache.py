# SPDX-License-Identifier: Apache-2.0
"""The user's cache of recovered symbols, by build-id.

Several debuggers may write the same entry at a time, and the folder may be
missing, read-only or full: an entry appears whole or not at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from typing import Iterator, Optional


def folder(topic: str) -> Optional[str]:
    """Return the folder for one kind of entry, below $XDG_CACHE_HOME or ~/.cache.

    None where neither is known: the user may have no home. It need not exist.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification has such a value ignored
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "gdb-ompd", topic) if os.path.isabs(base) else None


def symbols_place(build_id: str) -> Optional[str]:
    """Return where the symbols of the runtime with that build-id are kept."""
    place = folder("symbols")
    return os.path.join(place, f"{build_id}.debug") if place is not None else None


def runtime_place(build_id: str, name: str) -> Optional[str]:
    """Return where the copy of another machine's runtime is kept."""
    place = folder("runtimes")
    return os.path.join(place, build_id, os.path.basename(name)) if place is not None else None


@contextmanager
def written(place: str) -> Iterator[str]:
    """Give a name to write to; it becomes PLACE when the block is left without error.

    Raises OSError where the folder cannot be made or written to.
    """
    os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    work = tempfile.mkdtemp(prefix="writing-", dir=os.path.dirname(place))
    try:
        name = os.path.join(work, os.path.basename(place))
        yield name
        os.replace(name, place)
    finally:
        with suppress(OSError):
            shutil.rmtree(work)
