# SPDX-License-Identifier: Apache-2.0
"""Nothing is loaded into gdb that the program alone vouches for.

The library that must not be loaded leaves a file when it is: its constructor runs
in gdb as soon as the dynamic linker has it, whatever is said of it afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from gdb_ompd import _native
from gdb_ompd.host.symbols import debug_files
from support.build import build
from support.gdb_session import GdbResult, clean_environment, run_gdb
from support.gdbserver import gdbserver
from support.marking import marking_library
from support.runtimes import runtime_folder

ALONE = "python import gdb_ompd.host.runtimes.library as l; l.SYSTEM_PLACES = ()"
NOBODY = 65534


@dataclass(frozen=True)
class Trap:
    """A program, a runtime and the library beside it, which leaves a file if it is loaded."""

    program: Path
    lib: Path
    mark: Path

    @property
    def is_sprung(self) -> bool:
        """Whether gdb has run code of the library."""
        return self.mark.exists()

    def ask(
        self,
        commands: Sequence[str],
        alone: bool = True,
        runtime: str = "",
        cwd: Path | None = None,
    ) -> GdbResult:
        """Run COMMANDS at a stop in a region; ALONE hides the system's OMPD libraries."""
        setup = [
            f"set environment LD_LIBRARY_PATH {runtime or self.lib}",
            "break truth_stop",
            "run",
        ]
        env = {"XDG_CACHE_HOME": str(self.mark.parent / "cache")}
        done = run_gdb(
            [*([ALONE] if alone else []), *setup, *commands], self.program, env=env, cwd=cwd
        )
        assert "Traceback" not in done.stderr and "Python Exception" not in done.stderr, done.stderr
        return done

    def refusal(self, why: str, folder: Path | None = None) -> str:
        """Return the line that every question is answered by."""
        return (
            f"{self.lib}/libompd.so is not loaded, for {why}: 'add-auto-load-safe-path"
            f" {folder or self.lib}' or 'set ompd library {self.lib}/libompd.so' allows it\n"
        )


def trap(folder: Path, program: str, lib: str, source: str = "nested.c") -> Trap:
    """Set a trap in FOLDER, with the program in the folder PROGRAM, and the others in LIB."""
    places = folder / program, folder / lib
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o755)
    mark = folder / "was-loaded"
    marking_library(places[1] / "libompd.so", mark)
    shutil.copy(runtime_folder("19") / "libomp.so", places[1])
    return Trap(Path(shutil.copy(build(source), places[0])), places[1], mark)


# docs/trust.md, "What is loaded into gdb": each row, and for whom it is loaded.
ROWS = {
    "setting": ("live", "core", "remote", "another's"),
    "safe path": ("live", "core", "remote", "another's"),
    "installed": ("live", "core", "remote", "another's"),
    "system": ("live", "core", "remote", "another's"),
    "beside": ("live",),
    "changeable": (),
    "foreign": (),
    "memory": (),
}
REASONS = {
    "core": "only a core file says where it is",
    "remote": "only a remote program says where it is",
    "another's": "the program runs with other rights than yours",
    "changeable": "others can write to {lib}",
    "foreign": "it came with the program",
    "memory": "only the program's memory says where it is",
}


@pytest.fixture(scope="module", params=["live", "core", "remote", "another's"])
def column(request: pytest.FixtureRequest) -> str:
    """Whose word it is that the runtime is mapped."""
    if request.param == "another's" and os.geteuid() != 0:
        pytest.skip("only root can run a program as another user")
    return str(request.param)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can go into, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("row", ROWS)
def test_each_cell_of_the_table(row: str, column: str, open_folder: Path) -> None:
    """Loaded or refused, as the table in docs/trust.md has it."""
    source = "attached.c" if column == "another's" else "nested.c"
    found = trap(open_folder, "app", "app" if row == "foreign" else "llvm/lib", source)
    library = found.lib / "libompd.so"
    setup = [ALONE]
    if row == "setting":
        setup.append(f"set ompd library {library}")
    elif row == "safe path":
        setup.append(f"add-auto-load-safe-path {found.lib}")
    elif row == "installed":
        setup.append(f"python import gdb_ompd.host.target as t; t.INSTALLED = '{found.lib}'")
    elif row == "system":
        setup.append(f"python import gdb_ompd.host.target as t; t.SYSTEM = ('{found.lib}',)")
    elif row == "changeable":
        found.lib.chmod(0o777)
    elif row == "memory":
        elsewhere = open_folder / "elsewhere"
        elsewhere.mkdir()
        library = library.rename(elsewhere / "libompd.so")
        named = f"python from gdb_ompd.host.runtimes.provider import Provider; NAMED = '{library}'"
        setup += [named, "python choice = Provider.choice"]
        setup += ["python Provider.choice = lambda own: choice(own)._replace(named=(NAMED,))"]
    with session(column, found) as (commands, program, core):
        done = run_gdb([*setup, *commands, "ompd threads", "ompd status"], program, core)
    assert "Traceback" not in done.stderr and "Python Exception" not in done.stderr, done.stderr
    is_loaded = column in ROWS[row]
    assert found.is_sprung is is_loaded, done
    if is_loaded:
        assert f"no OMPD library can be loaded: {library}" in done.stderr
        return
    why = REASONS.get(row if row == "foreign" or column == "live" else column, "")
    refusal = (
        f"{library} is not loaded, for {why.format(lib=found.lib)}: 'add-auto-load-safe-path"
        f" {library.parent}' or 'set ompd library {library}' allows it\n"
    )
    assert done.stderr.endswith(refusal)
    assert refusal in done.stdout  # of the status


@contextmanager
def session(column: str, found: Trap) -> Iterator[tuple[list[str], Path, Path | None]]:
    """Give the commands that lead to a stop in a region, the program, and the core if it is one."""
    at_stop = [f"set environment LD_LIBRARY_PATH {found.lib}", "break truth_stop", "run"]
    if column == "live":
        yield at_stop, found.program, None
    elif column == "core":
        core = found.mark.parent / "core"
        run_gdb([*at_stop, f"gcore {core}", "kill"], found.program, extension=False)
        yield [], found.program, core
    elif column == "remote":
        with gdbserver("--multi") as (_, address):
            connect = ["set sysroot", f"target extended-remote {address}"]
            start = [f"set remote exec-file {found.program}", *at_stop]
            yield [*connect, *start], found.program, None
    else:
        with subprocess.Popen(
            [str(found.program)],
            env={**clean_environment(), "LD_LIBRARY_PATH": str(found.lib)},
            user=NOBODY,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None and process.stdout.readline()
            yield [f"attach {process.pid}"], found.program, None
            process.kill()


@pytest.mark.parametrize(
    ("program", "lib"), [("app", "app"), ("app", "app/lib"), ("app/bin", "app/lib")]
)
def test_what_came_with_the_program_is_the_safe_paths_matter(
    program: str, lib: str, tmp_path: Path
) -> None:
    """Refused by default, in one line; what that line names allows it."""
    found = trap(tmp_path, program, lib)
    refused = found.ask(["ompd threads"])
    assert refused.stderr.endswith(found.refusal("it came with the program"))
    assert "at barrier" not in refused.stdout and not found.is_sprung
    said = found.ask([f"add-auto-load-safe-path {found.lib}", "ompd threads"]).stderr
    assert f"no OMPD library can be loaded: {found.lib}/libompd.so" in said
    assert found.is_sprung


def test_the_system_serves_where_the_programs_own_is_refused(tmp_path: Path) -> None:
    found = trap(tmp_path, "app", "app")
    said = found.ask(["ompd status -json"], alone=False).stdout
    document = json.JSONDecoder().raw_decode(said[said.index('{"schema"') :])[0]
    (status,) = document["runtimes"]
    assert status["problem"] is None and status["ompd_library"].startswith("/usr/")
    assert not found.is_sprung


def test_a_runtime_of_the_users_elsewhere_needs_no_setting(tmp_path: Path) -> None:
    """The folder beside is tried; that this library is none shows that it was."""
    found = trap(tmp_path, "app", "llvm/lib")
    said = found.ask(["ompd threads"]).stderr
    assert f"no OMPD library can be loaded: {found.lib}/libompd.so" in said
    assert found.is_sprung


def test_a_folder_that_others_write_to(tmp_path: Path) -> None:
    found = trap(tmp_path, "app", "llvm/lib")
    found.lib.chmod(0o777)
    said = found.ask(["ompd threads"]).stderr
    assert said.endswith(found.refusal(f"others can write to {found.lib}"))
    found.lib.chmod(0o755)
    found.lib.parent.chmod(0o777)
    said = found.ask(["ompd threads"]).stderr
    assert said.endswith(found.refusal(f"others can write to {found.lib.parent}"))
    assert not found.is_sprung


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_library_of_another_user(tmp_path: Path) -> None:
    found = trap(tmp_path, "app", "llvm/lib")
    os.chown(found.lib / "libompd.so", NOBODY, NOBODY)
    said = found.ask(["ompd threads"]).stderr
    assert said.endswith(found.refusal(f"{found.lib}/libompd.so belongs to another user"))
    assert not found.is_sprung


def test_a_link_to_where_others_write(tmp_path: Path) -> None:
    found = trap(tmp_path, "app", "llvm/lib")
    shared = tmp_path / "shared"
    shared.mkdir()
    (found.lib / "libompd.so").rename(shared / "libompd.so")
    (found.lib / "libompd.so").symlink_to(shared / "libompd.so")
    shared.chmod(0o777)
    said = found.ask(["ompd threads"]).stderr
    assert said.endswith(found.refusal(f"others can write to {shared}", shared))
    assert not found.is_sprung


def test_a_runtime_named_from_where_the_program_was_started(tmp_path: Path) -> None:
    """GDB makes the name absolute; the program's own word stays relative."""
    found = trap(tmp_path, "app", "llvm/lib")
    said = found.ask(["ompd threads"], runtime=".", cwd=found.lib).stderr
    assert said.endswith(found.refusal("the program names its place by a relative path"))
    assert not found.is_sprung


def test_memory_does_not_choose_the_library(tmp_path: Path) -> None:
    """The runtime tells debuggers by ompd_dll_locations what to load."""
    found = trap(tmp_path, "app", "app")
    named = f'set variable ompd_dll_locations[0] = "{found.lib}/libompd.so"'
    asked = [named, "output ompd_dll_locations[0]", "ompd threads"]
    done = found.ask(asked, alone=False, runtime=str(runtime_folder("19")))
    assert f'"{found.lib}/libompd.so"' in done.stdout
    assert "  implicit  " in done.stdout and done.stderr == ""
    assert not found.is_sprung


def test_a_bare_name_is_a_file_here(tmp_path: Path) -> None:
    """The dynamic linker would look for such a name everywhere else."""
    found = trap(tmp_path, "app", "llvm/lib")
    asked = ["set ompd library libompd.so", "ompd threads"]
    said = found.ask(asked, cwd=found.lib).stderr
    assert f"no OMPD library can be loaded: {found.lib}/libompd.so" in said
    assert found.is_sprung


@pytest.mark.parametrize("kind", ["fifo", "device"])
def test_what_is_no_file_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    """In the place of the OMPD library and of the cache's entry."""
    found = trap(tmp_path, "app", "llvm/lib")
    subprocess.run(["strip", str(found.lib / "libomp.so")], check=True)
    build_id = _native.Elf(str(found.lib / "libomp.so")).build_id
    cache = tmp_path / "cache" / "gdb-ompd" / "symbols"
    cache.mkdir(mode=0o700, parents=True)
    library = found.lib / "libompd.so"
    library.unlink()
    for path in (library, cache / f"{build_id}.{debug_files.METHOD}.debug"):
        if kind == "fifo":
            os.mkfifo(path)
        elif os.geteuid() == 0:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
        else:
            path.symlink_to("/dev/zero")
    done = found.ask(["ompd status"])
    assert "Symbols       recovered (profile LLVM 19)" in done.stdout
    assert f"no OMPD library can be loaded: {library}: not a regular file" in done.stdout
    done = found.ask([f"set ompd library {library}", "ompd threads"])
    assert f"no OMPD library at {library}" in done.stderr


def test_a_cache_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    found = trap(tmp_path, "app", "app")
    subprocess.run(["strip", str(found.lib / "libomp.so")], check=True)
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    asked = ["ompd status", "show ompd cache"]
    done = found.ask(asked, alone=False)
    assert "recovered" in done.stdout
    assert f"  cache         on, but not used: others can write to {cache}\n" in done.stdout
    assert f"cache folder is on, but not used: others can write to {cache}.\n" in done.stdout
    assert list(cache.iterdir()) == []
    cache.chmod(0o700)
    assert "cache         on\n" in found.ask(asked, alone=False).stdout
    assert [path.suffix for path in cache.rglob("*") if path.is_file()] == [".debug"]


def test_names_from_the_program_are_no_commands(tmp_path: Path) -> None:
    """A newline would begin another command of gdb's."""
    mark = tmp_path / "ran"
    asked = [
        "python import gdb_ompd.host.fetch as fetch",
        "python out = []",
        "python\ntry:\n  fetch._fetched('/lib/x\\nshell touch MARK')\n"
        "except OSError as error:\n  out.append(str(error))\nend",
        "python print(out)",
    ]
    script = tmp_path / "script.gdb"
    script.write_text("\n".join(asked).replace("MARK", str(mark)) + "\n", encoding="utf-8")
    done = run_gdb([f"source {script}"], build("nested.c"))
    assert "no file has the name" in done.stdout
    assert not mark.exists()


def test_what_is_foreign(tmp_path: Path) -> None:
    """The program's folder, a tree with its bin, and another machine's files."""
    sysroot = tmp_path / "sysroot"
    sysroot.mkdir()
    asked = [
        "python from gdb_ompd.host.target import foreign_folders, safe_path",
        "python print(foreign_folders('/opt/app/bin/run'))",
        "python print(foreign_folders('/usr/bin/run'))",
        "python print(foreign_folders(None))",
        f"set sysroot {sysroot}",
        f"python print(foreign_folders(None) == ['{sysroot}'])",
        "set auto-load safe-path /a:$debugdir/b:$datadir/c",
        "python print(safe_path())",
    ]
    said = run_gdb(asked).stdout.splitlines()
    assert said[:4] == ["['/opt/app']", "['/usr/bin']", "[]", "True"]
    assert said[4] == "['/a', '/usr/lib/debug/b', '/usr/share/gdb/c']"
