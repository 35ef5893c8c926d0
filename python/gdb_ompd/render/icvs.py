# SPDX-License-Identifier: Apache-2.0
"""`ompd icvs`: internal control variables by scope, equal values said once."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..model import Icv, IcvOwner, Scope
from . import folding, table
from .style import PLAIN, Role, Span, Style, text
from .words import UNKNOWN, numbered

HEADINGS = {
    Scope.GLOBAL: "Global",
    Scope.ADDRESS_SPACE: "Address space",
    Scope.THREAD: "Thread",
    Scope.PARALLEL: "Parallel region",
    Scope.IMPLICIT_TASK: "Implicit task",
    Scope.TASK: "Task",
}
COLUMNS = (table.Column(), table.Column(cut=True), table.Column(), table.Column())


def lines(
    icvs: Sequence[Icv],
    style: Style = PLAIN,
    *,
    prefix: str = "",
    max_width: Optional[int] = None,
) -> Iterator[str]:
    """Show ICVS by scope: name, value in words, where it came from, and whose it is.

    Where all of a scope belong to one thread or region, the heading says whose.
    PREFIX is what GDB writes before a thread's number.
    """
    if not icvs:
        yield "No ICVs."
    rows: list[table.Row] = []
    headings: dict[int, str] = {}
    for scope in Scope:
        of_scope = [icv for icv in icvs if icv.scope is scope]
        if not of_scope:
            continue
        owners = named_owners(of_scope, prefix)
        several = len({icv.owner for icv in of_scope}) > 1
        headings[len(rows)] = HEADINGS[scope] + (f" ({owners})" if owners and not several else "")
        for same_name in folding.groups(of_scope, lambda icv: icv.name):
            rows += _rows(same_name, several, prefix)
    room = None if max_width is None else max_width - 2
    for index, parts in enumerate(table.of_rows(COLUMNS, rows, style, max_width=room)):
        if index in headings:
            yield style.paint(text(Span(headings[index], Role.TITLE)))
        yield from ("  " + line for line in parts)


def _rows(icvs: Sequence[Icv], several: bool, prefix: str) -> Iterator[table.Row]:
    """Write one ICV: a row for each of its values, the name on the first only."""
    name = icvs[0].name
    for same_value in folding.groups(icvs, lambda icv: (icv.text, icv.source)):
        one = same_value[0]
        owners = named_owners(same_value, prefix) if several else ""
        yield table.Row(
            (
                text(Span(name, Role.VARIABLE)),
                text(one.text or UNKNOWN),
                text(one.source),
                text(owners),
            )
        )
        name = ""


def named_owners(icvs: Sequence[Icv], prefix: str) -> str:
    """Name the owners of ICVS: "GDB threads 1-8", "regions 1-3"."""
    owners: list[Optional[IcvOwner]] = [icv.owner for icv in icvs]
    threads = [each.gdb_num for each in owners if each and each.gdb_num is not None]
    regions = [each.region for each in owners if each and each.region is not None]
    named = [("GDB thread", threads, prefix), ("region", regions, "")]
    return ", ".join(numbered(noun, numbers, before) for noun, numbers, before in named if numbers)
