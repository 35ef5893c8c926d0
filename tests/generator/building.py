# SPDX-License-Identifier: Apache-2.0
"""Build generated programs, with what they are deprived of or have beside them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.deprivations import Deprivation
from generator.program import Program
from support.runtimes import GNU, runtime_folder, stripped

FOLDER = Path(__file__).resolve().parent
FILES = ("generated", "other")
DRIVERS = {("clang", "c"): "clang", ("clang", "cpp"): "clang++"}
DRIVERS.update({("gcc", "c"): "gcc", ("gcc", "cpp"): "g++"})
# Only what the record is read by keeps a name in a stripped program.
KEPT = "-Wl,--export-dynamic-symbol=record_*"
NEWER_BY = 10  # lines that a newer source has more, at its top
WITHOUT_TABLES = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-DUNTOLD")


@dataclass(frozen=True)
class Way:
    """One way to build and to run a program."""

    compiler: str
    opt: str
    runtime: str  # as support.runtimes names it

    def __str__(self) -> str:
        runtime = "libgomp" if self.runtime == GNU else f"libomp{self.runtime}"
        return f"{self.compiler}-{self.opt}-{runtime}"


WAYS = [
    *(Way("clang", opt, "19") for opt in ("O0", "O1", "O2")),
    *(Way("clang", opt, stripped("14")) for opt in ("O0", "O2")),
    Way("clang", "O1", "14"),
    *(Way("gcc", opt, "19") for opt in ("O0", "O2")),
    *(Way("gcc", opt, GNU) for opt in ("O0", "O2")),
]


@dataclass(frozen=True)
class Built:
    """A program as it is run."""

    program: Path
    module: Path  # the file with its regions
    full: Path  # that file with all its symbols
    libraries: str  # LD_LIBRARY_PATH, or ""
    preloaded: str  # LD_PRELOAD, or ""


def build(program: Program, way: Way, deprived: Deprivation, folder: Path) -> Built:
    """Compile a program; its source stays in FOLDER, where it is not DEPRIVED of that."""
    objects = _objects(program, way, deprived, folder)
    link = [DRIVERS[way.compiler, program.language], "-fopenmp", "-pthread"]
    module = made = folder / "generated"
    if deprived.host is None:
        _run([*link, *objects, KEPT, *_runtime(way), f"-Wl,-rpath,{folder}", "-o", made])
    else:
        module = folder / "libgenerated.so"
        _run([*link, "-shared", *objects, *_runtime(way), "-o", module])
        _host(way, deprived, module, made)
    full = folder / "full"
    shutil.copy(module, full)
    if deprived.separate:
        _separate(module)
    if deprived.stripped:
        for file in {made, module}:
            _run(["strip", file])
    for source in folder.glob("*.c*") if deprived.sources else ():
        text = "\n" * NEWER_BY + source.read_text(encoding="utf-8")
        source.unlink()
        if deprived.sources == "newer":
            source.write_text(text, encoding="utf-8")
    preloaded = _interceptor(folder) if deprived.preloaded else ""
    libraries = _own_runtime(way, folder) if deprived.removed else _libraries(way, folder)
    if deprived.life == "container":
        _fill_root(made, libraries, folder / "root")
    return Built(made, module, full, libraries, preloaded)


def _objects(program: Program, way: Way, deprived: Deprivation, folder: Path) -> list[Path]:
    common = ["-fopenmp", f"-I{FOLDER}", "-w", "-pthread"]
    if deprived.host is not None:
        common += ["-fPIC", "-DGENERATED_MAIN=generated_main"]
    plain = DRIVERS[way.compiler, "c"]
    objects = [folder / "record.o", folder / "spin.o"]
    _run([plain, "-O1", *common, "-c", FOLDER / "record.c", "-o", objects[0]])
    if deprived.untold:
        objects[1] = folder / "libspin.so"
        nothing_else = ("-shared", "-nostdlib", "-Wl,--no-ld-generated-unwind-info", "-s")
        _run([plain, *WITHOUT_TABLES, "-fPIC", *nothing_else, FOLDER / "spin.c", "-o", objects[1]])
    else:
        _run([plain, "-O1", *common, "-c", FOLDER / "spin.c", "-o", objects[1]])
    driver = DRIVERS[way.compiler, program.language]
    for name, text in zip(FILES, program.sources):
        source = folder / f"{name}.{program.language}"
        source.write_text(text, encoding="utf-8")
        objects.append(folder / f"{name}.o")
        _run([driver, deprived.debug, f"-{way.opt}", *common, "-c", source, "-o", objects[-1]])
    return objects


def _runtime(way: Way) -> list[Any]:
    """Return what links a program that has no main() of a compiler's own choice."""
    return [] if way.runtime == GNU else [f"-L{_folder(way)}", "-lomp"]


def _folder(way: Way) -> Path:
    return runtime_folder("14" if way.runtime.startswith("14") else way.runtime)


def _host(way: Way, deprived: Deprivation, module: Path, made: Path) -> None:
    """Build what loads the library MODULE, and another beside it."""
    options = [*(deprived.host or ()), f'-DLIBRARY="{module}"']
    if deprived.beside:
        options.append(f'-DBESIDE="{_beside(way, deprived.beside, made.parent)}"')
    compiler = DRIVERS[way.compiler, "c"]
    openmp = ["-fopenmp", *_runtime(way)] if deprived.forks else []
    _run([compiler, "-g", *options, FOLDER / "host.c", *openmp, "-pthread", "-ldl", "-o", made])


def _beside(way: Way, which: str, folder: Path) -> Path:
    """Build the library with another runtime, or with a copy of the one that WAY has."""
    is_gnu = (way.runtime == GNU) == (which == "copy")
    compiler, library = ("gcc" if is_gnu else "clang"), folder / "libbeside.so"
    if which == "copy":
        runtime = _copy(_file(way), folder / "copy")
    else:
        runtime = _file(Way(compiler, "O1", GNU if is_gnu else "19"))
    built = folder / "beside.o"
    _run([compiler, "-O1", "-fopenmp", "-fPIC", "-c", FOLDER / "beside.c", "-o", built])
    _run([compiler, "-shared", built, runtime, f"-Wl,-rpath,{runtime.parent}", "-o", library])
    return library


def _file(way: Way) -> Path:
    """Return the file of a runtime."""
    if way.runtime != GNU:
        return next(f for f in _of_way(way).iterdir() if re.match(r"libomp\.so", f.name))
    said = subprocess.run(
        ["gcc", "-print-file-name=libgomp.so.1"], stdout=subprocess.PIPE, text=True, check=True
    )
    return Path(said.stdout.strip())


def _of_way(way: Way) -> Path:
    return runtime_folder(way.runtime)


def _copy(file: Path, folder: Path) -> Path:
    """Copy a runtime's FILE, under a name of its own as wheels give it one."""
    said = subprocess.run(["readelf", "-d", file], stdout=subprocess.PIPE, text=True, check=True)
    found = re.search(r"\(SONAME\).*\[(.*)\]", said.stdout)
    assert found
    name = found[1][:-1] + "9"
    folder.mkdir()
    data = file.read_bytes().replace(found[1].encode() + b"\0", name.encode() + b"\0")
    (folder / name).write_bytes(data)
    for library in file.parent.glob("libompd.so*"):
        (folder / library.name).symlink_to(library.resolve())
    return folder / name


def _separate(file: Path) -> None:
    """Put the debug information of a FILE where distributions do."""
    debug = file.parent / ".debug" / f"{file.name}.debug"
    debug.parent.mkdir()
    _run(["objcopy", "--only-keep-debug", file, debug])
    _run(["strip", "--strip-debug", file])
    _run(["objcopy", f"--add-gnu-debuglink={debug}", file])


def _own_runtime(way: Way, folder: Path) -> str:
    """Copy a runtime, with the libraries beside it, to a folder that is the program's alone."""
    file, lib = _file(way), folder / "own"
    lib.mkdir()
    for name in ("libgomp.so.1",) if way.runtime == GNU else ("libomp.so", "libomp.so.5"):
        shutil.copy(file.resolve(), lib / name)
    for library in file.parent.glob("libompd.so*") if way.runtime != GNU else ():
        (lib / library.name).symlink_to(library.resolve())
    return str(lib)


def _fill_root(program: Path, libraries: str, root: Path) -> None:
    """Copy a PROGRAM and the libraries that it needs to the root folder of a container."""
    env = {**os.environ, "LD_LIBRARY_PATH": libraries}
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, env=env, check=True)
    for file in (str(program), *re.findall(r"(/\S+) \(0x", said.stdout)):
        copy = root / file.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (root / "old").mkdir()
    (root / "dev" / "shm").mkdir(parents=True)  # without it libomp 14 gives up


def _interceptor(folder: Path) -> str:
    made = folder / "interceptor.so"
    _run(["gcc", "-O2", "-w", "-fPIC", "-shared", FOLDER / "interceptor.c", "-ldl", "-o", made])
    return str(made)


def _run(command: list[Any]) -> None:
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise ValueError(f"{' '.join(map(str, command))}\n{done.stdout}")


def _libraries(way: Way, folder: Path) -> str:
    """Return the folder of a runtime, with a link for the name that programs look for."""
    if way.runtime == GNU:
        return ""
    found = _of_way(way)
    if (found / "libomp.so").exists():
        return str(found)
    lib = folder / "lib"
    lib.mkdir(exist_ok=True)
    if not (lib / "libomp.so").exists():
        os.symlink((found / "libomp.so.5").resolve(), lib / "libomp.so")
    return str(lib)
