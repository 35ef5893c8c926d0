# SPDX-License-Identifier: Apache-2.0
"""The known releases of LLVM's runtime: whole, and matched as a whole only."""

from __future__ import annotations

import pytest
from gdb_ompd import _native
from gdb_ompd.host.symbols.releases import known_releases, private_fields, release_of

RELEASES = known_releases()


@pytest.mark.parametrize("release", RELEASES, ids=lambda each: each.label)
def test_a_release_has_all_constants_and_its_provenance(release) -> None:
    assert list(release.constants) == _native.META_SYMBOLS
    assert release.label.startswith("LLVM ")
    assert release.provenance.startswith(release.label)
    assert set(release.fields) <= set(_native.PrivateFields.names())
    # Records that older releases do not have.
    assert not release.fields or len(release.fields) + 5 >= len(_native.PrivateFields.names())


@pytest.mark.parametrize("release", RELEASES, ids=lambda each: each.label)
def test_a_release_is_found_by_its_constants(release) -> None:
    found = release_of(dict(release.constants))
    assert found is not None and found.constants == release.constants


def test_releases_with_equal_constants_are_told_apart_by_what_they_export() -> None:
    for older, newer in zip(RELEASES, RELEASES[1:]):
        if older.constants == newer.constants:
            assert older.later


@pytest.mark.parametrize("name", ["ompd_access__kmp_base_info_t__th_team", "ompd_sizeof__int"])
def test_one_other_constant_is_another_layout(name: str) -> None:
    constants = dict(RELEASES[-1].constants)
    assert release_of({**constants, name: constants[name] + 1}) is None
    del constants[name]
    assert release_of(constants) is None


def test_two_swapped_names_are_another_layout() -> None:
    constants = dict(RELEASES[-1].constants)
    one, other = "ompd_access__kmp_base_team_t__t_level", "ompd_access__kmp_base_team_t__t_nproc"
    constants[one], constants[other] = constants[other], constants[one]
    assert release_of(constants) is None


def test_fields_hold_for_the_release_that_they_were_read_from_and_no_later_one() -> None:
    for release in RELEASES:
        known = private_fields(release.constants, lambda name: False)
        if release.fields:
            assert known is not None and known.places["kmp_bstate_t.b_arrived"][0] == 64
    last = RELEASES[-1]
    assert last.later
    assert private_fields(last.constants, lambda name: name in last.later) is None
