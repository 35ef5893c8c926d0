# SPDX-License-Identifier: Apache-2.0
"""Stop generated programs at random, in each way to build and run them, and report."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from generator.running import WAYS, deprivation, stop_at

STOPS_OF_ONE = 25  # of each program
MOST_UNKNOWN = 0.02


def main(stops: int, first: int) -> int:
    """Stop STOPS times in all, from the program FIRST on; return the exit code."""
    unknown: Counter[str] = Counter()
    done = facts = wrong = contradictions = errors = 0
    seed = first
    while done < stops:
        way = WAYS[seed % len(WAYS)]
        language = ("c", "cpp")[seed // len(WAYS) % 2]
        folder = Path(tempfile.mkdtemp(prefix=f"generated-{seed}-{language}-{way}-"))
        try:
            report = stop_at(seed, language, way, min(STOPS_OF_ONE, stops - done), folder)
        except Exception as error:
            report = None
            print(f"{seed} {language} {way}: {error}")
        if report is None or report["error"]:
            errors += 1
            print(f"{seed} {language} {way}: in {folder}: {report and report['error']}", flush=True)
            done += 1
        if report is not None:
            done += report["stops"]
            facts += report["facts"]
            wrong += len(report["wrong"])
            contradictions += len(report["contradictions"])
            unknown.update(report["unknown"])
            counts = f"{report['stops']} stops, {report['facts']} facts"
            print(
                f"{seed} {language} {way} {deprivation(seed)}: {counts}, {len(report['wrong'])} wrong, "
                f"{len(report['contradictions'])} contradictions, "
                f"{sum(report['unknown'].values())} unknown",
                flush=True,
            )
            if report["aborted"]:
                done += 1
                print(f"  ended by its runtime: {report['aborted']}")
            for line in (report["wrong"] + report["contradictions"])[:12]:
                print(f"  {line}")
            if report["wrong"] or report["contradictions"]:
                print(f"  in {folder}", flush=True)
        seed += 1
    share = sum(unknown.values()) / max(facts, 1)
    print(
        f"\n{done} stops, {facts} facts, {wrong} wrong, {contradictions} contradictions, "
        f"{sum(unknown.values())} unknown ({share:.2%}), {errors} runs that did not end well"
    )
    for reason, count in unknown.most_common():
        print(f"  {count} {reason}")
    return int(bool(wrong or contradictions or errors or share > MOST_UNKNOWN))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
