# SPDX-License-Identifier: Apache-2.0
"""What the threads of a team execute of the loops that they are in."""

from __future__ import annotations

from typing import Collection, Mapping, Optional, Sequence

import gdb

from .._native import ThreadLoop, WaitReader
from ..host.selection import frames_from, kept_selection, threads_of
from ..host.source import line_at
from ..model import Location
from ..model.loops import Range, Share
from ..model.values import AskedThread
from ..host.sessions.session import Session
from .first_values import iteration
from .frames import body_called_by

WORD = 1 << 64


def shares(
    session: Session, members: Sequence[AskedThread], further_in: Collection[int] = ()
) -> list[Share]:
    """Return what each of these threads of a team has. Those FURTHER_IN are in a region that they
    have begun within it: their innermost loop would be that region's."""
    known = (member.gdb_num for member in members if member.gdb_num is not None)
    found = session.loops([number for number in known if number not in further_in])
    threads = {thread.num: thread for thread in threads_of(gdb.selected_inferior())}
    with kept_selection():
        code = session.wait_reader()
        made = [_share(one, found.get(one.gdb_num or 0), threads, code) for one in members]
    return _with_whole(made)


def iteration_in(session: Session, frame: gdb.Frame) -> Optional[int]:
    """Return which iteration of a loop the selected thread executes in FRAME, counted from 0; None
    where that is not known. Keeps the selection."""
    frame = body_called_by(frame)
    with kept_selection():
        frame.select()
        found = iteration(frame, session.wait_reader())
        if found is not None:
            return found
        number = gdb.selected_thread().num
        loop = session.loops([number]).get(number)
    return loop.iteration if loop is not None and loop.pc == frame.pc() else None


def _with_whole(shares: list[Share]) -> list[Share]:
    """Return SHARES with the loop's bounds, where each thread has its own part of it for good."""
    parts = [
        s.now for s in shares if s.schedule == "static" and not (s.stride or s.whole) and s.now
    ]
    one_place = len({share.place and (share.place.file, share.place.line) for share in shares}) == 1
    if len(parts) < len(shares) or not one_place:
        return shares
    whole = min(part[0] for part in parts), max(part[1] for part in parts)
    return [share._replace(whole=whole, step=1) for share in shares]


def _share(
    member: AskedThread,
    loop: Optional[ThreadLoop],
    threads: Mapping[int, gdb.InferiorThread],
    code: WaitReader,
) -> Share:
    number = member.thread_num or 0
    if loop is None or member.gdb_num is None:
        return Share(number, member.gdb_num)
    file, line = line_at(loop.begun_at) or (None, None)
    at = loop.iteration
    if at is None:
        at = _iteration(threads.get(member.gdb_num), loop.pc, code)
    now = _range(loop, loop.now_first, loop.now_last)
    if loop.stride and now is not None:
        now = _chunk_around(now[0], loop, at)
    return Share(
        number,
        member.gdb_num,
        Location(None, file, line, loop.begun_at),
        loop.schedule,
        loop.chunk,
        _range(loop, loop.first, loop.last),
        loop.step,
        now,
        at,
        _range(loop, loop.kept_first, loop.kept_last),
        loop.stride,
        _value(loop, loop.next),
        loop.all_given,
        loop.asks,
        loop.is_inferred,
        loop.is_of_variable,
    )


def _chunk_around(first: int, loop: ThreadLoop, at: Optional[int]) -> Optional[Range]:
    """Return which of a thread's chunks, one of which begins at FIRST, the iteration AT is in.
    Where the code keeps the first of all alone, nothing else tells which it is. The loop's last
    chunk may be shorter."""
    end = _value(loop, loop.last)
    if at is None or end is None or not (loop.chunk and loop.stride):
        return None
    begin = at - (at - first) % loop.stride
    return (begin, min(begin + loop.chunk - 1, end)) if at < begin + loop.chunk else None


def _range(loop: ThreadLoop, first: Optional[int], last: Optional[int]) -> Optional[Range]:
    ends = _value(loop, first), _value(loop, last)
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _value(loop: ThreadLoop, value: Optional[int]) -> Optional[int]:
    return value % WORD if value is not None and loop.is_unsigned else value


def _iteration(thread: Optional[gdb.InferiorThread], pc: int, code: WaitReader) -> Optional[int]:
    """Return which iteration, counted from 0, the thread's frame at PC is in. Selects the thread."""
    if thread is None:
        return None
    thread.switch()
    try:
        frame = next((one for one in frames_from(gdb.newest_frame()) if one.pc() == pc), None)
    except gdb.error:
        return None
    if frame is None:
        return None
    frame.select()
    return iteration(frame, code)
