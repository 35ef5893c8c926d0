# SPDX-License-Identifier: Apache-2.0
"""`ompd status`: what is mapped, what serves it, and the fix for what is missing."""

from __future__ import annotations

from typing import Iterator, Optional

from ..model import RuntimeStatus, Status
from . import table
from .style import PLAIN, Role, Span, Style, Text, text

UNKNOWN = "unknown"
NONE = "none"
UNVERIFIED = "unverified layout"
OPENMP_VERSIONS = {201811: "5.0", 202011: "5.1", 202111: "5.2", 202411: "6.0"}
# Recovery was never tried on a running program there.
CHECKED_ON_FILES = ("aarch64",)
COLUMNS = (table.Column(), table.Column())


def lines(status: Status, style: Style = PLAIN) -> Iterator[str]:
    """Show a block for each runtime, the settings, then the notes.

    Where there is no runtime, the notes come first: they say why.
    """
    if not status.runtimes:
        yield from status.notes or ("No OpenMP runtime is mapped.",)
    for runtime in status.runtimes:
        yield style.paint(text("OpenMP runtime ", Span(runtime.file, Role.FILENAME)))
        if runtime.problem:
            yield style.paint(text("  ", Span(f"Problem: {runtime.problem}", Role.HIGHLIGHT)))
        for refused in runtime.refused:
            if refused not in (runtime.problem or ""):
                yield f"  Refused: {refused}"
        yield from _table(_facts(runtime), style)
    if status.settings:
        yield style.paint(text(Span("Settings", Role.TITLE)))
        yield from _table([(name, text(value)) for name, value in status.settings], style)
    if status.runtimes:
        yield from status.notes


def _table(facts: list[tuple[str, Text]], style: Style) -> Iterator[str]:
    rows = [table.Row((text(name), value)) for name, value in facts]
    for line in table.lines(COLUMNS, rows, style):
        yield "  " + line


def _facts(runtime: RuntimeStatus) -> list[tuple[str, Text]]:
    library = runtime.ompd_library
    return [
        ("Kind", text(runtime.kind)),
        ("Version", text(runtime.version or UNKNOWN)),
        ("Build id", text(runtime.build_id or UNKNOWN)),
        ("OMPD library", text(Span(library, Role.FILENAME) if library else NONE)),
        ("OMPD version", text(_api_version(runtime.api_version))),
        ("Symbols", text(_symbols(runtime))),
        ("Initialized", text(_words(runtime.initialized, "yes", "no"))),
        ("Events", text(_words(runtime.events_enabled, "enabled", "disabled"))),
    ]


def _api_version(version: Optional[int]) -> str:
    if version is None:
        return UNKNOWN
    openmp = OPENMP_VERSIONS.get(version)
    return f"{version} (OpenMP {openmp})" if openmp else str(version)


def _symbols(runtime: RuntimeStatus) -> str:
    """Say where the symbols come from, and how far recovered ones can be trusted."""
    if runtime.symbols is None and runtime.layout_verified is not None:
        proved = "layout proved on its code" if runtime.layout_verified else UNVERIFIED
        return f"none needed ({proved})"
    if runtime.symbols != "recovered":
        return runtime.symbols or NONE
    if runtime.architecture in CHECKED_ON_FILES:
        return f"recovered ({runtime.architecture}: checked on files only)"
    if runtime.layout_verified and runtime.profile:
        return f"recovered (profile {runtime.profile})"
    return f"recovered ({UNVERIFIED})"


def _words(fact: Optional[bool], yes: str, no: str) -> str:
    return UNKNOWN if fact is None else yes if fact else no
