# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: stop a generated program again and again, and hold all that is shown against
its record and against each other.

GENERATED_JOB in gdb's environment is the path of a JSON file with "constructs" and "notes" (their
fields), "files" (the program's), "seed" and "stops". Prints one line of JSON with
the findings.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import struct
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Optional

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator import agree  # noqa: E402
from generator.compare import Comparison  # noqa: E402
from generator.deprivations import BY_NAME, Deprivation  # noqa: E402
from generator.findings import Findings  # noqa: E402
from generator.record import Record, read  # noqa: E402
from generator.statements import Construct  # noqa: E402
from generator.symbols import Symbols, lock_names  # noqa: E402
from generator.values import Values  # noqa: E402
from generator.variables import Note  # noqa: E402

# Where runtimes change teams and tasks; those that a runtime has not are left out.
PLACES = (
    "__kmp_fork_call",
    "__kmp_join_call",
    "__kmp_push_current_task_to_thread",
    "__kmp_pop_current_task_from_thread",
    "__kmp_allocate_team",
    "__kmp_free_team",
    "__kmp_invoke_task",
    "__kmp_task_finish",
    "__kmp_fork_barrier",
    "__kmp_join_barrier",
    "__kmp_execute_tasks_64",
    "__kmpc_end_serialized_parallel",
    "__kmpc_barrier",
    "__kmpc_omp_taskwait",
    "ompd_bp_task_begin",
    "ompd_bp_task_end",
    "ompd_bp_parallel_end",
    "GOMP_parallel",
    "GOMP_barrier",
    "GOMP_taskwait",
    "record_begins",
    "record_ends",
)
FUNCTIONS = {
    "thread_num": "$_omp_thread_num()",
    "level": "$_omp_level()",
    "active_level": "$_omp_active_level()",
    "state": "$_omp_state()",
}
# That in which the commands are asked; "" is the program's.
LANGUAGE = ""
STARTED: list[int] = []  # processes that GDB has not started itself
MOST_STEPS = 2000  # instructions from such a place to the stop
SYSCALL = b"\x0f\x05"
CORES_EACH = 4  # the stops of which one is kept in a core
ASKED_THREADS = 2  # of those in teams, whose stacks and functions are asked for at a stop


def address(name: str) -> int:
    """Return where an object of the program's is, which need not have debug information."""
    return int(gdb.parse_and_eval(f"(unsigned long)&{name}"))


def memory(name: str, offset: int, size: int) -> bytes:
    """Read part of an object of the program's, which need not have a byte."""
    return (
        b""
        if size == 0
        else bytes(gdb.selected_inferior().read_memory(address(name) + offset, size))
    )


def system_call(lwp: int) -> Optional[int]:
    """Return the system call that a stopped thread is in."""
    try:
        said = Path(f"/proc/{gdb.selected_inferior().pid}/task/{lwp}/syscall").read_text("ascii")
    except OSError:
        return None
    first = said.split()[0]
    return int(first) if first.isdigit() else None


def own_lwp(lwp: int) -> int:
    """Return what a stopped thread itself takes for its LWP, which is another in a container."""
    try:
        status = Path(f"/proc/{gdb.selected_inferior().pid}/task/{lwp}/status").read_text("ascii")
    except OSError:  # of a core
        return lwp
    return int(re.findall(r"^NSpid:.*\s(\d+)$", status, re.M)[0])


def document(command: str) -> Any:
    """Return the JSON document of a command."""
    name, _, rest = command.partition(" ")
    language = LANGUAGE or "auto"
    gdb.execute(f"set language {language}", to_string=True)
    try:
        text = gdb.execute(f"ompd {name} -json {rest}", to_string=True)
    finally:
        gdb.execute("set language auto")
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f"ompd {name} -json {rest}: {text}") from None


def _is_known(function: str) -> bool:
    try:
        gdb.parse_and_eval(f"&{function}")
    except gdb.error:
        return False
    return True


class Aborted(Exception):
    """The program has ended itself."""


class Job:
    """The stops of one program."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._constructs = [Construct(**each) for each in given["constructs"]]
        self._notes = [Note(**each) for each in given["notes"]]
        self._files = given["files"]
        self._chance = random.Random(given["seed"])
        self.found = Findings()
        self.notes: dict[str, int] = {}
        self.cores: list[dict[str, Any]] = []
        self._calls: Optional[dict[str, Optional[int]]] = given["calls"]  # by LWP
        self._given = given
        self._symbols: Optional[Symbols] = None
        self._signals: list[str] = []
        gdb.events.stop.connect(
            lambda event: self._signals.append(getattr(event, "stop_signal", ""))
        )

    def go_on(self) -> None:
        """Let the program run to its next stop: its own, or a place in the runtime."""
        if BY_NAME[self._given["deprived"]].sampled:
            gdb.execute("ompd sample -every 0.002 3", to_string=True)
            self.look_for_end()
            return
        point, ignored = None, 0
        if self._chance.randrange(3) == 0:
            place = self._chance.choice(PLACES)
            if _is_known(place):
                point = gdb.Breakpoint(place, internal=True)
                point.silent = True
                ignored = point.ignore_count = self._chance.randrange(200)
        # What a runtime says before it ends the program comes with it from gdbserver.
        print(gdb.execute("continue", to_string=True))
        if point is not None:
            was_hit = point.hit_count > ignored
            point.delete()
            if was_hit:
                self._step()
        self.look_for_end()

    def _step(self) -> None:
        """Go a few instructions on in the selected thread alone, but into no call of the
        kernel, which may wait for another: to what a runtime does between two records."""
        gdb.execute("set scheduler-locking on")
        for _ in range(int(MOST_STEPS ** self._chance.random())):
            code = gdb.selected_inferior().read_memory(gdb.selected_frame().pc(), len(SYSCALL))
            if bytes(code) == SYSCALL:
                break
            gdb.execute("stepi", to_string=True)
        gdb.execute("set scheduler-locking off")

    def look_for_end(self) -> None:
        """Aborted says with what the program has ended, if it has: a runtime may fail, too."""
        if {"SIGABRT", "SIGSEGV"} & set(self._signals):
            raise Aborted(document("why")["text"])

    def keep_core(self) -> None:
        """Keep a core of this stop, and the calls that its threads are in, which it has not."""
        core = Path(os.environ["GENERATED_JOB"]).with_name(f"core{len(self.cores)}")
        gdb.execute(f"gcore {core}", to_string=True)
        lwps = [thread.ptid[1] for thread in gdb.selected_inferior().threads()]
        self.cores.append({"core": str(core), "calls": {lwp: system_call(lwp) for lwp in lwps}})

    def _call_of(self, lwp: int) -> Optional[int]:
        return system_call(lwp) if self._calls is None else self._calls.get(str(lwp))

    def examine(self) -> None:
        """Hold what is shown at this stop against all that it has to agree with."""
        before = self._counts()
        by_own = {own_lwp(each.ptid[1]): each for each in gdb.selected_inferior().threads()}
        record = read(
            memory, lambda own: self._call_of(by_own[own].ptid[1] if own in by_own else own)
        )
        gdb_nums = {own: thread.num for own, thread in by_own.items()}
        said = {name: document(name) for name in ("threads", "parallel -all", "tasks -all", "why")}
        for each in said.values():
            for note in each["notes"]:
                self.notes[note] = self.notes.get(note, 0) + 1
        comparison = Comparison(record, self._constructs, self._files, gdb_nums, self.found)
        named = self._named(said)
        comparison.threads(named["threads"])
        comparison.parallel(named["parallel -all"])
        comparison.tasks(named["tasks -all"])
        comparison.why(named["why"])
        self._agree(said)
        self._each_thread(record, comparison, said["threads"])
        values = Values(record, self._constructs, self._notes, self._files, gdb_nums, self.found)
        values.compare(self._chance, document)
        if self._counts() != before:
            self._show(*before)

    def _named(self, document: Any) -> Any:
        """Return a document of a stripped program with names and lines."""
        if not self._given["full"]:
            return document
        if self._symbols is None:
            sizes = struct.unpack("=2i", memory("record_sizes", 12, 8))
            locks = lock_names(address("record_locks"), address("record_nest_locks"), sizes)
            known = address("record_threads")
            self._symbols = Symbols(self._given["full"], self._given["module"], locks, known)
        return self._symbols.complete(document)

    def _agree(self, said: dict[str, Any]) -> None:
        threads, parallel = said["threads"], said["parallel -all"]
        agree.threads_and_regions(threads, parallel, self.found)
        agree.threads_and_tasks(threads, said["tasks -all"], self.found)
        agree.threads_and_why(threads, said["why"], self.found)
        shown = gdb.execute("ompd threads -all", to_string=True)
        states = agree.text_of_threads(threads, shown, self.found)
        shown = gdb.execute("ompd parallel -all", to_string=True)
        agree.text_of_parallel(parallel, shown, states, self.found)
        agree.text_of_why(said["why"], gdb.execute("ompd why", to_string=True), self.found)

    def _each_thread(self, record: Record, comparison: Comparison, threads: Any) -> None:
        in_teams = [row["gdb_num"] for row in threads["threads"] if row["level"]]
        chosen = self._chance.sample(in_teams, min(ASKED_THREADS, len(in_teams)))
        selected = gdb.selected_thread()
        answers: dict[int, dict[str, Any]] = {}
        for thread in gdb.selected_inferior().threads():
            if thread.num not in chosen and not self._is_odd(thread.num, threads):
                continue
            thread.switch()
            answers[thread.num] = {name: self._value(call) for name, call in FUNCTIONS.items()}
            if thread.num in chosen:
                recorded = record.threads.get(own_lwp(thread.ptid[1]))
                if recorded is not None and recorded.is_steady:
                    comparison.stack(recorded, self._named(document("bt")))
                agree.threads_and_tree(threads, document("bt -team"), self.found)
        selected.switch()
        agree.threads_and_functions(threads, answers, self.found)

    @staticmethod
    def _is_odd(gdb_num: int, threads: Any) -> bool:
        """Tell whether a thread waits to begin its region."""
        return any(
            row["gdb_num"] == gdb_num
            and row["waits_for"]
            and row["waits_for"]["kind"] == "begin of region"
            for row in threads["threads"]
        )

    @staticmethod
    def _value(call: str) -> Any:
        value = gdb.parse_and_eval(call)
        if value.type.code == gdb.TYPE_CODE_VOID:
            return None
        return value.string() if value.type.code == gdb.TYPE_CODE_ARRAY else int(value)

    def _counts(self) -> tuple[int, int, int]:
        found = self.found
        return len(found.wrong), len(found.contradictions), sum(found.unknown.values())

    def _show(self, wrong: int, contradictions: int, unknown: int) -> None:
        """Keep the screens of a stop at which something is wrong or not known."""
        folder = os.environ.get("GENERATED_SCREENS")
        if not folder:
            return
        number = len(list(Path(folder).iterdir()))
        if number >= 40:
            return
        with open(Path(folder) / f"{number}.txt", "w", encoding="utf-8") as out:
            for line in self.found.wrong[wrong:] + self.found.contradictions[contradictions:]:
                out.write(line + "\n")
            out.write(f"{sum(self.found.unknown.values()) - unknown} not known\n")
            for command in (
                "ompd threads -all",
                "ompd parallel -all",
                "ompd tasks -all",
                "ompd why",
                "ompd bt -all",
                "thread apply all -q -s -- bt 30",
            ):
                out.write(f"\n== {command}\n" + gdb.execute(command, to_string=True))


def start(life: str, preloaded: str, deprived: Deprivation) -> None:
    """Bring the program to its first stop: as gdb's own child, gdbserver's, attached or a core."""
    program = gdb.current_progspace().filename
    with_library = f"env LD_PRELOAD={preloaded}"
    if deprived.forks:
        gdb.execute("set follow-fork-mode child")
    if life == "gdbserver":
        wrapper = f"--wrapper {with_library} -- " if preloaded else ""
        gdb.execute(f"target remote | exec gdbserver --once {wrapper}- {program}", to_string=True)
    elif life in ("attach", "container"):
        gdb.execute(f"attach {started_outside(program, preloaded, deprived)}", to_string=True)
    elif life != "run":
        gdb.execute(f"core-file {life}", to_string=True)
        return
    elif preloaded:
        gdb.execute(f"set exec-wrapper {with_library}")
    print(gdb.execute("run" if life == "run" else "continue", to_string=True))


def started_outside(program: str, preloaded: str, deprived: Deprivation) -> int:
    """Start a program that is not gdb's; return its process."""
    env, argv = {**os.environ, **({"LD_PRELOAD": preloaded} if preloaded else {})}, [program]
    if deprived.life == "container":
        root = Path(program).with_name("root")
        enter = (
            f"mount --make-rprivate / && mount --bind {root} {root} && cd {root}"
            f" && pivot_root . old && exec {program}"
        )
        argv = ["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-c", enter]
    running = os.posix_spawnp(argv[0], argv, env)
    STARTED.append(running)
    is_childs = deprived.forks or deprived.life == "container"
    process = child_of(running) if is_childs else running
    wait_for(lambda: program in maps_of(process))
    if deprived.removed:
        runtime = rf"{os.environ['LD_LIBRARY_PATH']}/\S+"
        wait_for(lambda: re.search(runtime, maps_of(process)))
        for file in set(re.findall(runtime, maps_of(process))):
            os.unlink(file)
    return process


def end_program(life: str) -> None:
    """End the program. GDB waits for ever for the first process of a container that it kills."""
    if gdb.selected_inferior().pid:
        gdb.execute("detach" if life == "container" else "kill", to_string=True)
    for process in STARTED:
        with suppress(ProcessLookupError):  # GDB has ended it
            os.kill(process, signal.SIGKILL)


def maps_of(process: int) -> str:
    """Return what a process has mapped."""
    return Path(f"/proc/{process}/maps").read_text("utf-8")


def wait_for(is_there: Callable[[], object]) -> None:
    """Wait until something is there, LookupError if it does not come."""
    for _ in range(10000):
        if is_there():
            return
        time.sleep(0.001)
    raise LookupError("the program has not come so far")


def child_of(pid: int) -> int:
    """Return the process that one forks, which has only one."""
    for _ in range(10000):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            if found := children.read_text("ascii").split():
                return int(found[0])
        time.sleep(0.001)
    raise LookupError(f"{pid} has no child")


def main() -> None:
    """Stop again and again, and report."""
    global LANGUAGE
    with open(os.environ["GENERATED_JOB"], encoding="utf-8") as file:
        given = json.load(file)
    deprived = BY_NAME[given["deprived"]]
    LANGUAGE = deprived.language
    for setting in ("pagination off", "confirm off", "height 0", "width 0"):
        gdb.execute(f"set {setting}")
    gdb.execute("set print thread-events off")
    gdb.execute("set breakpoint pending on")
    gdb.execute("break record_stop", to_string=True)
    job = Job(given)
    stops, error, aborted = 0, "", ""
    try:
        start(given["life"], given["preloaded"], deprived)
        job.look_for_end()
        while True:
            job.examine()
            stops += 1
            if given["cores"] and stops % CORES_EACH == 0:
                job.keep_core()
            if stops == given["stops"]:
                break
            job.go_on()
    except Aborted as end:
        aborted = str(end)
    except Exception:
        error = traceback.format_exc()
    report = {
        "stops": stops,
        "facts": job.found.facts,
        "wrong": job.found.wrong,
        "contradictions": job.found.contradictions,
        "unknown": dict(job.found.unknown),
        "notes": job.notes,
        "error": error,
        "aborted": aborted,
        "cores": job.cores,
    }
    if given["calls"] is None:
        end_program(given["life"])
    print("\nGENERATED " + json.dumps(report))


if "GENERATED_JOB" in os.environ:
    main()
