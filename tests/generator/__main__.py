# SPDX-License-Identifier: Apache-2.0
"""Stop generated programs at random, in each way to build and run them, and report."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.building import WAYS
from generator.deprivations import BY_NAME, of
from generator.running import stop_at

STOPS_OF_ONE = 25  # of each program
MOST_UNKNOWN = 0.02
SHOWN = 12  # findings of a program


@dataclass
class Sum:
    """What was found in programs of one deprivation, or in all."""

    stops: int = 0
    facts: int = 0
    wrong: int = 0
    contradictions: int = 0
    unknown: Counter[str] = field(default_factory=Counter)  # by fact and reason

    def add(self, report: dict[str, Any]) -> None:
        self.stops += report["stops"]
        self.facts += report["facts"]
        self.wrong += len(report["wrong"])
        self.contradictions += len(report["contradictions"])
        self.unknown.update(report["unknown"])

    def __str__(self) -> str:
        unknown = sum(self.unknown.values())
        return (
            f"{self.stops} stops, {self.facts} facts, {self.wrong} wrong, "
            f"{self.contradictions} contradictions, {unknown} unknown "
            f"({unknown / max(self.facts, 1):.2%})"
        )

    def by_fact(self) -> Counter[str]:
        """Return how many of each fact are not known, whatever the reason."""
        found: Counter[str] = Counter()
        for each, count in self.unknown.items():
            found[each.split(":")[0]] += count
        return found


def too_much_unknown(sums: dict[str, Sum]) -> bool:
    """Tell whether more is unknown than a deprivation loses, and than may be by chance."""
    return any(
        sum(n for fact, n in each.by_fact().items() if fact not in BY_NAME[name].loses)
        > MOST_UNKNOWN * max(each.facts, 1)
        for name, each in sums.items()
    )


def main(stops: int, first: int, only: str = "") -> int:
    """Stop STOPS times in all, from the program FIRST on, or in those programs alone that are
    deprived of ONLY; return the exit code."""
    sums: dict[str, Sum] = {}
    done = errors = 0
    seed = first
    while done < stops:
        deprived, seed = of(seed), seed + 1
        if only and deprived.name != only:
            continue
        report = _one(seed - 1, min(STOPS_OF_ONE, stops - done))
        if report is None or report["error"]:
            errors += 1
            done += 1
        if report is not None:
            done += report["stops"]
            sums.setdefault(deprived.name, Sum()).add(report)
    return _conclude(sums, errors)


def _one(seed: int, stops: int) -> dict[str, Any] | None:
    """Stop the program of a number, and print what is found; return None where that failed."""
    way = WAYS[seed % len(WAYS)]
    language = ("c", "cpp")[seed // len(WAYS) % 2]
    head = f"{seed} {language} {way} {of(seed).name or 'with all'}"
    folder = Path(tempfile.mkdtemp(prefix=f"generated-{seed}-{language}-{way}-"))
    try:
        report = stop_at(seed, language, way, stops, folder)
    except Exception as error:
        print(f"{head}: in {folder}: {error}", flush=True)
        return None
    found = Sum()
    found.add(report)
    print(f"{head}: {found}", flush=True)
    if report["error"]:
        print(f"  in {folder}: {report['error']}")
    if report["aborted"]:
        print(f"  ended by its runtime: {report['aborted']}")
    for line in (report["wrong"] + report["contradictions"])[:SHOWN]:
        print(f"  {line}")
    if report["wrong"] or report["contradictions"]:
        print(f"  in {folder}", flush=True)
    return report


def _conclude(sums: dict[str, Sum], errors: int) -> int:
    total = Sum()
    print()
    for name in filter(sums.__contains__, BY_NAME):
        each = sums[name]
        print(f"{name or 'with all'}: {each}")
        for fact, count in each.by_fact().most_common():
            print(f"  {count} {fact}")
        total.stops += each.stops
        total.facts += each.facts
        total.wrong += each.wrong
        total.contradictions += each.contradictions
        total.unknown.update(each.unknown)
    print(f"\n{total}, {errors} runs that did not end well")
    for reason, count in total.unknown.most_common():
        print(f"  {count} {reason}")
    return int(bool(total.wrong or total.contradictions or errors or too_much_unknown(sums)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
