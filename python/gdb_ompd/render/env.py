# SPDX-License-Identifier: Apache-2.0
"""`ompd env`: the display control variables, and who set them."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..model import ControlVariable
from . import table
from .style import PLAIN, Role, Span, Style, text

COLUMNS = (table.Column(cut=True), table.Column())
BY_USER = "environment"


def lines(
    variables: Sequence[ControlVariable], style: Style = PLAIN, *, max_width: Optional[int] = None
) -> Iterator[str]:
    """Show each variable as NAME=VALUE, then where the value comes from: those that the
    user has set come first, and are marked."""
    if not variables:
        yield "No display control variables."
    ordered = sorted(variables, key=lambda each: each.source != BY_USER)
    rows = [
        table.Row(
            (text(Span(each.name, Role.VARIABLE), f"={each.value}"), text(each.source)),
            marked=each.source == BY_USER,
        )
        for each in ordered
    ]
    marked = any(row.marked for row in rows)
    yield from table.lines(COLUMNS, rows, style, marker=marked, max_width=max_width)
