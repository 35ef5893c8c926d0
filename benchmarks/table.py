# SPDX-License-Identifier: Apache-2.0
"""What was measured, as one table: each row compares one time with another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Optional, Union

HEADER = ("Measured", "Threads", "Time", "Compared with", "Its time", "Ratio", "Target", "Met")
RIGHT = {1, 2, 4, 5, 6}


@dataclass(frozen=True)
class Row:
    """One line. TIME and ITS_TIME are seconds; a text in their place says why not.

    TARGET is the largest ratio TIME / ITS_TIME that is good enough; with
    INVERSE the smallest ITS_TIME / TIME; with EXTRA the most seconds TIME may
    be above ITS_TIME. None where nothing is promised. With MEMORY both are bytes.
    """

    measured: str
    threads: Optional[int]
    time: Union[float, str]
    compared_with: str
    its_time: Union[float, str]
    target: Optional[float] = None
    inverse: bool = False
    extra: bool = False
    memory: bool = False

    @property
    def figure(self) -> Optional[float]:
        """The ratio or the difference, None where one of the times is missing or nothing."""
        if isinstance(self.time, str) or isinstance(self.its_time, str):
            return None
        if self.extra:
            return self.time - self.its_time
        if 0 in (self.time, self.its_time):
            return None  # nothing was used: no ratio
        return self.its_time / self.time if self.inverse else self.time / self.its_time

    @property
    def met(self) -> Optional[bool]:
        """Whether the target is met, None where there is none or no ratio."""
        if self.figure is None or self.target is None:
            return None
        return self.figure >= self.target if self.inverse else self.figure <= self.target

    def cells(self) -> tuple[str, ...]:
        """Return the row as words."""
        return (
            self.measured,
            "" if self.threads is None else str(self.threads),
            self._amount(self.time),
            self.compared_with,
            self._amount(self.its_time),
            self._figure_in_words(self.figure, ""),
            self._figure_in_words(self.target, ">= " if self.inverse else "<= "),
            {True: "yes", False: "NO", None: ""}[self.met],
        )

    def _amount(self, amount: Union[float, str]) -> str:
        if self.memory and not isinstance(amount, str):
            return f"{amount / 1024:.1f} KiB"
        return _time(amount)

    def _figure_in_words(self, figure: Optional[float], sign: str) -> str:
        if figure is None:
            return ""
        if self.extra:
            return f"{sign}{figure * 1000:+.0f} ms"
        if self.inverse:
            return f"{sign}{figure:.1f} times faster"
        return f"{sign}{figure:.2f}"


def _time(seconds: Union[float, str]) -> str:
    if isinstance(seconds, str):
        return seconds
    if seconds < 0.001:
        return f"{seconds * 1e6:.1f} us"
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.2f} s"


def markdown(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of an aligned table."""
    cells = [HEADER, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADER))]
    for number, line in enumerate(cells):
        padded = (
            cell.rjust(width) if column in RIGHT else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        )
        yield "| " + " | ".join(padded) + " |"
        if number == 0:
            rules = (
                "-" * (width - 1) + ":" if column in RIGHT else "-" * width
                for column, width in enumerate(widths)
            )
            yield "| " + " | ".join(rules) + " |"
