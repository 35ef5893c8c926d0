# SPDX-License-Identifier: Apache-2.0
"""Several fields of one record, read together."""

from __future__ import annotations

from operator import itemgetter
from struct import Struct
from typing import Any, Sequence, Union

from ...errors import Inconsistent

_FORMS = {1: "B", 2: "H", 4: "I", 8: "Q"}  # of the struct module, by size


class Fields:
    """Some fields of a record, at least two, which are read together and unsigned.

    PLACES are their offsets and sizes; Inconsistent where they cannot be a record's.
    """

    def __init__(self, places: Sequence[tuple[int, int]], byte_order: str) -> None:
        self.start = min(offset for offset, _ in places)
        self.size = max(offset + size for offset, size in places) - self.start
        form, end = "<" if byte_order == "little" else ">", self.start
        for offset, size in sorted(places):
            if offset < end or size not in _FORMS:
                raise Inconsistent(f"a field of {size} bytes cannot be: memory is damaged")
            form += f"{offset - end}x{_FORMS[size]}"
            end = offset + size
        self._unpack = Struct(form).unpack
        by_offset = sorted(places)
        self._in_order = itemgetter(*(by_offset.index(place) for place in places))

    def values(self, data: Union[bytes, memoryview]) -> Any:
        """Return the values, in the order of the fields, where DATA are the record's SIZE
        bytes from START on."""
        return self._in_order(self._unpack(data))
