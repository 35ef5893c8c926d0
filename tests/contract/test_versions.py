# SPDX-License-Identifier: Apache-2.0
"""What is said of OpenMP's versions follows from the native module's one table."""

from __future__ import annotations

from gdb_ompd import _native
from gdb_ompd.model import Scope
from gdb_ompd.render.words import STATES
from support.versions import PAGE, text


def test_the_page_is_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run sh scripts/versions.sh"


def test_each_state_has_words() -> None:
    # Of a thread in an undefined state nothing is said.
    assert {each.name for each in _native.specified("states")} - set(STATES) == {"undefined"}


def test_each_scope_is_the_models() -> None:
    scopes = [each.name for each in _native.specified("scopes")]
    assert scopes == [f"ompd_scope_{scope.value.replace(' ', '_')}" for scope in Scope]
