# SPDX-License-Identifier: Apache-2.0
"""What the commands share that ask each thread of a team: which threads, and the rest of the
line, which is GDB's to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Collection, NamedTuple, Optional, Sequence, Union

import gdb

from ..errors import NotFound, NotInitialized, OmpdToolError, UsageError
from .base import Arguments, OmpdCommand

if TYPE_CHECKING:  # a start of gdb loads what registers the commands, and no more
    from ..model import Region, Snapshot
    from ..model.values import AskedThread
    from ..host.sessions.session import Session

LETTERS = re.compile(r"/([A-Za-z]+)")  # of a format
SHORTEST = 3  # letters of an abbreviated option: "-x" is an expression
CHOOSING = {
    "-team": "The current team, which is also meant without this.",
    "-all": "Every thread, by GDB's numbers.",
    "-threads LIST": "The threads of the team with these OpenMP numbers, such as 0-3,7.",
    "-state STATE": (
        'Those threads that are working, waiting or whatever\n"ompd threads -state" takes.'
    ),
}


class ChosenThreads(NamedTuple):
    """The threads that are asked. REGION is their team's, None for those of several, or of
    none; some threads are FURTHER_IN, in a region that they have begun within it."""

    members: tuple[AskedThread, ...]
    region: Optional[Region]
    further_in: frozenset[int] = frozenset()

    @property
    def one_team(self) -> bool:
        """Tell whether OpenMP's numbers name the threads."""
        return all(member.thread_num is not None for member in self.members)


class OverThreads(OmpdCommand):
    """Base of these commands. The words of the Arguments are the rest of the line, and the
    letters of "/FMT" if there are any."""

    flags: tuple[str, ...] = ()  # options of GDB's that a word such as "off" may follow
    numbers: tuple[str, ...] = ()  # those that a number follows
    takes_format = False
    is_question = False  # an expression may change the program: it is evaluated once

    def __init__(self) -> None:
        super().__init__()
        self.known += self.flags + self.numbers
        self.valued += self.numbers

    def parse(self, argument: str) -> Arguments:
        """Take options from the line's begin; what is no option begins the rest."""
        chosen: set[str] = set()
        values: list[tuple[str, str]] = []
        left = (argument or "").strip()
        while left.startswith("-"):
            word, _, rest = left.partition(" ")
            if word == "--":
                left = rest.strip()
                break
            option = self.option_at(word)
            if option is None:
                break
            chosen.add(option)
            left = rest.strip()
            value, _, rest = left.partition(" ")
            if option in self.valued:
                if not value:
                    raise UsageError(f"{option} wants a value. {self._see_help()}")
                values.append((option, value))
                left = rest.strip()
            elif option in self.flags:
                from ..host.expressions import OFF, ON

                is_word = value in ON | OFF
                values.append((option, value if is_word else "on"))
                left = rest.strip() if is_word else left
        letters = LETTERS.match(left) if self.takes_format else None
        if letters is not None:
            left = left[letters.end() :].lstrip()
        words = (left, "" if letters is None else letters[1])
        return Arguments(frozenset(chosen), words, tuple(values))

    def option_at(self, word: str) -> Optional[str]:
        is_short = len(word) <= SHORTEST and word not in self.known
        return None if is_short else super().option_at(word)

    def complete(self, text: str, word: Optional[str]) -> Union[Sequence[str], int]:
        """Complete an option, or the rest of the line as GDB's command for it does."""
        before, _, last = text.rpartition(" ")
        given = before.split()
        words = self._words_after(given[-1]) if given and last else ()
        begun = [word for word in words if word.startswith(last)]
        if begun:
            return begun
        if not given or all(each.startswith("-") for each in given):
            if last.startswith("-") or (given and given[-1] in self.valued):
                return super().complete(text, word)
        try:
            rest = self.parse(text).words[0]
        except OmpdToolError:
            return []
        return _completions(f"{self.completed_as()} ", rest, word)

    def _words_after(self, option: str) -> Sequence[str]:
        return ("off", "on") if option in self.flags else ("unlimited",) * (option in self.numbers)

    def completed_as(self) -> str:
        """Return the command of GDB that takes the same rest of the line."""
        return "print"

    def values_to_complete(self, option: str, begun: str) -> Sequence[str]:
        from ..explain.choosing import STATES

        return list(STATES) if option == "-state" else ()

    def asked(self, arguments: Arguments, session: "Session") -> ChosenThreads:
        """Return the threads that ARGUMENTS choose: the current team, if they name no other."""
        state = arguments.value("-state")
        try:
            snapshot = session.teams() if state is None else session.snapshot()
        except NotInitialized:
            if any(map(arguments.has, ("-all", "-team", "-threads", "-state"))):
                raise
            return _selected_alone()
        if arguments.has("-all"):
            if arguments.has("-team") or arguments.has("-threads"):
                raise UsageError(f"-all is every thread. {self._see_help()}")
            from ..model.values import AskedThread

            found = ChosenThreads(tuple(AskedThread(t.gdb_num) for t in snapshot.threads), None)
        else:
            found = _of_team(snapshot)
        if arguments.has("-threads"):
            found = found._replace(members=_numbered(found, arguments.value("-threads") or ""))
        if state is not None:
            from ..explain.choosing import by_state

            chosen = {thread.gdb_num for thread in by_state(snapshot.threads, state)}
            members = tuple(m for m in found.members if m.gdb_num in chosen)
            found = found._replace(members=members)
            if not members:
                raise NotFound(f"no thread of the team is {state}")
        return found

    def _refuse_words(self, arguments: Arguments) -> None:
        """Raise UsageError if ARGUMENTS have more than options."""
        if arguments.words[0]:
            raise UsageError(f'Junk at end of command: "{arguments.words[0]}". {self._see_help()}')

    def _rest(self, arguments: Arguments, what: str) -> str:
        if not arguments.words[0]:
            raise UsageError(f"{what} is wanted. {self._see_help()}")
        return arguments.words[0]


def levels_of(asked: ChosenThreads, session: "Session", gdb_num: int) -> Optional[Collection[int]]:
    """Return the levels of the frames that a thread's task has in the team's region, where it
    has begun another region within it; None where all of its frames may be its."""
    region = asked.region
    if region is None or gdb_num not in asked.further_in:
        return None
    from ..stacks.facts import StackFacts

    placed = StackFacts(session, locations=False).placed(gdb_num)
    index = placed.body(region.id) if placed is not None else None
    if placed is None or index is None:
        return None
    return [frame.number for frame in placed.segments[index].frames]


def _selected_alone() -> ChosenThreads:
    """Return the selected thread alone, as there is no team before a runtime's start."""
    from ..host.selection import selected_thread
    from ..model.values import AskedThread

    thread = selected_thread()
    if thread is None:
        raise NotFound("no thread is selected: 'thread NUM' selects one")
    return ChosenThreads((AskedThread(thread.num),), None)


def _of_team(snapshot: Snapshot) -> ChosenThreads:
    from ..model.values import AskedThread
    from .live import current_omp_thread, unknown

    current = current_omp_thread(snapshot.threads)
    if current.region is None:
        if current.level is None:
            raise NotFound(" ".join(unknown([current])) or "the team is not known")
        return ChosenThreads((AskedThread(current.gdb_num, 0),), None)
    region = snapshot.region(current.region)
    members = tuple(AskedThread(gdb_num, number) for number, gdb_num in enumerate(region.threads))
    if not members:
        raise NotFound("the threads of the team are not known")
    elsewhere = (t.gdb_num for t in snapshot.threads if t.region not in (None, region.id))
    return ChosenThreads(members, region, frozenset(elsewhere))


def _numbered(asked: ChosenThreads, wanted: str) -> tuple[AskedThread, ...]:
    from ..explain.choosing import number_range

    numbers: set[int] = set()
    last = max(m.thread_num or 0 for m in asked.members)
    for first, end in (number_range(word, word) for word in wanted.split(",")):
        if first > last or end > last:
            raise NotFound(f"the current team has threads 0 to {last}, not {max(first, end)}")
        numbers.update(range(first, end + 1))
    return tuple(m for m in asked.members if m.thread_num in numbers)


def _completions(command: str, rest: str, word: Optional[str]) -> Sequence[str]:
    """Return what GDB completes REST to after COMMAND, from the begin of WORD."""
    try:
        said = gdb.execute(f"complete {command}{rest}", to_string=True)
    except gdb.error:
        return []
    begin = len(command) + len(rest) - len(word or "")
    return [line[begin:] for line in said.splitlines() if len(line) > begin]


def option_settings(arguments: Arguments, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return GDB's own options among ARGUMENTS, each with its value."""
    return [(option, value) for option, value in arguments.values if option in names]
