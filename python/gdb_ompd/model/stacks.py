# SPDX-License-Identifier: Apache-2.0
"""Stacks as plain frozen values: what one thread's stack holds, and the logical
stack that OpenMP's constructs make of several.

Frames are in GDB's order, innermost first; ``None`` means "not known".
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Optional, Union

from . import Code, Location, Region, Thread


SIGNAL = "<signal handler called>"  # the function of the frame that the kernel made, as GDB has it


class Construct(str, Enum):
    """What made the runtime call the user's code."""

    REGION = "region"
    LEAGUE = "league"
    TASK = "task"
    TARGET = "target"  # the host executes the region of a target construct, in the same task
    UNKNOWN = "runtime"  # a callback, or a body whose kind the stack does not tell


class StackFrame(NamedTuple):
    """One of GDB's frames. NUMBER is what ``frame NUMBER`` in its thread selects.

    OUTLINED tells that it is the body of a construct, whose arguments are the
    compiler's. HIDDEN frames are the runtime's, or were made by the compiler only
    to call another one. FOUND_BY_SEARCH tells that the function that it has called has no
    unwind information: there may be more frames between the two.
    """

    number: int
    function: Optional[str]
    file: Optional[str]
    line: Optional[int]
    pc: int
    outlined: bool = False
    hidden: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    code: Optional[Code] = None
    found_by_search: bool = False


class Boundary(NamedTuple):
    """How a segment's outermost frame came to be called. RUNTIME are the frames in
    between, PLACE is where the user's code began the construct. At the BOTTOM of a
    worker's stack there is no such code. CONSTRUCT is the task's by the body that was called,
    where a frame of that is left. IN_CREATOR tells that the call executes no tasks but those
    that its caller has created."""

    kind: Construct
    runtime: tuple[StackFrame, ...] = ()
    place: Optional[Location] = None
    bottom: bool = False
    construct: Optional[Location] = None
    in_creator: bool = False


class Segment(NamedTuple):
    """The frames of one task: none of a task that waits at the end of its region.
    BOUNDARY is None where the stack begins."""

    frames: tuple[StackFrame, ...]
    boundary: Optional[Boundary]


class Stack(NamedTuple):
    """One thread's stack, a segment for each task on it, innermost first. INSIDE are
    the runtime's frames that the innermost user frame has called; the innermost of these,
    so many as SYSTEM says, are functions of the system's. It IS_LOST where the outermost frame
    has no unwind information, and its caller is not found."""

    gdb_num: int
    inside: tuple[StackFrame, ...]
    segments: tuple[Segment, ...]
    complete: bool = True  # unwinding came to the stack's beginning
    system: int = 0
    is_lost: bool = False


def ends_in(stack: Stack) -> Optional[str]:
    """Return the code that a stack ends in because it has no unwind information: a file's name, or
    what it is that is in no file; None where it does not."""
    frames = [*stack.inside, *(frame for part in stack.segments for frame in part.frames)]
    if not (stack.is_lost and frames):
        return None
    return frames[-1].code.file if frames[-1].code else "code of no file"


class Frames(NamedTuple):
    """Frames of one thread in a logical stack."""

    gdb_num: int
    frames: tuple[StackFrame, ...]


class Mark(NamedTuple):
    """A construct in a logical stack, between its body and the code that began it.

    THREAD_NUM and TEAM_SIZE are those of GDB_NUM in the region. CONTINUED is the
    thread whose frames follow, where that is another one. CREATOR tells whether
    the frames that follow are those of a task's creator. Otherwise they are those
    in which the task was scheduled: False where the creator is on no stack, None
    where it is not known.
    """

    kind: Construct
    gdb_num: int
    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    region: Optional[int] = None
    level: Optional[int] = None
    thread_num: Optional[int] = None
    team_size: Optional[int] = None
    serialized: bool = False
    continued: Optional[int] = None
    creator: Optional[bool] = True
    code: Optional[Code] = None


Part = Union[Frames, Mark]


class LogicalStack(NamedTuple):
    """A thread's stack as the program's source has it. ENDS says why it does not go
    on to the program's start, None where it does."""

    gdb_num: int
    parts: tuple[Part, ...]
    ends: Optional[str] = None
    notes: tuple[str, ...] = ()


class Place(NamedTuple):
    """What a merged tree shows at one node. It is a frame, by its CODE where it has no source, and
    by its PC where it is in no file either. Or it is a TASK, whose frames follow, or the nested
    REGION that the threads are in, which has a tree of its own. Or it is what they do in the
    runtime, as a thread with no other facts (DOING)."""

    function: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    task: bool = False
    region: Optional[int] = None
    doing: Optional[Thread] = None
    pc: Optional[int] = None
    code: Optional[Code] = None


class Member(NamedTuple):
    """A thread in a merged tree; THREAD_NUM is None outside regions."""

    gdb_num: int
    thread_num: Optional[int] = None


class Node(NamedTuple):
    """Threads that have the same frames from the outermost one down to here. PARENT is
    the index of the frame around it in the tree's nodes."""

    place: Place
    members: tuple[Member, ...]
    parent: Optional[int]


class Tree(NamedTuple):
    """The merged stacks of one team, or of the threads that are in none (REGION is
    None); not KNOWN, of those of which that cannot be told. Each node comes after its
    parent; MISSING are members without a stack, UNPLACED those whose stack and the runtime
    do not agree, UNKNOWN the numbers in the team of those that GDB does not know. LOST are those in
    the tree whose stacks end in code without unwind information, by what that is in."""

    region: Optional[Region]
    nodes: tuple[Node, ...]
    missing: tuple[Member, ...] = ()
    known: bool = True
    unplaced: tuple[Member, ...] = ()
    unknown: tuple[int, ...] = ()
    lost: tuple[tuple[str, tuple[Member, ...]], ...] = ()
