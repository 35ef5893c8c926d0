# SPDX-License-Identifier: Apache-2.0
"""Each row of the table of what compilers describe wrongly has a test, which fails where a compiler
does so no longer."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "python" / "gdb_ompd" / "values" / "faults.py"


def test_each_row_names_a_test_that_is_there() -> None:
    tree = ast.parse(TABLE.read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    rows = [
        ast.literal_eval(call.args[4])
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "Fault"
    ]
    assert len(rows) > 9
    texts = [path.read_text("utf-8") for path in (ROOT / "tests" / "integration").glob("*.py")]
    assert [row for row in rows if not any(f"def {row}(" in text for text in texts)] == []
