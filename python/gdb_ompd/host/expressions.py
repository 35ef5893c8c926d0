# SPDX-License-Identifier: Apache-2.0
"""Evaluating a user's expression in the selected frame, and writing its value as GDB's
``print`` does. The program's functions are called only for an expression that calls them."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager, nullcontext
from functools import lru_cache
from typing import Any, ContextManager, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import gdb

from ..errors import UsageError, printable
from .charset import decoded, is_fortran
from .locations import LITERAL, REFERENCES, WHOLE_NUMBERS
from .selection import setting

# The words that may follow a flag of GDB's.
ON = frozenset({"on", "1", "yes", "enable"})
OFF = frozenset({"off", "0", "no", "disable"})

AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY)
NAMELESS = "a type without a name"
NO_TEXT = "its pretty-printer writes nothing"
CALLS_ARE_OFF = "may-call-functions is off"
_NO_THREAD_DB = re.compile(r"Cannot find (?:thread-local|shared library)|.*qGetTLSAddr")
NO_THREAD_DB = (
    "each thread has its own, which GDB does not find: it has loaded no libthread_db for this C"
    " library ('show libthread-db-search-path', 'show auto-load libthread-db')"
)
_CALL = re.compile(r"(?<![\w$])([A-Za-z_]\w*)\s*\(")
_OF_DESCRIPTION = re.compile(r"\bDWARF\b|\bsynthetic pointer\b")
_CHANGE = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=")


class Format(NamedTuple):
    """How values are written: SETTINGS of GDB, such as ("print elements", "10"), and the
    LETTERS of "/FMT"."""

    settings: tuple[tuple[str, str], ...] = ()
    letters: str = ""

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Have GDB's settings as they are wanted inside the block."""
        with ExitStack() as kept:
            for name, value in self.settings:
                try:
                    kept.enter_context(setting(name, value))
                except gdb.error as error:
                    raise UsageError(f"{name}: {error}") from error
            yield

    def text(self, value: gdb.Value) -> str:
        """Write a value: what a terminal would act on is escaped."""
        if _is_nothing_left(value):
            return "<optimized out>"  # a pretty-printer fails
        letter = self.letters.replace("r", "")
        options: dict[str, Any] = {"format": letter} if letter else {}
        if "r" in self.letters:
            options["raw"] = True
        text = decoded(lambda: str(value.format_string(**options)))
        return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))


def _is_nothing_left(value: gdb.Value) -> bool:
    """Tell whether the optimiser has removed all of a value: of a struct GDB says so if any member
    is removed."""
    kind = value.type.strip_typedefs()
    if not value.is_optimized_out or kind.code != gdb.TYPE_CODE_STRUCT:
        return bool(value.is_optimized_out)
    members = (field for field in kind.fields() if hasattr(field, "bitpos"))
    return all(_is_nothing_left(value[field]) for field in members)


_FORMATS = "xduotzacfs"  # GDB's, of one value


def print_format(settings: Sequence[tuple[str, str]], letters: str) -> Format:
    """Return the format that options of "print" and the letters after its slash ask for."""
    if letters.replace("r", "") not in ("", *_FORMATS):
        raise UsageError(f'"/{letters}" is no format of one value, such as /x.')
    return Format(tuple((f"print {name[1:]}", value) for name, value in settings), letters)


class Evaluator:
    """Evaluates one expression, in one frame after the other."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._calls = _calls_and_changes(expression)
        self.has_called = False  # a function of the program

    @property
    def calls(self) -> bool:
        """Tell whether the expression asks for calls of functions of the program, made or not."""
        return self._calls

    @property
    def expression(self) -> str:
        """The expression, as GDB is to take it."""
        return self._expression

    def evaluate(self) -> gdb.Value:
        """Return the value in the selected frame; gdb.error says why there is none. To be used
        with ``calls_forbidden``."""
        if not self._calls:
            try:
                return self._value()
            except gdb.error as error:
                if CALLS_ARE_OFF not in str(error):
                    raise
                self._calls = True
        gdb.events.inferior_call.connect(self._note_call)
        try:
            with calls_allowed():
                return self._value()
        finally:
            gdb.events.inferior_call.disconnect(self._note_call)

    def _note_call(self, _: object) -> None:
        self.has_called = True

    def _value(self) -> gdb.Value:
        value = gdb.parse_and_eval(self._expression)
        value.fetch_lazy()
        return value


def calls_forbidden() -> ContextManager[None]:
    """Have GDB call no function of the program inside the block."""
    return setting("may-call-functions", False)


def in_own_language() -> ContextManager[None]:
    """Have GDB take each frame's names by the language of its code inside the block, if Rust is set:
    by Rust's rules GDB knows no static variable of code in C, and takes one of another file."""
    is_rust = gdb.parameter("language") == "rust"
    return setting("language", "auto") if is_rust else nullcontext()


@contextmanager
def calls_allowed() -> Iterator[None]:
    """Have GDB call functions of the program inside the block, while its other threads stay
    where they are. A call that a signal ends, as that of Ctrl-C, leaves nothing on the stack."""
    with ExitStack() as settings:
        settings.enter_context(setting("may-call-functions", True))
        try:
            settings.enter_context(setting("scheduler-locking", "on"))
        except gdb.error:
            pass  # nothing runs in a core
        settings.enter_context(setting(_unwinds_on_signal(), True))
        yield


@lru_cache(maxsize=1)
def _unwinds_on_signal() -> str:
    """Return the name of GDB's setting, which is another one from GDB 14 on."""
    try:
        gdb.parameter("unwind-on-signal")
        return "unwind-on-signal"
    except RuntimeError:
        return "unwindonsignal"


@contextmanager
def known_to_gdb(values: Mapping[str, gdb.Value]) -> Iterator[None]:
    """Have GDB know VALUES inside the block, as the convenience variables of these names."""
    try:
        for name, value in values.items():
            gdb.set_convenience_variable(name, value)
        yield
    finally:
        for name in values:
            gdb.set_convenience_variable(name, None)


def remember(value: gdb.Value) -> None:
    """Enter VALUE into GDB's value history; GDB 11 and earlier has no way for Python to do so."""
    if hasattr(gdb, "add_history"):
        gdb.add_history(value)


def referred(value: gdb.Value) -> gdb.Value:
    """Return what a C++ reference refers to, another value as it is."""
    if value.type.code in REFERENCES and not value.is_optimized_out:
        return value.referenced_value()
    return value


def as_object(value: gdb.Value) -> gdb.Value:
    """Return the object that a value is part of, or the pointer to that, if GDB's "print object"
    asks for it; the value itself where the program does not tell."""
    code = type_code(value)
    if code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_STRUCT) or not gdb.parameter("print object"):
        return value
    try:
        kind, address = value.dynamic_type, value.address
        if kind == value.type:
            return value
        if code == gdb.TYPE_CODE_PTR:
            return value.cast(kind)
        return value if address is None else address.cast(kind.pointer()).dereference()
    except gdb.error:
        return value


def type_text(kind: gdb.Type) -> str:
    """Write a type as GDB does. As Fortran's, GDB 13 ends itself at a class that has no name."""
    inner = kind
    while inner.code in (*REFERENCES, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
        inner = inner.target()
    is_class = inner.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
    if is_class and not inner.name and is_fortran():
        return NAMELESS
    try:
        return str(kind)
    except gdb.error:  # with "set language unknown"
        with setting("language", "c"):
            return str(kind)


def address_of(value: gdb.Value) -> Optional[int]:
    """Return where a value is in memory, None for one that is not; a reference is where it refers
    to. Of an array that is not GDB would have the program allocate memory."""
    is_array = type_code(value) in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_STRING)
    with calls_forbidden() if is_array else nullcontext():
        address = value.address
    return None if address is None or address.is_optimized_out else int(address)


def type_code(value: gdb.Value) -> int:
    """Return the code of a value's type, whatever the type is called."""
    kind = value.type
    code: int = (kind.strip_typedefs() if kind.code == gdb.TYPE_CODE_TYPEDEF else kind).code
    return code


def number_of(value: gdb.Value) -> Union[int, float, None]:
    """Return the number that a value is, None for another type."""
    try:
        code = type_code(value)
        if code in WHOLE_NUMBERS:
            return int(value)
        return float(value) if code == gdb.TYPE_CODE_FLT else None
    except gdb.error:
        return None  # of more bytes than GDB gives to Python


def is_aggregate(value: gdb.Value, raw: bool) -> bool:
    """Tell whether a value is an array or a struct that GDB writes member by member."""
    if type_code(value) not in AGGREGATES:
        return False
    return raw or gdb.default_visualizer(value) is None


def memory_of(value: gdb.Value) -> Optional[bytes]:
    """Return what a value has in memory, None for one that is not there."""
    try:
        address = address_of(value)
        if address is None or not _is_dense(value):
            return None
        size = value.type.sizeof  # GDB 16 does not read 0 bytes
        return bytes(gdb.selected_inferior().read_memory(address, size)) if size else b""
    except gdb.error:
        return None


def goes_back(value: gdb.Value) -> bool:
    """Tell whether an array has an element before the one of the lower index in memory."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_ARRAY:
        return False
    low, high = kind.range()
    if high < low:
        return False
    first = value[low]
    second = address_of(value[low + 1]) if low < high else None
    before = address_of(first)
    is_back = second is not None and before is not None and second < before
    return is_back or goes_back(first)


def _is_dense(value: gdb.Value) -> bool:
    """Tell whether the elements of an array lie one behind the other: those of a section of a
    Fortran array do not."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_ARRAY:
        return True
    low, high = kind.range()
    if high <= low:
        return True
    first, last = address_of(value[low]), address_of(value[high])
    if first is None or last is None:
        return False
    return last - first == (high - low) * kind.target().sizeof and _is_dense(value[low])


def lacks_thread_db(error: Exception) -> bool:
    """Tell whether GDB's ERROR is that it does not find a thread's own variable: it has loaded no
    libthread_db."""
    return _NO_THREAD_DB.match(str(error)) is not None


def reason(error: Exception) -> str:
    """Return in one line why GDB gives no value: others that it says tell of its settings."""
    if lacks_thread_db(error):
        return NO_THREAD_DB
    said = str(error).split("\n")[0]
    is_of_description = _OF_DESCRIPTION.search(said) is not None
    return f"not described as GDB can read it: {said}" if is_of_description else said


def changes(expression: str) -> bool:
    """Tell whether an expression changes a variable itself."""
    return _CHANGE.search(LITERAL.sub("", expression)) is not None


def _calls_and_changes(expression: str) -> bool:
    """Tell whether an expression both calls a function and changes something: it must not be
    evaluated twice. For any other GDB says whether it calls one."""
    if not changes(expression):
        return False
    for name in _CALL.findall(LITERAL.sub("", expression)):
        try:
            symbol = gdb.lookup_symbol(name)[0]
        except gdb.error:
            symbol = None
        if symbol is not None and symbol.type is not None:
            if symbol.type.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_METHOD):
                return True
    return False
