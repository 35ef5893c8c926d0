# SPDX-License-Identifier: Apache-2.0
"""The native module from Python's side, with the fake library and without GDB."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any, Callable

import pytest

from gdb_ompd.errors import LibraryFailed

from fake_target import DATA, FakeMemoryError, FakeTarget

# The fake's ICVs (native/tests/fake_libompd.hpp).
LIVE_HANDLES, BAD_RELEASES, INCOMPLETE, PRINT, PRINT_STRING, THROW, COUNT, MASKED_READ = range(1, 9)


class World:
    """One process of the fake library."""

    def __init__(self, native: ModuleType, path: str) -> None:
        self.native = native
        self.target = FakeTarget()
        self.space = native.AddressSpace(self.target)
        self.library = native.Library(path)
        self.process = self.library.process_initialize(self.space)

    def icv(self, icv_id: int) -> int:
        value: int = self.process.icv(icv_id, self.native.SCOPE_ADDRESS_SPACE)
        return value

    def thread(self) -> Any:
        return self.process.thread(self.native.THREAD_ID_LWP, 5, 4)


@pytest.fixture
def world(native: ModuleType, fake_library: str) -> World:
    return World(native, fake_library)


def test_every_function_can_be_called(world: World, native: ModuleType) -> None:
    thread = world.thread()
    region = thread.curr_parallel()
    task = thread.curr_task()
    assert world.library.api_version() == world.library.agreed_version == 201811
    assert world.library.version_string() == "LLVM OpenMP, but a fake"
    assert world.process.omp_version() == 201811
    assert world.process.omp_version_string() == "201811"
    assert world.process.device_initialize(world.space, 1, b"d1").valid
    assert world.process.enumerate_states() == {n: "ompt_state_fake" for n in (0, 0x10, 0x20)}
    assert world.process.enumerate_icvs()[0] == (1, "fake-var", native.SCOPE_ADDRESS_SPACE)
    assert world.process.display_control_vars() == ["OMP_NUM_THREADS=4", "OMP_PLACES=\\xff"]
    assert thread.thread_id(native.THREAD_ID_LWP, 4) == 5
    assert thread.state() == (0, 0x77)
    assert thread.compare(thread) == 0
    assert region.thread_in_parallel(3).thread_id(native.THREAD_ID_PTHREAD) == 3
    assert region.task_in_parallel(4).function() == 0x5004
    assert region.enclosing_parallel().compare(region) == 1
    assert task.generating_task().compare(task) == 1
    assert task.scheduling_task().function() == 0x5000 + 20
    assert task.task_parallel().compare(region) == 9
    assert task.frame() == ((0x100, 0), (0x200, 0x11))
    assert task.tool_data(native.SCOPE_TASK) == (native.SCOPE_TASK, 0x1234)
    assert thread.icv_or_incomplete(INCOMPLETE, native.SCOPE_THREAD) == (33, True)
    assert thread.icv_string(1, native.SCOPE_THREAD) == "text of an ICV"
    world.library.finalize()
    assert not thread.valid


@pytest.mark.parametrize(
    "failure",
    [FakeMemoryError("no memory"), KeyboardInterrupt(), SystemExit(3), TypeError("a bug")],
    ids=lambda failure: type(failure).__name__,
)
@pytest.mark.parametrize("masked", [False, True], ids=["reported", "masked"])
def test_a_targets_exception_arrives_as_itself(
    world: World, failure: BaseException, masked: bool
) -> None:
    thread = world.thread()
    world.target.failure = failure
    with pytest.raises(type(failure)) as caught:
        world.icv(MASKED_READ) if masked else thread.state()
    assert caught.value is failure
    world.target.failure = None
    assert thread.state() == (0, 0x77)


def test_an_interrupt_is_not_retried(world: World) -> None:
    world.target.failure = KeyboardInterrupt()
    before = world.space.target_reads
    with pytest.raises(KeyboardInterrupt):
        world.icv(MASKED_READ)
    assert world.space.target_reads == before + 1


@pytest.mark.parametrize("answer", [b"", b"short", bytes(5000)])
def test_an_answer_of_the_wrong_length_is_an_error(
    world: World, native: ModuleType, answer: bytes
) -> None:
    world.target.answer = answer
    with pytest.raises(native.OmpdError) as caught:
        world.space.read(DATA, 8)
    assert caught.value.code_name == "ompd_rc_error"
    with pytest.raises(native.OmpdError):
        world.thread().state()


def test_an_answer_that_is_no_bytes_is_a_type_error(world: World) -> None:
    world.target.answer = "text"
    with pytest.raises(TypeError):
        world.space.read(DATA, 8)


def test_errors_say_which_call_failed(world: World, native: ModuleType) -> None:
    with pytest.raises(native.OmpdError) as caught:
        world.process.thread(native.THREAD_ID_LWP, 6, 4)
    assert caught.value.call == "ompd_get_thread_handle"
    assert caught.value.code == 1
    assert caught.value.code_name == "ompd_rc_unavailable"
    assert native.error_string(1) in str(caught.value)
    assert isinstance(caught.value, Exception)


def test_the_librarys_own_exception_is_reported(world: World, native: ModuleType) -> None:
    assert world.library.failure is None
    with native.Guarded(), pytest.raises(LibraryFailed) as caught:
        world.icv(THROW)
    assert "threw an exception in ompd_get_icv_from_scope" in str(caught.value)
    assert world.library.failure == str(caught.value)
    with pytest.raises(LibraryFailed):
        world.icv(COUNT)
    assert not issubclass(LibraryFailed, (RuntimeError, native.OmpdError))


def test_output_is_caught(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    world.icv(PRINT)
    assert world.library.take_output() == "from cout 1\nfrom printf 2\nfrom puts\n"
    assert world.library.take_output() == ""
    assert capfd.readouterr().out == ""


def test_print_string_goes_to_the_target(world: World) -> None:
    world.icv(PRINT_STRING)
    assert world.target.printed == [("a message", 7)]


def test_instances_share_nothing(world: World, native: ModuleType, fake_library: str) -> None:
    other = World(native, fake_library)
    assert [world.icv(COUNT), world.icv(COUNT), other.icv(COUNT)] == [1, 2, 1]


def test_handles_may_go_in_any_order(world: World, native: ModuleType) -> None:
    for order in itertools.permutations(range(6)):
        space = native.AddressSpace(world.target)
        process = world.library.process_initialize(space)
        thread = process.thread(native.THREAD_ID_LWP, 5, 4)
        region, task = thread.curr_parallel(), thread.curr_task()
        device = process.device_initialize(space, 1, b"d1")
        things = [space, process, thread, region, task, device]
        del space, process, thread, region, task, device
        for position in order:
            things[position] = None
        assert (world.icv(LIVE_HANDLES), world.icv(BAD_RELEASES)) == (1, 0), order


def _release(world: World) -> None:
    world.process.release()


def _end(world: World) -> None:
    world.process.end()


def _forget(world: World) -> None:
    world.process = None


@pytest.mark.parametrize("stop", [_release, _end, _forget])
def test_handles_of_an_ended_process_are_stale(
    world: World, native: ModuleType, stop: Callable[[World], None]
) -> None:
    observer = world.library.process_initialize(world.space)
    thread = world.thread()
    assert thread.valid
    stop(world)
    assert not thread.valid
    with pytest.raises(native.OmpdError) as caught:
        thread.state()
    assert caught.value.code_name == "ompd_rc_stale_handle"
    thread.release()
    thread.release()
    world.process = None
    assert observer.icv(LIVE_HANDLES, native.SCOPE_ADDRESS_SPACE) == 1
    assert observer.icv(BAD_RELEASES, native.SCOPE_ADDRESS_SPACE) == 0


def test_memory_is_read_written_and_cached(world: World) -> None:
    space = world.space
    space.write(DATA + 8, b"\x01\x02\x03\x04hello\0")
    assert space.read(DATA + 8, 4) == b"\x01\x02\x03\x04"
    assert space.read_uint(DATA + 8, 4) == 0x04030201
    assert space.read_pointer(DATA) == 0
    assert space.read_string(DATA + 12) == b"hello"
    assert space.read_string(DATA + 12, 5) is None
    assert bytes(world.target.regions[DATA][12:17]) == b"hello"
    world.target.regions[0x20000] = bytearray(4096)
    before = space.target_reads
    assert space.read(0x20000, 8) + space.read(0x20100, 8) == bytes(16)
    assert space.target_reads == before + 1
    assert space.cached_lines == 1
    space.drop_cache()
    assert space.cached_lines == 0
    with pytest.raises(FakeMemoryError):
        space.read(0x30000, 8)


def test_a_big_endian_space(world: World, native: ModuleType) -> None:
    big = native.AddressSpace(
        world.target, machine="21", byte_order="big", type_sizes=(1, 2, 4, 4, 8, 4), cache_line=64
    )
    world.target.regions[DATA][:8] = bytes(range(8))
    assert big.read_uint(DATA, 4) == 0x00010203
    assert big.read_pointer(DATA + 4) == 0x04050607
    process = world.library.process_initialize(big)
    assert process.thread(native.THREAD_ID_LWP, 5, 4).state()[0] == 0x0001020304050607


@pytest.mark.parametrize(
    "wrong",
    [{"cache_line": 100}, {"byte_order": "middle"}, {"type_sizes": (1, 2, 4, 8, 8, 3)}],
    ids=str,
)
def test_impossible_spaces_are_refused(native: ModuleType, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        native.AddressSpace(FakeTarget(), **wrong)


@pytest.mark.parametrize("turns", [-1, 1, 5])
def test_an_address_wraps_around_as_in_c(native: ModuleType, turns: int) -> None:
    """A damaged pointer and an offset add up to more than memory has, or to less than 0."""
    target, wild = FakeTarget(), DATA + (turns << 64)
    target.regions[DATA][:] = bytes(range(1, 16)) + bytes(49)
    space = native.AddressSpace(target)
    assert space.read(wild, 16) == space.read(DATA, 16)
    assert space.read_uint(wild, 4) == space.read_uint(DATA, 4)
    assert space.read_pointer(wild) == space.read_pointer(DATA)
    assert space.read_string(wild, 16) == space.read_string(DATA, 16)
    with pytest.raises(FakeMemoryError):
        space.read_pointer(-8)
