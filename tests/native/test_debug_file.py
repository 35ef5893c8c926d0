# SPDX-License-Identifier: Apache-2.0
"""The debug file made for the distribution's own libomp: its readers find no fault with it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.gdb_session import run_gdb

NOTE = b'{"format": 1}'
OFFSET = 0x10000
EVENTS = [
    f"ompd_bp_{what}_{end}" for what in ("parallel", "task", "thread") for end in ("begin", "end")
]
PROGRAM = """\
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 1;
  return sum != 2;
}
"""


@pytest.fixture(scope="module")
def libomp() -> Path:
    """Return the stripped runtime that programs built with clang get."""
    done = subprocess.run(
        ["clang", "-print-file-name=libomp.so.5"], stdout=subprocess.PIPE, text=True, check=True
    )
    path = Path(done.stdout.strip())
    assert (
        path.is_absolute()
    ), "the distribution's libomp is not installed: run scripts/bootstrap.sh"
    return path


@pytest.fixture(scope="module")
def symbols(native: ModuleType, libomp: Path) -> dict[str, Any]:
    recovered = native.recover(str(libomp))
    assert recovered.reasons == []
    # The module's own constructor, because a table may also come from elsewhere.
    return {
        each.name: native.Symbol(each.name, each.value, each.size, each.kind)
        for each in recovered.symbols
    }


@pytest.fixture(scope="module")
def debug_file(
    native: ModuleType,
    libomp: Path,
    symbols: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    path = tmp_path_factory.mktemp("made") / "libomp.debug"
    native.write_debug_file(str(libomp), list(symbols.values()), NOTE, str(path))
    return path


def test_it_is_read_back(
    native: ModuleType, libomp: Path, debug_file: Path, symbols: dict[str, Any]
) -> None:
    elf = native.Elf(str(libomp), str(debug_file))
    assert elf.symbols_from == "recovered"
    assert native.read_debug_note(str(debug_file)) == NOTE
    assert native.read_debug_note(str(libomp)) is None
    for wanted in symbols.values():
        found = elf.symbol(wanted.name)
        assert (found.value, found.size, found.kind, found.source) == (
            wanted.value,
            wanted.size,
            wanted.kind,
            "recovered",
        )
    assert set(EVENTS) < set(symbols)
    assert symbols["__kmp_gtid"].kind == "tls"


def test_nm_reads_what_was_given(debug_file: Path, symbols: dict[str, Any]) -> None:
    done = subprocess.run(
        ["nm", "-P", str(debug_file)], stdout=subprocess.PIPE, text=True, check=True
    )
    read = {}
    for line in done.stdout.splitlines():
        name, _, value, size = line.split()
        read[name] = (int(value, 16), int(size, 16))
    aliases = {f"_Z{len(name)}{name}v": name for name in [*EVENTS, "ompd_dll_locations_valid"]}
    assert set(read) == set(symbols) | set(aliases)
    for name, place in read.items():
        wanted = symbols[aliases.get(name, name)]
        assert place == (wanted.value, wanted.size), name


def test_readelf_finds_no_fault(libomp: Path, debug_file: Path) -> None:
    done = subprocess.run(["readelf", "-aW", str(debug_file)], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""
    assert (
        re.findall(r"^.*\b(?:warning|error):.*$", done.stdout, re.IGNORECASE | re.MULTILINE) == []
    )
    notes = subprocess.run(["readelf", "-nW", str(libomp)], capture_output=True, text=True).stdout
    build_id = re.search(r"Build ID: \w+", notes)
    assert build_id is not None
    assert build_id[0] in done.stdout


def test_elflint_finds_no_fault(libomp: Path, debug_file: Path) -> None:
    tool = shutil.which("eu-elflint")
    if tool is None:
        pytest.skip("elfutils is not installed: run scripts/bootstrap.sh")

    def faults(*arguments: str) -> set[str]:
        done = subprocess.run([str(tool), "--gnu-ld", *arguments], capture_output=True, text=True)
        return set(done.stdout.strip().splitlines())

    # A newer linker's flag of a section, which its debug file has as well.
    theirs = {line for line in faults(str(libomp)) if "merge flag set" in line}
    found = faults("-d", str(debug_file))
    assert found and found - theirs in (set(), {"No errors"})


def address_in(said: str, name: str) -> int:
    found = re.search(rf'Symbol "{name}" is at (0x[0-9a-f]+) ', said)
    assert found is not None, said
    return int(found[1], 16)


@pytest.mark.parametrize(
    "load",
    ["symbol-file -o {offset:#x} {path}", "add-symbol-file {path} -o {offset:#x}"],
    ids=["symbol-file", "add-symbol-file"],
)
def test_gdb_loads_it_at_an_offset(debug_file: Path, symbols: dict[str, Any], load: str) -> None:
    commands = [load.format(offset=OFFSET, path=debug_file)]
    for name in EVENTS:
        commands += [f"info address {name}", f"info symbol {name}"]
    done = run_gdb(commands, extension=False)
    assert done.stderr == ""
    for name in EVENTS:
        assert address_in(done.stdout, name) == symbols[name].value + OFFSET
        assert f"{name} in section .text" in done.stdout


def test_gdb_attaches_it_to_the_runtime(
    libomp: Path, debug_file: Path, symbols: dict[str, Any]
) -> None:
    commands = [f'python gdb.objfiles()[0].add_separate_debug_file("{debug_file}")']
    for name in EVENTS:
        commands += [f"info address {name}", f"info symbol {symbols[name].value:#x}"]
    done = run_gdb(commands, libomp, extension=False)
    assert done.stderr == ""
    for name in EVENTS:
        assert address_in(done.stdout, name) == symbols[name].value
        assert f"{name} in section .text" in done.stdout


def test_gdb_stops_at_its_names(
    libomp: Path, debug_file: Path, symbols: dict[str, Any], tmp_path: Path
) -> None:
    source = tmp_path / "region.c"
    source.write_text(PROGRAM)
    program = tmp_path / "region"
    subprocess.run(["clang", "-g", "-fopenmp", str(source), "-o", str(program)], check=True)
    attach = tmp_path / "attach.py"
    attach.write_text(
        f"""\
import gdb

def attach(event):
    if "libomp.so" in event.new_objfile.filename:
        event.new_objfile.add_separate_debug_file({str(debug_file)!r})

gdb.events.new_objfile.connect(attach)
"""
    )
    stops = [f"source {attach}", "set breakpoint pending on", "break ompd_bp_parallel_begin"]
    look = ["info symbol $pc", "info breakpoints", "print &__kmp_gtid"]
    commands = [*stops, "set environment OMP_DEBUG enabled", "run", *look, "run", "info symbol $pc"]
    commands += ["delete", "continue"]
    folder = str(libomp.resolve().parent)
    done = run_gdb(commands, program, extension=False, env={"LD_LIBRARY_PATH": folder})
    assert done.stdout.count("hit Breakpoint 1, ") == 2
    assert len(re.findall(r"^ompd_bp_parallel_begin in section \.text", done.stdout, re.M)) == 2
    assert "<MULTIPLE>" not in done.stdout
    assert "thread local variable, no debug info" in done.stdout
    assert "exited normally" in done.stdout


def test_symbols_and_mistakes(native: ModuleType, libomp: Path, tmp_path: Path) -> None:
    made = native.Symbol("name", 16, 8, "label")
    assert (made.name, made.value, made.size, made.kind) == ("name", 16, 8, "label")
    assert made.source == "recovered"
    out = tmp_path / "out"
    with pytest.raises(ValueError, match="thing: no kind of symbol"):
        native.Symbol("name", 16, 8, "thing")
    with pytest.raises(ValueError, match="nowhere: no section of the runtime"):
        native.write_debug_file(
            str(libomp), [native.Symbol("nowhere", 0, 8, "data")], b"", str(out)
        )
    with pytest.raises(ValueError, match="this is the runtime itself"):
        native.write_debug_file(str(libomp), [], b"", str(libomp))
    with pytest.raises(FileNotFoundError) as caught:
        native.write_debug_file(str(libomp), [], b"", str(out / "deep"))
    assert caught.value.filename == str(out / "deep")
    with pytest.raises(FileNotFoundError):
        native.read_debug_note(str(out))
    assert list(tmp_path.iterdir()) == []
