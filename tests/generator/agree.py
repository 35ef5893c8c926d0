# SPDX-License-Identifier: Apache-2.0
"""Hold what the commands say at a stop against each other."""

from __future__ import annotations

import re
from typing import Any

from generator.findings import Findings

Document = dict[str, Any]

# A process may have several runtimes: then each region has the file of its own.
_HEADING = re.compile(
    r"^ *Regions? ([\d,-]+)  level (\d+)(?: \((\d+) active\))?, (\d+) threads?(?: each)?"
    r"(, serialized)?(?:, lib[\w.+-]+)?(?:: .*?)?(?:, begun by .*)?$"
)
# GDB's numbers of a child that it has followed have its inferior's before them: "2.1".
_GDB_NUM = r"(?:\d+\.)?(\d+)"
_MEMBER = re.compile(rf"^ *\*? *(\d+) +\(GDB {_GDB_NUM}\) +(.*)$")
_OF_INFERIOR = re.compile(r"(GDB threads? )\d+\.(?=\d)")
_ROW = re.compile(rf"^\*? +{_GDB_NUM} +\d+ ")


def threads_and_regions(threads: Document, parallel: Document, found: Findings) -> None:
    """A thread's memberships and the regions that list it are the same."""
    places: dict[int, list[list[int]]] = {row["gdb_num"]: [] for row in threads["threads"]}
    for row in sorted(_parallel_regions(parallel), key=lambda row: -int(row["level"])):
        for number, gdb_num in enumerate(row["threads"]):
            if gdb_num is not None:
                places.setdefault(gdb_num, []).append([number, row["team_size"], row["level"]])
    for row in threads["threads"]:
        subject = f"thread {row['gdb_num']}"
        size = len(row["memberships"])
        shown = [[*place, size - 1 - depth] for depth, place in enumerate(row["memberships"][:-1])]
        # An outer region has its begun inner one's primary thread, and not the other members.
        mine = places[row["gdb_num"]]
        found.same(subject, "regions and memberships", mine, shown[: len(mine)])
        if row["level"]:
            found.same(subject, "regions that have it", bool(mine), True)


def _parallel_regions(parallel: Document) -> list[Document]:
    """Return the regions of parallel constructs, and of hidden helpers. A league is at the level
    around them."""
    return [row for row in parallel["regions"] if row["kind"] in ("parallel", "helpers")]


def threads_and_tasks(threads: Document, tasks: Document, found: Findings) -> None:
    """The task that a thread executes is the first of its chain, which has an implicit task
    for each level."""
    chains: dict[int, list[Document]] = {}
    for task in tasks["tasks"]:
        chains.setdefault(task["gdb_num"], []).append(task)
    for row in threads["threads"]:
        chain = chains.get(row["gdb_num"], [])
        kinds = []
        at = 0 if chain else None
        while at is not None and len(kinds) <= len(chain):
            kinds.append(chain[at]["kind"])
            at = chain[at]["generating"]
        subject = f"thread {row['gdb_num']}"
        first = kinds[0] if kinds else None
        found.same(subject, "task in threads and in tasks", row["task"], first)
        if kinds[-1:] == ["initial"] and None not in kinds:
            found.same(subject, "implicit tasks and level", kinds.count("implicit"), row["level"])


def threads_and_why(threads: Document, why: Document, found: Findings) -> None:
    """What a thread does is the same in both, and it is in one group of a team."""
    groups: dict[int, list[Document]] = {}
    for team in why["teams"]:
        members = [number for group in team["groups"] for number in group["gdb_num"]]
        found.same("why", "members of a team twice", len(set(members)), len(members))
        for group in team["groups"]:
            for gdb_num in group["gdb_num"]:
                groups.setdefault(gdb_num, []).append(group)
    for row in threads["threads"]:
        mine = groups.get(row["gdb_num"], [])
        subject = f"thread {row['gdb_num']}"
        if row["level"]:
            found.same(subject, "groups of why that have it", bool(mine), True)
        for group in mine:
            if row["state"] == "idle":  # a helper may be so in a team
                idle = group["waits_for"] and group["waits_for"]["kind"]
                found.same(subject, "idle", idle, "idle")
            elif row["level"]:
                found.same(subject, "waits for", row["waits_for"], group["waits_for"])
                if row["state"] == "overhead" and not row["waits_for"]:
                    found.same(subject, "in the runtime", bool(group["outside"]), True)
            if group["arrived"] and not group["phase"] and row["task"] != "explicit":
                found.same(subject, "arrived, and waits", row["waits_for"] is not None, True)


def threads_and_functions(
    threads: Document, functions: dict[int, dict[str, Any]], found: Findings
) -> None:
    """The convenience functions say what the listing says."""
    for row in threads["threads"]:
        for name, said in functions.get(row["gdb_num"], {}).items():
            subject = f"thread {row['gdb_num']}"
            found.same(subject, f"function and listing, {name}", said, row[name])


def threads_and_tree(threads: Document, tree: Document, found: Findings) -> None:
    """Every thread of a team is in its tree or is named there, and no other is."""
    for each in tree["trees"]:
        region = each["region"]
        if region is None:
            continue
        nodes = each["nodes"]
        inner = {node["parent"] for node in nodes}
        leaves = [n for at, node in enumerate(nodes) if at not in inner for n in node["threads"]]
        placed = [number for node in nodes for number in node["threads"]]
        shown = placed + each["missing"] + each["unplaced"]
        members = [number for number in region["threads"] if number is not None]
        found.same(f"tree of region {region['id']}", "threads", sorted(set(shown)), sorted(members))
        found.same(f"tree of region {region['id']}", "leaves twice", len(leaves), len(set(leaves)))


def threads_and_stack(row: Document, stack: Document, found: Findings) -> None:
    """The stack of a thread is in as many regions as the listing says."""
    if row["level"] is not None and not stack["ends"]:
        regions = [each for each in stack["stack"] if each["entry"] == "region"]
        found.same(f"stack of {row['gdb_num']}", "regions", len(regions), row["level"])


def text_of_stack(gdb_num: int, text: str, states: dict[int, str], found: Findings) -> None:
    """The text of ``ompd bt`` of a thread in the runtime says what that of ``ompd threads``
    does."""
    doing = text.splitlines()[1:2]
    if doing and doing[0].startswith("    "):
        own = states.get(gdb_num)
        # A thread that is none of OpenMP's may call the runtime, too.
        right = "in the OpenMP runtime" if own == "not an OpenMP thread" else own
        found.same(f"text of stack of {gdb_num}", "state", doing[0].strip(), right)


def text_of_why(why: Document, text: str, found: Findings) -> None:
    """The first line of ``ompd why`` says what its document says."""
    first = _OF_INFERIOR.sub(r"\1", text.splitlines()[0])
    said = why["text"]
    found.same("why", "text and document", first, f"{said[:1].upper()}{said[1:]}.")


def text_of_threads(threads: Document, text: str, found: Findings) -> dict[int, str]:
    """The text of ``ompd threads -all`` says what its document says; return the states."""
    lines = text.splitlines()
    names = ("Team", "Level", "State", "Task", "Where")
    # Where no thread has a place there is no last column.
    heads = {name: at if (at := lines[0].find(name)) >= 0 else len(text) for name in names}
    rows = {}
    for line in lines[1:]:
        numbers = _ROW.match(line)
        if numbers:
            rows[int(numbers.group(1))] = line
    states = {}
    for row in threads["threads"]:
        line = rows.get(row["gdb_num"], "")
        subject = f"text of threads, thread {row['gdb_num']}"
        levels, own = list(row["memberships"]), [row["thread_num"], row["team_size"]]
        if levels and own[0] is not None and levels[0] != own:
            levels.insert(0, own)  # a league's, which has no level
        levels = levels[:-1] if len(levels) > 1 else levels
        team = " < ".join(f"{number} of {size}" for number, size in levels) or "-"
        found.same(subject, "team", line[heads["Team"] : heads["Level"]].strip(), team)
        task = line[heads["Task"] : heads["Where"]].strip()
        found.same(subject, "task", task, row["task"] or "-")
        states[row["gdb_num"]] = line[heads["State"] : heads["Task"]].strip()
        where = row["location"]
        if where and where["line"]:
            short = f"{where['file'].rpartition('/')[2]}:{where['line']}"
            found.same(subject, "line", short in line[heads["Where"] :], True)
    return states


def _numbers(ranges: str) -> list[int]:
    """Return the numbers of equal regions, such as "13-14,17"."""
    found: list[int] = []
    for each in ranges.split(","):
        first, _, last = each.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def text_of_parallel(
    parallel: Document, text: str, states: dict[int, str], found: Findings
) -> None:
    """The text of ``ompd parallel -all`` says what its document says, and of each thread what
    the text of ``ompd threads`` does."""
    matches = filter(None, map(_HEADING.match, text.splitlines()))
    headings = [(each, match) for match in matches for each in _numbers(match.group(1))]
    by_id = {row["id"]: row for row in _parallel_regions(parallel)}
    found.same("text of parallel", "regions", len(headings), len(by_id))
    for number, match in headings:
        row = by_id.get(number)
        if row is None:
            found.same("text of parallel", "region", match.group(0), None)
            continue
        said = [int(match.group(2)), int(match.group(4)), bool(match.group(5))]
        subject = f"text of parallel, region {row['id']}"
        found.same(subject, "facts", said, [row["level"], row["team_size"], row["serialized"]])
    for match in filter(None, map(_MEMBER.match, text.splitlines())):
        gdb_num, doing = int(match.group(2)), match.group(3)
        if not doing.startswith("in region"):
            state = states.get(gdb_num, "")
            subject = f"text of parallel, thread {gdb_num}"
            found.same(subject, "state", doing.startswith(state), True)
