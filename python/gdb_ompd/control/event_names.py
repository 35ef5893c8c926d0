# SPDX-License-Identifier: Apache-2.0
"""The events a program can be stopped at, and every name they go by.

The first names are ours; the 2014 report's (Eichenberger et al., section
"breakpoints") and OMPD's own (OpenMP 5.0, section 5.6) are taken, too.
"""

from __future__ import annotations

from typing import Optional

from ..providers.ompd.names import BREAKPOINT_FUNCTIONS, mangled

EVENTS = tuple(BREAKPOINT_FUNCTIONS)

OLDER_NAMES = {
    "parallel_pre_execute": "parallel-begin",
    "parallel_post_execute": "parallel-end",
    "task_pre_execute": "task-begin",
    "task_post_execute": "task-end",
}

# Exported by stripped runtimes, too: where LLVM's region begins, for clang's code and
# GCC's. Nothing that is exported is called at the other events.
EXPORTED = {"parallel-begin": "__kmp_fork_call"}

_BY_FUNCTION = {function: event for event, function in BREAKPOINT_FUNCTIONS.items()} | {
    mangled(function): event for event, function in BREAKPOINT_FUNCTIONS.items()
}
_BY_NAME = {event: event for event in EVENTS} | OLDER_NAMES | _BY_FUNCTION


def all_names() -> list[str]:
    """Return every name that ``event_named`` takes, ours first; not the mangled ones."""
    return [*EVENTS, *OLDER_NAMES, *BREAKPOINT_FUNCTIONS.values()]


def event_named(word: str) -> Optional[str]:
    """Return the event that WORD names, None if it names none."""
    return _BY_NAME.get(word)


def function_of(event: str) -> str:
    """Return the runtime's function that is called at EVENT, as GDB's ``break`` takes
    it: LLVM 14 to 16 mangle the name, and GDB finds it all the same."""
    return BREAKPOINT_FUNCTIONS[event]
