# SPDX-License-Identifier: Apache-2.0
"""Make the source of a random OpenMP program, and the list of its constructs."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Container

from generator import variables
from generator.statements import LOCKS, NEST_LOCKS, Around, Construct, Writer
from generator.variables import Note, Variable

# An exception that leaves the function that throws it.
THROWS = "__attribute__((noinline, unused)) static void record_throw(int what) { throw what; }"


@dataclass
class Program:
    """A program and its constructs, by number: 0 is the initial task."""

    language: str  # c or cpp
    sources: list[str]
    constructs: list[Construct]
    roots: int  # threads of the program's own beside the first
    notes: list[Note]  # by the number that the program knows them by


class _Functions(Writer):
    """Writes functions with some statements, in each of the ways that a language has."""

    def function(self, name: str) -> None:
        """Write one, in one of the two files."""
        ways = ["plain", "plain", "other", "tail", "recursive", "inline"]
        if self.language == "cpp":
            ways += ["template", "lambda", "member", "member", "virtual", "constructor", "scoped"]
        way = self.chance.choice(ways)
        getattr(self, "_" + way)(name)

    def _inside(self, function: str, seen: tuple[Variable, ...] = ()) -> None:
        self.put("int total = 0;")
        around = Around(function, body=self.new_body(), seen=variables.everywhere())
        self.statements(self.declared(around.with_variables(seen)))
        self.put("(void)total;")

    def _plain(self, name: str, how: str = "static ", times: int = 1) -> None:
        with self.block(f"{how}void {name}(void)"):
            self._inside(name)
        self.calls[0] += [f"{name}()"] * times

    def _inline(self, name: str) -> None:
        self._plain(name, "static inline __attribute__((always_inline)) ", 2)

    def _other(self, name: str) -> None:
        """In the other file, where functions of the first are not known."""
        self.put(f"void {name}(void);")
        self.file = 1
        self._plain(name, "")
        self.calls[1].append(f"{name}()")
        self.file = 0

    def _recursive(self, name: str) -> None:
        """Tasks that call the function that they are in."""
        around = Around(name, body=self.new_body(), seen=variables.everywhere())
        with self.block(f"static void {name}(int depth)"):
            with self.block("if (depth == 0)"):
                self.leaf(around)
                self.put("return;")
            for _ in range(2):
                made = self.construct("task", name)
                with self.block():
                    self.meets(made)
                    made.line = self.put(f"#pragma omp task firstprivate(met{made.number})")
                    inner = replace(around.inside(), body=self.new_body())
                    self.body(made, inner, lambda _: self._calls_itself(name))
                    self.keep(made)
            self.taskwait(around)
        self.calls[0].append(f"{name}(2)")

    def _calls_itself(self, name: str) -> None:
        self.put(f"{name}(depth - 1);")
        self.put("record_on();")

    def _tail(self, name: str) -> None:
        """The region is the last act of its function, so that its caller records."""
        made = self.construct("parallel", name)
        with self.block(f"__attribute__((noinline)) static void {name}(int met{made.number})"):
            made.line = self.put(
                f"#pragma omp parallel num_threads(2) firstprivate(met{made.number})"
            )
            with self.block():
                self.put(f"record_begins(met{made.number});")
                self.put("int total = 0;")
                around = Around(name, True, 1, 1, False, self.new_body(), variables.everywhere())
                self.statements(self.declared(around))
                self.put("(void)total;")
                self.put("record_ends();")
        caller = f"{name}_caller"
        with self.block(f"static void {caller}(void)"):
            self.put(f"{name}(record_meets({made.number}, 1));")
            self.put("record_left();")
        self.calls[0].append(f"{caller}()")

    def _template(self, name: str) -> None:
        with self.block(f"template <typename T> static void {name}(T seed)"):
            self.put("(void)seed;")
            self._inside(name, (Variable("seed", "T", ""),))
        self.calls[0] += [f"{name}(1)", f"{name}<double>(1.0)"]

    def _lambda(self, name: str) -> None:
        with self.block(f"static void {name}()"):
            self.put("int seen = 0;")
            self.put(f"const auto code = [&](int amount) {{ // of {name}")
            self.indent += 1
            self.put("seen += amount;")
            self._inside("operator()", (Variable("seen", "int", ""), Variable("amount", "int", "")))
            self.indent -= 1
            self.put("};")
            self.put("code(1);")
        self.calls[0].append(f"{name}()")

    def _member(self, name: str) -> None:
        with self.block(f"struct Class_{name}"):
            self.put("int size = 2;")
            with self.block(f"void {name}() const"):
                self.put("(void)size;")
                self._inside(name, (Variable("size", "const int", ""),))
        self.put(";")
        self.calls[0].append(f"Class_{name}().{name}()")

    def _virtual(self, name: str) -> None:
        with self.block(f"struct Base_{name}"):
            self.put(f"virtual void {name}() = 0;")
        self.put(";")
        with self.block(f"struct Class_{name} final : Base_{name}"):
            with self.block(f"void {name}() override"):
                self._inside(name)
        self.put(";")
        with self.block(f"__attribute__((noinline)) static void {name}_of(Base_{name} &what)"):
            self.put(f"what.{name}();")
        with self.block(f"static void {name}_made()"):
            self.put(f"Class_{name} made;")
            self.put(f"{name}_of(made);")
        self.calls[0].append(f"{name}_made()")

    def _constructor(self, name: str) -> None:
        with self.block(f"struct {name}"):
            with self.block(f"explicit {name}(int)"):
                self._inside(name)
        self.put(";")
        self.calls[0].append(f"{name}(1)")

    def _scoped(self, name: str) -> None:
        """A member template of a class template, in namespaces without and with a name."""
        with self.block("namespace"):
            with self.block(f"namespace space_{name}"):
                with self.block("template <typename T> struct Holder"):
                    with self.block(f"template <int N> static void {name}(T)"):
                        self._inside(name)
                self.put(";")
        self.calls[0].append(f"space_{name}::Holder<long>::{name}<3>(1)")


def generate(seed: int, language: str, without: Container[str] = ()) -> Program:
    """Return the program of a number WITHOUT some constructs."""
    chance = random.Random(f"{seed} {language}")
    writer = _Functions(chance, language, without)
    writer.constructs.append(Construct(0, "initial", "main"))
    roots = chance.choice((0, 0, 1, 2))
    for writer.file in (1, 0):
        writer.put(f"/* Generated from the number {seed}. */")
        for line in ('#include "record.h"', "", "static int shared_total;"):
            writer.put(line)
        for line in variables.HEAD.strip().split("\n"):
            writer.put(line)
        writer.put("static volatile int record_six = 6;")
        if language == "cpp":
            writer.put(THROWS)
    writer.put(f"omp_lock_t record_locks[{LOCKS}];")
    writer.put(f"omp_nest_lock_t record_nest_locks[{NEST_LOCKS}];")
    writer.put("")
    for number in range(chance.randrange(3, 6)):
        writer.function(f"made{number}")
        writer.put("")
    with writer.block("static void main_round(int number)"):
        writer.put("int total = number;")
        writer.put("(void)total;")
        if roots == 0 and writer.likely(30):
            writer.teams(Around("main_round", seen=variables.everywhere()))
        for call in writer.calls[0]:
            writer.put(f"{call};")
        writer.region(Around("main_round", seen=variables.everywhere()))
    writer.put("")
    with writer.block("int GENERATED_MAIN(void)"):
        writer.put("omp_set_max_active_levels(3);")
        writer.put(f"return record_run(main_round, {roots}, {seed});")
    sources = ["\n".join(lines) + "\n" for lines in writer.files]
    return Program(language, sources, writer.constructs, roots, writer.variables.notes)
