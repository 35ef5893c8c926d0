# SPDX-License-Identifier: Apache-2.0
"""`ompd compare` and `ompd sample`: what threads have done from one stop to another, and where they
were at many."""

from __future__ import annotations

from typing import Iterator, Optional

from ..explain.moved import Branch, Change, Comparison, Moved, Sampled
from ..explain.phrases import counted
from ..model import Thread
from . import folding, json_document
from .json_document import Document, SCHEMA, fields, of, place_of
from .stacks import shown
from .style import PLAIN, Role, Span, Style, Text, after, fold, painted, text, wrap, wrapped_lines
from .words import doing, level, numbered, place, sentence, threads

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


DEEPEST_INDENT = 24
MOST_WAITS = 12
HANG = 11


def sampled_lines(sampled: Sampled, style: Style = PLAIN) -> Iterator[str]:
    """Show the samples: a line for each place, the most frequent first."""
    for words in _sampled_texts(sampled):
        yield from painted(words, style, style.width, HANG)


def _sampled_texts(sampled: Sampled) -> Iterator[Text]:
    samples, stacks = counted(sampled.samples, "sample"), counted(sampled.stacks, "stack")
    yield text(Span(f"{samples} in {sampled.seconds:.1f} s, {stacks}.", Role.HIGHLIGHT))
    for branch in sampled.branches:
        part = f"{100 * branch.stacks / max(sampled.stacks, 1):5.1f} %  "
        yield text(part + " " * min(branch.depth, DEEPEST_INDENT), *_shown(branch))
    if sampled.waits:
        yield text(Span("Who waits for whom, in how many samples", Role.TITLE))
    for said, times in sampled.waits[:MOST_WAITS]:
        yield text(f"{times:5d}  {said}")
    if len(sampled.waits) > MOST_WAITS:
        yield text(f"  and {len(sampled.waits) - MOST_WAITS} more (-json has all)")
    if sampled.ended is not None:
        yield text(f"{sampled.ended}.")


def _shown(branch: Branch) -> Text:
    if branch.place is not None:
        inner = branch.place.region is not None
        return text("in an inner region") if inner else shown(branch.place)
    region = branch.region
    if region is None:
        return text(Span("In no region", Role.TITLE))
    nesting = level(region.level, region.active_level)
    return text(
        Span("Region", Role.TITLE),
        f"  level {nesting}, {threads(region.team_size)}",
        *after(": ", place(region)),
    )


def sampled_document(sampled: Sampled) -> Document:
    """Return the document of ``ompd sample -json``."""
    return {
        "schema": SCHEMA,
        **fields(sampled, "samples", "seconds", "stacks"),
        "branches": [_branch(branch) for branch in sampled.branches],
        "waits": [{"text": said, "samples": times} for said, times in sampled.waits],
        "ended": sampled.ended,
    }


def _branch(branch: Branch) -> Document:
    spot = branch.place
    return {
        "depth": branch.depth,
        "stacks": branch.stacks,
        "region": of(branch.region),
        **place_of(spot),
        "task": spot is not None and spot.task,
        "inner_region": spot is not None and spot.region is not None,
        **json_document.doing(spot.doing if spot is not None else None),
    }
