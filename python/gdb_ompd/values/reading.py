# SPDX-License-Identifier: Apache-2.0
"""Evaluates an expression in the threads of a team, each in its own frame."""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Collection, Iterator, Optional, Sequence

import gdb

from .._native import FunctionName
from ..errors import NotFound, OmpdToolError
from ..host.expressions import (
    NO_TEXT,
    Evaluator,
    Format,
    address_of,
    as_object,
    calls_forbidden,
    in_own_language,
    is_aggregate,
    known_to_gdb,
    lacks_thread_db,
    memory_of,
    number_of,
    reason,
    referred,
    remember,
)
from ..host.inlined import may_begin_inlined
from ..host.locations import (
    NO_SYMBOL,
    GlobalNames,
    Place,
    clobbered_of,
    depends_on_frame,
    in_clobbered,
    innermost_named,
    is_kept_in_register,
    local_names,
    names_in,
    object_type,
    place_of,
    renamed,
)
from ..host.selection import kept_selection, level_of, selected_thread, threads_of, why_no_frame
from ..host.source_text import is_newer
from ..model.values import AskedThread, ThreadValue, Values
from ..host.sessions.session import Session
from .arrays import (
    CONVENIENCE,
    by_convenience,
    instead_of,
    has_dynamic_bounds,
    is_lost_array,
    is_of_variable_length,
    lacks_last_bound,
    whole,
)
from .differing import AnsweredValue, told_apart
from .elsewhere import elsewhere, may_be_lost, truth_of
from .first_values import iteration, wrong_names
from .fortran import absent, led_to
from .loop_variables import counters
from .frames import Chosen, FrameChooser, newest_pc
from .lookup import further_out, look_up, outside, referred_outside
from .overwritten import overwritten
from .static_names import StaticNames, static_names
from .statics import beside_another, taken_for_another
from .thread_locals import threads_own, value_of
from .faults import fault_of, may_differ
from .pieces import Parts, check_printed, parts_of
from .misdescribed import as_meant, of_code_around, of_library

NO_FRAME = "no frame of the program's code is on its stack"
OPTIMIZED_OUT = "optimized out"
NOT_SAVED = "not saved: a call may have overwritten ${0}"
UNKNOWN_NAME = 'No symbol "{0}" in current context'
NO_LAST_BOUND = "its last bound is not described: print elements of it"
_UNASKED = ThreadValue(None, None)
NOT_IN_BODY = 'No symbol "{0}" in the body of the construct: "ompd print -up {0}" looks further out'


class ValueReader:
    """Evaluates one expression for one command. LEVELS_OF gives the levels of the frames that
    a thread's task has in the team, None where all of its frames may be its."""

    def __init__(
        self,
        session: Session,
        expression: str,
        shown: Format,
        levels_of: Callable[[int], Optional[Collection[int]]],
    ) -> None:
        self._frames = FrameChooser(session)
        self._code, self._sources = session.places()
        self._expression = expression
        self._evaluator = Evaluator(expression)
        self._shown = shown
        self._levels_of = levels_of
        self._depends: dict[Place, bool] = {}
        # Of the selected frame: the names that are local variables', and what is wrong with others.
        self._locals: list[str] = []
        self._unknown: Optional[str] = None
        self._newer: Optional[str] = None  # the source file, if it is newer than the program
        self._statics: Optional[StaticNames] = None  # where it has no other names of variables
        self._kept_in_register: dict[Place, bool] = {}
        self._clobbered: dict[Place, list[str]] = {}  # the registers of callees' that are needed
        self._misdescribed: dict[Place, Optional[str]] = {}
        self._of_value: dict[Place, bool] = {}  # whether what is wrong depends on a thread's values
        self._meant: dict[Place, Evaluator] = {}
        self._parts: dict[Place, Parts] = {}  # what is read alone before that
        self._counters: dict[Place, list[str]] = {}  # variables that count clang's loops
        # By program counters: where the newest frame of any thread that is there is the one that is
        # meant, and all that its code tells is known.
        self._need_no_frame: dict[Optional[int], Place] = {}
        self._as_gdb_has: set[Place] = set()
        self._others: dict[Place, list[str]] = {}  # variables that are not where is described
        self._lost: dict[Place, list[str]] = {}  # what another frame may have
        self._sized: dict[Place, list[str]] = {}  # arrays of variable length
        self._dynamic: dict[Place, list[str]] = {}  # arrays whose bounds the program keeps
        self._common: dict[Place, dict[str, gdb.Symbol]] = {}  # variables that GDB takes others for
        self._declared: dict[tuple[str, Place], Optional[gdb.Value]] = {}
        # GDB's error, None where all names are known.
        self._unknown_names: dict[Place, Optional[str]] = {}
        # The answer of the threads that need not be asked.
        self._for_all: Optional[AnsweredValue] = None
        self._need_not: frozenset[int] = frozenset()
        self._threads: dict[int, gdb.InferiorThread] = {}
        self._ended: Optional[str] = None
        self._looks_out = True  # for a name that the code does not have
        self._writes = True  # the value as text
        self._session = session
        self._is_user = self._frames.is_user

    def read(self, members: Sequence[AskedThread], history: bool, one_team: bool = True) -> Values:
        """Return the values of MEMBERS. With HISTORY that of the selected thread enters GDB's
        value history. The selection is as before afterwards, also after an error."""
        own = selected_thread()
        self._threads = {thread.num: thread for thread in threads_of(gdb.selected_inferior())}
        with in_own_language(), kept_selection(), self._shown.applied(), calls_forbidden():
            self._frames.start()
            frame = self._frames.own
            if frame is not None:
                frame.select()
                self._locals = list(local_names(self._expression, frame))
                self._unknown = self._unknown_name(frame)
                symtab = frame.find_sal().symtab if self._locals else None
                if symtab is not None and is_newer(symtab):
                    self._newer = os.path.basename(symtab.filename)
                if not self._locals and self._unknown is None:
                    self._statics = static_names(self._expression, frame)
            if len(members) > 1 and not self._locals and self._unknown is None:
                self._ask_once(members, own)
            asked = [self._ask(member, own) for member in members]
            parts, complete = told_apart(asked, self._shown)
        if history and own is not None:
            values = (a.value for a in asked if a.row.gdb_num == own.num and a.value is not None)
            for value in values:
                remember(value)
        return Values(
            self._expression,
            tuple(each.row for each in asked),
            parts,
            complete,
            one_team,
            tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        if self._newer is not None:
            yield f"warning: {self._newer} is newer than the program."
        statics = () if self._statics is None else (self._statics.evaluator,)
        if any(each.has_called for each in (self._evaluator, *statics, *self._meant.values())):
            yield "warning: the expression called functions of the program, in one thread after the other."

    def _ask_once(self, members: Sequence[AskedThread], own: Optional[gdb.InferiorThread]) -> None:
        """Where the expression's names are those of static variables alone, each thread that
        is where they mean the same, or nowhere in the user's code, has the same value."""
        frame = self._frames.own
        if own is None or frame is None or not self._is_user(frame):
            return
        names = GlobalNames(self._expression, frame)
        if not names.are_all or as_meant(self._expression, frame) != self._expression:
            return
        row = ThreadValue(own.num, None)
        try:
            answer = self._asked(row, self._evaluator.evaluate())
        except gdb.error:
            return
        if self._evaluator.calls:
            return
        self._for_all = answer
        numbers = [member.gdb_num for member in members if member.gdb_num is not None]
        executed = self._session.executed(numbers).items()
        self._need_not = frozenset(
            n for n, address in executed if address is None or names.mean_the_same_at(address)
        )

    def _ask(self, member: AskedThread, own: Optional[gdb.InferiorThread]) -> AnsweredValue:
        if self._for_all is not None and member.gdb_num in self._need_not:
            row, *rest = self._for_all
            return AnsweredValue(ThreadValue._make((*member, *row[len(member) :])), *rest)
        row = ThreadValue(member.gdb_num, member.thread_num)
        thread = self._threads.get(member.gdb_num) if member.gdb_num is not None else None
        if thread is None or not thread.is_valid():
            return AnsweredValue(row._replace(error="GDB does not know this thread"))
        if thread.is_running():
            return AnsweredValue(row._replace(error="the thread is running"))
        if self._ended is not None:
            return AnsweredValue(row._replace(error=self._ended))
        is_own = own is not None and thread.num == own.num
        return self._or_reason(row, lambda: self._in_thread(row, thread, is_own))

    def _or_reason(self, row: ThreadValue, answer: Callable[[], AnsweredValue]) -> AnsweredValue:
        """Return the ANSWER, or why GDB gives none."""
        try:
            return answer()
        except (gdb.error, RuntimeError) as error:
            said = absent(self._expression) or reason(error).rstrip(".")
            if said.startswith("The program being debugged"):
                self._ended = said  # it has stopped in a function that it was called for
            return AnsweredValue(row._replace(error=said))

    def in_frame(self, frame: gdb.Frame) -> AnsweredValue:
        """Return the value in FRAME, which is selected. No other thread is asked for a name that the
        code does not have. To be used with ``calls_forbidden``."""
        self._looks_out = self._writes = False
        return self._or_reason(_UNASKED, lambda: self._evaluated(_UNASKED, frame))

    def _in_thread(
        self, row: ThreadValue, thread: gdb.InferiorThread, is_own: bool
    ) -> AnsweredValue:
        thread.switch()
        frame = self._frames.of_selected() if is_own else None
        if frame is not None:
            chosen: Optional[Chosen] = Chosen(frame, True, True)
        else:
            levels = self._levels_of(thread.num)
            pc = newest_pc() if self._need_no_frame and levels is None else None
            if pc in self._need_no_frame:
                return self._value(row, self._need_no_frame[pc])
            chosen = self._frames.choose(levels)
        if chosen is None:
            return AnsweredValue(row._replace(error=why_no_frame().rstrip(".") or NO_FRAME))
        chosen.frame.select()
        if not chosen.is_same and self._statics is not None:
            with known_to_gdb(self._statics.by_convenience()):
                return self._asked(row, self._statics.evaluator.evaluate())
        if not chosen.is_same:
            row, refused = self._elsewhere(row, chosen)
            if refused:
                return AnsweredValue(row)
        return self._evaluated(row, chosen.frame)

    def _evaluated(self, row: ThreadValue, frame: gdb.Frame) -> AnsweredValue:
        """Evaluate in FRAME. What its code alone tells holds for other threads there, too."""
        place = place_of(frame)
        if place not in self._misdescribed:
            wrong = wrong_names(self._expression, frame)
            counted = counters(frame, self._session.wait_reader()) if wrong else {}
            self._counters[place] = [name for name in wrong if name in counted]
            moved = self._others_at(frame)
            self._others[place] = list(moved)
            self._misdescribed[place] = next((n for n in wrong if n not in counted), None)
            known = {name: CONVENIENCE.format(name) for name in self._counters[place]}
            known.update((n, instead_of(n, value)) for n, value in moved.items())
            lost = (n for n in names_in(self._expression) if n not in known)
            self._lost[place] = [name for name in lost if may_be_lost(name, frame)]
            known.update((name, CONVENIENCE.format(name)) for name in self._lost[place])
            meant = as_meant(self._expression, frame, known)
            self._parts[place] = parts_of(meant, frame)
            meant = self._parts[place].expression
            names = names_in(self._expression)
            self._dynamic[place] = [name for name in names if has_dynamic_bounds(name, frame)]
            same = meant == self._expression
            self._meant[place] = self._evaluator if same else Evaluator(meant)
            self._of_value[place] = may_differ(self._expression, frame)
        unknown, code = self._unknown_name(frame), self._session.wait_reader()
        if unknown is None and self._of_value[place]:
            unknown = fault_of(self._expression, frame, code, of_value=True)
        if unknown is not None:
            return AnsweredValue(row._replace(error=unknown))
        if place not in self._clobbered:
            others = self._expression  # what may be lost need not be there
            for each in self._lost[place]:
                others = renamed(others, each, CONVENIENCE.format(each))
            self._clobbered[place] = in_clobbered(others, frame)
        register = overwritten(self._clobbered[place], frame, code)
        if register is not None:
            return AnsweredValue(row._replace(error=NOT_SAVED.format(register)))
        name = self._misdescribed[place]
        if name is not None:
            at = iteration(frame, code)
            where = "" if at is None else f"; this is iteration {at}, counted from 0"
            said = f"not described: of {name} clang tells only the first value{where}"
            return AnsweredValue(row._replace(error=said))
        if any(is_lost_array(each, frame) for each in self._dynamic[place]):
            return AnsweredValue(row._replace(error=OPTIMIZED_OUT))
        try:
            with known_to_gdb(by_convenience(self._arrays_in(frame))):
                with known_to_gdb(self._parts[place].values()):
                    asked = self._value(row, place)
        except OmpdToolError as error:
            return AnsweredValue(row._replace(error=str(error)))
        except gdb.error as error:
            if not str(error).startswith("No symbol "):
                raise
            self._unknown_names[place] = self._no_symbol(reason(error).rstrip("."), frame)
            return AnsweredValue(row._replace(error=self._unknown_names[place]))
        by_frame = (
            row.function,
            self._sized[place],
            self._common[place],
            self._counters[place],
            self._others[place],
            self._lost[place],
            self._parts[place].read,
            self._of_value[place],
        )
        needs_frame = any(by_frame)
        if level_of(frame) == 0 and not needs_frame and not may_begin_inlined(frame.pc()):
            self._need_no_frame[frame.pc()] = place
        is_own = self._meant[place] is self._evaluator and not self._clobbered[place]
        if is_own and not (needs_frame or self._dynamic[place]):
            self._as_gdb_has.add(place)
        return asked

    def is_as_gdb_has(self, frame: gdb.Frame) -> bool:
        """Tell whether it is known that the expression's value is as GDB itself has it, wherever
        a thread is where FRAME is."""
        return place_of(frame) in self._as_gdb_has

    def is_overwritten(self, frame: gdb.Frame) -> bool:
        """Tell whether it is known that the value is not there any more, wherever a thread is where
        FRAME is and has called what this has."""
        registers = self._clobbered.get(place_of(frame), [])
        return overwritten(registers, frame, self._session.wait_reader()) is not None

    def _value(self, row: ThreadValue, place: Place) -> AnsweredValue:
        """Evaluate in the selected frame, which is at PLACE, and where nothing is wrong with that."""
        try:
            value = self._meant[place].evaluate()
        except gdb.error as error:
            own = dict(threads_own(self._expression)) if lacks_thread_db(error) else {}
            if not own:
                raise
            names = StaticNames(self._meant[place].expression, own)
            with known_to_gdb(names.by_convenience()):
                value = names.evaluator.evaluate()
        if self._parts[place].is_one:
            check_printed(self._expression, value)
        asked = self._asked(row, value)
        if asked.row.address is not None and self._is_kept_in_register(place):
            return asked._replace(row=asked.row._replace(address=None))
        return asked

    def _arrays_in(self, frame: gdb.Frame) -> dict[str, gdb.Value]:
        """Return the arrays of variable length, and the variables that GDB would take others for,
        which the expression has in FRAME."""
        place = place_of(frame)
        if place not in self._sized:
            names = names_in(self._expression)
            self._sized[place] = [name for name in names if is_of_variable_length(name, frame)]
            meant = (
                (name, taken_for_another(name, frame) or beside_another(name, frame))
                for name in names
            )
            self._common[place] = {name: symbol for name, symbol in meant if symbol is not None}
        found = {
            name: symbol.value(frame) if symbol.needs_frame else value_of(symbol)
            for name, symbol in self._common[place].items()
        }
        if self._counters[place]:
            found.update(counters(frame, self._session.wait_reader()))
        for name in self._others[place]:
            value = self._elsewhere_of(name, frame)
            if value is None:
                raise OmpdToolError(OPTIMIZED_OUT)
            found[name] = value
        found.update((name, self._referred(name, frame)) for name in self._lost[place])
        for name in self._sized[place]:
            array = whole(name, frame, partial(self._outside, name, place))
            if array is None:
                raise OmpdToolError(OPTIMIZED_OUT)
            found[name] = array
        return found

    def _others_at(self, frame: gdb.Frame) -> dict[str, gdb.Value]:
        """Return those variables of the expression that are not as FRAME has them described."""
        names = (n for n in names_in(self._expression) if not is_of_variable_length(n, frame))
        found = ((name, self._elsewhere_of(name, frame)) for name in names)
        return {name: value for name, value in found if value is not None}

    def _elsewhere_of(self, name: str, frame: gdb.Frame) -> Optional[gdb.Value]:
        value = elsewhere(name, frame, self._session.wait_reader())
        return truth_of(name, frame) if value is None else value

    def _referred(self, name: str, frame: gdb.Frame) -> gdb.Value:
        """Return what FRAME, a construct's body, has by reference: where that is lost, as the code
        around has it."""
        own = innermost_named(name, frame)[0]
        register = overwritten(clobbered_of(name, frame), frame, self._session.wait_reader())
        value = own.value(frame)
        if register is None and not value.is_optimized_out:
            return value.referenced_value()
        outer = referred_outside(self._session, name)
        if outer is not None and outer.type == object_type(own):
            return outer
        raise OmpdToolError(OPTIMIZED_OUT if register is None else NOT_SAVED.format(register))

    def _outside(self, name: str, place: Place) -> Optional[gdb.Value]:
        """Return the variable that the code around the construct has, which one search finds for
        all threads that are at PLACE."""
        if (name, place) not in self._declared:
            self._declared[name, place] = outside(self._session, name)
        return self._declared[name, place]

    def _is_kept_in_register(self, place: Place) -> bool:
        if place not in self._kept_in_register:
            frame = gdb.selected_frame()
            self._kept_in_register[place] = is_kept_in_register(self._expression, frame)
        return self._kept_in_register[place]

    def _unknown_name(self, frame: gdb.Frame) -> Optional[str]:
        """Say which name GDB would take in FRAME, which is selected, for another variable than the
        code means."""
        place = place_of(frame)
        if place not in self._unknown_names:
            self._unknown_names[place] = self._taken_for_another(frame)
        return self._unknown_names[place]

    def _taken_for_another(self, frame: gdb.Frame) -> Optional[str]:
        own = fault_of(self._expression, frame, self._session.wait_reader(), of_value=False)
        if own is not None:
            return own
        outer = of_code_around(self._expression, frame)
        if outer is not None:
            return self._no_symbol(UNKNOWN_NAME.format(outer), frame)
        other = of_library(self._expression, frame, self._code.is_user)
        return None if other is None else UNKNOWN_NAME.format(other)

    def _no_symbol(self, said: str, frame: gdb.Frame) -> str:
        """Say where the name is found that FRAME, which is selected, has no variable for."""
        name = NO_SYMBOL.match(said) if self._looks_out else None
        if name is None or not self._is_user(frame):
            return said
        is_body = FunctionName(frame.name()).is_outlined
        in_body = NOT_IN_BODY.format(name.group(1)) if is_body else None
        try:
            found = look_up(self._session, name.group(1))
        except NotFound:
            return said
        except OmpdToolError:  # "-up" says why
            return in_body or said
        return in_body or f"{said}: {further_out(found, gdb.selected_thread().num)}"

    def _elsewhere(self, row: ThreadValue, chosen: Chosen) -> tuple[ThreadValue, bool]:
        """Of a value in another function say in which; in the runtime's or the system's frames
        a local variable is not the user's."""
        place = place_of(chosen.frame)
        if place not in self._depends:
            is_own = bool(self._locals or self._unknown)
            self._depends[place] = is_own or depends_on_frame(self._expression, chosen.frame)
        if not self._depends[place]:
            return row, False
        if not chosen.is_user:
            return row._replace(error=NO_FRAME), True
        # GDB would take a static variable of that name, be it the C library's.
        if self._locals and self._unknown_name(chosen.frame) is None:
            own = set(local_names(self._expression, chosen.frame))
            for name in (name for name in self._locals if name not in own):
                said = UNKNOWN_NAME.format(name)
                self._unknown_names[place] = self._no_symbol(said, chosen.frame)
        at = self._sources.location_of(chosen.frame)
        return row._replace(function=at.function or (at.code.name if at.code else None)), False

    def _asked(self, row: ThreadValue, value: gdb.Value) -> AnsweredValue:
        value = led_to(self._expression, value)
        part = referred(value)
        object_ = as_object(part)
        value = value if object_ is part else object_
        address = address_of(object_)
        if address is not None:
            row = row._replace(address=address)
        elif object_.is_optimized_out and self._shown.text(object_) == f"<{OPTIMIZED_OUT}>":
            # Of a struct GDB says so if any member is.
            return AnsweredValue(row._replace(error=OPTIMIZED_OUT), value)
        if lacks_last_bound(object_.type):
            return AnsweredValue(row._replace(error=NO_LAST_BOUND), value)
        if not self._writes:
            return AnsweredValue(row, value)
        if is_aggregate(object_, "r" in self._shown.letters):
            # Its text is made only if it is shown: most threads have the same.
            return AnsweredValue(row, value, memory_of(object_))
        text = self._shown.text(object_)
        if not text:
            return AnsweredValue(row._replace(error=NO_TEXT), value)
        return AnsweredValue(row._replace(text=text, number=number_of(object_)), value)
