# SPDX-License-Identifier: Apache-2.0
"""`ompd why -facts`: what is known of each thread and lock before anything is concluded."""

from __future__ import annotations

from collections import Counter
from typing import Collection, Iterator, Mapping, Optional

from ..explain.absent import lacking
from ..explain.facts import At, Facts, Held, LockWord
from ..explain.interrupted import handler
from ..explain.phrases import counted, named, named_in_full, polled, wait_for, waited_object
from ..explain.stuck import Needs
from ..model.waits import BARRIERS
from .style import PLAIN, Role, Span, Style, Text, after, painted, text
from .words import inside, location, place, qualified, which

_KEPT = {True: "kept there", False: "free to go on"}
_HOLDS = {True: "inferred to hold", False: "may hold"}


def lines(
    facts: Facts,
    needs: Mapping[int, Needs],
    takers: Collection[int],
    style: Style = PLAIN,
    prefix: str = "",
) -> Iterator[str]:
    """Show FACTS, a thread on each line, with whom each NEEDS and who can take a queued task;
    PREFIX is before GDB's numbers."""
    for words in _texts(facts, needs, takers):
        yield from painted(qualified(words, prefix), style, style.width, 4)


def _texts(facts: Facts, needs: Mapping[int, Needs], takers: Collection[int]) -> Iterator[Text]:
    yield text(Span("Threads", Role.TITLE), "" if facts.complete else " (some are not stopped)")
    for thread in facts.threads:
        said = [*_own(thread), *_of_tasks(thread, thread.gdb_num in takers)]
        need = needs.get(thread.gdb_num)
        said += [text(_needed(need))] if need is not None else []
        details = (part for words in said for part in after("; ", words))
        yield text(f"  {named_in_full(thread)}: ", *_doing(thread), *details)
    yield from (text(lacking(region)) for region in facts.regions if region.absent)
    if facts.locks:
        yield text(Span("Locks", Role.TITLE))
        yield from (
            text("  ", *_lock(address, facts), ": ", _word(w)) for address, w in facts.locks
        )
    for one in facts.callbacks:
        function = location(one.location)
        yield text("  ", *function, f", which is called back, may let go 0x{one.lock:x}")
    for where, count in Counter(task.where.value for task in facts.waiting_tasks or ()).items():
        yield text(f"{counted(count, 'task')} {where}")
    if facts.waiting_tasks is None:
        yield text("The tasks that no thread executes are not known.")
    for crash in facts.crashes:
        yield text(f"{named([crash.gdb_num])} was stopped by {crash.signal}")
    for overflow in facts.overflows:
        yield text(f"{named([overflow.gdb_num])} has used up its stack of {overflow.size} bytes")
    yield from (text(note) for note in facts.notes)


def _doing(thread: At) -> Text:
    where = after(", ", location(thread.wait.location))
    if thread.running:
        return text("not stopped")
    if thread.is_helper:
        return text("a helper of the runtime's")
    if thread.wait.kind is not None or thread.call.mutex is not None or thread.call.joins:
        what = wait_for(waited_object(thread))
        return text("waits " if what.startswith("for ") else "", what, *where)
    if not thread.in_known_code:
        return text("in unknown code", *where)
    if thread.polls:
        return text(f"spins on {polled(thread.polls)}", *where)
    if thread.endless:
        return text("in an endless loop", *where)
    called = thread.call.function or thread.wait.outside
    if called is not None:
        return text(*inside(called), *where)
    return text("working" if thread.is_omp else "not an OpenMP thread", *where)


def _own(thread: At) -> Iterator[Text]:
    """Say what the runtime and the code tell of the wait, and what the thread holds."""
    if thread.blocked is not None:
        yield text(_KEPT[thread.blocked])
    if thread.polls and thread.wait.kind is not None:
        yield text(f"spins on {polled(thread.polls)}")
    if thread.interruption is not None:
        yield text("in ", handler(thread.interruption))
    if thread.wait.kind not in BARRIERS and thread.come:
        yield text(f"has come to the barrier of its {' and its '.join(sorted(thread.come))}")
    if thread.call.is_timed:
        yield text("for a time only")
    if thread.left:
        yield text(f"the loop was left by {named(thread.left)}")
    yield from map(_holding, thread.held)
    for address in thread.may_let_go:
        yield text(f"may let go 0x{address:x} without having set it")


def _holding(held: Held) -> Text:
    name = which(held.kind, held.name, held.address)
    where = after(", taken at ", place(held.location)) if held.location else ()
    return text(f"{_HOLDS[held.certain]} {held.kind}", *name, *where)


def _of_tasks(thread: At, takes: bool) -> Iterator[Text]:
    if thread.busy:
        yield text("executes a task meanwhile")
    if thread.children:
        yield text(f"{thread.children} of its task's children are not complete")
    if thread.tasks_of_group:
        yield text(f"{counted(thread.tasks_of_group, 'task')} of its group not complete")
    if thread.awaits_tasks:
        yield text("sleeps until its team's last task is done")
    if takes:
        yield text("can execute a queued task")


def _needed(need: Needs) -> str:
    """Say who must come."""
    if need.all:
        whom = named(need.all)
    elif need.others:
        whom = ("one of " if len(need.others) > 1 else "") + named(need.others)
    else:
        whom = "what nobody is there to do" if need.never else "what is not known"
    return f"needs {whom}" + ("" if need.certain else " (not certain)")


def _lock(address: int, facts: Facts) -> str:
    waits = (t for t in facts.threads if t.wait.address == address and t.wait.kind is not None)
    first = next(waits, None)
    return f"0x{address:x}" if first is None else waited_object(first)


def _word(word: LockWord) -> str:
    if word.destroyed:
        return "destroyed"
    said = [{True: "held", False: "free", None: "not known whether it is held"}[word.held]]
    said += _owner(word)
    if word.depth is not None:
        said.append(f"set {counted(word.depth, 'time')}")
    if word.queued is not None:
        said.append(f"queued: {named(word.queued) if word.queued else 'nobody'}")
    return ", ".join(said)


def _owner(word: LockWord) -> Iterator[str]:
    if word.owner is not None:
        yield f"by {named([word.owner])}"
    elif word.owner_ended:
        yield "by a thread that has ended"
    elif word.keeps_owner is False:
        yield "a lock of this kind keeps no owner"
