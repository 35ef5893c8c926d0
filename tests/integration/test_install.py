# SPDX-License-Identifier: Apache-2.0
"""The extension loads from where each way of installing it puts it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pytest

import gdb_ompd

from support.build import build
from support.gdb_session import START
from support.runtimes import ROOT

PACKAGE = ROOT / "python" / "gdb_ompd"
GDB = shutil.which("gdb") or "gdb"


def gdb(commands: Sequence[str], program: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run COMMANDS from / in an empty environment: nothing but the files may help.

    Only HOME is there: without it gdb warns that it has no place for its cache.
    """
    argv = [GDB, *START, "-batch"]
    for command in commands:
        argv += ["-ex", command]
    argv += [str(program)] if program else []
    return subprocess.run(
        argv,
        cwd="/",
        env={"HOME": "/"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def gdb_python(expression: str) -> str:
    """Return what EXPRESSION gives in the Python inside gdb."""
    done = gdb([f"python import sys, sysconfig; print({expression})"])
    return done.stdout.strip()


def run(argv: Sequence[str], cwd: Path = ROOT) -> None:
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def assert_works(script: Path) -> None:
    """SCRIPT serves a program that has stopped inside a parallel region."""
    program = build("nested.c", "clang", "O0", "19")
    done = gdb(
        [f"source {script}", "break truth_stop", "run", "ompd status", "ompd threads"], program
    )
    assert done.stderr == ""
    status, threads = done.stdout.split("libompd.so", 1)
    assert "libomp.so" in status
    assert "truth_stop" in threads or "nested.c:" in threads
    idle = gdb([f"source {script}", "ompd status"])
    assert "Traceback" not in idle.stderr and "Undefined" not in idle.stderr
    assert "OpenMP" in idle.stdout + idle.stderr or "no process" in idle.stdout + idle.stderr


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prefix")
    run(["cmake", "--install", str(ROOT / "build"), "--prefix", str(folder)])
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return ompd.py of a checkout in which nothing has been built."""
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "python" / "gdb_ompd", ignore=ignored)
    shutil.copytree(ROOT / "gdb-scripts", tmp_path / "gdb-scripts", ignore=ignored)
    return tmp_path / "gdb-scripts" / "ompd.py"


def only_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stdout + done.stderr).split("\n") if line]
    assert len(lines) == 1, lines
    return lines[0]


def test_built_checkout() -> None:
    assert_works(ROOT / "gdb-scripts" / "ompd.py")


def test_cmake_install(prefix: Path) -> None:
    assert_works(prefix / "share" / "gdb-ompd" / "ompd.py")


def test_the_installed_tool_saves_and_reports_and_pages_have_their_style(
    prefix: Path, tmp_path: Path
) -> None:
    script, saved = prefix / "share" / "gdb-ompd" / "ompd.py", tmp_path / "saved"
    saved.mkdir()
    program = build("nested.c", "clang", "O0", "19")
    asked = [
        "break truth_stop",
        "run",
        f"ompd save {saved}/a.json",
        f"ompd report {tmp_path}/a.html",
    ]
    gdb([f"source {script}", *asked], program)
    assert "prefers-color-scheme" in (tmp_path / "a.html").read_text("utf-8")
    done = subprocess.run(
        [str(prefix / "bin" / "gdb-ompd"), "report", str(saved)],
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("1 process in 1 state.\na.json: "), done


def test_the_installed_copy_needs_no_checkout(prefix: Path) -> None:
    done = gdb(
        [
            f"source {prefix / 'share' / 'gdb-ompd' / 'ompd.py'}",
            "python import gdb_ompd._native; print(gdb_ompd.__file__, gdb_ompd._native.__file__)",
        ]
    )
    assert done.stderr == ""
    assert [Path(file).is_relative_to(prefix) for file in done.stdout.split()] == [True, True]


def test_uninstalling_leaves_nothing(tmp_path: Path) -> None:
    """As the build folder's target does, from a folder with that build's list of files."""
    installed, build_folder = tmp_path / "prefix", tmp_path / "build"
    build_folder.mkdir()
    run(["cmake", "--install", str(ROOT / "build"), "--prefix", str(installed)])
    shutil.copy(ROOT / "build" / "install_manifest.txt", build_folder)
    gdb([f"source {installed / 'share' / 'gdb-ompd' / 'ompd.py'}"])
    assert list(installed.rglob("__pycache__"))
    run(["cmake", "-P", str(ROOT / "packaging" / "uninstall.cmake")], build_folder)
    assert [path for path in installed.rglob("*") if not path.is_dir()] == []
    assert not (installed / "share" / "gdb-ompd").exists()


def test_a_virtual_environment(prefix: Path, tmp_path: Path) -> None:
    """As pip lays it out there: the package among its Python's, the scripts in share and bin."""
    version = gdb_python("'python%d.%d' % sys.version_info[:2]")
    installed, packages = (
        prefix / "share" / "gdb-ompd",
        tmp_path / "lib" / version / "site-packages",
    )
    shutil.copytree(installed / "gdb_ompd", packages / "gdb_ompd")
    (tmp_path / "share" / "gdb-ompd").mkdir(parents=True)
    shutil.copy(installed / "ompd.py", tmp_path / "share" / "gdb-ompd")
    assert_works(tmp_path / "share" / "gdb-ompd" / "ompd.py")
    asked = "from gdb_ompd.tool.debugger import extension; print(extension())"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=packages, capture_output=True, text=True, check=True
    )
    assert Path(done.stdout.strip()) == tmp_path / "share" / "gdb-ompd" / "ompd.py"


@pytest.mark.timeout(1200)  # it builds everything, on a busy machine
def test_pip_install(tmp_path: Path) -> None:
    python = gdb_python(
        "f'{sys.base_exec_prefix}/bin/python{sys.version_info[0]}.{sys.version_info[1]}'"
    )
    if subprocess.run([python, "-c", "import scikit_build_core"], capture_output=True).returncode:
        pytest.skip("python3-scikit-build-core is not installed")
    source, target = tmp_path / "source", tmp_path / "target"
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".git", "build*", "*.so", ".*_cache")
    )
    offline = ["--no-build-isolation", "--no-deps", "--no-index"]
    # What is tried is the way that the files go. Compiled as the checkout was, and by the name
    # that CMake has for the compiler, all of it is in ccache.
    alike = {
        "cmake.build-type": "RelWithDebInfo",
        "cmake.define.CMAKE_CXX_COMPILER": shutil.which("c++") or "c++",
        "build-dir": "build",
    }
    settings = [f"--config-settings={name}={value}" for name, value in alike.items()]
    command = [python, "-m", "pip", "install", *offline, *settings, "--target", str(target), "."]
    run(command, cwd=source)
    scripts = [path for path in target.rglob("ompd.py")]
    assert scripts, "the wheel holds no ompd.py"
    for script in scripts:
        assert_works(script)
    program = build("nested.c", "clang", "O0", "19")
    gdb(["break truth_stop", "run", f"gcore {tmp_path}/core"], program)
    tool = subprocess.run(
        f"cd / && '{target}/bin/gdb-ompd' snapshot '{tmp_path}/core' '{program}' -o '{tmp_path}/saved'"
        f" && '{target}/bin/gdb-ompd' report '{tmp_path}/saved'",
        shell=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/", "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
    )
    assert "1 process in 1 state.\n" in tool.stdout, tool


def test_module_not_built(checkout: Path) -> None:
    line = only_line(gdb([f"source {checkout}"]))
    assert "not built" in line
    assert "cmake" in line


def test_module_of_another_python(checkout: Path) -> None:
    ours = gdb_python("'%d.%d' % sys.version_info[:2]")
    [built] = PACKAGE.glob("_native.*.so")
    other = checkout.parents[1] / "python" / "gdb_ompd" / "_native.cpython-39-x86_64-linux-gnu.so"
    shutil.copyfile(built, other)
    line = only_line(gdb([f"source {checkout}"]))
    assert "3.9" in line
    assert ours in line
    assert "cmake" in line


def test_a_python_that_is_too_old_is_named() -> None:
    script = ROOT / "gdb-scripts" / "ompd.py"
    line = only_line(gdb(["python import sys; sys.version_info = (3, 8)", f"source {script}"]))
    assert "3.9 or later is needed: install a newer gdb" in line


def test_damaged_module(checkout: Path) -> None:
    """A module with the right name that cannot be loaded says why, in a line."""
    suffix = gdb_python("sysconfig.get_config_var('EXT_SUFFIX')")
    module = checkout.parents[1] / "python" / "gdb_ompd" / f"_native{suffix}"
    module.write_bytes(b"\x7fELF" + bytes(60))
    line = only_line(gdb([f"source {checkout}"]))
    assert "_native" in line
    assert "cmake" in line


def test_sourcing_twice_is_harmless() -> None:
    script = ROOT / "gdb-scripts" / "ompd.py"
    program = build("nested.c", "clang", "O0", "19")
    at_stop = ["break truth_stop", "run", "ompd threads -json"]
    once = gdb([f"source {script}", *at_stop], program)
    twice = gdb([f"source {script}", f"source {script}", *at_stop], program)
    assert twice.stderr == once.stderr == ""
    assert twice.stdout.count("\n") == once.stdout.count("\n")
    assert twice.stdout.count('"threads"') == once.stdout.count('"threads"') == 1


def test_a_python_script_may_source_it(tmp_path: Path) -> None:
    """GDB leaves the script's own name in __file__ then."""
    own = tmp_path / "own.py"
    own.write_text(f"gdb.execute('source {ROOT / 'gdb-scripts' / 'ompd.py'}')\n", encoding="utf-8")
    done = gdb([f"source {own}", "ompd status"])
    assert done.stderr == "" and done.stdout.startswith("There is no process")


def test_a_start_loads_nothing_that_only_a_command_needs() -> None:
    """Every gdb pays for it, also those that never see an OpenMP program."""
    heavy = {"dataclasses", "inspect", "json", "re", "shlex", "shutil", "subprocess", "sysconfig"}
    loaded = f"python print('LOADED', *sorted({heavy!r} & set(sys.modules)))"
    script = ROOT / "gdb-scripts" / "ompd.py"
    done = gdb(["python import sys", loaded, f"source {script}", loaded])
    before, after = [line for line in done.stdout.splitlines() if line.startswith("LOADED")]
    assert after == before


def tool(script: Path, home: Path, *words: str, answer: str | None = None) -> tuple[int, str]:
    """Run the tool as a user whose home is HOME; ANSWER is typed at a terminal."""
    environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    if answer is None:
        done = subprocess.run(
            [str(script), *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout + done.stderr
    child = pexpect.spawn(str(script), list(words), env=environment, encoding="utf-8", timeout=60)
    child.expect_exact("(y or n) ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


def test_the_tool_has_gdb_load_the_extension_and_takes_it_back(
    prefix: Path, tmp_path: Path
) -> None:
    script, init = prefix / "bin" / "gdb-ompd", tmp_path / ".gdbinit"
    line = f"source {prefix / 'share' / 'gdb-ompd' / 'ompd.py'}"
    code, said = tool(script, tmp_path, "install")
    assert (code, said) == (
        1,
        "gdb-ompd: nobody can be asked, as the input is no terminal: use --yes\n",
    )
    assert tool(script, tmp_path, "install", answer="n")[0] == 1 and not init.exists()
    init.write_text("set history save on")
    init.chmod(0o600)
    assert tool(script, tmp_path, "install", answer="y")[0] == 0
    first, mark, added = init.read_text().splitlines()
    assert (first, added) == ("set history save on", line) and mark.startswith("#")
    assert init.stat().st_mode & 0o777 == 0o600
    assert tool(script, tmp_path, "install", "--yes") == (0, f"{init} loads it already.\n")
    shown = subprocess.run(
        [GDB, "-q", "-batch", "-ex", "ompd version"],
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert shown.stdout.startswith(f"gdb-ompd {gdb_ompd.__version__}, in GDB ")
    assert "loads it\n" in tool(script, tmp_path, "doctor")[1]
    assert tool(script, tmp_path, "uninstall")[0] == 0
    assert init.read_text() == "set history save on\n"
    assert tool(script, tmp_path, "uninstall") == (0, f"{init} has no line of ours.\n")


def test_gdb_reads_the_other_init_file_where_there_is_one(prefix: Path, tmp_path: Path) -> None:
    init = tmp_path / ".config" / "gdb" / "gdbinit"
    init.parent.mkdir(parents=True)
    init.write_text("")
    assert tool(prefix / "bin" / "gdb-ompd", tmp_path, "install", "--yes")[0] == 0
    assert "ompd.py" in init.read_text() and not (tmp_path / ".gdbinit").exists()


def test_an_init_file_that_is_a_link_stays_one(prefix: Path, tmp_path: Path) -> None:
    """Many keep it in a repository of such files; what install added goes, whatever else was there."""
    script, own, init = prefix / "bin" / "gdb-ompd", tmp_path / "own", tmp_path / ".gdbinit"
    for before in ("", "set width 0\r\n"):
        own.write_bytes(before.encode())
        init.unlink(missing_ok=True)
        init.symlink_to("own")
        assert tool(script, tmp_path, "install", "--yes")[0] == 0
        assert "ompd.py" in own.read_text()
        assert tool(script, tmp_path, "uninstall")[0] == 0
        assert init.is_symlink() and own.read_bytes() == before.encode()


def test_an_init_file_that_cannot_be_written_is_said_in_a_line(
    prefix: Path, tmp_path: Path
) -> None:
    script, init = prefix / "bin" / "gdb-ompd", tmp_path / ".gdbinit"
    init.symlink_to(tmp_path / "none" / "gdbinit")
    code, said = tool(script, tmp_path, "install", "--yes")
    assert code == 1 and said.count("\n") == 1 and "type in gdb each time: source /" in said, said
    init.unlink()
    os.mkfifo(init)
    code, said = tool(script, tmp_path, "install", "--yes")
    assert (code, said) == (1, f"gdb-ompd: {init}: not a regular file\n")


def test_a_gdb_without_python_says_what_is_missing() -> None:
    """It takes the file for its own commands, and names the first that it has not."""
    script = (ROOT / "gdb-scripts" / "ompd.py").read_text("utf-8")
    lines = [line for line in script.splitlines() if line and not line.startswith("#")]
    done = gdb([lines[0]])
    assert 'Undefined command: "gdb_ompd_needs_a_gdb_with_Python"' in done.stderr, done


def test_the_doctor_names_what_does_not_fit(prefix: Path, tmp_path: Path) -> None:
    script = prefix / "bin" / "gdb-ompd"
    code, said = tool(script, tmp_path, "doctor")
    assert code == 1 and "-> gdb-ompd install, or type in gdb: source" in said, said
    assert "can be loaded" in said and "/libgomp.so" in said
    without_python = tmp_path / "gdb"
    without_python.write_text("#!/bin/sh\necho Python scripting is not supported >&2\n")
    without_python.chmod(0o755)
    code, said = tool(script, tmp_path, "doctor", "--gdb", str(without_python))
    assert code == 1 and "Python scripting is not supported" in said
    assert "there is no /none" in tool(script, tmp_path, "doctor", "--gdb", "/none")[1]


def test_the_doctor_says_that_the_module_is_not_built(checkout: Path, tmp_path: Path) -> None:
    code, said = tool(checkout.parent / "gdb-ompd", tmp_path, "doctor")
    assert code == 1 and "-> install it with this gdb's Python, or build it: cmake" in said, said
    code, said = tool(checkout.parent / "gdb-ompd", tmp_path, "install", "--yes")
    assert code == 1 and "cannot load it: its native module is not built" in said, said
    assert said.count("\n") == 1 and not (tmp_path / ".gdbinit").exists()
