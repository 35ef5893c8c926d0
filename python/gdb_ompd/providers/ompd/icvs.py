# SPDX-License-Identifier: Apache-2.0
"""Internal control variables from libompd, each once, in words.

What libompd gets wrong is corrected here: aliases are dropped, the thread
number of a nested thread and a serialized region's level come from the graph,
and codes that hide a good value are understood (reference: ompd.md, 6).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Protocol, Union

from ... import _native
from ...model import Icv, IcvOwner, Scope
from ..icv_words import number_in_words

SCOPES = {
    _native.SCOPE_GLOBAL: Scope.GLOBAL,
    _native.SCOPE_ADDRESS_SPACE: Scope.ADDRESS_SPACE,
    _native.SCOPE_THREAD: Scope.THREAD,
    _native.SCOPE_PARALLEL: Scope.PARALLEL,
    _native.SCOPE_IMPLICIT_TASK: Scope.IMPLICIT_TASK,
    _native.SCOPE_TASK: Scope.TASK,
}
ALIAS_PREFIX = "ompd-"
STRINGS = frozenset(
    {"affinity-format-var", "tool-libraries-var", "tool-verbose-init-var", "run-sched-var"}
)
LISTS = frozenset({"nthreads-var", "bind-var"})
UNSUPPORTED = "ompd_rc_unsupported"
UNKNOWN_YET = "not known before the first parallel region"


@dataclass(frozen=True, slots=True)
class IcvName:
    """An ICV as libompd enumerates it."""

    number: int
    name: str
    scope: int


class IcvHandle(Protocol):
    """Any handle of libompd that ICVs can be asked of."""

    def icv(self, icv_id: int, scope: int) -> int:
        ...

    def icv_string(self, icv_id: int, scope: int) -> str:
        ...


def icv_names(process: _native.Process) -> list[IcvName]:
    """List the ICVs, without libompd's aliases."""
    return [
        IcvName(number, name, scope)
        for number, name, scope in process.enumerate_icvs()
        if not name.startswith(ALIAS_PREFIX) and scope in SCOPES
    ]


def read_icv(handle: IcvHandle, icv: IcvName, owner: Optional[IcvOwner]) -> Icv:
    """Ask libompd for one ICV; an ICV it cannot give has no value and says why."""
    try:
        value, text = _value(handle, icv)
    except _native.OmpdError as error:
        return unavailable(icv, owner, error)
    return Icv(icv.name, SCOPES[icv.scope], owner, value, text, "libompd")


def unavailable(icv: IcvName, owner: Optional[IcvOwner], error: _native.OmpdError) -> Icv:
    """Make an ICV that libompd does not give; libompd calls an unset string unsupported."""
    unset = icv.name in STRINGS and error.code_name == UNSUPPORTED
    why = "not set" if unset else f"not available ({_native.error_string(error.code)})"
    return Icv(icv.name, SCOPES[icv.scope], owner, None, why, "libompd")


def known_icv(
    name: str, scope: Scope, owner: Optional[IcvOwner], value: Optional[int], why: str = ""
) -> Icv:
    """Make an ICV whose value the runtime's structures give."""
    text = number_in_words(name, value) if value is not None else why
    return Icv(name, scope, owner, value, text, "runtime")


def _value(handle: IcvHandle, icv: IcvName) -> tuple[Union[int, str, None], str]:
    if icv.name in STRINGS:
        string = handle.icv_string(icv.number, icv.scope)
        return (string, _schedule(string)) if icv.name == "run-sched-var" else (string, string)
    if icv.name in LISTS:
        return _list_value(handle, icv)
    value = handle.icv(icv.number, icv.scope)
    if icv.name == "num-procs-var" and value == 0:
        return None, UNKNOWN_YET
    return value, number_in_words(icv.name, value)


def _list_value(handle: IcvHandle, icv: IcvName) -> tuple[Optional[int], str]:
    """Read an ICV that is a list by nesting level; the value is the first.

    libompd answers "incomplete" with a good value when the list goes on, and
    also when it has a single element.
    """
    text = handle.icv_string(icv.number, icv.scope)
    if re.fullmatch(r"-?\d+(,-?\d+)*", text) is None:
        return None, "not available (the OMPD library gives no list of numbers)"
    elements = [int(part) for part in text.split(",")]
    if icv.name == "nthreads-var" and elements[0] == 0:
        return None, UNKNOWN_YET
    return elements[0], ",".join(number_in_words(icv.name, element) for element in elements)


def _schedule(text: str) -> str:
    """Drop the chunk 0 by which libompd says that there is none."""
    return text.removesuffix(",0")
