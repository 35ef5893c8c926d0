# SPDX-License-Identifier: Apache-2.0
"""GDB's styles for our output, and the width there is for it."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, Callable

import gdb

from ..render.style import PLAIN, Style

COLORS = ("none", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
INTENSITIES = {"normal": "", "bold": "1", "dim": "2"}
RESET = "\033[m"
ROLES = ("function", "filename", "address", "variable", "highlight", "title")  # Style's fields


def current_style() -> Style:
    """Return painters by the user's ``set style`` settings, and the width of the screen; none off
    a terminal."""
    if not is_terminal():
        return PLAIN
    painters = _style(*map(_codes, ROLES)) if gdb.parameter("style enabled") else PLAIN
    return painters._replace(width=gdb.parameter("width") or None)


def is_terminal() -> bool:
    """Tell whether GDB writes to one."""
    try:
        return os.isatty(1)
    except OSError:
        return False


@lru_cache(maxsize=1)  # the same settings make the same style
def _style(*codes: str) -> Style:
    painters: dict[str, Any] = dict(zip(ROLES, map(_painter, codes)))
    return Style(**painters)


def _painter(codes: str) -> Callable[[str], str]:
    if not codes:
        return str
    return lambda text: f"\033[{codes}m{text}{RESET}"


def _codes(name: str) -> str:
    """Return the terminal's codes of the style NAME, as the user has set it."""
    codes = []
    for what, base in (("foreground", 30), ("background", 40)):
        codes += _color_codes(gdb.parameter(f"style {name} {what}"), base)
    intensity = INTENSITIES.get(str(gdb.parameter(f"style {name} intensity")), "")
    return ";".join([*codes, intensity] if intensity else codes)


def _color_codes(color: Any, base: int) -> list[str]:
    """Return the terminal's codes of a color: a word, or a ``gdb.Color`` where there is one."""
    if isinstance(color, str):
        return [str(base + COLORS.index(color) - 1)] if color in COLORS[1:] else []
    if color is None or color.is_none:
        return []
    return re.findall(r"\x1b\[([0-9;]+)m", color.escape_sequence(base == 30))
