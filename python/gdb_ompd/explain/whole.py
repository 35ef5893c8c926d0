# SPDX-License-Identifier: Apache-2.0
"""All that a page shows of one stop."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ..model import ControlVariable, Icv, Snapshot, Status, Task, WaitingTasks
from ..model.stacks import Tree
from .moved import Comparison
from .report import Report


class Whole(NamedTuple):
    """A stop. ABOUT are names and values: which program, when, where. NOTES say what is not
    known. COMPARISON is with an earlier moment."""

    about: tuple[tuple[str, str], ...]
    status: Status
    report: Optional[Report]
    snapshot: Snapshot
    trees: tuple[Tree, ...]
    tasks: tuple[Task, ...]
    waiting: WaitingTasks
    icvs: tuple[Icv, ...]
    variables: tuple[ControlVariable, ...]
    prefix: str
    notes: tuple[str, ...]
    comparison: Optional[Comparison] = None
