# SPDX-License-Identifier: Apache-2.0
"""What C and C++ code declares, by its text: of some variables debug information has nothing."""

from __future__ import annotations

import re

_TYPE = (
    r"\s*(?!return\b|else\b|case\b|goto\b|delete\b|throw\b|new\b|using\b|typedef\b)[A-Za-z_]"
    r"[\w:]*(?:<[^;]*>)?[\s*&]+"
)
_BEFORE = r"(?:(?:[A-Za-z_][\w:]*(?:<[^;]*>)?[\s*&]+)+|[A-Za-z_][^;{}]*,[\s*&]*)?"
_DECLARES = rf"{_TYPE}{_BEFORE}%s\s*(?:[\[=,:]|0 |$)"
_HEAD = re.compile(r"\b(?:for|if|while|switch|catch)\s*\(((?:[^()]|\([^()]*\))*)\)")
_BRACKETS, _LIST = re.compile(r"\([^()]*\)"), re.compile(r"=\s*\{[^{}]*\}")
_NO_CODE = re.compile(
    r'(?P<text>"(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|(?P<line>^[ \t]*#(?:\\\n|[^\n])*)',
    re.DOTALL | re.MULTILINE,
)


def declares(text: str, name: str) -> bool:
    """Tell whether C or C++ code declares a variable NAME: in a statement, or in the brackets that
    a statement begins with."""
    text = _NO_CODE.sub(lambda no: ";" if no["line"] else " 0 " if no["text"] else " ", text)
    code = [_bare(head) for head in _HEAD.findall(text)] + [_bare(text)]
    declaration = re.compile(_DECLARES % re.escape(name))
    return any(declaration.match(part) for each in code for part in re.split(r"[;{}]", each))


def _bare(text: str) -> str:
    """Return code without what is in brackets, and without the lists that variables begin as."""
    count = 1
    while count:
        text, count = _BRACKETS.subn(" 0 ", text)
    return _LIST.sub("= 0 ", text)
