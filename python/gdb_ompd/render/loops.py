# SPDX-License-Identifier: Apache-2.0
"""``ompd loop``: what threads execute of worksharing loops, as lines and as a document."""

from __future__ import annotations

from typing import Iterator, Mapping, Optional, Sequence

from ..model import Thread
from ..model.loops import Range, Share
from . import folding
from .json_document import SCHEMA, Document, place_of
from .style import Role, Span, Style, Text, after, painted, text
from .words import doing, line_of

SCHEDULES = {"": "schedule not known"}


def lines(
    shares: Sequence[Share], threads: Mapping[int, Thread], style: Style, prefix: str = ""
) -> Iterator[str]:
    """Show each loop that threads of a team are in, then those that are in none."""
    found = folding.groups(
        shares, lambda share: share.place and (share.place.file, share.place.line)
    )
    for same in sorted(found, key=lambda each: each[0].place is None):
        if same[0].place is None:
            yield "In no loop that is known"
        else:
            yield from painted(_heading(same), style, style.width)
            yield from _not_given(same)
        for share in same:
            row = _row(share, threads.get(share.gdb_num or 0), prefix)
            yield from painted(row, style, style.width, hang=8)


def _heading(same: Sequence[Share]) -> Text:
    one = same[0]
    line = line_of(one.place) if one.place is not None else ()
    chunk = f", in chunks of {one.chunk}" if one.chunk else ""
    whole = f", {_written(one.whole)}" if one.whole else ""
    whole = whole.replace(", ", ", iterations ") if one.inferred else whole
    step = f" by {one.step}" if one.whole and one.step not in (None, 1) else ""
    schedule = SCHEDULES.get(one.schedule, one.schedule)
    schedule += " (inferred from the code)" if one.inferred else ""
    return text(Span("Loop", Role.TITLE), *after(" at ", line), f": {schedule}{chunk}{whole}{step}")


def _not_given(same: Sequence[Share]) -> Iterator[str]:
    one = same[0]
    if one.all_given:
        yield "  All of it is given out."
    elif one.next is not None:
        end = f" to {one.whole[1]}" if one.whole else " on"
        yield f"  Given to no thread yet: {one.next}{end}"


def _row(share: Share, thread: Optional[Thread], prefix: str) -> Text:
    who = f"GDB {prefix}{share.gdb_num}" if share.gdb_num is not None else "not known to GDB"
    own = []
    if share.asks:
        own.append("asks for more")
    elif share.now is not None:
        own.append(f"has {_written(share.now)}")
    elif share.place is not None:
        own.append("what it has is not known")
    if share.iteration is not None and share.place is not None:
        counted = ", counted from 0" if share.of_variable is not False else ""
        own.append(f"in iteration {share.iteration}{counted}")
    if _has_more(share):
        own.append(f"and each {share.stride} further on")
    if share.later is not None:
        own.append(f"later {_written(share.later)} unless stolen")
    does = doing(thread) if thread is not None else ()
    said = ", ".join(own)
    return text(f"  {share.thread_num}  ({who})  {said}", *after(": " if own else "", does))


def _has_more(share: Share) -> bool:
    """Tell whether a thread has, or may have, chunks behind the one that it is in."""
    if not share.stride or share.now is None:
        return False
    return share.whole is None or share.now[0] + share.stride <= share.whole[1]


def _written(values: Range) -> str:
    return str(values[0]) if values[0] == values[1] else f"{values[0]} to {values[1]}"


def document(shares: Sequence[Share], threads: Mapping[int, Thread]) -> Document:
    """Return the document of ``ompd loop -json``."""
    return {
        "schema": SCHEMA,
        "loops": [_share(share, threads.get(share.gdb_num or 0)) for share in shares],
    }


def _share(share: Share, thread: Optional[Thread]) -> Document:
    waits = thread.waits_for.kind if thread is not None and thread.waits_for is not None else None
    return {
        **share._replace(place=None)._asdict(),
        "schedule": share.schedule or None,
        "in_loop": share.place is not None,
        "place": None if share.place is None else place_of(share.place),
        "waits_for": waits,
    }
