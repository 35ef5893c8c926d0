# SPDX-License-Identifier: Apache-2.0
"""Where the compiler keeps a variable in a frame, as far as that tells whether its value can
be trusted, and whether a name means the same in all frames.

In a frame that has called another one GDB takes a register that the callee may overwrite for
unchanged. It prints what is in the register by now. Its Python API does not tell where a variable
is: "info address" does.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, NamedTuple, Optional, Sequence

import gdb

from .charset import executed, is_fortran, name_of
from .classes import members_of_this
from .inlined import functions_around, has_called
from .line_table import entries_of

Place = tuple[int, int]  # see place_of

# The registers that a called function need not put back, by the System V ABI of x86-64 and
# the procedure call standard of aarch64.
CLOBBERED = {
    "i386:x86-64": re.compile(
        r"\$((?:[re]?(?:ax|cx|dx|si|di)|[acd][lh]|r(?:8|9|1[01])[dwl]?)|[xyz]mm\d+|st\d)\b"
    ),
    "aarch64": re.compile(r"\$((?:[xw](?:\d|1[0-8]))|[vqdsh](?:[0-7]|1[6-9]|2\d|3[01]))\b"),
}
FRAME_POINTERS = {"i386:x86-64": "rbp", "aarch64": "x29"}
NAME = re.compile(r"(?<![\w$.'])(?<!->)(?<!::)[A-Za-z_]\w*\b(?!\s*::)")
_QUALIFIED = re.compile(r"(?:[A-Za-z_]\w*(?:<(?:[^<>]|<[^<>]*>)*>)?::)+[A-Za-z_]\w*")
NO_SYMBOL = re.compile(r'No symbol "(.*)" in current context')  # an error of GDB's
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_OTHER_IN_FORTRAN, _FORTRANS_MEMBER = re.compile(r"[%A-Z]"), re.compile(r"%\s*\w+")
WHOLE_NUMBERS = (
    gdb.TYPE_CODE_INT,
    gdb.TYPE_CODE_ENUM,
    gdb.TYPE_CODE_BOOL,
    gdb.TYPE_CODE_CHAR,
    gdb.TYPE_CODE_RANGE,
)
REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_RANGE = re.compile(r"Range 0x([0-9a-f]+)-0x([0-9a-f]+): ")
_BEGINS_WITH = re.compile(r"[\s(]*([A-Za-z_]\w*)\s*(.?)")
# In a list of places, those of a value that is in no memory of its own there.
_NO_MEMORY = re.compile(
    r"Range [^\n]*: (?:a variable in \$|the constant)|DW_OP_(?:stack_value|reg)"
)
_OF_FRAME = re.compile(r"a variable in \$|the constant|DW_OP_(?:stack_value|reg|fbreg)")
_SLOT = re.compile(r"DW_OP_fbreg (-?\d+)")
_ANY_REGISTER = re.compile(r"\$(\w+)")
_CONSTANT = re.compile(r"the constant|DW_OP_(?:lit\d+|const\w+)[^\n]*\n\s*\d+: DW_OP_stack_value")
_FROM_POINTER = re.compile(r"\[\$[re]?sp\]|\breg \$[re]?sp\b")
_AT_POINTER = re.compile(
    r"(?:frame base reg \$[re]?sp offset \S+|\n\s*0: DW_OP_breg\d+ -?\d+ \[\$[re]?sp\])[\s.]*$"
)
_FROM_POINTER_ALONE = re.compile(r"\n\s*0: DW_OP_breg7 (-?\d+) \[\$rsp\][\s.]*$")
_OPERATION = re.compile(r"DW_OP_\w+")
_FROM_REGISTER = re.compile(r"(?:DW_OP_breg\d+ -?\d+ \[|a variable in )\$(\w+)")
_PIECES = re.compile(r"-(?:byte|bit) piece\]|DW_OP_(?:bit_)?piece|DW_OP_(?:GNU_)?implicit_pointer")
_ONLY_REGISTER = re.compile(r"Symbol .* is a variable in \$(\w+)\.")
_IN_FRAME_ALONE = re.compile(r"Symbol .* is .*:\n\s*0: DW_OP_fbreg -?\d+[\s.]*$")
_ONE_EXPRESSION = re.compile(r"Symbol .* is a complex DWARF expression:")
_AT_ENTRY = re.compile(r"DW_OP_(?:GNU_)?entry_value\n.*\n")
_STATIC = (gdb.SYMBOL_LOC_STATIC, gdb.SYMBOL_LOC_CONST, gdb.SYMBOL_LOC_BLOCK)


def names_in(expression: str) -> list[str]:
    """Return the names that an expression has, without those of members and those that say whose they
    are, or are said to be. Fortran's have no case."""
    return list(dict.fromkeys(name for name, _ in _names(expression)))


def qualified_in(expression: str) -> list[str]:
    """Return the names of an expression that say whose they are, such as "Box<int>::count"."""
    code = LITERAL.sub(lambda literal: " " * len(literal.group()), expression)
    return list(dict.fromkeys(found.group() for found in _QUALIFIED.finditer(code)))


def renamed(expression: str, name: str, by: str) -> str:
    """Return an expression that has BY instead of NAME."""
    for found, at in reversed(_names(expression)):
        if found == name:
            expression = expression[:at] + by + expression[at + len(name) :]
    return expression


def _names(expression: str) -> list[tuple[str, int]]:
    """Return the names of an expression and where they begin."""
    code = LITERAL.sub(lambda literal: " " * len(literal.group()), expression)
    if _OTHER_IN_FORTRAN.search(code) and is_fortran():
        code = _FORTRANS_MEMBER.sub(lambda member: " " * len(member.group()), code).lower()
    return [(found.group(), found.start()) for found in NAME.finditer(code)]


def block_of(frame: gdb.Frame) -> Optional[gdb.Block]:
    """Return a frame's innermost block, None where there is no debug information."""
    try:
        return frame.block()
    except RuntimeError:
        return None


def local_blocks(frame: gdb.Frame) -> Iterator[gdb.Block]:
    """Yield the blocks of FRAME's function, innermost first. GCC has a construct's body in the
    block of the function around it, whose frame is another one."""
    return blocks_in_function(block_of(frame))


def local_symbols(frame: gdb.Frame) -> Iterator[gdb.Symbol]:
    """Yield what those blocks declare."""
    return (symbol for block in local_blocks(frame) for symbol in block)


def is_bound(symbol: gdb.Symbol) -> bool:
    """Tell whether a symbol is the bound of an array of variable length that clang hands over to a
    construct's body. A variable of the user's may have its name."""
    return name_of(symbol) == "vla" and bool(symbol.is_argument) and symbol.line == 0


def locals_named(name: str, frame: gdb.Frame) -> Iterator[gdb.Symbol]:
    """Yield what of the user's is called NAME there, the innermost first."""
    return (s for s in local_symbols(frame) if name_of(s) == name and not is_bound(s))


def innermost_named(
    name: str, frame: gdb.Frame, is_wanted: Callable[[gdb.Symbol], bool] = lambda symbol: True
) -> list[gdb.Symbol]:
    """Return what the innermost block declares that has something called NAME, of what IS_WANTED.
    Of a captured variable and the copy that is made of it one block has both."""
    blocks = (
        [s for s in block if name_of(s) == name and is_wanted(s) and not is_bound(s)]
        for block in local_blocks(frame)
    )
    return next(filter(None, blocks), [])


def taken_by_gdb(name: str, frame: gdb.Frame) -> Optional[gdb.Symbol]:
    """Return the local variable NAME of FRAME if GDB takes the one that is meant: of a captured one
    and its copy the copy."""
    named = innermost_named(name, frame)
    copies = [symbol for symbol in named if not symbol.is_argument]
    if not named or (len(named) > 1 and len(copies) != 1):
        return None
    is_argument = gdb.lookup_symbol(name, frame.block())[0].is_argument
    return None if copies and is_argument else (copies or named)[0]


def is_variable(symbol: gdb.Symbol) -> bool:
    """Tell whether a symbol has a value."""
    return bool(symbol.is_variable or symbol.is_argument or symbol.is_constant)


def blocks_in_function(block: Optional[gdb.Block]) -> Iterator[gdb.Block]:
    """Yield BLOCK and those around it that are of the same function."""
    while block is not None and not (block.is_static or block.is_global):
        yield block
        if block.function is not None:
            return
        block = block.superblock


def is_of_another_file(symbol: gdb.Symbol, block: gdb.Block) -> bool:
    """Tell whether SYMBOL is a static variable, or a constant of an enumeration, of another file's
    than BLOCK is of: GDB takes such a one, be it the C library's, where it knows no other, but the
    code cannot name it."""
    if symbol.needs_frame or not (symbol.is_variable or symbol.is_constant):
        return False
    if symbol.symtab is None:
        return False
    own, its = block.static_block, symbol.symtab.static_block()
    is_own = own is not None and (own.start, own.end) == (its.start, its.end)
    if is_own or symbol.type.code != gdb.TYPE_CODE_ENUM or not symbol.is_constant:
        return not is_own and gdb.lookup_global_symbol(symbol.linkage_name) is None
    # GDB has those of C++ among what is global, be they declared in several files.
    return all(name_of(each) != name_of(symbol) for each in block.global_block)


def object_type(symbol: gdb.Symbol) -> gdb.Type:
    """Return the type of a variable, or of what it refers to."""
    kind = symbol.type.strip_typedefs()
    kind = kind.target() if kind.code in REFERENCES else kind
    return kind.strip_typedefs().unqualified()


def depends_on_frame(expression: str, frame: gdb.Frame) -> bool:
    """Tell whether a name in the expression is a local one of FRAME, or a register."""
    return re.search(r"\$(?!_)[a-z]\w*", expression) is not None or any(
        local_names(expression, frame)
    )


def local_names(expression: str, frame: gdb.Frame) -> Iterator[str]:
    """Yield the names in the expression that are local ones of FRAME, or members of its object."""
    block = block_of(frame)
    if block is not None:
        yield from (name for name in names_in(expression) if _is_local(name, block))


def _is_local(name: str, block: gdb.Block) -> bool:
    symbol, is_member = gdb.lookup_symbol(name, block)
    if is_member or is_of_captured_this(name, block):
        return True
    if symbol is None:
        return False
    return bool(symbol.needs_frame or symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT)


def is_of_captured_this(name: str, block: gdb.Block) -> bool:
    """Tell whether NAME is, in the code of a lambda that BLOCK is of, the "this" that it has
    captured or a member of that object. Clang has the pointer as a member of the lambda, into
    which GDB does not look."""
    own = members_of_this(gdb.lookup_symbol("this", block)[0])
    if "this" not in own:
        return False
    if name in own:
        return name == "this"
    if any(name_of(symbol) == name for each in blocks_in_function(block) for symbol in each):
        return False
    return name in members_of_this(own["this"])


def in_clobbered(expression: str, frame: gdb.Frame) -> list[str]:
    """Return the registers that FRAME's call need not have kept and the value of an expression needs.
    FRAME must be selected."""
    block = block_of(frame)
    if block is None:
        return []
    names = names_in(expression)
    if any(gdb.lookup_symbol(n, block)[1] or is_of_captured_this(n, block) for n in names):
        names.append("this")
    return [each for name in names for each in clobbered_of(name, frame)]


def clobbered_of(name: str, frame: gdb.Frame) -> list[str]:
    """Return the registers that FRAME's call need not have kept and the variable NAME needs, also one
    of the compiler's. FRAME must be selected."""
    clobbered = CLOBBERED.get(frame.architecture().name())
    block = block_of(frame)
    if clobbered is None or block is None or not has_called(frame):
        return []
    symbol = gdb.lookup_symbol(name, block)[0]
    if symbol is None or symbol.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return []
    return clobbered.findall(_location(name, frame))


def executed_by(frame: gdb.Frame) -> int:
    """Return an address in the instruction that FRAME executes: of a call the last byte, behind
    which it goes on."""
    pc: int = frame.pc()
    return pc - 1 if has_called(frame) else pc


def place_of(frame: gdb.Frame) -> Place:
    """Return where FRAME is: what it executes, and how many functions are around that, which tells it
    from those whose frames are at the same address as they are inlined into each other."""
    return executed_by(frame), len(list(functions_around(block_of(frame))))


def _location(name: str, frame: gdb.Frame) -> str:
    """Return what GDB says of where a variable is at FRAME's place, without what was at the
    function's begin, which GDB knows from the caller."""
    return _location_at(executed_by(frame), _said_of(name))


def described_here(name: str, frame: gdb.Frame) -> str:
    """Return what GDB says of where a variable is at FRAME's place. FRAME must be selected."""
    return _location(name, frame).rstrip().rstrip(".").rstrip()


class Described(NamedTuple):
    """How a value is described, and what it is made of: registers, and places of the frame by their
    offsets."""

    text: str
    registers: list[str]
    slots: list[int]


def described_at(name: str, places: Sequence[int]) -> list[Optional[Described]]:
    """Return how a variable of the selected frame is described at each of these PLACES; None where
    it is nowhere, or in memory that is not the frame's."""
    said = _said_of(name)
    found = (_location_at(place, said) for place in places)
    return [
        Described(each, _ANY_REGISTER.findall(each), list(map(int, _SLOT.findall(each))))
        if _OF_FRAME.search(each)
        else None
        for each in found
    ]


def _location_at(pc: int, said: str) -> str:
    return _AT_ENTRY.sub("", _described(pc, said))


def _described(pc: int, said: str) -> str:
    ranges = list(_RANGE.finditer(said))
    for number, found in enumerate(ranges):
        if int(found.group(1), 16) <= pc < int(found.group(2), 16):
            end = ranges[number + 1].start() if number + 1 < len(ranges) else len(said)
            said = said[found.end() : end]
            break
    else:
        if ranges:
            return ""
    return said


def is_kept_in_register(expression: str, frame: gdb.Frame) -> bool:
    """Tell whether the variable of FRAME that an expression is, or is part of, is in a register or
    in no place at all in another part of the code. The memory that it is in here is then that in
    which the register is saved, if not its own. FRAME must be selected."""
    begin, block = _BEGINS_WITH.match(expression), block_of(frame)
    symbol = gdb.lookup_symbol(begin.group(1), block)[0] if begin and block is not None else None
    if begin is None or symbol is None or symbol.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return False
    code = symbol.type.strip_typedefs().code
    if code in REFERENCES or (code == gdb.TYPE_CODE_PTR and begin.group(2)):
        return False  # what it refers to is where it says
    if _NO_MEMORY.search(_said_of(begin.group(1))) is None:
        return False
    # Through a pointer that is read, as GCC's bodies have what they share, is to its own place.
    here = _OPERATION.findall(_location(begin.group(1), frame))
    return not here or here[-1] != "DW_OP_deref"


def is_constant(symbol: gdb.Symbol, frame: gdb.Frame) -> bool:
    """Tell whether a variable of FRAME is described by one value there. FRAME must be selected."""
    if symbol.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return bool(symbol.addr_class == gdb.SYMBOL_LOC_CONST)
    return _CONSTANT.search(_location(name_of(symbol), frame)) is not None


def only_register(name: str) -> Optional[str]:
    """Return the register by which a variable of the selected frame is described in all of its
    block, not only at some places."""
    only = _ONLY_REGISTER.fullmatch(_said_of(name).strip())
    return None if only is None else only.group(1)


def only_base(name: str) -> Optional[str]:
    """Return the same of a variable that is in memory, or computed: the one register of it."""
    said = _said_of(name)
    registers = set(_FROM_REGISTER.findall(said)) if _ONE_EXPRESSION.match(said) else set()
    return registers.pop() if len(registers) == 1 else None


def is_clobbered(register: str, frame: gdb.Frame) -> bool:
    """Tell whether a call that FRAME's function makes need not keep a register."""
    clobbered = CLOBBERED.get(frame.architecture().name())
    return clobbered is not None and clobbered.fullmatch("$" + register) is not None


def is_from_entry(name: str, frame: gdb.Frame) -> bool:
    """Tell whether a variable of FRAME is computed from what the function was called with, which the
    caller tells. FRAME must be selected."""
    return _AT_ENTRY.search(_described(executed_by(frame), _said_of(name))) is not None


def is_in_pieces(name: str, frame: gdb.Frame) -> bool:
    """Tell whether a variable of FRAME, or the object that it is a member of, is in several places,
    or is a pointer of which only what it points to is described. FRAME must be selected."""
    block = block_of(frame)
    symbol, is_member = gdb.lookup_symbol(name, block) if block is not None else (None, False)
    if is_member:
        return name != "this" and is_in_pieces("this", frame)
    if symbol is None or symbol.addr_class != gdb.SYMBOL_LOC_COMPUTED:
        return False
    return _PIECES.search(_location(name, frame)) is not None


def registers_of(name: str, frame: gdb.Frame) -> set[str]:
    """Return the registers from which a variable of FRAME is computed. FRAME must be selected."""
    return set(_FROM_REGISTER.findall(_location(name, frame)))


def is_from_stack_pointer(name: str, frame: gdb.Frame) -> bool:
    """Tell whether the place of a local variable of FRAME is told from where the stack pointer is.
    FRAME must be selected."""
    block = block_of(frame)
    symbol = gdb.lookup_symbol(name, block)[0] if block is not None else None
    if symbol is None or not symbol.needs_frame:
        return False
    return _FROM_POINTER.search(_location(name, frame)) is not None


def is_at_stack_pointer(name: str, frame: gdb.Frame) -> bool:
    """Tell whether that place is at a number of bytes from where the stack pointer is, and nothing else
    is described. FRAME must be selected."""
    return _AT_POINTER.search(_location(name, frame)) is not None


def at_stack_pointer_before(name: str, moved: tuple[int, int], frame: gdb.Frame) -> Optional[int]:
    """Return at how many bytes from where the stack pointer was a variable of FRAME is, if it is told
    by that alone before the instruction that MOVED it, from one place to another, and is not told at
    all behind that, nor where FRAME is. FRAME must be selected."""
    said, (begin, end) = _said_of(name), moved
    found = _FROM_POINTER_ALONE.search(_location_at(begin, said))
    if found is None or _location_at(executed_by(frame), said) or _location_at(end, said):
        return None
    return int(found[1])


def is_thread_local(name: str) -> bool:
    """Tell whether each thread has its own static variable of that name, or is part of such a one, as
    in a common block."""
    said = _said_of(name)
    return "thread-local" in said or "_tls_address" in said


def is_in_frame_alone(name: str) -> bool:
    """Tell whether a variable of the selected frame is described as being at one place of it all along."""
    return _IN_FRAME_ALONE.search(_said_of(name)) is not None


def _said_of(name: str) -> str:
    """Return what GDB says of where a variable is, in all the code."""
    try:
        return executed(f"info address {name}")
    except gdb.error:
        return ""


# Names that mean the same everywhere


class _Global(NamedTuple):
    """What tells a static variable, constant or type from others of its name."""

    file: str
    line: int
    name: str


class GlobalNames:
    """The names of an expression whose value is the same in all threads, if it is so: static
    variables, constants and types, and nothing else."""

    def __init__(self, expression: str, frame: gdb.Frame) -> None:
        self._names = names_in(expression)
        self._meant: list[_Global] = []
        self._in_block: dict[int, bool] = {}
        self.are_all = self._find(expression, frame)

    def _find(self, expression: str, frame: gdb.Frame) -> bool:
        block = block_of(frame)
        plain = LITERAL.sub("", expression)
        if block is None or not self._names or re.search(r"[$={:@]|\+\+|--|\w\s*\(", plain):
            return False
        for name in self._names:
            meant = _global(name, block)
            if meant is None:
                return False
            self._meant.append(meant)
        return not _local_names(block) & set(self._names)

    def mean_the_same_at(self, address: int) -> bool:
        """Tell whether the code at ADDRESS has the same names, whatever frame GDB has for it. At
        the beginning of a function that is inlined that may be the one around it."""
        if address not in self._in_block:
            block = gdb.block_for_pc(address)
            found = block is not None
            while found and block is not None and not block.is_static:
                names = zip(self._names, self._meant)
                found = all(_global(name, block) == meant for name, meant in names)
                block = block.superblock
            self._in_block[address] = found
        return self._in_block[address]


def _local_names(block: gdb.Block) -> set[str]:
    """Return the names of the local variables of the function that BLOCK is in, in all of its
    blocks. Of a function that was inlined those are of the one that it went to. GCC has the body of
    a construct in the block of the function around it, whose code is elsewhere."""
    while block.superblock is not None and block.superblock.start <= block.start < block.end:
        if block.superblock.is_static or block.superblock.end < block.end:
            break
        block = block.superblock
    if block.function is None:
        return set()
    seen: set[tuple[int, int]] = set()
    found: set[str] = set()
    for entry in entries_of(block.function):
        inner = gdb.block_for_pc(entry.pc) if block.start <= entry.pc < block.end else None
        while inner is not None and (inner.start, inner.end) not in seen:
            seen.add((inner.start, inner.end))
            found.update(name_of(symbol) for symbol in inner)
            inner = (
                None if (inner.start, inner.end) == (block.start, block.end) else inner.superblock
            )
    return found


def _global(name: str, block: gdb.Block) -> Optional[_Global]:
    symbol, of_this = gdb.lookup_symbol(name, block)
    if symbol is None or of_this or symbol.addr_class not in _STATIC or symbol.symtab is None:
        return None
    return _Global(symbol.symtab.fullname(), symbol.line, name)
