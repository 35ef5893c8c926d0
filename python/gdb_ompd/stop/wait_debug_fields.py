# SPDX-License-Identifier: Apache-2.0
"""Where a runtime with debug information keeps what it records of waiting threads."""

from __future__ import annotations

from typing import Optional

from ..host.debug_fields import debug_constants, debug_fields
from ..host.modules import MappedModule
from ..providers.ompd.known_layouts import Places
from ..providers.ompd.wait_fields import ENUMERATION, FIELDS, QUEUING


def debug_places(runtime: MappedModule) -> Optional[Places]:
    """Return offset and size of each field, None where the debug information lacks one."""
    file = runtime.path or ""
    fields = debug_fields(file, FIELDS)
    numbers = debug_constants(file, ENUMERATION, QUEUING)
    if fields is None or numbers is None:
        return None
    return {**fields, **{f"{ENUMERATION}.{name}": (numbers[name], 0) for name in QUEUING}}
