# SPDX-License-Identifier: Apache-2.0
"""Text made of spans with a role each, and the styles that paint them.

Widths are counted on spans, before painting: an escape sequence has none.
"""

from __future__ import annotations

import re
from enum import Enum
from operator import attrgetter
from typing import Callable, Iterator, NamedTuple, Optional, Union

from ..errors import printable
from ..explain.names import without_parameters, without_template_arguments

Painter = Callable[[str], str]

SHORTEST_NAME = 12  # a function's name cut further than this says nothing


def as_it_is(text: str) -> str:
    """Return TEXT unpainted."""
    return text


class Role(Enum):
    """What a piece of text is; the value names the painter in a ``Style``."""

    PLAIN = "plain"
    FUNCTION = "function"
    FILENAME = "filename"
    ADDRESS = "address"
    VARIABLE = "variable"
    HIGHLIGHT = "highlight"
    TITLE = "title"


class Span(NamedTuple):
    """A piece of text with one role."""

    text: str
    role: Role = Role.PLAIN


Text = tuple[Span, ...]
_characters = attrgetter("text")
Cell = Union[str, Text]  # a string is what a program cannot have a say in: numbers, our words


class Style(NamedTuple):
    """One painter for each role, and the columns that a line may have (WIDTH, None for any number);
    without arguments nothing is painted or broken."""

    function: Painter = as_it_is
    filename: Painter = as_it_is
    address: Painter = as_it_is
    variable: Painter = as_it_is
    highlight: Painter = as_it_is
    title: Painter = as_it_is
    width: Optional[int] = None

    def paint(self, text: Cell) -> str:
        """Return TEXT as a string, each span painted."""
        if isinstance(text, str):
            return text
        if self[:-1] == _UNPAINTED:
            return "".join(map(_characters, text))
        return "".join(
            [
                getattr(self, role.value)(words) if words and role is not Role.PLAIN else words
                for words, role in text
            ]
        )


PLAIN = Style()
_UNPAINTED = PLAIN[:-1]


def text(*parts: Union[str, Span]) -> Text:
    """Make a text of strings (plain) and spans; empty ones are left out.

    What a terminal would act on is escaped: names come from a program's memory,
    which can hold anything.
    """
    spans: list[Span] = []
    for part in parts:
        span = part if isinstance(part, Span) else Span(part)
        if span.text:
            known = span.text.isprintable()
            spans.append(span if known else Span(printable(span.text), span.role))
    return tuple(spans)


def as_cell(words: Text) -> Cell:
    """Return WORDS, as a string if they are one and have no role."""
    plain_word = len(words) == 1 and words[0].role is Role.PLAIN
    return words[0].text if plain_word else words


def after(joint: str, words: Text) -> Text:
    """Return WORDS behind a JOINT, such as ": ", nothing where there are none."""
    return (Span(joint), *words) if words else ()


def plain(words: Text) -> str:
    """Return the characters of a text."""
    return "".join(map(_characters, words))


def width(words: Cell) -> int:
    """Count the columns of a text."""
    if isinstance(words, str):
        return len(words)
    return len(plain(words))


def shorten_middle(name: str, limit: int) -> str:
    """Cut the middle out of NAME so that it has at most LIMIT characters.

    The beginning of a C++ name says whose it is, its end what it does.
    """
    if len(name) <= limit:
        return name
    kept = max(limit, SHORTEST_NAME) - len("...")
    if len(name) <= kept + len("..."):
        return name
    head = (kept + 1) // 2
    return name[:head] + "..." + name[len(name) - (kept - head) :]


def fold(words: Text, limit: Optional[int]) -> Text:
    """Fold parameter lists, then template arguments, of the functions in a text that has
    more than LIMIT columns."""
    for shorten in (without_parameters, without_template_arguments):
        if limit is None or width(words) <= limit:
            return words
        words = tuple(
            Span(shorten(span.text), span.role) if span.role is Role.FUNCTION else span
            for span in words
        )
    return words


def fit(words: Text, limit: int) -> Text:
    """Shorten the functions' names in a text until it has LIMIT columns: by folding, then by
    their middles. Where it has to be broken all the same, none is cut that a line holds."""
    folded = fold(words, limit)
    fitted = list(folded)
    for index, span in enumerate(fitted):
        excess = width(tuple(fitted)) - limit
        if excess > 0 and span.role is Role.FUNCTION:
            fitted[index] = Span(shorten_middle(span.text, len(span.text) - excess), span.role)
    return tuple(fitted) if width(tuple(fitted)) <= limit else _cut(folded, limit)


def _cut(words: Text, longest: int) -> Text:
    """Cut the middles of functions' names that have more than LONGEST characters."""
    return tuple(
        Span(shorten_middle(span.text, longest), span.role) if span.role is Role.FUNCTION else span
        for span in words
    )


def wrap(words: Text, limit: Optional[int], hang: int = 4) -> list[Text]:
    """Break a text between words into lines of at most LIMIT columns; all but the first
    are indented by HANG. A word that is longer than a line has one of its own."""
    if limit is None or width(words) <= limit:
        return [words]
    lines: list[list[Span]] = [[]]
    used, filled = 0, False  # FILLED: the line has a word already
    for word in _words(words):
        wide = len(plain(word).rstrip())
        if filled and wide and used + wide > limit:
            lines.append([Span(" " * hang)])
            used, filled = hang, False
        lines[-1].extend(word)
        used += width(word)
        filled = filled or bool(wide)
    return [_stripped(line) for line in lines]


def _words(words: Text) -> Iterator[Text]:
    """Yield the words of a text, each with the blanks after it. One word may be made of
    several spans."""
    word: list[Span] = []
    for span in words:
        for piece in re.findall(r"\s+|\S+", span.text):
            if word and not piece.isspace() and word[-1].text.isspace():
                yield tuple(word)
                word = []
            word.append(Span(piece, span.role))
    if word:
        yield tuple(word)


def painted(words: Text, style: Style, limit: Optional[int], hang: int = 4) -> Iterator[str]:
    """Fold the functions of a text and break it, so that its lines have at most LIMIT columns. One
    that is longer than a line, with what is written to it, loses its middle."""
    if limit is None:
        yield style.paint(words)
        return
    for line in wrap(_cut(fold(words, limit), max(limit - hang - 4, 4)), limit, hang):
        yield style.paint(line)


def wrapped_lines(sentence: str, limit: Optional[int]) -> Iterator[str]:
    """Break a sentence between words into lines of at most LIMIT columns."""
    for line in wrap((Span(sentence),), limit):
        yield plain(line)


def _stripped(line: list[Span]) -> Text:
    while line and not line[-1].text.strip():
        line.pop()
    if line:
        line[-1] = Span(line[-1].text.rstrip(), line[-1].role)
    return tuple(line)
