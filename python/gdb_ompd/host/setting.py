# SPDX-License-Identifier: Apache-2.0
"""GDB's own settings, changed for a while."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Union

import gdb


@contextmanager
def setting(name: str, value: Union[str, int, bool, None]) -> Iterator[None]:
    """Have GDB's parameter NAME be VALUE inside the block.

    Unlike gdb.with_parameter also while a thread is selected whose registers GDB cannot get,
    as with "record full" of one that another holds back: GDB does what "set" says, and then
    fails for that thread's frame.
    """
    before = gdb.parameter(name)
    _set(name, value)
    try:
        yield
    finally:
        _set(name, before)


def _set(name: str, value: Union[str, int, bool, None]) -> None:
    try:
        gdb.set_parameter(name, value)
    except gdb.error as error:
        if str(error) != why_no_frame():
            raise


def why_no_frame() -> str:
    """Return why GDB has no frame of the selected thread, "" where it has one."""
    try:
        gdb.newest_frame()
    except gdb.error as error:
        return str(error)
    return ""
