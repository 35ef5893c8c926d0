# SPDX-License-Identifier: Apache-2.0
"""Whether gdb with the extension grows more than gdb alone, from samples of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# One snapshot of the program's eight threads is 8 KiB in more than 50 blocks.
MOST_KIB = 2.0
# Python's blocks are counted without chance: a sample itself is three of them.
MOST_BLOCKS = 1.0
# The C library takes memory from the system in pieces of 132 KiB; where a few
# more pieces fall is chance.
PIECES_KIB = 6 * 132

# Repeats, own KiB, Python's live blocks, open descriptors.
Sample = tuple[int, int, int, int]


@dataclass(frozen=True)
class Growth:
    """What one repeat of the work adds, once gdb has warmed up."""

    kib: float
    blocks: float
    repeats: int  # that it was measured over


def growth(samples: Sequence[Sample]) -> Growth:
    """Return the slopes over the second half of SAMPLES."""
    half = samples[len(samples) // 2 :]
    counts = [sample[0] for sample in half]
    return Growth(
        _slope(counts, [sample[1] for sample in half]),
        _slope(counts, [sample[2] for sample in half]),
        counts[-1] - counts[0],
    )


def _slope(xs: Sequence[int], ys: Sequence[int]) -> float:
    """Fit a line by least squares."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread


def complaints(work: str, ours: Sequence[Sample], plain: Sequence[Sample]) -> Iterator[str]:
    """Yield what grows more than gdb alone does; nothing if all is well, or nothing was done."""
    if len(ours) == 1:
        return
    more = ours[-1][3] - ours[len(ours) // 2][3]
    if more > 0:
        yield f"{work}: {more} descriptors more are open than half-way"
    mine, its = growth(ours), growth(plain)
    allowed = MOST_KIB + PIECES_KIB / mine.repeats
    # gdb alone gives memory back now and then: that is no reason to complain.
    if mine.kib - max(its.kib, 0.0) > allowed:
        yield (
            f"{work}: each adds {mine.kib:.1f} KiB, {its.kib:.1f} KiB with gdb alone"
            f" ({allowed:.1f} KiB more are allowed)"
        )
    if mine.blocks - its.blocks > MOST_BLOCKS:
        yield (
            f"{work}: each adds {mine.blocks:.1f} of Python's blocks, {its.blocks:.1f} with gdb"
            f" alone ({MOST_BLOCKS:.0f} more is allowed)"
        )
