# SPDX-License-Identifier: Apache-2.0
"""The ``-json`` documents of ``ompd bt``."""

from __future__ import annotations

from typing import Sequence

from ..model import NO_FUNCTION
from ..model.stacks import Construct, Frames, LogicalStack, Mark, Node, StackFrame, Tree
from .json_document import Document, SCHEMA, region_document, waits_for_document


def stack(logical: LogicalStack, notes: Sequence[str], full: bool) -> Document:
    """Return the document of ``ompd bt -json``; FULL has the runtime's frames too."""
    listed: list[Document] = []
    for part in logical.parts:
        if isinstance(part, Frames):
            frames = (frame for frame in part.frames if full or not frame.hidden)
            listed.extend(_frame(part.gdb_num, frame) for frame in frames)
        else:
            listed.append(_mark(part))
    return {
        "schema": SCHEMA,
        "gdb_num": logical.gdb_num,
        "stack": listed,
        "ends": logical.ends,
        "notes": [*logical.notes, *notes],
    }


def trees(found: Sequence[Tree], notes: Sequence[str]) -> Document:
    """Return the document of ``ompd bt -team -json`` and ``-all -json``."""
    return {"schema": SCHEMA, "trees": [_tree(tree) for tree in found], "notes": list(notes)}


def _tree(tree: Tree) -> Document:
    return {
        "region": None if tree.region is None else region_document(tree.region),
        "known": tree.known,
        "nodes": [_node(node) for node in tree.nodes],
        "missing": [member.gdb_num for member in tree.missing],
        "unplaced": [member.gdb_num for member in tree.unplaced],
        "unknown": list(tree.unknown),
    }


def _node(node: Node) -> Document:
    place = node.place
    return {
        "parent": node.parent,
        "threads": [member.gdb_num for member in node.members],
        "thread_nums": [member.thread_num for member in node.members],
        "function": place.function,
        "file": place.file,
        "line": place.line,
        "task": place.task,
        "region": place.region,
        "state": place.doing.state if place.doing else None,
        "waits_for": waits_for_document(place.doing.waits_for) if place.doing else None,
    }


def _frame(gdb_num: int, frame: StackFrame) -> Document:
    own = {
        "number": frame.number,
        "pc": frame.pc,
        "outlined": frame.outlined,
        "hidden": frame.hidden,
        "arguments": dict(frame.arguments),
    }
    return {
        "entry": "frame",
        "gdb_num": gdb_num,
        "function": frame.function,
        "file": frame.file,
        "line": frame.line,
        "frame": own,
        "team": None,
        "continued": None,
        "creator": None,
        "unknown": {},
    }


def _mark(mark: Mark) -> Document:
    team = {
        "region": mark.region,
        "level": mark.level,
        "thread_num": mark.thread_num,
        "team_size": mark.team_size,
        "serialized": mark.serialized,
    }
    is_task = mark.kind is Construct.TASK
    doubt = NO_FUNCTION if is_task and mark.function is None else None
    return {
        "entry": mark.kind.value,
        "gdb_num": mark.gdb_num,
        "function": mark.function,
        "file": mark.file,
        "line": mark.line,
        "frame": None,
        "team": None if mark.region is None else team,
        "continued": mark.continued,
        "creator": mark.creator if is_task else None,
        "unknown": {} if doubt is None else {doubt.fact: doubt.failed},
    }
