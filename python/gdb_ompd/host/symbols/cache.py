# SPDX-License-Identifier: Apache-2.0
"""Where files are kept: the user's cache, by build-id, and a folder of this debugger's own.

Several debuggers may write the same entry at a time, and the folder may be missing, read-only or
full. An entry appears whole or not at all. A sound one stays, since another debugger may have
opened it. What is kept there decides where breakpoints go, so a folder that others can change is
not used (``objection``).
"""

from __future__ import annotations

import atexit
import os
from contextlib import contextmanager, suppress
from typing import Callable, Iterator, Optional

from ... import _native

SYMBOLS, RUNTIMES = TOPICS = ("symbols", "runtimes")
# Another debugger that writes the same entry may be ahead, each time that it is tried.
MAX_TRIES = 8
# Why the last entry could not be written.
_refusal: list[str] = []
# The folder of this debugger's own, once there is one.
_private: list[str] = []


def folder(topic: str) -> Optional[str]:
    """Return the folder for one kind of entry, below $XDG_CACHE_HOME or ~/.cache.

    None where neither is known: the user may have no home. It need not exist.
    """
    base = _base()
    return os.path.join(base, topic) if base is not None else None


def objection() -> Optional[str]:
    """Return why the cache is not used, None if it is (or if there can be none)."""
    folders = [folder(topic) for topic in TOPICS]
    reasons = (_native.others_hand(each) for each in folders if each is not None)
    return next(filter(None, reasons), _refusal[0] if _refusal else None)


def _base() -> Optional[str]:
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification has such a value ignored
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "gdb-ompd") if os.path.isabs(base) else None


def symbols_place(build_id: str, method: int) -> Optional[str]:
    """Return where the symbols are kept that a METHOD has recovered of the runtime with that
    build-id, None if nowhere. Versions of this extension with other methods do not write there."""
    return _own(folder(SYMBOLS), f"{build_id}.{method}.debug")


def runtime_place(build_id: str, name: str) -> Optional[str]:
    """Return where the copy of another machine's runtime is kept."""
    return _own(folder(RUNTIMES), build_id, os.path.basename(name))


def _own(place: Optional[str], *names: str) -> Optional[str]:
    """Return an entry's place, None if there is one that others can change."""
    if place is None or _native.others_hand(os.path.join(place, *names)) is not None:
        return None
    return os.path.join(place, *names)


@contextmanager
def written(place: str, is_sound: Callable[[str], bool]) -> Iterator[str]:
    """Give a name to write to; the file becomes PLACE when the block is left without error,
    unless one that IS_SOUND has come there meanwhile.

    Raises OSError where the folder cannot be made or written to.
    """
    import shutil  # not where the cache has what is asked for: they load much
    import tempfile

    try:
        _make_folders(os.path.dirname(place))
        work = tempfile.mkdtemp(prefix="writing-", dir=os.path.dirname(place))
        try:
            name = os.path.join(work, os.path.basename(place))
            yield name
            _put(name, place, os.path.join(work, "replaced"), is_sound)
        finally:
            with suppress(OSError):
                shutil.rmtree(work)
    except OSError as error:
        _refusal[:] = [f"it cannot be written ({error.strerror or error})"]
        raise
    _refusal.clear()


def _put(name: str, place: str, removed: str, is_sound: Callable[[str], bool]) -> None:
    """Make the file NAME the one at PLACE too, without replacing one that IS_SOUND. Others are
    moved to REMOVED first, so that what is moved can be looked at once more."""
    for count in range(MAX_TRIES):
        try:
            os.link(name, place)
            return
        except FileExistsError:
            if is_sound(place):  # another debugger may be about to use it
                return
            with suppress(FileNotFoundError):
                moved = f"{removed}-{count}"
                os.rename(place, moved)
                name = moved if is_sound(moved) else name
        except OSError:  # a file system without links
            if not is_sound(place):
                os.rename(name, place)
            return


def private_place(name: str) -> str:
    """Return a place for a file of that name in a folder that goes with this debugger.

    Raises OSError where no temporary folder can be made.
    """
    import tempfile

    if not _private or not os.path.isdir(_private[0]):
        _private[:] = [tempfile.mkdtemp(prefix="gdb-ompd-")]
        # After SIGTERM the first Python code to run in gdb is interrupted: this is none.
        atexit.register(_native.remove_folder, _private[0])
    return os.path.join(tempfile.mkdtemp(dir=_private[0]), os.path.basename(name))


def _make_folders(folder: str) -> None:
    """Make FOLDER and what is missing above it, each for the user alone: os.makedirs
    gives its mode to the last only."""
    if not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)
