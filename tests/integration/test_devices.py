# SPDX-License-Identifier: Apache-2.0
"""`ompd devices`: the devices, what is mapped there, and why the host executes all."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from support.build import OFFLOADS, PROGRAMS, build
from support.gdb_session import run_gdb
from support.runtimes import ROOT

IN_GDB = Path(__file__).parents[1] / "support" / "devices_in_gdb.py"
GNU_PLUGIN = "libgomp-plugin-nvptx.so.1"
DISTRIBUTION = {"offload": OFFLOADS, "clang": "14", "gcc": "gnu"}


@pytest.fixture(scope="module")
def gnu_plugin(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a setting by which GCC's runtime has two devices."""
    folder = tmp_path_factory.mktemp("plugin")
    made = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    source = PROGRAMS / "devices" / "gnu_plugin.c"
    subprocess.run([*made, source, "-o", folder / GNU_PLUGIN], check=True)
    return f"set environment LD_LIBRARY_PATH {folder}"


def program(compiler: str, name: str = "devices/mapped", opt: str = "O0") -> Path:
    return build(f"{name}.c", compiler, opt, DISTRIBUTION[compiler])


def compared(commands: list[str], env: dict[str, str], **where: Path) -> dict[str, object]:
    done = run_gdb([*commands, f"source {IN_GDB}"], env=env, **where)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"compared"')]
    assert lines, done.stdout + done.stderr
    found: dict[str, object] = json.loads(lines[-1])
    return found


@pytest.mark.parametrize("opt", ("O0", "O2"))
@pytest.mark.parametrize("compiler", ("offload", "gcc"))
def test_what_is_mapped_where(compiler: str, opt: str, gnu_plugin: str) -> None:
    found = compared([gnu_plugin], {"CORES": ""}, program=program(compiler, opt=opt))
    assert not found["wrong"]
    assert found["compared"] == 110


@pytest.mark.parametrize("compiler", ("offload", "gcc"))
def test_a_core_has_the_same(compiler: str, gnu_plugin: str, tmp_path: Path) -> None:
    binary = program(compiler)
    assert not compared([gnu_plugin], {"CORES": str(tmp_path)}, program=binary)["wrong"]
    said = {"CORES": "", "SAID": str(tmp_path / "said.6")}
    found = compared([], said, program=binary, core=tmp_path / "core.6")
    assert found == {"compared": 34, "wrong": []}


def test_names_and_sizes(gnu_plugin: str) -> None:
    for compiler in ("offload", "gcc"):
        asked = [gnu_plugin, "break visit if known == 3", "run", "ompd devices"]
        said = run_gdb(asked, program(compiler)).stdout
        assert re.search(r"values\[0:\w+\]  0x\w+  0x\w+    800           2\n", said)
        assert re.search(r"  pair  +0x\w+  0x\w+     40           1\n", said)
        assert re.search(r"Device 1: .*\n.*\n  table\[10:20\]  0x\w+  0x\w+     80 +1\n", said)
    assert "Device 0 (default): nvptx, libgomp-plugin-nvptx.so.1\n" in said
    assert "The host (device 2): no target region is executed there\n" in said


def test_who_uses_a_device_and_what_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "stop.json"
    asked = ["break visit", "run", "ompd devices", f"ompd save {file}"]
    said = run_gdb(asked, program("offload", "targets/declared")).stdout
    plugin = r"libomptarget\.(?:rtl\.x86_64\.so|so\.[0-9.]+)"  # LLVM 19 has it in the library
    assert re.search(rf"^Device 0 \(default\): {plugin}$", said, re.M), said
    assert re.search(r"\n  GDB thread 1: in target at declared\.c:\d+\n", said)
    assert re.search(r"\n  \w+ +0x\w+  0x\w+ +\d+ +always\n", said)
    assert re.search(rf"^Devices 1-3: {plugin}; nothing is mapped$", said, re.M), said
    listing = said[said.index("Device 0") : said.index("Saved to")]
    assert run_gdb([f"ompd devices -from {file}"]).stdout == listing


@pytest.mark.parametrize(
    "compiler, setting, why",
    (
        ("gcc", "", "libgomp.so.1 found no device."),
        # libgomp 12 goes on: the default device's number, 0, is then that of the host.
        ("gcc", "mandatory", "libgomp.so.1 found no device."),
        ("gcc", "disabled", "OMP_TARGET_OFFLOAD=disabled."),
        ("clang", "", "no runtime for devices is loaded."),
    ),
)
def test_why_the_host_executes_all(compiler: str, setting: str, why: str) -> None:
    env = {"OMP_TARGET_OFFLOAD": setting} if setting else {}
    asked = ["break visit", "run", "ompd devices"]
    said = run_gdb(asked, program(compiler, "targets/map"), env=env).stdout
    assert f"The host executes every target region: {why}" in said
    assert re.search(r"\n  GDB thread 1: in target at map\.c:9\n", said)


def test_the_document_has_the_described_keys() -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    table, _, beside = (
        text.partition("## `ompd devices -json`")[2].partition("\n## ")[0].partition("Beside it ")
    )
    keys = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))
    done = run_gdb(["break visit if known == 3", "run", "ompd devices -json"], program("offload"))
    document = json.loads(done.stdout[done.stdout.index('{"schema"') :])
    assert set(document) == {"schema", "devices", *re.findall(r"`(\w+)`(?=[:,] | \()", beside)}
    assert all(set(device) == set(keys) for device in document["devices"])
    assert "`{name, host, device, bytes, references}`" in table
    assert list(document["devices"][0]["mapped"][0]) == "name host device bytes references".split()


def test_before_the_first_device_is_needed() -> None:
    said = run_gdb(["start", "ompd devices", "ompd devices -json"], program("gcc")).stdout
    assert "libgomp.so.1 has not looked for devices yet: it does so when the program" in said
    assert '"host": {"number": null, "threads": [], "why": null}' in said
