# SPDX-License-Identifier: Apache-2.0
"""Frozen values as JSON, and back: by the fields that their types declare.

A record is an object with its fields' names; a field that has its default, or is not known, is
left out. Values of the types in TABLES are many and mostly equal. Each is written once, in the
table of its type, and named by its index. In a document without tables it is written where it
belongs. What is read is checked against the declarations: nothing of a file is believed.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Any, Callable, NamedTuple, Union, get_args, get_origin, get_type_hints

from ..errors import BadFile, printable
from ..model import Code, Doubt, Icv, Location, Region
from ..model.stacks import Boundary, Segment, StackFrame

TABLES = (Code, Location, StackFrame, Boundary, Segment, Region, Doubt, Icv)
LARGEST = 1 << 64  # addresses and sizes are below
REQUIRED = object()

Json = dict[str, Any]
Read = Callable[[Any, "Reader"], Any]


class Field(NamedTuple):
    """A field as its type declares it; DEFAULT is REQUIRED where there is none."""

    name: str
    hint: Any
    default: Any


@lru_cache(maxsize=None)
def fields_of(kind: Any) -> tuple[Field, ...]:
    """Return the fields of a named tuple."""
    hints = get_type_hints(kind)
    defaults = {name: kind._field_defaults.get(name, REQUIRED) for name in kind._fields}
    for name, default in defaults.items():
        if default is REQUIRED and type(None) in get_args(hints[name]):
            defaults[name] = None
    return tuple(Field(name, hints[name], default) for name, default in defaults.items())


class Writer:
    """Writes values; TABLES holds what they have in common. Without tables all are written where
    they belong."""

    def __init__(self, with_tables: bool = True) -> None:
        shared = TABLES if with_tables else ()
        self.tables: dict[str, list[Json]] = {kind.__name__: [] for kind in shared}
        self._known: dict[Any, int] = {}
        self._by_identity: dict[int, tuple[Any, int]] = {}  # equal ones mostly are the same

    def value(self, value: Any) -> Any:
        """Return VALUE as what JSON has."""
        if value is None or type(value) in (int, str, bool, float):
            return value
        if isinstance(value, Enum):
            return value.value
        kind = type(value)
        if self.tables and kind in TABLES:
            return self._entry(kind, value)
        if kind in (tuple, list):
            return [self.value(each) for each in value]
        if kind is frozenset:
            return sorted(value)
        return self.record(kind, value)

    def record(self, kind: Any, value: Any) -> Json:
        """Return a record's fields."""
        made: Json = {}
        for name, _, default in fields_of(kind):
            part = getattr(value, name)
            if part is not default and part != default:
                made[name] = self.value(part)
        return made

    def _entry(self, kind: Any, value: Any) -> int:
        same = self._by_identity.get(id(value))
        if same is not None:
            return same[1]
        index = self._known.get((kind, value))
        if index is None:
            made = self.record(kind, value)
            index = self._known[kind, value] = len(self.tables[kind.__name__])
            self.tables[kind.__name__].append(made)
        self._by_identity[id(value)] = value, index
        return index


class Reader:
    """Rebuilds values; equal ones of a table's type are one. TABLE returns a table by the name
    of its type."""

    def __init__(self, table: Callable[[str], Any]) -> None:
        self._table = table
        self._made: dict[tuple[Any, int], Any] = {}

    def value(self, hint: Any, document: Any) -> Any:
        """Return the value of the type HINT that DOCUMENT is; BadFile if it is none."""
        try:
            return reader_of(hint)(document, self)
        except RecursionError:
            raise BadFile("nested too deeply") from None

    def entry(self, kind: Any, index: Any) -> Any:
        """Return the value with that index in the table of its type."""
        if type(index) is not int or (kind, index) not in self._made:
            rows = self._table(kind.__name__)
            if type(index) is not int or not isinstance(rows, list) or not 0 <= index < len(rows):
                raise BadFile(f"no such entry in its table of {kind.__name__}")
            self._made[kind, index] = _record(kind)(rows[index], self)
        return self._made[kind, index]


@lru_cache(maxsize=None)
def reader_of(hint: Any) -> Read:
    """Return what reads values of a type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Union:
        return _any_of(tuple(reader_of(each) for each in args if each is not type(None)), hint)
    if origin is tuple and args[1:] == (Ellipsis,):
        return _list_of(reader_of(args[0]), args[0] is str)
    if origin is frozenset:
        members = _list_of(reader_of(args[0]), args[0] is str)
        return lambda document, reader: frozenset(members(document, reader))
    if origin is tuple:
        return _tuple_of(tuple(map(reader_of, args)))
    if hint in (int, str, bool):
        return _plain(hint)
    if issubclass(hint, Enum):
        return _member(hint)
    return _entry_of(hint) if hint in TABLES else _record(hint)


def _entry_of(kind: Any) -> Read:
    """Read a record of a table by its index, or where it is written itself."""

    def read(document: Any, reader: Reader) -> Any:
        if type(document) is dict:
            return _record(kind)(document, reader)  # which may have one of its own kind
        return reader.entry(kind, document)

    return read


def _plain(kind: Any) -> Read:
    whole = kind is int

    def read(document: Any, _: Reader) -> Any:
        if type(document) is not kind or (whole and not -LARGEST < document < LARGEST):
            raise BadFile(f"not of the type {kind.__name__}")
        return document

    return read


def _member(kind: Any) -> Read:
    known = {each.value: each for each in kind}

    def read(document: Any, _: Reader) -> Any:
        if not isinstance(document, str) or document not in known:
            raise BadFile(f"no {kind.__name__}")
        return known[document]

    return read


def _any_of(kinds: tuple[Read, ...], hint: Any) -> Read:
    one, optional = kinds[0], type(None) in get_args(hint)
    if len(kinds) == 1:
        return lambda document, reader: None if document is None else one(document, reader)

    def read(document: Any, reader: Reader) -> Any:
        if document is None and optional:
            return None
        for kind in kinds[:-1]:
            try:
                return kind(document, reader)
            except BadFile:
                pass
        return kinds[-1](document, reader)

    return read


def _list_of(of: Read, sentences: bool) -> Read:
    """Read a list; one of strings has our own sentences, which have nothing to escape."""

    def read(document: Any, reader: Reader) -> Any:
        if not isinstance(document, list):
            raise BadFile("not a list")
        made = tuple([of(each, reader) for each in document])
        return tuple(map(printable, made)) if sentences else made

    return read


def _tuple_of(kinds: tuple[Read, ...]) -> Read:
    def read(document: Any, reader: Reader) -> Any:
        if not isinstance(document, list) or len(document) != len(kinds):
            raise BadFile(f"not a list of {len(kinds)}")
        return tuple(kind(each, reader) for kind, each in zip(kinds, document))

    return read


@lru_cache(maxsize=None)
def _record(kind: Any) -> Read:
    known = {f.name: reader_of(f.hint) for f in fields_of(kind)}
    required = frozenset(f.name for f in fields_of(kind) if f.default is REQUIRED)
    defaults = {f.name: f.default for f in fields_of(kind) if f.name not in required}
    ours = kind is Doubt  # its strings go into our sentences

    def read(document: Any, reader: Reader) -> Any:
        if not isinstance(document, dict) or not required <= document.keys():
            raise BadFile(f"no {kind.__name__}")
        made, name = dict(defaults), ""
        try:
            for name, part in document.items():
                of = known.get(name)
                if of is not None:  # others are of a later version
                    made[name] = of(part, reader)
                    if ours and type(part) is str:
                        made[name] = printable(part)
        except BadFile as error:
            raise BadFile(f"{name}: {error}") from None
        return kind(**made)

    return read
