# SPDX-License-Identifier: Apache-2.0
"""Runtimes whose section headers are damaged, which no loader reads: one line says so."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

from support.asking import ask
from support.readers import PLACES, places
from support.refusals import on_libomp
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
        status, listed, level, _, _ = found
        if name in HARMLESS or not listed.stderr:
            assert (places(listed), level.stdout) == (truth, "0"), (name, found)
        else:
            assert "libomp.so cannot be read" in listed.stderr, (name, listed)
            told = status.stdout + status.stderr
            assert "damaged ELF file" in told or "it has no symbols" in told, (name, told)
