# SPDX-License-Identifier: Apache-2.0
"""Values in many threads, as few lines: folding, outliers, parts, statistics."""

from __future__ import annotations

import json
import math

from gdb_ompd.model import Location
from gdb_ompd.model.values import FoundName, FoundValue, Part, ThreadValue, Values
from gdb_ompd.render import values
from gdb_ompd.render.json_document import dump

NAN = "-nan(0x8000000000000)"


def _row(thread: int, text: str, **other: object) -> ThreadValue:
    return ThreadValue(thread + 1, thread, text)._replace(**other)  # type: ignore[arg-type]


def _values(*rows: ThreadValue, **other: object) -> Values:
    return Values("x", rows)._replace(**other)  # type: ignore[arg-type]


def test_a_thousand_equal_values_are_one_line() -> None:
    found = _values(*(_row(n, "0.5") for n in range(1000)))
    assert list(values.lines(found)) == ["0-999: 0.5"]


def test_what_few_threads_have_comes_first_and_errors_last() -> None:
    rows = [_row(n, "0.5") for n in range(32)]
    rows[7] = _row(7, NAN)
    rows[3] = ThreadValue(4, 3, error="optimized out")
    rows[9] = _row(9, "0.5", function="update")
    assert list(values.lines(_values(*rows))) == [
        f"7: {NAN}",
        "9: 0.5 (in update)",
        "0-2,4-6,8,10-31: 0.5",
        "3: <optimized out>",
    ]


def test_of_several_teams_gdbs_numbers_are_written() -> None:
    rows = [ThreadValue(n, None, "1") for n in (1, 2, 5)]
    assert list(values.lines(_values(*rows, one_team=False))) == ["GDB 1-2,5: 1"]
    second = _values(*rows, one_team=False, prefix="2.")
    assert list(values.lines(second)) == ["GDB 2.1-2,5: 1"]


def _many_parts(threads: int, parts: int) -> Values:
    rows = [_row(n, "{...}") for n in range(threads)]
    ids = Part("id", tuple(_row(n, str(n), number=n) for n in range(threads)))
    odd = Part("cell[1].t", tuple(_row(n, NAN if n == 7 else "0.5") for n in range(threads)))
    others = [Part(f"far[{n}]", ids.values) for n in range(parts - 2)]
    return _values(*rows, parts=(ids, *others, odd))


def test_64_threads_and_a_struct_are_a_screen_with_the_outlier_first() -> None:
    lines = list(values.lines(_many_parts(64, 40)))
    assert lines[:3] == [
        "40 members of x differ in 0-63:",
        f"cell[1].t  7: {NAN}",
        "           0-6,8-63: 0.5",
    ]
    assert lines[3:5] == ["id         0: 0", "           1: 1"]
    assert lines[7] == "           4-63: 60 other values"
    assert lines[-1] == "... and 36 more: 'ompd diff' shows all."
    assert len(lines) <= 23


def test_diff_shows_all_parts() -> None:
    lines = list(values.lines(_many_parts(64, 40), all_parts=True))
    assert len(lines) == 1 + 2 + 39 * 64


def test_a_struct_that_is_the_same_is_shown_once() -> None:
    rows = [_row(n, "{a = 1}") for n in range(4)]
    assert list(values.lines(_values(*rows, parts=()))) == ["0-3: {a = 1}"]
    assert list(values.lines(_values(*(rows[n] for n in (0, 2)), parts=()))) == ["0,2: {a = 1}"]


def test_diff_says_which_objects() -> None:
    one = _values(*(_row(n, "5", address=64) for n in range(4)))
    assert list(values.differing(one)) == ["x is one object, at 0x40, in all of these threads."]
    own = _values(*(_row(n, "5", address=64 * n + 64) for n in range(2)))
    assert list(values.differing(own)) == [
        "x is an object of its own in each thread, and is the same in all of them.",
        "0: at 0x40",
        "1: at 0x80",
    ]
    two = _values(*(_row(n, str(n % 2), address=64 + n % 2) for n in range(4)))
    assert list(values.differing(two)) == [
        "x is 2 objects.",
        "0,2: at 0x40",
        "1,3: at 0x41",
        "0,2: 0",
        "1,3: 1",
    ]
    in_registers = _values(*(_row(n, str(n)) for n in range(2)))
    assert list(values.differing(in_registers))[0] == (
        "x is at no known address: a register holds it, here or elsewhere in the code, or it is "
        "computed."
    )


def test_statistics_leave_out_what_is_no_number() -> None:
    rows = [_row(n, str(n), number=float(n)) for n in range(4)]
    rows[2] = _row(2, NAN, number=math.nan)
    assert list(values.statistics_lines(_values(*rows))) == [
        "minimum 0.0 in thread 0",
        "maximum 3.0 in thread 3",
        f"mean {4 / 3!r} of 3 threads",
        "not a number in thread 2",
    ]
    only = _values(_row(0, NAN, number=math.nan))
    assert list(values.statistics_lines(only)) == ["not a number in thread 0"]
    assert "no numbers" in list(values.statistics_lines(_values(_row(0, "{...}"))))[0]
    huge = _values(_row(0, "x", number=math.inf), _row(1, "y", number=-math.inf))
    assert math.isnan(values.statistics(huge)[0].mean or 0)
    assert json.loads(dump(values.document(huge, True)))["statistics"][0]["maximum"] == "inf"


def test_nothing_a_terminal_acts_on_is_written() -> None:
    rows = [_row(0, "1", function="\033[31mf"), ThreadValue(2, 1, error="\033]0;x\007")]
    found = _values(*rows, parts=None)._replace(expression="\033[1m")
    parts = (Part("\033m", (_row(0, "1"), _row(1, "2"))),)
    lines = [*values.lines(found), *values.lines(found._replace(parts=parts))]
    lines += values.differing(found._replace(values=(_row(0, "1"), _row(1, "2"))))
    assert lines and not any("\033" in line or "\007" in line for line in lines)


def test_the_document_keeps_every_key() -> None:
    document = json.loads(dump(values.document(_many_parts(3, 2), False)))
    assert document["values"][0] == {
        "gdb_num": 1,
        "thread_num": 0,
        "text": "{...}",
        "address": None,
        "error": None,
        "function": None,
    }
    assert document["differs"][0]["path"] == "id" and document["statistics"] is None


def test_where_a_variable_was_found_is_said() -> None:
    value = ThreadValue(1, None, "5", address=64)
    names = (FoundName("n", 1, 3, Location("main", "/src/a.c", 13, 0)), FoundName("m", 1))
    found = FoundValue("n + m", value, names)
    assert list(values.found_lines(found, prefix="2.")) == [
        "5",
        "n of main at a.c:13, frame 3 of GDB thread 2.1",
        "m is static, or the thread's own",
    ]
    assert json.loads(dump(values.found_document(found)))["found"]["frame"] == 3
    static = FoundValue("n", ThreadValue(1, None, error="optimized out"), (FoundName("n", 1),))
    assert list(values.found_lines(static)) == [
        "<optimized out>",
        "n is static, or the thread's own",
    ]
