# SPDX-License-Identifier: Apache-2.0
"""Which of the user's commands is being answered, by a number.

An OMPD library that has failed is not asked again by the same command, though
it may ask a thousand times; the next command tries a fresh copy.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

_depth = 0
_number = 0


@contextmanager
def one_command() -> Iterator[None]:
    """What is asked inside belongs together, and to what is around it, if anything."""
    global _depth, _number
    if _depth == 0:
        _number += 1
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def command_number() -> int:
    """Return the number of the command being answered, or of the last one."""
    return _number
