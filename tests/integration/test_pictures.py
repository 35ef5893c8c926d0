# SPDX-License-Identifier: Apache-2.0
"""The picture of who waits for whom, as a browser draws it, of every hang that is known."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from gdb_ompd.explain.wait_graph import MOST_NODES, Graph, wait_graph
from gdb_ompd.render import graph as drawing
from gdb_ompd.render import page
from gdb_ompd.saved import facts
from support.browser import BROWSER, shown
from support.made_pages import COUNTS
from support.made_waits import reports

SAVED = sorted(Path(__file__).parents[1].glob("unit/facts/*.json"))


# Complains of each text that is wider than the box, or the label, that was drawn before it.
MEASURED = """<script>
document.querySelectorAll("[data-graph] rect").forEach(function (box) {
  for (let text = box.nextSibling; text && text.tagName === "text"; text = text.nextSibling) {
    const inner = text.getBBox(), outer = box.getBBox();
    if (inner.x < outer.x || inner.x + inner.width > outer.x + outer.width ||
        inner.y < outer.y - 1 || inner.y + inner.height > outer.y + outer.height + 1) {
      console.error("not in its box: " + text.textContent);
    }
  }
});
</script></body>"""


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def has_on_its_edge(self, x: float, y: float) -> bool:
        near = self.left - 1 <= x <= self.right + 1 and self.top - 1 <= y <= self.bottom + 1
        sides = (x - self.left, self.right - x, y - self.top, self.bottom - y)
        return near and min(abs(side) for side in sides) <= 1


def graphs() -> Iterator[tuple[str, Graph]]:
    for path in SAVED:
        kept = facts.load(str(path))
        assert isinstance(kept, facts.Kept)
        yield path.stem, wait_graph(kept.report())
    for count in COUNTS:
        for kind, report in reports(count).items():
            yield f"{kind} of {count}", wait_graph(report)


def boxes(svg: ElementTree.Element, kind: str) -> list[Box]:
    found = []
    for each in svg.iter():
        if each.tag == "rect" and each.get("class", "").split()[0] == kind:
            x, y, wide, high = (float(each.get(n, 0)) for n in ("x", "y", "width", "height"))
            found.append(Box(x, y, x + wide, y + high))
    return found


def ends(svg: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """Yield where each edge begins and, drawn step by step, ends."""
    for each in svg.iter("path"):
        if not each.get("class", "").startswith("edge"):
            continue
        steps = re.findall(r"([MQhq])([^A-Za-z]*)", each.get("d", ""))
        x = y = 0.0
        for step, words in steps:
            numbers = [float(number) for number in words.split()]
            if step in "MQ":
                x, y = numbers[-2:]
            else:
                x, y = x + (numbers[-2] if step == "q" else numbers[0]), y + (
                    numbers[-1] if step == "q" else 0
                )
            if step == "M":
                yield x, y
        yield x, y


def faults(svg: ElementTree.Element) -> Iterator[str]:
    nodes, labels = boxes(svg, "node"), boxes(svg, "label")
    everything = [*nodes, *labels]
    for n, one in enumerate(everything):
        for other in everything[:n]:
            if one.overlaps(other):
                yield f"{one} is over {other}"
        if (
            min(one) < 0
            or one.right > float(svg.get("width", 0))
            or one.bottom > float(svg.get("height", 0))
        ):
            yield f"{one} is not in the picture"
    for x, y in ends(svg):
        if not any(node.has_on_its_edge(x, y) for node in nodes):
            yield f"an edge ends at {x}, {y}"


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
def test_boxes_edges_and_labels_are_clear_of_each_other(tmp_path: Path) -> None:
    known = [(name, graph) for name, graph in graphs() if graph.edges]
    sections = [(f"g{n}", name, drawing.html(graph)) for n, (name, graph) in enumerate(known)]
    path = tmp_path / "all.html"
    text = page.document("Hangs", "", sections)
    path.write_text(text.replace("</body>", MEASURED), "utf-8")
    drawn = re.findall(r"<section.*?</section>", shown(path), re.DOTALL)
    assert len(drawn) == len(known) > 100
    wrong = []
    for (name, graph), section in zip(known, drawn):
        pictures = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", section)]
        assert len(graph.nodes) <= MOST_NODES
        assert len(graph.nodes) == sum(len(boxes(svg, "node")) for svg in pictures), name
        assert len(graph.edges) == sum(len(boxes(svg, "label")) for svg in pictures), name
        wrong += [f"{name}: {fault}" for svg in pictures for fault in faults(svg)]
        cycle = [each for svg in pictures[:1] for each in svg.iter("rect")]
        in_cycle = [float(r.get("y", 0)) for r in cycle if r.get("class") == "node cycle"]
        others = [float(r.get("y", 0)) for r in cycle if r.get("class") == "node"]
        if in_cycle and others and min(others) <= min(in_cycle):
            wrong.append(f"{name}: the cycle is not on top")
    assert not wrong, "\n".join(wrong[:20])
