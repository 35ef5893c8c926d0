# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, in words for the user.

Each message is one line: what is the matter, then what to do. A command turns
these, and only these, into ``gdb.GdbError``; anything else is a bug and keeps
its traceback.
"""

from __future__ import annotations


class OmpdToolError(Exception):
    """Base of every error a user can cause or cure.

    Its message is one line of printable characters: what is named in it may come
    from the program's memory, which can hold anything.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class ThreadRuns(OmpdToolError):
    """The thread is not stopped, in GDB's non-stop mode or while the program runs."""

    def __init__(self, gdb_num: int) -> None:
        super().__init__(f"GDB thread {gdb_num} is running: 'interrupt' stops it")


class NoProcess(OmpdToolError):
    """There is neither a process nor a core file."""

    def __init__(self) -> None:
        super().__init__("no process: start one with 'run', attach, or load a core file")


class NoRuntime(OmpdToolError):
    """No OpenMP runtime that we can read is mapped."""


class NotInitialized(OmpdToolError):
    """The runtime is mapped but has not started, or has shut down."""


class NoSymbols(OmpdToolError):
    """The runtime's OMPD symbols cannot be had."""


class NoOmpdLibrary(OmpdToolError):
    """No OMPD library was found, or none could be loaded."""


class LibraryFailed(OmpdToolError):
    """The OMPD library crashed, did not return in time or broke what it was lent."""


class Inconsistent(OmpdToolError):
    """What the program's memory says cannot be true; nothing is guessed."""


class NotFound(OmpdToolError):
    """What the user named is not there."""


class BadFile(OmpdToolError):
    """A file that the user named cannot be read, or is none of ours."""


class UsageError(OmpdToolError):
    """A command was given words that it does not take."""


def printable(text: str) -> str:
    """Return TEXT with what a terminal would act on, or cannot show, escaped; a byte that
    was no character (os.fsdecode) as that byte."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) & 0xFF:02x}"
    return char.encode("unicode_escape").decode("ascii")
