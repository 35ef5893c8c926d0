# SPDX-License-Identifier: Apache-2.0
"""What is made of the same is written again, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_ompd.render import written


class Listing:
    """Lines that count how often they were made."""

    def __init__(self) -> None:
        self.made = 0

    def lines(self) -> Iterator[str]:
        """Write two lines."""
        self.made += 1
        yield f"first, made {self.made}"
        yield "second"


def test_the_same_is_made_once() -> None:
    listing = Listing()
    first = list(written.once("same", (1, "wide"), listing.lines))
    assert list(written.once("same", (1, "wide"), listing.lines)) == first
    assert listing.made == 1


def test_what_is_made_of_something_else_is_made_anew() -> None:
    listing = Listing()
    list(written.once("other", (1, "wide"), listing.lines))
    assert list(written.once("other", (2, "wide"), listing.lines))[0] == "first, made 2"
    assert list(written.once("another", (2, "wide"), listing.lines))[0] == "first, made 3"


def test_a_listing_that_was_left_early_is_not_kept() -> None:
    listing = Listing()
    assert next(written.once("left", (1,), listing.lines)) == "first, made 1"
    assert list(written.once("left", (1,), listing.lines)) == ["first, made 2", "second"]
