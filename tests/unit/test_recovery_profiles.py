# SPDX-License-Identifier: Apache-2.0
"""The known layouts: complete, distinct, and matched as a whole only."""

from __future__ import annotations

import pytest
from gdb_ompd import _native
from gdb_ompd.host.symbols import debug_files


def test_each_known_layout_has_all_constants_and_its_provenance() -> None:
    for profile in debug_files.known_profiles():
        assert list(profile.constants) == _native.META_SYMBOLS
        assert profile.label.startswith("LLVM ")
        assert profile.provenance.startswith(profile.label)


def test_labels_and_layouts_are_distinct() -> None:
    labels = [profile.label for profile in debug_files.known_profiles()]
    layouts = {tuple(profile.constants.items()) for profile in debug_files.known_profiles()}
    assert labels == ["LLVM 13", "LLVM 14", "LLVM 15", "LLVM 16", "LLVM 17", "LLVM 18", "LLVM 19"]
    assert len(layouts) == len(labels)


def test_a_layout_is_found_by_its_constants() -> None:
    for profile in debug_files.known_profiles():
        assert debug_files.profile_of(dict(profile.constants)) is profile


@pytest.mark.parametrize("name", ["ompd_access__kmp_base_info_t__th_team", "ompd_sizeof__int"])
def test_one_other_constant_is_another_layout(name: str) -> None:
    constants = dict(debug_files.known_profiles()[-1].constants)
    assert debug_files.profile_of({**constants, name: constants[name] + 1}) is None
    del constants[name]
    assert debug_files.profile_of(constants) is None


def test_two_swapped_names_are_another_layout() -> None:
    constants = dict(debug_files.known_profiles()[-1].constants)
    one, other = "ompd_access__kmp_base_team_t__t_level", "ompd_access__kmp_base_team_t__t_nproc"
    constants[one], constants[other] = constants[other], constants[one]
    assert debug_files.profile_of(constants) is None
