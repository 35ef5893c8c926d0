# SPDX-License-Identifier: Apache-2.0
"""The directives in a source file, as far as its text is known."""

from __future__ import annotations

import re
from typing import Optional, Sequence

import gdb

from .source_text import is_in_fortran, line_of, lines_between

DIRECTIVE = re.compile(r"^\s*(?:#\s*pragma\s+omp\b|[!c*]\$omp\b)", re.IGNORECASE)
_CONTINUED = re.compile(r"(\\|&)\s*$")
# A line of Fortran that the next one continues; one of its fixed form that continues another.
_GOES_ON = re.compile(r"^\s*[!c*]\$omp\b.*&\s*(?:!.*)?$", re.IGNORECASE)
_FIXED_CONTINUES = re.compile(r"^[!c*]\$omp[^\s0]", re.IGNORECASE)
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
_FORTRANS_COMMENT = re.compile(r"!(?!\$).*")
_OF_LOOPS = re.compile(r"\b(?:for|do|simd|taskloop|distribute|loop)\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(
    r"\bomp\s+(?:barrier|flush|task(?:wait|yield)|cancel|cancellation|threadprivate|declare|depobj|scan"
    r"|requires|assumes|error|nothing|interop|allocate|section|target\s+(?:enter|exit|update)|end"
    r"|ordered\b.*\b(?:depend|doacross))\b",
    re.IGNORECASE,
)
_OUTLINING = re.compile(r"\bomp\b.*\b(?:parallel|task|taskloop|teams|target)\b", re.IGNORECASE)
_SECTION = re.compile(r"\bomp\s+section\b", re.IGNORECASE)
_ARGUMENTS = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_BLOCK = re.compile(r"\s*(?:\w+\s*:\s*)?(?:block\s*(?:!.*)?$|associate\s*\()", re.IGNORECASE)
_END_OF_BLOCK = re.compile(r"\s*end\s*(?:block|associate)\b(?!\s*data\b)", re.IGNORECASE)
MOST_OF_DIRECTIVE = 50  # lines


def directive_at(symtab: gdb.Symtab, line: int) -> Optional[str]:
    """Return the directive that begins in a line, joined with those that continue it and without
    comments; None if there is none, or the text is not known."""
    first = line_of(symtab, line)
    if DIRECTIVE.match(first) is None:
        return None
    comment = _LITERAL if first.lstrip().startswith("#") else _FORTRANS_COMMENT
    text = ""
    for number in range(line, line + MOST_OF_DIRECTIVE):
        own = comment.sub(" ", line_of(symtab, number).rstrip("\n"))
        text += " " + _CONTINUED.sub("", own)
        if _CONTINUED.search(own) is None:
            break
    return text


def first_line(symtab: gdb.Symtab, line: int) -> int:
    """Return the line in which the directive begins that LINE of a file continues: compilers of
    Fortran name any of its lines. LINE itself where it continues none."""
    begin = line
    while line - MOST_OF_DIRECTIVE < begin and _is_continued(symtab, begin):
        begin -= 1
    return begin if DIRECTIVE.match(line_of(symtab, begin)) else line


def _is_continued(symtab: gdb.Symtab, line: int) -> bool:
    """Tell whether LINE goes on with what is in the one before it."""
    before = line_of(symtab, line - 1)
    if before.endswith("\\\n") or _GOES_ON.match(before):
        return True
    return _FIXED_CONTINUES.match(line_of(symtab, line)) is not None


def directives_between(symtab: gdb.Symtab, first: int, line: int) -> list[int]:
    """Return the lines of the directives after FIRST and before LINE, the last one first."""
    text = lines_between(symtab, first + 1, line - 1)
    begin = max(first + 1, 1)
    return [n for n, each in enumerate(text, begin) if DIRECTIVE.match(each)][::-1]


def is_around(symtab: gdb.Symtab, directive: int, line: int) -> bool:
    """Tell whether LINE is in the statement of the DIRECTIVE in a line before it."""
    return last_line(symtab, directive, line) >= line


def last_line(symtab: gdb.Symtab, directive: int, most: int) -> int:
    """Return the last line, of those up to MOST, of the statement of the DIRECTIVE in a line: C's
    ends with its brace or, where it has none, its semicolon, Fortran's at the latest with its end
    directive."""
    lines = lines_between(symtab, directive, most)
    fortran = re.match(r"\s*.\$omp\s+(\w+)", lines[0], re.IGNORECASE) if lines else None
    if fortran is not None:
        end = re.compile(rf"\$omp\s+end\s+{fortran.group(1)}", re.IGNORECASE)
        ends = [directive + n for n, text in enumerate(lines) if end.search(text)]
        return ends[0] if ends else most
    first = 1 + next((n for n, text in enumerate(lines) if not text.endswith("\\\n")), 0)
    text = _LITERAL.sub(lambda found: "\n" * found[0].count("\n"), "".join(lines[first:]))
    return min(directive + first + _lines_of_statement(text), most)


def _lines_of_statement(text: str) -> int:
    """Return in which line of TEXT the C statement ends that it begins with."""
    braces = brackets = lines = 0
    for sign in text:
        lines += sign == "\n"
        brackets += (sign == "(") - (sign == ")")
        braces += (sign == "{") - (sign == "}")
        if braces < 0 or (braces == 0 and (sign == "}" or (sign == ";" and brackets == 0))):
            break
    return lines


def end_of_block(symtab: gdb.Symtab, line: int, most: int) -> Optional[int]:
    """Return the line, of those up to MOST, in which the block of C ends that LINE is in, in Fortran
    the block or associate construct; None if the text is not known."""
    lines = lines_between(symtab, line, most)
    if not lines:
        return None
    if is_in_fortran(symtab):
        return _end_in_fortran(lines, line)
    text = "".join(lines)
    text = _LITERAL.sub(lambda found: "\n" * found[0].count("\n"), text)
    braces = 0
    for sign in text:
        line += sign == "\n"
        braces += (sign == "{") - (sign == "}")
        if braces < 0:
            break
    return min(line, most)


def _end_in_fortran(text: Sequence[str], first: int) -> int:
    depth = 0
    for number, line in enumerate(text[1:], first + 1):
        depth += (_BLOCK.match(line) is not None) - (_END_OF_BLOCK.match(line) is not None)
        if depth < 0:
            return number
    return first + len(text) - 1


def has_statement(directive: str) -> bool:
    """Tell whether a directive has a statement that it is of."""
    return _NO_STATEMENT.search(directive) is None


def is_outlining(directive: str) -> bool:
    """Tell whether compilers make a function of a directive's statement."""
    return _OUTLINING.search(_ARGUMENTS.sub("", directive)) is not None


def begins_sections_part(directive: str) -> bool:
    """Tell whether a directive is that of one section."""
    return _SECTION.search(directive) is not None


def line_text(symtab: gdb.Symtab, line: int) -> str:
    """Return a line of a file without comments; "" if the text is not known."""
    return _LITERAL.sub("", line_of(symtab, line))


def counts_loop(symtab: gdb.Symtab, line: int, name: str, most: int) -> bool:
    """Tell whether one of the loops that the directive in LINE is of, which begins up to MOST, counts
    with NAME. In Fortran that need not be a loop's directive: a sequential loop's variable is private,
    too."""
    directive = directive_at(symtab, line) or ""
    fortran = DIRECTIVE.match(directive) is not None and "#" not in directive
    if not fortran and _OF_LOOPS.search(_ARGUMENTS.sub("", directive)) is None:
        return False
    counted = re.compile(
        rf"\bfor\s*\([^;]*\b{re.escape(name)}\s*=|^\s*do\s+{re.escape(name)}\s*=", re.IGNORECASE
    )
    associated = re.findall(r"\b(?:collapse|ordered)\s*\(\s*(\d+)", directive)
    loops = max(map(int, associated), default=1)
    for number in range(line + 1, min(line + MOST_OF_DIRECTIVE, most + 1)):
        text = line_of(symtab, number)
        if re.search(r"\bfor\s*\(|^\s*do\s", text, re.IGNORECASE):
            if counted.search(text) is not None:
                return True
            loops -= 1
        elif not text or ";" in text or ("{" in text and text.strip() != "{"):
            return False
        if loops == 0:
            return False
    return False
