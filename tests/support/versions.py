# SPDX-License-Identifier: Apache-2.0
"""What each version of OpenMP has in OMPD, as a page: ``python -m support.versions`` from ``tests``
writes docs/versions.md of the native module's table."""

from __future__ import annotations

from gdb_ompd import _native
from support.runtimes import ROOT

PAGE = ROOT / "docs" / "versions.md"
VERSIONS = {201811: "5.0", 202011: "5.1", 202111: "5.2", 202411: "6.0"}
INTRODUCTION = """\
# Which version of OMPD has what

An OMPD library is offered the newest version of OMPD first, and older ones until it takes one:
{versions}.
What it has of the names below is shown, whichever version was agreed on. A library needs the
{required} functions of 5.0; newer ones are optional. "-" is what no version here has dropped.
`sh scripts/versions.sh` writes this page from the table in
`native/src/base/specification.cpp`.
"""
TITLES = {
    "icvs": "ICVs",
    "scopes": "Scopes of ICVs",
    "states": "States",
    "events": "Events",
    "functions": "Functions of the library",
    "return codes": "Return codes",
}


def text() -> str:
    """Return the page."""
    newest_first = sorted(VERSIONS, reverse=True)
    functions = _native.specified("functions")
    lines = [
        INTRODUCTION.format(
            versions=", ".join(f"{number} ({VERSIONS[number]})" for number in newest_first),
            required=sum(each.since == min(VERSIONS) for each in functions),
        )
    ]
    for what, title in TITLES.items():
        lines += [f"## {title}", "", "| Name | Since | Until |", "|---|---|---|"]
        for each in _native.specified(what):
            until = _before(each.dropped) if each.dropped else "-"
            name = f"ompd_{each.name}" if what == "functions" else each.name
            lines.append(f"| `{name}` | {VERSIONS[each.since]} | {until} |")
        lines.append("")
    return "\n".join(lines)


def _before(version: int) -> str:
    return VERSIONS[max(each for each in VERSIONS if each < version)]


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
