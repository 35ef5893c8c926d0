# SPDX-License-Identifier: Apache-2.0
"""The user's variables of one frame, as ``ompd print`` has each: nothing that the compiler has made,
and of what a name means in an inner block that alone."""

from __future__ import annotations

import re
from typing import Iterable, Iterator, Mapping, NamedTuple, Optional, Union

import gdb

from .._native import FunctionName
from ..errors import OmpdToolError, ThreadRuns
from ..host.charset import is_fortran, name_of
from ..host.expressions import Format, calls_forbidden, in_own_language, referred
from ..host.inlined import called_in
from ..host.locations import Place, block_of, is_bound, local_blocks, place_of
from ..host.moments import forget_by, note_reading
from ..host.selection import kept_selection, level_of, selected_thread
from ..host.sessions.session import Session
from .arrays import is_of_variable_length
from .elsewhere import may_be_lost
from .frames import FrameChooser, body_called_by
from .misdescribed import line_of_body
from .reading import OPTIMIZED_OUT, ValueReader

# What compilers call what they make for constructs, loops over ranges, lambdas and Fortran's arrays.
_MADE = re.compile(
    r".*[.$<]|__(?:vla_expr|range|begin|end|for_range|for_begin|for_end)\d*$|__(?:context|closure)$"
)


class Variable(NamedTuple):
    """A variable's VALUE, or in words why there is none. Arguments of a construct's body are what is
    declared outside of the construct."""

    name: str
    is_argument: bool
    value: Union[gdb.Value, str]


def names_of(frame: gdb.Frame) -> dict[str, bool]:
    """Return the names of the user's variables of FRAME, innermost first, and whether each is an
    argument: of a construct's body that is what is declared outside of the construct."""
    named: dict[str, list[gdb.Symbol]] = {}
    for block in local_blocks(frame):
        own: dict[str, list[gdb.Symbol]] = {}
        for symbol in block:
            if _is_users(symbol):
                own.setdefault(name_of(symbol), []).append(symbol)
        named.update((name, symbols) for name, symbols in own.items() if name not in named)
    is_body = bool(named) and FunctionName(frame.name()).is_outlined
    line = line_of_body(frame) if is_body and FunctionName(frame.name()).is_gccs_body else 0
    among = any if is_body else all
    return {
        name: among(symbol.is_argument or 0 < symbol.line < line for symbol in symbols)
        for name, symbols in named.items()
    }


def _is_users(symbol: gdb.Symbol) -> bool:
    name = name_of(symbol)
    if is_fortran() and name.startswith("_"):  # no name of Fortran's does: the length of a string
        return False
    if not (symbol.is_variable or symbol.is_argument) or not name or _MADE.match(name):
        return False
    return not is_bound(symbol)


class _Known:
    """What holds for each thread at one place of the code: the names there, whether one is an array
    whose bounds another frame has, and which are as GDB has them. Until the program goes on it also
    has what reads each. CODE, which tells code from code, is another object whenever files come or
    go."""

    def __init__(self, code: object = None) -> None:
        self.code = code
        self._names: dict[Place, dict[str, bool]] = {}
        self._needs_others: dict[Place, bool] = {}
        self._readers: dict[str, ValueReader] = {}
        self._plain: dict[Place, dict[str, gdb.Symbol]] = {}
        self._words: dict[tuple[Place, Optional[tuple[int, ...]]], dict[str, str]] = {}

    def names(self, frame: gdb.Frame) -> dict[str, bool]:
        """Return the names of FRAME's variables, and whether each is an argument."""
        place = place_of(frame)
        if place not in self._names:
            self._names[place] = names_of(frame)
        return self._names[place]

    def forget_readers(self) -> None:
        """Forget what reads variables: it may know values of the moment."""
        self._readers = {}

    def plain_symbols(self, frame: gdb.Frame) -> dict[str, gdb.Symbol]:
        """Return the variables that are known to be as GDB has them wherever a thread is where
        FRAME is, by name."""
        return self._plain.setdefault(place_of(frame), {})

    def words(self, frame: gdb.Frame) -> dict[str, str]:
        """Return why some variables have no value wherever a thread is where FRAME is, and has
        called what this has, by name."""
        return self._words.setdefault((place_of(frame), called_in(frame)), {})

    def note_plain(self, name: str, frame: gdb.Frame) -> None:
        """Note that the variable NAME is one of these. A pointer of Fortran's is not."""
        symbol = gdb.lookup_symbol(name, frame.block())[0]
        if symbol is not None and not is_fortran():
            self.plain_symbols(frame)[name] = symbol

    def needs_others(self, frame: gdb.Frame) -> bool:
        """Tell whether a variable of FRAME, a construct's body, is read with another frame's help."""
        place = place_of(frame)
        if place not in self._needs_others:
            self._needs_others[place] = block_of(frame) is not None and any(
                is_of_variable_length(name, frame) or may_be_lost(name, frame)
                for name in self.names(frame)
            )
        return self._needs_others[place]

    def reader(self, session: Session, name: str) -> ValueReader:
        """Return what reads NAME in any frame."""
        if name not in self._readers:
            self._readers[name] = ValueReader(session, name, Format(), lambda _: None)
        return self._readers[name]


_known = _Known()


@forget_by
def _forget() -> None:
    _known.forget_readers()


def _known_of(session: Session) -> _Known:
    global _known
    note_reading()
    code = session.places()[0]
    if _known.code is not code:
        _known = _Known(code)
    return _known


class FrameVariables:
    """Reads the variables of the selected thread's frames, for one command. No other thread is
    selected meanwhile but by ``read_first``: GDB's bt numbers frames that it has not shown again.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = _known_of(session)
        self._first: dict[int, list[Variable]] = {}
        self._shows_objects = bool(
            gdb.parameter("print object")
        )  # by what the program tells of them

    def read_first(self, frame: gdb.Frame) -> None:
        """Read what needs another thread's frame: the bounds of arrays are described there alone."""
        frame = body_called_by(frame)
        if FunctionName(frame.name()).is_outlined and self._known.needs_others(frame):
            self._first[level_of(frame)] = list(self._read(frame, self._known.names(frame)))

    def read(self, frame: gdb.Frame, are_arguments: Optional[bool] = None) -> list[Variable]:
        """Return the variables of FRAME: those that ARE_ARGUMENTS, the others, or all."""
        frame = body_called_by(frame)
        found: Optional[Iterable[Variable]] = self._first.get(level_of(frame))
        if found is None:
            every = self._known.names(frame).items()
            found = self._read(frame, {n: own for n, own in every if are_arguments in (None, own)})
        return [each for each in found if are_arguments in (None, each.is_argument)]

    def untold_arguments(self, frame: gdb.Frame) -> list[Variable]:
        """Return the arguments of FRAME that have words for a value. Those that are known to be as GDB
        has them are not read."""
        plain = self._known.plain_symbols(frame)
        every = self._known.names(frame).items()
        found = self._read(frame, {n: own for n, own in every if own and n not in plain})
        return [each for each in found if isinstance(each.value, str)]

    def _read(self, frame: gdb.Frame, names: Mapping[str, bool]) -> Iterator[Variable]:
        values = self._plain(frame, names)
        others = [name for name in names if name not in values]
        if others:
            with in_own_language(), kept_selection(), calls_forbidden():
                frame.select()
                values.update((name, self._value(name, frame)) for name in others)
        return (Variable(name, own, values[name]) for name, own in names.items())

    def _plain(self, frame: gdb.Frame, names: Iterable[str]) -> dict[str, Union[gdb.Value, str]]:
        """Return the values of those variables of FRAME that are as GDB has them, and words for those
        that have none there."""
        found: dict[str, Union[gdb.Value, str]] = {**self._known.words(frame)}
        symbols = {} if self._shows_objects else self._known.plain_symbols(frame)
        for name in names:
            if name in symbols:
                try:
                    value = symbols[name].value(frame)
                    value.fetch_lazy()
                except gdb.error:
                    continue
                found[name] = referred(value)
        return found

    def _value(self, name: str, frame: gdb.Frame) -> Union[gdb.Value, str]:
        reader = self._known.reader(self._session, name)
        row, value, _ = reader.in_frame(frame)
        if value is not None and (row.error is None or value.is_optimized_out):
            if reader.is_as_gdb_has(frame):
                self._known.note_plain(name, frame)
            return referred(value)
        said = f"<{row.error or OPTIMIZED_OUT}>"
        if reader.is_overwritten(frame):
            self._known.words(frame)[name] = said
        return said


def own_names(session: Session) -> list[str]:
    """Return the names of the user's variables in the selected frame. Of a thread that waits in the
    runtime or the system take the innermost frame of the user's code. Keeps the selection."""
    chooser, thread = FrameChooser(session), selected_thread()
    if thread is not None and thread.is_running():
        raise ThreadRuns(thread.num)
    with kept_selection():
        chooser.start()
        frame = chooser.own
        if frame is None or block_of(frame) is None or not chooser.is_user(frame):
            raise OmpdToolError("no frame of your code with debug information is selected")
        return list(names_of(frame))
