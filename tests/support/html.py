# SPDX-License-Identifier: Apache-2.0
"""Pages taken apart."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input", "link", "br"}


class Reader(HTMLParser):
    """Takes a page apart, and fails where its elements are not closed as they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tbody":
            self.tables.append([])
        if tag == "tr" and "tbody" in self.open:
            self.tables[-1].append([])
        if tag == "td":
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open and self.open[-1] == "td":
            self.tables[-1][-1][-1] += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader
