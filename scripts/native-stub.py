# SPDX-License-Identifier: Apache-2.0
"""Write python/gdb_ompd/_native.pyi from what the built native module says of itself.

Usage: $(sh scripts/gdb-python.sh) scripts/native-stub.py

The bindings in native/bindings have the types and the texts. tests/contract compares the file.
"""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import textwrap
import types
import typing
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "gdb_ompd"
WIDTH = 100
HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# Written by scripts/native-stub.py: change native/bindings instead.
"""
# What Python gives to native code.
PROTOCOLS = '''
_Function = TypeVar("_Function", bound=Callable[..., Any])

class Target(Protocol):
    """What the callbacks need from a debugger. Exceptions pass through unchanged.

    An exception that a callback meets ends the call it happened in: further callbacks of that
    call are refused, and it is raised from the call even if libompd says "ok", because libompd
    masks failed reads and answers all the same. An ``Exception`` from ``read_memory`` means that
    memory cannot be read (a smaller range may then be tried); ``KeyboardInterrupt`` is never
    retried. A reply of the wrong length is an ``OmpdError``.
    """

    def read_memory(self, address: int, size: int) -> Union[bytes, memoryview]: ...
    def write_memory(self, address: int, data: bytes) -> None: ...
    def thread_pointer(self, kind: int, thread_id: int) -> Optional[int]:
        """Return the thread pointer of a native thread, None if there is none."""
    def print_string(self, text: str, category: int) -> None: ...

class PlaceNames(Protocol):
    """What the debugger calls the places on stacks, each of a thread by its GDB number."""

    def at(self, points: Sequence[tuple[int, bool]]) -> Sequence[Optional[SourcePlace]]:
        """Return the place at each program counter, which is an innermost frame's or not; None
        where only the thread's frames tell it."""
    def chain(self, gdb_num: int, pc: int) -> Sequence[SourcePlace]:
        """Return the places of frames at PC, those of inlined functions first."""
    def outermost_called(self, gdb_num: int) -> Optional[str]:
        """Name the outermost frame below the user's code that no signal has interrupted."""
    def is_unreadable(self, gdb_num: int) -> bool:
        """Tell whether a thread's frames cannot be told."""
    def left(self, jumps: Sequence[int], function: Optional[int]) -> Optional[SourcePlace]:
        """Return where a FUNCTION of the user's was left by JUMPS, which has no frame."""
    def kind_by_lines(self, kind: str, places: Sequence[CallPlace]) -> str:
        """Return what is waited for in one of the calls at PLACES, KIND or a like one."""
    def object(self, kind: str, address: int, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user calls the object at ADDRESS in the frame at PC."""
    def mutex(self, address: int, gdb_num: int, pc: int) -> Optional[str]:
        """Return what the user calls a lock of the C library's in his innermost frame, at PC."""
    def waits_for_others(self, function: str) -> bool:
        """Tell whether a function of MPI's waits for what other processes do."""
    def held(self, gdb_num: int, found: Sequence[HeldLock]) -> tuple[Held, ...]:
        """Return the locks that were FOUND, with their names."""
    def variables(self, gdb_num: int, addresses: Sequence[int]) -> tuple[str, ...]:
        """Return what the user calls the variables at ADDRESSES."""
    def construct(self, pc: int, function: int) -> Optional[Location]:
        """Return where the construct is whose call returns to PC and whose FUNCTION begins there; 0
        where one is not known."""
    def construct_called(self, call: Location, body: Optional[int]) -> Location:
        """Return where the construct is that is begun at a CALL with the outlined function BODY."""
    def call_place(self, pc: int) -> Location:
        """Return where the call is that returns to PC."""
    def frame_place(self, gdb_num: int, frame: int) -> Location:
        """Return where a frame of the debugger's is, counted from the innermost."""
    def function(self, gdb_num: int, frame: int) -> FrameFunction:
        """Return what is known of such a frame's function."""
    def functions_at(self, pc: int, start: int) -> Optional[Sequence[str]]:
        """Return the names of the functions whose code is at PC, which is in the one that begins at
        START: those that are inlined first. None where it is not known which of them has the
        frame."""
    def is_left_by_jump(self, called: int, inside: str) -> bool:
        """Tell whether the function that was CALLED is the body of a region, and has ended with a
        jump: the call goes on in the function INSIDE."""
    def is_in_body(self, gdb_num: int, function: int) -> bool:
        """Tell whether the task with the outlined FUNCTION is one of the innermost frames."""

class DebuggersFrames(Protocol):
    """The frames of threads, each by its GDB number, as the debugger has them."""

    def stopped(self, gdb_nums: Sequence[int]) -> dict[int, Optional[ThreadStack]]:
        """Return the stacks of those of threads that stand still, None for one without
        registers."""
    def given(self, gdb_num: int) -> Sequence[GivenFrame]:
        """Return a thread's frames, innermost first."""
    def placed(self, gdb_num: int) -> Sequence[GivenFrame]:
        """Return the same without their registers."""
    def given_around_user(self, gdb_num: int) -> Sequence[GivenFrame]:
        """Return those of them in which its place is looked for, the outer ones without
        registers."""

class StopHost(Protocol):
    """What only the debugger knows of a stop."""

    def add_runtimes(self, runtimes: AllRuntimes) -> Optional[Exception]:
        """Add each one that can be read to RUNTIMES; return why none can."""
    def stacks(self) -> Stacks: ...
    def readable_code(self) -> Optional[Sequence[tuple[int, int]]]:
        """Return where the files are that could be read, None where all runtimes could."""
    def is_forked(self) -> Optional[bool]:
        """Tell whether the process began by fork() and has executed no program since."""
    def is_own_memory(self, address: int) -> bool:
        """Tell whether no other process can use the memory at an address."""

class RuntimeHost(Protocol):
    """What only the debugger knows of a runtime and its process."""

    def machine(self) -> str:
        """Return the program's architecture in ELF's words."""
    def threads(self) -> Sequence[NativeThread]: ...
    def kernels_process(self) -> Optional[int]:
        """Return the process whose memory the kernel gives, None where it does not."""
    def why_not_loaded(self) -> Optional[str]:
        """Return why the debugger has read no symbols of the file, and what to do; None where it
        has."""
    def refusal(self) -> Sequence[str]:
        """Return why its symbols were not recovered; nothing if that was not tried."""
    def recovered(self) -> Optional[RecoveredSymbols]:
        """Return what was written down at the recovery, None where that is damaged."""
    def private_fields(self, layout: dict[str, int]) -> Optional[PrivateFields]:
        """Return where a known release with LAYOUT keeps what OMPD does not publish."""
    def event_constants(self) -> dict[str, int]:
        """Return what was written down of the places of events, by name."""
'''
# Whose types the native module makes.
MODELS = ("model", "model.waits", "explain.facts")
SIGNATURE = re.compile(r"\w*\((?P<parameters>.*)\) -> (?P<result>.*)")


def stub(native: types.ModuleType) -> str:
    """Return the text of the stub. ValueError for a type that has no name in Python."""
    body = "".join(_declarations(native, ""))
    used = set(re.findall(r"\w+", PROTOCOLS + re.sub(r'""".*?"""', "", body, flags=re.DOTALL)))
    wanted = sorted(used & set(typing.__all__))
    imports = f"\nfrom typing import {', '.join(wanted)}\n\n"
    for room in MODELS:
        model = importlib.import_module(f"{native.__package__}.{room}")
        own = {k for k, v in vars(model).items() if getattr(v, "__module__", "") == model.__name__}
        imports += f"from .{room} import {', '.join(sorted(used & own))}\n"
    return HEADER + _doc(native.__doc__, "").lstrip() + imports + PROTOCOLS + "\n" + body


def _declarations(owner: typing.Any, indent: str) -> Iterator[str]:
    for name, member in vars(owner).items():
        if isinstance(member, type):
            yield from _class(member, name)
        elif isinstance(member, property):
            yield from _property(member, name, indent)
        elif isinstance(member, (int, list, tuple)):
            yield f"{name}: {_type_of(member)}\n"
        elif (static := isinstance(member, staticmethod)) or callable(member):
            function = member.__func__ if static else member
            if str(function.__doc__).startswith(f"{name}("):
                yield f"{indent}@staticmethod\n" if static else ""
                yield from _function(function, name, indent)


def _class(member: type, name: str) -> Iterator[str]:
    bases = [base.__name__ for base in member.__bases__ if base.__name__ != "pybind11_object"]
    yield f"class {name}" + (f"({', '.join(bases)})" if bases else "") + ":\n"
    lines = [_doc(member.__doc__, "    ").lstrip("\n")]
    lines += [f"    {k}: {v}\n" for k, v in vars(member).get("__annotations__", {}).items()]
    lines += [] if issubclass(member, Exception) else _declarations(member, "    ")
    yield "".join(lines) or "    ...\n"


def _property(member: property, name: str, indent: str) -> Iterator[str]:
    found = SIGNATURE.match(member.fget.__doc__ or "") if member.fget else None
    assert found is not None, name
    yield f"{indent}@property\n{indent}def {name}(self) -> {_type(found['result'])}:"
    yield _doc(member.__doc__, indent + "    ") or " ...\n"


def _function(function: typing.Any, name: str, indent: str) -> Iterator[str]:
    line, _, text = function.__doc__.partition("\n")
    found = SIGNATURE.match(line)
    assert found is not None, line
    given = found["parameters"]
    if name == "__eq__":
        given = "self, other: object"
    given = re.sub(r"^self: [\w.]+", "self", given).replace("List[", "Sequence[")
    given = given.replace("Dict[", "Mapping[")
    yield f"{indent}def {name}({_type(given)}) -> {_type(found['result'])}:"
    yield _doc(text, indent + "    ") or " ...\n"


def _type(text: str) -> str:
    """Return types in Python's words, as pybind11's signatures have them."""
    text = re.sub(r"(\w)\[\d+\]", r"\1", text.replace("gdb_ompd._native.", ""))
    for generic in ("List", "Dict", "Tuple", "Set"):
        text = text.replace(f"{generic}[", f"{generic.lower()}[")
    if re.search(r"::|\b(handle|function|list|dict|tuple|set)\b(?![:\[])", text):
        raise ValueError(f"no type of Python's: {text}")
    return text


def _type_of(value: typing.Any) -> str:
    if isinstance(value, list):
        return f"list[{type(value[0]).__name__}]"
    if isinstance(value, tuple):
        return f"tuple[{', '.join(type(each).__name__ for each in value)}]"
    return type(value).__name__


def _doc(text: typing.Optional[str], indent: str) -> str:
    if not text or not text.strip():
        return ""
    paragraphs = inspect.cleandoc(text).replace("\\", "\\\\").split("\n\n")
    filled = [
        textwrap.fill(each, WIDTH - len(indent) - 3, break_on_hyphens=False) for each in paragraphs
    ]
    joined = "\n\n".join(filled) + ("\n" if len(filled) > 1 else "")
    return "\n" + textwrap.indent(f'"""{joined}"""', indent) + "\n"


def main() -> None:
    sys.path.insert(0, str(PACKAGE.parent))
    import gdb_ompd._native as native
    import gdb_ompd.model

    text = stub(native)
    black = [sys.executable, "-m", "black", "--quiet", "--pyi", "--line-length", str(WIDTH), "-"]
    formatted = subprocess.run(black, input=text, capture_output=True, text=True, check=True)
    (PACKAGE / "_native.pyi").write_text(formatted.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
