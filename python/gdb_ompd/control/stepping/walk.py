# SPDX-License-Identifier: Apache-2.0
"""``ompd step`` and ``ompd next``: GDB's own steps, and where they lead into the
runtime, on to what the user wrote.

GDB steps; a mark at the runtime's functions tells which body a construct hands
over, a mark at the body that this thread executes it. From the runtime the
thread runs to the first of: the body, the frame of the user's that called.
In code without lines GDB does not step: the thread runs from construct to construct.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

import gdb

from ..._native import FunctionName
from ...errors import OmpdToolError
from ...host.inlined import physical
from ...host.selection import thread_number
from ...host.target import reader
from ...host.sessions.session import Session
from ..condition import events_here
from ..event_stack import read_register
from . import calls
from .on_the_way import OnTheWay
from .running import StopMark, Marks, StopReport, Reports, MarkRole, Runner, Why
from .stack import SteppedStack, address_has_line, begins_line, has_line, in_prologue

# Each hop is a step of GDB's or a run between marks; a line of code has few.
MAX_HOPS = 1000
OTHERS_HELD = (
    "GDB thread {num} has ended its part of the region; the others are held back, so that the"
    " region cannot end: 'set scheduler-locking off', then 'ompd {command}'"
)
OTHERS_NEEDED = (
    "the construct cannot be run as a whole, since the others of its team are held back:"
    " GDB thread {num} is in its body; 'set scheduler-locking off' lets them run"
)
OTHERS_TO_COME = (
    "GDB thread {num} is at a barrier, and the others of its team are held back:"
    " 'set scheduler-locking off', then 'ompd {command}'"
)


class _Line(NamedTuple):
    """Where a step begins, and the code of that line that it has come to since."""

    frame: gdb.Frame
    number: int
    seen: set[int]
    is_body: bool


def _line_of(frame: gdb.Frame) -> _Line:
    return _Line(
        physical(frame), frame.find_sal().line, {frame.pc()}, FunctionName(frame.name()).is_outlined
    )


class Walk:
    """One ``ompd step`` or ``ompd next``."""

    def __init__(self, session: Session, command: str) -> None:
        self._session = session
        self._command = command
        self._thread: gdb.InferiorThread = gdb.selected_thread()
        self._stack = SteppedStack(session)
        self._construct_code = events_here().construct_code
        self._marks = Marks()
        self._on_the_way = OnTheWay(session, self._stack, self._marks)
        self._home: Optional[gdb.Frame] = None
        self._body_caller: Optional[gdb.Frame] = None  # the runtime's, where a body steps
        self._construct: Optional[int] = None  # the line of the call that was entered
        self._line: Optional[_Line] = None  # that this step leaves
        self._in_construct_code = False  # the step has come through it already
        self._awaits_privates = False  # a task's body was entered, and has not asked for them
        self._system_calls: dict[int, int] = {}  # on the line that GDB steps in
        self._note: Optional[str] = None
        self._passes_at: Optional[int] = None  # where it was when others had hit breakpoints

    def run(self, count: int) -> Optional[str]:
        """Step COUNT times, stopping early at what the user must see; return what is to
        be said about where that is. GDB writes the place."""
        with Reports(self._thread) as self._reports, self._marks:
            self._runner = Runner(self._reports, self._session)
            for _ in range(count):
                if not self._step() or self._note is not None:
                    break
                self._marks.clear()
        return self._note

    def _pass(self, hit: Sequence[gdb.Breakpoint]) -> Optional[StopReport]:
        """Go on with the step after another thread has hit breakpoints of the user's, which GDB has
        said; None where the step has ended meanwhile. A breakpoint with commands is the end."""
        own = self._thread
        if any(each.commands or each.temporary for each in hit) or not own.is_valid():
            return StopReport(Why.USERS)
        others = gdb.newest_frame().pc()
        own.switch()
        frame = gdb.newest_frame()
        self._passes_at = frame.pc()
        if self._stack.in_runtime() or self._stack.in_call_of_system(self._home):
            return self._leave()
        if physical(frame) != self._home and self._command == "next" and self._is_called():
            return self._leave()
        at_breakpoint = frame.pc() == others  # which GDB will say
        if self._line is not None and begins_line(frame) and not self._is_in_construct_code():
            if (
                not at_breakpoint
                and frame.pc() not in self._line.seen
                and frame.find_sal().line != self._line.number
            ):
                self._runner.show()
                return None
        return self._execute(self._command)

    def _is_hit_again(self, start: int) -> bool:
        """Tell whether the thread has hit a breakpoint at START, where it has been since the step
        began: GDB lets it hit that again once another thread has stopped."""
        passes_at, self._passes_at = self._passes_at, None
        if not self._reports.users or passes_at != start:
            return False
        return bool(gdb.selected_thread() == self._thread and gdb.newest_frame().pc() == start)

    def _is_called(self) -> bool:
        """Tell whether the frame that steps has called what executes."""
        return self._stack.is_alive(self._home)

    def _step(self) -> bool:
        """Step once; tell whether it ended at a statement of the user's."""
        frame = gdb.newest_frame()
        start = frame.pc()
        self._line = _line_of(frame)
        self._in_construct_code = False
        self._on_the_way.mark(self._thread, self._command)
        report = self._begin()
        for _ in range(MAX_HOPS):
            if report.why is Why.OTHERS:
                following = self._pass(self._reports.users)
            elif self._is_hit_again(start):
                following = self._execute(self._command)
            elif report.why in (Why.STEPPED, Why.MARK):
                following = self._follow(report)
            else:
                return False
            if following is None:
                return True
            report = following
        raise OmpdToolError(f"no statement was reached in {MAX_HOPS} steps; 'ompd step' goes on")

    def _begin(self) -> StopReport:
        if not self._stack.in_runtime():
            return self._execute(self._command)
        if calls.others_are_to_come(self._session, self._thread):
            return self._stay_in_users(OTHERS_TO_COME)
        if self._command == "step":
            for body in self._announced_bodies():
                self._marks.at(MarkRole.BODY, body, self._thread)
        return self._leave()

    def _announced_bodies(self) -> list[int]:
        """Return the bodies that the thread may be about to execute in the runtime."""
        moment = events_here().gnu_moment("parallel-begin")
        if moment is not None and any(map(self._stack.at_event, ("parallel-begin", "task-begin"))):
            return [] if moment.function is None else [moment.function]
        if self._stack.at_event("task-begin"):
            task = events_here().task()
            return [] if task is None else [task.routine]
        frame = self._stack.user_frame()
        if frame is not None and self._stack.in_region_call():
            return self._stack.region_bodies(frame)
        return []

    def _execute(self, command: str) -> StopReport:
        """Let GDB step in the user's code."""
        self._marks.clear(
            MarkRole.RETURN, MarkRole.END, MarkRole.CONSTRUCT, MarkRole.SYSTEM, MarkRole.STATEMENT
        )
        self._home = physical(gdb.newest_frame())
        caller = self._body_caller = self._stack.body_caller()
        if caller is not None:
            self._marks.at(MarkRole.END, caller.pc(), self._thread, caller)
        if not has_line(gdb.newest_frame()):
            return self._run_to_construct(is_body=caller is not None)
        for address in self._construct_code.addresses(self._start()) + self._rest_of_line():
            self._marks.at(MarkRole.CONSTRUCT, address, self._thread, self._home)
        if self._command == "next" and self._stack.in_inlined_body():
            for address in self._construct_code.statements(self._start()):
                self._marks.at(MarkRole.STATEMENT, address, self._thread, self._home)
        body = self._stack.body_above(self._home)
        if body is not None:  # GDB would name it as the compiler does
            self._marks.at(MarkRole.RETURN, body.pc(), self._thread, physical(body))
        self._system_calls = self._stack.calls_of_system() if command == "step" else {}
        if gdb.newest_frame().pc() in self._system_calls:
            return self._run_over()
        repeated = self._stack.behind_repeated()
        if repeated is not None:
            return self._run_to(repeated)
        for address in self._system_calls:
            self._marks.at(MarkRole.SYSTEM, address, self._thread, self._home)
        return self._runner.step(command)

    def _run_to_construct(self, is_body: bool) -> StopReport:
        """Run to the next construct of the function that executes, or out of it, to its caller.
        Through code without source GDB would step by instructions, over calls until it ends."""
        back = self._home.older() if self._home is not None and not is_body else None
        if back is not None:
            self._marks.at(MarkRole.RETURN, back.pc(), self._thread, physical(back))
        return self._runner.run()

    def _run_over(self) -> StopReport:
        """Run through a call of the system's, to where it returns to."""
        return self._run_to(self._system_calls[gdb.newest_frame().pc()])

    def _run_to(self, address: int) -> StopReport:
        """Run to an ADDRESS in the function that executes."""
        self._marks.at(MarkRole.RETURN, address, self._thread, physical(gdb.newest_frame()))
        return self._runner.run(alone=True)

    def _start(self) -> int:
        """Return the line that this step leaves, if it is of the function that steps, or of a
        body, which the step may have left; 0 otherwise."""
        line = self._line
        return line.number if line is not None and (line.is_body or line.frame == self._home) else 0

    def _rest_of_line(self) -> list[int]:
        """Return where the line that this step leaves goes on, once code of a construct was in
        between: at the end of a reduction's body, or where a loop counts. Where it has been
        already a loop, all of which is in that line, comes back to."""
        if not self._in_construct_code or self._line is None or self._line.frame != self._home:
            return []
        return [
            a for a in self._construct_code.of_line(self._line.number) if a not in self._line.seen
        ]

    def _is_in_construct_code(self) -> bool:
        """Tell whether the thread is in code in which this step must not end."""
        frame, start = gdb.newest_frame(), self._start()
        # Where an inlined function begins its caller is still on the line of the call.
        code = gdb.current_progspace().find_pc_line(frame.pc()).line
        calls = self._in_construct_code and frame.find_sal().line == start != code
        goes_on = calls or frame.pc() in self._rest_of_line()
        return goes_on or self._construct_code.is_here(start)

    def _follow(self, report: StopReport) -> Optional[StopReport]:
        """Go on from a stop that is not the user's; None if it is where a step ends."""
        roles = {mark.role for mark in report.marks}
        if MarkRole.BODY in roles:
            return self._enter()
        if MarkRole.RETURN in roles:
            return self._come_back()
        if MarkRole.CALL in roles:
            return self._call(report.marks)
        if MarkRole.SYSTEM in roles:
            return self._run_over()
        if MarkRole.JUMP in roles:
            return self._run_to_end() if self._has_jumped_on() else self._leave()
        if MarkRole.END in roles:
            return self._leave()
        if MarkRole.STATEMENT in roles:
            self._runner.show()
            return None
        if MarkRole.CONSTRUCT in roles:
            self._pass_construct_code()
            return self._execute(self._command)
        if gdb.selected_thread() != self._thread:
            return None
        if self._has_jumped_on():
            return self._run_to_end()
        # In a stub of the linkage table a step ends where the body ends with a jump to it.
        if self._stack.in_runtime() or self._stack.in_stub():
            return self._leave()
        if self._stack.in_call_of_system(self._home):
            return self._leave(alone=True)
        # Until a task's body has its private variables their values are any.
        awaits = self._awaits_privates and self._stack.finds_privates()
        if self._is_in_construct_code() or awaits:
            self._pass_construct_code()
            return self._execute(self._command)
        self._runner.end_step()
        return None

    def _run_to_end(self) -> StopReport:
        """Run to where the runtime goes on after the body that steps."""
        return self._runner.run(alone=True)

    def _has_jumped_on(self) -> bool:
        """Tell whether a body has ended with a jump to a function without lines, as compilers end
        one whose last statement is a call; that function returns where the body would have."""
        frame = gdb.newest_frame()
        shown = has_line(frame) and self._stack.is_user(frame.pc())
        if shown or self._stack.in_runtime() or self._stack.is_alive(self._home):
            return False
        return self._stack.is_alive(self._body_caller)

    def _pass_construct_code(self) -> None:
        """Note that the step has come through code of a construct."""
        self._in_construct_code, frame = True, gdb.newest_frame()
        if self._line is not None and self._line.number == frame.find_sal().line:
            self._line.seen.add(frame.pc())

    def _come_back(self) -> Optional[StopReport]:
        """Go on in the user's frame to the end of the line that called the runtime."""
        self._thread = gdb.selected_thread()
        self._in_construct_code = True
        if not has_line(gdb.newest_frame()):
            self._runner.show()
            return None
        if begins_line(gdb.newest_frame()):
            if not self._is_in_construct_code():
                self._runner.show()
                return None
            self._pass_construct_code()
        return self._execute(self._command)

    def _call(self, marks: tuple[StopMark, ...]) -> StopReport:
        """Go on from a call of the runtime; mark the body that is handed over to it."""
        callee = gdb.newest_frame()
        caller = callee.older()
        names = {mark.callee for mark in marks}
        self._awaits_privates = self._awaits_privates and "" not in names
        if names & calls.BARRIERS and calls.others_are_to_come(self._session, self._thread):
            return self._stay_in_users(OTHERS_TO_COME)
        if caller is not None and self._has_entered(caller):
            self._home = physical(caller)
        elif caller is not None and self._calls(caller):
            self._construct = caller.find_sal().line
            for body in self._bodies(names, callee, caller):
                if self._stack.is_user(body) and has_line(caller) <= address_has_line(body):
                    self._marks.at(MarkRole.BODY, body, self._thread)
            if names & calls.SERIALIZED_BEGIN and not has_line(caller):
                return self._runner.run()  # to the body, or to the construct's end
        return self._leave(alone=not names & calls.MAY_WAIT)

    def _has_entered(self, caller: gdb.Frame) -> bool:
        """Tell whether GDB is on its way into CALLER's function, which calls the runtime
        before its first statement."""
        above = physical(caller).older()
        entered = self._command == "step" and above is not None and has_line(caller)
        return entered and physical(above) == self._home and in_prologue(caller)

    def _calls(self, caller: gdb.Frame) -> bool:
        """Tell whether it is the frame which steps that calls: as CALLER or, in
        optimised code, with a jump that ended it."""
        return physical(caller) == self._home or not self._stack.is_alive(self._home)

    def _bodies(self, names: set[str], callee: gdb.Frame, caller: gdb.Frame) -> list[int]:
        """Return the bodies that a construct may execute from now on."""
        if names & calls.SERIALIZED_BEGIN:
            return self._stack.region_bodies(caller)
        registers = calls.ARGUMENT_REGISTERS.get(callee.architecture().name())
        if registers is None:
            return []
        bodies = []
        for name in names:
            if name in calls.BODY_ARGUMENT:
                bodies.append(read_register(callee, registers[calls.BODY_ARGUMENT[name]]))
            elif name in calls.TASK_RECORD_ARGUMENT:
                record = read_register(callee, registers[calls.TASK_RECORD_ARGUMENT[name]])
                pointer = reader()(record + calls.BODY_IN_RECORD, calls.POINTER)
                bodies.append(int.from_bytes(pointer, "little"))
        return bodies

    def _enter(self) -> Optional[StopReport]:
        """Go on from a body's first instruction to its first statement."""
        if self._command == "next":
            if not calls.others_are_needed(self._session, self._thread):
                self._marks.clear(MarkRole.BODY)
                return self._runner.run()
            self._stay(OTHERS_NEEDED)
            self._command = "step"
        self._marks.clear(MarkRole.BODY)
        if not has_line(gdb.newest_frame()):
            self._runner.show()
            return None
        called = self._stack.called_bodies()
        if called:
            for body in called:
                self._marks.at(MarkRole.BODY, body, self._thread)
            return self._runner.run(alone=True)
        line = gdb.newest_frame().find_sal().line
        at_statement = line not in (0, self._construct) and not self._construct_code.is_here(0)
        if at_statement and not self._stack.finds_privates():
            self._runner.show()
            return None
        self._awaits_privates = self._on_the_way.mark_helpers(gdb.newest_frame(), self._thread)
        return self._execute("step")

    def _leave(self, alone: bool = False) -> StopReport:
        """Run from the runtime to the frame that steps, to its caller if it has ended,
        or to a body that is marked. ALONE as GDB steps, with the others held back if
        the user wants that of steps."""
        ended = not self._stack.is_alive(self._home)
        frame = self._stack.user_frame(self._home)
        at_end = frame is None or (ended and self._stack.in_region_call())
        if (
            at_end
            and not self._stack.at_event("parallel-begin")
            and calls.others_are_needed(self._session, self._thread)
        ):
            return self._stay(OTHERS_HELD)
        if ended:
            self._home = physical(frame) if frame is not None else None
        # While it waits the thread may execute the same body for another task.
        self._marks.clear(MarkRole.RETURN, MarkRole.END, MarkRole.CONSTRUCT, MarkRole.STATEMENT)
        if frame is not None:
            self._marks.at(MarkRole.RETURN, frame.pc(), self._thread, physical(frame))
            return self._runner.run(alone)
        return self._leave_team()

    def _leave_team(self) -> StopReport:
        """Run to where the region goes on after its end: in its primary thread, as
        this one has no frame of the user's left."""
        try:
            leaving = calls.region_exit(self._session, self._thread)
        except OmpdToolError as error:
            said = str(error).replace("{", "{{").replace("}", "}}")
            return self._stay(f"GDB thread {{num}} executes nothing of the program's now: {said}")
        self._marks.clear(MarkRole.CALL)
        self._marks.at(MarkRole.RETURN, leaving.by.returns_to, leaving.thread, leaving.home)
        return self._runner.run()

    def _stay_in_users(self, note: str) -> StopReport:
        """Stay in a call that does not return, with the user's frame selected."""
        frame = self._stack.user_frame(self._home)
        if frame is not None:
            frame.select()
        return self._stay(note)

    def _stay(self, note: str) -> StopReport:
        self._note = note.format(num=thread_number(self._thread), command=self._command)
        return StopReport(Why.USERS)
