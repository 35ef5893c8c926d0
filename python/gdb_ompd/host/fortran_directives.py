# SPDX-License-Identifier: Apache-2.0
"""The directive of Fortran's that an outlined function was made of.

GCC says that the function, and the call that is given it, are in the line of the last statement of
the construct's body. The directive is the innermost one that is above all lines of the function's
code, and whose construct has not ended where the last of them is.
"""

from __future__ import annotations

import re
from typing import Iterator, Optional

import gdb

from .directives import directive_at, first_line, is_outlining
from .source_text import line_of, lines_between

_DIRECTIVE = re.compile(r"\s*[!c*]\$omp\b", re.IGNORECASE)
_CONTINUATION = re.compile(r"\s*[!c*]\$omp&?", re.IGNORECASE)
_NAME = re.compile(
    r"(?:(?:parallel|do|simd|sections|workshare|task|taskloop|teams|target|distribute|loop|master"
    r"|masked|data)\b\s*)+"
)
_LOOPS = re.compile(r"\b(?:do|simd|taskloop|distribute|loop)\b")
_DO = re.compile(r"\s*(?:\w+\s*:\s*)?do\b", re.IGNORECASE)
_END_DO = re.compile(r"\s*end\s*do\b", re.IGNORECASE)
_STATEMENT = re.compile(r"\s*[^!\s]")
_PROCEDURE = re.compile(
    r"\s*(?!end\b|!)[\w\s()*=]*\b(?:subroutine|function|program)\s+\w", re.IGNORECASE
)


def directive_around(symtab: gdb.Symtab, first: int, last: int) -> Optional[int]:
    """Return the line of the directive whose outlined function has code of the lines FIRST to LAST;
    None where the text does not tell it."""
    around = _constructs_around(symtab, first, last)
    own = next(around, None)
    if own is None or own < first or last > first:
        return own
    # What has no line but a directive's is what is around that, and has nothing else in it.
    outer = next(around, None)
    is_alone = outer is not None and not any(
        _STATEMENT.match(text) for text in lines_between(symtab, outer + 1, own - 1)
    )
    return outer if is_alone else own


def _constructs_around(symtab: gdb.Symtab, first: int, last: int) -> Iterator[int]:
    """Yield the lines, up to FIRST, of the directives of outlined constructs that have not ended
    before the line LAST, the innermost first."""
    ended: list[list[str]] = []
    for line, words in _directives_above(symtab, last):
        name = _NAME.match(words.removeprefix("end").lstrip())
        if name is None:
            continue
        if words.startswith("end"):
            ended.append(name[0].split())
        elif ended and ended[-1] == name[0].split():
            ended.pop()
        elif line <= first and is_outlining("omp " + words):
            if _LOOPS.search(name[0]) is None or not _has_ended(symtab, line, last):
                yield line


def _directives_above(symtab: gdb.Symtab, line: int) -> Iterator[tuple[int, str]]:
    """Yield those from LINE upwards, up to the procedure's beginning, each without its sentinel."""
    while line > 0:
        text = line_of(symtab, line)
        if not text or _PROCEDURE.match(text):
            return
        if _DIRECTIVE.match(text):
            line = first_line(symtab, line)
            directive = _CONTINUATION.sub(" ", directive_at(symtab, line) or "").lower()
            yield line, " ".join(directive.split())
        line -= 1


def _has_ended(symtab: gdb.Symtab, directive: int, last: int) -> bool:
    """Tell whether the loop of a DIRECTIVE without an end directive has ended before the line LAST."""
    depth = 0
    for text in lines_between(symtab, directive + 1, last - 1):
        is_end = _END_DO.match(text) is not None
        depth += (_DO.match(text) is not None) - is_end
        if is_end and depth <= 0:
            return True
    return False
