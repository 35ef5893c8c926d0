# SPDX-License-Identifier: Apache-2.0
"""What the ranks of a job have of their machines: CPUs that several of them share, and which rank has
other settings than the rest."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from .phrases import counted, ranges

MOST = 3  # groups of ranks that are said; of more the number
COMMON = 2 / 3  # of the ranks have a value from which the others' differ
LEAST_RANKS = 3
WIDEST_LIST = 40


class OnMachine(NamedTuple):
    """A RANK on a HOST, the CPUS that its THREADS of OpenMP may run on, none where that is not
    known, and its SETTINGS by name."""

    rank: Optional[int]
    host: str
    cpus: frozenset[int] = frozenset()
    threads: int = 0
    settings: tuple[tuple[str, str], ...] = ()


def notes(placed: Iterable[OnMachine]) -> Iterator[str]:
    """Say what of a job's ranks makes it slow."""
    ranks = [one for one in placed if one.rank is not None]
    shared = list(_sharing(ranks))
    yield from shared[:MOST]
    if len(shared) > MOST:
        yield f"{len(shared) - MOST} more groups of ranks share CPUs."
    names = dict.fromkeys(name for one in ranks for name, _ in one.settings)
    for name in names:
        yield from _unlike(name, ranks)


def _sharing(ranks: Sequence[OnMachine]) -> Iterator[str]:
    """Say which ranks of one host share CPUs, of which their threads together need more."""
    for host in dict.fromkeys(one.host for one in ranks):
        groups: list[tuple[frozenset[int], list[OnMachine]]] = []
        for one in (each for each in ranks if each.host == host and each.cpus):
            own = [group for group in groups if group[0] & one.cpus]
            groups = [group for group in groups if group not in own]
            cpus = one.cpus.union(*(group[0] for group in own))
            groups.append((cpus, [*(rank for group in own for rank in group[1]), one]))
        for cpus, members in groups:
            threads = sum(each.threads for each in members)
            if len(members) > 1 and threads > len(cpus):
                numbers = ranges((each.rank or 0 for each in members), WIDEST_LIST)
                yield (
                    f"Ranks {numbers} share CPU{'s' if len(cpus) > 1 else ''} "
                    f"{ranges(cpus, WIDEST_LIST)} of {host}: {threads} threads of OpenMP on "
                    f"{counted(len(cpus), 'CPU')}. CPUs of its own for each rank help (mpirun "
                    "--map-by slot:PE=N --bind-to core, srun --cpus-per-task=N), or fewer threads."
                )


def _unlike(name: str, ranks: Sequence[OnMachine]) -> Iterator[str]:
    """Say which ranks have another value of a setting than most have."""
    values = {one.rank: dict(one.settings).get(name, "not set") for one in ranks}
    (common, count), *others = Counter(values.values()).most_common()
    if len(values) < LEAST_RANKS or not others or count < COMMON * len(values):
        return
    for value, _ in others[:MOST]:
        numbers = [rank for rank, own in values.items() if own == value and rank is not None]
        who = "Rank" if len(numbers) == 1 else "Ranks"
        have = "has" if len(numbers) == 1 else "have"
        yield (
            f"{who} {ranges(numbers, WIDEST_LIST)} {have} {name} {value}, the other "
            f"{counted(count, 'rank')} {common}."
        )
