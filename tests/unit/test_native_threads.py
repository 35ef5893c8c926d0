# SPDX-License-Identifier: Apache-2.0
"""Threads that native code makes: of the debugger's listing, and of what a runtime's reader says."""

from __future__ import annotations

from typing import NamedTuple, Optional

import pytest

from gdb_ompd import _native
from gdb_ompd.host.protocols import NativeThread
from gdb_ompd.model import Doubt, Membership, TaskKind, Thread, ThreadKind, WaitsFor
from gdb_ompd.providers import facts

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
    return _native.native_threads(NativeThread, 2, threads)


def test_the_listing_is_by_number_without_those_that_have_exited() -> None:
    rows = listing(
        Listed(3, (10, 13, 0), running=True),
        Listed(1, (10, 11, 0)),
        Listed(2, (10, 12, 0), exited=True),
    )
    assert rows == [NativeThread(2, 1, 11, 0x7000, False), NativeThread(2, 3, 13, 0x7000, True)]
    assert {type(row) for row in rows} == {NativeThread}


def test_a_thread_has_any_number_that_a_damaged_core_gives_it() -> None:
    rows = listing(Listed(1, (10, -7, 0)), Listed(2, (10, 0, (1 << 64) - 1)))
    assert [row.lwp for row in rows] == [0, (1 << 64) - 1]


@pytest.mark.parametrize("failure", NOT_TOLD, ids=lambda each: type(each).__name__)
def test_a_pthread_id_that_cannot_be_told_is_none(failure: BaseException) -> None:
    assert listing(Listed(1, (10, 11, 0), failure=failure))[0].pthread_id is None


def test_ctrl_c_ends_the_listing() -> None:
    with pytest.raises(KeyboardInterrupt):
        listing(Listed(1, (10, 11, 0), failure=KeyboardInterrupt()))


DOUBT = ("state", None, "ompd_get_state", 7)
INSIDE = ("worker", False, 4, 1, 1, ((0, 1),), 2, "wait_barrier", None, "implicit", None, (DOUBT,))
NATIVE = ("native", False, None, None, None, (), None, None, None, None, None, None)


def test_threads_share_what_is_said_of_several_and_have_their_own_numbers() -> None:
    natives = [NativeThread(1, n, 100 + n, 0x7000 + n, n == 3) for n in (1, 2, 3)]
    rows = [(0, (0, 4), INSIDE), (3, (3, 4), INSIDE), (None, None, NATIVE)]
    first, second, third = facts.threads(natives, rows, 5)
    assert first == Thread(
        inferior=1,
        gdb_num=1,
        lwp=101,
        pthread_id=0x7001,
        kind=ThreadKind.WORKER,
        thread_num=0,
        team_size=4,
        level=1,
        active_level=1,
        memberships=(Membership(0, 4), Membership(0, 1)),
        region=7,
        state="wait_barrier",
        waits_for=WaitsFor("barrier"),
        task=TaskKind.IMPLICIT,
        doubts=(Doubt(*DOUBT),),
    )
    own = {"gdb_num": 2, "lwp": 102, "pthread_id": 0x7002, "thread_num": 3}
    assert second == first._replace(**own, memberships=(Membership(3, 4), Membership(0, 1)))
    assert second.doubts is first.doubts and type(second) is Thread
    assert third == Thread(1, 3, 103, 0x7003, ThreadKind.NATIVE, running=True)
