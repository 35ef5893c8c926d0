# SPDX-License-Identifier: Apache-2.0
"""What libompd says of one thread, corrected as ``threads`` and ``regions`` do.

Nothing of a stop before is used: inside a breakpoint's condition nobody was
told that the program ran since.
"""

from __future__ import annotations

from typing import Optional, Union

from ... import _native
from ...errors import NotFound
from ...host.protocols import NativeThread
from . import icvs
from .one_thread import Place
from .provider import OmpdProvider
from .stop import Stop
from .threads import ThreadReader


def icv(
    provider: OmpdProvider, native: NativeThread, place: Place, name: str
) -> Union[int, str, None]:
    """Return one ICV of a thread, its task, its region or the process; None where it
    has no value, NotFound if libompd does not know its name."""
    with provider.instance.guarded():
        return _icv(provider, native, place, name)


def _icv(
    provider: OmpdProvider, native: NativeThread, place: Place, name: str
) -> Union[int, str, None]:
    stop = _fresh(provider)
    known = {each.name: each for each in stop.icv_names}.get(name)
    if known is None:
        raise NotFound(f'no ICV is called "{name}": "ompd icvs" lists them')
    if known.scope == _native.SCOPE_ADDRESS_SPACE:
        return icvs.read_icv(stop.process(), known, None).value
    if known.scope == _native.SCOPE_PARALLEL:
        return _of_region(place, name)
    provider.check_settings()
    return _reader(provider, stop, native, place).icv(known, native.gdb_num).value


def state(provider: OmpdProvider, native: NativeThread, place: Place) -> Optional[str]:
    """Return a thread's OMPT state as the runtime has it, None while events are off."""
    with provider.instance.guarded():
        reader = _reader(provider, _fresh(provider), native, place)
        return reader.state(native, reader.omp_threads[native.gdb_num])[0]


def _fresh(provider: OmpdProvider) -> Stop:
    provider.end_stop()
    return provider.stop()


def _reader(provider: OmpdProvider, stop: Stop, native: NativeThread, place: Place) -> ThreadReader:
    graph, thread = provider.one_thread().in_graph(place)
    reader = ThreadReader(
        stop.target, stop.space, stop.process, graph, stop.states, stop.events_enabled
    )
    reader.take(native, thread)
    return reader


def _of_region(place: Place, name: str) -> Optional[int]:
    """Answer what libompd gets wrong in nested serialized regions, and outside of
    regions does not answer at all."""
    return {
        "levels-var": place.level,
        "active-levels-var": place.active_level,
        "team-size-var": place.team_size,
    }.get(name)
