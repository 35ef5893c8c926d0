# SPDX-License-Identifier: Apache-2.0
"""`ompd sample`: the merged stacks of many stops, with how often each was seen."""

from __future__ import annotations

from typing import Iterator

from ..explain.sampled import Branch, Sampled
from .json_document import Document, SCHEMA, region_document, waits_for_document
from .stack_trees import shown
from .style import PLAIN, Role, Span, Style, Text, text
from .words import count, level, place, threads

DEEPEST_INDENT = 24
MOST_WAITS = 12


def lines(sampled: Sampled, style: Style = PLAIN) -> Iterator[str]:
    """Show the samples: a line for each place, the most frequent first."""
    for words in _texts(sampled):
        yield style.paint(words)


def _texts(sampled: Sampled) -> Iterator[Text]:
    samples, stacks = count(sampled.samples, "sample"), count(sampled.stacks, "stack")
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
    where = place(region.function, region.file, region.line)
    nesting = level(region.level, region.active_level)
    heading = f"level {nesting}, {threads(region.team_size)}"
    return text(
        Span("Region", Role.TITLE), f"  {heading}", *((Span(": "), *where) if where else ())
    )


def document(sampled: Sampled) -> Document:
    """Return the document of ``ompd sample -json``."""
    return {
        "schema": SCHEMA,
        "samples": sampled.samples,
        "seconds": sampled.seconds,
        "stacks": sampled.stacks,
        "branches": [_branch(branch) for branch in sampled.branches],
        "waits": [{"text": said, "samples": times} for said, times in sampled.waits],
        "ended": sampled.ended,
    }


def _branch(branch: Branch) -> Document:
    spot = branch.place
    doing = spot.doing if spot is not None else None
    return {
        "depth": branch.depth,
        "stacks": branch.stacks,
        "region": region_document(branch.region) if branch.region is not None else None,
        "function": spot.function if spot is not None else None,
        "file": spot.file if spot is not None else None,
        "line": spot.line if spot is not None else None,
        "task": spot is not None and spot.task,
        "inner_region": spot is not None and spot.region is not None,
        "state": doing.state if doing is not None else None,
        "waits_for": waits_for_document(doing.waits_for) if doing is not None else None,
    }
