# SPDX-License-Identifier: Apache-2.0
"""`ompd env`: the display control variables, and who set them."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..model import ControlVariable
from . import table
from .style import PLAIN, Role, Span, Style, text

COLUMNS = (table.Column(), table.Column())


def lines(variables: Sequence[ControlVariable], style: Style = PLAIN) -> Iterator[str]:
    """Show each variable as NAME=VALUE, then where the value comes from."""
    if not variables:
        yield "No display control variables."
    rows = [
        table.Row((text(Span(each.name, Role.VARIABLE), f"={each.value}"), text(each.source)))
        for each in variables
    ]
    yield from table.lines(COLUMNS, rows, style)
