# SPDX-License-Identifier: Apache-2.0
"""Tools that stand between a program and what that calls, preloaded or linked in, are not taken for
the user's code: what hangs below them is named as without them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.hangs import FOLDER, Document, Setting, ask, is_right
from support.runtimes import GNU, link_options, runtime_folder

NAMES = [
    "barrier_in_critical.c",
    "barrier_missed.c",
    "critical_and_lock.c",
    "lock_in_tail.c",
    "mutex_at_barrier.c",
    "nested_outer_lock.c",
]


def wrong(answers: dict[tuple[str, str], list[Document]]) -> list[str]:
    flat = [each for found in answers.values() for each in found]
    assert flat
    return [f"{a['name']} {a['how']}: {a['shown']}" for a in flat if not is_right(a)]


@pytest.mark.parametrize("stripped", [False, True], ids=["with-symbols", "stripped"])
@pytest.mark.parametrize(
    "setting",
    [Setting("O0", GNU, ""), Setting("O2", GNU, ""), Setting("O2", "14", "debian")],
    ids=str,
)
def test_a_preloaded_tool_is_no_code_of_the_users(
    setting: Setting, stripped: bool, tmp_path: Path
) -> None:
    tool = tmp_path / "libprofiler.so"
    flags = [
        "-O1",
        "-fPIC",
        "-shared",
        "-Wall",
        "-Wextra",
        "-Werror",
        *([] if stripped else ["-g"]),
    ]
    subprocess.run(["gcc", *flags, PROGRAMS / "tools" / "interceptor.c", "-o", tool], check=True)
    if stripped:
        subprocess.run(["strip", tool], check=True)
    answers = ask(NAMES, setting, tmp_path, env={"LD_PRELOAD": str(tool)})
    assert wrong(answers) == []


@pytest.mark.parametrize("sanitizer", ["thread", "address"])
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_sanitizer_is_no_code_of_the_users(compiler: str, sanitizer: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    version = GNU if compiler == "gcc" else "14"

    def sanitized(path: Path) -> Path:
        target = tmp_path / path.name
        flags = ["-g", "-O1", "-fopenmp", f"-fsanitize={sanitizer}"]
        links = [] if version == GNU else [f"-L{runtime_folder(version)}", *link_options(version)]
        subprocess.run(
            [compiler, *flags, FOLDER / f"{path.name}.c", *links, "-o", target], check=True
        )
        return target

    # Of O0 a core would be written: it would have all that a sanitizer has reserved.
    setting = Setting("O2", version, "" if version == GNU else "debian")
    assert [] == wrong(ask(NAMES[:3] + NAMES[4:5], setting, tmp_path, placed=sanitized))
