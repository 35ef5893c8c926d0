# SPDX-License-Identifier: Apache-2.0
"""What the scripts that measure conclude from reports: the matrix, leaks, coverage."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from soak.leaks import Growth, Leaks, complaints, growth, read_report  # noqa: E402
from support.debugger_matrix import Key, main, others, outcomes, table  # noqa: E402
from support.line_coverage import missed, python_share  # noqa: E402

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.integration.test_truth" name="test_live_and_core[a.c-clang-O0-libomp14]"/>
<testcase classname="tests.integration.test_truth" name="test_live_and_core[a.c-gcc-O0-libomp14]">
<failure/></testcase>
<testcase classname="tests.integration.test_truth" name="test_live_and_core[a.c-gcc-O2-libomp19-stripped]"/>
<testcase classname="tests.integration.test_truth" name="test_kernel_core[19-stripped-tracked]">
<skipped/></testcase>
<testcase classname="tests.integration.test_truth" name="test_attach[19-stripped]"/>
<testcase classname="tests.integration.test_libgomp" name="test_attach"/>
<testcase classname="tests.unit.test_graph" name="test_live_and_core[14]"><error/></testcase>
</testsuite></testsuites>"""

LOSSES = """<valgrindoutput>
<error><kind>Leak_DefinitelyLost</kind><xwhat><leakedbytes>40</leakedbytes></xwhat><stack>
<frame><obj>/usr/bin/gdb</obj><fn>xmalloc</fn></frame></stack></error>
<error><kind>Leak_DefinitelyLost</kind><xwhat><leakedbytes>24</leakedbytes></xwhat><stack>
<frame><obj>/usr/libexec/valgrind/vgpreload.so</obj><fn>malloc</fn></frame>
<frame><obj>/x/_native.cpython-311.so</obj><fn>allocate</fn></frame></stack></error>
<error><kind>Leak_StillReachable</kind><xwhat><leakedbytes>1000</leakedbytes></xwhat><stack>
<frame><obj>/x/_native.cpython-311.so</obj><fn>keep</fn></frame></stack></error>
</valgrindoutput>"""


def test_the_matrix(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(JUNIT, encoding="ascii")
    counts: dict[Key, Counter[str]] = {}
    for gdb in ("16.3", "9.2"):
        for _, key, outcome in outcomes(gdb, str(report)):
            counts.setdefault(key, Counter())[outcome] += 1
    rows = [
        "| libgomp | - | - | - | 1 |",
        "| libomp 14 | 1, 1 failed | - | - | - |",
        "| libomp 19, stripped | 1 | 0, 1 skipped | - | 1 |",
    ]
    assert list(table(counts)) == [
        "| gdb | runtime | live and core | kernel's core | gdbserver | attach |",
        "|---|---|---|---|---|---|",
        *[f"| 9.2 {row}" for row in rows],
        *[f"| 16.3 {row}" for row in rows],
    ]
    assert list(others(counts)) == [
        "gdb 9.2, all other tests: 0, 1 failed",
        "gdb 16.3, all other tests: 0, 1 failed",
    ]


def test_runtimes_of_which_the_same_passed_share_a_row() -> None:
    ten = Counter({"passed": 10})
    keys = [
        ("16.3", f"libomp {runtime}", "live and core")
        for runtime in ("14", "19", "17, stripped", "18, stripped")
    ]
    assert list(table(dict.fromkeys(keys, ten)))[2:] == [
        "| 16.3 | libomp 14, 19 | 10 | - | - | - |",
        "| 16.3 | libomp 17, 18, stripped | 10 | - | - | - |",
    ]


def test_the_last_report_of_a_test_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first.xml", tmp_path / "second.xml"
    first.write_text(JUNIT, encoding="ascii")
    second.write_text(JUNIT.replace("<failure/>", "").replace("<error/>", ""), encoding="ascii")
    main([f"9.2={first}", f"9.2={second}"])
    mended = capsys.readouterr().out
    main([f"9.2={second}", f"9.2={first}"])
    broken = capsys.readouterr().out
    assert "failed" not in mended
    assert "gdb 9.2 failed: " in broken


def test_a_loss_is_ours_by_any_frame_of_its_stack(tmp_path: Path) -> None:
    report = tmp_path / "leaks.xml"
    report.write_text(LOSSES, encoding="ascii")
    found = read_report(report, 100)
    assert found == Leaks(100, 64, 1064, ("24 bytes: malloc < allocate",))


NOTHING_LOST = Leaks(1000, 100, 10_000, ())
ONE_OF_OURS = Leaks(1000, 100, 10_000, ("8 bytes: f",))


@pytest.mark.parametrize(
    ("many", "ours", "plain", "said"),
    [
        (NOTHING_LOST, Growth(0, 0), Growth(0, 0), []),
        (NOTHING_LOST, Growth(16, 812), Growth(0, 300), []),
        (NOTHING_LOST, Growth(0, 512), Growth(-5, -300), []),
        (ONE_OF_OURS, Growth(0, 0), Growth(0, 0), ["lost: 8 bytes: f"]),
        (
            NOTHING_LOST,
            Growth(100, 0),
            Growth(1, 0),
            ["each command loses 100 bytes, 1 with gdb alone (16 more are allowed)"],
        ),
        (
            NOTHING_LOST,
            Growth(0, 1000),
            Growth(0, 300),
            ["each command holds 1000 bytes, 300 with gdb alone (512 more are allowed)"],
        ),
    ],
)
def test_growth_is_told(many: Leaks, ours: Growth, plain: Growth, said: list[str]) -> None:
    assert complaints(many, ours, plain) == said


def test_growth_is_of_the_commands_between() -> None:
    assert growth(Leaks(100, 50, 10_000, ()), Leaks(1000, 950, 10_900, ())) == Growth(1.0, 1.0)


def test_missed_lines_are_ranges_of_lines_with_code() -> None:
    assert missed({1: 1, 2: 0, 4: 0, 5: 3, 9: 0}) == "2-4, 9"


def test_the_share_of_python(tmp_path: Path) -> None:
    report = tmp_path / "python.txt"
    report.write_text(
        "Name  Stmts  Miss  Cover  Missing\n"
        "----\n"
        "/a/python/gdb_ompd/good.py  10  1  90%  7\n"
        "/a/python/gdb_ompd/bad.py   10  3  70%  1-2, 9\n"
        "----\n"
        "TOTAL  20  4  80%\n",
        encoding="ascii",
    )
    assert python_share(report) == (80.0, 20, ["python/gdb_ompd/bad.py  7/10  1-2, 9"])
