# SPDX-License-Identifier: Apache-2.0
"""Runtimes that cannot be read, as where the section headers, which no loader reads, are
damaged: one line says so, and nothing is concluded from what is not known."""

from __future__ import annotations

import re
import shutil
import struct
from pathlib import Path

from support.asking import ask
from support.gdb_session import run_gdb
from support.readers import PLACES, places
from support.refusals import compiled, on_libomp
from support.runtimes import runtime_folder

HUGE = 0x7FFFFFFFFFFFFF00
# Where in the ELF header, or in a section's, what is written as what (<elf.h>, 64 bits).
IN_ELF_HEADER = {
    "shoff": (40, "<Q", HUGE),
    "shoff 0": (40, "<Q", 0),
    "shnum": (60, "<H", 0xFEFF),
    "shentsize": (58, "<H", 40),
    "shstrndx": (62, "<H", 0xFE00),
}
IN_SECTION = {
    "offset": (24, "<Q", HUGE),
    "size": (32, "<Q", HUGE),
    "link": (40, "<I", 0xFFFFF),
    "entsize": (56, "<Q", 1),
}
SECTIONS = (".dynsym", ".dynstr", ".gnu.hash", ".symtab", ".dynamic")
# Of these nothing is read by the sections' headers.
HARMLESS = {"sound", ".text offset", ".text size"}
ASKED = ("ompd status", PLACES, "output $_omp_level()", "ompd tasks", "ompd why")
LOCKED_TWICE = """
#include <omp.h>
int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    omp_set_lock(&lock);
}
"""
AT_A_RUN = 2 + len(ASKED)


def damaged(sound: bytes) -> dict[str, bytes]:
    """Return copies of a library by what is damaged in each."""
    (table,) = struct.unpack_from("<Q", sound, 40)
    count, names = struct.unpack_from("<HH", sound, 60)
    (at_names,) = struct.unpack_from("<Q", sound, table + names * 64 + 24)
    headers = {}
    for at in range(table, table + count * 64, 64):
        begin = at_names + struct.unpack_from("<I", sound, at)[0]
        headers[sound[begin : sound.index(b"\0", begin)].decode()] = at
    places = {name: (0, what) for name, what in IN_ELF_HEADER.items()}
    for section in SECTIONS:
        for field, what in IN_SECTION.items():
            places[f"{section} {field}"] = (headers[section], what)
    for field in ("offset", "size"):
        places[f".text {field}"] = (headers[".text"], IN_SECTION[field])
    copies = {"sound": sound}
    for name, (header, (at, form, value)) in places.items():
        copy = bytearray(sound)
        struct.pack_into(form, copy, header + at, value)
        copies[name] = bytes(copy)
    return copies


def test_commands_on_damaged_section_headers(tmp_path: Path) -> None:
    runtime = runtime_folder("19")
    copies = damaged((runtime / "libomp.so").read_bytes())
    commands: list[str] = []
    for name, copy in copies.items():
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        (folder / "libomp.so").write_bytes(copy)
        shutil.copy(runtime / "libompd.so", folder)
        commands += [f"set environment LD_LIBRARY_PATH {folder}", "run", *ASKED]
    setup = ["set confirm off", "set ompd cache off", "break work"]
    answers = ask(setup, commands, on_libomp(tmp_path)).answers
    said = {
        name: answers[at * AT_A_RUN + 2 : (at + 1) * AT_A_RUN] for at, name in enumerate(copies)
    }
    truth = places(said["sound"][1])
    assert truth == [(0, 1)]
    for name, found in said.items():
        for answer in found:
            assert answer.stderr.count("\n") <= 1, (name, answer)
        status, listed, level, _, why = found
        if name in HARMLESS or not listed.stderr:
            assert (places(listed), level.stdout) == (truth, "0"), (name, found)
        else:
            assert level.stderr == listed.stderr and listed.stderr.count("libomp.so") == 1, found
            (problem,) = re.findall("  Problem: (.*\n)", status.stdout)
            assert problem == listed.stderr, (name, status)
            assert "libomp.so cannot be read: " in problem, (name, problem)
            assert "damaged ELF file" in problem or "it has no symbols" in problem, problem
            assert why.stdout.startswith("Running: GDB thread 1 can go on.\n"), why


def test_nobody_goes_on_in_a_runtime_that_is_not_here(tmp_path: Path) -> None:
    """A core of a thread that waits for a lock, without the runtime and with another."""
    library, core = tmp_path / "libomp.so", tmp_path / "core"
    shutil.copy(runtime_folder("19") / library.name, library)
    linked = ["clang", "-fopenmp", f"-L{tmp_path}", f"-Wl,-rpath,{tmp_path}"]
    program = compiled(LOCKED_TWICE, tmp_path, *linked)
    at_stop = ["set breakpoint pending on", "break __kmp_wait_4", "run"]
    run_gdb([*at_stop, f"gcore {core}", "kill"], program, extension=False)
    assert "Deadlock: GDB thread 1 waits for lock" in run_gdb(["ompd why"], program, core).stdout
    library.unlink()
    assert_nothing_is_concluded(program, core, f"{library} cannot be read: its file is not on")
    shutil.copy(runtime_folder("14") / library.name, library)
    assert_nothing_is_concluded(program, core, f"{library} cannot be read: the file differs from")


def assert_nothing_is_concluded(program: Path, core: Path, why: str) -> None:
    done = run_gdb(["ompd why", "ompd status"], program, core)
    said = done.stdout[done.stdout.index("Unknown: ") :]
    assert said.startswith("Unknown: whether GDB thread 1 can go on.\n"), done
    assert "  GDB thread 1: in unknown code\n" in said, said
    assert said.count(why) == 2, said
