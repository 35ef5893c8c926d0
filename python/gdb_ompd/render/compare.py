# SPDX-License-Identifier: Apache-2.0
"""`ompd compare`: what threads have done from one stop to another."""

from __future__ import annotations

from typing import Iterator, Optional

from ..explain.moved import Change, Comparison, Moved
from ..model import Thread
from . import folding
from .json_document import Document, SCHEMA, fields
from .style import PLAIN, Role, Span, Style, Text, fold, text, wrap, wrapped_lines
from .words import doing, numbered, sentence

WIDEST_LIST = 24


def lines(comparison: Comparison, style: Style = PLAIN, *, prefix: str = "") -> Iterator[str]:
    """Show COMPARISON; threads that did the same share a line."""
    for words in _texts(comparison, prefix):
        for part in wrap(fold(words, style.width), style.width):
            yield style.paint(part)
    for note in comparison.notes:
        yield from wrapped_lines(note, style.width)


def _texts(comparison: Comparison, prefix: str) -> Iterator[Text]:
    yield text(Span(sentence(comparison.text), Role.HIGHLIGHT))
    for change in Change:
        moved = [each for each in comparison.threads if each.change is change]
        if moved:
            yield text(Span(change.value.capitalize(), Role.TITLE))
        for alike in folding.groups(moved, _words):
            numbers = [t.gdb_num for t in map(_thread, alike) if t is not None]
            who = numbered("GDB thread", numbers, prefix)
            yield text(f"  {who}: ", *_words(alike[0]))


def _thread(moved: Moved) -> Optional[Thread]:
    return moved.after or moved.before


def _words(moved: Moved) -> Text:
    before, now = (doing(each) if each else () for each in (moved.before, moved.after))
    if moved.change in (Change.AROUND, Change.ON):
        how = f" (another {', '.join(moved.changed)})"
        return text(*before, " -> ", *now) if before != now else text(*now, how)
    return now or before


def document(comparison: Comparison) -> Document:
    """Return the document of ``ompd compare -json``."""
    return {
        "schema": SCHEMA,
        "outcome": comparison.outcome.value,
        "text": comparison.text,
        "seconds": comparison.seconds,
        "threads": [
            fields(each, "change", "changed", "before", "after") for each in comparison.threads
        ],
        "notes": list(comparison.notes),
    }
