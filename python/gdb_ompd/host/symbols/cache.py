# SPDX-License-Identifier: Apache-2.0
"""The user's cache of recovered symbols, by build-id.

Several debuggers may write the same entry at a time, and the folder may be
missing, read-only or full: an entry appears whole or not at all. What is kept
there decides where breakpoints go, so a folder that others can change is not
used (``objection``).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from typing import Iterator, Optional

from ..trust import others_hand

SYMBOLS, RUNTIMES = TOPICS = ("symbols", "runtimes")


def folder(topic: str) -> Optional[str]:
    """Return the folder for one kind of entry, below $XDG_CACHE_HOME or ~/.cache.

    None where neither is known: the user may have no home. It need not exist.
    """
    base = _base()
    return os.path.join(base, topic) if base is not None else None


def objection() -> Optional[str]:
    """Return why the cache is not used, None if it is (or if there can be none)."""
    folders = [folder(topic) for topic in TOPICS]
    return next(filter(None, (others_hand(each) for each in folders if each is not None)), None)


def _base() -> Optional[str]:
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification has such a value ignored
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "gdb-ompd") if os.path.isabs(base) else None


def symbols_place(build_id: str) -> Optional[str]:
    """Return where the symbols of the runtime with that build-id are kept, None if nowhere."""
    return _own(folder(SYMBOLS), f"{build_id}.debug")


def runtime_place(build_id: str, name: str) -> Optional[str]:
    """Return where the copy of another machine's runtime is kept."""
    return _own(folder(RUNTIMES), build_id, os.path.basename(name))


def _own(place: Optional[str], *names: str) -> Optional[str]:
    """Return an entry's place, None if there is one that others can change."""
    if place is None or others_hand(os.path.join(place, *names)) is not None:
        return None
    return os.path.join(place, *names)


@contextmanager
def written(place: str) -> Iterator[str]:
    """Give a name to write to; it becomes PLACE when the block is left without error.

    Raises OSError where the folder cannot be made or written to.
    """
    _make_folders(os.path.dirname(place))
    work = tempfile.mkdtemp(prefix="writing-", dir=os.path.dirname(place))
    try:
        name = os.path.join(work, os.path.basename(place))
        yield name
        os.replace(name, place)
    finally:
        with suppress(OSError):
            shutil.rmtree(work)


def _make_folders(folder: str) -> None:
    """Make FOLDER and what is missing above it, each for the user alone: os.makedirs
    gives its mode to the last only."""
    if not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)
