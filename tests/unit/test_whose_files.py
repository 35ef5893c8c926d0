# SPDX-License-Identifier: Apache-2.0
"""Who can change what is at a path, and what GDB's auto-load safe-path allows."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from gdb_ompd.host import trust
from gdb_ompd.host.trust import Found, Trust, is_in_safe_path, others_hand

OTHER = 54321


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose whole way is the user's or root's."""
    place = tmp_path / "own"
    place.mkdir(mode=0o755)
    return place


def test_ones_own_and_the_systems_are_trusted(folder: Path) -> None:
    (folder / "file").touch()
    assert others_hand(str(folder / "file")) is None
    assert others_hand("/usr/lib") is None


def test_what_does_not_exist_is_its_folders_matter(folder: Path) -> None:
    assert others_hand(str(folder / "not" / "there")) is None
    folder.chmod(0o777)
    assert others_hand(str(folder / "not" / "there")) == f"others can write to {folder}"


def test_a_sticky_folder_protects_what_is_in_it(folder: Path) -> None:
    (folder / "file").touch()
    folder.chmod(0o1777)
    assert others_hand(str(folder / "file")) is None
    (folder / "file").chmod(0o666)
    assert others_hand(str(folder / "file")) == f"others can write to {folder}/file"


def test_another_users(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(folder, OTHER, OTHER)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    said = others_hand(str(folder / "file"))
    assert said is not None and said.endswith("belongs to another user")


def test_a_group_counts_unless_it_is_the_users_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o775)
    monkeypatch.setattr(trust, "_is_own_group", lambda group: True)
    assert others_hand(str(folder)) is None
    monkeypatch.setattr(trust, "_is_own_group", lambda group: False)
    assert others_hand(str(folder)) == f"others can write to {folder}"


@pytest.mark.parametrize(
    ("group", "members", "is_own"),
    [("ann", [], True), ("ann", ["ann"], True), ("ann", ["ann", "bob"], False), ("all", [], False)],
)
def test_a_group_is_the_users_alone_by_its_name_and_members(
    group: str, members: list[str], is_own: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o775)
    if os.geteuid() == 0:  # whose group is always trusted
        os.chown(folder, -1, OTHER)
    user = SimpleNamespace(pw_name="ann")
    monkeypatch.setattr(trust.pwd, "getpwuid", lambda number: user)
    entry = SimpleNamespace(gr_name=group, gr_mem=members)
    monkeypatch.setattr(trust.grp, "getgrgid", lambda number: entry)
    assert (others_hand(str(folder)) is None) is is_own


def test_a_group_that_nobody_knows_is_not_the_users(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o775)
    if os.geteuid() == 0:  # whose group is always trusted
        os.chown(folder, -1, OTHER)
    monkeypatch.setattr(trust.grp, "getgrgid", {}.__getitem__)
    assert others_hand(str(folder)) == f"others can write to {folder}"


def test_the_way_through_links_counts(folder: Path) -> None:
    shared = folder / "shared"
    shared.mkdir()
    (folder / "real").touch()
    (shared / "second").symlink_to("../real")
    (folder / "first").symlink_to(shared / "second")
    assert others_hand(str(folder / "first")) is None
    shared.chmod(0o777)
    assert os.path.realpath(folder / "first") == str(folder / "real")
    assert others_hand(str(folder / "first")) == f"others can write to {shared}"


def test_links_in_a_circle_come_to_an_end(folder: Path) -> None:
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    assert others_hand(str(folder / "one")) is None


@pytest.mark.parametrize(
    ("pattern", "is_safe"),
    [
        ("/opt/llvm", True),
        ("/opt/llvm/", True),
        ("/opt/llvm/lib/libompd.so", True),
        ("/", True),
        ("/opt/*/lib", True),
        ("/opt/ll", False),
        ("/opt/*/libompd.so", False),  # a wildcard is no "/"
        ("/opt/llvm/lib/libompd.so/more", False),
    ],
)
def test_safe_path(pattern: str, is_safe: bool) -> None:
    assert is_in_safe_path("/opt/llvm/lib/libompd.so", ("/elsewhere", pattern)) is is_safe


def test_the_safe_path_is_the_users_last_word(folder: Path) -> None:
    (folder / "libompd.so").touch()
    folder.chmod(0o777)
    path = str(folder / "libompd.so")
    name = str(folder / "libomp.so")
    assert (
        Trust((), (), name).objection(path, Found.BESIDE_RUNTIME) == f"others can write to {folder}"
    )
    assert Trust((str(folder),), (str(folder),), name).objection(path, Found.BESIDE_RUNTIME) is None


def test_the_programs_word_counts_as_it_is_said(folder: Path) -> None:
    """$ORIGIN/../lib is a folder beside the program's, named from there."""
    path = str(folder / "libompd.so")
    name = f"{folder}/app/../libomp.so"
    assert (
        Trust((), (f"{folder}/app",), name).objection(path, Found.BESIDE_RUNTIME)
        == "it came with the program"
    )
    assert Trust((), (f"{folder}/ap",), name).objection(path, Found.BESIDE_RUNTIME) is None


def test_the_system_is_root(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the system's folders is trusted while only root can change it."""
    path = str(folder / "libompd.so")
    monkeypatch.setattr(trust, "SYSTEM", (str(folder),))
    nobodys_word = Trust((), (), str(folder / "libomp.so"), "only a core file says where it is")
    if os.geteuid() == 0:
        assert nobodys_word.objection(path, Found.BESIDE_RUNTIME) is None
        os.chown(folder, OTHER, OTHER)
    for found in (Found.BESIDE_RUNTIME, Found.IN_MEMORY, Found.IN_SYSTEM):
        said = nobodys_word.objection(path, found)
        assert said is not None and said.endswith("does not belong to root")


def test_what_is_installed_with_the_extension_is_part_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o777)
    monkeypatch.setattr(trust, "INSTALLED", str(folder))
    named = Trust((), (str(folder),), "libomp.so", "only a core file says where it is")
    assert named.objection(str(folder / "libompd.so"), Found.IN_MEMORY) is None


def test_the_kernels_word() -> None:
    """It confirms what a process of the user's executes, and nothing else of it."""
    program = os.path.realpath("/proc/self/exe")
    assert trust.why_unconfirmed(os.getpid(), program) is None
    for path in ("/etc/passwd", "/nonexistent/libomp.so"):
        said = trust.why_unconfirmed(os.getpid(), path)
        assert said == "the program does not execute the runtime beside it"
    assert "does not say" in str(trust.why_unconfirmed(1 << 30, program))
