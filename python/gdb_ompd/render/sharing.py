# SPDX-License-Identifier: Apache-2.0
"""`ompd whatis`: the data-sharing attribute of a variable, and what tells it."""

from __future__ import annotations

from typing import Iterator

from ..errors import printable
from ..explain.sharing import Sharing
from .folding import groups, ranges
from .json_document import SCHEMA, Document, fields, place_of
from .style import PLAIN, Role, Span, Style, painted, text
from .words import place

MOST_PLACES = 8


def lines(found: Sharing, style: Style = PLAIN, prefix: str = "") -> Iterator[str]:
    """Show a variable's attribute and why, its type, and where it is: in the threads of the
    team, and outside of the construct."""
    name, verdict, kind, rows, original = found
    attribute = Span(verdict.attribute or "unknown", Role.HIGHLIGHT)
    judged = text(Span(name, Role.VARIABLE), ": ", attribute, f" ({verdict.why})")
    yield from painted(judged, style, style.width)
    yield f"type = {printable(kind)}"
    places = groups((row for row in rows if row.address is not None), lambda row: row.address)
    for group in places[:MOST_PLACES]:
        numbers = ranges(row.thread_num for row in group if row.thread_num is not None)
        yield style.paint(text(f"{numbers}: at ", Span(hex(group[0].address or 0), Role.ADDRESS)))
    if len(places) > MOST_PLACES:
        yield f"... and {len(places) - MOST_PLACES} more objects"
    if original is not None and original.place is not None:
        spot = place(original.place)
        address = original.address
        at = () if address is None else (Span(", at "), Span(hex(address), Role.ADDRESS))
        frame = f", frame {original.frame} of GDB thread {prefix}{original.gdb_num}"
        outside = text("outside: ", Span(name, Role.VARIABLE), " of ", *spot, frame, *at)
        yield from painted(outside, style, style.width)


def document(found: Sharing) -> Document:
    """Return the document of ``ompd whatis -json``."""
    outside, original = None, found.original
    if original is not None and original.place is not None:
        outside = {
            **fields(original, "gdb_num", "frame"),
            **place_of(original.place),
            "address": original.address,
        }
    return {
        "schema": SCHEMA,
        "name": found.name,
        **fields(found.verdict, "attribute", "why"),
        "type": found.type,
        "places": [fields(row, "gdb_num", "thread_num", "address") for row in found.rows],
        "outside": outside,
    }
