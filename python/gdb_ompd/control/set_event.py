# SPDX-License-Identifier: Apache-2.0
"""Setting an event breakpoint, and what to tell the user about it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Iterator, Optional

import gdb

from .. import _native
from ..errors import NoRuntime, NoSymbols, OmpdToolError, UsageError
from ..host.modules import MappedModule
from ..host.selection import connection_type, setting
from ..host.symbols import debug_files
from ..model import Location, place_in
from ..model.waits import Kind
from ..host.runtimes.event_functions import TARGET_FUNCTIONS, announced_as
from ..host.runtimes.provider import Provider
from ..render.style import plain
from ..render.words import at
from ..host.sessions.registry import session_of
from . import event_breakpoint, target_breaks
from .event_breakpoint import function_of, is_known
from .wanted_place import WantedPlace, parse

LANGUAGES = ("fortran", "c", "c++")  # the last one's complaint is shown
SYNTAX_ERROR = "A syntax error in expression"

NO_NAMES = (
    "the OpenMP runtime is stripped of the functions it calls at events, so that the"
    " program cannot be stopped at {event}: 'ompd status' says how to have its symbols"
)

NO_PLACES = "where {event} happens in {file} was not found in its code{reasons}"
STATIC = "; libgomp is linked into the program, and events are found in a library alone"

# What the names in a condition can be preceded by that makes them no variables: members,
# convenience variables and functions, the tags of types, parts of other words.
VARIABLE = re.compile(
    r"(?<![\w$.:])(?<!->)(?<!\bstruct )(?<!\bunion )(?<!\benum )(?<!\bclass )"
    r"(?P<name>(?:::)?[A-Za-z_]\w*(?:::\w+)*)"
)
LITERAL = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|\b\d\w*")
OPERATORS = frozenset("sizeof alignof struct union enum class const volatile".split())
OPERATORS |= frozenset("and or not xor true false nullptr unsigned signed".split())


def lines(
    command: str, event: str, location: str, thread: Optional[str], condition: str
) -> Iterator[str]:
    """Make an event breakpoint by GDB's COMMAND; yield what is to be said of it.

    Raises NoSymbols where the process's runtime does not name the event's function,
    nor exports another that is called then.
    """
    _refuse_nonsense(condition)
    _refuse_no_begin(parse(location))
    for provider in _detected():
        if provider.mapped.why_nameless is not None:  # a breakpoint could damage the program
            raise NoSymbols(provider.mapped.why_nameless)
    if event.startswith("task-"):
        _refuse_locals(event, condition)
    if event in TARGET_FUNCTIONS:
        yield from _of_target(command, event, location, thread, condition)
        return
    made = event_breakpoint.create(command, event, location, thread, condition)
    exported = None
    if made.pending and _is_nameless():
        made.delete()
        exported = _exported().get(announced_as(event))
        if exported is None:
            raise NoSymbols(NO_NAMES.format(event=event))
        made = event_breakpoint.create(command, event, location, thread, condition, exported)
    if made.pending:
        problem = _gnu_problem(event)
        if problem is not None:
            made.delete()
            raise NoSymbols(problem)
    yield _made(made, event, location)
    if exported is not None:
        yield (
            f"The runtime is stripped: it stops where {exported} begins, and not at regions"
            ' whose "if" clause is false.'
        )
    yield from _warnings(location)
    if announced_as(event) == "parallel-end":
        yield from _too_late(location)


def _of_target(
    command: str, event: str, location: str, thread: Optional[str], condition: str
) -> Iterator[str]:
    is_announced = not any(each.traits.has_places for each in _detected())
    specs, notes = target_breaks.specs(event, location, is_announced)
    for spec in specs:
        made = event_breakpoint.create(command, event, location, thread, condition, spec)
        problem = _gnu_problem(event) if made.pending else None
        if problem is not None:
            made.delete()
            raise NoSymbols(problem)
        yield _made(made, event, location)
    yield from notes
    yield from _warnings(location, is_announced=False)


def _made(made: gdb.Breakpoint, event: str, location: str) -> str:
    kind = "Temporary breakpoint" if made.temporary else "Breakpoint"
    pending = " (pending)" if made.pending else ""
    return f"{kind} {made.number}: OpenMP {event}{_place(location)}{pending}"


def _refuse_nonsense(condition: str) -> None:
    """Refuse a condition that is an expression in none of the languages that OpenMP has; which
    one it is in is known only where the program stops."""
    problem = None
    for language in LANGUAGES if condition else ():
        with setting("language", language):
            try:
                gdb.execute(f"whatis {condition}", to_string=True)  # without calls or writes
                return
            except gdb.error as error:
                problem = str(error)
        if not problem.startswith(SYNTAX_ERROR):
            return
    if problem is not None:
        raise UsageError(problem)


def _refuse_no_begin(wanted: WantedPlace) -> None:
    """Refuse an address in a mapped file at which no function begins."""
    for mapped in _mapped(wanted):
        code = session_of().places()[1].code_at(mapped.bias + (wanted.offset or 0))
        if code is not None and not wanted.is_code(code):
            raise UsageError(f"No function begins there, but at {code.name}.")


def _mapped(wanted: WantedPlace) -> list[MappedModule]:
    """Return the mapped files that may be the one where a function begins."""
    if wanted.offset is None or not gdb.selected_inferior().threads():
        return []
    with suppress(OmpdToolError):
        return [each for each in session_of().files.modules() if wanted.is_file(each.name)]
    return []


def _refuse_locals(event: str, condition: str) -> None:
    """Refuse a condition on a variable of a task's own. Where a task begins or ends its body has no
    frame, and the existing frames belong to another task."""
    if gdb.lookup_static_symbol("main") is None and gdb.lookup_global_symbol("main") is None:
        return  # without symbols nothing is known of the program's variables
    for match in VARIABLE.finditer(LITERAL.sub("", condition)):
        name = match.group("name").removeprefix("::")
        if name not in OPERATORS and not _is_visible_everywhere(name):
            when = "has not begun" if event == "task-begin" else "has ended"
            raise UsageError(
                f'"{name}" is no global variable: at {event} the body of the task {when}, so that'
                " its own variables cannot be seen. 'break FILE:LINE if ...' in the body can."
            )


def _is_visible_everywhere(name: str) -> bool:
    """Tell whether NAME is a global or static variable, a function, a constant or a type."""
    if gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name):
        return True
    for domain in (gdb.SYMBOL_VAR_DOMAIN, gdb.SYMBOL_STRUCT_DOMAIN):
        if gdb.lookup_static_symbol(name, domain):
            return True
    try:
        return gdb.lookup_type(name) is not None
    except gdb.error:
        return False


def _place(location: str) -> str:
    if not location:
        return ""
    return f" in {location}" if parse(location).line is None else f" at {location}"


def _gnu_problem(event: str) -> Optional[str]:
    """Return why the places of EVENT in a runtime's code have no name, None where no runtime
    has such."""
    gnu = next((each for each in _detected() if each.traits.has_places), None)
    if gnu is None:
        file = _linked_into()
        return file and NO_PLACES.format(event=event, file=file, reasons=STATIC)
    elf = gnu.mapped.module.elf if gnu.mapped.module is not None else None
    reasons = "".join(f": {each}" for each in debug_files.refusal(elf.path if elf else None)[:1])
    if elf is not None and not elf.soname:
        reasons = STATIC
    return NO_PLACES.format(event=event, file=gnu.file, reasons=reasons)


def _linked_into() -> Optional[str]:
    """Return the file of a program that does not run yet, if GCC's runtime is linked into it."""
    file = gdb.current_progspace().filename
    if file is None or gdb.selected_inferior().threads():
        return None
    try:
        return file if _native.runtime_family(_native.Elf(file), True) == "gnu" else None
    except (OSError, ValueError):
        return None


def event_problems() -> list[str]:
    """Return what keeps event breakpoints from working in the selected inferior."""
    nameless = [each.mapped.why_nameless for each in _detected()]
    if any(nameless):
        return [f"Event breakpoints: none. {why}." for why in nameless if why is not None]
    if not _is_nameless():
        return []
    return [
        "Event breakpoints: parallel-begin only, at the exported "
        + _exported()["parallel-begin"]
        + "; tasks, threads and ends of regions need the runtime's symbols."
    ]


def _is_nameless() -> bool:
    """Tell whether a runtime is mapped, and GDB knows no event function in any."""
    return bool(_exported()) and not is_known(function_of("parallel-begin"))


def _exported() -> dict[str, str]:
    """Return what a mapped runtime exports for events that it announces by a function of its
    own."""
    return next(
        (each.traits.exported_events for each in _detected() if each.traits.exported_events), {}
    )


def _detected() -> tuple[Provider, ...]:
    """Return the runtimes of the selected inferior; none where that cannot be told."""
    try:
        running = gdb.selected_inferior().threads()
        return session_of().files.detected().providers if running else ()
    except OmpdToolError:
        return ()


def _warnings(location: str, is_announced: bool = True) -> Iterator[str]:
    """Yield what will keep the breakpoint from stopping the program. An event that IS_ANNOUNCED
    needs a runtime that does so."""
    if location and not _is_known_place(location):
        yield f"Nothing is known yet of {location}: the breakpoint waits for it."
    inferior = gdb.selected_inferior()
    if not inferior.threads():
        return
    if connection_type(inferior) == "core":
        yield "A core file does not run: the breakpoint waits for a process."
        return
    if not is_announced:
        return
    try:
        providers = session_of().providers()
    except NoRuntime as error:
        yield f"It cannot stop yet: {error}."
        return
    except OmpdToolError:
        return
    if not any(each.announces_events() for each in providers):
        files = ", ".join(each.file for each in session_of().status())
        yield f"The program's runtime announces no events, so that this cannot stop in it: {files}"
    if any(each.runtime.events_enabled() is False for each in providers):
        yield "OMPD events are off in this process: 'ompd enable' switches them on."


def _too_late(location: str) -> Iterator[str]:
    """Yield of which regions GCC's runtime will not come to the end: their primary thread has left
    the place where that is seen, and waits for the others."""
    providers = _detected()
    if not providers or not all(each.traits.has_places for each in providers):
        return
    with suppress(OmpdToolError):
        snapshot = session_of().snapshot()
        waits = {row.gdb_num: row.waits_for for row in snapshot.threads}
        for region in snapshot.regions:
            primary = region.threads[0] if region.threads else None
            wait = waits.get(primary) if primary is not None else None
            place = Location(**place_in(region), pc=0)
            if wait is None or wait.kind != Kind.REGION_BARRIER.value:
                continue
            if not location or parse(location).matches(place, filter(None, [place.code])):
                yield (
                    f"GDB thread {primary} is at the end of its region{plain(at(place))} already, where"
                    " this cannot stop it any more: 'ompd finish region' stops behind it."
                )


def _is_known_place(location: str) -> bool:
    wanted = parse(location)
    if wanted.offset is not None:
        return bool(_mapped(wanted)) or wanted.is_file(gdb.current_progspace().filename or "")
    return is_known(location) or is_known(f"{location}_")  # so linkers have it of Fortran
