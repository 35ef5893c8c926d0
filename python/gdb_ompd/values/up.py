# SPDX-License-Identifier: Apache-2.0
"""An expression over variables that are looked up along the logical stack: GDB evaluates it where
the first was found, and has the others as they were found, whatever else has their names there.
"""

from __future__ import annotations

import re
from typing import Iterator, Mapping, Optional

import gdb

from ..errors import NotFound, OmpdToolError
from ..host.expressions import (
    NO_TEXT,
    Evaluator,
    Format,
    address_of,
    calls_forbidden,
    changes,
    in_own_language,
    known_to_gdb,
    referred,
    remember,
)
from ..host.locations import NO_SYMBOL, is_variable, names_in, renamed
from ..host.selection import kept_selection, level_of, selected_thread, threads_of
from ..model.values import FoundValue, ThreadValue
from ..host.sessions.session import Session
from .fortran import led_to
from .frames import frames
from .lookup import FoundVariable, in_words, look_up
from .pieces import checked, is_followed

NO_NAME = '"{0}" has no name of a variable'
NOT_IN_MEMORY = "{0} is in no memory there: nothing is changed with it"
_VARIABLE = "_omp_up_{0}"
# A name that is no variable's, or says itself whose it is.
_OTHER = r"\b(?:struct|union|enum|class)\s+{0}\b|::\s*{0}\b|\b{0}\s*::"
_QUALIFIED = re.compile(r"(?:::)?(?:(?:'[^']+'|\w+(?:<[^<>]*>)?)::)+\w+|::\w+")


def shown(session: Session, expression: str, how: Format) -> FoundValue:
    """Evaluate an expression, and write its value, which enters GDB's value history."""
    expression = expression.strip()
    with in_own_language():
        found, value, address = evaluated(session, expression)
        with how.applied(), calls_forbidden(), in_words(expression):
            text = how.text(value)
    row = ThreadValue(next(iter(found.values())).gdb_num, None, text=text, address=address)
    if row.text in ("", "<optimized out>"):
        row = row._replace(text=None, error="optimized out" if row.text else NO_TEXT)
    remember(value)
    return FoundValue(expression, row, tuple(at.named(name) for name, at in found.items()))


def evaluated(
    session: Session, expression: str
) -> tuple[dict[str, FoundVariable], gdb.Value, Optional[int]]:
    """Return the variables of an expression, as the selected thread has them, the value, and where
    that is in memory. Keeps the selection."""
    names = names_in(expression)
    if [expression.lower()] == [name.lower() for name in names]:
        only = look_up(session, names[0])
        return {names[0]: only}, only.value, only.address
    found, value = _evaluated(session, expression)
    is_in_memory = all(each.address is not None for each in found.values())
    return found, value, address_of(value) if is_in_memory else None


def _evaluated(session: Session, expression: str) -> tuple[dict[str, FoundVariable], gdb.Value]:
    """Return the variables of an expression and its value. Keeps the selection."""
    found: dict[str, FoundVariable] = {}
    missing: dict[str, NotFound] = {}
    for name in names_in(expression):
        if re.search(_OTHER.format(name), expression):
            continue
        try:
            found[name] = look_up(session, name)
        except NotFound as error:
            missing[name] = error
    found.update(_qualified(expression))
    if not found and not missing and _QUALIFIED.search(expression):
        with in_words(expression), calls_forbidden():
            Evaluator(expression).evaluate()  # GDB says what it does not know
    if not found:
        raise next(iter(missing.values()), NotFound(NO_NAME.format(expression)))
    with kept_selection(), in_words(expression), calls_forbidden():
        _select(next(iter(found.values())))
        for name, why in missing.items():
            if _is_variable(name):
                raise why  # GDB would take another
        spelled, values = _by_convenience(found, expression)
        try:
            with known_to_gdb(values):
                return found, referred(led_to(expression, Evaluator(spelled).evaluate()))
        except gdb.error as error:
            unknown = NO_SYMBOL.match(str(error))
            if unknown is not None and unknown.group(1) in missing:
                raise missing[unknown.group(1)] from error
            raise


def _qualified(expression: str) -> Iterator[tuple[str, FoundVariable]]:
    """Yield the static variables whose names in an expression say whose they are."""
    thread = selected_thread()
    for name in _QUALIFIED.findall(expression):
        try:
            value = gdb.parse_and_eval(name)
        except gdb.error:
            continue  # a type's, or what GDB says of it is said of the expression
        is_function = value.type.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD)
        if thread is not None and not is_function:
            yield name, FoundVariable(value, thread.num, address_of(value))


def _select(found: FoundVariable) -> None:
    """Select the frame that a variable was found in, if it is in one."""
    if found.level is None:
        return
    thread = next(t for t in threads_of(gdb.selected_inferior()) if t.num == found.gdb_num)
    thread.switch()
    frame = next((frame for frame, _ in frames() if level_of(frame) == found.level), None)
    if frame is not None:
        frame.select()


def _is_variable(name: str) -> bool:
    """Tell whether GDB has a variable NAME in the selected frame, not a type or a function."""
    symbol, is_member = gdb.lookup_symbol(name)
    if symbol is None:
        return bool(is_member)
    return is_variable(symbol)


def _by_convenience(
    found: Mapping[str, FoundVariable], expression: str
) -> tuple[str, dict[str, gdb.Value]]:
    """Return an expression with convenience variables in the place of what was FOUND, and these."""
    values: dict[str, gdb.Value] = {}
    for name, at in found.items():
        own = _VARIABLE.format(name)
        if not is_followed(expression, name):
            checked(name, at.value)
        address: Optional[gdb.Value] = at.value.address
        if at.address is None and changes(expression):
            raise OmpdToolError(NOT_IN_MEMORY.format(name))
        values[own] = at.value if address is None else address
        expression = renamed(expression, name, f"${own}" if address is None else f"(*${own})")
    return expression, values
