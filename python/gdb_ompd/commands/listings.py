# SPDX-License-Identifier: Apache-2.0
"""What there is at a stop: ``ompd parallel``, ``tasks``, ``icvs`` and ``env``."""

from __future__ import annotations

from typing import Optional, Sequence, TYPE_CHECKING

from ..errors import LibraryFailed, NotFound, OmpdToolError
from ..host.sessions.registry import session_of
from .base import Answer, Arguments, FROM_FILE, JSON, OmpdCommand

if TYPE_CHECKING:
    from ..model import ControlVariable, Icv, Snapshot, Thread
    from ..saved.stop import AnyStop


NO_LIMIT = 2**31 - 1  # the runtimes' value for as many threads as there may be


class ParallelCommand(OmpdCommand):
    """Show the parallel regions that the selected thread is in.

    Usage: ompd parallel [-all] [-why] [-json] [-from FILE]
    Example: ompd parallel -all
    Example: ompd parallel -why

    The innermost region first, each with its level, its number of threads,
    the place of its construct, and what its threads are doing.  Of a team that
    is smaller than its construct or nthreads-var asked for it says why; with
    -why of every team: a clause of the construct, max-active-levels-var,
    thread-limit-var, dyn-var, the environment, or the number of CPUs.  "Inferred"
    is what the runtime's records and the code alone do not prove."""

    name = "ompd parallel"
    is_for_front_ends = True
    lists = "regions"
    options = {
        "-all": "Show all regions of the process, each once, as a tree.",
        "-why": "Say why each team has as many threads as it has.",
        **JSON,
        **FROM_FILE,
    }

    def run(self, arguments: Arguments) -> Answer:
        from ..model import RegionKind, ThreadKind
        from ..render import parallel, team_sizes

        every = arguments.has("-all")
        as_json = arguments.has("-json")
        stop = self.stop(arguments)
        own = stop.snapshot(locations=not as_json)
        snapshot = _with_leagues(stop, own)
        thread = None if every else _readable_thread(snapshot)
        shown = snapshot.regions if thread is None else snapshot.nest(thread)
        sizes = stop.team_sizes(own, {one.id for one in shown if one.kind is RegionKind.PARALLEL})
        if as_json:
            from ..render import json_document

            return json_document.regions(snapshot._replace(regions=shown), sizes)
        sizes = tuple(size for size in sizes if size.notable or arguments.has("-why"))
        snapshot = snapshot._replace(notes=stop.not_told(snapshot.notes))
        if thread is None:
            return parallel.tree(snapshot, self.style, sizes=sizes)
        file = None if shown else stop.begins_none()
        own_threads = [each for each in snapshot.threads if each.inferior == thread.inferior]
        workers = [each.gdb_num for each in own_threads if each.kind is ThreadKind.WORKER]
        return [
            *parallel.nest(snapshot, thread, self.style, sizes),
            *(() if file is None else team_sizes.no_region(file, workers, self.style)),
        ]


def _with_leagues(stop: "AnyStop", snapshot: "Snapshot") -> "Snapshot":
    """Return SNAPSHOT with the leagues of ``teams`` constructs, which stacks place."""
    from ..model.leagues import with_leagues
    from ..model.stacks import Construct, Mark
    from ..stacks.facts import StackFacts
    from ..stacks.logical import logical_stack

    def construct(gdb_num: int) -> Optional[Mark]:
        parts = logical_stack(StackFacts(stop, locations=False), gdb_num).parts
        marks = (part for part in parts if isinstance(part, Mark))
        return next((mark for mark in marks if mark.kind is Construct.LEAGUE), None)

    def limit(gdb_num: int) -> Optional[int]:
        try:
            icvs = stop.icvs([gdb_num], [])
        except LibraryFailed:
            raise
        except OmpdToolError:
            return None
        value = next((icv.value for icv in icvs if icv.name == "thread-limit-var"), None)
        return value if isinstance(value, int) and value < NO_LIMIT else None

    return with_leagues(snapshot, construct, limit)


def _readable_thread(snapshot: "Snapshot") -> "Thread":
    """Return the selected thread; of one that cannot be read no region is known."""
    from .live import current_omp_thread, current_thread

    thread = current_thread(snapshot.threads)
    return current_omp_thread(snapshot.threads) if thread.error else thread


class PlacesCommand(OmpdCommand):
    """Show which CPUs threads may run on, and do.

    Usage: ompd places [-all] [-json] [-from FILE]
    Example: ompd places

    For each thread its OpenMP place and the partition of places that it divides
    among inner regions, as the runtime records them; the CPUs that it may run on,
    the one that it ran on last with its core, socket and NUMA node; whether it runs
    or is in the kernel; its processor time so far and since the last stop that
    was asked at; and how often it gave its CPU to another thread: as it waited, or
    as it was forced to.  Above that is what binds threads: bind-var, num-procs-var,
    OMP_PLACES and the like.  The kernel of a live process tells it, through
    gdbserver, too; a core file has what the runtime records.  Equal threads share a
    line."""

    name = "ompd places"
    lists = "places"
    options = {"-all": "Give every thread a line of its own.", **JSON, **FROM_FILE}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import places

        stop = self.stop(arguments)
        found = stop.cpus()
        if arguments.has("-json"):
            return places.document(found)
        fold = False if arguments.has("-all") else None
        return places.lines(found, self.style, prefix=stop.prefix, fold=fold)


class DevicesCommand(OmpdCommand):
    """Show the program's devices, and what is mapped to them.

    Usage: ompd devices [-json] [-from FILE]
    Example: ompd devices

    For each device the file that serves it, the threads in target regions that it
    executes or that wait for it, and what is mapped there: its name, its address on
    the host and on the device, its size, and how many "target data", "target enter
    data" and target regions refer to it; "always" is for a "declare target".  Equal
    devices share a line.  Where the host executes all target regions it says why.
    All is read from LLVM's libomptarget and GCC's libgomp, which publish no layout:
    what does not fit is "not known"."""

    name = "ompd devices"
    options = {**JSON, **FROM_FILE}

    def run(self, arguments: Arguments) -> Answer:
        from ..render import devices

        stop = self.stop(arguments)
        found = stop.devices()
        if arguments.has("-json"):
            return devices.document(found)
        return devices.lines(found, self.style, prefix=stop.prefix)


class TasksCommand(OmpdCommand):
    """Show the selected thread's task, and the tasks that led to it.

    Usage: ompd tasks [-all] [-json] [-from FILE]
    Example: ompd tasks -all

    The current task first, then the task that generated it, and so on to the
    initial task.  Generating and scheduling tasks are named by their depth in
    this list.  The enter and exit frames are where the task last called the
    OpenMP runtime and where the runtime called it."""

    name = "ompd tasks"
    is_for_front_ends = True
    lists = "tasks"
    options = {
        "-all": (
            "Show the tasks of all threads, and the explicit tasks that are created\n"
            "and that no thread executes: queued, waiting for the tasks that they\n"
            "depend on, suspended, or detached."
        ),
        **JSON,
        **FROM_FILE,
    }

    def run(self, arguments: Arguments) -> Answer:
        from ..model import WaitingTasks
        from ..host.runtimes.notes import of_doubts
        from ..render import tasks
        from .live import current_omp_thread, unknown, with_tasks

        stop, waiting = self.stop(arguments), WaitingTasks()
        threads = stop.threads(locations=False)
        if arguments.has("-all"):
            chosen = with_tasks(threads)
            waiting = stop.waiting_tasks()
        else:
            chosen = [current_omp_thread(threads).gdb_num]
        chains = stop.tasks(chosen)
        chosen_threads = threads if arguments.has("-all") else [current_omp_thread(threads)]
        doubts = [*(task.doubts for task in chains), *(task.doubts for task in waiting.tasks)]
        missing = (*of_doubts("task", doubts), *unknown(chosen_threads))
        if arguments.has("-json"):
            from ..render import json_document

            waiting = waiting._replace(notes=(*missing, *waiting.notes))
            return json_document.tasks(chains, waiting)
        style, prefix = self.style, stop.prefix
        return [
            *tasks.lines(chains, style, prefix=prefix),
            *missing,
            *tasks.waiting_lines(waiting, style, prefix=prefix),
        ]


class IcvsCommand(OmpdCommand):
    """Show OpenMP's internal control variables.

    Usage: ompd icvs [-all] [-json] [-from FILE] [NAME]...
    Example: ompd icvs nthreads-var dyn-var

    Those of the process, and those of the selected thread, its innermost
    region and its task.  NAME is an ICV, such as nthreads-var.  A value that the
    runtime's OMPD library has wrong is put right, and marked "corrected".  A
    setting of the environment that the runtime rejected is said below."""

    name = "ompd icvs"
    is_for_front_ends = True
    lists = "icvs"
    options = {"-all": "Show them for every thread, region and task.", **JSON, **FROM_FILE}
    takes_words = True

    def run(self, arguments: Arguments) -> Answer:
        from ..render import status

        stop = self.stop(arguments)
        read, missing = _read(stop, arguments.has("-all"))
        found = _chosen_icvs(read, arguments.words)
        if arguments.has("-json"):
            from ..render import json_document

            return json_document.icvs(found)
        variables, failed = _variables(stop)
        return [
            *status.icvs_lines(found, self.style, prefix=stop.prefix),
            *status.rejected_lines(variables, found, self.style),
            *missing,
            *failed,
        ]

    def words_to_complete(self) -> Sequence[str]:
        try:
            return sorted({icv.name for icv in session_of().icvs([], [])} | set(_NAMES))
        except Exception:  # a completion has nobody to complain to
            return _NAMES


def _variables(stop: "AnyStop") -> tuple[Sequence["ControlVariable"], tuple[str, ...]]:
    """Return the control variables, none where they are not known, as ICVs may be; and how the
    OMPD library failed to tell them."""
    try:
        return stop.control_variables(), ()
    except LibraryFailed as error:
        return (), (f"{error}.",)
    except OmpdToolError:
        return (), ()


def _read(stop: "AnyStop", every: bool) -> tuple[Sequence["Icv"], tuple[str, ...]]:
    """Return the ICVs, and what is not known of the threads whose they would be."""
    from .live import current_omp_thread, unknown, with_tasks

    if every:
        snapshot = stop.snapshot(locations=False)
        threads = with_tasks(snapshot.threads)
        regions = [region.id for region in snapshot.regions]
        return stop.icvs(threads, regions), unknown(snapshot.threads)
    thread = current_omp_thread(stop.threads(locations=False))
    regions = [thread.region] if thread.region else []
    return stop.icvs([thread.gdb_num], regions), unknown([thread])


def _chosen_icvs(found: Sequence["Icv"], names: Sequence[str]) -> Sequence["Icv"]:
    known = {icv.name for icv in found}
    for name in names:
        if name not in known and name in _NAMES:
            raise NotFound(f"{name} is not known of this thread.")
        if name not in known:
            raise NotFound(f'no ICV is called "{name}": "ompd icvs" lists them.')
    return [icv for icv in found if not names or icv.name in names]


# ICVs that are known without a process; the runtime's own list comes on top.
_NAMES = """
    active-levels-var affinity-format-var bind-var cancel-var debug-var default-device-var
    display-affinity-var dyn-var final-task-var implicit-task-var levels-var
    max-active-levels-var max-task-priority-var nthreads-var num-procs-var run-sched-var
    stacksize-var team-size-var thread-limit-var thread-num-var tool-libraries-var tool-var
    tool-verbose-init-var
""".split()


class EnvCommand(OmpdCommand):
    """Show the OpenMP runtime's control variables, such as OMP_SCHEDULE.

    Usage: ompd env [-json] [-from FILE] [NAME]...
    Example: ompd env

    Each with its value and where that came from: the runtime's default, or the
    environment the program was started with; the latter come first, marked "*".
    What the runtime decides as it starts is not known.  A value that no runtime
    takes (OMP_NUM_THREADS=8c) is "rejected", with what is in force.  NAME is such
    as OMP_SCHEDULE, in any case.  What holds by now, also by calls such as
    omp_set_num_threads, is shown by "ompd icvs"."""

    name = "ompd env"
    lists = "control_variables"
    options = {**JSON, **FROM_FILE}
    takes_words = True

    def run(self, arguments: Arguments) -> Answer:
        from ..render import status

        variables = _chosen_variables(self.stop(arguments).control_variables(), arguments.words)
        if arguments.has("-json"):
            from ..render import json_document

            return json_document.env(variables)
        return status.env_lines(variables, self.style)

    def words_to_complete(self) -> Sequence[str]:
        try:
            return sorted({each.name for each in session_of().control_variables()})
        except Exception:  # a completion has nobody to complain to
            return ()


def _chosen_variables(
    variables: Sequence["ControlVariable"], names: Sequence[str]
) -> Sequence["ControlVariable"]:
    wanted = {name.upper() for name in names}
    known = {each.name.upper() for each in variables}
    for name in names:
        if name.upper() not in known:
            raise NotFound(
                f'{name.upper()} is not set: "ompd env" lists what is, "ompd icvs" what is in force.'
            )
    return [each for each in variables if not names or each.name.upper() in wanted]
