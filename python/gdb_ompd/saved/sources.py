# SPDX-License-Identifier: Apache-2.0
"""The source around each place of a stop, as far as its files are there now."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Optional

from ..explain.moved import Whole
from ..host import files
from ..model.sources import Excerpt

AROUND = 4  # lines before a place, and behind it
MOST = 300  # places
MOST_BYTES = 1 << 24  # of a file


def excerpts(
    whole: Whole, full_name: Callable[[str, int], Optional[str]] = lambda file, line: None
) -> tuple[Excerpt, ...]:
    """Return the source around the places of WHOLE, those of threads first. A place is left out
    whose file cannot be read, or is named without folders that FULL_NAME knows."""
    program = next((value for name, value in whole.about if name == "Program"), "")
    known: dict[tuple[str, int], Optional[Excerpt]] = {}
    texts: dict[str, list[str]] = {}
    for place in _places(whole):
        if len(known) == MOST:
            break
        if not place.file or not place.line or (place.file, place.line) in known:
            continue
        file = place.file if os.path.isabs(place.file) else full_name(place.file, place.line)
        found = _excerpt(place, file, program, texts) if file else None
        known[place.file, place.line] = found
    return tuple(each for each in known.values() if each is not None)


def _places(whole: Whole) -> Iterator[Any]:
    """Yield what has a file and a line."""
    for thread in whole.snapshot.threads:
        if thread.location is not None:
            yield thread.location
    yield from whole.snapshot.regions
    yield from whole.tasks
    for tree in whole.trees:
        yield from (node.place for node in tree.nodes)


def _excerpt(place: Any, file: str, program: str, texts: dict[str, list[str]]) -> Optional[Excerpt]:
    line, code = place.line, getattr(place, "code", None)
    if file not in texts:
        texts[file] = _lines(file)
    if line > len(texts[file]):
        return None
    first = max(line - AROUND, 1)
    lines = tuple(texts[file][first - 1 : line + AROUND])
    newer = _is_newer(file, program if code is None else code.module)
    return Excerpt(place.file, line, place.function, first, lines, newer)


def _lines(file: str) -> list[str]:
    try:
        text = files.read(file, MOST_BYTES)
    except OSError:
        return []
    return text.decode("utf-8", "replace").splitlines()


def _is_newer(file: str, module: str) -> bool:
    """Tell whether FILE is newer than what was compiled of it; where that is gone, nothing tells."""
    try:
        return os.stat(file).st_mtime_ns > os.stat(module).st_mtime_ns
    except OSError:
        return False
