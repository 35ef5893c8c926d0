# SPDX-License-Identifier: Apache-2.0
"""No type is looked up by a name of ours: a language, or a machine without debug files, may not
have it. gdb.Architecture.integer_type and memory's bytes need no name."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "gdb_ompd"
BY_NAME = re.compile(r"lookup_type\(\s*f?[\"']")


def test_no_type_is_looked_up_by_a_name_of_ours() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 100
    assert [path.name for path in files if BY_NAME.search(path.read_text("utf-8"))] == []
