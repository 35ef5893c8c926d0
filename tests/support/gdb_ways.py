# SPDX-License-Identifier: Apache-2.0
"""What gdb itself does otherwise in some version: one without the extension is asked."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from support.build import build
from support.gdb_session import run_gdb

COMMANDS_THAT_CONTINUE = """\
break solve
commands
silent
continue
end
run r
print $_exitcode
"""


@functools.lru_cache(maxsize=None)
def stays_in_script() -> bool:
    """Tell whether a sourced script waits at its `run` while a breakpoint's commands let
    the program run on, also where the next stop is in another thread."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.gdb"
        script.write_text(COMMANDS_THAT_CONTINUE, encoding="utf-8")
        asked = [f"source {script}"]
        return "$1 = 0\n" in run_gdb(asked, build("events.c"), extension=False).stdout


def finds_libraries(core: Path) -> bool:
    """Tell whether gdb reads the symbols of CORE's libraries without the executable."""
    done = run_gdb([f"core-file {core}", "info sharedlibrary"], extension=False)
    return any(line.endswith("/libomp.so") and " Yes " in line for line in done.stdout.splitlines())
