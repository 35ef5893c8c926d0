# SPDX-License-Identifier: Apache-2.0
"""What all commands share: options, completion, errors and output."""

from __future__ import annotations

from typing import Iterable, NamedTuple, Optional, Sequence, Union

import gdb

from ..stop.answering import answering
from ..errors import OmpdToolError, UsageError


AT_ONCE = 50  # lines


class Arguments(NamedTuple):
    """A command line, taken apart: which options were given, and the words."""

    options: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()

    def has(self, option: str) -> bool:
        """Tell whether OPTION was given."""
        return option in self.options


def _write(lines: Iterable[str]) -> None:
    """Write LINES, some at a time: GDB takes as long for one as for many. If making them
    fails, those that were made are written."""
    made: list[str] = []
    try:
        for line in lines:
            made.append(line + "\n")
            if len(made) == AT_ONCE:
                said = "".join(made)
                made.clear()
                gdb.write(said)
    finally:
        if made:
            gdb.write("".join(made))


class OmpdCommand(gdb.Command):
    """Base of the commands; a subclass has a docstring with ``Usage:``."""

    name = ""
    options: tuple[str, ...] = ()
    takes_words = False

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_DATA)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Run the command; a user's mistake becomes one line, a bug keeps its traceback."""
        try:
            with answering():
                _write(self.run(self.parse(argument)))
        except OmpdToolError as error:
            raise gdb.GdbError(str(error)) from error

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Return the lines to write."""
        raise NotImplementedError

    def parse(self, argument: str) -> Arguments:
        """Take a command line apart: options anywhere, ``--`` ends them."""
        given = gdb.string_to_argv(argument) if argument else []
        end = given.index("--") if "--" in given else len(given)
        chosen = {self._option(word) for word in given[:end] if word.startswith("-")}
        words = [word for word in given[:end] if not word.startswith("-")] + given[end + 1 :]
        if words and not self.takes_words:
            raise UsageError(f'Junk at end of command: "{" ".join(words)}". {self._see_help()}')
        return Arguments(frozenset(chosen), tuple(words))

    def _option(self, word: str) -> str:
        """Find the option that WORD names or abbreviates."""
        found = [option for option in self.options if option.startswith(word)]
        if word in found:
            return word
        if len(found) > 1:
            raise UsageError(f"Ambiguous option at: {word}. It may be {' or '.join(found)}.")
        if not found:
            raise UsageError(f"Unrecognized option at: {word}. {self._see_help()}")
        return found[0]

    def _see_help(self) -> str:
        return f'Try "help {self.name}".'

    def complete(self, text: str, word: Optional[str]) -> Union[Sequence[str], int]:
        """Complete an option, or one of the command's words.

        A number is one of GDB's own ways to complete, such as COMPLETE_FILENAME.
        """
        before, _, last = text.rpartition(" ")
        given = before.split()
        # A dash breaks words for GDB: it asks for what follows the last one.
        skip = len(last) - len(word) if word is not None and last.endswith(word) else 0
        known = self.options if last.startswith("-") else self.words_to_complete()
        return [each[skip:] for each in known if each.startswith(last) and each not in given]

    def words_to_complete(self) -> Sequence[str]:
        """Return the words that may follow the options."""
        return ()
