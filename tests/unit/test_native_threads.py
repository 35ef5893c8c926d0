# SPDX-License-Identifier: Apache-2.0
"""The debugger's listing of threads, as native code makes it."""

from __future__ import annotations

from typing import NamedTuple, Optional

import pytest

from gdb_ompd import _native
from gdb_ompd._native import NativeThread

NOT_TOLD = (RuntimeError("no libthread_db"), SystemError("no executable"))


class Listed(NamedTuple):
    """A thread as GDB's Python has it."""

    num: int
    ptid: tuple[int, int, int]
    pthread_id: int = 0x7000
    exited: bool = False
    running: bool = False
    failure: Optional[BaseException] = None

    def is_exited(self) -> bool:
        return self.exited

    def is_running(self) -> bool:
        return self.running

    def handle(self) -> bytes:
        if self.failure is not None:
            raise self.failure
        return self.pthread_id.to_bytes(8, "little")


def listing(*threads: Listed) -> list[NativeThread]:
    return _native.native_threads(2, threads)


def test_the_listing_is_by_number_without_those_that_have_exited() -> None:
    rows = listing(
        Listed(3, (10, 13, 0), running=True),
        Listed(1, (10, 11, 0)),
        Listed(2, (10, 12, 0), exited=True),
    )
    assert rows == [NativeThread(1, 11, 0x7000, False, 2), NativeThread(3, 13, 0x7000, True, 2)]


def test_a_thread_has_any_number_that_a_damaged_core_gives_it() -> None:
    rows = listing(Listed(1, (10, -7, 0)), Listed(2, (10, 0, (1 << 64) - 1)))
    assert [row.lwp for row in rows] == [0, (1 << 64) - 1]


@pytest.mark.parametrize("failure", NOT_TOLD, ids=lambda each: type(each).__name__)
def test_a_pthread_id_that_cannot_be_told_is_none(failure: BaseException) -> None:
    assert listing(Listed(1, (10, 11, 0), failure=failure))[0].pthread_id is None


def test_ctrl_c_ends_the_listing() -> None:
    with pytest.raises(KeyboardInterrupt):
        listing(Listed(1, (10, 11, 0), failure=KeyboardInterrupt()))
