# SPDX-License-Identifier: Apache-2.0
"""Build the programs of the wait suite, run them in one gdb, and compare each thread."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.build import PROGRAMS, Build, binary
from support.facts import Fact
from support.gdb_session import run_gdb
from support.runtimes import GNU, runtime_folder

SITUATIONS = sorted(path.stem for path in (PROGRAMS / "waits").glob("*.c"))
MODES = ("spinning", "sleeping", "core")
SPIN = {"OMP_WAIT_POLICY": "active", "KMP_BLOCKTIME": "infinite"}
SLEEP = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
DRIVER = Path(__file__).with_name("waits_in_gdb.py")
FOUND = f"python import sys; sys.path.insert(0, {str(DRIVER.parent)!r})"
WORKER_KINDS = ("idle", "end-of-region barrier")
# What the frames of a worker alone can say while a region lives somewhere.
EITHER = "end of region or idle"

# What GCC's code calls one function for.
BARRIERS = ("explicit barrier", "loop barrier", "single barrier", "sections barrier")
REDUCTION_WORDS = {
    "reduction_critical": ".gomp_critical_user_.reduction.var",
    "reduction_atomic": ".gomp_critical_user_.atomic_reduction.var",
}

Document = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """How the programs are built and on which runtime they run."""

    compiler: str
    opt: str
    version: str
    stripped: bool

    def __str__(self) -> str:
        symbols = "stripped" if self.stripped else "symbols"
        runtime = "libgomp" if self.version == GNU else f"libomp{self.version}-{symbols}"
        return f"{self.compiler}-{self.opt}-{runtime}"


def situations(setting: Setting) -> list[str]:
    """Return the programs that mean the same with this compiler: GCC leaves the waiting of
    other reductions than one at a time to the next barrier; and its runtime has no hints."""
    left_out = {"reduction_atomic", "reduction_tree"} if setting.compiler == "gcc" else set()
    left_out |= {"lock_hinted"} if setting.version == GNU else set()
    return [name for name in SITUATIONS if name not in left_out]


def run(setting: Setting, names: Sequence[str], folder: Path) -> list[Document]:
    """Return a document for each of these situations and each mode."""
    always = {"OMP_STACKSIZE": "1M", "MALLOC_ARENA_MAX": "1"}
    if setting.version != GNU:
        always["LD_LIBRARY_PATH"] = str(_runtime(setting, folder))
    plan = [
        {
            "label": name,
            "path": str(built(name, setting)),
            "core": str(folder / f"core.{name}"),
            "modes": {
                "spinning": {**always, **_reduction(name), **SPIN},
                "sleeping": {**always, **_reduction(name), **SLEEP},
            },
        }
        for name in names
    ]
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    out = folder / "out.jsonl"
    said = run_gdb(
        [FOUND, f"source {DRIVER}", f"python collect({str(folder / 'plan.json')!r})"],
        env={"WAITS_OUT": str(out)},
        timeout=900,
    )
    assert out.exists(), said.stderr[-3000:]
    documents = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    found = [(document["label"], document["mode"]) for document in documents]
    wanted = [(name, mode) for name in names for mode in MODES]
    assert found == wanted, f"{said.stdout[-3000:]}\n{said.stderr[-3000:]}"
    for document in documents:
        _complete(document, built(document["label"], setting))
    return documents


def _reduction(name: str) -> dict[str, str]:
    """Return the setting that gives a program the kind of reduction in its name."""
    subject, _, how = name.partition("_")
    return {"KMP_FORCE_REDUCTION": how} if subject == "reduction" else {}


def _runtime(setting: Setting, folder: Path) -> Path:
    own = runtime_folder(setting.version)
    if not setting.stripped:
        return own
    lib = folder / "lib"
    lib.mkdir()
    for name in ("libomp.so", "libompd.so"):
        shutil.copy(own / name, lib / name)
    subprocess.run(["strip", str(lib / "libomp.so")], check=True)
    return lib


def built(name: str, setting: Setting) -> Path:
    """Return the program of a situation."""
    return binary(Build(f"waits/{name}.c", setting.compiler, setting.opt, setting.version))


def _complete(document: Document, program: Path) -> None:
    """Add what the linker knows and the program cannot say: the criticals' addresses."""
    done = subprocess.run(["nm", str(program)], stdout=subprocess.PIPE, text=True, check=True)
    symbols = {
        line.split()[-1]: int(line.split()[0], 16)
        for line in done.stdout.splitlines()
        if line[0] != " "
    }
    bias = document["rows_at"] - symbols["waits_rows"]
    for row in document["rows"]:
        base = ".gomp_critical_user_"
        names = {
            "critical": (f"{base}{row['name']}.var", f"{base}{row['name']}"),
            "reduction": (REDUCTION_WORDS.get(document["label"], ""),),
        }.get(row["kind"], ())
        row["object"] = next((symbols[n] + bias for n in names if n in symbols), row["object"])


def facts(document: Document, setting: Setting) -> Iterator[Fact]:
    """Yield what was said of each thread beside the truth."""
    where = f"{setting} {document['label']} {document['mode']}"
    rows = {row["lwp"]: row for row in document["rows"]}
    idle = {"kind": "idle", "object": 0, "name": None, "line": 0}
    listed = {t["lwp"]: t for t in document["listed"]["threads"]} if document["listed"] else {}
    for lwp, said in document["said"].items():
        truth = rows.get(int(lwp), idle)
        if setting.compiler == "gcc":
            truth = {**truth, "line": 0}  # its line tables differ by one here and there
        subject = f"LWP {lwp}"
        yield _fact(where, subject, "wait", said, truth)
        if listed:
            row = listed[int(lwp)]
            waits = truth["kind"] not in ("", "idle")
            yield Fact(where, subject, "waits", row["waits_for"] is not None, waits)
            if waits and row["waits_for"] is not None:
                yield _fact(where, subject, "listed", _listed(row), truth)
            yield Fact(where, subject, "idle", row["state"] == "idle", truth["kind"] == "idle")


def _fact(where: str, subject: str, name: str, said: Document, truth: Document) -> Fact:
    """Compare an answer, as far as the truth knows it; what is left open is no answer."""
    kind = said["kind"]
    if kind == EITHER and truth["kind"] in WORKER_KINDS:
        kind = truth["kind"]
    open_ones = 0
    if kind == "barrier" and truth["kind"] in BARRIERS:
        open_ones, kind = 1, truth["kind"]
    right = kind == truth["kind"] and truth["line"] in (0, said["line"])
    for key, nothing in (("object", 0), ("name", None)):
        if truth[key] != nothing and said[key] == nothing:
            open_ones += 1
        elif truth[key] != nothing and said[key] != truth[key]:
            right = False
    answer = {key: said[key] for key in ("kind", "object", "name", "line")}
    wanted = {key: truth[key] for key in answer}
    if not right:
        return Fact(where, subject, name, answer, wanted)
    return Fact(where, subject, name, None if open_ones else wanted, wanted)


def _listed(row: Document) -> Document:
    wait, place = row["waits_for"], row["location"]
    return {
        "kind": wait["kind"],
        "object": wait["address"] or 0,
        "name": wait["name"],
        "line": place["line"] if place else None,
    }
