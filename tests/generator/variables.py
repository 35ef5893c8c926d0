# SPDX-License-Identifier: Apache-2.0
"""The variables of a random OpenMP program: which there are, what they are called at a place,
and which data-sharing attribute each has there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable

SHARED, PRIVATE, FIRSTPRIVATE = "shared", "private", "firstprivate"
LASTPRIVATE, LINEAR, REDUCTION, THREADPRIVATE = (
    "lastprivate",
    "linear",
    "reduction",
    "threadprivate",
)
SCALARS = ("int", "long", "short", "double", "float", "unsigned")
GLOBALS = ("every0", "every1")  # their names are also those of local variables
OWN = "own0"  # threadprivate
MEMBERS = ("seen", "size")
HEAD = """
struct pair { int first; double second[2]; };
static int every0 = 41;
static double every1 = 4.25;
static int own0;
#pragma omp threadprivate(own0)
"""
MOST_NOTED = 4


@dataclass(frozen=True)
class Variable:
    """One that code at a place can name. PART is what of it is a number, such as "[1]"."""

    name: str
    type: str
    attribute: str
    part: str = ""
    is_reference: bool = False

    @property
    def expression(self) -> str:
        return self.name + self.part

    @property
    def is_scalar(self) -> bool:
        return not self.part


@dataclass(frozen=True)
class Note:
    """What a program notes of a variable: BODY is the number of the function around."""

    expression: str
    name: str
    attribute: str
    body: int


@dataclass
class Variables:
    """Makes variables, each with a name of its own."""

    chance: random.Random
    language: str
    notes: list[Note] = field(default_factory=list)
    made: int = 0

    def new_name(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}{self.made}"

    def declared(
        self, put: Callable[[str], object], attribute: str, most: int = 3, shadows: bool = False
    ) -> list[Variable]:
        """Declare some variables here."""
        found: list[Variable] = []
        for _ in range(self.chance.randrange(most + 1)):
            name = self.new_name("v")
            if shadows and self.chance.randrange(5) == 0:
                name = self.chance.choice(
                    [g for g in GLOBALS if g not in [v.name for v in found]] or [name]
                )
            found.append(self._one(put, name, attribute))
        return found

    def _one(self, put: Callable[[str], object], name: str, attribute: str) -> Variable:
        value = f"record_own() * 7 + {self.chance.randrange(100)}"
        shape = self.chance.randrange(10)
        if shape == 0:
            put(f"struct pair {name} = {{{value}, {{0.5, {self.chance.randrange(9)}}}}};")
            return Variable(
                name, "struct pair", attribute, self.chance.choice((".first", ".second[1]"))
            )
        if shape == 1:
            put(f"double {name}[3] = {{1.5, (double)({value}), 2.25}};")
            return Variable(name, "double [3]", attribute, "[1]")
        kind = self.chance.choice(SCALARS)
        if shape == 2 and self.language == "cpp":
            put(f"{kind} {name}_base = ({kind})({value}), &{name} = {name}_base;")
            return Variable(name, kind, attribute, is_reference=True)
        put(f"{kind} {name} = ({kind})({value});")
        return Variable(name, kind, attribute)

    def clauses(
        self, outer: Iterable[Variable], kinds: Callable[[Variable], tuple[str, ...]]
    ) -> tuple[str, list[Variable]]:
        """Choose a clause for each variable from outside, one of KINDS. "" is none, and keeps
        the attribute that it is called with."""
        text, inside = "", []
        for variable in outer:
            kind = self.chance.choice(kinds(variable))
            if not kind:
                inside.append(variable)
                continue
            operator = "+ : " if kind == REDUCTION else ""
            text += f" {kind}({operator}{variable.name})"
            inside.append(replace(variable, attribute=kind))
        return text, inside

    def set_private(self, put: Callable[[str], object], inside: Iterable[Variable]) -> None:
        """Give private variables a value, and those with one from outside another."""
        for variable in inside:
            value = f"record_own() * 3 + {self.chance.randrange(50)}"
            target = variable.expression
            if variable.attribute in (PRIVATE, REDUCTION, LASTPRIVATE):
                put(f"{target} = {value};")
            elif variable.attribute == FIRSTPRIVATE and self.chance.randrange(2):
                put(f"{target} += record_own();")

    def note(
        self, put: Callable[[str], object], seen: Iterable[Variable], body: int
    ) -> list[Variable]:
        """Have the program note some of the variables that are SEEN; return them."""
        known = list(seen)
        noted = self.chance.sample(known, min(MOST_NOTED, len(known)))
        for variable in noted:
            number = len(self.notes)
            self.notes.append(Note(variable.expression, variable.name, variable.attribute, body))
            where = f"&{variable.name}" if self.chance.randrange(2) and variable.is_scalar else "0"
            put(f"record_value({number}, (double)({variable.expression}), {where});")
        return noted


def in_region(variable: Variable) -> tuple[str, ...]:
    """Return the clauses that a variable may be in at "parallel", "" for none."""
    found = ["", "", SHARED, FIRSTPRIVATE]
    if not variable.is_reference:
        found.append(PRIVATE)
    if variable.is_scalar and not variable.is_reference:
        found.append(REDUCTION)
    return tuple(found)


def in_task(variable: Variable, undeferred: bool) -> tuple[str, ...]:
    """Return the same at "task"."""
    if variable.is_reference:
        return ("",)
    found = ["", ""] + [FIRSTPRIVATE] * (variable.is_scalar or not undeferred)
    if variable.is_scalar:
        found.append(PRIVATE)
    return tuple(found)


def in_region_by_no_clause(variables: Iterable[Variable]) -> list[Variable]:
    """Return the variables of the code around as they are in a region."""
    kept = ("", THREADPRIVATE)
    return [v if v.attribute in kept else replace(v, attribute=SHARED) for v in variables]


def in_task_by_no_clause(
    variables: Iterable[Variable], untied: bool, undeferred: bool
) -> list[Variable]:
    """Return those variables of the code around that a task may name, as they are in it."""
    found = []
    for variable in variables:
        shared = variable.attribute in ("", SHARED, THREADPRIVATE)
        # No task may name what a region reduces. For a copy of what a reference is to, or of more
        # than a scalar, GCC has a function which LLVM's runtime does not call for an undeferred
        # one.
        # An object that a lambda or a method is of may be gone when a task of theirs is executed.
        if variable.name in MEMBERS:
            continue
        by_function = variable.is_reference or (undeferred and not variable.is_scalar)
        if variable.attribute == REDUCTION or (by_function and not shared):
            continue
        if not (untied and variable.attribute == THREADPRIVATE):
            found.append(variable if shared else replace(variable, attribute=FIRSTPRIVATE))
    return found


def shadowed(variables: Iterable[Variable], by: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return what can be named where BY are declared, too."""
    new = list(by)
    names = {variable.name for variable in new}
    return (*(v for v in variables if v.name not in names), *new)


def everywhere() -> tuple[Variable, ...]:
    """Return what can be named in all code."""
    return (
        Variable(GLOBALS[0], "int", SHARED),
        Variable(GLOBALS[1], "double", SHARED),
        Variable(OWN, "int", THREADPRIVATE),
    )
