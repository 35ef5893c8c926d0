# SPDX-License-Identifier: Apache-2.0
"""Which functions of others a file calls: the undefined names of its dynamic symbols.

Read from the file itself (ELF-64, the System V gABI, chapter 4): what a program
calls of a runtime is a handful of the hundreds of functions that one exports.
"""

from __future__ import annotations

import functools
import os
import struct
from typing import BinaryIO, Iterator

from ...host.files import opened

SHT_DYNSYM = 11
SHN_UNDEF = 0
ELF64_HEADER = 64
SYMBOL_SIZE = 24
MAX_TABLE = 1 << 28  # a larger one is damage, not a program


def imports(path: str) -> frozenset[str]:
    """Return the names that the file at PATH leaves to others; none if it is not ELF-64."""
    try:
        return _imports(path, os.stat(path).st_mtime_ns)
    except (OSError, ValueError, IndexError, struct.error):  # not there, or not sound
        return frozenset()


@functools.lru_cache(maxsize=64)
def _imports(path: str, _modified: int) -> frozenset[str]:
    with opened(path) as file:
        return frozenset(_undefined(file))


def _undefined(file: BinaryIO) -> Iterator[str]:
    header = file.read(ELF64_HEADER)
    if header[:5] != b"\x7fELF\x02":
        return
    order = "<" if header[5] == 1 else ">"
    (table,) = struct.unpack_from(order + "Q", header, 40)
    size, count = struct.unpack_from(order + "HH", header, 58)
    sections = [_read(file, table + number * size, size) for number in range(count)]
    for section in sections:
        if struct.unpack_from(order + "I", section, 4)[0] == SHT_DYNSYM:
            names = sections[struct.unpack_from(order + "I", section, 40)[0]]
            yield from _names(_content(file, section, order), _content(file, names, order), order)


def _names(symbols: bytes, names: bytes, order: str) -> Iterator[str]:
    for start in range(0, len(symbols) - SYMBOL_SIZE + 1, SYMBOL_SIZE):
        name, _, section = struct.unpack_from(order + "IHH", symbols, start)
        if section == SHN_UNDEF and name:
            yield names[name : names.index(b"\0", name)].decode("utf-8", "replace")


def _content(file: BinaryIO, section: bytes, order: str) -> bytes:
    offset, size = struct.unpack_from(order + "QQ", section, 24)
    return _read(file, offset, min(size, MAX_TABLE))


def _read(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)
