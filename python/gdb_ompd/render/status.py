# SPDX-License-Identifier: Apache-2.0
"""`ompd status`, `ompd icvs` and `ompd env`: what is mapped, what serves it, how it is set."""

from __future__ import annotations

from os.path import basename
from typing import Iterator, Optional, Sequence

from ..model import (
    BY_USER,
    LIBRARY,
    ControlVariable,
    Icv,
    IcvOwner,
    RuntimeStatus,
    Scope,
    Status,
)
from . import folding, table
from .style import PLAIN, Role, Span, Style, Text, after, text, wrap
from .words import UNKNOWN, numbered, of_runtime

OF_VARIABLES = (table.Column(cut=True), table.Column())
HEADINGS = {
    Scope.GLOBAL: "Global",
    Scope.ADDRESS_SPACE: "Address space",
    Scope.THREAD: "Thread",
    Scope.PARALLEL: "Parallel region",
    Scope.IMPLICIT_TASK: "Implicit task",
    Scope.TASK: "Task",
    Scope.TEAMS: "Teams",
    Scope.TARGET: "Target",
}
OF_ICVS = (table.Column(), table.Column(cut=True), table.Column(), table.Column())
NOT_KNOWN = "unknown"
NONE = "none"
UNVERIFIED = "unverified layout"
OPENMP_VERSIONS = {201811: "5.0", 202011: "5.1", 202111: "5.2", 202411: "6.0"}
COLUMNS = (table.Column(), table.Column())


def env_lines(variables: Sequence[ControlVariable], style: Style = PLAIN) -> Iterator[str]:
    """Show each variable as NAME=VALUE, then where the value comes from: those that the
    user has set come first, and are marked."""
    if not variables:
        yield "No display control variables."
    ordered = sorted(variables, key=lambda each: each.source != BY_USER)
    rows = [
        table.Row(
            (text(Span(each.name, Role.VARIABLE), _value(each)), _source(each)),
            marked=each.source == BY_USER,
        )
        for each in ordered
    ]
    marked = any(row.marked for row in rows)
    yield from table.lines(OF_VARIABLES, rows, style, marker=marked, max_width=style.width)


def _source(variable: ControlVariable) -> Text:
    source = f"{variable.source}{of_runtime(variable)}"
    if not variable.rejected:
        return text(source)
    rejected = Span("rejected by the runtime", Role.HIGHLIGHT)
    return text(f"{source}, ", rejected, *after(": ", text(variable.in_force or "")))


def rejected_lines(
    variables: Sequence[ControlVariable], icvs: Sequence[Icv], style: Style = PLAIN
) -> Iterator[str]:
    """Say which of VARIABLES, whose values the runtime rejected, would have set one of ICVS."""
    shown = {icv.name for icv in icvs}
    for each in variables:
        if each.rejected and each.in_force and each.in_force.split()[0] in shown:
            words = text(
                "The runtime rejected ",
                Span(each.name, Role.VARIABLE),
                f'="{each.value}" of the environment: {each.in_force}.',
            )
            yield from map(style.paint, wrap(words, style.width))


def _value(variable: ControlVariable) -> str:
    return f" is {NOT_KNOWN}" if variable.value is None else f"={variable.value}"


def icvs_lines(icvs: Sequence[Icv], style: Style = PLAIN, *, prefix: str = "") -> Iterator[str]:
    """Show ICVS by scope: name, value in words, whose it is, and which correction gave it.

    Where all of a scope belong to one thread or region, the heading says whose.
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
        several = len({icv.owner or icv.runtime for icv in of_scope}) > 1
        headings[len(rows)] = HEADINGS[scope] + (f" ({owners})" if owners and not several else "")
        for same_name in folding.groups(of_scope, lambda icv: icv.name):
            rows += _rows(same_name, several, prefix)
    room = None if style.width is None else style.width - 2
    for index, parts in enumerate(table.of_rows(OF_ICVS, rows, style, max_width=room)):
        if index in headings:
            yield style.paint(text(Span(headings[index], Role.TITLE)))
        yield from ("  " + line for line in parts)


def _rows(icvs: Sequence[Icv], several: bool, prefix: str) -> Iterator[table.Row]:
    """Write one ICV: a row for each of its values, the name on the first only."""
    name = icvs[0].name
    for same_value in folding.groups(icvs, lambda icv: (icv.text, icv.source)):
        one = same_value[0]
        owners = named_owners(same_value, prefix) if several else ""
        is_corrected = one.value is not None and one.source != LIBRARY
        yield table.Row(
            (
                text(Span(name, Role.VARIABLE)),
                text(one.text or UNKNOWN),
                text(owners),
                text(f"corrected ({one.source})" if is_corrected else ""),
            )
        )
        name = ""


def named_owners(icvs: Sequence[Icv], prefix: str) -> str:
    """Name the owners of ICVS: "GDB threads 1-8", "regions 1-3", or "libgomp.so.1" of those of the
    whole process where it has several runtimes."""
    owners: list[Optional[IcvOwner]] = [icv.owner for icv in icvs]
    runtimes = {basename(icv.runtime) for icv in icvs if not icv.owner and icv.runtime}
    threads = [each.gdb_num for each in owners if each and each.gdb_num is not None]
    regions = [each.region for each in owners if each and each.region is not None]
    named = [("GDB thread", threads, prefix), ("region", regions, "")]
    numbers_of = [numbered(noun, numbers, before) for noun, numbers, before in named if numbers]
    return ", ".join([*numbers_of, *sorted(runtimes)])


def status_lines(status: Status, style: Style = PLAIN) -> Iterator[str]:
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
    return table.indented(COLUMNS, rows, style)


def _facts(runtime: RuntimeStatus) -> list[tuple[str, Text]]:
    library, read_from = runtime.ompd_library, runtime.read_from
    return [
        *([("Read from", text(Span(read_from, Role.FILENAME)))] if read_from else []),
        ("Kind", text(runtime.kind)),
        ("Version", text(runtime.version or NOT_KNOWN)),
        ("Build id", text(runtime.build_id or NOT_KNOWN)),
        ("OMPD library", text(Span(library, Role.FILENAME) if library else NONE)),
        ("OMPD version", text(_api_version(runtime.api_version))),
        ("Symbols", text(_symbols(runtime))),
        ("Initialized", text(_words(runtime.initialized, "yes", "no"))),
        ("Events", text(_words(runtime.events_enabled, "enabled", "disabled"))),
    ]


def _api_version(version: Optional[int]) -> str:
    if version is None:
        return NOT_KNOWN
    openmp = OPENMP_VERSIONS.get(version)
    return f"{version} (OpenMP {openmp})" if openmp else str(version)


def _symbols(runtime: RuntimeStatus) -> str:
    """Say where the symbols come from, and how far recovered ones can be trusted."""
    if runtime.symbols is None and runtime.layout_verified is not None:
        proved = "layout proved on its code" if runtime.layout_verified else UNVERIFIED
        return f"none needed ({proved})"
    if runtime.symbols != "recovered":
        return runtime.symbols or NONE
    if runtime.layout_verified and runtime.profile:
        return f"recovered (profile {runtime.profile})"
    return f"recovered ({UNVERIFIED})"


def _words(fact: Optional[bool], yes: str, no: str) -> str:
    return NOT_KNOWN if fact is None else yes if fact else no
