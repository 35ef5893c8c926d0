# SPDX-License-Identifier: Apache-2.0
"""The commands' JSON documents for front ends, which ask GDB by its machine interface (the
command ``-ompd-threads``) or its debug adapter (the request ``ompd-threads``)."""

from __future__ import annotations

import sys
from typing import Any, Iterable, Mapping, Optional, Sequence

import gdb

from ..errors import UsageError
from ..host.charset import sayable
from ..host.selection import kept_selection, threads_of
from .base import OmpdCommand


def register(questions: Iterable[OmpdCommand]) -> None:
    """Answer front ends as the commands QUESTIONS do, where this GDB can be asked."""
    adapter = sys.modules.get("gdb.dap.server")  # loaded before us, in a GDB that is one
    request = getattr(adapter, "request", None)
    # GDB 14 calls what answers a request in a thread that must not ask GDB.
    is_in_gdb_thread = "on_dap_thread" in (getattr(request, "__kwdefaults__", None) or ())
    for question in questions:
        name = question.name.replace(" ", "-")
        if hasattr(gdb, "MICommand"):
            _machine_command(f"-{name}", question)
        if request is not None and is_in_gdb_thread:
            request(name)(_request(question))


def _machine_command(name: str, question: OmpdCommand) -> None:
    class Command(gdb.MICommand):
        def invoke(self, arguments: list[str]) -> Any:
            return _fields(question.document(arguments))

    Command(name)


def _fields(value: Any) -> Any:
    """Return part of a document as GDB can write it in a result, where all is text. What is null
    is left out, and empty in a list, for the machine interface has no word for it."""
    if isinstance(value, Mapping):
        return {_key(k): _fields(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return ["" if each is None else _fields(each) for each in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return sayable(str(value))


def _key(name: str) -> str:
    """Return NAME as a result's, which has letters, digits, dashes and underscores."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)


def _request(question: OmpdCommand) -> Any:
    # GDB checks what it is sent by the annotations.
    def answer(
        *, options: Sequence[str] = (), threadId: Optional[int] = None, **others: object
    ) -> Mapping[str, Any]:
        with kept_selection():
            if threadId is not None:
                _thread(threadId).switch()
            return question.document([options] if isinstance(options, str) else options)

    return answer


def _thread(number: int) -> gdb.InferiorThread:
    """Return the thread that the adapter calls NUMBER."""
    for inferior in gdb.inferiors():
        for thread in threads_of(inferior):
            if thread.global_num == number:
                return thread
    raise UsageError(f"There is no thread {number}.")
