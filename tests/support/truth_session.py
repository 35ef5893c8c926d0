# SPDX-License-Identifier: Apache-2.0
"""Run a truth program under gdb, in each of the ways a program can be debugged."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Optional

from support.gdb_session import DRIVER, GdbResult, clean_environment, run_gdb
from support.runtimes import EVERYTHING
from support.truth import Stop, read_stops

# One arena and small stacks: gcore writes what is reserved, not what is used.
_SMALL_CORES = {"MALLOC_ARENA_MAX": "1", "OMP_STACKSIZE": "1M"}


class SessionError(Exception):
    """gdb did not come to the end of the program; the message holds what it said."""


@dataclass(frozen=True)
class Session:
    """The stops of one run; where cores were asked for, their paths by stop number, and what
    was said in two of them."""

    stops: list[Stop]
    cores: dict[int, Path]
    in_cores: list[Stop]


def run_live(
    program: Path,
    folder: Path,
    with_cores: bool = False,
    env: Optional[Mapping[str, str]] = None,
) -> Session:
    """Start PROGRAM under gdb, and collect at each stop; if asked to, dump a core there, and
    collect in two of them, in the same gdb."""
    env = {**_SMALL_CORES, **(env or {}), "TRUTH_OUT": str(folder / "live.jsonl")}
    asked = [f"source {DRIVER}", "python collect_live()"]
    if with_cores:
        env["TRUTH_CORE"] = str(folder / "core.{}")
        asked.append("python collect_cores()")
    result = run_gdb(asked, program=program, env=env)
    found = _finished(folder / "live.jsonl", result)
    stops = [stop for stop in found if stop.mode == "live"]
    cores = {stop.number: folder / f"core.{stop.number}" for stop in stops} if with_cores else {}
    return Session(stops, cores, found[len(stops) :])


def run_remote(program: Path, folder: Path) -> Session:
    """Start PROGRAM under a gdbserver of its own, and collect at each stop."""
    out = folder / "gdbserver.jsonl"
    commands = [
        "set sysroot /",
        f"target remote | gdbserver --once - {program}",
        f"source {DRIVER}",
        "python collect_remote()",
    ]
    told = {"TRUTH_OUT": str(out), "TRUTH_ALL": "1" if EVERYTHING else ""}
    result = run_gdb(commands, program=program, env={**_SMALL_CORES, **told})
    return Session(_finished(out, result), {}, [])


def run_emulated(
    program: Path, folder: Path, sysroot: Path, env: Mapping[str, str], tools: tuple[str, str]
) -> Session:
    """Start PROGRAM of another machine on the libraries in SYSROOT, and collect at each stop:
    TOOLS are QEMU of that machine and a gdb that knows it."""
    out = folder / "emulated.jsonl"
    commands = [f"source {DRIVER}", "python collect_remote()"]
    env = {**_SMALL_CORES, **env}
    result = emulated(program, folder, sysroot, commands, tools, env, {"TRUTH_OUT": str(out)})
    return Session(_finished(out, result), {}, [])


def emulated(
    program: Path,
    folder: Path,
    sysroot: Path,
    commands: Sequence[str],
    tools: tuple[str, str],
    env: Mapping[str, str] = MappingProxyType({}),
    told: Mapping[str, str] = MappingProxyType({}),
) -> GdbResult:
    """Start PROGRAM of another machine, with ENV, and execute COMMANDS in a gdb that is TOLD."""
    door = folder / "door"
    qemu, gdb = tools
    # GDB could not read signed return addresses: the stub does not tell it how.
    command = [qemu, "-cpu", "cortex-a72", "-L", str(sysroot), "-g", str(door), str(program)]
    process = subprocess.Popen(
        command,
        env=clean_environment(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not door.exists() and process.poll() is None:
            time.sleep(0.01)
        connects = [f"set sysroot {sysroot}", f"target remote {door}"]
        return run_gdb([*connects, *commands], program=program, env=told, gdb=gdb, timeout=300)
    finally:
        process.kill()
        process.wait()


def attached(program: Path, folder: Path, stop: int) -> Stop:
    """Return what gdb-ompd says of PROGRAM when it attaches at its stop number STOP."""
    out = folder / "attached.jsonl"
    process = subprocess.Popen(
        [str(program)],
        env=clean_environment({"TRUTH_HALT_AT_STOP": str(stop), "OMP_DEBUG": "enabled"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        asked = [f"attach {process.pid}", f"source {DRIVER}", 'python collect_here("attach")']
        result = run_gdb(asked, program=program, env={"TRUTH_OUT": str(out)})
    finally:
        process.kill()
        process.wait()
    stops = read_stops(out)[0] if out.exists() else []
    if len(stops) != 1:
        raise SessionError(_report(result))
    return stops[0]


def read_core(program: Path, core: Path, folder: Path) -> Stop:
    """Return what gdb-ompd says of CORE, beside what PROGRAM recorded in it."""
    out = folder / f"{core.name}.jsonl"
    result = run_gdb(
        [f"source {DRIVER}", "python collect_here()"],
        program=program,
        core=core,
        env={"TRUTH_OUT": str(out)},
    )
    stops = read_stops(out)[0] if out.exists() else []
    if len(stops) != 1:
        raise SessionError(_report(result))
    return stops[0]


def kernel_core(program: Path, folder: Path, stop: int, tracked: bool) -> Optional[Path]:
    """Run PROGRAM, let it abort at its stop number STOP, and return the kernel's core.

    TRACKED has the runtime keep what only OMPD asks for, such as states.
    None where the kernel gives cores to another program, or a limit forbids them.
    """
    pattern = Path("/proc/sys/kernel/core_pattern").read_text(encoding="ascii").strip()
    hard_limit = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if pattern.startswith(("|", "/")) or hard_limit != resource.RLIM_INFINITY:
        return None
    folder.mkdir()
    env = {**_SMALL_CORES, "TRUTH_ABORT_AT_STOP": str(stop)}
    if tracked:
        env["OMP_DEBUG"] = "enabled"
    subprocess.run(
        ["sh", "-c", 'ulimit -c unlimited; exec "$0"', str(program)],
        cwd=folder,
        env=clean_environment(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
    )
    cores = list(folder.iterdir())
    if len(cores) != 1:
        raise SessionError(f"{program} left {len(cores)} core files in {folder}")
    return cores[0]


def _report(result: GdbResult) -> str:
    return f"gdb ended with {result.returncode}\n{result.stdout[-4000:]}\n{result.stderr[-4000:]}"


def _finished(out: Path, result: GdbResult) -> list[Stop]:
    """Return the stops in OUT, if the program came to its end and that end was good."""
    stops, exit_code = read_stops(out) if out.exists() else ([], None)
    if exit_code != 0 or not stops:
        raise SessionError(f"the program's exit code: {exit_code}\n{_report(result)}")
    return stops
