# SPDX-License-Identifier: Apache-2.0
"""What all commands share: options, completion, errors and output."""

from __future__ import annotations

import gc
import os
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterable,
    NamedTuple,
    Optional,
    Sequence,
    Union,
)

import gdb

from ..errors import NotInitialized, OmpdToolError, UsageError
from ..host.charset import any_name, sayable
from ..host.flush_help import flush_left
from ..host.sessions.answering import answered

if TYPE_CHECKING:
    from ..render.style import Style
    from ..saved.stop import AnyStop

AT_ONCE = 50  # lines
FROM = "-from"  # the option that names a saved stop
# Options of several commands.
JSON = {"-json": "Print one JSON document."}
FROM_FILE = {f"{FROM} FILE": 'Answer from a stop that "ompd save" has written.'}
Document = dict[str, Any]
Answer = Union[Iterable[str], Document]  # lines to write, or what -json prints


class Arguments(NamedTuple):
    """A command line, taken apart: which options were given, the words, and the values
    of those options that take one."""

    options: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    def has(self, option: str) -> bool:
        """Tell whether OPTION was given."""
        return option in self.options

    def value(self, option: str) -> Optional[str]:
        """Return the value that OPTION was given, None if it was not."""
        return dict(self.values).get(option)


_asked: list[Callable[[], None]] = []


def _alone(answer: Callable[[], None]) -> None:
    """Call ANSWER, and drop what is written meanwhile: GDB's warnings, annotations and complaints,
    and what a pretty-printer says, are no part of a document. Raises what ANSWER raises."""
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            answer()
        except BaseException as error:  # GDB would write it
            errors.append(error)

    _asked.append(ask)
    # GDB takes what is written to itself for a command only.
    gdb.execute(f"python __import__('sys').modules['{__name__}']._asked.pop()()", to_string=True)
    if errors:
        raise errors[0]


def _without_collecting(answer: Callable[[], None]) -> None:
    """Call ANSWER, and have Python look for cycles of objects afterwards, of which a question makes
    none. That would take 5 % of the time of a question about 1,000 threads."""
    collects = gc.isenabled()
    gc.disable()
    try:
        answer()
    finally:
        if collects:
            gc.enable()


class _Output:
    """What a command gives to WRITE, some lines at a time: GDB takes as long for one as for
    many. WRITTEN counts them."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write_text = write
        self.written = 0

    def write(self, lines: Iterable[str]) -> None:
        """Write LINES, but as many as were written before. If making them fails, those
        that were made are written."""
        made: list[str] = []
        left = islice(lines, self.written, None)
        # What the pager shows last before the user's "q" is not logged.
        at_once = 1 if _may_log() else AT_ONCE
        try:
            while True:
                made.extend(islice(left, at_once))
                if not made:
                    return
                self._write(made)
        finally:
            self._write(made)

    def _write(self, made: list[str]) -> None:
        self.written += len(made)
        said = "\n".join((*made, ""))
        made.clear()
        if said:
            self._write_text(said)


class OmpdCommand(gdb.Command):
    """Base of the commands; a subclass has a docstring with ``Usage:``, which the help of its
    OPTIONS follows. One that takes the word after it is written with what that is."""

    name = ""
    options: dict[str, str] = {}
    more_options = ""  # help of options that another command of GDB's explains
    takes_words = False
    takes_files = False  # its words are names of files
    takes_counts = False  # "-3" is a word
    resumes = False  # the program runs meanwhile, and writes
    is_for_front_ends = False
    is_question = True  # it may be answered twice: it changes nothing
    lists = ""  # what its JSON document lists, which is nothing before the runtime's start

    def __init__(self) -> None:
        self.known = tuple(option.partition(" ")[0] for option in self.options)
        self.valued = tuple(option.partition(" ")[0] for option in self.options if " " in option)
        self.__doc__ = flush_left(self.__doc__) + self._help_of_options()
        super().__init__(self.name, gdb.COMMAND_DATA)

    def _help_of_options(self) -> str:
        lines = ["", "", "Options:"] if self.options else []
        for option, text in self.options.items():
            lines += [f"  {option}", *(f"    {line}" for line in text.split("\n"))]
        return "\n".join(lines) + self.more_options

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Run the command; a user's mistake becomes one line, a bug keeps its traceback."""
        self._say(argument, _Output(gdb.write))

    def document(self, given: Sequence[str]) -> Document:
        """Return the document that the command prints with the words GIVEN and -json."""
        import json  # not while gdb starts: it loads much

        parts: list[str] = []
        self._say(" ".join(map(_quoted, ("-json", *given))), _Output(parts.append))
        document: Document = json.loads("".join(parts))
        return document

    def _say(self, argument: str, output: _Output) -> None:
        try:
            try:
                if self.is_question:
                    _without_collecting(lambda: self._answer(argument, output))
                    return
            except UnicodeError:  # a name that is not in the locale's charset
                pass
            with any_name():
                self._answer(argument, output)
        except OmpdToolError as error:
            raise gdb.GdbError(sayable(str(error))) from error

    def _answer(self, argument: str, output: _Output) -> None:
        arguments = self.parse(argument)
        if not arguments.has("-json"):
            self._answer_to(output.write, arguments)
            return
        lines: list[str] = []
        if self.resumes:
            self._answer_to(lines.extend, arguments)
        else:
            _alone(lambda: self._answer_to(lines.extend, arguments))
        output.write(lines)

    def _answer_to(self, write: Callable[[Iterable[str]], None], arguments: Arguments) -> None:
        def answer() -> None:
            try:
                write(self._lines(self.run(arguments)))
            except NotInitialized as error:
                if not self.lists:
                    raise
                write(self._lines(self._nothing_yet(arguments, str(error))))

        answered(answer)

    def _lines(self, answer: Answer) -> Iterable[str]:
        if not isinstance(answer, dict):
            return answer
        from ..render.json_document import dump

        return [dump(answer)]

    def _nothing_yet(self, arguments: Arguments, why: str) -> Answer:
        """Say that there is nothing to list, which is no error: a script goes on."""
        if not arguments.has("-json"):
            return [f"Nothing to show: {why}"]
        from ..render.json_document import nothing

        return nothing(self.lists, why)

    def run(self, arguments: Arguments) -> Answer:
        """Return the lines to write, or the JSON document that was asked for."""
        raise NotImplementedError

    @property
    def style(self) -> "Style":
        """The style that GDB has now, and the width there is."""
        from ..control.styles import current_style

        return current_style()

    def stop(self, arguments: Arguments) -> "AnyStop":
        """Return the stop that is asked: this one, or the one that -from names."""
        file = arguments.value(FROM)
        if file is None:
            from .live import LiveStop

            return LiveStop()
        from ..saved.stop import load

        return load(os.path.expanduser(file))

    def parse(self, argument: str) -> Arguments:
        """Take a command line apart: options anywhere, ``--`` ends them."""
        given = gdb.string_to_argv(argument) if argument else []
        chosen: set[str] = set()
        values: list[tuple[str, str]] = []
        words: list[str] = []
        left = iter(given)
        for word in left:
            if word == "--":
                words.extend(left)
            elif not word.startswith("-") or (self.takes_counts and word[1:].isdecimal()):
                words.append(word)
            else:
                option = self.option_at(word)
                if option is None:
                    raise UsageError(f"Unrecognized option at: {word}. {self._see_help()}")
                chosen.add(option)
                if option in self.valued:
                    value = next(left, None)
                    if value is None:
                        raise UsageError(f"{option} wants a value. {self._see_help()}")
                    values.append((option, value))
        if words and not self.takes_words:
            raise UsageError(f'Junk at end of command: "{" ".join(words)}". {self._see_help()}')
        return Arguments(frozenset(chosen), tuple(words), tuple(values))

    def option_at(self, word: str) -> Optional[str]:
        """Return the option that WORD names or abbreviates, None if it is no option."""
        found = [option for option in self.known if option.startswith(word)]
        if len(found) > 1 and word not in found:
            raise UsageError(f"Ambiguous option at: {word}. It may be {' or '.join(found)}.")
        return word if word in found else found[0] if found else None

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
        if given and given[-1] in self.valued:
            known = self.values_to_complete(given[-1], last)
        elif self.takes_files and not last.startswith("-"):
            known, given = file_names(last), []
        else:
            known = self.known if last.startswith("-") else self.words_after(given)
        return [each[skip:] for each in known if each.startswith(last) and each not in given]

    def values_to_complete(self, option: str, begun: str) -> Sequence[str]:
        """Return the values that OPTION may have, of files those that begin as BEGUN."""
        return file_names(begun) if option == FROM else ()

    def words_after(self, given: Sequence[str]) -> Sequence[str]:
        """Return the words that may follow those that are GIVEN."""
        return self.words_to_complete()

    def words_to_complete(self) -> Sequence[str]:
        """Return the words that may follow the options."""
        return ()


def _quoted(word: str) -> str:
    """Return WORD as gdb.string_to_argv takes it for one."""
    special = "\"'\\"
    return "".join(f"\\{c}" if c.isspace() or c in special else c for c in word) or '""'


def file_names(begun: str) -> list[str]:
    """Return the files that BEGUN is the beginning of; a folder ends in a slash."""
    folder, name = os.path.split(begun)
    try:
        found = sorted(os.listdir(os.path.expanduser(folder) or "."))
    except OSError:
        return []
    paths = (os.path.join(folder, each) for each in found if each.startswith(name))
    known = [p + "/" * os.path.isdir(os.path.expanduser(p)) for p in paths if " " not in p]
    # One folder alone would be taken for the whole word.
    inside = known[0].endswith("/") if len(known) == 1 and known[0] != begun else False
    return (file_names(known[0]) or known) if inside else known


def _may_log() -> bool:
    """Tell whether GDB copies its output to a file, which GDB 11 and earlier does not tell."""
    try:
        return bool(gdb.parameter("logging enabled"))
    except RuntimeError:
        return True
