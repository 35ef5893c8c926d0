# SPDX-License-Identifier: Apache-2.0
"""Single questions about a stopped OpenMP program.

Every function of the 2014 OMPD report (Eichenberger et al., "OMPD: An
Application Programming Interface for a Debugger Support Library for OpenMP")
has its answer here, on the selected inferior. Threads are named by GDB's
numbers, regions by their ids in this stop's snapshot, tasks by a thread and a
depth, 0 being the task that the thread executes. The OMPD library's own handles
are here for what no question asks.

All raise a subclass of ``errors.OmpdToolError`` where nothing can be answered,
and return None for a fact that cannot be known.
"""

from __future__ import annotations

from functools import partial, wraps
from typing import Any, Callable, Optional, TypeVar, Union, cast

from . import _native
from .control.event_breakpoint import OLDER_NAMES
from .control.switch_events import switch_in
from .errors import NotFound, OmpdToolError
from .host.charset import any_name
from .model import Icv, Region, Task, TaskFrames, Thread, ThreadKind
from .host.runtimes.provider import Provider
from .host.sessions.answering import answered
from .host.sessions.registry import session_of

# What a library says of a kind of thread id, or of its size, that is not its own.
NOT_SUCH_AN_ID = ("ompd_rc_unsupported", "ompd_rc_bad_input")
SCOPES = {
    _native.ThreadHandle: _native.SCOPE_THREAD,
    _native.ParallelHandle: _native.SCOPE_PARALLEL,
    _native.TaskHandle: _native.SCOPE_TASK,
}

Question = TypeVar("Question", bound=Callable[..., Any])


def _question(ask: Question) -> Question:
    """Let ASK raise a subclass of ``OmpdToolError`` where it cannot answer. Asked
    outside of a command it is one by itself: a library that has failed is replaced."""

    @wraps(ask)
    def question(*args: Any, **kwargs: Any) -> Any:
        with any_name():
            return answered(partial(ask, *args, **kwargs))

    return cast(Question, question)


@_question
def threads() -> tuple[Thread, ...]:
    """Return all OpenMP threads (ompd_get_threads)."""
    return tuple(t for t in _all_threads() if t.kind not in (ThreadKind.NATIVE, None))


@_question
def threads_in_region(region: int) -> tuple[Optional[int], ...]:
    """Return a region's threads in the order of their thread numbers, None where
    GDB has no such thread (ompd_get_thread_in_parallel)."""
    return _region(region).threads


@_question
def innermost_region(gdb_num: int) -> Optional[int]:
    """Return a thread's innermost region, None at level 0
    (ompd_get_innermost_parallel_region)."""
    return _thread(gdb_num).region


@_question
def enclosing_region(region: int) -> Optional[int]:
    """Return the region around a region, None if it is the outermost
    (ompd_get_enclosing_parallel_handle)."""
    return _region(region).parent


@_question
def innermost_task(gdb_num: int) -> Task:
    """Return the task a thread executes (ompd_get_top_task_region)."""
    return _task(gdb_num, 0)


@_question
def ancestor_task(gdb_num: int, depth: int = 0) -> Optional[Task]:
    """Return the task that generated the task at DEPTH, None for the initial task
    (ompd_get_ancestor_task_handle)."""
    chain = _chain(gdb_num)
    generating = _task(gdb_num, depth).generating
    return None if generating is None else chain[generating]


@_question
def implicit_tasks(region: int) -> tuple[Optional[Task], ...]:
    """Return a region's implicit tasks by thread number, None where GDB has no such
    thread (ompd_get_implicit_task_in_parallel). The depth of one whose thread
    executes a task of another thread is -1: it is not in that thread's chain."""
    tasks = {task.gdb_num: task for task in session_of().implicit_tasks(_region(region).id)}
    return tuple(tasks.get(number) if number else None for number in _region(region).threads)


@_question
def num_procs() -> Optional[int]:
    """Return omp_get_num_procs(), None before the first region (ompd_get_num_procs)."""
    return _integer("num-procs-var")


@_question
def thread_limit(gdb_num: int) -> Optional[int]:
    """Return omp_get_thread_limit() in a thread (ompd_get_thread_limit)."""
    return _integer("thread-limit-var", gdb_num)


@_question
def num_threads(region: int) -> Optional[int]:
    """Return a region's number of threads (ompd_get_num_threads)."""
    return _region(region).team_size


@_question
def level(region: int) -> Optional[int]:
    """Return a region's nesting level, 1 for the outermost (ompd_get_level)."""
    return _region(region).level


@_question
def active_level(region: int) -> Optional[int]:
    """Return how many active regions a region is in, itself included
    (ompd_get_active_level)."""
    return _region(region).active_level


@_question
def parallel_id(region: int) -> int:
    """Return a region's identity, unique while it lives (ompd_get_parallel_id)."""
    return _region(region).parallel_id


@_question
def task_id(gdb_num: int, depth: int = 0) -> int:
    """Return a task's identity, unique while it lives (ompd_get_task_id)."""
    return _task(gdb_num, depth).task_id


@_question
def thread_handle(gdb_num: int) -> Optional[Thread]:
    """Return what OpenMP knows of a native thread, None if it is not an OpenMP
    thread (ompd_get_thread_handle)."""
    thread = _thread(gdb_num)
    return None if thread.kind in (ThreadKind.NATIVE, None) else thread


@_question
def osthread(gdb_num: int) -> dict[str, Optional[int]]:
    """Return an OpenMP thread's native ids: "pthread_id" and "lwp" (ompd_get_osthread)."""
    thread = _thread(gdb_num)
    return {"pthread_id": thread.pthread_id, "lwp": thread.lwp}


@_question
def state(gdb_num: int) -> tuple[Optional[str], Optional[int]]:
    """Return a thread's OMPT state by name, and what it waits for as an address,
    None where events are off or it waits for nothing (ompd_get_state)."""
    _thread(gdb_num)
    for thread in session_of().threads(locations=True):  # stacks tell of waits for tasks
        if thread.gdb_num == gdb_num:
            return thread.state, thread.waits_for.address if thread.waits_for else None
    return None, None


@_question
def max_threads(gdb_num: int) -> Optional[int]:
    """Return omp_get_max_threads() in a thread (ompd_get_max_threads)."""
    return _integer("nthreads-var", gdb_num)


@_question
def thread_num(gdb_num: int) -> Optional[int]:
    """Return omp_get_thread_num() in a thread (ompd_get_thread_num)."""
    return _thread(gdb_num).thread_num


@_question
def in_parallel(gdb_num: int) -> Optional[bool]:
    """Return whether a thread is in an active region (ompd_in_parallel)."""
    levels = _thread(gdb_num).active_level
    return None if levels is None else levels > 0


@_question
def in_final(gdb_num: int, depth: int = 0) -> Optional[bool]:
    """Return omp_in_final() of a task (ompd_in_final)."""
    return _task(gdb_num, depth).final


@_question
def dynamic(gdb_num: int) -> Optional[bool]:
    """Return omp_get_dynamic() in a thread (ompd_get_dynamic)."""
    value = _integer("dyn-var", gdb_num)
    return None if value is None else bool(value)


@_question
def nested(gdb_num: int) -> Optional[bool]:
    """Return omp_get_nested() in a thread: more than one active level is allowed
    (ompd_get_nested)."""
    levels = max_active_levels(gdb_num)
    return None if levels is None else levels > 1


@_question
def max_active_levels(gdb_num: int) -> Optional[int]:
    """Return omp_get_max_active_levels() in a thread (ompd_get_max_active_levels)."""
    return _integer("max-active-levels-var", gdb_num)


@_question
def schedule(gdb_num: int) -> Optional[tuple[str, Optional[int]]]:
    """Return the run-sched-var in a thread: the kind with its modifier, such as
    "monotonic:dynamic", and the chunk size, None if there is none
    (ompd_get_schedule)."""
    icv = _icv("run-sched-var", gdb_num)
    if icv.value is None:
        return None
    text = icv.text
    kind, comma, chunk = text.partition(",")
    return (kind, int(chunk) if comma else None) if kind else None


@_question
def proc_bind(gdb_num: int) -> Optional[str]:
    """Return omp_get_proc_bind() in a thread, in words (ompd_get_proc_bind)."""
    icv = _icv("bind-var", gdb_num)
    return None if icv.value is None else icv.text.partition(",")[0]


@_question
def task_frame(gdb_num: int, depth: int = 0) -> TaskFrames:
    """Return a task's frame addresses (ompd_get_task_frame)."""
    return _task(gdb_num, depth).frames


@_question
def task_function(gdb_num: int, depth: int = 0) -> Optional[int]:
    """Return the address of the function that the compiler made of a task,
    None where the runtime does not keep it (ompt_get_task_function)."""
    return session_of().task_functions(gdb_num)[_task(gdb_num, depth).depth]


@_question
def parallel_function(region: int) -> Optional[int]:
    """Return the address of the function that the compiler made of a region's
    body, None where the runtime does not keep it (ompd_get_parallel_function)."""
    return session_of().region_function(_region(region).id)


@_question
def wait_id(gdb_num: int) -> Optional[int]:
    """Return what a thread waits for as the runtime has it, None if it waits for nothing. That is
    the address of a record of the runtime's, where ``state`` has the program's object."""
    return handle_of_thread(gdb_num).state()[1] or None


@_question
def function_name(address: int) -> Optional[str]:
    """Return what the file that ADDRESS is in calls the function there: of an outlined one,
    the compiler's own name for it."""
    mapped = session_of().files.at(address)
    if mapped is None or mapped.module is None:
        return None
    symbol = mapped.module.elf.function_at(address - mapped.bias)
    return None if symbol is None else symbol.name


@_question
def process_handle() -> _native.ProcessHandle:
    """Return the OMPD library's handle of the program.

    It answers for itself, and other handles are reached from it: ``_native.pyi`` has
    their methods. Whatever is asked meanwhile, all are valid until the program goes on.
    """
    return _provider().process_handle()


@_question
def handle_of_thread(gdb_num: int) -> _native.ThreadHandle:
    """Return the OMPD library's handle of a thread (``ThreadHandle`` in ``_native.pyi``)."""
    thread, process = _thread(gdb_num), process_handle()
    ids = [(_native.THREAD_ID_PTHREAD, thread.pthread_id, 8)]
    ids += [(_native.THREAD_ID_LWP, thread.lwp, size) for size in (4, 8)]
    known = [(kind, number, size) for kind, number, size in ids if number is not None]
    for kind, number, size in known[:-1]:
        try:
            return process.thread(kind, number, size)
        except _native.OmpdError as error:
            if error.code_name not in NOT_SUCH_AN_ID:
                raise
    return process.thread(*known[-1])


@_question
def handle_of_region(region: int) -> _native.ParallelHandle:
    """Return the OMPD library's handle of a region (``ParallelHandle`` in ``_native.pyi``),
    found from a thread that is in it."""
    inside = [t for t in _all_threads() if t.region is not None and _is_in(t.region, region)]
    if not inside:
        raise NotFound(f"GDB has no thread of the parallel region {region}")
    at = inside[0].region
    handle = handle_of_thread(inside[0].gdb_num).curr_parallel()
    while at is not None and at != region:
        at = _region(at).parent
        handle = handle.enclosing_parallel()
    return handle


@_question
def handle_of_task(gdb_num: int, depth: int = 0) -> _native.TaskHandle:
    """Return the OMPD library's handle of a task (``TaskHandle`` in ``_native.pyi``)."""
    handle = handle_of_thread(gdb_num).curr_task()
    for _ in range(depth):
        handle = handle.generating_task()
    return handle


@_question
def tool_data(
    handle: Union[_native.ThreadHandle, _native.ParallelHandle, _native.TaskHandle],
) -> Optional[tuple[int, int]]:
    """Return what an OMPT tool keeps with a thread, region or task, as a value and as an
    address, None where the library has none (ompd_get_tool_data)."""
    try:
        return handle.tool_data(SCOPES[type(handle)])
    except _native.OmpdError as error:
        if error.code_name in ("ompd_rc_unavailable", "ompd_rc_unsupported"):
            return None
        raise


@_question
def version_string() -> str:
    """Return how the OMPD library describes itself (ompd_get_version_string)."""
    return _provider().versions().library


@_question
def version_compatibility() -> int:
    """Return the OMPD version the library implements, such as 201811
    (ompd_get_version_compatibility)."""
    return _provider().versions().api


@_question
def error_string(code: int) -> str:
    """Describe an OMPD return code in words (ompd_get_error_string)."""
    return _native.error_string(code)


@_question
def breakpoints() -> dict[str, int]:
    """Return the addresses that the runtime passes where OpenMP begins and ends,
    by event, under the 2014 names as well (ompd_get_breakpoints)."""
    found = _provider().breakpoints()
    older = {old: found[new] for old, new in OLDER_NAMES.items() if new in found}
    return {**found, **older}


@_question
def display_control_vars() -> str:
    """Return the control variables as "name=value" lines (ompd_display_control_vars)."""
    return "".join(f"{v.name}={v.value}\n" for v in session_of().control_variables())


@_question
def enable(setting: bool) -> None:
    """Switch OMPD's events in the program on or off (ompd_enable).

    On takes full effect from the next outermost parallel region, and is refused inside of one.
    """
    switch_in(session_of(), _provider(), setting)


def _all_threads() -> tuple[Thread, ...]:
    return session_of().threads(locations=False)


def _thread(gdb_num: int) -> Thread:
    for thread in _all_threads():
        if thread.gdb_num == gdb_num:
            return thread
    raise NotFound(f"there is no GDB thread {gdb_num}")


def _region(region: int) -> Region:
    try:
        return session_of().snapshot(locations=False).region(region)
    except KeyError:
        raise NotFound(f"there is no parallel region {region} at this stop") from None


def _is_in(inner: int, region: int) -> bool:
    """Tell whether the region INNER is REGION or inside of it."""
    around: Optional[int] = inner
    while around is not None and around != region:
        around = _region(around).parent
    return around is not None


def _chain(gdb_num: int) -> tuple[Task, ...]:
    _thread(gdb_num)
    chain = session_of().tasks([gdb_num])
    if not chain:
        raise NotFound(f"GDB thread {gdb_num} executes no OpenMP task")
    return chain


def _task(gdb_num: int, depth: int) -> Task:
    chain = _chain(gdb_num)
    if not 0 <= depth < len(chain):
        raise NotFound(
            f"GDB thread {gdb_num} has tasks of depth 0 to {len(chain) - 1}, not {depth}"
        )
    return chain[depth]


def _icv(name: str, gdb_num: Optional[int] = None) -> Icv:
    for icv in session_of().icvs([] if gdb_num is None else [gdb_num], []):
        if icv.name == name:
            return icv
    raise NotFound(f"the OMPD library has no {name} for this thread")


def _integer(name: str, gdb_num: Optional[int] = None) -> Optional[int]:
    value: Union[int, str, None] = _icv(name, gdb_num).value
    return value if isinstance(value, int) else None


def _provider() -> Provider:
    for provider in session_of().providers():
        return provider
    raise OmpdToolError("no OpenMP runtime with an OMPD library is mapped")
