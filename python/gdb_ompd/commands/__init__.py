# SPDX-License-Identifier: Apache-2.0
"""The ``ompd`` commands: each parses, asks and writes, nothing else.

They import what they ask when they run, so that GDB's start does not wait for it.
"""

from __future__ import annotations

from .bt import BtCommand
from .env import EnvCommand
from .icvs import IcvsCommand
from .init import InitCommand
from .parallel import ParallelCommand
from .prefix import OmpdPrefix
from .status import StatusCommand
from .tasks import TasksCommand
from .thread import ThreadCommand
from .threads import ThreadsCommand
from .why import WhyCommand


def register() -> None:
    """Make the commands known to GDB."""
    OmpdPrefix()
    StatusCommand()
    InitCommand()
    ThreadsCommand()
    ThreadCommand()
    ParallelCommand()
    TasksCommand()
    IcvsCommand()
    EnvCommand()
    WhyCommand()
    BtCommand()
