# SPDX-License-Identifier: Apache-2.0
"""Recipes have the version of the package, and name files that there are."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
VERSION = (
    ROOT.joinpath("python/gdb_ompd/__init__.py").read_text("utf-8").split('__version__ = "')[1]
)
VERSION = VERSION.partition('"')[0]
# Formats that have no way to read it from a file.
WRITTEN = {
    "packaging/gdb-ompd.spec": r"^Version: *(\S+)$",
    "packaging/spack/gdb-ompd/package.py": r'^    version\("([^"]+)"\)$',
    f"packaging/easybuild/gdb-ompd-{VERSION}-GCCcore-13.2.0.eb": r"^version = '([^']+)'$",
    "editors/vscode/package.json": r'^  "version": "([^"]+)"',
    "CHANGELOG.md": r"\A# Changes\n(?:.*\n)*?## (\d\S*)",
}


@pytest.mark.parametrize("file", WRITTEN)
def test_a_file_has_the_packages_version(file: str) -> None:
    (found,) = re.findall(WRITTEN[file], (ROOT / file).read_text("utf-8"), re.M)
    assert found == (VERSION if file != "CHANGELOG.md" else VERSION.rpartition(".")[0])


def test_what_is_python_compiles() -> None:
    for path in [*PACKAGING.rglob("*.py"), *PACKAGING.rglob("*.eb")]:
        ast.parse(path.read_text("utf-8"), str(path))


def test_the_readme_lists_all_there_is() -> None:
    text = (PACKAGING / "README.md").read_text("utf-8")
    for name in (
        "wheels.sh",
        "deb.sh",
        "gdb-ompd.spec",
        "spack",
        "easybuild",
        "conda",
        "modulefile",
    ):
        assert (PACKAGING / name).exists() and f"packaging/{name}`" in text


@pytest.mark.parametrize(
    "script", ["packaging/wheels.sh", "packaging/deb.sh", "scripts/release.sh"]
)
def test_a_script_is_sound_shell(script: str) -> None:
    subprocess.run(["sh", "-n", str(ROOT / script)], check=True)


def test_a_release_of_another_version_is_refused() -> None:
    done = subprocess.run(
        ["sh", str(ROOT / "scripts/release.sh"), "--sources", "9.9"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert re.search("has another than 9.9|not committed", done.stderr)
