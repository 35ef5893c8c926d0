# SPDX-License-Identifier: Apache-2.0
"""Make a test of the facts in a file, which "ompd save" or "ompd why -facts -json" has written:

    PYTHONPATH=python:tests python3 -m support.facts_as_test FILE NAME SENTENCE

writes tests/unit/facts/NAME.json with what is concluded now: put "verdict" and "text" right by
hand. SENTENCE says what the program does. Folders, which are nobody's business, are left out.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from gdb_ompd.explain.verdict import explain
from gdb_ompd.render.json_document import dump
from gdb_ompd.saved import facts

FILES = ("file", "module")
FOLDER = Path(__file__).resolve().parents[1] / "unit" / "facts"


def text(document: dict[str, Any], about: str) -> str:
    """Return the test that DOCUMENT becomes, a document of facts."""
    said = {"schema": document["schema"], "what": document["what"], "about": about}
    return dump({**said, **_without_folders(document)}) + "\n"


def _without_folders(value: Any) -> Any:
    if isinstance(value, dict):
        known = {key: _without_folders(part) for key, part in value.items()}
        files = {key: os.path.basename(value[key]) for key in FILES if value.get(key)}
        return {**known, **files}
    return [_without_folders(part) for part in value] if isinstance(value, list) else value


def main(file: str, name: str, about: str) -> None:
    """Write the test."""
    known = facts.load(file).facts()
    if known is None:
        sys.exit(f"{file}: no facts in it: gdb-ompd before 0.2 has written it")
    path = FOLDER / f"{name}.json"
    path.write_text(text(facts.document(known, explain(known)), about), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
