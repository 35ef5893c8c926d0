# SPDX-License-Identifier: Apache-2.0
"""The convenience functions ``$_omp_...``: what ``omp_get_...`` would return in the selected thread,
and what the listings say of it. Each takes its arguments, asks and answers; errors are one line.

One that only tells of the thread's place is a function of this file: "_omp_" and its name is
what the user calls it, its docstring the help that GDB gives.
"""

from __future__ import annotations

from typing import Any, Callable, Generic, Optional, TYPE_CHECKING, TypeVar, Union

import gdb

from ..errors import OmpdToolError, UsageError
from ..host.charset import any_name, sayable, stored, string_of
from ..host.flush_help import HelpedFunction
from ..host.moments import one_command
from ..host.sessions.answering import in_our_words

if TYPE_CHECKING:
    from ..model import Membership
    from .._native import ThreadNumbers

Answer = Union[bool, int, str, gdb.Value, None]

# GDB turns only a convenience variable's string into what printf's %s can write
# without a copy in the program, for which it would call the program's malloc.
TEXT_VARIABLE = "_omp_text"
_void: list[gdb.Value] = []
Where = TypeVar("Where")


class OmpFunction(HelpedFunction):
    """One convenience function. NAME is without the dollar sign, PARAMETERS are the
    names of its arguments as its help has them; the docstring is its help."""

    name = ""
    parameters: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__(self.name)

    def invoke(self, *arguments: gdb.Value) -> Union[gdb.Value, bool, int]:
        """Answer; a user's mistake becomes one line, a bug keeps its traceback."""
        try:
            if len(arguments) != len(self.parameters):
                raise UsageError(f"usage: ${self.name}({', '.join(self.parameters)})")
            # Not by ``answered``, which takes as long as the answer may.
            try:
                found = self.answer(*arguments)
            except UnicodeError:
                with any_name():
                    found = self.answer(*arguments)
        except BaseException as error:
            said = in_our_words(error)
            if isinstance(said, OmpdToolError):
                raise gdb.GdbError(sayable(str(said))) from error
            raise
        if found is None:
            return void()
        return _text(found) if isinstance(found, str) else found

    def answer(self, *arguments: Any, **_none: Any) -> Answer:
        """Return the value, None for GDB's void. Raises what ``answered`` does.

        A function has as many parameters as PARAMETERS names. One that asks an OMPD
        library does so as ``one_command``."""
        raise NotImplementedError


def void() -> gdb.Value:
    """Return the value that GDB prints as "void", in any language."""
    if not _void:
        from ..host.selection import evaluate

        _void.append(evaluate("(void) 0"))
    return _void[0]


def _text(text: str) -> gdb.Value:
    if text:
        gdb.set_convenience_variable(TEXT_VARIABLE, stored(text))
    else:  # GDB would make a null pointer of it
        from ..host.selection import evaluate

        gdb.set_convenience_variable(TEXT_VARIABLE, evaluate('""'))
    return gdb.convenience_variable(TEXT_VARIABLE)


def integer(value: gdb.Value, function: OmpFunction) -> int:
    """Return an argument that must be a whole number; UsageError if it is not."""
    from ..host.locations import REFERENCES, WHOLE_NUMBERS

    if value.type.code in REFERENCES:
        value = value.referenced_value()
    if value.type.strip_typedefs().code not in WHOLE_NUMBERS:
        raise UsageError(f"${function.name}: {function.parameters[0]} must be a whole number")
    try:
        return int(value)
    except gdb.error as error:  # it is in no memory, or optimized out
        raise UsageError(f"${function.name}: {function.parameters[0]}: {error}") from error


def string(value: gdb.Value, function: OmpFunction) -> str:
    """Return an argument that must be a string; UsageError if it is not."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRING:
        return _fortran_string(value)
    what = f"${function.name}: {function.parameters[0]} must be"
    if value.type.name == "&str":  # for which GDB has called a function of the program
        raise UsageError(f'{what} a byte string in Rust, such as b"x"')
    try:
        text: Optional[str] = string_of(value)
    except gdb.error:  # not characters, or of a pointer that leads nowhere
        text = None
    if text is None:
        raise UsageError(f"{what} a string")
    return text


def _fortran_string(value: gdb.Value) -> str:
    """Read Fortran's character*N, which GDB 13 cannot turn into a string itself."""
    from ..host.selection import integer_type

    size = value.type.sizeof
    byte = integer_type(8, False)
    characters = value.cast(byte.array(size - 1))
    return bytes(int(characters[i]) for i in range(size)).decode("utf-8", "replace").rstrip()


class _ToldFunction(OmpFunction, Generic[Where]):
    """The convenience function that TELL makes of what it is asked by."""

    def __init__(self, tell: Callable[[Where], Answer]) -> None:
        self.name = f"_omp_{tell.__name__}"
        self.__doc__ = tell.__doc__
        self._tell = tell
        super().__init__()


class PlaceFunction(_ToldFunction["ThreadNumbers"]):
    """Answers with what is told of the thread's place; void outside of OpenMP."""

    _place: Optional[Callable[[], Optional[ThreadNumbers]]] = None

    def answer(self) -> Answer:
        if self._place is None:
            # Once: at each hit of a breakpoint it would take as long as the answer.
            from .current import place

            self._place = place
        found = self._place()
        return None if found is None else self._tell(found)


class LevelFunction(_ToldFunction[Optional["Membership"]]):
    """Answers with what is told of the thread's membership at a level; void outside of
    OpenMP."""

    parameters = ("LEVEL",)

    def answer(self, wanted: gdb.Value) -> Answer:
        from .current import current, listed

        number = integer(wanted, self)
        found = current()
        if found is not None and found.place is not None:
            return self._tell(found.provider.membership_of(found.thread, number))
        row = listed(locations=False)
        if row is None or row.level is None:
            return None
        return self._tell(row.memberships[row.level - number] if 0 <= number <= row.level else None)


def thread_num(place: ThreadNumbers) -> int:
    """Return the selected thread's number in its team.

    Usage: $_omp_thread_num()

    The same as omp_get_thread_num() in the program; void outside OpenMP."""
    return place.thread_num


def num_threads(place: ThreadNumbers) -> int:
    """Return how many threads the selected thread's team has.

    Usage: $_omp_num_threads()

    The same as omp_get_num_threads() in the program; void outside OpenMP."""
    return place.team_size


def level(place: ThreadNumbers) -> int:
    """Return how many parallel regions are around the selected thread.

    Usage: $_omp_level()

    The same as omp_get_level() in the program, serialized regions included;
    void outside OpenMP."""
    return place.level


def active_level(place: ThreadNumbers) -> int:
    """Return how many active parallel regions are around the selected thread.

    Usage: $_omp_active_level()

    The same as omp_get_active_level() in the program: regions that more than
    one thread executes; void outside OpenMP."""
    return place.active_level


def team_num(place: ThreadNumbers) -> Optional[int]:
    """Return the number of the selected thread's team in its league.

    Usage: $_omp_team_num()

    The same as omp_get_team_num() in the program: 0 outside of a teams construct; void outside
    OpenMP, and where the runtime does not tell."""
    return place.team_num


def num_teams(place: ThreadNumbers) -> Optional[int]:
    """Return how many teams the selected thread's league has.

    Usage: $_omp_num_teams()

    The same as omp_get_num_teams() in the program: 1 outside of a teams construct; void outside
    OpenMP, and where the runtime does not tell."""
    return place.num_teams


def in_parallel(place: ThreadNumbers) -> bool:
    """Tell whether the selected thread is in an active parallel region.

    Usage: $_omp_in_parallel()

    The same as omp_in_parallel() in the program; void outside OpenMP."""
    return place.active_level > 0


def ancestor_thread_num(membership: Optional[Membership]) -> Optional[int]:
    """Return the number that the selected thread or its ancestor has at a level.

    Usage: $_omp_ancestor_thread_num(LEVEL)

    The same as omp_get_ancestor_thread_num(LEVEL) in the program: -1 for a
    level that is not around the thread; void outside OpenMP."""
    return -1 if membership is None else membership.thread_num


def team_size(membership: Optional[Membership]) -> Optional[int]:
    """Return the size of the team around the selected thread at a level.

    Usage: $_omp_team_size(LEVEL)

    The same as omp_get_team_size(LEVEL) in the program: -1 for a level that
    is not around the thread; void outside OpenMP."""
    return -1 if membership is None else membership.team_size


class InExplicitTaskFunction(OmpFunction):
    """Tell whether the selected thread executes an explicit task.

    Usage: $_omp_in_explicit_task()

    The same as omp_in_explicit_task() in the program; void outside OpenMP."""

    name = "_omp_in_explicit_task"

    def answer(self) -> Answer:
        from ..model import TaskKind
        from .current import current, listed

        found = current()
        if found is not None and found.place is not None:
            kind = found.provider.task_kind_of(found.thread)
        else:
            row = listed(locations=False)
            kind = None if row is None else row.task
        return None if kind is None else kind is TaskKind.EXPLICIT


class IcvFunction(OmpFunction):
    """Return one of OpenMP's internal control variables.

    Usage: $_omp_icv("NAME")

    NAME is one that "ompd icvs" lists, such as "nthreads-var".  The value is that of the selected
    thread, its task, its innermost region or the process. It is a number or a string, and void
    outside OpenMP and for a variable that is not set."""

    name = "_omp_icv"
    parameters = ('"NAME"',)

    @one_command
    def answer(self, name: gdb.Value) -> Answer:
        from . import current

        wanted = string(name, self)
        found = current.current()
        if found is None or found.place is None:
            return None
        current.read_anew()
        return found.provider.icv_of(found.thread, wanted)


class StateFunction(OmpFunction):
    """Return what the selected thread does, as one of OMPT's states.

    Usage: $_omp_state()

    A string such as "work_parallel", "wait_barrier_explicit" or "idle", the
    same as in "ompd threads -json"; void outside OpenMP, and where neither the
    runtime nor the stack tells it.  Compare it with $_streq."""

    name = "_omp_state"

    @one_command
    def answer(self) -> Answer:
        from ..model.waits import Kind
        from . import current

        found = current.current()
        if found is not None and found.place is None:
            return "idle"
        if found is not None:
            current.read_anew()
            place = current.stack_place(found)
            wait = place.wait
        if found is None or wait.location is None or wait.kind is Kind.REGION_BARRIER:
            row = current.listed(locations=True)
            if row is not None:
                return row.state
        if found is None or found.place is None:
            return None
        state = found.provider.state_of(found.thread)
        return place.state(state, found.place.level)


class VarFunction(OmpFunction):
    """Return a variable, looked up along the logical stack.

    Usage: $_omp_var("NAME")

    As "ompd print -up NAME" finds it: in the selected frame, then in those of the
    thread that generated the task or began the region, to the program's start."""

    name = "_omp_var"
    parameters = ('"NAME"',)

    @one_command
    def answer(self, name: gdb.Value) -> Answer:
        from ..host.sessions.registry import session_of
        from ..values.lookup import look_up
        from ..values.pieces import checked

        variable = string(name, self)
        return checked(variable, look_up(session_of(), variable).value)


class IterationFunction(OmpFunction):
    """Return which iteration of a loop the selected thread executes, counted from 0.

    Usage: $_omp_iteration()

    Of the innermost loop of a construct in the selected frame, of collapsed loops
    all together; void outside of one, and where neither the debug information nor
    the code tells."""

    name = "_omp_iteration"

    @one_command
    def answer(self) -> Answer:
        from ..host.sessions.registry import session_of
        from ..values.loops import iteration_in

        try:
            return iteration_in(session_of(), gdb.selected_frame())
        except (OmpdToolError, gdb.error):
            return None


def register() -> None:
    """Make the functions known to GDB."""
    of_places = (thread_num, num_threads, team_num, num_teams, level, active_level, in_parallel)
    for of_place in of_places:
        PlaceFunction(of_place)
    for at_level in (ancestor_thread_num, team_size):
        LevelFunction(at_level)
    for kind in (
        InExplicitTaskFunction,
        IcvFunction,
        StateFunction,
        VarFunction,
        IterationFunction,
    ):
        kind()
