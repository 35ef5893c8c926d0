# SPDX-License-Identifier: Apache-2.0
"""Names that are not in the locale's charset: of files, functions, variables.

GDB decodes what it gives to Python, and encodes what it takes, by "host-charset",
strictly: one byte that is not in it is an error instead of a name. While Python asks, ``any_name``
has GDB use a charset that is UTF-8 for GDB, by a name that Python does not know. Its codec is
registered here, and takes any bytes as os.fsdecode() does. What GDB still refuses to decode is
taken from its error.
"""

from __future__ import annotations

import codecs
import functools
import os
from contextlib import contextmanager
from functools import partial
from typing import Callable, Iterator, Optional, TypeVar, Union

import gdb

from ..errors import printable
from .selection import setting

Result = TypeVar("Result")
# UTF-8's number in the registry of ISO: GDB asks iconv for it, Python its codecs.
UTF_8 = "ISO-IR-193"


def _encode(input: str, errors: str = "strict") -> tuple[bytes, int]:
    return os.fsencode(input), len(input)


def _decode(input: bytes, errors: str = "strict") -> tuple[str, int]:
    return os.fsdecode(bytes(input)), len(input)


def _search(name: str) -> Optional[codecs.CodecInfo]:
    if name.replace("_", "-").lower() == UTF_8.lower():
        return codecs.CodecInfo(_encode, _decode, name=UTF_8)
    return None


codecs.register(_search)


@contextmanager
def any_name() -> Iterator[None]:
    """Have GDB give names of any bytes to Python inside the block."""
    if not _is_known() or gdb.parameter("host-charset") == UTF_8:
        yield
        return
    with setting("host-charset", UTF_8):
        yield


@functools.lru_cache(maxsize=1)
def _is_known() -> bool:
    """Tell whether GDB has the charset: it asks the program ``iconv`` for them."""
    try:
        with setting("host-charset", UTF_8):
            return True
    except gdb.error:
        return False


def decoded(ask: Callable[[], Result]) -> Result:
    """Return what ASK does; where it fails at a name, ask once more, for any name. For
    what is asked often, and changes nothing."""
    try:
        return ask()
    except UnicodeError:
        with any_name():
            return ask()


def spelled(ask: Callable[[], Result]) -> Union[Result, str]:
    """Return the name that ASK does; where GDB cannot decode it, the name that its error
    has: symbols' names are always taken for UTF-8."""
    try:
        return ask()
    except UnicodeDecodeError as error:
        return os.fsdecode(bytes(error.object))


def name_of(symbol: gdb.Symbol) -> str:
    """Return a symbol's name."""

    def name() -> str:
        return str(symbol.name)

    return spelled(name)


def executed(command: str) -> str:
    """Return what GDB writes for COMMAND, which GDB always decodes as UTF-8."""
    return str(spelled(partial(gdb.execute, command, to_string=True)))


def is_fortran() -> bool:
    """Tell whether GDB takes expressions for Fortran's."""
    return 'fortran"' in executed("show language")


def sayable(text: str) -> str:
    """Return TEXT as GDB can write it in an error or a frame: what "host-charset" lacks is
    escaped."""
    return _escaped(text, gdb.host_charset() if hasattr(gdb, "host_charset") else "ascii")


def stored(text: str) -> gdb.Value:
    """Return TEXT as a string of the program's charset, "target-charset"."""
    charset = gdb.target_charset()
    try:
        return gdb.Value(_escaped(text, charset))
    except LookupError:  # GDB knows a charset that Python does not
        return _in_c(text)


def string_of(value: gdb.Value) -> str:
    """Return the text of a string of the program's; gdb.error for what is none."""
    try:
        return str(value.string(errors="backslashreplace"))
    except LookupError:  # GDB knows a charset that Python does not
        with any_name():
            text: str = value.format_string(max_elements=0, repeat_threshold=0, symbols=False)
        return text[text.index('"') + 1 : text.rindex('"')]


@functools.lru_cache(maxsize=64)
def _in_c(text: str) -> gdb.Value:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    with setting("language", "c"):
        return gdb.parse_and_eval(f'"{quoted}"')


def _escaped(text: str, charset: str) -> str:
    text = printable(text)
    if text.isascii():
        return text
    try:
        text.encode(charset)
        return text
    except LookupError:
        charset = "ascii"
    except UnicodeEncodeError:
        pass
    return text.encode(charset, "backslashreplace").decode(charset)
