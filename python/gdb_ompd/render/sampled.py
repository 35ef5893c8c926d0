# SPDX-License-Identifier: Apache-2.0
"""`ompd sample`: where threads were at many stops, and where their time went."""

from __future__ import annotations

from typing import Iterator

from ..explain.phrases import counted
from ..explain.sampled import Branch, Sampled
from . import json_document
from .json_document import Document, SCHEMA, fields, of, place_of
from .stacks import shown
from .style import PLAIN, Role, Span, Style, Text, after, painted, text
from .words import level, place, threads

DEEPEST_INDENT = 24
MOST_WAITS = 12
HANG = 11


def lines(sampled: Sampled, style: Style = PLAIN) -> Iterator[str]:
    """Show the samples: a line for each place, the most frequent first."""
    for words in _texts(sampled):
        yield from painted(words, style, style.width, HANG)


def _texts(sampled: Sampled) -> Iterator[Text]:
    samples, stacks = counted(sampled.samples, "sample"), counted(sampled.stacks, "stack")
    used = f", {sampled.nanoseconds / 1e9:.2f} s of processor time" if sampled.nanoseconds else ""
    yield text(Span(f"{samples} in {sampled.seconds:.1f} s, {stacks}{used}.", Role.HIGHLIGHT))
    if sampled.nanoseconds:
        yield text(Span(" Stacks  CPU time", Role.TITLE))
    for branch in sampled.branches:
        part = f"{100 * branch.stacks / max(sampled.stacks, 1):5.1f} %  "
        if sampled.nanoseconds:
            part += f"{100 * branch.nanoseconds / sampled.nanoseconds:5.1f} %   "
        yield text(part + " " * min(branch.depth, DEEPEST_INDENT), *_shown(branch))
    if sampled.waits:
        yield text(Span("Who waits for whom, in how many samples", Role.TITLE))
    for said, times in sampled.waits[:MOST_WAITS]:
        yield text(f"{times:5d}  {said}")
    if len(sampled.waits) > MOST_WAITS:
        yield text(f"  and {len(sampled.waits) - MOST_WAITS} more (-json has all)")
    for note, times in sampled.notes:
        always = times == sampled.samples
        yield text(note if always else f"In {times} of {samples}: {note}")
    if sampled.ended is not None:
        yield text(f"{sampled.ended}.")
    if sampled.text is not None:
        yield text(Span(sampled.text, Role.HIGHLIGHT))


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


def document(sampled: Sampled) -> Document:
    """Return the document of ``ompd sample -json``."""
    return {
        "schema": SCHEMA,
        **fields(sampled, "samples", "seconds", "stacks", "nanoseconds", "text"),
        "branches": [_branch(branch) for branch in sampled.branches],
        "waits": [{"text": said, "samples": times} for said, times in sampled.waits],
        "notes": [{"text": note, "samples": times} for note, times in sampled.notes],
        "spent": {what.value: seconds for what, seconds in sampled.spent},
        "ended": sampled.ended,
    }


def _branch(branch: Branch) -> Document:
    spot = branch.place
    return {
        "depth": branch.depth,
        "stacks": branch.stacks,
        "nanoseconds": branch.nanoseconds,
        "region": of(branch.region),
        **place_of(spot),
        "task": spot is not None and spot.task,
        "inner_region": spot is not None and spot.region is not None,
        **json_document.doing(spot.doing if spot is not None else None),
    }
