# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: the stop at which the functions of OMPD are called, and what a fact is.

Imported after the truth driver was sourced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gdb
from gdb_ompd import _native
from gdb_ompd.host.runtimes.provider import Provider
from gdb_ompd.host.sessions.registry import session_of

# The driver's, which is sourced into that namespace.
from __main__ import read_truth

PTHREAD, LWP = _native.THREAD_ID_PTHREAD, _native.THREAD_ID_LWP
TASK, THREAD = _native.SCOPE_TASK, _native.SCOPE_THREAD
PARALLEL, SPACE = _native.SCOPE_PARALLEL, _native.SCOPE_ADDRESS_SPACE
Fact = tuple[str, Any, Any]  # what, said, truth


def the_provider() -> Provider:
    """Return the only runtime's."""
    (provider,) = session_of().providers()
    return provider


class Scene:
    """The stop: libompd's process handle, gdb's threads, and the program's record."""

    def __init__(self) -> None:
        self.provider = provider = the_provider()
        self.library = provider.load_library()
        self.space = provider.space
        self.process = self.library.process_initialize(self.space)
        self.icvs = {name: (i, scope) for i, name, scope in self.process.enumerate_icvs()}
        self.gdb_threads = {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}
        slots = [s for s in read_truth()["slots"] if not s["idle"]]
        self.slots = sorted(slots, key=lambda s: (s["level"], s["thread_num"]))

    def thread(self, slot: dict[str, Any]) -> Any:
        return self.process.thread(PTHREAD, slot["pthread_id"])

    def primary(self) -> dict[str, Any]:
        """Return the record of the initial thread, which is in both regions."""
        return next(slot for slot in self.slots if slot["thread_kind"] == 0)

    def icv(self, handle: Any, name: str) -> int:
        return int(handle.icv_or_incomplete(*self.icvs[name])[0])


def outcome(call: Callable[..., Any], *arguments: Any) -> str:
    """Return which error a call met, or "ok"."""
    try:
        call(*arguments)
    except _native.OmpdError as error:
        return f"{error.call} {error.code_name}"
    except (Exception, KeyboardInterrupt) as error:
        return f"{type(error).__module__}.{type(error).__name__}: {error}"
    return "ok"
