#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check a site's links: python3 check-site.py FOLDER. Fails where one leads nowhere in it."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse


class Page(HTMLParser):
    """The links of a page, and the names that links may lead to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag has."""
        for key, value in attrs:
            if key in ("href", "src") and value:
                self.links.append(value)
            elif key in ("id", "name") and value:
                self.names.add(value)


def main(folder: str) -> int:
    """Write what leads nowhere; return the exit status."""
    root = Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html")) if path.name != "404.html"}
    wrong, count = [], 0
    for path, page in pages.items():
        for link in page.links:
            if urlparse(link).scheme or link.startswith("//"):
                continue
            count += 1
            where, part = urldefrag(link)
            target = (path.parent / unquote(where)).resolve() if where else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                wrong.append(f"{path.name}: {link}: no such page")
            elif part and target in pages and part not in pages[target].names:
                wrong.append(f"{path.name}: {link}: the page has no such part")
    print("\n".join(wrong) or f"{root}: {len(pages)} pages, {count} links, all lead somewhere")
    return 1 if wrong or len(pages) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
