# SPDX-License-Identifier: Apache-2.0
"""What threads execute of worksharing loops, as plain frozen values; ``None`` means "not known"."""

from __future__ import annotations

from typing import NamedTuple, Optional

from . import Location

Range = tuple[int, int]  # the first and the last


class Share(NamedTuple):
    """What one thread of a team has of a loop, in values of what the compiler counts. Clang counts
    iterations, from 0 on, and GCC the user's variable. Of collapsed loops GCC counts iterations, too,
    and so does what is INFERRED: of a loop that GCC's code shares out by itself the code alone tells.
    Otherwise GCC's numbers are OF_VARIABLE, but for ITERATION.

    PLACE is the loop's, None of a thread that is in none that is known. SCHEDULE is "static",
    "dynamic", "guided" or "", WHOLE and STEP are the loop's, NOW is what the thread was given, of
    which it executes ITERATION (counted from 0). LATER is its own unless another thread steals it;
    from each of its chunks to its next are STRIDE. NEXT has been given to no thread, ALL_GIVEN
    tells that there is nothing left. It ASKS for more: it is in that call."""

    thread_num: int
    gdb_num: Optional[int]
    place: Optional[Location] = None
    schedule: str = ""
    chunk: Optional[int] = None
    whole: Optional[Range] = None
    step: Optional[int] = None
    now: Optional[Range] = None
    iteration: Optional[int] = None
    later: Optional[Range] = None
    stride: Optional[int] = None
    next: Optional[int] = None
    all_given: bool = False
    asks: bool = False
    inferred: bool = False
    of_variable: Optional[bool] = False
