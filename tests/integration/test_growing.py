# SPDX-License-Identifier: Apache-2.0
"""While the runtime makes a team bigger, what can be known is shown."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.build import PROGRAMS
from support.gdb_session import run_gdb
from support.runtimes import VERSIONS, runtime_folder

COMMANDS = ("threads -all", "parallel -all", "tasks -all", "why", "bt -all")
STOPS = 40


@pytest.mark.parametrize("runtime", VERSIONS)
def test_commands_while_a_team_grows(runtime: str, tmp_path: Path) -> None:
    lib, program = runtime_folder(runtime), tmp_path / "growing"
    flags = ["-g", "-fopenmp", f"-L{lib}", f"-Wl,-rpath,{lib}"]
    subprocess.run(["clang", *flags, str(PROGRAMS / "growing.c"), "-o", str(program)], check=True)
    each = "\n".join(f"    gdb.execute('ompd {command}')" for command in COMMANDS)
    asks = tmp_path / "asks.py"
    asks.write_text(
        "import gdb\n"
        f"for _ in range({STOPS}):\n"
        "    gdb.execute('continue')\n"
        "    if not gdb.selected_inferior().pid:\n"
        "        break\n"
        f"{each}\n"
        "    print('\\nASKED')\n",
        encoding="utf-8",
    )
    script = ["break main", "run", "break __kmp_initialize_team", f"source {asks}"]
    done = run_gdb(script, program)
    assert "cannot be read" not in done.stdout + done.stderr
    assert "Cannot access memory" not in done.stdout + done.stderr
    assert done.stdout.count("ASKED") > 10
