# SPDX-License-Identifier: Apache-2.0
"""A call's arguments from the code before it, on code as compilers write it."""

from __future__ import annotations

from typing import Optional

import pytest
from gdb_ompd.code.arguments import CallSite, Flow
from gdb_ompd.code.instructions import Instruction, memory, parse

REGISTERS = {"rbp": 0x7000, "rsp": 0x6F00, "rbx": 0xB0B, "r14": 3}
WORDS = {0x6FE8: 0x5555, 0x6F00: 0x777, 0x5000: 0x6000, 0x5014: 0xFFFFFFFF}


def code(text: str) -> list[Instruction]:
    """Parse lines; each is one byte long and has its line number as address."""
    return [parse(n, 1, line.strip()) for n, line in enumerate(text.strip().splitlines())]


def argument(text: str, number: int = 0, entry: Optional[int] = None) -> Optional[int]:
    """Return an argument of the last call or jump of TEXT."""
    instructions = code(text)
    last = max(n for n, i in enumerate(instructions) if i.is_call or i.ends_flow)

    def read(address: int, size: int) -> Optional[int]:
        return WORDS.get(address, 0 if 0x8000 <= address < 0x9000 else None)

    site = CallSite(Flow(instructions), last, REGISTERS.get, read, lambda name: entry)
    return site.argument(number)


@pytest.mark.parametrize(
    "text, number, value",
    [
        ("mov $0x404060,%edi\ncall 0x1000 <omp_set_lock@plt>", 0, 0x404060),
        ("lea 0x2ea1(%rip),%rdi   # 0x4040d0 <lock>\ncall 0x1000", 0, 0x2EA1 + 1),
        ("mov -0x18(%rbp),%rdi\ncall 0x1000", 0, 0x5555),
        ("lea -0x20(%rbp),%rdx\ncall 0x1000", 2, 0x6FE0),
        ("mov %rbx,%rdi\nxor %eax,%eax\ncall 0x1000", 0, 0xB0B),
        ("lea 0x4060(,%r14,8),%rdi\ncall 0x1000", 0, 0x4060 + 24),
        ("mov -0x18(%rbp),%rax\nadd $0x10,%rax\nmov %rax,%rdi\ncall 0x1000", 0, 0x5565),
        ("mov $0x5000,%eax\nmovslq 0x14(%rax),%rdi\ncall 0x1000", 0, (1 << 64) - 1),
        ("mov %r14,%rax\nshl $0x3,%rax\nlea 0x100(%rax),%rdi\ncall 0x1000", 0, 0x118),
        ("call 0x1000", 6, 0x777),
    ],
)
def test_what_compilers_write(text: str, number: int, value: int) -> None:
    assert argument(text, number) == value


def test_a_call_in_between_destroys_what_it_may() -> None:
    assert argument("mov $0x1,%edi\ncall 0x2000\ncall 0x1000") is None
    assert argument("mov $0x9,%ebx\ncall 0x2000\nmov %rbx,%rdi\ncall 0x1000") == 0xB0B


def test_what_the_function_was_given_comes_from_its_caller() -> None:
    assert argument("jmp 0x1000", 0, entry=0x42) == 0x42
    assert argument("mov %rsi,%rdi\njmp 0x1000", 0, entry=0x42) == 0x42
    assert argument("jmp 0x1000", 0) is None


def test_two_ways_that_differ_are_no_answer() -> None:
    differ = "mov $0x1,%edi\nje 0x3\nmov $0x2,%edi\ncall 0x1000"
    agree = "mov $0x1,%edi\nje 0x3\nmov $0x1,%edi\ncall 0x1000"
    assert argument(differ) is None
    assert argument(agree) == 1


def test_a_conditional_move_is_no_answer() -> None:
    assert argument("mov $0x1,%edi\nmov $0x2,%eax\ncmove %rax,%rdi\ncall 0x1000") is None


def test_a_loop_is_no_answer_where_it_changes_the_value() -> None:
    assert argument("mov $0x10,%edi\nadd $0x8,%rdi\njne 0x1\ncall 0x1000") is None


def test_a_register_that_was_changed_since_is_not_read_from_the_frame() -> None:
    assert argument("mov %rbx,%rdi\nmov $0x1,%ebx\ncall 0x1000") is None


def test_what_the_function_was_given_is_known_by_its_copy() -> None:
    assert argument("push %rbx\nmov %rdi,%rbx\ncall 0x1000") == 0xB0B
    merged = "je 0x2\ncall 0x2000\nmov %rdi,%rbx\ncall 0x1000"
    assert argument(merged) == 0xB0B
    assert argument("mov $0x1,%edi\nmov %rdi,%rbx\ncall 0x1000") == 1
    assert argument("mov %rdi,%rbx\nmov $0x1,%ebx\ncall 0x1000") is None
    assert argument("mov %rdi,%rbx\ncall 0x2000\ncall 0x1000") is None
    assert argument("mov %edi,%ebx\ncall 0x1000") is None


def test_a_jump_table_leaves_no_joint_certain() -> None:
    text = "mov $0x1,%edi\njmp *%rax\njmp 0x3\ncall 0x1000"
    assert argument(text) is None


def test_partial_writes_are_no_answer() -> None:
    assert argument("mov $0x1,%edi\nmov $0x2,%dil\ncall 0x1000") is None


def test_operands() -> None:
    call = parse(0x10, 5, "bnd call 0x401030 <omp_set_lock@plt>")
    assert (call.is_call, call.target) == (True, 0x401030)
    assert parse(0, 4, "lea -0x8(%rsp,%rcx,4),%rdi").operands == ("-0x8(%rsp,%rcx,4)", "%rdi")
    where = memory("-0x8(%rsp,%rcx,4)", 0)
    assert where is not None
    assert (where.displacement, where.base, where.index, where.scale) == (-8, "rsp", "rcx", 4)
    assert memory("%fs:0x28", 0) is None
