# SPDX-License-Identifier: Apache-2.0
"""What compilers describe wrongly: where a row of the table is met, a value is unknown.

The right value of such a name is nowhere. What is described otherwise than GDB reads it, and is
somewhere, is read by ``arrays``, ``elsewhere``, ``statics``, ``loop_variables`` and ``fortran``.
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Union

import gdb

from .._native import FunctionName, WaitReader
from ..host.charset import is_fortran
from ..host.locations import block_of, locals_named, names_in, object_type, qualified_in
from ..host.stack_places import is_place_for_value
from .arrays import is_copy_of_section
from .elsewhere import is_pushed
from .first_values import is_from_changed
from .fortran import of_reversed
from .misdescribed import (
    declared_in_ended,
    declared_later,
    is_a_variable,
    is_handed_over,
    is_of_two_blocks,
    is_of_untied,
    may_be_captured,
    of_original_alone,
    of_sections,
    of_unread_sections,
)
from .outlived import is_freed, is_of_first_call, is_of_used_register
from .removed_stores import of_removed_store
from .statics import is_first_of_member, is_static_on_stack
from .unrolled import is_of_another_copy
from .unset import is_by_callers_frame, is_divided, is_not_copied_yet, is_told_by_quotient

# Whether it is met of a name in a frame: or the line that is to be said with it.
Met = Union[bool, int, None]

COPY = "not described: nothing is told of the copy of {0} that the directive in line {1} makes"
FIRST_OF_MEMBER = "not described: of the static member {0} clang tells only the first value"
REVERSED = (
    "GDB finds no single elements of {0}, which goes backwards through memory: print all of it"
)
NO_BODY = "not described: GCC tells nothing of this construct's body, where {0} may be its own"
_OF_SECTIONS = (
    "not described: GCC tells nothing of the copy of {0} that the sections in line {1} have"
)


def _is_without_members(name: str, frame: gdb.Frame) -> bool:
    own = next(locals_named(name, frame), None)
    if own is None or own.type is None:
        return False
    kind = object_type(own)
    return (
        kind.code == gdb.TYPE_CODE_STRUCT and not kind.tag and kind.sizeof > 1 and not kind.fields()
    )


class Fault(NamedTuple):
    """WRONG is what COMPILERS do, of the versions that were tried. SAID is of a name, and maybe a
    line. TEST fails where a compiler does so no longer. IS_ANOTHER tells that it is not known which
    variable a name is, and not only what its value is. OF_VALUE tells that it may be met in one
    thread at a place, and not in another there: see ``may_differ``."""

    name: str
    compilers: str
    wrong: str
    said: str
    test: str
    met: Callable[[str, gdb.Frame, WaitReader], Met]
    is_another: bool = False
    of_value: bool = False


FAULTS = (
    Fault(
        "declared-later",
        "GDB 13, of GCC 12 and clang 14 without optimisation",
        "A block's variable is there from the block's begin on, before its declaration.",
        "GDB does not tell what {0} means here: one is declared further down, at line {1}",
        "test_what_is_declared_further_down_is_not_meant",
        lambda name, frame, _: declared_later(name, frame),
        True,
    ),
    Fault(
        "handed-over",
        "clang 14",
        "What is handed over by value to a construct's body is described as the number of its bits.",
        "not described: of {0} clang tells only the bits where it calls the construct's body",
        "test_what_is_handed_over_to_a_body_is_told_as_the_body_has_it",
        lambda name, frame, _: is_handed_over(name, frame),
    ),
    Fault(
        "without-members",
        "clang 14 with optimisation",
        "Of an unnamed class only the size is described.",
        "not described: clang tells no members of {0}",
        "test_each_value_is_the_programs",
        lambda name, frame, _: _is_without_members(name, frame),
    ),
    Fault(
        "not-copied-yet",
        "GCC 12 and clang 14 without optimisation",
        "What a construct's body has from the code around is described before it is copied.",
        "not set yet: the construct's body has only begun, and has not copied {0}",
        "test_where_a_body_begins_it_has_not_copied_what_it_has",
        is_not_copied_yet,
    ),
    Fault(
        "callers-frame",
        "clang 14 and 19 without optimisation",
        "A function's first and last instructions do not have the frame pointer that tells places.",
        "not described: where its function begins or ends clang tells {0} by the caller's frame",
        "test_where_a_function_ends_nothing_is_told_by_its_callers_frame",
        is_by_callers_frame,
    ),
    Fault(
        "narrow-division",
        "GCC 12 with optimisation",
        "What is divided, or its sign, is described by 8 bytes, of which the code has 4.",
        "not described: GCC tells {0} by a division of 8 bytes, of which the code may have 4",
        "test_what_is_divided_is_not_told_from_all_of_a_register",
        lambda name, frame, _: is_divided(name, frame),
        of_value=True,
    ),
    Fault(
        "ended-block",
        "GCC 12: constructors in C++, and Fortran",
        "What a block inside of a construct's body declares is there in the whole body.",
        "not described: GCC does not tell where the block ends that declares {0}, at line {1}",
        "test_what_an_ended_block_declares_is_not_told",
        lambda name, frame, _: declared_in_ended(name, frame),
        True,
    ),
    Fault(
        "place-for-value",
        "clang 14 and 19 with optimisation",
        "Of a value that is converted and kept on the stack the place is described as the value.",
        "not described: of {0} clang tells the place on the stack as the value",
        "test_a_place_is_not_told_for_the_value",
        lambda name, frame, _: is_place_for_value(name, frame),
    ),
    Fault(
        "changed-register",
        "clang 14 and 19 with optimisation",
        "What several registers tell is described from one that the code has changed since.",
        "not described: clang tells {0} from a register that the code may have changed since",
        "test_each_iteration_has_its_own_value",
        is_from_changed,
    ),
    Fault(
        "first-call",
        "GCC 12 with optimisation",
        "Of calls by a function of itself a loop is made; arguments are told by the first call's.",
        "not described: of {0} GCC tells what the first of these calls has, of which it made a loop",
        "test_arguments_of_calls_that_became_a_loop",
        is_of_first_call,
    ),
    Fault(
        "used-register",
        "GCC 12 with optimisation",
        "A variable whose one place is a register is described by that in all of its block.",
        "not described: GCC tells {0} from a register that holds something else here",
        "test_a_register_that_holds_something_else",
        is_of_used_register,
    ),
    Fault(
        "freed",
        "GCC 12: Fortran",
        "Where a procedure ends the descriptors of arrays that it has freed are as they were.",
        "not described: this procedure ends, and may have freed {0}",
        "test_a_freed_array_is_not_told",
        is_freed,
    ),
    Fault(
        "unrolled",
        "GCC 12 and 14 with -funroll-loops, -fprofile-use or a pragma",
        "What a loop changes is described by one value in several copies of its body.",
        "not described: GCC tells one value of {0} for several copies of this line",
        "test_the_copies_of_an_unrolled_loop",
        is_of_another_copy,
    ),
    Fault(
        "static-on-stack",
        "GCC 12",
        "A static variable that a loop's body declares has a place on the stack.",
        "not described: of the static variable {0} GCC tells a place on the stack",
        "test_each_value_is_the_programs",
        lambda name, frame, _: is_static_on_stack(name, frame),
    ),
    Fault(
        "first-value-of-member",
        "clang 14",
        "A static member that its class gives a value is described as that value.",
        FIRST_OF_MEMBER,
        "test_a_static_member_is_not_its_first_value",
        lambda name, frame, _: is_first_of_member(name, frame),
    ),
    Fault(
        "section-of-array",
        "clang 14",
        "A reduction's copy of an array's section has the name of the array.",
        "not described: clang tells only the copy of a section of {0}, which a reduction has",
        "test_each_value_is_the_programs",
        lambda name, frame, _: is_copy_of_section(name, frame),
    ),
    Fault(
        "copies-of-sections",
        "GCC 12",
        "The copies that a sections construct has are not described.",
        _OF_SECTIONS,
        "test_each_value_is_the_programs",
        lambda name, frame, _: of_sections(name, frame),
    ),
    Fault(
        "original-alone",
        "clang 14",
        "Of what is lastprivate(conditional:), or was removed as a copy, only the original is described.",
        COPY,
        "test_each_value_is_the_programs",
        lambda name, frame, _: of_original_alone(name, frame),
    ),
    Fault(
        "untied",
        "clang 14",
        "What the body of an untied task declares is not described, or in two places.",
        "clang does not describe {0}, which the body of this untied task may declare",
        "test_no_other_variable_is_taken",
        lambda name, frame, _: is_of_untied(name, frame),
    ),
    Fault(
        "captured",
        "clang 14 with optimisation",
        "What an inlined lambda has captured is not described.",
        "not described: clang does not tell what this lambda has captured, where {0} may be it",
        "test_each_value_is_the_programs",
        lambda name, frame, _: may_be_captured(name, frame),
    ),
    Fault(
        "two-blocks",
        "GCC 12 with optimisation",
        "Of the code that two blocks end with one is kept, as the one block's.",
        "GDB does not tell which {0} this is: the code of two blocks has one end",
        "test_each_value_is_the_programs",
        is_of_two_blocks,
        True,
    ),
    Fault(
        "removed-store",
        "GCC 12 and clang 14 with optimisation",
        "What is stored, and not read again, is in memory as it was before that.",
        "not described: a store to {0} in line {1} was optimized out",
        "test_a_part_whose_store_was_removed_is_not_told",
        of_removed_store,
    ),
    Fault(
        "unread-sections",
        "GCC 12, without the source",
        "The copies that a sections construct has are not described.",
        _OF_SECTIONS,
        "test_without_the_source_no_value_is_wrong_and_none_lost",
        of_unread_sections,
        True,
    ),
    Fault(
        "pushed-arguments",
        "clang 14 with optimisation",
        "A place is told from the stack pointer, also where that has moved: see ``elsewhere``.",
        "not described: clang tells where {0} is by the stack pointer, which has moved",
        "test_a_place_told_from_a_stack_pointer_that_a_call_has_moved",
        is_pushed,
        True,
    ),
)


def may_differ(expression: str, frame: gdb.Frame) -> bool:
    """Tell whether it depends on a thread's values which fault is met where FRAME, which is selected,
    is."""
    by_quotient = any(is_told_by_quotient(name, frame) for name in names_in(expression))
    return by_quotient or (is_fortran() and "(" in expression)


def fault_of(
    expression: str,
    frame: gdb.Frame,
    code: WaitReader,
    another: bool = False,
    of_value: Optional[bool] = None,
) -> Optional[str]:
    """Say which name in the expression is not described rightly for the code that FRAME, which is
    selected, executes. ANOTHER asks only for names that may be another variable, OF_VALUE only for
    what depends on the thread's values, or not."""
    if block_of(frame) is None:
        hidden = filter(is_a_variable, names_in(expression))
        is_body = not another and FunctionName(frame.name()).is_outlined
        return next(map(NO_BODY.format, hidden), None) if is_body else None
    for name in (*names_in(expression), *qualified_in(expression)):
        for fault in (each for each in FAULTS if of_value in (None, each.of_value)):
            met = fault.met(name, frame, code) if fault.is_another or not another else None
            if met is not None and met is not False:
                return fault.said.format(name, met)
    backwards = None if another or of_value is False else of_reversed(expression, frame)
    return None if backwards is None else REVERSED.format(backwards)
