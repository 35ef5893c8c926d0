# SPDX-License-Identifier: Apache-2.0
"""Tables and styled text: alignment, no excess width, painting after measuring."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gdb_ompd.render import table
from gdb_ompd.render.style import Painter, Role, Span, Style, fit, plain, shorten_middle, text, wrap

COLUMNS = (table.Column("N", right=True), table.Column("Name"), table.Column("Where"))


def row(*cells: str, marked: bool = False) -> table.Row:
    return table.Row(tuple(text(cell) for cell in cells), marked)


def brackets(letter: str) -> Painter:
    return lambda words: f"<{letter}>{words}</{letter}>"


def test_numbers_are_flush_right_and_words_left() -> None:
    rows = [row("1", "a", "x"), row("20", "long", "y", marked=True)]
    assert list(table.lines(COLUMNS, rows, marker=True)) == [
        "   N  Name  Where",
        "   1  a     x",
        "* 20  long  y",
    ]


def test_an_empty_column_is_left_out_and_an_empty_table_has_no_header() -> None:
    assert list(table.lines(COLUMNS, [row("1", "", "x")])) == ["N  Where", "1  x"]
    assert list(table.lines(COLUMNS, [])) == []


def test_nothing_follows_the_last_cell() -> None:
    rows = [row("1", "a", ""), row("2", "longer", "x")]
    assert list(table.lines(COLUMNS, rows))[1] == "1  a"


def test_columns_stay_aligned_when_painted() -> None:
    style = Style(function=brackets("f"), title=brackets("t"))
    rows = [
        table.Row((text("1"), text(Span("f", Role.FUNCTION)), text("x"))),
        table.Row((text("2"), text(Span("long", Role.FUNCTION)), text("y"))),
    ]
    assert list(table.lines(COLUMNS, rows, style)) == [
        "<t>N</t>  <t>Name</t>  <t>Where</t>",
        "1  <f>f</f>     x",
        "2  <f>long</f>  y",
    ]


def test_a_line_is_shortened_in_a_functions_name_only_where_a_width_is_given() -> None:
    where = text(Span("outer::middle::inner::operator()", Role.FUNCTION), " at a.cc:1")
    rows = [table.Row((text("1"), text("n"), where))]
    assert list(table.lines(COLUMNS, rows))[1] == "1  n     " + plain(where)
    shortened = list(table.lines(COLUMNS, rows, max_width=40))[1]
    assert shortened == "1  n     outer::mi...perator() at a.cc:1"
    assert len(shortened) == 40
    middle = [table.Row((text("1"), where, text("x")))]
    assert list(table.lines(COLUMNS, middle, max_width=20))[1:] == [f"1  {plain(where)}", "      x"]


def test_a_name_is_never_shortened_beyond_recognition() -> None:
    assert shorten_middle("abcdefghijklmnopqrst", 3) == "abcde...qrst"
    assert shorten_middle("short", 3) == "short"
    words = text("no function here")
    assert fit(words, 4) == words
    broken = text(Span("largest_change", Role.FUNCTION), " at heat.c:32")
    assert fit(broken, 23) == broken  # it goes on below, where it is whole
    assert plain(fit(broken, 25)) == "large...ange at heat.c:32"


def test_parameters_and_template_arguments_give_way_before_the_name() -> None:
    name = text(Span("grid<double, 3>::relax(std::vector<double>&, int)", Role.FUNCTION))
    assert plain(fit(name, 40)) == "grid<double, 3>::relax(...)"
    assert plain(fit(name, 20)) == "grid<...>...lax(...)"
    for kept in ("operator<(Cell, Cell)", "std::map<K, V>::operator->()", "f()", "(anonymous)"):
        assert plain(fit(text(Span(kept, Role.FUNCTION)), 99)) == kept
    shift = text(Span("operator<<(std::ostream&)", Role.FUNCTION))
    assert plain(fit(shift, 20)) == "operator<<(...)"


def test_what_gives_way_goes_first_and_the_rest_is_wrapped_between_words() -> None:
    columns = (
        table.Column("GDB", right=True),
        table.Column("LWP", dropped=1),
        table.Column("Value", cut=True),
        table.Column("Where"),
    )
    where = "at end-of-region barrier: main at heat.c:52"
    rows = [row("1", "1234", "v" * 30, where), row("2", "1235", "w", "x")]
    wide = list(table.lines(columns, rows, max_width=200))
    assert wide[0] == "GDB  LWP   Value                           Where"
    assert wide[1] == f"  1  1234  {'v' * 30}  {where}"
    narrow = list(table.lines(columns, rows, marker=True, max_width=60))
    assert narrow == [
        "  GDB  Value            Where",
        "    1  vvvvvv...vvvvvv  at end-of-region barrier: main at",
        "                        heat.c:52",
        "    2  w                x",
    ]


def test_a_text_is_wrapped_between_words_only() -> None:
    words = text("one ", Span("two", Role.FUNCTION), ", three four")
    assert [plain(line) for line in wrap(words, 9)] == ["one two,", "    three", "    four"]
    assert [plain(line) for line in wrap(text("abcdefghijkl m"), 5)] == ["abcdefghijkl", "    m"]
    assert wrap(words, None) == [words]


def test_control_characters_in_names_are_escaped() -> None:
    assert plain(text("a\x1b[31m\nb\udc80")) == "a\\x1b[31m\\nb\\x80"


words = st.text(alphabet="ab(:", max_size=9)
tables = st.lists(st.tuples(words, words, words), min_size=1, max_size=9)


@given(tables, st.booleans())
def test_every_column_starts_in_one_place_and_is_no_wider_than_needed(
    cells: list[tuple[str, str, str]], marker: bool
) -> None:
    columns = (table.Column(), table.Column(right=True), table.Column())
    lines = list(table.lines(columns, [row(*each) for each in cells], marker=marker))
    kept = [i for i in range(3) if any(each[i] for each in cells)]
    if not kept:
        assert lines == []
        return
    widths = [max(len(each[i]) for each in cells) for i in kept]
    assert len(lines) == len(cells)
    for line, each in zip(lines, cells):
        assert line == line.rstrip()
        start = 2 if marker else 0
        for i, wide in zip(kept, widths):
            padded = each[i].rjust(wide) if i == 1 else each[i].ljust(wide)
            assert line[start : start + wide].ljust(wide) == padded
            start += wide + 2
        assert len(line) <= start - 2
