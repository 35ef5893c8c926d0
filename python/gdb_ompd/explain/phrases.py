# SPDX-License-Identifier: Apache-2.0
"""The pieces of the sentence that ``ompd why`` begins with.

A number in it is GDB's where it follows "GDB thread", a thread's number in its team
where it follows "thread" or "member".
"""

from __future__ import annotations

import os
from operator import sub
from typing import Any, Callable, Iterable, Optional, Sequence

from ..model import TargetConstruct
from ..model.waits import Kind, RUNTIME, RUNTIMES_LOCK, SYSTEMS_LOCK, TEAM_BARRIERS
from .facts import At
from .names import readable

MOST_PLACES = 4  # in a sentence
MOST_HELD_UP = 8  # the same of those who may end all the waiting
WIDEST_LIST = 24  # of numbers: of more threads their count is said first


def waits_at(waiting: Sequence[At], details: Callable[[At], str]) -> list[str]:
    """Say what waiting threads wait for and where, with DETAILS: those that wait alike once."""
    alike: dict[str, list[int]] = {}
    for thread in waiting:
        what = f"{waited_object(thread)}{at_place(thread)}"
        alike.setdefault(f"{wait_for(what)}{details(thread)}", []).append(thread.gdb_num)
    return [f"{named(numbers)} {waits(numbers)} {what}" for what, numbers in alike.items()]


def members(numbers: Sequence[int]) -> str:
    """Name threads by their numbers in the team."""
    return f"member {numbers[0]}" if len(numbers) == 1 else f"members {ranges(numbers)}"


def places(waiting: Sequence[At], held_by: Callable[[At], str]) -> str:
    """Say what waiting threads wait for, and where: as much as a sentence holds. HELD_BY
    says who holds it."""
    return ", ".join(as_many(waits_at(waiting, held_by), "place"))


def as_many(said: Sequence[str], noun: str, most: int = MOST_PLACES) -> list[str]:
    """Return the first MOST clauses of those SAID, and how many more there are."""
    more = len(said) - most
    rest = f"and {more} more {noun}{'s' if more > 1 else ''}"
    return [*said[:most], *([rest] if more > 0 else [])]


def waits(numbers: Sequence[int]) -> str:
    """Write the verb for so many threads."""
    return "waits" if len(numbers) == 1 else "wait"


AT = ("barrier", "end of", "reduction")  # what a thread is at, not waits for
IN = "in "  # a function that does not say what it waits for


def wait_for(what: str) -> str:
    """Put the preposition before what is waited for."""
    if what.startswith(IN):
        return what
    return f"at {what}" if what.startswith(AT) else f"for {what}"


FOR_DEVICE = {
    Kind.TARGET: " in the target region",
    Kind.TARGET_MAP: " to map data",
    Kind.TARGET_UPDATE: " to update data",
}


def waited_object(thread: At) -> str:
    """Name what a thread waits for."""
    wait = thread.wait
    if thread.call.joins is not None:
        return f"the end of {named([thread.call.joins])}"
    if thread.tried is not None:
        return f"{thread.tried.kind} {polled(thread.polls)}"
    if thread.call.mutex is not None and thread.call.lock == SYSTEMS_LOCK:
        return f"the lock of {thread.call.function}()"
    if thread.call.lock == RUNTIMES_LOCK:
        return f"a lock of {RUNTIME}'s own"
    if thread.call.mutex is not None:
        lock = thread.call.lock
        return f'{lock} "{wait.name}"' if wait.name else f"{lock} 0x{thread.call.mutex:x}"
    if thread.call.taken_by is not None:
        return f"the lock of {taker(thread)}()"
    if thread.call.function is not None:
        return f"{IN}{_called(thread.call.function)}"
    if wait.kind is None:
        return "nothing"
    if thread.is_at_device and thread.target is not None:
        return f"{device(thread.target)}{FOR_DEVICE[wait.kind]}"
    kind: str = wait.kind.value
    if wait.kind is Kind.DOACROSS and thread.iteration:
        return f"doacross iteration {written(thread.iteration)}"
    if wait.kind in TEAM_BARRIERS:
        return "barrier"
    if wait.kind is Kind.REGION_BARRIER:
        return "end of region"
    if wait.kind is Kind.REDUCTION:
        return kind  # its address is the compiler's own
    if wait.name:
        return f'{kind} "{wait.name}"'
    if wait.name == "" and kind == Kind.CRITICAL.value:
        return "unnamed critical"
    return kind if wait.address is None else f"{kind} 0x{wait.address:x}"


def device(target: TargetConstruct) -> str:
    """Name the device that a target construct is for."""
    if target.device is not None:
        return f"device {target.device}"
    return "the default device" if target.default else "a device"


def taker(thread: At) -> Optional[str]:
    """Name the function that takes what a sleeping thread waits for: one of another library, or
    the user's innermost."""
    location = thread.wait.location
    user = None if location is None else function_name(location.innermost or location)
    return thread.wait.library or user or thread.call.function


def elsewhere(owner: int) -> str:
    """Name the OWNER of a mutex that this process shares with others."""
    return f"held by LWP {owner}, which is no thread of this process"


def written(iteration: Sequence[int]) -> str:
    """Write the numbers, from 0, of an iteration in each loop of its nest: "2", "(2, 0)"."""
    return str(iteration[0]) if len(iteration) == 1 else str(tuple(iteration))


def who(threads: Sequence[At]) -> str:
    """Name threads at one place, and what they do there."""
    one = threads[0]
    what = ""
    if one.is_at_device:
        name = named_in_full(one) if len(threads) == 1 else named(t.gdb_num for t in threads)
        verb = waits([thread.gdb_num for thread in threads])
        return f"{name}, which {verb} for {waited_object(one)}{at_place(one)}"
    if one.running:
        what = ", which runs ('interrupt -a' stops it)"
    elif one.polls:
        what = f", which {'spins' if len(threads) == 1 else 'spin'} on {polled(one.polls)}"
    elif one.endless:
        what = ", in an endless loop, which reads nothing that could end it"
    elif one.call.function is not None:
        what = f", blocked in {_called(one.call.function)}"
    elif one.wait.outside is not None:
        what = f", in {_called(one.wait.outside)}"
    name = named_in_full(one) if len(threads) == 1 else named(t.gdb_num for t in threads)
    return f"{name}{at_place(one)}{what}"


def polled(names: Iterable[str]) -> str:
    """Write the NAMES or addresses of what a loop reads again and again."""
    return " and ".join(each if each.startswith("0x") else f'"{each}"' for each in names)


def _called(function: str) -> str:
    return function if function == RUNTIME else f"{function}()"


def named(numbers: Iterable[int]) -> str:
    """Name threads by GDB's numbers: "GDB threads 1-3,5", of a long list how many."""
    listed = sorted(numbers)
    if len(listed) == 1:
        return f"GDB thread {listed[0]}"
    written = ranges(listed, WIDEST_LIST)
    if not written.endswith("..."):
        return f"GDB threads {written}"
    return f"{len(listed)} threads (GDB {written})"


def named_in_full(thread: At) -> str:
    """Name one thread by its number in its team, and GDB's."""
    if thread.thread_num is None or not thread.team_size or thread.team_size < 2:
        return f"GDB thread {thread.gdb_num}"
    return f"thread {thread.thread_num} of {thread.team_size} (GDB thread {thread.gdb_num})"


def ranges(numbers: Iterable[int], limit: Optional[int] = None) -> str:
    """Write numbers in order, each once, as in "0-3,5".

    A list longer than LIMIT characters ends in ",..." after a whole number.
    """
    distinct = set(numbers)
    if len(distinct) == 1:
        return str(distinct.pop())
    pieces = _pieces(sorted(distinct))
    whole = ",".join(pieces)
    if limit is None or len(whole) <= limit:
        return whole
    while len(pieces) > 1 and len(",".join(pieces)) + len(",...") > limit:
        pieces.pop()
    return ",".join([*pieces, "..."])


def _pieces(numbers: list[int]) -> list[str]:
    steps = enumerate(map(sub, numbers[1:], numbers), 1)
    begins = [0, *(position for position, step in steps if step != 1)] if numbers else []
    ends = [*begins[1:], len(numbers)]
    runs = ((numbers[begin], numbers[end - 1]) for begin, end in zip(begins, ends))
    return [str(first) if first == last else f"{first}-{last}" for first, last in runs]


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: "1 thread", "4 threads"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def at_place(thread: At) -> str:
    """Write where a thread is, as ``place`` does, and in which target region."""
    where = place(thread.wait.location)
    if thread.target is None or not thread.target.executes:
        return where
    return f"{where} in the target region{place(thread.target)}"


def place(spot: Any) -> str:
    """Write a place as " at FILE:LINE", without source as " in FUNCTION", "" where neither is
    known. SPOT has a location's fields for it."""
    if spot is None:
        return ""
    innermost = place(getattr(spot, "innermost", None))
    if innermost:
        return f"{innermost}, called{place(spot._replace(innermost=None))}"
    if spot.file is not None and spot.line is not None:
        return f" at {os.path.basename(spot.file)}:{spot.line}"
    name = function_name(spot)
    return f" in {name}" if name is not None else ""


def function_name(spot: Any) -> Optional[str]:
    """Return what the function at a place is called: "work", and without a name
    "libfoo.so+0x1234"; None where not even its file is known."""
    if spot.function is not None:
        return readable(spot.function)
    return spot.code.name if spot.code is not None else None
