# SPDX-License-Identifier: Apache-2.0
"""``ompd devices``: the devices, who uses them, and what is mapped there."""

from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

from ..model import Thread
from ..model.devices import Device, Devices, Mapped
from . import folding, table
from .json_document import SCHEMA, of
from .style import PLAIN, Role, Span, Style, Text, painted, text, wrapped_lines
from .words import awaiting, line_of

COLUMNS = (
    table.Column("Name"),
    table.Column("Host"),
    table.Column("Device"),
    table.Column("Bytes", right=True),
    table.Column("References", right=True),
)
ALWAYS = "always"


def document(devices: Devices) -> dict[str, Any]:
    """Return the document of ``ompd devices -json``."""
    return {
        "schema": SCHEMA,
        "devices": [
            {
                "number": one.number,
                "default": one.number == devices.default,
                "library": one.library,
                "plugin": one.plugin,
                "kind": one.kind,
                "threads": _numbers(one.threads),
                "mapped": None if one.mapped is None else [of(each) for each in one.mapped],
                "why_unknown": one.why_unknown,
            }
            for one in devices.devices
        ],
        "default": devices.default,
        "host": {
            "number": devices.host,
            "threads": _numbers(devices.on_host),
            "why": devices.why_host,
        },
        "notes": list(devices.unknown),
    }


def _numbers(threads: Sequence[Thread]) -> list[int]:
    return [thread.gdb_num for thread in threads]


def lines(devices: Devices, style: Style = PLAIN, *, prefix: str = "") -> Iterator[str]:
    """Show each device with what is mapped there, equal neighbours on one line; then the host."""

    def equal(one: Device) -> object:
        alike = one._replace(number=0)
        return alike, one.number == devices.default, one.number if one.threads else None

    for same in folding.runs(devices.devices, equal):
        yield from _lines_of(same, devices, style, prefix)
    yield from _host(devices, style, prefix)
    for why in devices.unknown:
        yield from wrapped_lines(why, style.width)


def _lines_of(same: Sequence[Device], devices: Devices, style: Style, prefix: str) -> Iterator[str]:
    one = same[0]
    numbers = folding.ranges([each.number for each in same])
    default = " (default)" if one.number == devices.default else ""
    said = f"Device{'s' * (len(same) > 1)} {numbers}{default}"
    yield from painted(text(f"{said}: ", *_served(one), _content(one)), style, style.width)
    yield from _users(one.threads, style, prefix)
    rows = [table.Row(_cells(each)) for each in one.mapped or ()]
    yield from table.indented(COLUMNS, rows, style)


def _served(one: Device) -> Text:
    file = os.path.basename(one.plugin or one.library)
    return text(*(f"{one.kind}, " if one.kind else ""), Span(file, Role.FILENAME))


def _content(one: Device) -> str:
    if one.mapped is None:
        return f"; what is mapped is not known: {one.why_unknown}"
    return "" if one.mapped else "; nothing is mapped"


def _users(threads: Sequence[Thread], style: Style, prefix: str) -> Iterator[str]:
    for thread in threads:
        yield style.paint(text(f"  GDB thread {prefix}{thread.gdb_num}: ", *_use(thread)))


def _use(thread: Thread) -> Text:
    target = thread.target
    if target is None:
        return ()
    where = line_of(target) or text(target.function or "")
    said = text("in target") if target.executes else awaiting(target)
    return text(*said, *(text(" at ", *where) if where else ()))


def _cells(one: Mapped) -> tuple[str, ...]:
    return (
        one.name or "?",
        f"0x{one.host:x}",
        f"0x{one.device:x}",
        str(one.bytes),
        ALWAYS if one.references is None else str(one.references),
    )


def _host(devices: Devices, style: Style, prefix: str) -> Iterator[str]:
    number = "" if devices.host is None or not devices.devices else f" (device {devices.host})"
    if devices.why_host is not None:
        said = f"The host executes every target region: {devices.why_host}."
        yield from wrapped_lines(said, style.width)
    elif devices.on_host or number:
        what = ":" if devices.on_host else ": no target region is executed there"
        yield f"The host{number}{what}"
    yield from _users(devices.on_host, style, prefix)
