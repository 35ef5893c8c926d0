# SPDX-License-Identifier: Apache-2.0
"""Number ranges and groups: nothing is lost, nothing is said twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdb_ompd.render.folding import MANY, groups, ranges, runs, wanted

numbers = st.lists(st.integers(min_value=0, max_value=60))


def spelled_out(text: str) -> list[int]:
    found: list[int] = []
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


@pytest.mark.parametrize(
    "given_numbers, expected",
    [
        ([], ""),
        ([7], "7"),
        ([5, 0, 1, 2, 3], "0-3,5"),
        ([1, 2], "1-2"),
        ([1, 3, 5], "1,3,5"),
        ([2, 2, 2], "2"),
    ],
)
def test_ranges_in_words(given_numbers: list[int], expected: str) -> None:
    assert ranges(given_numbers) == expected


@given(numbers)
def test_ranges_name_each_number_once(given_numbers: list[int]) -> None:
    assert spelled_out(ranges(given_numbers)) == sorted(set(given_numbers))


@given(numbers)
def test_ranges_are_as_few_as_possible(given_numbers: list[int]) -> None:
    distinct = set(given_numbers)
    beginnings = [number for number in distinct if number - 1 not in distinct]
    pieces = [piece for piece in ranges(given_numbers).split(",") if piece]
    assert len(pieces) == len(beginnings)


@given(numbers, st.integers(min_value=9, max_value=30))
def test_a_long_list_keeps_whole_numbers_and_says_that_it_goes_on(
    given_numbers: list[int], limit: int
) -> None:
    whole, cut = ranges(given_numbers), ranges(given_numbers, limit)
    assert len(cut) <= limit
    if len(whole) <= limit:
        assert cut == whole
    else:
        kept = cut.removesuffix(",...")
        assert kept != cut
        assert whole.startswith(kept + ",")


@given(numbers)
def test_groups_keep_every_item_and_the_order(given_numbers: list[int]) -> None:
    found = groups(given_numbers, lambda number: number % 3)
    assert sorted(sum(found, [])) == sorted(given_numbers)
    assert all(len({number % 3 for number in each}) == 1 for each in found)
    firsts = [given_numbers.index(each[0]) for each in found]
    assert firsts == sorted(firsts) and len(found) <= 3


@given(numbers)
def test_runs_change_nothing_but_the_grouping(given_numbers: list[int]) -> None:
    found = runs(given_numbers, lambda number: number % 2)
    assert sum(found, []) == given_numbers
    parities = [each[0] % 2 for each in found]
    assert all(one != other for one, other in zip(parities, parities[1:]))
    assert all(len({number % 2 for number in each}) == 1 for each in found)


def test_an_item_with_the_key_none_makes_a_run() -> None:
    assert runs([1, 2], lambda _: None) == [[1, 2]]


def test_what_fits_a_screen_is_not_folded_unless_asked_for() -> None:
    assert not wanted(None, MANY)
    assert wanted(None, MANY + 1)
    assert wanted(True, 1)
    assert not wanted(False, 1000)
