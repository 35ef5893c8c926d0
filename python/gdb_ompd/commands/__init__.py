# SPDX-License-Identifier: Apache-2.0
"""The ``ompd`` commands: each parses, asks and writes, nothing else.

They import what they ask when they run, so that GDB's start does not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gdb

from .apply import ApplyCommand
from .base import OmpdCommand
from .break_ import BreakCommand, TbreakCommand
from .bt import BtCommand
from .compare import CompareCommand
from .enable import DisableCommand, EnableCommand
from .env import EnvCommand
from .export_symbols import ExportSymbolsCommand
from .finish import FinishCommand
from .icvs import IcvsCommand
from .init import InitCommand
from .parallel import ParallelCommand
from .print_ import DiffCommand, PrintCommand
from .prefix import OmpdPrefix
from .report import ReportCommand
from .sample import SampleCommand
from .save import SaveCommand
from .status import StatusCommand
from .step import NextCommand, StepCommand
from .tasks import TasksCommand
from .thread import ThreadCommand
from .threads import ThreadsCommand
from .watch import WatchCommand
from .whatis import WhatisCommand
from .why import WhyCommand

if TYPE_CHECKING:
    from ..render.style import Style


def current_style() -> "Style":
    """Return the style that GDB has now."""
    from . import styles

    return styles.current_style()


def are_known() -> bool:
    """Tell whether GDB still has them: LLVM's plugin brings a prefix of the same name."""
    try:
        shown = gdb.execute("help ompd", to_string=True)
    except gdb.error:
        return False
    return bool(shown.startswith((OmpdPrefix.__doc__ or "").splitlines()[0]))


def register() -> tuple[OmpdCommand, ...]:
    """Make the commands known to GDB; return those that front ends ask, too."""
    OmpdPrefix()
    questions = (
        StatusCommand(),
        ThreadsCommand(),
        ParallelCommand(),
        TasksCommand(),
        IcvsCommand(),
        WhyCommand(),
    )
    InitCommand()
    ThreadCommand()
    EnvCommand()
    ExportSymbolsCommand()
    BreakCommand()
    TbreakCommand()
    EnableCommand()
    DisableCommand()
    StepCommand()
    NextCommand()
    FinishCommand()
    BtCommand()
    PrintCommand()
    DiffCommand()
    ApplyCommand()
    WhatisCommand()
    WatchCommand()
    SaveCommand()
    CompareCommand()
    ReportCommand()
    SampleCommand()
    return questions
