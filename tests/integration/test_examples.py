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
from support.runtimes import ROOT, VERSIONS, runtime_folder

EXAMPLES = ROOT / "examples"
NAMES = sorted(script.stem for script in EXAMPLES.glob("*.gdb"))
UPDATE = os.environ.get("GDB_OMPD_UPDATE_TRANSCRIPTS") == "1"
TRANSCRIPT_RUNTIME = "19"


def normalised(output: str) -> str:
    """Return OUTPUT without what differs by run and machine: addresses, LWPs, paths, CPUs."""
    output = re.sub(r"/[^\s\"',;()]*/(lib\w+\.so)", r"LIB/\1", output)
    output = output.replace(f"{ROOT}/", "ROOT/")
    output = re.sub(r"\b0x[0-9a-f]+\b", "0xADDRESS", output)
    output = re.sub(r"\bprocess \d+", "process N", output)
    output = re.sub(r"\[Switching to Thread .*\]", "[Switching to Thread N]", output)
    # Outside the runtime's frames, whose number depends on how it and libc were built.
    output = re.sub(r"^#\d\d ", "#NN ", output, flags=re.MULTILINE)
    output = re.sub(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{16}\b", "BUILD-ID", output)
    output = re.sub(r"(num-procs-var +)\d+ *", r"\1N ", output)
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
        ["set trace-commands on", f"source {name}.gdb"], folder / name, cwd=EXAMPLES, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    # The first traced line is the `source` above; nested commands have two marks.
    body = done.stdout.split("\n", 1)[1]
    return normalised(re.sub(r"^\++ *", "\n(gdb) ", body, flags=re.MULTILINE)).strip() + "\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folder of the examples for each runtime."""
    folders = {}
    for version in VERSIONS:
        folders[version] = tmp_path_factory.mktemp(f"examples-{version}")
        script, libomp = str(EXAMPLES / "build.sh"), str(runtime_folder(version))
        subprocess.run(["sh", script, str(folders[version]), libomp], check=True, timeout=120)
    return folders


def test_there_are_examples() -> None:
    assert {"heat", "tree", "loop", "stacks"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_transcript(built: dict[str, Path], name: str) -> None:
    expected = EXAMPLES / f"{name}.txt"
    said = transcript(name, built[TRANSCRIPT_RUNTIME])
    if UPDATE:
        expected.write_text(said, encoding="utf-8")
    assert said == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("version", [each for each in VERSIONS if each != TRANSCRIPT_RUNTIME])
@pytest.mark.parametrize("name", NAMES)
def test_other_runtimes_stop_at_the_same_place(
    built: dict[str, Path], name: str, version: str
) -> None:
    expected = (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8")
    hits = [line for line in expected.split("\n") if "reakpoint 1" in line]
    assert len(hits) >= 2
    assert [line for line in transcript(name, built[version]).split("\n") if line in hits] == hits


@pytest.mark.parametrize("name", NAMES)
def test_example_ends_well_by_itself(built: dict[str, Path], name: str) -> None:
    done = subprocess.run(
        [str(built[TRANSCRIPT_RUNTIME] / name)], stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert done.returncode == 0
    assert re.search(r"(sum|largest change).*: +\d+", done.stdout)


def test_normalising_keeps_everything_else() -> None:
    table = "   GDB     LWP  Team\n*    1  104159  0 of 2\n     2       7  1 of 2\n\nsum 7\n"
    assert (
        normalised(table) == "   GDB LWP  Team\n*    1 LWP  0 of 2\n     2 LWP  1 of 2\n\nsum 7\n"
    )
    assert normalised("at /a/b/libomp.so 0x7f00") == "at LIB/libomp.so 0xADDRESS"
