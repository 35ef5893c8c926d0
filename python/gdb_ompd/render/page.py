# SPDX-License-Identifier: Apache-2.0
"""`ompd report`: a stop as one page that needs nothing else, neither network nor script to be
read. All that comes from the program is escaped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from ..explain.moved import Whole
from ..explain.wait_graph import Graph, wait_graph
from ..model import Icv, Task, Thread
from ..model.sources import Excerpt
from . import boxes, compare, folding, graph, pictures, sources, status, tasks, why
from .pictures import STATES, said
from .style import plain
from .words import UNKNOWN, level, location, place, sentence, state

FOLDER = Path(__file__).parent
DRAWN = ("regions", "stacks")
SVG = ("regions", "waits", "stacks")
DOT = ("regions", "waits")
NO_GRAPH = Graph((), ())
Section = tuple[str, str, str]  # its name, its title, and what is in it


def picture(whole: Whole, name: str) -> str:
    """Return one of the pictures DRAWN as an SVG file."""
    return pictures.alone(_picture(whole, name), _text("picture.css"))


def dot(whole: Whole, name: str) -> str:
    """Return one graph in Graphviz's language."""
    if name == "regions":
        return pictures.dot_of_regions(whole.snapshot)
    return graph.dot(_waits(whole))


def html(whole: Whole, excerpts: Sequence[Excerpt] = ()) -> str:
    """Return the page, with EXCERPTS of the source."""
    path = next((value for name, value in whole.about if name == "Program"), "OpenMP")
    about = [pair for pair in whole.about if pair[0] != "Program"]
    title = os.path.basename(path)
    title += f": {whole.report.verdict.value}" if whole.report is not None else ""
    head = f'<p class="path">{said(path)}</p>\n{_verdict(whole)}\n{_pairs(about)}'
    return document(title, head, _sections(whole, excerpts))


def document(title: str, head: str, all_sections: Iterable[Section]) -> str:
    """Return a page: its HEAD, and of its sections those that have something."""
    sections = [each for each in all_sections if each[2]]
    links = " ".join(f'<a href="#{name}">{name_of}</a>' for name, name_of, _ in sections)
    body = "\n".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{name_of}</h2>\n{content}\n</section>'
        for name, name_of, content in sections
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f"<title>{said(title)}</title>\n<style>{_text('page.css')}"
        f"{_text('picture.css')}</style></head>\n<body>\n<header><h1>{said(title)}</h1>\n"
        f"{head}\n<nav>{links}</nav></header>\n<main>\n{body}\n"
        f"</main>\n<script>{_script('data-graph=' in body)}</script>\n</body>\n</html>\n"
    )


def _script(draws: bool) -> str:
    """Return the page's script, with what lays a graph out where it DRAWS one."""
    return "".join(map(_text, (*(("dagre.min.js", "graph.js") if draws else ()), "page.js")))


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _verdict(whole: Whole) -> str:
    said_first = []
    if whole.report is not None:
        kind, text = whole.report.verdict.value, whole.report.text
        said_first.append(verdict(sentence(text), kind, "verdict"))
    if whole.comparison is not None:
        said_first.append(verdict(sentence(whole.comparison.text), "", "moved"))
    return "\n".join([*said_first, notes(whole.notes)])


def verdict(text: str, kind: str, name: str) -> str:
    """Show a sentence before all else."""
    return f'<p class="verdict {kind}" id="{name}">{said(text)}</p>'


def notes(lines: Iterable[str]) -> str:
    """Show what is not known, each once."""
    items = "".join(f"<li>{said(line)}</li>" for line in dict.fromkeys(lines))
    return f"<ul>{items}</ul>" if items else ""


def _sections(whole: Whole, excerpts: Sequence[Excerpt]) -> Iterator[Section]:
    report = whole.report
    # Sentences break where the page ends, a listing scrolls.
    remarks = report.notes if report is not None else ()
    details = list(why.lines(report._replace(notes=())))[1:] if report is not None else []
    legend = "".join(f'<span><i class="{each}"></i>{each}</span>' for each in STATES)
    legend = f'<p class="legend" aria-hidden="true">{legend}</p>'
    yield "regions", "Parallel regions", legend + scroll(_picture(whole, "regions"))
    yield "waits", "Who waits for whom", graph.html(_waits(whole))
    yield "why", "Teams, locks and cycles", listing(details) + notes(remarks)
    yield "source", "Source", sources.html(whole, excerpts)
    if whole.comparison is not None:
        yield "compared", "What has moved", listing(list(compare.lines(whole.comparison))[1:])
    yield "stacks", "Merged stacks", scroll(_picture(whole, "stacks")) if whole.trees else ""
    yield "threads", "Threads", _threads(whole)
    yield "tasks", "Tasks", _tasks(whole)
    yield "waiting", "Tasks that no thread executes", listing(
        list(tasks.waiting_lines(whole.waiting))
    )
    yield "icvs", "Internal control variables", _icvs(whole.icvs, whole.prefix)
    yield "environment", "Environment", table(
        ("Name", "Value", "Source"),
        (
            (v.name, status.NOT_KNOWN if v.value is None else v.value, v.source)
            for v in whole.variables
        ),
    )
    yield "status", "Runtimes and settings", listing(list(status.status_lines(whole.status)))


def _picture(whole: Whole, name: str) -> str:
    if name == "regions":
        return boxes.regions(whole.snapshot, whole.prefix)
    return pictures.flames(whole.trees)


def _waits(whole: Whole) -> Graph:
    return wait_graph(whole.report) if whole.report else NO_GRAPH


def scroll(content: str) -> str:
    """Let the keyboard scroll what is too wide."""
    return f'<div class="scroll" tabindex="0">{content}</div>'


def listing(lines: Sequence[str]) -> str:
    """Show lines of a command as they are."""
    text = "\n".join(map(said, lines))
    return f"<pre>{text}</pre>" if lines else ""


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{said(name)}</dt><dd>{said(value)}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>" if rows else ""


class Link(NamedTuple):
    """A cell of a table that leads to another page."""

    text: str
    page: str


def table(heads: Sequence[str], rows: Iterable[Sequence[Union[str, Link]]]) -> str:
    """Show rows that the page sorts and filters."""
    lines = ["<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    if not lines:
        return ""
    head = "".join(f'<th scope="col">{said(each)}</th>' for each in heads)
    body = "\n".join(lines)
    return scroll(f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>")


def _cell(cell: Union[str, Link]) -> str:
    return (
        said(cell)
        if isinstance(cell, str)
        else f'<a href="{said(cell.page)}">{said(cell.text)}</a>'
    )


def _number(value: Optional[int]) -> str:
    return UNKNOWN if value is None else str(value)


def _threads(whole: Whole) -> str:
    heads = ("GDB", "LWP", "Thread", "Team", "Level", "Region", "State", "Task", "Where")

    def row(thread: Thread) -> tuple[str, ...]:
        where = plain(location(thread.location)) or thread.error or ""
        return (
            f"{whole.prefix}{thread.gdb_num}",
            str(thread.lwp),
            _number(thread.thread_num),
            _number(thread.team_size),
            level(thread.level, thread.active_level),
            _number(thread.region),
            plain(state(thread)),
            thread.task.value if thread.task else UNKNOWN,
            where,
        )

    return table(heads, map(row, whole.snapshot.threads))


def _tasks(whole: Whole) -> str:
    heads = ("GDB thread", "Depth", "Kind", "Final", "Where")

    def row(task: Task) -> tuple[str, ...]:
        kind = task.kind.value if task.kind else "unknown"
        final = UNKNOWN if task.final is None else "yes" if task.final else "no"
        where = plain(place(task))
        return f"{whole.prefix}{task.gdb_num}", str(task.depth), kind, final, where

    return table(heads, map(row, whole.tasks))


def _icvs(values: Sequence[Icv], prefix: str) -> str:
    alike = folding.groups(values, lambda icv: (icv.scope, icv.name, icv.text, icv.source))
    heads = ("Name", "Scope", "Value", "Source", "Whose")
    return table(
        heads,
        (
            (
                same[0].name,
                same[0].scope.value,
                same[0].text,
                same[0].source,
                status.named_owners(same, prefix),
            )
            for same in alike
        ),
    )
