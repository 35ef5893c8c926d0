# SPDX-License-Identifier: Apache-2.0
"""`ompd print` and `ompd diff`: values by the threads that have them, outliers first."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence, Union

from ..errors import printable
from ..explain.names import readable
from ..explain.phrases import counted
from ..model.values import FoundName, FoundValue, Part, ThreadValue, Values
from .folding import groups, ranges
from .json_document import SCHEMA, Document, fields, place_of
from .style import PLAIN, Role, Span, Style, text
from .words import place

MOST_LINES = 18  # of what differs: a screen of 24 lines, without the prompts and the rest
MOST_OF_A_PART = 4

Group = list[ThreadValue]


def lines(values: Values, style: Style = PLAIN, *, all_parts: bool = False) -> Iterator[str]:
    """Show VALUES: what few threads have comes first, what cannot be evaluated last. Of arrays
    and structs that are not all the same only what differs is shown, ALL_PARTS of it or
    as much as a screen takes."""
    yield from values.notes
    shown = [each for each in values.values if each.error is None]
    if values.parts and len(groups(shown, _key)) >= 1:
        yield from _parts(values, style, all_parts)
    else:
        # The texts of what is the same may differ in what is not its value, such as padding.
        same = values.parts is not None
        for group in _by_size(shown, (lambda value: value.function) if same else _key):
            yield from _line(values, group, _value(group[0]), style)
    yield from _errors(values, style)


def differing(values: Values, style: Style = PLAIN) -> Iterator[str]:
    """Show only what differs, and whether it is one object or each thread has its own."""
    shown = [each for each in values.values if each.error is None]
    if len(shown) < 2:
        yield from lines(values, style, all_parts=True)
        return
    what = printable(values.expression)
    addresses = [each.address for each in shown]
    distinct = {address for address in addresses if address is not None}
    if None not in addresses and len(distinct) == 1:
        one = Span(hex(distinct.pop()), Role.ADDRESS)
        yield style.paint(text(f"{what} is one object, at ", one, ", in all of these threads."))
        if not _differ(values, shown):
            yield from _errors(values, style)
            return
    same = "" if _differ(values, shown) else ", and is the same in all of them"
    if None not in addresses and len(distinct) == len(shown):
        yield f"{what} is an object of its own in each thread{same}."
    elif None not in addresses and len(distinct) > 1:
        yield f"{what} is {len(distinct)} objects{same}."
    elif not distinct:
        why = "a register holds it, here or elsewhere in the code, or it is computed"
        yield f"{what} is at no known address{same}: {why}."
    elif same:
        yield f"{what} is the same in all of these threads."
    if len(distinct) > 1:
        yield from _places(values, shown, style)
    if not same:
        yield from lines(values, style, all_parts=True)
    else:
        yield from values.notes
        yield from _errors(values, style)


def _differ(values: Values, shown: Sequence[ThreadValue]) -> bool:
    if values.parts is not None:
        return bool(values.parts)
    return len({each.text for each in shown}) > 1


def _places(values: Values, shown: Sequence[ThreadValue], style: Style) -> Iterator[str]:
    for group in groups(shown, lambda each: each.address):
        address = group[0].address
        where = "no known address" if address is None else hex(address)
        span = Span(where, Role.ADDRESS if address is not None else Role.PLAIN)
        yield style.paint(text(f"{who(values, group)}: at ", span))


def who(values: Values, group: Sequence[ThreadValue]) -> str:
    """Name threads by their OpenMP numbers or, of several teams, by GDB's."""
    if values.one_team:
        return ranges(each.thread_num for each in group if each.thread_num is not None)
    return f"GDB {values.prefix}" + ranges(
        each.gdb_num for each in group if each.gdb_num is not None
    )


def _threads_of(values: Values, group: Sequence[ThreadValue]) -> str:
    """Name threads in a sentence: "thread 5", "threads 0-4", "GDB thread 6"."""
    gdb, _, numbers = who(values, group).rpartition(" ")
    return f"{gdb and gdb + ' '}thread{'s' if group[1:] else ''} {numbers}"


def _key(value: ThreadValue) -> tuple[Optional[str], Optional[str]]:
    return value.text, value.function


def _by_size(shown: Sequence[ThreadValue], key: Callable[[ThreadValue], Any]) -> list[Group]:
    """Group equal values, those that few threads have first."""
    return sorted(groups(shown, key), key=len)


def _value(value: ThreadValue) -> str:
    return (value.text or "") + (
        f" (in {printable(readable(value.function))})" if value.function else ""
    )


def _line(values: Values, group: Group, shown: str, style: Style) -> Iterator[str]:
    threads = style.paint(text(Span(who(values, group), Role.HIGHLIGHT)))
    yield from f"{threads}: {shown}".split("\n")


def _errors(values: Values, style: Style) -> Iterator[str]:
    missing = [each for each in values.values if each.error is not None]
    for group in groups(missing, lambda each: (each.error, each.function)):
        said = printable(group[0].error or "")
        function = f" (in {printable(readable(group[0].function))})" if group[0].function else ""
        yield from _line(values, group, f"<{said}>{function}", style)


def locals_lines(found: Sequence[Values], of_several: bool, style: Style = PLAIN) -> Iterator[str]:
    """Show the variables of a frame, one after the other: of one thread, or OF_SEVERAL."""
    yield from dict.fromkeys(note for each in found for note in each.notes)
    if not found:
        yield "No variables of yours."
    width = max((len(each.expression) for each in found), default=0)
    for each in found:
        name = style.paint(text(Span(printable(each.expression), Role.VARIABLE)))
        said = each.values[0]
        if not of_several:
            first, *rest = (said.text or f"<{printable(said.error or '')}>").split("\n")
            yield from (f"{name} = {first}", *rest)
            continue
        head = name + " " * (width - len(each.expression))
        for line in lines(each._replace(notes=()), style):
            yield f"{head}  {line}"
            head = " " * width


def found_lines(found: FoundValue, style: Style = PLAIN, prefix: str = "") -> Iterator[str]:
    """Show a value over variables that were looked up, and where they are."""
    value = found.value
    yield from (value.text or f"<{printable(value.error or '')}>").split("\n")
    for name in found.names:
        yield style.paint(text(Span(name.name, Role.VARIABLE), *_where(name, prefix)))


def _where(found: FoundName, prefix: str) -> Iterator[Span]:
    spot = found.place
    if found.frame is None or spot is None:
        yield from text(" is static, or the thread's own")
        return
    where = place(spot)
    yield from text(" of ", *where, f", frame {found.frame} of GDB thread {prefix}{found.gdb_num}")


# What differs of arrays and structs


class _Lines(NamedTuple):
    """The lines of one part."""

    path: str
    threads_and_values: list[str]


def _parts(values: Values, style: Style, all_parts: bool) -> Iterator[str]:
    parts = values.parts or ()
    made = [_of_part(values, part, style, all_parts) for part in sorted(parts, key=_oddness)]
    fitting = made if all_parts else list(_fitting(made))
    more = "" if values.all_parts else "at least "
    members = f"{more}{counted(len(parts), 'member')}"
    everyone = [each for each in values.values if each.error is None]
    differs = "differs" if len(parts) == 1 else "differ"
    yield f"{members} of {printable(values.expression)} {differs} in {who(values, everyone)}:"
    wide = max(len(part.path) for part in fitting)
    for part in fitting:
        for number, line in enumerate(part.threads_and_values):
            path = part.path if number == 0 else ""
            yield f"{path.ljust(wide)}  {line}"
    left = len(made) - len(fitting)
    if left:
        yield f"... and {left} more: 'ompd diff' shows all."


def _oddness(part: Part) -> tuple[int, int]:
    """Order parts by how few values they have, then by how few threads have the rarest."""
    sizes = [len(group) for group in groups(part.values, _key)]
    return len(sizes), min(sizes)


def _fitting(made: Sequence[_Lines]) -> Iterator[_Lines]:
    used = 0
    for part in made:
        used += len(part.threads_and_values)
        if used > MOST_LINES and used > len(part.threads_and_values):
            return
        yield part


def _of_part(values: Values, part: Part, style: Style, all_values: bool) -> _Lines:
    found = _by_size(part.values, _key)
    few = found if all_values or len(found) <= MOST_OF_A_PART + 1 else found[:MOST_OF_A_PART]
    made = [line for group in few for line in _line(values, group, _value(group[0]), style)]
    if len(few) < len(found):
        others = [value for group in found[len(few) :] for value in group]
        made.append(f"{who(values, others)}: {len(found) - len(few)} other values")
    return _Lines(printable(part.path), made)


# Statistics


class Statistics(NamedTuple):
    """Of the values that are numbers: NOT_NUMBERS are the threads whose value is NaN."""

    path: str
    minimum: Union[int, float, None]
    maximum: Union[int, float, None]
    mean: Optional[float]
    counted: int
    least: tuple[ThreadValue, ...] = ()
    greatest: tuple[ThreadValue, ...] = ()
    not_numbers: tuple[ThreadValue, ...] = ()


def statistics(values: Values) -> list[Statistics]:
    """Return the statistics of a number; of an array or struct, those of each number in it
    that differs."""
    if values.parts is None:
        return _statistics("", values.values)
    return [found for part in values.parts for found in _statistics(part.path, part.values)]


def _statistics(path: str, values: Sequence[ThreadValue]) -> list[Statistics]:
    numbered = [(each, each.number) for each in values if each.number is not None]
    if not numbered:
        return []
    odd = tuple(each for each, number in numbered if number != number)
    known = [(each, number) for each, number in numbered if number == number]
    if not known:
        return [Statistics(path, None, None, None, 0, not_numbers=odd)]
    least, greatest = min(n for _, n in known), max(n for _, n in known)
    return [
        Statistics(
            path,
            least,
            greatest,
            _mean([n for _, n in known]),
            len(known),
            tuple(each for each, number in known if number == least),
            tuple(each for each, number in known if number == greatest),
            odd,
        )
    ]


def _mean(numbers: Sequence[Union[int, float]]) -> float:
    try:
        return math.fsum(numbers) / len(numbers)
    except (OverflowError, ValueError):  # beyond what a float holds, or both infinities
        return math.nan


def statistics_lines(values: Values, style: Style = PLAIN) -> Iterator[str]:
    """Show least, greatest and mean of what are numbers, and which threads have them."""
    found = statistics(values)
    if not found:
        yield "No statistics: there are no numbers that differ." if values.parts is not None else (
            "No statistics: the values are no numbers."
        )
    for each in found:
        indent = "  " if each.path else ""
        if each.path:
            yield printable(each.path)
        if each.counted:
            yield f"{indent}minimum {each.minimum!r} in {_threads_of(values, each.least)}"
            yield f"{indent}maximum {each.maximum!r} in {_threads_of(values, each.greatest)}"
            yield f"{indent}mean {each.mean!r} of {counted(each.counted, 'thread')}"
        if each.not_numbers:
            yield f"{indent}not a number in {_threads_of(values, each.not_numbers)}"


# JSON


def document(values: Values, with_statistics: bool) -> Document:
    """Return the document of ``ompd print -json`` and ``ompd diff -json``."""
    return {
        "schema": SCHEMA,
        "expression": printable(values.expression),
        "values": [_value_document(each) for each in values.values],
        "differs": [_part_document(part) for part in values.parts or ()],
        "complete": values.all_parts,
        "statistics": (
            [_statistics_document(each) for each in statistics(values)] if with_statistics else None
        ),
        "found": None,
        "notes": list(values.notes),
    }


def locals_document(found: Sequence[Values]) -> Document:
    """Return the document of ``ompd locals -json``: a document of each variable."""
    return {"schema": SCHEMA, "locals": [document(each, False) for each in found]}


def found_document(found: FoundValue) -> Document:
    """Return the document of ``ompd print -up -json``: where the first variable was found."""
    first = found.names[0]
    where = {**fields(first, "gdb_num", "frame"), **place_of(first.place)}
    alone = Values(found.expression, (found.value,), one_team=False)
    return {**document(alone, False), "found": where}


def _value_document(value: ThreadValue) -> Document:
    made = fields(value, "gdb_num", "thread_num", "text", "address", "error", "function")
    return made if value.error is None else {**made, "text": None}


def _part_document(part: Part) -> Document:
    return {
        "path": part.path,
        "groups": [
            {"text": group[0].text, **_threads(group)} for group in _by_size(part.values, _key)
        ],
    }


def _threads(group: Sequence[ThreadValue]) -> Document:
    return {
        "gdb_num": [each.gdb_num for each in group],
        "thread_num": [each.thread_num for each in group],
    }


def _statistics_document(found: Statistics) -> Document:
    return {
        "path": found.path,
        "minimum": _finite(found.minimum),
        "minimum_in": _threads(found.least),
        "maximum": _finite(found.maximum),
        "maximum_in": _threads(found.greatest),
        "mean": _finite(found.mean),
        "threads": found.counted,
        "not_a_number_in": _threads(found.not_numbers),
    }


def _finite(number: Union[int, float, None]) -> Union[int, float, str, None]:
    """JSON has no infinities."""
    if isinstance(number, float) and not math.isfinite(number):
        return str(number)
    return number
