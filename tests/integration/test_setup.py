# SPDX-License-Identifier: Apache-2.0
"""The scripts that set a machine up: what they say, do and leave alone."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from support.gdb_session import EXTENSION
from support.runtimes import ROOT

SCRIPTS = ROOT / "scripts"


def sh(
    script: Path, *args: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(script), *args],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
    )


def write_tool(folder: Path, name: str, body: str) -> None:
    folder.mkdir(exist_ok=True)
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def apt(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which everything but gdb and cmake is installed.

    A real package cannot be taken away for a test, so dpkg-query and apt-get
    are stand-ins; apt-get writes down how it was called.
    """
    tools = tmp_path / "bin"
    write_tool(
        tools,
        "dpkg-query",
        'shift 3; for p in "$@"; do case $p in gdb|cmake) ;; *) echo "ii  $p";; esac; done',
    )
    write_tool(tools, "apt-get", f'echo "$*" >>{tmp_path}/calls; echo noise; exit ${{APT_EXIT:-0}}')
    write_tool(tools, "sudo", f'echo "sudo" >>{tmp_path}/calls; "$@"')
    return {"PATH": f"{tools}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}


def calls(tmp_path: Path) -> Sequence[str]:
    made = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    return [call for call in made if call != "sudo"]


def test_bootstrap_with_nothing_missing_asks_for_nothing(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    for tool in ("apt-get", "sudo"):
        write_tool(tools, tool, f"echo {tool} >>{tmp_path}/calls")
    done = sh(SCRIPTS / "bootstrap.sh", "demo", env={"PATH": f"{tools}:{os.environ['PATH']}"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "calls").exists()


def test_bootstrap_installs_just_what_is_missing(tmp_path: Path, apt: dict[str, str]) -> None:
    done = sh(SCRIPTS / "bootstrap.sh", "test", env=apt)
    assert done.returncode == 0
    lists, packages = done.stdout.splitlines()
    assert lists.startswith("bootstrap: reading the package lists (log: ")
    assert packages.startswith("bootstrap: installing gdb cmake")
    update, install = calls(tmp_path)
    assert update == "update"
    assert install.endswith(" gdb cmake")
    assert {"-y", "--no-remove"} <= set(install.split())


def test_bootstrap_shows_the_end_of_the_log_when_apt_fails(apt: dict[str, str]) -> None:
    done = sh(SCRIPTS / "bootstrap.sh", "demo", env={**apt, "APT_EXIT": "100"})
    assert done.returncode == 1
    (lists,) = done.stdout.splitlines()
    assert re.fullmatch(r"bootstrap: reading the package lists \(log: .*bootstrap\.log\)", lists)
    failure, *tail = done.stderr.splitlines()
    assert "bootstrap.log" in failure
    assert tail == ["noise"]


def test_bootstrap_uses_sudo_when_not_root(tmp_path: Path, apt: dict[str, str]) -> None:
    write_tool(tmp_path / "bin", "id", "echo 1000")
    assert sh(SCRIPTS / "bootstrap.sh", "demo", env=apt).returncode == 0
    made = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert [call == "sudo" for call in made] == [True, False, True, False]


@pytest.mark.parametrize("script", ["bootstrap.sh", "lint.sh"])
def test_an_unknown_word_is_refused(script: str) -> None:
    done = sh(SCRIPTS / script, "nonsense")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a small source tree with lint.sh in it, and nothing to complain about."""
    (tmp_path / "tree" / "scripts").mkdir(parents=True)
    shutil.copy(SCRIPTS / "lint.sh", tmp_path / "tree" / "scripts")
    return tmp_path / "tree"


def test_lint_is_content_with_a_clean_tree(tree: Path) -> None:
    done = sh(tree / "scripts" / "lint.sh", "text")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("in_git", [True, False])
@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        ("int x;\n", "no SPDX line"),
        ("// SPDX-License-Identifier: MIT\n", "no SPDX line"),
        ("\n" * 5 + "// SPDX-License-Identifier: Apache-2.0\n", "no SPDX line"),
        ("// SPDX-License-Identifier: Apache-2.0\n// see /ho" + "me/me/x\n", "of one machine"),
        ('// SPDX-License-Identifier: Apache-2.0\nf("/ro' + 'ot/x");\n', "of one machine"),
        ("// SPDX-License-Identifier: Apache-2.0\n// https://py" + "pi.org\n", "of one machine"),
    ],
)
def test_lint_finds_what_is_planted(tree: Path, planted: str, complaint: str, in_git: bool) -> None:
    if in_git:
        subprocess.run(["git", "init", "-q", str(tree)], check=True)
    (tree / "planted.cpp").write_text(planted, encoding="utf-8")
    done = sh(tree / "scripts" / "lint.sh", "text")
    assert done.returncode == 1
    assert complaint in done.stderr
    assert "planted.cpp" in done.stderr


def test_demo_twice_from_anywhere(tmp_path: Path) -> None:
    for _ in range(2):
        done = sh(SCRIPTS / "demo.sh", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
        shown = ("status", "threads", "parallel -all", "tasks", "icvs", "why", "bt")
        for command in shown:
            heading = f"\n\n(gdb) ompd {command}\n"
            assert heading in done.stdout
            answer = done.stdout.split(heading, 1)[1].split("\n(gdb) ", 1)[0]
            assert len(answer.strip().splitlines()) >= 3, command
        assert "\n(gdb) ompd step\n" in done.stdout
        last = done.stdout.splitlines()[-2:]
        assert "~/.gdbinit" in last[0] and last[1] == f"source {EXTENSION}"
    assert list(tmp_path.iterdir()) == []
