# SPDX-License-Identifier: Apache-2.0
"""The command-line tool ``gdb-ompd``: setting up, and stops of many processes, saved and folded.

It needs no GDB to report; to save it runs one in batch, as a launcher's process beside each rank.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from .. import __version__
from ..errors import OmpdToolError


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the tool; return its exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        return _run(parser, chosen)
    except OmpdToolError as error:
        print(f"gdb-ompd: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads what is left
        return 0


def _run(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> int:
    from . import doctor, installing, ranks

    if chosen.command == "snapshot":
        return ranks.snapshot(parser, chosen)
    if chosen.command == "report":
        return ranks.report(chosen.folder, chosen.page, chosen.all_pages)
    if chosen.command == "doctor":
        return doctor.doctor(chosen)
    return (
        installing.install(chosen) if chosen.command == "install" else installing.uninstall(chosen)
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gdb-ompd",
        description="OpenMP for GDB: set it up; save and fold the stops of many processes.",
    )
    parser.add_argument("--version", action="version", version=f"gdb-ompd {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_installing(commands)
    _add_ranks(commands)
    return parser


def _add_installing(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    doctor = commands.add_parser(
        "doctor", help="tell what is there, what does not fit, and the fix"
    )
    install = commands.add_parser("install", help="have gdb load the extension when it starts")
    install.add_argument("--yes", action="store_true", help="do not ask")
    uninstall = commands.add_parser("uninstall", help="take back what install did")
    for each in (install, uninstall):
        each.add_argument(
            "--system",
            action="store_true",
            help="for every user, with the OpenMP runtimes of this machine (as root)",
        )
    for each in (doctor, install, uninstall):
        _add_debugger(each)


def _add_ranks(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    saving = commands.add_parser(
        "snapshot",
        help="save the stop of a process or core",
        description="Save a stop, as 'ompd save' does in gdb. Started by a launcher beside each"
        " rank (mpirun, srun --overlap), --program takes the process of its own rank.",
    )
    saving.add_argument("-p", dest="pid", type=int, metavar="PID", help="attach to this process")
    saving.add_argument("--program", metavar="NAME", help="attach to the processes of that name")
    saving.add_argument("core", nargs="?", metavar="CORE", help="load this core file")
    saving.add_argument("exe", nargs="?", metavar="EXE", help="the program that CORE is of")
    saving.add_argument("-o", dest="folder", required=True, metavar="DIR", help="where to save")
    _add_debugger(saving)
    saving.add_argument(
        "--timeout", type=float, default=300, metavar="SECONDS", help="for each process (300)"
    )
    report = commands.add_parser("report", help="fold the saved stops of many ranks")
    report.add_argument("folder", metavar="DIR", help="where the stops were saved")
    report.add_argument(
        "-o",
        dest="page",
        metavar="FILE.html",
        help="write a page for a browser instead, and into FILE-ranks one for each state",
    )
    report.add_argument(
        "--all-pages", action="store_true", help="write a page for each rank, not for each state"
    )


def _add_debugger(command: argparse.ArgumentParser) -> None:
    command.add_argument("--gdb", default="gdb", help="the debugger (gdb)")
