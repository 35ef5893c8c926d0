# SPDX-License-Identifier: Apache-2.0
"""What every convenience function does: arguments in, a GDB value out, one-line errors."""

from __future__ import annotations

from typing import Any, Optional, Union

import gdb

from ..errors import OmpdToolError, UsageError
from ..host.charset import any_name, sayable, stored, string_of
from ..host.locations import REFERENCES, WHOLE_NUMBERS
from ..stop.answering import in_our_words

Answer = Union[bool, int, str, gdb.Value, None]

# GDB turns only a convenience variable's string into what printf's %s can write
# without a copy in the program, for which it would call the program's malloc.
TEXT_VARIABLE = "_omp_text"
_void: list[gdb.Value] = []


class OmpFunction(gdb.Function):
    """One convenience function. NAME is without the dollar sign, PARAMETERS are the
    names of its arguments as its help has them; the docstring is its help."""

    name = ""
    parameters: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__(self.name)

    def invoke(self, *arguments: gdb.Value) -> Union[gdb.Value, bool, int]:
        """Answer; a user's mistake becomes one line, a bug keeps its traceback."""
        try:
            if len(arguments) != len(self.parameters):
                raise UsageError(f"usage: ${self.name}({', '.join(self.parameters)})")
            # Not in a block of ``answering``, which takes as long as the answer may.
            try:
                found = self.answer(*arguments)
            except UnicodeError:
                with any_name():
                    found = self.answer(*arguments)
        except BaseException as error:
            said = in_our_words(error)
            if isinstance(said, OmpdToolError):
                raise gdb.GdbError(sayable(str(said))) from error
            raise
        if found is None:
            return void()
        return _text(found) if isinstance(found, str) else found

    def answer(self, *arguments: Any, **_none: Any) -> Answer:
        """Return the value, None for GDB's void. Raises what ``answering`` does.

        A function has as many parameters as PARAMETERS names. One that asks an OMPD
        library does so as ``one_command``."""
        raise NotImplementedError


def void() -> gdb.Value:
    """Return the value that GDB prints as "void", in any language."""
    if not _void:
        from ..host.selection import evaluate

        _void.append(evaluate("(void) 0"))
    return _void[0]


def _text(text: str) -> gdb.Value:
    if text:
        gdb.set_convenience_variable(TEXT_VARIABLE, stored(text))
    else:  # GDB would make a null pointer of it
        from ..host.selection import evaluate

        gdb.set_convenience_variable(TEXT_VARIABLE, evaluate('""'))
    return gdb.convenience_variable(TEXT_VARIABLE)


def integer(value: gdb.Value, function: OmpFunction) -> int:
    """Return an argument that must be a whole number; UsageError if it is not."""
    if value.type.code in REFERENCES:
        value = value.referenced_value()
    if value.type.strip_typedefs().code not in WHOLE_NUMBERS:
        raise UsageError(f"${function.name}: {function.parameters[0]} must be a whole number")
    return int(value)


def string(value: gdb.Value, function: OmpFunction) -> str:
    """Return an argument that must be a string; UsageError if it is not."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRING:
        return _fortran_string(value)
    try:
        text: Optional[str] = string_of(value)
    except gdb.error:  # not characters, or of a pointer that leads nowhere
        text = None
    if text is None:
        raise UsageError(f"${function.name}: {function.parameters[0]} must be a string")
    return text


def _fortran_string(value: gdb.Value) -> str:
    """Read Fortran's character*N, which GDB 13 cannot turn into a string itself."""
    size = value.type.sizeof
    byte = gdb.selected_inferior().architecture().integer_type(8, False)
    characters = value.cast(byte.array(size - 1))
    return bytes(int(characters[i]) for i in range(size)).decode("utf-8", "replace").rstrip()
