# SPDX-License-Identifier: Apache-2.0
"""What each thread waits for is what it said it would wait for, in every situation."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from support.facts import Fact, Tally
from support.gdb_session import run_gdb
from support.runtimes import GNU, VERSIONS
from support.waits import (
    BARRIERS,
    MODES,
    SITUATIONS,
    SPIN,
    Document,
    Setting,
    built,
    facts,
    run,
    situations,
)

# Which of two locks a branch chose is lost with the registers; what is behind a pointer
# has a name only where the debug information still has the pointer.
MAY_BE_UNKNOWN = {"lock_chosen", "lock_heap"}
# Each takes most of a minute. Unless GDB_OMPD_ALL_BUILDS is set, half of the situations is tried
# with each second one of a choice: each at both levels, with symbols and without, on 14 and 19.
ALL = [
    Setting("clang", opt, version, stripped)
    for opt in ("O0", "O2")
    for version in VERSIONS
    for stripped in (False, True)
] + [Setting("gcc", "O0", "19", True), Setting("gcc", "O2", "14", True)]
GNUS = [Setting("gcc", "O0", GNU, True), Setting("gcc", "O2", GNU, True)]  # gcc's own runtime
CHOSEN = [
    Setting("clang", "O0", "14", True),
    Setting("clang", "O2", "14", False),
    Setting("clang", "O2", "19", False),
    Setting("gcc", "O0", "19", True),
]
SETTINGS = ALL if "GDB_OMPD_ALL_BUILDS" in os.environ else CHOSEN


def test_there_are_enough_situations() -> None:
    assert len(SITUATIONS) >= 25


@pytest.mark.parametrize("setting", SETTINGS + GNUS, ids=str)
def test_every_thread(setting: Setting, tmp_path: Path) -> None:
    tally = Tally()
    names = situations(setting)
    if SETTINGS is CHOSEN:
        names = [name for name in names if name in SITUATIONS[_half(setting) :: 2]]
    documents = run(setting, names, tmp_path)
    for document in documents:
        tally.add(facts(document, setting))
    report = "\n".join(tally.lines())
    print(f"{len(documents) // len(MODES)} situations, {len(documents)} stops: {report}")
    _looks(documents)
    assert tally.compared >= 2 * len(documents)
    unknown = [fact for fact in tally.unknown if not _may_be_unknown(setting, fact)]
    assert not tally.wrong and not unknown, report


def _half(setting: Setting) -> int:
    return (GNUS if setting in GNUS else CHOSEN).index(setting) % 2


def _looks(documents: list[Document]) -> None:
    """Threads at the same place share an answer only where GDB gives each the same, the
    unwind tables lead where GDB's unwinding does, and states are libompd's."""
    differences = [d for document in documents for d in document["looks"]["differences"]]
    assert not differences, "\n".join(differences)
    live = [document["looks"] for document in documents if document["mode"] != "core"]
    assert sum(look["shared"] for look in live) > len(live)
    assert sum(look["addresses"] for look in live) > 4 * len(live)


def _may_be_unknown(setting: Setting, fact: Fact) -> bool:
    """GCC's code calls one function for several barriers; see MAY_BE_UNKNOWN."""
    barrier = setting.compiler == "gcc" and fact.truth["kind"] in BARRIERS
    return barrier or fact.stop.split()[1] in MAY_BE_UNKNOWN


WITHOUT_FRAME = """
from gdb_ompd.host.sessions.registry import session_of

(wait,) = [w for w in session_of().waits().values() if w.kind is not None]
place = wait.location
print("PLACE", wait.kind.value, None if place is None else (place.function, place.line))
"""


def test_a_function_without_a_frame_has_its_own_place(tmp_path: Path) -> None:
    """At -O2 the region's body jumps into taskwait: main's line is not where that is."""
    setting = Setting("clang", "O2", "14", False)
    (tmp_path / "tell.py").write_text(WITHOUT_FRAME, encoding="utf-8")
    commands = ["break waits_stop", "run", f"source {tmp_path / 'tell.py'}"]
    said = run_gdb(commands, built("taskwait", setting), env=SPIN).stdout
    found = re.findall(r"^PLACE (.*)$", said, flags=re.MULTILINE)
    assert found == ["taskwait ('main', 16)"]


DAMAGED_CODE = """
import gdb

memory = gdb.selected_inferior()
# Of the user's "lea first(%rip), %rdi" the operand, of the runtime's function that keeps what it
# was given all.
functions = ("(long) take + 3", "(long) __kmp_api_omp_set_lock")
places = [int(gdb.parse_and_eval(place)) for place in functions]

def tell(when):
    gdb.execute("ompd bt -all", to_string=True)  # reads the code for another purpose
    said = gdb.execute("ompd threads -all", to_string=True)
    print("LOCKS", when, said.count('waiting for lock "first"'))

tell("sound")
sound = [bytes(memory.read_memory(place, 1)) for place in places]
for place, damaged in zip(places, (sound[0][0] ^ 0x80, 0xC3)):
    memory.write_memory(place, bytes([damaged]))
tell("damaged")
for place, byte in zip(places, sound):
    memory.write_memory(place, byte)
tell("mended")
"""


def test_code_that_was_damaged_and_mended_is_read_again(tmp_path: Path) -> None:
    setting = Setting("clang", "O2", "14", False)
    (tmp_path / "tell.py").write_text(DAMAGED_CODE, encoding="utf-8")
    commands = ["break waits_stop", "run", f"source {tmp_path / 'tell.py'}"]
    said = run_gdb(commands, built("lock_wrapped", setting), env=SPIN).stdout
    found = re.findall(r"^LOCKS (.*)$", said, flags=re.MULTILINE)
    assert found == ["sound 2", "damaged 0", "mended 2"]


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_a_function_that_jumps_on_is_seen_through(compiler: str) -> None:
    """GDB makes up a frame for it where the compiler has described the jump."""
    setting = Setting(compiler, "O2", "14", False)
    commands = ["break waits_stop", "run", "ompd threads -all"]
    said = run_gdb(commands, built("lock_wrapped", setting), env=SPIN).stdout
    assert said.count('waiting for lock "first"') == 2, said


AT_EACH_ADDRESS = """
import gdb
from gdb_ompd.host.sessions.registry import session_of

lwp = int(gdb.lookup_static_symbol("waits_rows").value()[0]["lwp"])
(thread,) = [t for t in gdb.selected_inferior().threads() if t.ptid[1] == lwp]
thread.switch()
gdb.execute("set scheduler-locking on")
found = {}
for _ in range(1200):
    pc = gdb.selected_frame().pc()
    if pc not in found:
        wait = session_of().waits()[thread.num]
        found[pc] = wait.kind.value, wait.location and wait.location.line
    gdb.execute("stepi", to_string=True)
print("FOUND", len(found), sorted(set(found.values()), key=str))
"""


@pytest.mark.parametrize("opt", ["O0", "O2"])
def test_a_spinning_thread_waits_at_each_address_of_its_loop(opt: str, tmp_path: Path) -> None:
    """Without OMPD events the runtime's loop is in functions that are inlined into the
    entry point itself: a frame's address is then where the thread is, after no call."""
    setting = Setting("clang", opt, "14", False)
    (tmp_path / "each.py").write_text(AT_EACH_ADDRESS, encoding="utf-8")
    commands = ["set ompd auto-enable off", "break waits_stop", "run"]
    commands += [f"source {tmp_path / 'each.py'}", "kill"]
    said = run_gdb(commands, built("taskwait", setting), env=SPIN).stdout
    (found,) = re.findall(r"^FOUND (\d+) (.*)$", said, flags=re.MULTILINE)
    assert int(found[0]) > 100
    assert found[1] == "[('taskwait', 16)]"
