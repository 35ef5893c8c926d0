# SPDX-License-Identifier: Apache-2.0
"""Asks an OMPD library, by the client of this folder, what OpenMP demands of one, and prints
the table: "python3 -m conformance LIBRARY RUNTIME [-all]" (scripts/conformance.sh)."""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from support.gdb_session import clean_environment
from support.runtimes import ROOT

HERE = Path(__file__).parent
CORE = ROOT / "build" / "native" / "libgdb_ompd_core.a"
WIDTH = 60


class Answer(NamedTuple):
    """What one check demands, and what was observed."""

    demanded: tuple[str, ...]
    observed: str


def compiled(*command: str, sources: tuple[Path, ...]) -> Path:
    """Return what COMMAND makes of SOURCES, with "-o FILE" added, once per content."""
    digest = hashlib.sha256(repr(command).encode())
    for source in sources:
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gdb-ompd"
    made = base / "programs" / f"conformance-{digest.hexdigest()[:16]}"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as folder:
            subprocess.run([*command, "-o", f"{folder}/made"], check=True)
            os.replace(f"{folder}/made", made)
    return made


@functools.lru_cache(maxsize=None)
def client() -> Path:
    if not CORE.exists():
        raise FileNotFoundError(f"{CORE} is missing: build first")
    flags = ["pkg-config", "--libs", "libelf", "libdw", "capstone"]
    found = subprocess.run(flags, check=True, stdout=subprocess.PIPE, text=True).stdout
    sources = tuple(sorted(HERE.glob("*.cpp")))
    includes = [f"-I{ROOT / 'native' / name}" for name in ("src", "tests")]
    options = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", *includes]
    return compiled(
        *("g++", *options, *map(str, sources), str(CORE)),
        *(*shlex.split(found), "-ldl", "-lpthread"),
        sources=(*sources, HERE / "subject.hpp", HERE / "scene.h", CORE),
    )


def scene(runtime: Path, *options: str) -> Path:
    """Return the program on RUNTIME, as a shared object."""
    sources = (HERE / "scene.c", HERE / "scene.h")
    flags = ["-O1", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", *options]
    made = compiled("clang", *flags, "-c", str(sources[0]), sources=sources)
    # With -fopenmp here, the compiler would name a runtime of its own.
    linked = [str(made), str(runtime), f"-Wl,-rpath,{runtime.parent}", "-lpthread"]
    return compiled("clang", "-shared", *linked, sources=(made, runtime))


def gccs_scene() -> Path:
    """Return the program as GCC builds it, on its libgomp."""
    sources = (HERE / "scene.c", HERE / "scene.h")
    flags = ["-O1", "-g", "-fPIC", "-shared", "-fopenmp", "-Wall", "-Wextra", "-Werror"]
    return compiled("gcc", *flags, str(sources[0]), sources=sources)


def answers(
    library: Path, program: Path, folder: Path | None = None, env: Mapping[str, str] = {}
) -> dict[str, Answer]:
    """Return by its name what each check demands of LIBRARY, and what it did when PROGRAM
    was stopped; with the runtime of FOLDER if one is given, and with ENV."""
    env = {"OMP_DEBUG": "enabled", **env} | ({"LD_LIBRARY_PATH": str(folder)} if folder else {})
    done = subprocess.run(
        [str(client()), str(library), str(program)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=clean_environment(env),
        text=True,
        timeout=250,
        check=True,
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    found = {name: Answer(tuple(wanted.split("|")), said) for name, wanted, said in rows}
    assert len(found) == len(rows)
    return found


def table(found: dict[str, Answer], everything: bool) -> list[str]:
    """Return a line for each check whose answer is not what is demanded, or for each."""
    rows = [("Check", "Demanded", "Observed")]
    for name, answer in found.items():
        if everything or answer.observed not in answer.demanded:
            rows.append((name, " or ".join(answer.demanded), answer.observed))
    widths = [min(WIDTH, max(len(row[at]) for row in rows)) for at in (0, 1)]
    return [f"{a:{widths[0]}}  {b:{widths[1]}}  {c}".rstrip() for a, b, c in rows]


def main(arguments: list[str]) -> int:
    """Print the table; 1 where a demand is not met, 2 where nothing could be asked."""
    paths = [Path(each).resolve() for each in arguments if each != "-all"]
    if len(paths) != 2:
        print("usage: conformance LIBRARY RUNTIME [-all]", file=sys.stderr)
        return 2
    library, runtime = paths
    try:
        is_gnu = runtime.name.startswith("libgomp")
        program = gccs_scene() if is_gnu else scene(runtime, "-fopenmp")
        found = answers(library, program, runtime.parent if is_gnu else None)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    wrong = [name for name, answer in found.items() if answer.observed not in answer.demanded]
    if wrong or "-all" in arguments:
        print("\n".join(table(found, "-all" in arguments)))
    print(f"{len(found)} checks, {len(wrong)} not as demanded: {library} on {runtime}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
