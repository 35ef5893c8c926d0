# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: damage what the commands read, ask them all, put it right, ask again.

FUZZ_TASK holds the task as JSON: "stop" (where to break; nothing in a core),
"first" and "runs" (each run is made of its number alone), "progress" (the file
that says which run is at work), "planted"
(a defect made on purpose, to see that it is found: "stale", "traceback",
"death", or nothing). Prints one line of JSON.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.asking_in_gdb import COMMANDS, ask, complaint, prepare, timed  # noqa: E402
from fuzz.damage import MAX_WORD, WORD, Damage, Places, make  # noqa: E402

TASK: dict[str, Any] = json.loads(os.environ["FUZZ_TASK"])
SMALLEST_LINE = 16
STACK_BYTES = 1024  # of each thread, from its stack pointer on
MOST_SECONDS: float = TASK["most_seconds"]  # for one command
HANG_SECONDS = 120.0  # for one run; then gdb is ended, with a traceback
CLEAN_ALL = 25  # runs after which every answer is compared, not a few
WARM = 20  # runs after which gdb's size is taken
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


class Memory:
    """Stands between the extension and gdb's memory: records reads, shows damage."""

    def __init__(self) -> None:
        from gdb_ompd.host.target import GdbTarget

        self.damage: Optional[Damage] = None
        self.recorded: Optional[set[int]] = None
        self._read = GdbTarget.read_memory
        memory = self

        def read_memory(target: GdbTarget, address: int, size: int) -> Any:
            return memory.read(target, address, size)

        setattr(GdbTarget, "read_memory", read_memory)
        # What the kernel gives would be as it is.
        setattr(GdbTarget, "kernels_process", lambda _: None)

    def read(self, target: Any, address: int, size: int) -> Any:
        """Answer a read of the extension's."""
        if self.damage is not None:
            plant()
        if self.damage is not None and self.damage.unreadable(address, size):
            raise gdb.MemoryError(f"Cannot access memory at address {address:#x}")
        data = self._read(target, address, size)
        if self.recorded is not None:
            self.recorded.update(range(address - address % WORD, address + size, WORD))
        if self.damage is None:
            return data
        shown = bytearray(data)
        self.damage.spoil(address, shown)
        return bytes(shown)


def plant() -> None:
    """Do what the fuzzer is there to find, when it is asked for."""
    if TASK["planted"] == "traceback":
        raise KeyError("planted")
    elif TASK["planted"] == "death":
        os.kill(os.getpid(), signal.SIGKILL)


def own_kib() -> int:
    """Return how much memory gdb has of its own: pages of files come and go."""
    with open("/proc/self/statm", encoding="ascii") as file:
        resident, of_files = map(int, file.read().split()[1:3])
    return (resident - of_files) * PAGE_KIB


def end_stop() -> None:
    """Have the extension read everything anew."""
    from gdb_ompd.host.sessions.registry import all_sessions

    for session in all_sessions():
        session.end_stop()


def forget_files() -> None:
    """Have the extension find out anew what is mapped, too."""
    from gdb_ompd.host.sessions.registry import all_sessions

    for session in all_sessions():
        session.forget_files()


class Fuzzer:
    """The sound program's answers, and the runs against them."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.threads = sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num)
        self.clean: dict[tuple[int, str], str] = {}
        self.wrong: list[str] = []
        self.slowest = (0.0, "")
        self.answers = {"same": 0, "other": 0, "error": 0}
        self.places = self._places()
        self.constants = set(_constants())
        ask("ompd threads")  # the first listing of a process alone names the fix for states
        for thread in self.threads:
            thread.switch()
            end_stop()
            for command in COMMANDS:
                said = self.clean[thread.num, command] = ask(command)
                bad = complaint(command, said)
                if bad is not None:
                    self.wrong.append(f"before the damage: {command}: {bad}")

    def _places(self) -> Places:
        """Find the words that each command reads, by lines as small as they may be."""
        from gdb_ompd.host.sessions import files as inferior_files
        from gdb_ompd.host.sessions.registry import drop_session

        page, inferior_files.PAGE = inferior_files.PAGE, SMALLEST_LINE
        drop_session(gdb.selected_inferior())
        by_command = {}
        for command in COMMANDS:
            end_stop()
            self.memory.recorded = set()
            ask(command)
            if self.memory.recorded:
                by_command[command] = sorted(self.memory.recorded)
        self.memory.recorded = None
        inferior_files.PAGE = page
        drop_session(gdb.selected_inferior())
        if TASK["stop"]:
            by_command["the stacks"] = sorted(self._stack_words())
        words = {word for words in by_command.values() for word in words}
        return Places(by_command, {word: _contents(word) for word in words})

    def _stack_words(self) -> Iterator[int]:
        for thread in self.threads:
            thread.switch()
            pointer = int(gdb.newest_frame().read_register("sp")) & MAX_WORD & -WORD
            yield from range(pointer, pointer + STACK_BYTES, WORD)

    def run(self, number: int) -> None:
        """Do one run; what goes wrong is kept in words."""
        chance = random.Random(number)
        written = bool(TASK["stop"]) and chance.random() < 0.4
        anew, each_anew = chance.random() < 0.1, chance.random() < 0.1
        thread = self.threads[0] if chance.random() < 0.5 else chance.choice(self.threads)
        thread.switch()
        damage = make(chance, self.places, written)
        anew = anew or not self.constants.isdisjoint(damage.words())
        undo = self._write(damage) if written else []
        self.memory.damage = None if written else damage
        forget_files() if anew else end_stop()
        for command in chance.sample(COMMANDS, len(COMMANDS)):
            if each_anew:
                end_stop()
            self._ask_damaged(number, thread.num, command)
        for address, data in reversed(undo):
            gdb.selected_inferior().write_memory(address, data)
        if written:
            gdb.execute("maintenance flush register-cache", to_string=True)
        self.memory.damage = None
        if TASK["planted"] != "stale":
            forget_files() if anew else end_stop()
        several = COMMANDS if number % CLEAN_ALL == 0 else chance.sample(COMMANDS, 3)
        thread.switch()
        for command in several:
            if ask(command) != self.clean[thread.num, command]:
                self.wrong.append(f"run {number}: {command}: another answer after the damage")

    def _write(self, damage: Damage) -> list[tuple[int, bytes]]:
        """Write the damage to the program's memory; return how to undo it."""
        inferior, undo = gdb.selected_inferior(), []
        for address, block in damage.blocks.items():
            try:
                before = bytes(inferior.read_memory(address, len(block)))
                inferior.write_memory(address, block)
            except gdb.MemoryError:
                continue  # at the end of what is mapped
            undo.append((address, before))
        gdb.execute("maintenance flush register-cache", to_string=True)
        return undo

    def _ask_damaged(self, number: int, gdb_num: int, command: str) -> None:
        took, said = timed(command)
        if took > MOST_SECONDS:  # or other programs had the processor
            took = min(took, timed(command)[0])
        self.slowest = max(self.slowest, (round(took, 3), f"run {number}: {command}"))
        same = said == self.clean[gdb_num, command]
        kind = "same" if same else "error" if said.startswith("error: ") else "other"
        self.answers[kind] += 1
        bad = complaint(command, said)
        if took > MOST_SECONDS:
            bad = f"took {took:.1f} s"
        if bad is not None:
            self.wrong.append(f"run {number}: {command}: {bad}")


def _constants() -> Iterator[int]:
    """Yield the words that a runtime sets when it starts and that an OMPD library may keep for
    the whole run: a program in which they change and change back has been started anew."""
    known = gdb.execute("info variables ^ompd_", to_string=True)
    for name in set(re.findall(r"\bompd_(?:access|sizeof|bitfield)_\w+", known)):
        yield int(gdb.parse_and_eval(f"(unsigned long)&{name}")) & -WORD


def _contents(word: int) -> int:
    try:
        return int.from_bytes(bytes(gdb.selected_inferior().read_memory(word, WORD)), "little")
    except gdb.MemoryError:
        return 0


def main() -> None:
    """Do the task's runs, each as a command of its own, and report."""
    global FUZZER
    prepare()
    if TASK["stop"]:
        # What a run does must not depend on the length of the program's environment.
        gdb.execute("unset environment FUZZ_TASK")
        gdb.execute(f"break {TASK['stop']}", to_string=True)
        gdb.execute("run", to_string=True)
    FUZZER = Fuzzer()
    first, runs, sizes = TASK["first"], TASK["runs"], []
    for number in range(first, first + runs):
        Path(TASK["progress"]).write_text(str(number), encoding="ascii")
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True, file=2)
        # gdb frees what it evaluated at the end of a command.
        gdb.execute(f"python FUZZER.run({number})")
        if number - first >= min(WARM, runs // 2):
            sizes.append(own_kib())
    faulthandler.cancel_dump_traceback_later()
    report = {
        "runs": runs,
        "wrong": FUZZER.wrong,
        "slowest": FUZZER.slowest,
        "answers": FUZZER.answers,
        "words": len(FUZZER.places.contents),
        "kib": sizes[-1] - sizes[0],
    }
    if TASK["stop"]:
        gdb.execute("kill", to_string=True)
    print("\nFUZZ " + json.dumps(report))


FUZZER: Fuzzer
main()
