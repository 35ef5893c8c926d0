# SPDX-License-Identifier: Apache-2.0
"""Names that are not in the locale's charset: of files, functions, locks, variables of the
environment. Every command answers, GDB's own "bt" survives, and the program runs on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.gdb_session import run_gdb
from support.runtimes import runtime_folder

# The names are UTF-8 in the source; "latin" gets the lock's in Latin-1.
SOURCE = """
#include <omp.h>
#include <unistd.h>

static int place;
static omp_lock_t vérrou;

__attribute__((noinline)) static void déjà(int *x) { place += *x; }

int main(void) {
    int s = 0;
    omp_init_lock(&vérrou);
    omp_set_lock(&vérrou);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            usleep(200000);
            déjà(&s);
            omp_unset_lock(&vérrou);
        } else {
            omp_set_lock(&vérrou);
            omp_unset_lock(&vérrou);
        }
    }
    return 0;
}
"""
LINE = 8
COMMANDS = (
    "ompd status",
    "ompd threads",
    "ompd parallel -all",
    "ompd tasks -all",
    "ompd icvs -all",
    "ompd env",
    "ompd why",
    "ompd bt",
    "ompd bt -team",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program and its runtime in a folder and of a source file whose names are Latin-1."""
    folder = os.fsencode(tmp_path_factory.mktemp("names")) + b"/fold\xe9r"
    os.mkdir(folder)
    with open(folder + b"/source\xe9.c", "w", encoding="utf-8") as file:
        file.write(SOURCE)
    out = folder + b"/prog\xe9"
    runtime = os.fsencode(runtime_folder("19"))
    shutil.copy(runtime + b"/libomp.so", folder)
    options = [b"-g", b"-O0", b"-fopenmp", b"-I" + runtime + b"/../include", b"-L" + runtime]
    subprocess.run(
        [b"clang", *options, b"-Wl,-rpath," + folder, folder + b"/source\xe9.c", b"-o", out],
        check=True,
    )
    with open(out, "rb") as file:
        contents = file.read()
    contents = contents.replace("vérrou\0".encode(), b"v\xe9rrou_\0")
    with open(folder + b"/latin\xe9", "wb") as file:
        file.write(contents)
    os.chmod(folder + b"/latin\xe9", 0o755)
    return Path(os.fsdecode(out))


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
@pytest.mark.parametrize("name", ["prog\udce9", "latin\udce9"])
def test_every_command_answers(program: Path, name: str, locale: str) -> None:
    asked = [f"break {LINE}", "run", "set variable place = 0"]
    for command in COMMANDS:
        asked += [f"echo =={command}\\n", command]
    asked += ["echo ==json\\n", "ompd threads -json", "echo ==off\\n", "bt"]
    asked += ["ompd bt on", "echo ==bt\\n", "bt", "echo ==state\\n", "output $_omp_state()"]
    asked += ["echo ==end\\n", "continue"]
    environment = {"LC_ALL": locale, "OMP_\udce9": "\udce9"}
    done = run_gdb(asked, program.with_name(name), env=environment)
    assert "Unicode" not in done.stdout + done.stderr and "Traceback" not in done.stderr, done
    said = dict(part.partition("\n")[::2] for part in done.stdout.split("==")[1:])
    assert all(said[command].strip() for command in COMMANDS), said
    assert "déjà" in said["ompd threads"] and rf"source\xe9.c:{LINE}" in said["ompd threads"]
    lock = 'lock "vérrou"' if name.startswith("prog") else "waiting for"
    assert lock in said["ompd why"]
    document = json.loads(said["json"])
    assert len(document["threads"]) == 3
    assert "main" in said["bt"] and "[parallel region]" in said["bt"]
    assert "__kmp" not in said["bt"] and "__kmp" in said["off"]
    assert "exited normally" in said["end"], done


def test_gdbs_own_stack_of_a_program_without_openmp(tmp_path: Path) -> None:
    source = tmp_path / "source\udce9.c"
    source.write_text("int main(void) { return 0; }", encoding="ascii")
    subprocess.run(["gcc", "-g", str(source), "-o", str(tmp_path / "plain")], check=True)
    done = run_gdb(["break main", "run", "ompd bt on", "bt"], tmp_path / "plain")
    assert done.stdout.endswith("/source\\xe9.c:1\n"), done


def test_an_internal_breakpoint_never_stops_the_program(program: Path) -> None:
    """Whatever is thrown in it: a bug is told, and the program goes on."""
    broken = "import gdb_ompd.control.attach as a; a.session_of = lambda *_: 1 // 0"
    done = run_gdb([f"python {broken}", "run"], program)
    assert "ZeroDivisionError" in done.stderr
    assert "exited normally" in done.stdout


@pytest.mark.parametrize("language", ["pascal", "fortran", "modula-2", "ada"])
def test_names_under_another_language(program: Path, language: str) -> None:
    """A lock's name is the program's, whatever the language is set to."""
    asked = [f"break {LINE}", "run", f"set language {language}", "ompd threads", "ompd why"]
    done = run_gdb([*asked, "set language c", "continue"], program)
    assert done.stdout.count('lock "vérrou"') >= 3, done
    assert "exited normally" in done.stdout
    done = run_gdb([f"set language {language}", "run"], program)
    assert "exited normally" in done.stdout, done


@pytest.mark.parametrize("charset", ["IBM1047", "ASCII"])
def test_the_programs_charset_is_another(program: Path, charset: str) -> None:
    """Convenience functions take and give strings in it."""
    asked = [f"break {LINE}", "run", f"set target-charset {charset}"]
    asked += ['printf "<%d>\\n", $_omp_icv("nthreads-var") > 0', "output $_omp_state()"]
    done = run_gdb(asked, program)
    assert "<1>" in done.stdout and '"work_parallel"' in done.stdout, done
