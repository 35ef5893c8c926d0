# SPDX-License-Identifier: Apache-2.0
"""Debug files with recovered symbols: made once, kept by build-id, and never believed
when they are damaged. On a real runtime, stripped."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gdb_ompd import _native
from gdb_ompd.host.symbols import cache, debug_files
from support.runtimes import ROOT, runtime_folder


def stripped(version: str, folder: Path) -> str:
    out = folder / "libomp.so"
    original = runtime_folder(version) / "libomp.so"
    subprocess.run(["strip", "-o", str(out), str(original)], check=True)
    return str(out)


# Made before the tests have a cache of their own, where runtimes would be built again.
@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A stripped libomp."""
    return stripped("19", tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="module")
def other_runtime(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A stripped libomp of another version."""
    return stripped("14", tmp_path_factory.mktemp("other"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and a process that remembers nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(debug_files, "_outcomes", {})
    monkeypatch.setattr(cache, "_refusal", [])
    yield tmp_path / "cache" / "gdb-ompd" / "symbols"


def made(runtime: str, use_cache: bool = True) -> str:
    outcome = debug_files.debug_file(runtime, use_cache)
    assert outcome.reasons == () and outcome.path is not None
    return outcome.path


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debug_files, "_outcomes", {})


def never_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> _native.Recovery:
        raise AssertionError(f"{path} was analysed again")

    monkeypatch.setattr(_native, "recover", refuse)


def is_good(path: str, runtime: str) -> bool:
    found = debug_files.note_of_file(path)
    symbol = _native.Elf(runtime, path).symbol("ompd_state")
    return found is not None and found.profile == "LLVM 19" and symbol is not None


def test_it_is_kept_by_build_id_and_found_again(
    runtime: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(runtime)
    build_id = _native.Elf(runtime).build_id
    name = f"{build_id}.{debug_files.METHOD}.debug"
    assert path == str(own_cache / name)
    assert is_good(path, runtime)
    assert sorted(os.listdir(own_cache)) == [name]
    forget(monkeypatch)
    never_again(monkeypatch)
    assert made(runtime) == path


def test_the_note_says_what_the_recovery_found(runtime: str) -> None:
    found = debug_files.note_of_file(made(runtime))
    recovery = _native.recover(runtime)
    assert found is not None
    assert found.constants == recovery.constants
    assert found.build_id == _native.Elf(runtime).build_id
    assert (found.architecture, found.profile, found.layout_verified) == ("x86-64", "LLVM 19", True)


def test_a_layout_is_verified_where_it_is_known() -> None:
    assert debug_files.Note(None, "aarch64", "LLVM 14", {}).layout_verified
    assert not debug_files.Note(None, "x86-64", None, {}).layout_verified


def flip(path: Path, at: int) -> None:
    contents = bytearray(path.read_bytes())
    contents[at] ^= 1
    path.write_bytes(contents)


def test_no_flipped_bit_passes(runtime: str, tmp_path: Path) -> None:
    good = Path(made(runtime)).read_bytes()
    damaged = tmp_path / "damaged"
    for at in range(0, len(good), 101):
        damaged.write_bytes(good)
        flip(damaged, at)
        assert debug_files.note_of_file(str(damaged)) is None, at


@pytest.mark.parametrize("keep", [0, 64, 4000, -1])
def test_no_part_of_a_file_passes(runtime: str, tmp_path: Path, keep: int) -> None:
    part = tmp_path / "part"
    part.write_bytes(Path(made(runtime)).read_bytes()[:keep])
    assert debug_files.note_of_file(str(part)) is None


@pytest.mark.parametrize("damage", ["flip", "empty", "foreign", "no file"])
def test_a_damaged_entry_is_made_anew(
    runtime: str, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Path(made(runtime))
    good = entry.read_bytes()
    if damage == "flip":
        flip(entry, len(good) // 2)
    elif damage == "empty":
        entry.write_bytes(b"")
    elif damage == "foreign":
        entry.write_bytes(Path(sys.executable).read_bytes()[:100_000])
    else:
        entry.unlink()
    forget(monkeypatch)
    assert made(runtime) == str(entry)
    assert entry.read_bytes() == good


def test_an_entry_of_another_build_is_not_taken(runtime: str, other_runtime: str) -> None:
    entry = Path(made(runtime))
    entry.write_bytes(Path(made(other_runtime)).read_bytes())
    assert is_good(made(runtime), runtime)


@pytest.mark.parametrize("key", ["format", "method"])
def test_another_versions_entry_is_not_taken(
    runtime: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as other_version:
        other_version.setattr(debug_files, key.upper(), 0)
        path = made(runtime)
        assert debug_files.note_of_file(path) is not None
    assert debug_files.note_of_file(path) is None
    forget(monkeypatch)
    assert is_good(made(runtime), runtime)
    # Another debugger may have what another method has made: it stays.
    monkeypatch.setattr(debug_files, key.upper(), 0)
    assert (debug_files.note_of_file(path) is not None) == (key == "method")


def test_without_the_cache_nothing_is_written_there(
    runtime: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(runtime, use_cache=False)
    assert is_good(path, runtime)
    assert not own_cache.exists()
    never_again(monkeypatch)
    assert made(runtime, use_cache=False) == path  # a second start in the same debugger


def test_a_cache_that_cannot_be_written(runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    path = made(runtime)
    assert not path.startswith("/proc")
    assert is_good(path, runtime)


def test_a_full_disk(
    runtime: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What a full disk refuses is taken back, and the symbols are kept elsewhere."""
    real = _native.write_debug_file

    def full(file: str, symbols: list[_native.Symbol], contents: bytes, out: str) -> None:
        if out.startswith(str(own_cache)):
            Path(out).write_bytes(b"half")
            raise OSError(28, "No space left on device")
        real(file, symbols, contents, out)

    monkeypatch.setattr(_native, "write_debug_file", full)
    assert is_good(made(runtime), runtime)
    assert os.listdir(own_cache) == []
    assert cache.objection() == "it cannot be written (No space left on device)"


def test_no_place_at_all_is_a_reason(
    runtime: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setattr(cache, "_private", [])
    monkeypatch.setattr(tempfile, "tempdir", "/proc/nowhere")
    outcome = debug_files.debug_file(runtime, True)
    assert outcome.path is None
    assert "/proc/nowhere" in outcome.reasons[0]


def test_a_relative_cache_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", "/someone")
    assert cache.folder("symbols") == "/someone/.cache/gdb-ompd/symbols"
    monkeypatch.setenv("HOME", "nowhere")
    assert cache.folder("symbols") is None


def test_a_refusal_is_remembered_with_its_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    libc = "/lib/x86_64-linux-gnu/libc.so.6"
    assert debug_files.refusal(libc) == ()
    outcome = debug_files.debug_file(libc, True)
    assert outcome.path is None and outcome.reasons != ()
    never_again(monkeypatch)
    assert debug_files.debug_file(libc, True) == outcome
    assert debug_files.refusal(libc) == outcome.reasons


@pytest.mark.parametrize("contents", [None, b"", b"no ELF file"])
def test_what_is_no_elf_file_is_refused(contents: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "libomp.so"
    if contents is not None:
        file.write_bytes(contents)
    outcome = debug_files.debug_file(str(file), True)
    assert outcome.path is None and outcome.reasons != ()


WRITER = """
import sys
from gdb_ompd.host.symbols import debug_files
outcome = debug_files.debug_file(sys.argv[1], True)
sys.exit(0 if outcome.path and debug_files.note_of_file(outcome.path) else 1)
"""


def test_several_writers_at_once(runtime: str, own_cache: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, runtime], env=environment) for _ in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    assert len(os.listdir(own_cache)) == 1
    assert is_good(made(runtime), runtime)


def test_a_sound_entry_is_never_replaced(runtime: str, own_cache: Path) -> None:
    """Another debugger, which was quicker, may have opened it."""
    entry = Path(made(runtime))
    build_id = entry.name.split(".")[0]
    before = entry.stat().st_ino
    good = entry.read_bytes()
    with cache.written(str(entry), is_sound_for(build_id)) as out:
        Path(out).write_bytes(good)
    assert entry.stat().st_ino == before
    assert os.listdir(own_cache) == [entry.name]


def test_one_that_comes_while_a_damaged_one_is_replaced_stays(
    runtime: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the damaged one and its removal, a sound one took its place."""
    entry = Path(made(runtime))
    good, build_id = entry.read_bytes(), entry.name.split(".")[0]
    entry.write_bytes(b"damaged")
    inodes = []
    rename = os.rename

    def slow(source: str, target: str) -> None:
        if not inodes:
            (own_cache / "other").write_bytes(good)
            inodes.append((own_cache / "other").stat().st_ino)
            rename(own_cache / "other", entry)
        rename(source, target)

    monkeypatch.setattr(os, "rename", slow)
    with cache.written(str(entry), is_sound_for(build_id)) as out:
        Path(out).write_bytes(good)
    assert [entry.stat().st_ino] == inodes
    assert os.listdir(own_cache) == [entry.name]


def test_a_file_system_without_links(runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    assert is_good(made(runtime), runtime)


def is_sound_for(build_id: str) -> Callable[[str], bool]:
    def is_sound(path: str) -> bool:
        found = debug_files.note_of_file(path)
        return found is not None and found.build_id == build_id

    return is_sound


def test_a_fifo_in_an_entrys_place_is_not_waited_for(runtime: str, own_cache: Path) -> None:
    own_cache.mkdir(parents=True)
    os.mkfifo(own_cache / f"{_native.Elf(runtime).build_id}.{debug_files.METHOD}.debug")
    assert is_good(made(runtime), runtime)


def test_the_private_folder_goes_with_the_process(runtime: str, tmp_path: Path) -> None:
    script = "import sys\nfrom gdb_ompd.host.symbols import debug_files\n"
    script += "print(debug_files.debug_file(sys.argv[1], False).path)"
    done = subprocess.run(
        [sys.executable, "-c", script, runtime],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(tmp_path / "gdb-ompd-"))
    assert list(tmp_path.glob("gdb-ompd-*")) == []
