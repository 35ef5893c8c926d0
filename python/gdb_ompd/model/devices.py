# SPDX-License-Identifier: Apache-2.0
"""The devices that a runtime for offloading knows, and what is mapped to each."""

from __future__ import annotations

from typing import NamedTuple, Optional

from . import Thread


class Mapped(NamedTuple):
    """An object that is mapped to a device. NAME is what the user calls it, None where that is not
    known. REFERENCES is None for one that is never unmapped, such as a ``declare target``."""

    name: Optional[str]
    host: int
    device: int
    bytes: int
    references: Optional[int]


class Device(NamedTuple):
    """One device, by the number that ``device(NUMBER)`` takes.

    LIBRARY is the file of the runtime that knows it, PLUGIN the one that serves it, KIND what this
    calls it, such as "x86_64". THREADS are those that wait for it, or are in a region that it
    executes. MAPPED is by host addresses, None where it is not known: WHY_UNKNOWN says why.
    """

    number: int
    library: str
    plugin: Optional[str] = None
    kind: Optional[str] = None
    threads: tuple[Thread, ...] = ()
    mapped: Optional[tuple[Mapped, ...]] = ()
    why_unknown: Optional[str] = None


class Devices(NamedTuple):
    """All devices of a process. DEFAULT is the selected thread's default-device-var, HOST the number
    that ``omp_get_initial_device()`` returns, None where one is not known. ON_HOST are the threads in
    target regions that the host executes, WHY_HOST says why it has to execute all. UNKNOWN says of
    libraries why their devices are not known, or not yet."""

    devices: tuple[Device, ...] = ()
    default: Optional[int] = None
    host: Optional[int] = None
    on_host: tuple[Thread, ...] = ()
    why_host: Optional[str] = None
    unknown: tuple[str, ...] = ()
