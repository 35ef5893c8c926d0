# SPDX-License-Identifier: Apache-2.0
"""``ompd finish``: run until the current region or task is done."""

from __future__ import annotations

from typing import Optional, Union

import gdb

from ..._native import FunctionName
from ...errors import NotFound, OmpdToolError
from ...host.inlined import physical
from ...host.selection import thread_number
from ...model import Location, Region, Task, TaskKind, place_in
from ...render.style import plain
from ...render.words import at
from ...host.sessions.session import Session
from . import calls
from .calls import callees
from .running import Marks, Reports, MarkRole, Runner, Why
from .stack import SteppedStack

# Constructs of that kind which the body itself may meet.
MAX_CALLS = 100_000


class Finish:
    """One ``ompd finish``. Each method writes where the program is, and returns what
    more there is to say."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._thread: gdb.InferiorThread = gdb.selected_thread()
        self._stack = SteppedStack(session)

    def innermost(self) -> Optional[str]:
        """Run until the explicit task that executes is done; outside one, the region."""
        explicit = self._current_task().kind is TaskKind.EXPLICIT
        return self.task() if explicit else self.region()

    def region(self) -> Optional[str]:
        """Run until the innermost region is done, to the code after it."""
        leaving = calls.region_exit(self._session, self._thread)
        region = leaving.region
        if region.team_size != 1 and calls.others_are_held(self._thread):
            raise OmpdToolError(
                f"the region of {region.team_size} threads cannot end while others are held"
                " back: 'set scheduler-locking off'"
            )
        end = calls.SERIALIZED_END if leaving.by.is_direct else frozenset()
        said = f"OpenMP parallel region{_place(region)} is done"
        return self._run(leaving.home, leaving.by.returns_to, leaving.thread, end, said)

    def task(self) -> Optional[str]:
        """Run until the explicit task that executes is done, on this thread."""
        task = self._current_task()
        if task.kind is not TaskKind.EXPLICIT:
            raise NotFound(
                f"GDB thread {thread_number(self._thread)} executes no explicit task:"
                " 'ompd finish region' runs to the end of the region"
            )
        call = self._task_call()
        if call is None:
            raise OmpdToolError(
                "the task's body is not on the stack: it has ended, or the stack is not known;"
                " 'ompd next' goes on"
            )
        caller, body = call
        end = calls.UNDEFERRED_END if self._stack.is_user(caller.pc()) else frozenset()
        # A body that was inlined into its caller does not return to it.
        address = caller.pc() if physical(caller) != physical(body) else None
        said = f"OpenMP explicit task{_place(task)} is done"
        return self._run(physical(caller), address, self._thread, end, said)

    def _current_task(self) -> Task:
        tasks = self._session.tasks([self._thread.num])
        if not tasks:
            raise NotFound(f"GDB thread {thread_number(self._thread)} executes no OpenMP task")
        return tasks[0]

    def _task_call(self) -> Optional[tuple[gdb.Frame, gdb.Frame]]:
        """Return the frame that called the body of the task which executes, the
        runtime's or, where a task is not deferred, the user's; and the body's."""
        code = self._session.code_map()
        below: Optional[gdb.Frame] = None
        for frame in self._stack.frames():
            whose = code.code_at(frame.pc())
            if below is not None and whose == "runtime":
                return frame, below
            if below is not None and whose == "user" and _is_task_call(frame, below):
                return frame, below
            below = frame if whose == "user" else below
        return None

    def _run(
        self,
        frame: gdb.Frame,
        address: Optional[int],
        thread: gdb.InferiorThread,
        end: frozenset[str],
        said: str,
    ) -> Optional[str]:
        """Run until FRAME of THREAD goes on at ADDRESS and, where the user's code calls
        the body itself, until it has called one of END; then show where that is."""
        with Reports(self._thread) as reports, Marks() as marks:
            runner = Runner(reports, self._session)
            if address is not None:
                if self._stack.is_user(address):
                    marks.at(MarkRole.RETURN, address, thread, frame)
                else:
                    marks.at(MarkRole.END, frame.pc(), thread, frame)
                if runner.run().why is not Why.MARK:
                    return None
            if end and not self._run_over(end, marks, runner):
                return None
            place = self._stack.user_frame()
            if place is None:
                own = f"GDB thread {thread_number(thread)}"
                return f"{said}; {own} executes nothing of the program's now."
            gdb.write(f"{said}.\n")
            place.select()
            runner.show()
        return None

    def _run_over(self, ends: frozenset[str], marks: Marks, runner: Runner) -> bool:
        """Run until the selected frame has called one of ENDS; False if something else
        stopped the program."""
        home, thread = physical(gdb.newest_frame()), gdb.selected_thread()
        found = [each for each in callees(self._session, home.pc()) if each[0] in ends]
        if not found:
            return True
        function, address = found[0]
        marks.at(MarkRole.CALL, address, thread, callee=function)
        for _ in range(MAX_CALLS):
            if runner.run().why is not Why.MARK:
                return False
            back = gdb.newest_frame().older()
            # In optimised code the call may be a jump, with which HOME's function ends.
            if back is not None and (physical(back) == home or not self._stack.is_alive(home)):
                marks.clear(MarkRole.CALL)
                marks.at(MarkRole.RETURN, back.pc(), thread, physical(back))
                return runner.run().why is Why.MARK
        raise OmpdToolError(f"{function} was called {MAX_CALLS} times by others")


def _is_task_call(caller: gdb.Frame, callee: gdb.Frame) -> bool:
    name = callee.name() or ""
    return FunctionName(name).is_task_entry and not FunctionName(caller.name() or "").is_wrapper_of(
        name
    )


def _place(what: Union[Region, Task]) -> str:
    known = (what.file and what.line) or what.code
    return plain(at(Location(**place_in(what), pc=0))) if known else ""
