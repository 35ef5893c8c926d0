# SPDX-License-Identifier: Apache-2.0
"""Who waits for whom on a page: as a list, of which the page's script draws a picture, and in
Graphviz's language."""

from __future__ import annotations

import json
from typing import Any, Iterator

from ..errors import printable
from ..explain.wait_graph import Edge, Graph, WaitNode
from .pictures import cut, quoted, said

WIDEST_LINE, WIDEST_LABEL = 48, 40  # characters


def html(graph: Graph) -> str:
    """Return the list of who waits for whom, and a place for the picture of each part of it."""
    parts = "\n".join(
        f'<div class="scroll" tabindex="0" data-graph="{said(json.dumps(_drawn(part)))}"></div>'
        for part in graph.parts()
    )
    items = "".join(f"<li>{said(line)}</li>" for line in lines(graph))
    listed = f"<details open><summary>As a list</summary><ul>{items}</ul></details>"
    return f'<div class="parts">{parts}</div>\n{listed}' if graph.edges else ""


def lines(graph: Graph) -> Iterator[str]:
    """Say who waits for whom."""
    for edge in graph.edges:
        waiter, target = graph.nodes[edge.waiter], graph.nodes[edge.target]
        others = "others of them" if waiter is target and waiter.gdb_nums[1:] else target.who
        verb = "wait" if waiter.gdb_nums[1:] else "waits"
        where = f", {waiter.where}" if waiter.where else ""
        yield f"{waiter.who}{where}: {verb} for {others}, {edge.text}"


def _drawn(graph: Graph) -> dict[str, Any]:
    waiters = {edge.waiter for edge in graph.edges}
    return {
        "nodes": [_node(node, n in waiters) for n, node in enumerate(graph.nodes)],
        "edges": [_edge(edge) for edge in graph.edges],
    }


def _node(node: WaitNode, waits: bool) -> dict[str, Any]:
    """Return a box's lines: the edge says what its threads wait for."""
    shown = (node.who, "" if waits else node.what, _short(node.where))
    lines_of = [cut(line, WIDEST_LINE) for line in shown if line]
    return {"lines": lines_of, "title": printable(node.text), "cycle": node.cycle}


def _short(where: str) -> str:
    """Cut a place's function, which may be long, not its line."""
    function, at, line = where.partition(" at ")
    return f"{cut(function, max(8, WIDEST_LINE - len(at) - len(line)))}{at}{line}"


def _edge(edge: Edge) -> dict[str, Any]:
    short = {"text": cut(edge.text, WIDEST_LABEL), "title": printable(edge.text)}
    return {**edge._asdict(), **short}


def dot(graph: Graph) -> str:
    """Return the graph in Graphviz's language: the cycle is on top there, too."""
    made = ["digraph waits {", "  node [shape=box];"]
    for number, node in enumerate(graph.nodes):
        color = ', color="red"' if node.cycle else ""
        made.append(f"  n{number} [label={quoted(node.text)}{color}];")
    for edge in graph.edges:
        ends = (
            f"n{edge.target} -> n{edge.waiter}"
            if edge.upward
            else f"n{edge.waiter} -> n{edge.target}"
        )
        more = ', color="red"' if edge.cycle else ", dir=back" if edge.upward else ""
        made.append(f"  {ends} [label={quoted(edge.text)}{more}];")
    return "\n".join([*made, "}"]) + "\n"
