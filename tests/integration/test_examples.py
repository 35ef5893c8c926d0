# SPDX-License-Identifier: Apache-2.0
"""Every example still says what its transcript shows.

`GDB_OMPD_UPDATE_TRANSCRIPTS=1 pytest tests/integration/test_examples.py` writes
the transcripts anew; read the difference before it is committed.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support.gdb_session import run_gdb
from support.gdb_ways import stays_in_script
from support.runtimes import ROOT, VERSIONS, runtime_folder

EXAMPLES = ROOT / "examples"
NAMES = sorted(script.stem for script in EXAMPLES.glob("*.gdb"))
PROGRAM = re.compile(r"^# gdb -batch -x \S+ (\w+)$", re.MULTILINE)
UPDATE = os.environ.get("GDB_OMPD_UPDATE_TRANSCRIPTS") == "1"
TRANSCRIPT_RUNTIME = "19"
FIRST = "heat"  # the README's first example is shown on what everybody has
DISTRIBUTION = "distribution"
GCC = "gcc"
OFFLOAD = "offload"
WITH_DEVICES = {"plate"}
HANGING = {"hang"}  # they do not end by themselves


def program(name: str) -> str:
    """Return the program that a script is for: its second line says how to run it."""
    match = PROGRAM.search((EXAMPLES / f"{name}.gdb").read_text(encoding="utf-8"))
    assert match is not None, name
    return match.group(1)


PROGRAMS = sorted({program(name) for name in NAMES})


def normalised(output: str) -> str:
    """Return OUTPUT without what differs by run and machine: addresses, LWPs, paths, CPUs."""
    output = re.sub(r"/[^\s\"',;()]*/(lib\w+\.so)", r"LIB/\1", output)
    output = output.replace(f"{ROOT}/", "ROOT/")
    output = re.sub(r"/\S+/(libomp-\d+/source/)", r"SOURCE/\1", output)
    output = re.sub(r"^\[Switching to .*\n", "", output, flags=re.MULTILINE)
    output = re.sub(r"\b0x[0-9a-f]+\b", "0xADDRESS", output)
    output = re.sub(r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_", "__omp_offloading_", output)
    output = re.sub(r"\bprocess \d+", "process N", output)
    # Outside the runtime's frames, whose number depends on how it and libc were built.
    output = re.sub(r"^(GDB \d )?#\d\d ", r"\1#NN ", output, flags=re.MULTILINE)
    output = re.sub(r"\b[0-9a-f]{40}\b|(?<!\.)\b[0-9a-f]{16}\b", "BUILD-ID", output)
    output = re.sub(r"(num-procs-var +)\d+", r"\1N", output)
    return _without_lwps(output)


def _without_lwps(output: str) -> str:
    """Blank the LWP column of tables, found by its header."""
    lines, end = [], None
    for line in output.split("\n"):
        header = re.search(r"\bLWP\b", line)
        if header is not None:
            end = header.end()
            # The column is as wide as this run's numbers.
            line = re.sub(r" *LWP", " LWP", line)
        elif end is not None and (row := re.match(r"\d+$", line[:end].split(" ")[-1])):
            line = line[: end - len(row.group())].rstrip(" ") + " LWP" + line[end:]
        else:
            end = None
        lines.append(line)
    return "\n".join(lines)


def transcript(name: str, folder: Path) -> str:
    """Run an example's script in gdb; return what a user would have seen."""
    done = run_gdb(
        ["set trace-commands on", f"source {name}.gdb"],
        folder / program(name),
        cwd=EXAMPLES,
        timeout=60,
        merged=True,  # newer debuggers trace commands on standard error
    )
    assert done.returncode == 0, done.stdout
    # The first traced line is the `source` above; nested commands have two marks.
    body = done.stdout.split("\n", 1)[1]
    return normalised(re.sub(r"^\++ *", "\n(gdb) ", body, flags=re.MULTILINE)).strip() + "\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folder of the examples for each runtime."""
    folders = {}
    for version in (*VERSIONS, DISTRIBUTION, GCC, OFFLOAD):
        folders[version] = tmp_path_factory.mktemp(f"examples-{version}")
        named = version in (DISTRIBUTION, GCC, OFFLOAD)
        libomp = version if named else str(runtime_folder(version))
        script = str(EXAMPLES / "build.sh")
        names = sorted(WITH_DEVICES) if version == OFFLOAD else []
        build = ["sh", script, str(folders[version]), libomp, *names]
        subprocess.run(build, check=True, timeout=120)
    return folders


def test_there_are_examples() -> None:
    assert {"heat", "tree", "loop", "stacks"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_transcript(built: dict[str, Path], name: str) -> None:
    skip_where_gdb_leaves_the_script(name)
    expected = EXAMPLES / f"{name}.txt"
    runtime = OFFLOAD if name in WITH_DEVICES else TRANSCRIPT_RUNTIME
    said = transcript(name, built[DISTRIBUTION if name == FIRST else runtime])
    if UPDATE:
        expected.write_text(said, encoding="utf-8")
    shown = expected.read_text(encoding="utf-8")
    if profiles(said) != profiles(shown):
        pytest.skip(f"the distribution's libomp is of another version: {profiles(said)}")
    assert of_any_compiler(said) == of_any_compiler(shown)


def of_any_compiler(said: str) -> str:
    """Return SAID without the names of outlined functions and of their arguments, and of what LLVM
    offloads to the host with, which are each release's own."""
    said = re.sub(r"\blibomptarget\.(rtl\.x86_64\.so|so\.[0-9.]+)", "DEVICE", said)
    return re.sub(r"\S*\.omp_outlined\S* \(.*?\) at", "OUTLINED () at", said)


def skip_where_gdb_leaves_the_script(name: str) -> None:
    """Skip a script of which gdb runs the rest before the program has come there."""
    lines = (EXAMPLES / f"{name}.gdb").read_text(encoding="utf-8").splitlines()
    if "continue" in lines and "commands" in lines and not stays_in_script():
        pytest.skip("this gdb, also without the extension, leaves a script at such a stop")


def profiles(said: str) -> list[str]:
    """Return the versions of the runtimes whose symbols were recovered."""
    return re.findall(r"recovered \(profile (LLVM \d+)\)", said)


def test_the_first_example_needs_nothing_but_the_distributions_packages() -> None:
    assert len(profiles((EXAMPLES / f"{FIRST}.txt").read_text(encoding="utf-8"))) == 1


@pytest.mark.parametrize("version", [*VERSIONS, DISTRIBUTION])
@pytest.mark.parametrize("name", NAMES)
def test_other_runtimes_stop_at_the_same_place(
    built: dict[str, Path], name: str, version: str
) -> None:
    skip_where_gdb_leaves_the_script(name)
    expected = of_any_compiler((EXAMPLES / f"{name}.txt").read_text(encoding="utf-8"))
    places = re.compile("reakpoint 1|^OpenMP .* (begins|ends) at |tasks, GDB thread")
    hits = [line for line in expected.split("\n") if places.search(line)]
    assert len(hits) >= 2
    said = of_any_compiler(transcript(name, built[version]))
    assert [line for line in said.split("\n") if line in hits] == hits


@pytest.mark.parametrize("version", [TRANSCRIPT_RUNTIME, GCC])
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in HANGING])
def test_example_ends_well_by_itself(built: dict[str, Path], name: str, version: str) -> None:
    done = subprocess.run(
        [str(built[version] / name)], stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert done.returncode == 0
    assert re.search(r"(sum|largest change).*: +\d+", done.stdout)


def test_normalising_keeps_everything_else() -> None:
    table = "   GDB     LWP  Team\n*    1  104159  0 of 2\n     2       7  1 of 2\n\nsum 7\n"
    assert (
        normalised(table) == "   GDB LWP  Team\n*    1 LWP  0 of 2\n     2 LWP  1 of 2\n\nsum 7\n"
    )
    assert normalised("at /a/b/libomp.so 0x7f00") == "at LIB/libomp.so 0xADDRESS"
