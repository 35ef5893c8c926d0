# SPDX-License-Identifier: Apache-2.0
"""The tool's command line, and its report."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from ..errors import OmpdToolError
from ..host import files
from .snapshot import snapshot


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the tool; return its exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "report":
            return _report(chosen.folder, chosen.page)
        return snapshot(parser, chosen)
    except OmpdToolError as error:
        print(f"gdb-ompd: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads what is left
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gdb-ompd", description="OpenMP stops of many processes")
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser(
        "snapshot",
        help="save the stop of a process or core",
        description="Save a stop, as 'ompd save' does in gdb. Started by a launcher beside each"
        " rank (mpirun, srun --overlap), --program takes the process of its own rank.",
    )
    saving.add_argument("-p", dest="pid", type=int, metavar="PID", help="attach to this process")
    saving.add_argument("--program", metavar="NAME", help="attach to the processes of that name")
    saving.add_argument("core", nargs="?", metavar="CORE")
    saving.add_argument("exe", nargs="?", metavar="EXE")
    saving.add_argument("-o", dest="folder", required=True, metavar="DIR", help="where to save")
    saving.add_argument("--gdb", default="gdb", help="the debugger (gdb)")
    saving.add_argument("--timeout", type=float, default=300, metavar="SECONDS")
    report = commands.add_parser("report", help="fold the saved stops of many ranks")
    report.add_argument("folder", metavar="DIR")
    report.add_argument(
        "-o", dest="page", metavar="FILE.html", help="write a page for a browser instead"
    )
    return parser


def _report(folder: str, page: Optional[str]) -> int:
    from ..render import job, job_page
    from ..saved.job import folded

    found = folded(folder)
    if page is not None:
        files.replace(page, job_page.html(found))
        print(f"Written to {page}.")
        return 0
    encoding = sys.stdout.encoding or "ascii"
    for line in job.lines(found):
        print(line.encode(encoding, "backslashreplace").decode(encoding))
    return 0
