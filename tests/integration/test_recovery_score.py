# SPDX-License-Identifier: Apache-2.0
"""Recovery held against the truth: all of it right, or refused as a whole.

Continuous integration builds a choice of variants; GDB_OMPD_ALL_BUILDS=1 tests
them all, and scripts/score-recovery.sh prints the table.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from gdb_ompd import _native
from support.recovery_truth import (
    META_COUNT,
    OTHERS,
    WANTED,
    compare,
    exported_symbols,
    strip,
    true_symbols,
    values_in_memory,
    wanted_names,
)
from support.runtimes import OPTIMIZED, REFUSABLE, Variant, chosen, distributed

ALL_RIGHT = (WANTED, [], [])
LOCK_TABLE = "__kmp_i_lock_table"  # not wanted by OMPD, and of LLVM 14 and later only


def recovered(path: Path) -> _native.Recovery:
    """Recover from PATH, and check that the answer is all or nothing."""
    answer = _native.recover(str(path))
    if answer.reasons:
        assert (answer.symbols, answer.constants) == ([], {})
    return answer


def assert_memory_agrees(path: Path, answer: _native.Recovery) -> None:
    """The constants read from the code are what the loaded library holds at the addresses."""
    assert list(answer.constants) and len(answer.constants) == META_COUNT
    addresses = {symbol.name: symbol.value for symbol in answer.symbols}
    found = values_in_memory(path, {name: addresses[name] for name in answer.constants})
    assert found == answer.constants


@pytest.mark.parametrize("variant", chosen(OPTIMIZED), ids=str)
def test_everything_is_found(variant: Variant, tmp_path: Path) -> None:
    truth = true_symbols(variant.file)
    assert len(wanted_names(truth)) == WANTED
    stripped = strip(variant.file, tmp_path)
    assert not set(OTHERS) & set(true_symbols(stripped))
    answer = recovered(stripped)
    score = compare(answer, truth)
    print(score)
    assert score.reasons == []
    assert (score.right, score.wrong, score.missing) == ALL_RIGHT
    assert LOCK_TABLE in {symbol.name for symbol in answer.symbols}
    assert_memory_agrees(stripped, answer)


@pytest.mark.parametrize("variant", chosen(REFUSABLE), ids=str)
def test_refused_or_right(variant: Variant, tmp_path: Path) -> None:
    score = compare(recovered(strip(variant.file, tmp_path)), true_symbols(variant.file))
    print(score)
    assert score.reasons or (score.right, score.wrong, score.missing) == ALL_RIGHT


def _library(name: str) -> Path:
    """Return the file of a library that this process can load."""
    ctypes.CDLL(name)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {Path(line.split()[-1]) for line in maps}
    return next(path for path in paths if path.name.startswith(name))


@pytest.mark.parametrize("name", ("libc.so.6", "libstdc++.so.6"))
def test_another_library_is_refused(name: str) -> None:
    reasons = _native.recover(str(_library(name))).reasons
    assert reasons == ["the library was built without OMPD support"]


@pytest.mark.parametrize("version", ("13", "14", "15", "16", "19"))
def test_the_distribution_s_own(version: str) -> None:
    """There is no table to hold it against, but what it exports and what is in memory."""
    found = [each for name, each in distributed().items() if name.endswith(f"-{version}")]
    if not found:
        pytest.skip(f"this release has no libomp {version}")
    answer = recovered(found[0].file)
    assert answer.reasons == []
    symbols = {symbol.name: symbol for symbol in answer.symbols}
    assert set(OTHERS) < set(symbols) and set(answer.constants) < set(symbols)
    assert (LOCK_TABLE in symbols) is (version != "13")
    exported = exported_symbols(found[0].file)
    common = set(exported) & set(symbols)
    assert "__kmp_gtid" in common
    assert {name: symbols[name].value for name in common} == {n: exported[n][0] for n in common}
    assert_memory_agrees(found[0].file, answer)


def test_the_score_finds_what_is_wrong(tmp_path: Path) -> None:
    """One true address moved by eight bytes, one name taken away: both are counted."""
    variant = Variant("19")
    truth = true_symbols(variant.file)
    value, size = truth.pop("__kmp_threads")
    truth["__kmp_threads"] = (value + 8, size)
    answer = recovered(strip(variant.file, tmp_path))
    score = compare(answer, {**truth, "ompd_access__a__b": (0, 8)})
    assert score.right == WANTED - 1
    assert [line.split()[0] for line in score.wrong] == ["__kmp_threads"]
    assert score.missing == ["ompd_access__a__b"]
