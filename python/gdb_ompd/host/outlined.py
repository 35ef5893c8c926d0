# SPDX-License-Identifier: Apache-2.0
"""The names of the functions that compilers make of OpenMP's constructs.

Compilers move a construct's body into a function of its own, and name it after the
function that the construct is in or with a mark alone; C and Fortran have no dots
in names, so that a dot tells the compiler's part. A debugger adds a parameter list and
qualifiers in C++, and writes the mark as a clone's where it demangles the rest:

    clang     .omp_outlined.  .omp_outlined._debug__.1(int &) const  .omp_task_entry..8
    clang 17  main.omp_outlined_debug__.3  _Z4workv.omp_outlined.omp.reduction.reduction_func
    GCC       _Z4workv._omp_fn.0(void)  main._omp_cpyfn.2  work() [clone ._omp_fn.0.cold]
    flang     main_..omp_par.1
"""

from __future__ import annotations

import functools
import re
from enum import Enum
from typing import NamedTuple, Optional


class Made(Enum):
    """What a compiler has made a function for."""

    BODY = "body"  # clang's, of a region or a task; or what only calls one that is DEBUG
    DEBUG = "debug"  # the body that clang makes for debuggers
    TASK = "task"  # clang's function that the runtime calls for a task, to call its body
    GCC = "gcc"  # GCC's, of a region or a task
    HELPER = "helper"  # combines, initializes or copies variables


class Outlined(NamedTuple):
    """A compiler's function. FUNCTION is what its name says of the one that it was made
    in, as linkers have that, "" if nothing; of a construct in another one's body that
    is the outermost."""

    made: Made
    function: str


CLONE = re.compile(r" \[clone (?P<suffix>[^\]]*)\]")
QUALIFIERS = re.compile(r"\)(?: const| volatile| &&?| noexcept)*$")
MARK = re.compile(
    r"\.(?:(?P<body>omp_outlined|omp_par\b)|(?P<task>omp_task_entry)|(?P<gcc>_omp_fn)"
    r"|_omp_cpyfn|omp[._]\w|red_(?:init|comb|fini)\b)"
)
TARGET = re.compile(r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_(?P<function>\w+)_l\d+(?:_debug__)?$")
DEBUG = re.compile(r"\.?_debug__(?:\.\d+)*")


@functools.lru_cache(maxsize=4096)
def outlined(name: Optional[str]) -> Optional[Outlined]:
    """Return what a compiler made the function NAME for, None if the user wrote it."""
    if not name or "omp" not in name and "red_" not in name:
        return None
    clones = "".join(CLONE.findall(name))
    shown = without_parameters(CLONE.sub("", name))
    marks = list(MARK.finditer(shown + clones))
    # The user's own functions have their dots, if any, in templates' arguments.
    if not marks or marks[0].start() < shown.rfind(">"):
        return None
    last = marks[-1]
    return Outlined(_made(last, (shown + clones)[last.end() :]), shown[: marks[0].start()])


def _made(mark: re.Match[str], rest: str) -> Made:
    if mark.group("body"):
        return Made.DEBUG if DEBUG.match(rest) else Made.BODY
    if mark.group("task"):
        return Made.TASK
    return Made.GCC if mark.group("gcc") else Made.HELPER


def function_of_target(name: Optional[str]) -> Optional[str]:
    """Return the function, as linkers have it, of the target region that clang has made the
    function NAME of, None if it is none. Where there is no device it is called as the user's
    own code would be."""
    found = TARGET.match(without_parameters(name)) if name and name.startswith("__omp") else None
    return found.group("function") if found is not None else None


def is_outlined(name: Optional[str]) -> bool:
    """Tell whether a compiler has made the function of a construct."""
    return outlined(name) is not None


def is_task_entry(name: Optional[str]) -> bool:
    """Tell whether NAME is what the runtime calls for a task of clang's."""
    return _is(name, Made.TASK)


def is_region_body(name: Optional[str]) -> bool:
    """Tell whether NAME is an outlined body, other than what clang calls for a task."""
    return _is(name, Made.BODY, Made.DEBUG, Made.GCC)


def is_clangs_body(name: Optional[str]) -> bool:
    """Tell whether NAME is an outlined body of clang's, or calls one."""
    return _is(name, Made.BODY, Made.DEBUG, Made.TASK)


def is_gccs_body(name: Optional[str]) -> bool:
    """Tell whether NAME is an outlined body of GCC's."""
    return _is(name, Made.GCC)


def is_helper(name: Optional[str]) -> bool:
    """Tell whether NAME is what combines, initializes or copies variables of a construct."""
    return _is(name, Made.HELPER)


def is_wrapper_of(caller: Optional[str], callee: Optional[str]) -> bool:
    """Tell whether one outlined function is there only to call the other: a task's
    entry its body, or clang's wrapper the body that it makes for debuggers."""
    if _is(caller, Made.TASK):
        return _is(callee, Made.BODY, Made.DEBUG) or function_of_target(callee) is not None
    if function_of_target(caller) is not None:
        return without_parameters(callee or "") == without_parameters(caller or "") + "_debug__"
    return _is(caller, Made.BODY) and _is(callee, Made.DEBUG)


def is_private_map(name: Optional[str]) -> bool:
    """Tell whether NAME is what a task's body of clang's calls to find its private
    variables."""
    return bool(name) and _is(name, Made.HELPER) and "omp_task_privates_map" in (name or "")


def _is(name: Optional[str], *made: Made) -> bool:
    found = outlined(name)
    return found is not None and found.made in made


def without_parameters(name: str) -> str:
    """Drop a C++ function's parameter list, as GDB's frame lines do."""
    if QUALIFIERS.search(name) is None:
        return name
    depth = 0
    for position in range(name.rindex(")"), -1, -1):
        depth += {")": 1, "(": -1}.get(name[position], 0)
        if depth == 0:
            # The parentheses of "operator()" are its name, and "(anonymous namespace)".
            own = name[:position].endswith("operator") or position == 0
            return name if own else name[:position]
    return name


def without_template_arguments(name: str) -> str:
    """Drop what follows a function template's name: "scale<double>" is "scale"."""
    if not name.endswith(">") or "operator" in name:
        return name
    depth = 0
    for position in range(len(name) - 1, -1, -1):
        depth += {">": 1, "<": -1}.get(name[position], 0)
        if depth == 0:
            return name[:position]
    return name
