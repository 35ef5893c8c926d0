# SPDX-License-Identifier: Apache-2.0
"""`ompd parallel`: the regions around one thread, or all of them as a tree."""

from __future__ import annotations

from typing import Hashable, Iterator, Optional, Sequence, Union

from ..model import Region, RegionKind, Snapshot, Thread, is_in_target, place_key
from ..model.teams import TeamSize
from . import folding, table
from .style import PLAIN, Role, Span, Style, Text, after, fold, text, wrap, wrapped_lines
from .team_sizes import sentence_of
from .teams import TeamPlace, Teams
from .words import ABSENT, doing, numbered, region_heading, said_of

INDENT = "  "
DEEPEST_INDENT = 12  # the level is written out, so deeper nests need no more room
WIDEST_LIST = 24

Alike = tuple[Region, ...]  # regions that differ only in their numbers


def nest(
    snapshot: Snapshot, thread: Thread, style: Style = PLAIN, sizes: Sequence[TeamSize] = ()
) -> Iterator[str]:
    """Show the regions THREAD is in, innermost first, who is in them, and why teams have their
    SIZES."""
    writer = _Writer(snapshot, style, True, sizes)
    regions = list(writer.teams.nest(thread))
    for region in regions:
        yield writer.heading((region,), 0)
        yield from writer.why(region, 0)
        for line, _ in writer.members((region,), 0):
            yield line
    if not regions:
        who = numbered("GDB thread", [thread.gdb_num], writer.prefix(thread.inferior))
        of_target = " of its target region" if is_in_target(thread) else ""
        said = text(f"{who} is in no parallel region{of_target}: ", *_doing(thread))
        yield style.paint(said)
    for note in snapshot.notes:
        yield from wrapped_lines(note, style.width)


def tree(
    snapshot: Snapshot,
    style: Style = PLAIN,
    *,
    fold: Optional[bool] = None,
    sizes: Sequence[TeamSize] = (),
) -> Iterator[str]:
    """Show all regions, each below the member of the outer team that began it, and why teams have
    their SIZES.

    FOLD shows nested regions that differ only in their numbers as one; None
    folds what would not fit a screen.
    """
    writer = _Writer(snapshot, style, folding.wanted(fold, len(snapshot.regions)), sizes)
    if not snapshot.regions:
        hides = any(map(is_in_target, snapshot.threads))
        yield "No parallel region is known." if hides else "There is no parallel region."
    for root in writer.teams.roots:
        yield from writer.subtree(root)
    yield from writer.others(snapshot)
    for note in snapshot.notes:
        yield from wrapped_lines(note, style.width)


def _doing(thread: Thread) -> Text:
    why = "" if thread.running else thread.error or ""
    return (*doing(thread, ": "), *after(": ", text(why)))


class _Writer:
    """Writes regions and their members; knows what the whole snapshot asks for."""

    def __init__(
        self, snapshot: Snapshot, style: Style, fold: bool, sizes: Sequence[TeamSize]
    ) -> None:
        self.teams = Teams(snapshot)
        self._sizes = {size.region: size for size in sizes}
        self._style = style
        self._fold = fold
        others = any(thread.inferior != 1 for thread in snapshot.threads)
        self._qualified = snapshot.qualified or others
        self._looks: dict[int, int] = {}
        self._words: dict[Hashable, int] = {}
        self._known_words: dict[Text, int] = {}
        self._last: tuple[Hashable, int] = (None, 0)  # what was said last, and its number

    def prefix(self, inferior: Optional[int]) -> str:
        """Return what GDB writes in front of a thread's number."""
        return f"{inferior}." if self._qualified and inferior is not None else ""

    def subtree(self, root: Region) -> Iterator[str]:
        """Write ROOT and what is nested in it. A nest can be deeper than Python's stack."""
        waiting: list[Union[str, tuple[Alike, int]]] = [((root,), 0)]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                yield part
            else:
                waiting.extend(reversed(list(self._region(*part))))

    def _region(self, alike: Alike, depth: int) -> Iterator[Union[str, tuple[Alike, int]]]:
        yield self.heading(alike, depth)
        yield from self.why(alike[0], depth)
        begun: set[int] = set()
        for line, inner in self.members(alike, depth):
            yield line
            begun.update(region.id for region in inner)
            for similar in folding.groups(inner, self._looks_of):
                yield tuple(similar), depth + 1
        for region in alike:
            for nested in self.teams.children(region):
                if nested.id not in begun:
                    yield (nested,), depth + 1

    def heading(self, alike: Alike, depth: int) -> str:
        """Write the first line of a region, or of several that are alike."""
        one = alike[0]
        first = [region.threads[0] for region in alike if region.threads]
        begun_by = [gdb_num for gdb_num in first if gdb_num is not None]
        by = ""
        if begun_by and one.team_size != 1:  # a team of one lists its only thread anyway
            numbers = numbered("GDB thread", begun_by, self.prefix(self.teams.inferior(one)))
            by = f", begun by {numbers}"
        return self._indented((*region_heading(one, alike[1:]), *text(by)), depth)

    def why(self, region: Region, depth: int) -> Iterator[str]:
        """Write why a region's team has its size, if that is wanted."""
        size = self._sizes.get(region.id)
        if size is not None:
            yield self._indented(sentence_of(size), depth + 1)

    def members(self, alike: Alike, depth: int) -> Iterator[tuple[str, list[Region]]]:
        """Write who is in the team, grouped by what they do, with the regions they are in."""
        everyone = [member for region in alike for member in self.teams.members(region)]
        sets = folding.groups(everyone, self._does)
        prefix = self.prefix(self.teams.inferior(alike[0]))
        rows = [self._row(members, prefix) for members in sets]
        for line, members in zip(self._aligned(rows, depth), sets):
            inner = {member.inner.id: member.inner for member in members if member.inner}
            yield line, list(inner.values())

    def others(self, snapshot: Snapshot) -> Iterator[str]:
        """Write the threads that no region lists, grouped by what they do."""
        listed = {
            (member.thread.inferior, member.thread.gdb_num)
            for region in snapshot.regions
            for member in self.teams.members(region)
            if member.thread
        }
        left = [each for each in snapshot.threads if (each.inferior, each.gdb_num) not in listed]
        outside = [thread for thread in left if not thread.error]
        in_target = [thread for thread in outside if is_in_target(thread)]
        rest = [thread for thread in outside if not is_in_target(thread)]
        yield from self._rest("In no region", rest)
        yield from self._rest("In no region of a target region", in_target)
        yield from self._rest("Not known", [thread for thread in left if thread.error])

    def _rest(self, heading: str, left: Sequence[Thread]) -> Iterator[str]:
        if not left:
            return
        yield self._indented(text(Span(heading, Role.TITLE)), 0)
        rows = []
        for threads in folding.groups(left, lambda each: (each.inferior, _doing(each))):
            numbers = folding.ranges((each.gdb_num for each in threads), WIDEST_LIST)
            many = f"{len(threads)} threads: " if numbers.endswith("...") else ""
            gdb = text(f"{many}GDB {self.prefix(threads[0].inferior)}{numbers}")
            marked = any(each.selected for each in threads)
            rows.append(table.Row((gdb, (), _doing(threads[0])), marked))
        yield from self._aligned(rows, 0)

    def _row(self, members: Sequence[TeamPlace], prefix: str) -> table.Row:
        one = members[0]
        numbers = [member.gdb_num for member in members if member.gdb_num is not None]
        gdb = prefix + folding.ranges(numbers, WIDEST_LIST) if numbers else "?"
        what = text(ABSENT if one.absent else "unknown")
        if one.inner is not None:
            inner = (member.inner.id for member in members if member.inner)
            is_league = one.inner.kind is RegionKind.TEAMS
            what = text("in " + ("a league" if is_league else numbered("region", inner)))
        elif one.thread is not None:
            what = _doing(one.thread)
        thread_nums = folding.counted((member.thread_num for member in members), WIDEST_LIST)
        selected = any(member.thread and member.thread.selected for member in members)
        who = () if one.absent else text(f"(GDB {gdb})")
        return table.Row((text(thread_nums), who, what), selected)

    def _does(self, member: TeamPlace) -> Hashable:
        """Return what decides whether two members share a line."""
        if member.inner is not None:
            return "in", self._looks_of(member.inner) if self._fold else member.inner.id
        nobody = member.gdb_num is None
        if member.thread is None:
            return nobody, member.absent
        return "does", self._words_of(member.thread), nobody

    def _words_of(self, thread: Thread) -> int:
        """Return a number for what a thread is doing, the same for all of which the same
        is said: words take longer to compare."""
        said = said_of(thread)
        if said != self._last[0]:
            if said not in self._words:
                known = self._known_words
                self._words[said] = known.setdefault(_doing(thread), len(known))
            self._last = said, self._words[said]
        return self._last[1]

    def _look(self, region: Region) -> Hashable:
        """Return all that is shown of a region but for its numbers."""
        return (
            (region.level, region.active_level, region.team_size, region.serialized),
            place_key(region),
            self._sizes[region.id]._replace(region=0) if region.id in self._sizes else None,
            tuple(self._does(member) for member in self.teams.members(region)),
        )

    def _looks_of(self, region: Region) -> int:
        """Return a number for what is shown of a region, the same for all that look alike."""
        if not self._looks:
            known: dict[Hashable, int] = {}
            # Inner regions first: a region looks like another if what is in it does.
            for each in reversed(self.teams.outermost_first()):
                self._looks[each.id] = known.setdefault(self._look(each), len(known))
        return self._looks[region.id]

    def _aligned(self, rows: Sequence[table.Row], depth: int) -> Iterator[str]:
        margin = INDENT * min(depth, DEEPEST_INDENT)
        room = None if self._style.width is None else self._style.width - len(margin)
        columns = (table.Column(), table.Column(), table.Column())
        for parts in table.of_rows(columns, rows, self._style, marker=True, max_width=room):
            yield "\n".join(margin + line for line in parts)

    def _indented(self, words: Text, depth: int) -> str:
        margin = INDENT * min(depth, DEEPEST_INDENT)
        room = None if self._style.width is None else self._style.width - len(margin)
        parts = wrap(fold(words, room), room)
        return "\n".join(margin + self._style.paint(part) for part in parts)
