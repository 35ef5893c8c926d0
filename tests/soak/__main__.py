# SPDX-License-Identifier: Apache-2.0
"""python -m soak RERUNS SNAPSHOTS STOPS ENDING: the full soak, with the samples and a verdict."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from soak.growth import complaints, growth
from soak.session import build_program, soak

HOURS = 3600.0


def main() -> int:
    """Run gdb alone and gdb with the extension; return 1 if the latter grows more."""
    reruns, snapshots, stops, ending = map(int, sys.argv[1:])
    more = {"timeout": 2 * HOURS, "stops": stops, "ending": ending}
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(Path(folder))
        plain = soak(program, reruns, snapshots, plain=True, **more)
        ours = soak(program, reruns, snapshots, **more)
    found: list[str] = []
    for work in (each for each in ours if len(ours[each]) > 1):
        print(
            f"\n{'after ' + work:>16}  {'gdb-ompd KiB':>12}  {'gdb KiB':>10}  {'descriptors':>15}"
        )
        for mine, its in zip(ours[work], plain[work]):
            print(f"{mine[0]:>16}  {mine[1]:>12}  {its[1]:>10}  {mine[3]:>7} {its[3]:>7}")
        for name, samples in (("gdb-ompd", ours[work]), ("gdb", plain[work])):
            each = growth(samples)
            print(f"{name:>16}: {each.kib:+.2f} KiB, {each.blocks:+.2f} blocks each, second half")
        found += complaints(work, ours[work], plain[work])
    print("\nsoak: " + ("; ".join(found) if found else "grows no more than gdb alone"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
