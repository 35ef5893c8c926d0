# SPDX-License-Identifier: Apache-2.0
"""Some frames of a logical stack, as GDB's "bt 3" and "bt -3" have it."""

from __future__ import annotations


from ..model.stacks import Frames, LogicalStack, Mark, Part

MORE = "More stack frames follow..."


def some_frames(stack: LogicalStack, count: int, hidden: bool) -> LogicalStack:
    """Return the COUNT innermost frames of STACK, or the outermost ones if COUNT is
    negative, with the marks between them. HIDDEN tells whether hidden frames count."""
    single: list[Part] = []
    for part in stack.parts:
        if isinstance(part, Mark):
            single.append(part)
        else:
            single.extend(Frames(part.gdb_num, (frame,)) for frame in part.frames)
    counted = [n for n, part in enumerate(single) if _counts(part, hidden)]
    if count >= 0:
        if len(counted) <= count:
            return stack
        return stack._replace(
            parts=tuple(single[: counted[count - 1] + 1 if count else 0]), ends=MORE
        )
    return stack._replace(parts=tuple(single[counted[count] :])) if len(counted) > -count else stack


def _counts(part: Part, hidden: bool) -> bool:
    return isinstance(part, Frames) and (hidden or not part.frames[0].hidden)
