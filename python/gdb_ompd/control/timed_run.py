# SPDX-License-Identifier: Apache-2.0
"""Letting the program run for a time, and stopping it without a trace.

A process of this machine is stopped by SIGSTOP to one of its threads, as GDB itself stops each of
them. No program can block, handle or wait for it. GDB takes a step back that it interrupts. SIGTRAP
would be taken for the step's end, SIGINT for the user's Ctrl-C, and a program may wait for SIGINT.
A remote target is stopped by what Ctrl-C sends it.

A catchpoint of our own stops for that signal alone, whatever "handle" says of it.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any, Optional

import gdb

from .._native import ask_to_stop, send_stop, stop_is_pending, unbroken, undo_stop
from ..errors import OmpdToolError
from ..host.fetch import blocks_signal, is_led_by_another
from ..host.front_end import is_machine_interface
from ..host.selection import connection_type, kept_selection, setting
from .hits import Hits

CTRL_C = "Ended by Ctrl-C"
BY_ITSELF = "The program has stopped by itself"
# Seconds until the next look at threads that do not run, at one that was asked to stop, and until
# another one is asked.
SOON, AGAIN, LATE = 0.001, 0.05, 0.5
# The sender of a signal; of one that comes from outside of a container the kernel says 0.
FROM_HERE = "$_siginfo._sifields._kill.si_pid == {0} || $_siginfo._sifields._kill.si_pid == 0"
PENDING = (
    "; GDB thread {0} has yet to get a SIGSTOP of this command's: 'handle SIGSTOP nostop noprint"
    " nopass' before the program goes on"
)
BLOCKED = (
    "the program blocks SIGINT, by which the remote side stops it, and would find the signal when it"
    " waits for one: attach GDB to the process on its own machine"
)
NOT_REACHED = (
    "gdbserver stops only a process that leads its process group, which this one does not: start it"
    " with 'setsid', or attach GDB to it on its own machine"
)
NO_CATCHPOINTS = "this GDB hides catchpoints, by which a run is ended: GDB 11 or later does not"
MOST_LEFT = 3  # signals of ours that one thread may have at once


class TimedRun:
    """Runs the selected inferior, any number of times inside its block."""

    def __init__(self) -> None:
        inferior = gdb.selected_inferior()
        self._is_native = connection_type(inferior) == "native"
        if gdb.current_recording() is not None:
            raise OmpdToolError(
                "GDB records each instruction, and cannot be interrupted: 'record stop'"
            )
        if not self._is_native and blocks_signal(inferior, signal.SIGINT):
            raise OmpdToolError(BLOCKED)
        if not self._is_native and is_led_by_another(inferior):
            raise OmpdToolError(NOT_REACHED)
        self._alone = bool(gdb.parameter("non-stop"))
        self._inferiors = [inferior, *(i for i in gdb.inferiors() if i.num != inferior.num)]
        self._preferred: int = gdb.selected_thread().ptid[1]
        self._main = threading.get_ident()
        self._signals = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._lock = threading.Lock()  # held while a thread is asked, and while a run ends
        self._asked: list[tuple[int, int]] = []  # processes with a thread's LWP
        self._hits = Hits()
        self._ended: Optional[str] = None  # why the program has stopped, None for our signal
        self._has_signal = False  # the thread that has stopped, ours or another

    def __enter__(self) -> "TimedRun":
        self._catchpoint = _catchpoint("SIGSTOP" if self._is_native else "SIGINT")
        if self._is_native:
            with setting("language", "c"):
                self._catchpoint.condition = FROM_HERE.format(os.getpid())
        gdb.events.stop.connect(self._stopped)
        gdb.events.exited.connect(self._exited)
        gdb.events.new_inferior.connect(self._appeared)
        return self

    @unbroken
    def __exit__(self, *_error: object) -> None:
        if self._catchpoint.is_valid():
            gdb.events.stop.disconnect(self._stopped)
            gdb.events.exited.disconnect(self._exited)
            gdb.events.new_inferior.disconnect(self._appeared)
            self._catchpoint.delete()

    def run(self, seconds: float) -> Optional[str]:
        """Let the program run for SECONDS; return None, or what has stopped it before, if the
        program is not to be run again."""
        self._asked, self._ended, self._hits = [], BY_ITSELF, Hits()
        over = threading.Event()
        asking = threading.Thread(target=self._ask_after, args=(seconds, over), daemon=True)
        try:
            self._start(asking)
            gdb.execute("continue", to_string=True)
        finally:
            if self._is_native:
                self._end(over)
            else:
                self._end_of_remote(over)
        return self._ended

    def _start(self, asking: threading.Thread) -> None:
        """Start a thread that gets no signals: GDB waits for them in its own."""
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            asking.start()
        finally:  # it is done before a Ctrl-C is raised
            signal.pthread_sigmask(signal.SIG_SETMASK, self._signals)

    def _ask_after(self, seconds: float, over: threading.Event) -> None:
        """Ask the program to stop, until the run is OVER. Executed by a thread of its own."""
        pause, asked_at = seconds, 0.0
        while not over.wait(pause):
            with self._lock:
                if over.is_set():
                    return
                # GDB may have thrown the signal away with one of its own, or hold the thread.
                if self._asked and time.monotonic() - asked_at < LATE:
                    self._ask_again()
                    pause = AGAIN
                elif self._ask():
                    asked_at, pause = time.monotonic(), AGAIN
                else:
                    pause = SOON
            if not self._is_native:
                return

    def _ask(self) -> bool:
        """Ask, and tell whether a thread was asked."""
        if not self._is_native:
            self._asked.append((0, 0))
            signal.pthread_kill(self._main, signal.SIGINT)
            return True
        for inferior in self._inferiors[: 1 if self._alone else None]:
            process = inferior.pid if inferior.is_valid() else 0
            lwp = ask_to_stop(process, self._preferred, self._alone) if process else 0
            if lwp:
                self._asked.append((process, lwp))
                return True
        return False

    def _ask_again(self) -> None:
        """Ask the same thread again if it goes on as if it had not been asked."""
        process, lwp = self._asked[-1]
        ask_to_stop(process, lwp, alone=True)

    @unbroken
    def _end(self, over: threading.Event) -> None:
        """Ask no more, and leave no signal behind that was sent too late."""
        with self._lock:
            over.set()
        stopped = gdb.selected_thread()
        for process, lwp in set(self._asked):
            undo_stop(process, lwp)
            has_reported = self._ended is None and stopped and stopped.ptid[1] == lwp
            if not has_reported or stop_is_pending(process, lwp):
                self._take_back(process, lwp)

    def _end_of_remote(self, over: threading.Event) -> None:
        """Ask no more, and take the Ctrl-C that GDB was sent as the program stopped by itself."""
        try:
            with self._lock:
                over.set()
            for _ in range(1000):  # Python raises it between two of these
                pass
        except KeyboardInterrupt:
            over.set()
            if not self._asked or self._ended is None:
                raise

    def _take_back(self, process: int, lwp: int) -> None:
        """Have a thread report the signals that it was sent. It executes nothing: another SIGSTOP
        is sent first, so that it has one."""
        thread = _thread_of(process, lwp)
        if thread is None:
            return
        if self._has_signal and self._ended and thread == gdb.selected_thread():
            if stop_is_pending(process, lwp):  # to go on would give the thread the other signal
                self._ended += PENDING.format(thread.num)
            return
        kept = self._ended
        send_stop(process, lwp)
        with kept_selection(), setting("scheduler-locking", "on"):
            for _ in range(MOST_LEFT):
                if not stop_is_pending(process, lwp):
                    break
                thread.switch()
                gdb.execute("continue", to_string=True)
        self._ended = kept

    @unbroken
    def _stopped(self, stop: Any) -> None:
        # GDB tells the signal, not the catchpoint.
        is_ours = self._hits.has_stopped(self._catchpoint) and (self._is_native or self._asked)
        if is_ours:  # the program must not be given it when it goes on
            gdb.execute("queue-signal 0")
        why, now = None if is_ours else self._why(stop), Hits()
        self._ended, self._has_signal, self._hits = why, isinstance(stop, gdb.SignalEvent), now

    def _why(self, stop: Any) -> str:
        if isinstance(stop, gdb.BreakpointEvent):
            hit = [each for each in stop.breakpoints if self._hits.has_stopped(each)]
            return f"Ended at breakpoint {(hit or stop.breakpoints)[0].number}"
        if isinstance(stop, gdb.SignalEvent):
            return CTRL_C if stop.stop_signal == "SIGINT" else f"Ended by {stop.stop_signal}"
        return BY_ITSELF

    @unbroken
    def _exited(self, _event: Any) -> None:
        self._ended = "The program has ended"

    @unbroken
    def _appeared(self, event: Any) -> None:
        self._inferiors.append(event.inferior)


def _catchpoint(name: str) -> gdb.Breakpoint:
    """Make a catchpoint for a signal. GDB says nothing of its stops; a front end is told."""
    before = {each.number for each in gdb.breakpoints()}
    gdb.execute(f"catch signal {name}", to_string=True)
    made: Optional[gdb.Breakpoint] = next(
        (b for b in gdb.breakpoints() if b.number not in before), None
    )
    if made is None:
        gdb.execute("delete $bpnum")
        raise OmpdToolError(NO_CATCHPOINTS)
    made.silent = not is_machine_interface()
    return made


def _thread_of(process: int, lwp: int) -> Optional[gdb.InferiorThread]:
    """Return GDB's thread of an LWP; None where it is gone."""
    for inferior in gdb.inferiors():
        if inferior.pid == process:
            return next((t for t in inferior.threads() if t.ptid[1] == lwp), None)
    return None
