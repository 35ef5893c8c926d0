# SPDX-License-Identifier: Apache-2.0
"""Which team begins or ends at a region's event, and how many threads were asked for.

By the specification (OpenMP 5.0, section 5.6.1) the thread is in the region that
begins, and its task is the one that met the construct. Where LLVM takes a team
that it had before, the thread is still in the team around it: the new one is
known to ``__kmp_fork_call`` alone, whose frame is searched for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import gdb

from ..errors import OmpdToolError
from ..host.protocols import READ_ERRORS
from ..model import TaskKind
from ..providers.ompd import task_chain
from ..providers.ompd.global_number import global_number
from ..providers.ompd.graph import Graph, OmpThread, Team
from ..providers.ompd.provider import OmpdProvider
from ..host.remote_memory import reader
from ..stop.session import Session
from .event_stack import EventStack, WORD, pointers, pointers_below
from .event_task import EventTask, TaskFinder

# Announces a serialized region, whose team the thread is in already (ompt-specific.cpp).
LINKS_SERIALIZED = "__ompt_lw_taskteam_link"


@dataclass(frozen=True, slots=True)
class EventTeam:
    """The TEAM of the region that begins or ends on THREAD."""

    provider: OmpdProvider
    graph: Graph
    thread: OmpThread
    team: Team


def event_team(session: Session, stack: EventStack, begins: bool) -> Optional[EventTeam]:
    """Return the team, None where it is not known. Raises OmpdToolError."""
    provider = session.provider_at(gdb.newest_frame().pc())
    if provider is None:
        return None
    thread = selected_thread(provider)
    if thread is None:
        return None
    graph = provider.graph()
    now = graph.team_of(thread)
    new = _new_team(graph, thread, stack) if begins else None
    team = new or now
    return EventTeam(provider, graph, thread, team) if team is not None else None


def selected_thread(provider: OmpdProvider) -> Optional[OmpThread]:
    """Return what the runtime knows of the selected thread, None if it does not know
    it. In a condition GDB takes all threads for running; this one has stopped."""
    number = gdb.selected_thread().num
    for native in provider.target.threads():
        if native.gdb_num == number:
            gtid = global_number(provider.target, provider.space, native)
            return None if gtid is None else provider.graph().thread(gtid)
    return None


def executed_task(session: Session) -> Optional[EventTask]:
    """Return the explicit task that the selected thread executes, None if it executes
    none. LLVM's runtime makes it the thread's own before it announces its begin, and
    another one after its end."""
    session.end_stop()
    try:
        provider = session.provider_at(gdb.newest_frame().pc())
        thread = selected_thread(provider) if provider is not None else None
        if provider is None or thread is None:
            return None
        graph = provider.graph()
        if task_chain.current_kind(graph, thread) is not TaskKind.EXPLICIT:
            return None
        return EventTask(thread.task, task_chain.routine_of(graph, thread.task))
    except (OmpdToolError, *READ_ERRORS):
        return None
    finally:
        session.end_stop()


def function_of_team(session: Session, stack: EventStack, begins: bool) -> Optional[int]:
    """Return the outlined function of the team that begins or ends, None where it is
    not known. Reads the program's memory as it is now.

    Of a serialized region that ends the runtime keeps that of the last one that it
    began, which may be one inside.
    """
    session.end_stop()
    try:
        found = event_team(session, stack, begins)
    except (OmpdToolError, *READ_ERRORS):
        return None
    finally:
        session.end_stop()
    if found is None or not (begins or found.team.nproc > 1):
        return None
    return found.team.function or None


def function_of_teams(session: Session, tasks: TaskFinder) -> Optional[int]:
    """Return the outlined function of the ``teams`` construct that the selected thread
    executes, None where it is not known.

    The runtime keeps it in the thread's record (``th_teams_microtask``), the only
    function of the program there; a team's own is an inner region's when it ends.
    """
    session.end_stop()
    try:
        provider = session.provider_at(gdb.newest_frame().pc())
        thread = selected_thread(provider) if provider is not None else None
        if provider is None or thread is None:
            return None
        size = provider.layout().sizeof("kmp_info_t")
        memory = reader()(thread.address, size).tobytes()
    except (OmpdToolError, *READ_ERRORS):
        return None
    finally:
        session.end_stop()
    found = {word for word in pointers(memory) if tasks.is_user(word)}
    return found.pop() if len(found) == 1 else None


def _new_team(graph: Graph, thread: OmpThread, stack: EventStack) -> Optional[Team]:
    """Return the team that the announcer holds and the thread will be primary of."""
    if stack.announcer is None or stack.shape.names[:1] == (LINKS_SERIALIZED,):
        return None
    around = graph.team_pointer(thread.address)
    inner = graph.layout.access("kmp_team_p", "t")
    end = stack.announcer.older()
    while end is not None and end.type() == gdb.INLINE_FRAME:
        end = end.older()
    places = {pointer + inner for pointer in pointers_below(stack.announcer, end)}
    places.discard(around + inner)
    begun = [_begun_by(graph, place, around, thread.thread_num) for place in places]
    found = [team for team in begun if team is not None]
    if len(found) > 1:  # records that were teams of this thread before
        found = [team for team in found if team.caller in stack.pcs]
    return found[0] if len(found) == 1 else None


def _begun_by(graph: Graph, team: int, parent: int, thread_num: int) -> Optional[Team]:
    """Return the team at an address if a thread of the team PARENT begins it.

    Its members are not there yet, or are those of a team that had the record before.
    One of a single thread is kept for serialized regions, at whose begin the runtime
    has made the thread its member already.
    """
    try:
        if (
            team % WORD == 0
            and graph.read_field(team, "kmp_base_team_t", "t_parent") == parent
            and graph.read_field(team, "kmp_base_team_t", "t_master_tid") == thread_num
            and graph.read_field(team, "kmp_base_team_t", "t_nproc") > 1
        ):
            return graph.team(team)
    except (OmpdToolError, *READ_ERRORS):
        pass
    return None


def requested_threads(found: EventTeam, entry: str) -> Optional[int]:
    """Return how many threads the construct asked for, None where it is not known.

    The runtime keeps only what it gave. That was what was asked for unless one
    of the limits was met (``__kmp_reserve_threads``): dyn-var, thread-limit-var
    or, of a serialized region, max-active-levels-var.
    """
    team, graph = found.team, found.graph
    if entry == "__kmpc_serialized_parallel":
        return 1  # the construct's "if" clause was false
    if _icv(graph, found.thread.task, "dynamic"):
        return None
    if team.nproc == 1:
        most = _icv(graph, found.thread.task, "max_active_levels")
        return 1 if team.active_level < most else None
    return team.nproc if team.nproc < _icv(graph, found.thread.task, "thread_limit") else None


def _icv(graph: Graph, task: int, name: str) -> int:
    """Read a field of a task's ``kmp_internal_control_t``."""
    icvs = task + graph.layout.access("kmp_taskdata_t", "td_icvs")
    return graph.read_field(icvs, "kmp_internal_control_t", name)
