# SPDX-License-Identifier: Apache-2.0
"""`ompd compare`: the sentence, then the threads by what they have done."""

from __future__ import annotations

from typing import Iterator, Optional

from ..explain.moved import Change, Comparison, Moved
from ..model import Thread
from . import folding
from .json_document import Document, SCHEMA, thread_document
from .style import PLAIN, Role, Span, Style, Text, fold, text, wrap, wrapped_lines
from .words import location, numbered, state

WIDEST_LIST = 24


def lines(
    comparison: Comparison,
    style: Style = PLAIN,
    *,
    prefix: str = "",
    max_width: Optional[int] = None,
) -> Iterator[str]:
    """Show COMPARISON; threads that did the same share a line."""
    for words in _texts(comparison, prefix):
        for part in wrap(fold(words, max_width), max_width):
            yield style.paint(part)
    for note in comparison.notes:
        yield from wrapped_lines(note, max_width)


def _texts(comparison: Comparison, prefix: str) -> Iterator[Text]:
    yield text(Span(comparison.text[:1].upper() + comparison.text[1:] + ".", Role.HIGHLIGHT))
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
    before, after = _does(moved.before), _does(moved.after)
    if moved.change in (Change.AROUND, Change.ON):
        how = f" (another {', '.join(moved.changed)})"
        return text(*before, " -> ", *after) if before != after else text(*after, how)
    return after or before


def _does(thread: Optional[Thread]) -> Text:
    if thread is None:
        return ()
    where = location(thread.location)
    return text(*state(thread), *((Span(", "), *where) if where else ()))


def document(comparison: Comparison) -> Document:
    """Return the document of ``ompd compare -json``."""
    return {
        "schema": SCHEMA,
        "outcome": comparison.outcome.value,
        "text": comparison.text,
        "seconds": comparison.seconds,
        "threads": [
            {
                "change": each.change.value,
                "changed": list(each.changed),
                "before": thread_document(each.before) if each.before else None,
                "after": thread_document(each.after) if each.after else None,
            }
            for each in comparison.threads
        ],
        "notes": list(comparison.notes),
    }
