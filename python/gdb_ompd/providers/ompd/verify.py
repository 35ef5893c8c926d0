# SPDX-License-Identifier: Apache-2.0
"""Whether the symbols recovered from a stripped libomp are those of the running one.

A recovered address that is wrong would be read without an error. So what the
program's memory holds there is compared with what the file's code says, once
for each layout: the 145 constants, the records of a few threads, the ranges of
the settings. Sources: openmp/runtime/src, ompd-specific.cpp (constants),
kmp_settings.cpp (settings, ``__kmp_env_dump``), z_Linux_util.cpp (``ds_thread``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

from ... import _native
from ...errors import Inconsistent, OmpdToolError
from ...host.protocols import NativeThread, READ_ERRORS, Target
from .global_number import global_number
from .layout import Layout

# One thread would do to tell __kmp_threads from another table; more cost time.
MAX_THREADS = 16
MAX_ENVIRONMENT = 1 << 20
MAX_LIST = 1 << 16
INT_MAX = (1 << 31) - 1
# Size, least and greatest value of the settings; symbols that are not there
# (some are recovered only where the method allows) are passed over.
RANGES: dict[str, tuple[int, int, int]] = {
    "ompd_state": (8, 0, 1),
    "__kmp_openmp_version": (4, 201107, 209912),
    "__kmp_stksize": (8, 1 << 12, (1 << 63) - 1),
    "__kmp_omp_cancellation": (4, 0, 1),
    "__kmp_max_task_priority": (4, 0, INT_MAX),
    "__kmp_display_affinity": (4, 0, 1),
    "__kmp_tool": (4, 0, 1),
    "__kmp_avail_proc": (4, 0, 1 << 16),
    "__kmp_max_nth": (4, 0, INT_MAX),
    "__kmp_nth": (4, 0, INT_MAX),
}
LISTS = {
    "__kmp_nested_nth": ("kmp_nested_nthreads_t", "nth"),
    "__kmp_nested_proc_bind": ("kmp_nested_proc_bind_t", "bind_types"),
}


def check_live(
    space: _native.AddressSpace,
    module: _native.Module,
    constants: Mapping[str, int],
    natives: Sequence[NativeThread],
    target: Target,
) -> int:
    """Compare the symbols of MODULE, recovered from its file, with the program.

    CONSTANTS are what the code of the file's ``ompd_init`` stores; the caller
    has seen that it has run. Returns how many threads' records proved
    ``__kmp_threads``: 0 while the runtime knows none of NATIVES, so that it is
    worth asking again. Raises Inconsistent with the first difference.
    """
    check = _Check(space, module, Layout(dict(constants)), target)
    try:
        check.constants()
        check.settings()
        check.environment()
        return check.threads(natives)
    except READ_ERRORS as error:
        raise check.refusal(f"the program's memory cannot be read there: {error}") from error


def check_constants(
    space: _native.AddressSpace,
    module: _native.Module,
    constants: Mapping[str, int],
    target: Target,
) -> None:
    """Compare the constants alone, for the moment in which ``ompd_init`` has just run.

    Raises Inconsistent with the first difference.
    """
    check = _Check(space, module, Layout(dict(constants)), target)
    try:
        check.constants()
    except READ_ERRORS as error:
        raise check.refusal(f"the program's memory cannot be read there: {error}") from error


@dataclass(frozen=True)
class _Check:
    space: _native.AddressSpace
    module: _native.Module
    layout: Layout
    target: Target

    def constants(self) -> None:
        """Each constant is in the program what it is in the code."""
        for name, stored in self.layout.values.items():
            live = self._value(name, 8)
            if live != stored:
                held = "nothing" if live is None else str(live)
                raise Inconsistent(
                    f"the runtime in memory is not the file {self.module.name}: {name} is {held}"
                    f" in the program and {stored} in the file's code; use the file that the"
                    " program was started with"
                )

    def settings(self) -> None:
        """The settings have values that they can have."""
        for name, (size, least, greatest) in RANGES.items():
            value = self._value(name, size)
            if value is not None and not least <= value <= greatest:
                raise self.refusal(f"{name} is {value}")
        for name, (record, pointer) in LISTS.items():
            address = self._address(name)
            if address is not None:
                self._check_list(name, address, record, pointer)

    def _check_list(self, name: str, address: int, record: str, pointer: str) -> None:
        items = self.space.read_uint(address + self.layout.access(record, pointer), 8)
        used = self.space.read_uint(address + self.layout.access(record, "used"), 4)
        size = self.space.read_uint(address + self.layout.access(record, pointer) + 8, 4)
        if items and not used <= size <= MAX_LIST:
            raise self.refusal(f"{name} has {used} entries of {size}")

    def environment(self) -> None:
        """The block of settings is one string of the size that is said.

        At its making and at its end the two variables change one after the other.
        """
        block, size = self._value("ompd_env_block", 8), self._value("ompd_env_block_size", 8)
        if not block or not size:
            return
        if size > MAX_ENVIRONMENT:
            raise self.refusal(f"ompd_env_block_size is {size}")
        if self.space.read(block, size + 1).find(b"\0") != size:
            raise self.refusal(f"ompd_env_block is no text of {size} bytes")

    def threads(self, natives: Sequence[NativeThread]) -> int:
        """Each thread that knows its global number finds its own record by it."""
        table = self._value("__kmp_threads", 8)
        if not table:
            return 0
        proved = 0
        for native in natives:
            if proved == MAX_THREADS:
                break
            if native.pthread_id is not None and not native.running:
                proved += self._round_trip(table, native, native.pthread_id)
        return proved

    def _round_trip(self, table: int, native: NativeThread, pthread_id: int) -> bool:
        """Tell whether a thread's record is its own; False if it has none yet.

        A root's slot is cleared before its number is. A worker knows its number
        before its creator has put down its pthread_t.
        """
        try:
            number = global_number(self.target, self.space, native)
        except OmpdToolError:
            return False
        record = self.space.read_pointer(table + 8 * number) if number is not None else 0
        if record == 0:
            return False
        place = record + self.layout.access("kmp_info_t", "th")
        place += self.layout.access("kmp_base_info_t", "th_info")
        place += self.layout.access("kmp_desc_t", "ds")
        kept = self.space.read_uint(place + self.layout.access("kmp_desc_base_t", "ds_thread"), 8)
        # ds_gtid, which has no symbol, is declared after ds_tid.
        after = self.layout.access("kmp_desc_base_t", "ds_tid") + 4
        kept_number = self.space.read_uint(place + after, 4)
        if kept_number != number or kept not in (0, pthread_id):
            raise self.refusal(
                f"__kmp_threads[{number}] is not the record of thread {native.gdb_num}"
            )
        return kept == pthread_id

    def refusal(self, what: str) -> Inconsistent:
        """Make the error that says what was found, and the way out."""
        return Inconsistent(
            f"the symbols recovered from {self.module.name} do not fit the program: {what};"
            " its debug symbols are needed (debuginfod, or the package libomp5-VERSION-dbgsym)"
        )

    def _address(self, name: str) -> Optional[int]:
        symbol = self.module.elf.symbol(name)
        return None if symbol is None else self.module.bias + symbol.value

    def _value(self, name: str, size: int) -> Optional[int]:
        address = self._address(name)
        return None if address is None else self.space.read_uint(address, size)
