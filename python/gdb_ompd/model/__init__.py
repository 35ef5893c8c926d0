# SPDX-License-Identifier: Apache-2.0
"""The data model: an OpenMP program at one stop, as plain frozen values.

Words are those of the OpenMP specification. Nothing here reads memory or
knows GDB; ``None`` always means "not known", never zero or "no".
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple, Optional, Union


class ThreadKind(str, Enum):
    """What a native thread is to OpenMP."""

    INITIAL = "initial"  # started by the program, known to the runtime
    WORKER = "worker"  # created by the runtime for teams
    HELPER = "helper"  # created by the runtime for itself (hidden helper tasks)
    NATIVE = "native"  # not an OpenMP thread


OMP_KINDS = (ThreadKind.INITIAL, ThreadKind.WORKER)  # those that execute regions


class TaskKind(str, Enum):
    """The kinds of task regions (OpenMP 5.0, section 1.2.5)."""

    INITIAL = "initial"
    IMPLICIT = "implicit"
    EXPLICIT = "explicit"


class Scope(str, Enum):
    """OMPD's ICV scopes (``ompd_scope_t``, OpenMP 5.0, section 5.3.9); the last two are 6.0's."""

    GLOBAL = "global"
    ADDRESS_SPACE = "address space"
    THREAD = "thread"
    PARALLEL = "parallel"
    IMPLICIT_TASK = "implicit task"
    TASK = "task"
    TEAMS = "teams"
    TARGET = "target"


class Doubt(NamedTuple):
    """A fact that the OMPD library did not give: SOURCE is what gave it instead; or
    FAILED what left it unknown, an OMPD function with the CODE that it returned."""

    fact: str
    source: Optional[str]
    failed: Optional[str]
    code: int


UNAVAILABLE = 1  # ompd_rc_unavailable
NO_FUNCTION = Doubt("function", None, "ompd_get_task_function", UNAVAILABLE)


class Code(NamedTuple):
    """The function that an instruction is in, by the file that it was mapped from: the MODULE,
    with its folders, and where in it the function begins. The OFFSET is from the module's load
    address; of a function whose begin no table of the file tells it is the instruction's own.
    EXECUTABLE is the program itself, and no library."""

    module: str
    offset: int
    executable: bool = False

    @property
    def file(self) -> str:
        """The module without its folders."""
        return self.module.rpartition("/")[2]

    @property
    def name(self) -> str:
        """What the function is called that has no other name: "libfoo.so+0x1234"."""
        return f"{self.file}+{self.offset:#x}"

    @property
    def library(self) -> Optional[str]:
        """The library without its folders, None in the program itself."""
        return None if self.executable else self.file


class Location(NamedTuple):
    """A place in the user's code. FUNCTION is the user's, not an outlined one. Where that has
    called code that has no source, INNERMOST is the place there."""

    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    pc: int
    code: Optional[Code] = None
    innermost: Optional[Location] = None


PLACE = ("function", "file", "line", "code")  # the fields that say where in the source or file


def place_in(value: Any) -> dict[str, Any]:
    """Return those fields of a value, all None where it is None."""
    return {name: getattr(value, name, None) for name in PLACE}


def place_key(value: Any) -> tuple[Any, ...]:
    """Return what is the same of two values at one place. A function may have code in several
    files, where its source is known."""
    code = value.code if value.line is None else None
    innermost = getattr(value, "innermost", None)
    inside = () if innermost is None else place_key(innermost)
    return (value.function, value.file, value.line, code, *inside)


class WaitsFor(NamedTuple):
    """What a thread waits for: KIND in words, and which one where it is known."""

    kind: str
    address: Optional[int] = None
    name: Optional[str] = None


class Membership(NamedTuple):
    """A thread's place in the team of one nesting level.

    ``omp_get_ancestor_thread_num(level)`` and ``omp_get_team_size(level)``.
    """

    thread_num: Optional[int]
    team_size: Optional[int]


class TargetKind(str, Enum):
    """What a device has to do for a thread."""

    REGION = "target"
    MAP = "target map"  # map data, or unmap them
    UPDATE = "target update"


class TargetConstruct(NamedTuple):
    """The target construct that a thread is in, at its place.

    EXECUTES tells that the thread, or one that began its team, executes the construct's region;
    otherwise it waits for the device. DEVICE is the number that the program has given, DEFAULT tells
    that it has given none. ON_HOST tells that the host executes the region itself. PLUGIN is the file
    that serves the device, where it is on the thread's stack.
    """

    kind: TargetKind
    executes: bool = False
    device: Optional[int] = None
    default: bool = False
    on_host: bool = False
    plugin: Optional[str] = None
    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    code: Optional[Code] = None


class Thread(NamedTuple):
    """One native thread, and what OpenMP knows of it.

    LEVEL is ``omp_get_level()``, ACTIVE_LEVEL ``omp_get_active_level()``.
    MEMBERSHIPS has one entry a level, innermost first, level 0 last.
    REGION is the id of the innermost region, ``None`` at level 0. STATE is the
    OMPT state's name without ``ompt_state_``. ERROR says why facts are missing. SIGNAL is
    the one that has stopped the thread and ends the program. OUTSIDE names the function, not
    of the user's code, that it is in while it waits for nothing of OpenMP's. TEAM_NUM and NUM_TEAMS
    are ``omp_get_team_num()`` and ``omp_get_num_teams()``, LEAGUE is a number that only the threads
    of one league have, 0 outside of leagues, LEAGUE_LEVEL the level at which its teams begin. TARGET
    is the innermost target construct that is known.
    """

    inferior: int
    gdb_num: int
    lwp: int
    pthread_id: Optional[int] = None
    kind: Optional[ThreadKind] = None
    running: bool = False
    selected: bool = False
    thread_num: Optional[int] = None
    team_size: Optional[int] = None
    level: Optional[int] = None
    active_level: Optional[int] = None
    memberships: tuple[Membership, ...] = ()
    region: Optional[int] = None
    idle: bool = False  # a worker that is in no team now, or a helper
    state: Optional[str] = None
    waits_for: Optional[WaitsFor] = None
    task: Optional[TaskKind] = None
    location: Optional[Location] = None
    error: Optional[str] = None
    doubts: tuple[Doubt, ...] = ()
    signal: Optional[str] = None
    outside: Optional[str] = None
    team_num: Optional[int] = None
    num_teams: Optional[int] = None
    league: Optional[int] = None
    league_level: int = 0
    target: Optional[TargetConstruct] = None


def is_in_target(thread: Thread) -> bool:
    """Tell whether a thread executes a target region on the host: of the regions around that GCC's
    runtime keeps no record meanwhile."""
    return thread.target is not None and thread.target.executes


def is_told(thread: Thread) -> bool:
    """Tell whether it is known what a thread does in the runtime."""
    return bool(thread.state or thread.idle or thread.waits_for or thread.outside)


def may_have_tasks(thread: Thread) -> bool:
    """Tell whether a thread may execute a task that can be listed."""
    if thread.kind is ThreadKind.NATIVE or thread.running or thread.error:
        return False
    return thread.task is not None or not thread.idle  # helpers in a team are idle in theirs


class Absence(str, Enum):
    """Why a thread in the runtime's records is not in the process."""

    FORK = "fork"  # which copies only the thread that calls it
    ENDED = "ended"


class AbsentThread(NamedTuple):
    """A thread of a team that is not in the process. AWAITED tells that the region began without
    it: it was given the region, and there was nobody to begin it."""

    thread_num: int
    why: Optional[Absence] = None
    awaited: bool = False


class RegionKind(str, Enum):
    """What has made a region's team or teams, as OpenMP 6.0's team-generator-var has it, or that the
    runtime has made it for itself."""

    PARALLEL = "parallel"
    TEAMS = "teams"
    HELPERS = "helpers"  # for hidden helper tasks: no construct of the program's


class Region(NamedTuple):
    """One live parallel region, or the league of a ``teams`` construct: then TEAM_SIZE is the number
    of its teams, and THREADS are their initial threads by team number.

    ID is a small number within one snapshot, PARALLEL_ID an identity that is
    unique while the region lives. THREADS are GDB's numbers in the order of
    ``omp_get_thread_num()``. FUNCTION, FILE and LINE are the construct's, CODE is its body's,
    or that of the function which began it. LIBRARY_CALL is the function that the user's code called
    of the library, without source, that began it ("dgemm"). STARTING tells that
    its primary thread is still making the team: a thread that is not known has not begun. ABSENT
    are the team's threads that are known to be in this process no more, or never. RUNTIME is the
    file of the runtime whose region it is, where the process has several. THREAD_LIMIT is
    thread-limit-var in a league, None for any number of threads.
    """

    id: int
    parallel_id: int
    parent: Optional[int]
    level: Optional[int]
    active_level: Optional[int]
    team_size: Optional[int]
    serialized: bool
    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    threads: tuple[Optional[int], ...]
    starting: bool = False
    absent: tuple[AbsentThread, ...] = ()
    runtime: Optional[str] = None
    doubts: tuple[Doubt, ...] = ()
    code: Optional[Code] = None
    library_call: Optional[str] = None
    kind: RegionKind = RegionKind.PARALLEL
    thread_limit: Optional[int] = None


class TaskFrames(NamedTuple):
    """A task's frame addresses (``ompd_get_task_frame``): where the task's own
    stack begins (EXIT) and where it last called the runtime (ENTER)."""

    enter: Optional[int]
    exit: Optional[int]


class Task(NamedTuple):
    """One task of a thread's chain, DEPTH 0 being the one it executes now.

    TASK_ID is an identity, unique while the task lives. GENERATING and
    SCHEDULING are depths in the same chain.
    """

    gdb_num: int
    depth: int
    task_id: int
    kind: Optional[TaskKind]
    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    final: Optional[bool]
    frames: TaskFrames
    generating: Optional[int]
    scheduling: Optional[int]
    running: bool
    doubts: tuple[Doubt, ...] = ()
    code: Optional[Code] = None


class Whereabouts(str, Enum):
    """Where an explicit task is that is created and that no thread executes."""

    QUEUED = "queued"  # it can be executed: not begun, or the next part of an untied one
    BLOCKED = "blocked on dependences"
    SUSPENDED = "suspended"  # begun; its thread executes another task above it
    DETACHED = "detached"  # executed to its end, and its event is not fulfilled


class Creator(NamedTuple):
    """The task that generated a task, with the place of its construct. Of an implicit
    one THREAD_NUM is its thread's number in the team."""

    kind: TaskKind
    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    thread_num: Optional[int] = None
    code: Optional[Code] = None


class WaitingTask(NamedTuple):
    """An explicit task that is created and that no thread executes.

    TASK_ID is as in Task. QUEUE is the GDB number of the thread with which it is
    queued, None for a queue that is not one thread's.
    """

    task_id: int
    where: Whereabouts
    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    final: Optional[bool] = None
    queue: Optional[int] = None
    creator: Optional[Creator] = None
    region: Optional[int] = None
    generated_by: Optional[int] = None
    tied: Optional[bool] = None
    code: Optional[Code] = None

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is not known of it that every such task has."""
        return (NO_FUNCTION,) if self.function is None and self.code is None else ()


class WaitingTasks(NamedTuple):
    """Those tasks of a process. NOTES say what could not be read, or found."""

    tasks: tuple[WaitingTask, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = True  # whether the runtimes' layouts were known


class IcvOwner(NamedTuple):
    """Whose value an ICV is: a thread's (or its task's), or a region's."""

    gdb_num: Optional[int] = None
    region: Optional[int] = None


class Icv(NamedTuple):
    """One internal control variable: VALUE as OMPD gives it, TEXT in words.

    SOURCE says where it came from ("libompd", "runtime" for a corrected one). RUNTIME is
    the file of the runtime that has it, where the process has several.
    """

    name: str
    scope: Scope
    owner: Optional[IcvOwner]
    value: Union[int, str, None]
    text: str
    source: str
    runtime: Optional[str] = None


LIBRARY = "OMPD library"  # the source of what no correction has put right
BY_USER = "environment"


class ControlVariable(NamedTuple):
    """One display control variable, and who gave it its value, None where that is not known.
    REJECTED tells that no runtime takes it: then the ICV has the value IN_FORCE, where known.
    RUNTIME is the file of the runtime that has it, where the process has several."""

    name: str
    value: Optional[str]
    source: str  # "runtime default", "runtime's start" or BY_USER
    rejected: bool = False
    in_force: Optional[str] = None  # such as "nthreads-var is 2"
    runtime: Optional[str] = None


class RuntimeStatus(NamedTuple):
    """One OpenMP runtime mapped by the program, and what serves it.

    PROBLEM is ``None`` when everything works, else one line with the fix.
    """

    file: str
    kind: str
    version: Optional[str] = None
    build_id: Optional[str] = None
    ompd_library: Optional[str] = None
    api_version: Optional[int] = None
    symbols: Optional[str] = None  # "symtab", "debuginfo" or "recovered"
    profile: Optional[str] = None
    layout_verified: Optional[bool] = None
    initialized: Optional[bool] = None
    events_enabled: Optional[bool] = None
    problem: Optional[str] = None
    architecture: Optional[str] = None  # of recovered symbols: "x86-64" or "aarch64"
    refused: tuple[str, ...] = ()  # OMPD libraries that must not be loaded, each with the fix
    read_from: Optional[str] = None  # where FILE is read, if not where it is called so


class Status(NamedTuple):
    """Everything that ``ompd status`` shows."""

    runtimes: tuple[RuntimeStatus, ...]
    settings: tuple[tuple[str, str], ...]  # name and value of each "set ompd" setting
    notes: tuple[str, ...] = ()


class Snapshot(NamedTuple):
    """An OpenMP program at one stop. NOTES are said once below a listing."""

    threads: tuple[Thread, ...]
    regions: tuple[Region, ...]
    notes: tuple[str, ...] = ()
    qualified: bool = False  # GDB writes its numbers as INFERIOR.NUM

    def region(self, region_id: int) -> Region:
        """Return the region with that id; KeyError if there is none."""
        return self._by_id()[region_id]

    def _by_id(self) -> dict[int, Region]:
        return {region.id: region for region in self.regions}

    def nest(self, thread: Thread) -> tuple[Region, ...]:
        """Return the regions THREAD is in, innermost first."""
        regions = self._by_id()
        found: list[Region] = []
        region_id = thread.region
        while region_id is not None and len(found) < len(regions):
            found.append(regions[region_id])
            region_id = regions[region_id].parent
        return tuple(found)

    def in_league(self, thread: Thread) -> tuple[Region, ...]:
        """Return the regions inside of its league that THREAD is in, innermost first."""
        least = thread.league_level
        return tuple(one for one in self.nest(thread) if one.level is None or one.level > least)


class Maker(NamedTuple):
    """The task that generated a task: explicit with its PLACE, or the implicit or
    initial one of the thread with the number THREAD_NUM in its team."""

    kind: TaskKind
    place: Optional[Location] = None
    thread_num: Optional[int] = None


class EventKind(str, Enum):
    """What begins or ends at an event."""

    REGION = "parallel region"
    LEAGUE = "league of teams"
    TEAM = "team of a league"
    TASK = "task"
    THREAD = "thread"
    TARGET = "target region"


class Event(NamedTuple):
    """What the program has stopped at. NAME is such as "parallel-begin", PLACE the
    construct's.

    Of a region: REQUESTED threads, TEAM_SIZE and LEVEL. Of a task: its MAKER, and
    as THREAD_NUM and TEAM_SIZE the thread that runs it. Of a thread: its LWP.
    """

    name: str
    kind: EventKind
    place: Optional[Location] = None
    requested: Optional[int] = None
    team_size: Optional[int] = None
    level: Optional[int] = None
    maker: Optional[Maker] = None
    thread_num: Optional[int] = None
    gdb_num: Optional[int] = None
    lwp: Optional[int] = None

    @property
    def begins(self) -> bool:
        """Tell begins from ends."""
        return self.name.endswith("-begin")
