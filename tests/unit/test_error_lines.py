# SPDX-License-Identifier: Apache-2.0
"""An error is one line, whatever the program's memory put into it."""

from __future__ import annotations

import pytest

from gdb_ompd.errors import Inconsistent, NoRuntime


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("/lib/libomp.so", "/lib/libomp.so"),
        ("\b\x1b[31mred\n", "\\x08\\x1b[31mred\\n"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("é\ufffd", "é\ufffd"),
    ],
)
def test_what_a_terminal_would_act_on_is_escaped(named: str, said: str) -> None:
    assert str(NoRuntime(f"{named} cannot be read")) == f"{said} cannot be read"
    assert str(Inconsistent(named)) == said
