# SPDX-License-Identifier: Apache-2.0
"""`ompd why` of programs in which a thread waits for a target task that hangs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from support.build import OFFLOADS, PROGRAMS, build
from support.gdb_session import clean_environment, run_gdb

FOLDER = "hangs/offload"
PLUGIN = "libomptarget.rtl.x86_64.so"
RUNTIMES = {"offload": OFFLOADS, "clang": "14", "gcc": "gnu"}


def hung(name: str, compiler: str, folder: str = "") -> str:
    """Return what is said of a program that says "ready" and hangs soon; FOLDER has its plugin."""
    program = build(f"{FOLDER}/{name}.c", compiler, runtime=RUNTIMES[compiler])
    env = clean_environment({"LD_LIBRARY_PATH": folder} if folder else {})
    pipe = subprocess.PIPE
    with subprocess.Popen([program], stdout=pipe, stdin=pipe, env=env) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
            said = ""
            for _ in range(10):  # it is about to come there
                asked = [f"attach {process.pid}", "ompd why", "ompd threads", "detach"]
                said = run_gdb(asked, program).stdout
                if "Running:" not in said and re.search(r"\((the host|device \d)\)|device 1", said):
                    break
            return said
        finally:
            process.kill()


def test_the_device_is_what_is_waited_for(tmp_path: Path) -> None:
    source = PROGRAMS / FOLDER / "plugin.c"
    made = ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*made, source, "-o", tmp_path / PLUGIN], check=True)
    said = hung("device_works", "offload", os.fspath(tmp_path))
    place = r"device 1 in the target region at device_works\.c:12"
    assert re.search(rf"^Waiting for .*\(GDB thread \d+\), which waits for {place}\.$", said, re.M)
    assert "Hidden helpers of the runtime\n" in said
    assert re.search(r"waiting for device 1 +explicit +main at device_works\.c:12", said)


@pytest.mark.parametrize("compiler", sorted(RUNTIMES))
def test_a_target_task_that_reads_what_nobody_writes(compiler: str) -> None:
    said = hung("read_in_target", compiler)
    assert re.search(
        r"^Waiting for .* at read_in_target\.c:19 in the target region at read_in_target\.c:16, blocked in read\(\)\.$",
        said,
        re.M,
    )
    where = "device 0" if compiler == "offload" else "the host"
    assert f"in read, in target at read_in_target.c:16 ({where})" in said


@pytest.mark.parametrize("compiler", ("clang", "gcc"))
def test_a_target_task_that_sets_a_lock_of_who_waits_for_it(compiler: str) -> None:
    said = hung("lock_in_target", compiler)
    assert re.search(r'^Deadlock: .*waits for lock "account" at lock_in_target\.c:14', said, re.M)
    assert 'waiting for lock "account", in target at lock_in_target.c:13 (the host)' in said


DEPENDENCE = r"for taskwait at depend_on_lock\.c:29 for a task at [a-z_]*\.c:25 blocked on"
LOCK = r'for lock "account" at [a-z_]*\.c:24 in the target region at [a-z_]*\.c:22\b'
SPIN = r"\(?GDB thread [23]\)? at spin_in_target\.c:17 in the target region at [a-z_]*\.c:15, which spins"


@pytest.mark.parametrize("compiler", ("clang", "gcc"))
@pytest.mark.parametrize(
    "name, said",
    (("depend_on_lock", DEPENDENCE), ("taskwait_for_target", LOCK), ("spin_in_target", SPIN)),
)
def test_the_verdict_has_the_construct_and_its_line(name: str, said: str, compiler: str) -> None:
    told = hung(name, compiler)
    (verdict,) = re.findall(r"^(?:Deadlock|Waiting).*$", told, re.M)
    assert re.search(said, verdict), verdict
