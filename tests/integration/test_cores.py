# SPDX-License-Identifier: Apache-2.0
"""Cores that lack memory, are cut off, or come from another machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.asking import Answer, ask
from support.build import build
from support.gdb_session import run_gdb
from support.readers import AT_STOP, PLACES, READERS, assert_one_line_each, places
from support.refusals import compiled
from support.runtimes import runtime_folder


@pytest.fixture(scope="module")
def full_core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A core at the third stop, with small stacks."""
    folder = tmp_path_factory.mktemp("cores")
    small = {"OMP_STACKSIZE": "256k", "MALLOC_ARENA_MAX": "1"}
    filter_file = "open('/proc/%d/coredump_filter' % gdb.selected_inferior().pid, 'w')"
    commands = [*AT_STOP, "continue", "continue", f"gcore {folder / 'full'}"]
    for name, kept in (("no-private", 0), ("no-heap", 4)):
        commands.append(f"python {filter_file}.write('{kept}')")
        commands.append(f"gcore {folder / name}")
    run_gdb([*commands, "kill"], build("nested.c"), env=small)
    return folder / "full"


@pytest.mark.parametrize("name", ["no-private", "no-heap"])
def test_a_core_without_some_memory(full_core: Path, name: str) -> None:
    session = ask([], READERS[:-1], build("nested.c"), full_core.with_name(name))
    assert_one_line_each(session.answers)
    refusal = Answer(
        "", "the list of the program's libraries is not in memory: the core file is incomplete\n"
    )
    assert session.answers[0] == refusal
    assert session.answers[READERS.index("ompd why")] == refusal  # not "running"


def test_a_core_that_is_cut_off(full_core: Path, tmp_path: Path) -> None:
    """As the kernel writes it, notes first: gdb reads what is there."""
    sound = ask([], READERS, build("nested.c"), full_core)
    whole = _kernels_way(full_core.read_bytes())
    cores = []
    for percent in (10, 30, 50, 70, 90, 99, 100):
        core = tmp_path / f"cut-{percent}"
        core.write_bytes(whole[: len(whole) * percent // 100])
        cores.append(core)
    commands = [c for core in cores for c in (f"core-file {core}", *READERS)]
    session = ask([], commands, build("nested.c"))
    size = 1 + len(READERS)
    parts = [session.answers[i + 1 : i + size] for i in range(0, len(commands), size)]
    for part in parts:
        assert_one_line_each(part)
    refused = [sum(bool(answer.stderr) for answer in part) for part in parts]
    # A stack can be shown without OpenMP.
    assert refused[0] == len(READERS) - 1 and refused[-1] == 0
    assert parts[-1] == sound.answers


def _kernels_way(core: bytes) -> bytes:
    """Return gdb's core with the notes before the memory, and without section headers."""
    word = int.from_bytes
    table, count = word(core[32:40], "little"), word(core[56:58], "little")
    headers = [bytearray(core[table + 56 * i : table + 56 * (i + 1)]) for i in range(count)]
    headers.sort(key=lambda header: word(header[:4], "little") != 4)  # PT_NOTE
    contents, place = [], 64 + 56 * count
    for header in headers:
        offset, size = word(header[8:16], "little"), word(header[32:40], "little")
        contents.append(core[offset : offset + size])
        header[8:16] = place.to_bytes(8, "little")
        place += size
    first = bytearray(core[:64])
    first[32:40] = (64).to_bytes(8, "little")
    first[40:48] = bytes(8)  # no section headers
    first[58:64] = bytes(6)
    return b"".join([bytes(first), *map(bytes, headers), *contents])


def test_a_core_of_another_machine(full_core: Path, tmp_path: Path) -> None:
    """Its libraries are below a folder of their own, and not where they were."""
    machine, away = tmp_path / "machine", tmp_path / "away"
    library = away / "lib"
    shutil.copytree(runtime_folder("19"), library)
    env = {"LD_LIBRARY_PATH": str(library), "OMP_STACKSIZE": "256k", "MALLOC_ARENA_MAX": "1"}
    core, program = tmp_path / "core", build("nested.c")
    commands = [*AT_STOP, "continue", "continue", PLACES, f"gcore {core}", "info sharedlibrary"]
    there = ask(commands[:-3], commands[-3:], program, env=env)
    for path in re.findall(r"(/\S+)$", there.answers[-1].stdout, flags=re.MULTILINE):
        copy = machine / path.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for path in library.glob("libompd*"):
        shutil.copy(path, machine / str(library).lstrip("/"))
    shutil.rmtree(away)
    setup = [f"set sysroot {machine}", f"file {program}", f"core-file {core}"]
    here = ask(setup, [PLACES, "ompd status"], None)
    assert places(here.answers[0]) == places(there.answers[0])
    assert str(machine) in here.answers[1].stdout
    shutil.move(machine / str(library).lstrip("/"), tmp_path / "other")
    search = f"set solib-search-path {tmp_path / 'other'}"
    found = ask([search, *setup[1:]], [PLACES], None)
    assert places(found.answers[0]) == places(there.answers[0])
    lost = ask([f"file {program}", f"core-file {core}"], ["ompd threads"], None)
    assert_one_line_each(lost.answers)
    assert "libomp.so" in lost.answers[0].stderr


def _thread_notes(core: bytes) -> list[int]:
    """Return where the register notes (NT_PRSTATUS) of a core have their contents."""
    word = int.from_bytes
    table, count = word(core[32:40], "little"), word(core[56:58], "little")
    found = []
    for header in (core[table + 56 * i : table + 56 * (i + 1)] for i in range(count)):
        if word(header[:4], "little") != 4:  # PT_NOTE
            continue
        at = word(header[8:16], "little")
        end = at + word(header[32:40], "little")
        while at < end:
            name, size, kind = (word(core[at + i : at + i + 4], "little") for i in (0, 4, 8))
            contents = at + 12 + (name + 3) // 4 * 4
            if kind == 1:
                found.append(contents)
            at = contents + (size + 3) // 4 * 4
    return found


@pytest.mark.parametrize(
    ("which", "lwp"), [(2, None), (0, None), (2, 0), (2, (1 << 32) - 1), (0, 0)]
)
def test_a_thread_without_registers(
    full_core: Path, tmp_path: Path, which: int, lwp: int | None
) -> None:
    """Two threads of one number, of none, of one that cannot be: GDB finds no registers for
    one of them, or loses the selected thread. All the others are answered."""
    core = bytearray(full_core.read_bytes())
    notes = _thread_notes(core)
    other = notes[1] + 32
    number = core[other : other + 4] if lwp is None else lwp.to_bytes(4, "little")
    core[notes[which] + 32 : notes[which] + 36] = number
    damaged = tmp_path / "damaged"
    damaged.write_bytes(core)
    plain = ["gdb", "-nx", "-batch", build("nested.c"), damaged]
    if "internal-error" in subprocess.run(plain, capture_output=True, text=True).stderr:
        pytest.skip("GDB 16 ends itself at such a core")
    commands = [*READERS[:-1], "ompd bt -all"]
    session = ask([], commands, build("nested.c"), damaged)
    for command, answer in zip(commands, session.answers):
        assert "Python Exception" not in answer.stderr and "Traceback" not in answer.stderr, (
            command,
            answer,
        )
    listing = session.answers[READERS.index("ompd threads")].stdout
    assert listing.count("idle") == 4 and listing.count("truth.c") >= 3, listing
    unread = "its stack cannot be read: PC not available."
    assert listing.count(unread) == listing.count(" implicit\n"), listing
    merged = session.answers[-1].stdout
    for thread in re.findall(f"(Thread [0-9]+): {unread}", listing):
        assert f"  no stack: GDB {thread.lower()}\n" in merged, merged
        assert f"(see below): GDB {thread.lower()}\n" not in merged, merged


NESTED = """\
int omp_get_thread_num(void);
void stop(void) {}
int main(void) {
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
            stop();
    }
}
"""


def test_a_core_that_begins_with_a_worker_tells_who_began_the_regions(tmp_path: Path) -> None:
    """libgomp's records lead there from one of the team's threads only."""
    program, core = compiled(NESTED, tmp_path, "gcc", "-O0", "-fopenmp"), tmp_path / "core"
    run_gdb(["set confirm off", "break stop", "run", f"generate-core-file {core}"], program)
    (answer,) = ask([], ["ompd parallel -all -json"], program, core).answers
    regions = json.loads(answer.stdout)["regions"]
    assert [region["threads"] for region in regions] == [[2], [2, 1]], answer
