# SPDX-License-Identifier: Apache-2.0
"""An OMPD library that is missing or of no use is told in one line that names it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from support.asking import ask
from support.refusals import (
    AT_WORK,
    PLAIN,
    QUESTIONS,
    assert_each_says,
    assert_status_says,
    compiled,
    exit_code,
    on_libomp,
    with_runtime_in,
)
from support.runtimes import runtime_folder


def test_no_ompd_library_anywhere(tmp_path: Path) -> None:
    """The system's folders are emptied for our eyes only: another runtime may be installed."""
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(runtime_folder("19") / "libomp.so", alone)
    hide = "python import gdb_ompd.host.runtimes.library as l; l.SYSTEM_PLACES = ()"
    text = (
        f"no libompd.so found (searched {alone}): install the runtime's OMPD library"
        " (LLVM has one from 14 on; Debian: libomp-VERSION-dev) or 'set ompd library PATH'"
    )
    program = on_libomp(tmp_path)
    assert_each_says(text, [hide, *with_runtime_in(alone)], program=program)
    assert_status_says(text, [hide, *with_runtime_in(alone)], program)


def assert_library_refused(library: Path | str, text: str, folder: Path) -> None:
    """Every question and the status say TEXT of the chosen OMPD library."""
    setup = [f"set ompd library {library}", *AT_WORK]
    program = on_libomp(folder)
    assert_each_says(text, setup, program=program)
    assert_status_says(text, setup, program)


def not_loaded(library: Path, why: str) -> str:
    """Return the error for a library that is there but of no use."""
    return f"no OMPD library can be loaded: {library}: {why}: 'set ompd library PATH' names another"


def test_chosen_library_that_is_not_there(tmp_path: Path) -> None:
    text = "no OMPD library at /nonexistent: mend it with 'set ompd library PATH'"
    assert_library_refused("/nonexistent", text, tmp_path)


def test_chosen_library_is_another_library(tmp_path: Path) -> None:
    other = tmp_path / "libother.so"
    compiled(PLAIN, tmp_path, "gcc", "-shared", "-fPIC").rename(other)
    assert_library_refused(other, not_loaded(other, "not an OMPD library"), tmp_path)


def test_chosen_library_is_text(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("This is no library.\n" * 100, encoding="ascii")
    assert_library_refused(notes, not_loaded(notes, "not an ELF file"), tmp_path)


def test_chosen_library_is_cut_off(tmp_path: Path) -> None:
    cut = tmp_path / "libompd.so"
    cut.write_bytes((runtime_folder("19") / "libompd.so").read_bytes()[:20000])
    why = "damaged ELF file (it ends before its segments do)"
    assert_library_refused(cut, not_loaded(cut, why), tmp_path)


def test_chosen_library_is_of_another_api_version(tmp_path: Path) -> None:
    """A fake: no libompd refuses the version that all of LLVM's have."""
    real = runtime_folder("19") / "libompd.so"
    listed = subprocess.run(["nm", "-D", str(real)], stdout=subprocess.PIPE, text=True, check=True)
    names = re.findall(r" T (ompd_\w+)$", listed.stdout, re.MULTILINE)
    unsupported = 5  # ompd_rc_unsupported
    source = "".join(f"int {name}(void) {{ return {unsupported}; }}\n" for name in names)
    fake = tmp_path / "libompd.so"
    compiled(source, tmp_path, "gcc", "-shared", "-fPIC").rename(fake)
    setup = [f"set ompd library {fake}", *AT_WORK]
    session = ask(setup, QUESTIONS, on_libomp(tmp_path))
    said = {(answer.stdout, answer.stderr) for answer in session.answers}
    assert len(said) == 1
    stdout, stderr = said.pop()
    assert stdout == ""
    assert re.fullmatch(rf"no OMPD library can be loaded: {fake}: [^\n]*version[^\n]*\n", stderr)
    assert session.returncode == exit_code("info line nonsense")


def test_lengths_that_libompd_trusts(tmp_path: Path) -> None:
    """It makes room for 16 bytes times a list's length in 32 bits, and fills in all of them."""
    setup = [*AT_WORK, "set var __kmp_nested_nth.used = 0x10000001"]
    setup.append("python from gdb_ompd import inquiry")
    asked = [
        "ompd icvs",
        "ompd icvs -all -json nthreads-var",
        "ompd env",
        'output $_omp_icv("nthreads-var")',
        'python exec("try: inquiry.process_handle()\\nexcept Exception as e: gdb.write(str(e), 2)")',
    ]
    session = ask(setup, asked, on_libomp(tmp_path))
    for command, answer in zip(asked, session.answers):
        assert "the length of __kmp_nested_nth is 268435457" in answer.stderr, (command, answer)
        assert answer.stdout == "", (command, answer)
