# SPDX-License-Identifier: Apache-2.0
"""Which code declares a variable."""

from __future__ import annotations

import pytest
from gdb_ompd.values.declarations import declares

DECLARE = [
    "double x = 1;",
    "double b = (double)(f() * 7 + 6), &x = b;",
    "int x;",
    "unsigned long x = 3",
    "struct pair x = {f() * 7, {0.5, 8}};",
    "double a[3] = {1, f(2), 3}, x;",
    "const T<int, long> *x(3);",
    "for (int x = 0; x < 3; x++)",
    "for (auto &x : v)",
    "for (int i = 0, x = f(3, 4); ;)",
    "if (int x = f()) {",
    "#pragma omp barrier\n double x = 3;",
    "std::vector<int> x{1}",
    "// text\n int x = 2;",
    "int y,\n x;",
    "double x[3] = {1.5}",
    "auto *x = &y",
    "int i, *x",
    'int y = f(")"), x;',
]
DO_NOT = [
    "x = 3;",
    "total = x;",
    "total += f(x);",
    "f(a * b, x);",
    "unsigned y = x;",
    "// int x = 3\ny = 2;",
    "a = b, x = 3;",
    "if (x) x = 3;",
    "return x;",
    "int y = f(x, x);",
    "int y = a ? b : x;",
    '"int x";',
    "#pragma omp task firstprivate(x)\n y();",
    "int x2 = 3, xx;",
    "(double)(x);",
    "while (y) x = 3;",
    "y * 2 + x;",
    "double y[2] = {1, x};",
]


@pytest.mark.parametrize("text", DECLARE)
def test_a_declaration_is_found(text: str) -> None:
    assert declares(text, "x")


@pytest.mark.parametrize("text", DO_NOT)
def test_a_use_is_none(text: str) -> None:
    assert not declares(text, "x")
