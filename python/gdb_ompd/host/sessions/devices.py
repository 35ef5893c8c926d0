# SPDX-License-Identifier: Apache-2.0
"""The devices of a process at a stop: what native code reads of its runtimes for offloading."""

from __future__ import annotations

import os
from typing import Callable, Iterable, Mapping, Optional, Sequence

from ... import _native
from ...model import Icv, Thread
from ...model.devices import Device, Devices, Mapped

SETTING = "OMP_TARGET_OFFLOAD"
DEFAULT = "default-device-var"
NameOf = Callable[[int, int], Optional[str]]


def devices_of(
    found: Sequence[_native.OffloadDevices],
    threads: Sequence[Thread],
    icvs: Iterable[Icv],
    environment: Mapping[str, str],
    name_of: NameOf,
) -> Devices:
    """Return what FOUND has, with those of THREADS that use each. ICVS are the selected thread's.
    NAME_OF returns what the user calls so many bytes at an address, which comes first."""
    default = next((icv.value for icv in icvs if icv.name == DEFAULT), None)
    devices = [
        _device(one, runtime.library, threads, name_of)
        for runtime in found
        for one in runtime.devices
    ]
    unknown = [
        f"The devices of {os.path.basename(runtime.library)} are not known: {runtime.why_unknown}."
        for runtime in found
        if runtime.why_unknown
    ]
    is_disabled = environment.get(SETTING, "").strip().lower() == "disabled"
    late = [
        f"{os.path.basename(runtime.library)} has not looked for devices yet: it does so when the"
        " program needs the first."
        for runtime in found
        if runtime.is_late and not is_disabled
    ]
    return Devices(
        tuple(devices),
        default if isinstance(default, int) else None,
        None if unknown or late or not found or is_disabled else len(devices),
        tuple([t for t in threads if t.target is not None and t.target.on_host]),
        _why_host(found, devices, is_disabled, bool(unknown)),
        (*unknown, *late),
    )


def _why_host(
    found: Sequence[_native.OffloadDevices],
    devices: Sequence[Device],
    is_disabled: bool,
    is_unknown: bool,
) -> Optional[str]:
    if is_disabled:
        return f"{SETTING}=disabled"
    if not found:
        return "no runtime for devices is loaded"
    if devices or is_unknown:
        return None
    files = " and ".join(os.path.basename(runtime.library) for runtime in found)
    if any(runtime.is_late for runtime in found):
        return None
    return f"{files} found no device"


def _device(
    one: _native.OffloadDevice, library: str, threads: Sequence[Thread], name_of: NameOf
) -> Device:
    targets = [(thread, thread.target) for thread in threads]
    using = [t for t, at in targets if at and not at.on_host and at.device == one.number]
    mapped = tuple(
        Mapped(
            each.name or name_of(each.host, each.bytes),
            *(each.host, each.device, each.bytes, each.references),
        )
        for each in one.mapped
    )
    return Device(
        one.number,
        library,
        one.plugin or None,
        one.kind or None,
        tuple(using),
        None if one.why_unknown else mapped,
        one.why_unknown or None,
    )
