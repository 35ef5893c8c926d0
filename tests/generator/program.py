# SPDX-License-Identifier: Apache-2.0
"""Make the source of a random OpenMP program, and the list of its constructs."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator, Optional

from generator import variables
from generator.variables import (
    FIRSTPRIVATE,
    LASTPRIVATE,
    LINEAR,
    OWN,
    PRIVATE,
    SHARED,
    Note,
    Variable,
    Variables,
)

KINDS = {"parallel": "implicit", "task": "explicit", "teams": "initial"}
CALLS = {
    "CALL_READ": ("char byte;", "(void)!read(record_pipe[0], &byte, 1);"),
    "CALL_SLEEP": ("", "usleep({amount});"),
    "CALL_POLL": ("", "poll(NULL, 0, {amount} % 3 + 1);"),
    "CALL_SEMAPHORE": ("", "sem_wait(&record_semaphore);"),
}
LOCKS, NEST_LOCKS = 4, 2
CRITICALS = ("", "gate", "ledger")  # their numbers follow those of the locks
DEEPEST = 4  # constructs in constructs of one function
MOST_REGIONS = 2  # in one another, in one function
SCHEDULES = ("static", "static, 1", "dynamic", "dynamic, 2", "guided", "auto", "runtime")


@dataclass
class Construct:
    """One that begins a task: FUNCTION is the innermost name of the function it is in."""

    number: int
    kind: str  # of KINDS
    function: str
    line: int = 0
    end: int = 0
    outer: str = ""  # a variable around it that its body does not name


@dataclass(frozen=True)
class Around:
    """What is around a statement: TEAM if all threads of a team come to it together."""

    function: str
    team: bool = False
    depth: int = 0
    regions: int = 0
    untied: bool = False
    body: int = 0  # the number of the compiler's function
    seen: tuple[Variable, ...] = ()
    # Of the region's, for clauses of what its team shares: each is taken once.
    unused: list[Variable] = field(default_factory=list)

    def with_variables(self, made: Iterable[Variable]) -> Around:
        """Return what is around where these variables have been declared, too."""
        return replace(self, seen=variables.shadowed(self.seen, made))

    def inside(self, team: bool = False, regions: int = 0, untied: bool = False) -> Around:
        """Return what is around a statement of a construct here, with so many REGIONS more."""
        return replace(
            self,
            team=team,
            depth=self.depth + 1,
            regions=self.regions + regions,
            untied=self.untied or untied,
        )


@dataclass
class Program:
    """A program and its constructs, by number: 0 is the initial task."""

    language: str  # c or cpp
    source: str
    constructs: list[Construct]
    roots: int  # threads of the program's own beside the first
    notes: list[Note]  # by the number that the program knows them by


@dataclass
class _Writer:
    chance: random.Random
    language: str
    lines: list[str] = field(default_factory=list)
    constructs: list[Construct] = field(default_factory=list)
    callable_: list[str] = field(default_factory=list)  # functions that can be called
    indent: int = 0
    bodies: int = 0
    variables: Variables = field(init=False)

    def __post_init__(self) -> None:
        self.variables = Variables(self.chance, self.language)

    def new_body(self) -> int:
        """Return the number of another function that the compiler makes."""
        self.bodies += 1
        return self.bodies

    def declared(self, around: Around, most: int = 2) -> Around:
        """Declare local variables."""
        made = self.variables.declared(self.put, PRIVATE, most, shadows=True)
        return around.with_variables(made)

    def put(self, text: str) -> int:
        """Write a line, and return its number."""
        margin = "" if text.startswith("#") else "    " * self.indent
        self.lines.append(margin + text)
        return len(self.lines)

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        self.put(f"{head} {{".strip())
        self.indent += 1
        yield
        self.indent -= 1
        self.put("}")

    def construct(self, kind: str, function: str) -> Construct:
        made = Construct(len(self.constructs), kind, function)
        self.constructs.append(made)
        return made

    def likely(self, percent: int) -> bool:
        return self.chance.randrange(100) < percent

    # Statements that begin nothing.

    @contextmanager
    def noted(self, around: Around) -> Iterator[None]:
        """Note some variables before a statement, and keep most of them in memory until after."""
        noted = self.variables.note(self.put, around.seen, around.body)
        yield
        for variable in noted:
            if self.likely(70):
                self.put(f'__asm__ volatile("" : : "r"(&{variable.name}) : "memory");')

    def work(self, around: Around) -> None:
        with self.noted(around):
            line = len(self.lines) + 1
            self.put(f"record_work({line}, {self.chance.choice((50, 500, 5000, 40000))});")

    def call(self, tail: bool = False) -> None:
        """A call of the system that may take some time; TAIL as the last act of a body."""
        which = self.chance.choice(sorted(CALLS))
        declared, text = (part.format(amount=self.chance.randrange(600)) for part in CALLS[which])
        if declared:
            self.put(declared)
        self.put(f"record_{'tail' if tail else 'blocks'}({which});")
        self.put(text)
        if not tail:
            self.put("record_on();")

    def leaf(self, around: Around) -> None:
        """Some code without constructs, but for the holding of locks."""
        for _ in range(self.chance.randrange(1, 3)):
            if self.likely(25):
                with self.block(), self.noted(around):
                    self.call()
            else:
                self.work(around)

    def mutex(self, around: Around, lowest: int = 0) -> None:
        """Hold a lock or be in a critical, and perhaps another inside: always upwards."""
        number = self.chance.randrange(lowest, LOCKS + NEST_LOCKS + len(CRITICALS))
        name = CRITICALS[number - LOCKS - NEST_LOCKS] if number >= LOCKS + NEST_LOCKS else None
        self.variables.note(self.put, around.seen, around.body)
        self.put(f"record_wants({number});")
        if number < LOCKS:
            self.put(f"omp_set_lock(&record_locks[{number}]);")
        elif name is None:
            self.put(f"omp_set_nest_lock(&record_nest_locks[{number - LOCKS}]);")
        else:
            self.put("#pragma omp critical" + (f"({name})" if name else ""))
        with self.block():
            self.put(f"record_has({number});")
            self.leaf(around)
            if number + 1 < LOCKS + NEST_LOCKS + len(CRITICALS) and self.likely(30):
                self.mutex(around, number + 1)
            self.put(f"record_drops({number});")
        if number < LOCKS:
            self.put(f"omp_unset_lock(&record_locks[{number}]);")
        elif name is None:
            self.put(f"omp_unset_nest_lock(&record_nest_locks[{number - LOCKS}]);")
        self.put("record_on();")

    # Statements that begin tasks.

    def body(self, made: Construct, around: Around, shape: Callable[[Around], None]) -> None:
        """The block of a construct that begins tasks; its last act may be a call."""
        with self.block():
            self.put(f"record_begins(met{made.number});")
            shape(around)
            if self.likely(20) and not around.untied:
                self.call(tail=True)
            else:
                self.put("record_ends();")
        made.end = len(self.lines)

    def meets(self, made: Construct) -> None:
        is_region = int(made.kind != "task")
        self.put(f"const int met{made.number} = record_meets({made.number}, {is_region});")
        made.outer = f"outer{made.number}"
        self.put(f"int {made.outer} = met{made.number} * 3 + 1;")
        self.keep(made)

    def keep(self, made: Construct) -> None:
        """Have the variable around a construct be in memory here."""
        self.put(f'__asm__ volatile("" : : "r"(&{made.outer}) : "memory");')

    def region(self, around: Around) -> None:
        made = self.construct("parallel", around.function)
        size = self.chance.randrange(1, 5 if around.regions == 0 else 3)
        with self.block():
            new = self.variables.declared(self.put, PRIVATE)
            unused = [self.unused() for _ in range(self.chance.randrange(3))]
            self.meets(made)
            clause = self.chance.choice(("", "", "", " if (0)", " shared(total)"))
            reduction = self.chance.choice(("", "", "", " reduction(+ : total)"))
            clause = reduction or clause
            head = f"#pragma omp parallel num_threads({size}) firstprivate(met{made.number})"
            mine, known = self.variables.clauses(new, variables.in_region)
            made.line = self.put(head + clause + mine)
            others = variables.in_region_by_no_clause([*around.seen, *known])
            chosen = {v.name: v for v in known if f"({v.name})" in mine or f" {v.name})" in mine}
            inner = replace(
                around.inside(team=True, regions=1),
                seen=tuple(chosen.get(v.name, v) for v in others),
                unused=unused,
                body=self.new_body(),
            )

            def shape(here: Around) -> None:
                self.put(f"{OWN} = record_own() * 5 + {made.number};")
                self.variables.set_private(self.put, chosen.values())
                self.statements(self.declared(here), bool(reduction))

            self.body(made, inner, shape)
            self.keep(made)
            self.put("record_left();")
        self.put("record_on();")

    def unused(self) -> Variable:
        """Declare a variable that nothing but one construct of the team's names."""
        name = self.variables.new_name("w")
        self.put(f"long {name} = {self.chance.randrange(100)};")
        return Variable(name, "long", SHARED)

    def task(self, around: Around) -> None:
        made = self.construct("task", around.function)
        untied = self.likely(15)
        clauses = [f"firstprivate(met{made.number})"]
        clauses += ["untied"] if untied else []
        # LLVM's runtime fails an assertion of its own at an untied task that is undeferred.
        kind = self.chance.choice(("if(0)", "final(1)", "priority(1)", "", "", "", ""))
        clauses += [kind] if kind and not (untied and kind == "if(0)") else []
        if self.likely(25):
            clauses.append(f"depend({self.chance.choice(('in', 'inout', 'out'))} : record_six)")
        with self.block():
            new = self.variables.declared(self.put, PRIVATE)
            self.meets(made)
            undeferred = "if(0)" in clauses
            mine, known = self.variables.clauses(
                new, lambda variable: variables.in_task(variable, undeferred)
            )
            made.line = self.put("#pragma omp task " + " ".join(clauses) + mine)
            others = variables.in_task_by_no_clause([*around.seen, *known], untied, undeferred)
            chosen = {v.name: v for v in known if f"({v.name})" in mine}
            inner = replace(
                around.inside(untied=untied),
                seen=tuple(chosen.get(v.name, v) for v in others),
                unused=[],
                body=self.new_body(),
            )

            def shape(here: Around) -> None:
                self.put("int total = 0;")  # no task may name what a region reduces
                self.put("(void)total;")
                self.variables.set_private(self.put, chosen.values())
                here = self.declared(here)
                self.leaf(here) if untied else self.statements(here)

            self.body(made, inner, shape)
            self.keep(made)
        self.put("record_on();")

    def taskloop(self, around: Around) -> None:
        made = self.construct("task", around.function)
        with self.block():
            self.meets(made)
            self.put("record_team(AT_TASKLOOP);")
            split = self.chance.choice(("num_tasks(3)", "grainsize(1)"))
            made.line = self.put(f"#pragma omp taskloop {split} firstprivate(met{made.number})")
            counter = self.variables.new_name("i")
            self.put(f"for (int {counter} = 0; {counter} < 3; {counter}++)")
            inner = replace(
                around.inside(untied=True),
                # LLVM's runtime hands over too little to GCC's code for more that is firstprivate.
                seen=(Variable(counter, "int", PRIVATE),),
                unused=[],
                body=self.new_body(),
            )
            self.body(made, inner, self.leaf)
            self.keep(made)
        self.put("record_on();")

    def teams(self, around: Around) -> None:
        made = self.construct("teams", around.function)
        with self.block():
            self.meets(made)
            made.line = self.put(
                f"#pragma omp teams num_teams(2) thread_limit(4) firstprivate(met{made.number})"
            )
            inner = replace(around.inside(), seen=variables.everywhere(), body=self.new_body())
            self.body(made, inner, self.league)
            self.keep(made)
            self.put("record_left();")
        self.put("record_on();")

    def league(self, around: Around) -> None:
        """Only regions may be directly in "teams"."""
        self.work(around)
        self.region(around)

    # What a team shares.

    def loop(self, around: Around) -> None:
        ordered, nowait = self.likely(25), self.likely(25)
        reduction = not ordered and self.likely(25)
        clauses = f"schedule({self.chance.choice(SCHEDULES)})"
        clauses += " ordered" if ordered else ""
        clauses += " reduction(+ : shared_total)" if reduction else ""
        clauses += " nowait" if nowait else ""
        counter = self.variables.new_name("i")
        bound = self.chance.choice(("6", "record_six"))
        made = [Variable(counter, "int", PRIVATE)]
        if around.unused:
            mine = around.unused.pop()
            kinds = [FIRSTPRIVATE, PRIVATE] + [LASTPRIVATE, LINEAR] * (not nowait and not ordered)
            mine = replace(mine, attribute=self.chance.choice(kinds))
            clauses += f" {mine.attribute}({mine.name})"
            made.append(mine)
        place = "AT_REDUCTION" if reduction else "AT_LOOP"
        self.put(f"record_team({place});")
        self.put(f"#pragma omp for {clauses}")
        with self.block(f"for (int {counter} = 0; {counter} < {bound}; {counter}++)"):
            self.put("record_on();")
            if reduction:
                self.put("shared_total++;")
            self.variables.set_private(self.put, made[1:])
            around = self.declared(around.with_variables(made), 1)
            self.leaf(around)
            if ordered:
                self.put("record_team(AT_ORDERED);")
                self.put("#pragma omp ordered")
                with self.block():
                    self.put("record_on();")
                    self.leaf(around)
                    self.put("record_team(AT_LOOP);")
            else:
                if self.likely(25):
                    self.mutex(around)
                if self.likely(25) and around.depth < DEEPEST:
                    self.statement(around.inside())
                self.put(f"record_team({place});")
        self.put("record_on();")

    def sections(self, around: Around) -> None:
        self.put("record_team(AT_SECTIONS);")
        self.put("#pragma omp sections" + (" nowait" if self.likely(25) else ""))
        with self.block():
            for _ in range(3):
                self.put("#pragma omp section")
                self.alone(around, "AT_SECTIONS")
        self.put("record_on();")

    def single(self, around: Around) -> None:
        clause = self.chance.choice(("", "", " nowait", " copyprivate(mine)"))
        with self.block():
            self.put("int mine = 0;")
            self.put("(void)mine;")
            place = "AT_COPYPRIVATE" if "copy" in clause else "AT_SINGLE"
            self.put(f"record_team({place});")
            self.put("#pragma omp single" + clause)
            self.alone(around, place)
        self.put("record_on();")

    def master(self, around: Around) -> None:
        self.put("#pragma omp master")
        self.alone(around, None)
        self.put("record_on();")

    def alone(self, around: Around, place: Optional[str]) -> None:
        with self.block():
            self.put("record_on();")
            self.statements(self.declared(around.inside(), 1))
            if place:
                self.put(f"record_team({place});")

    def barrier(self, _: Around) -> None:
        self.put("record_team(AT_BARRIER);")
        self.put("#pragma omp barrier")
        self.put("record_on();")

    # Tasks' synchronisation.

    def taskwait(self, _: Around) -> None:
        self.put("record_team(AT_TASKWAIT);")
        self.put("#pragma omp taskwait")
        self.put("record_on();")

    def taskyield(self, _: Around) -> None:
        self.put("record_team(AT_TASKYIELD);")
        self.put("#pragma omp taskyield")
        self.put("record_on();")

    def taskgroup(self, around: Around) -> None:
        self.put("#pragma omp taskgroup")
        with self.block():
            self.statements(around.inside())
            self.put("record_team(AT_TASKGROUP);")
        self.put("record_on();")

    def call_function(self, _: Around) -> None:
        self.put(self.chance.choice(self.callable_) + ";")
        self.put("record_on();")

    def statement(self, around: Around) -> None:
        deep = around.depth >= DEEPEST
        anywhere: list[tuple[int, Callable[[Around], None]]] = [
            (6, self.leaf),
            (3, self.mutex),
        ]
        if not deep:
            if around.regions < MOST_REGIONS:
                anywhere.append((4, self.region))
            anywhere += [(5, self.task), (1, self.taskloop), (1, self.taskgroup)]
            anywhere += [(2, self.taskwait), (1, self.taskyield)]
            if self.callable_ and around.regions < MOST_REGIONS:
                anywhere.append((3, self.call_function))
            if around.team:
                anywhere += [(5, self.loop), (3, self.sections), (4, self.single), (2, self.master)]
        if around.team:
            anywhere.append((4, self.barrier))
        weights = [weight for weight, _ in anywhere]
        self.chance.choices([make for _, make in anywhere], weights)[0](around)

    def statements(self, around: Around, reduces: bool = False) -> None:
        if reduces:
            self.put("total++;")
        for _ in range(self.chance.randrange(1, 4)):
            self.statement(around)

    # Functions.

    def function(self, name: str) -> None:
        """A function with some statements, in one of the ways that its language has."""
        ways = ["plain", "tail"]
        if self.language == "cpp":
            ways += ["template", "lambda", "member", "member"]
        way = self.chance.choice(ways)
        getattr(self, "_" + way)(name)

    def _inside(self, function: str, seen: tuple[Variable, ...] = ()) -> None:
        self.put("int total = 0;")
        around = Around(function, body=self.new_body(), seen=variables.everywhere())
        self.statements(self.declared(around.with_variables(seen)))
        self.put("(void)total;")

    def _plain(self, name: str) -> None:
        with self.block(f"static void {name}(void)"):
            self._inside(name)
        self.callable_.append(f"{name}()")

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
            made.end = len(self.lines)
        caller = f"{name}_caller"
        with self.block(f"static void {caller}(void)"):
            self.put(f"{name}(record_meets({made.number}, 1));")
            self.put("record_left();")
        self.callable_.append(f"{caller}()")

    def _template(self, name: str) -> None:
        with self.block(f"template <typename T> static void {name}(T seed)"):
            self.put("(void)seed;")
            self._inside(name, (Variable("seed", "T", ""),))
        self.callable_ += [f"{name}(1)", f"{name}<double>(1.0)"]

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
        self.callable_.append(f"{name}()")

    def _member(self, name: str) -> None:
        with self.block(f"struct Class_{name}"):
            self.put("int size = 2;")
            with self.block(f"void {name}() const"):
                self.put("(void)size;")
                self._inside(name, (Variable("size", "const int", ""),))
        self.put(";")
        self.callable_.append(f"Class_{name}().{name}()")


def generate(seed: int, language: str) -> Program:
    """Return the program of a number."""
    chance = random.Random(f"{seed} {language}")
    writer = _Writer(chance, language)
    writer.constructs.append(Construct(0, "initial", "main"))
    roots = chance.choice((0, 0, 1))
    writer.put(f"/* Generated from the number {seed}. */")
    writer.put('#include "record.h"')
    writer.put("")
    writer.put("static int shared_total;")
    writer.lines += variables.HEAD.strip().split("\n")
    writer.put("static volatile int record_six = 6;")
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
        for call in writer.callable_:
            writer.put(f"{call};")
        writer.region(Around("main_round", seen=variables.everywhere()))
    writer.put("")
    with writer.block("int main(void)"):
        writer.put("omp_set_max_active_levels(3);")
        writer.put(f"return record_run(main_round, {roots}, {seed});")
    notes = writer.variables.notes
    return Program(language, "\n".join(writer.lines) + "\n", writer.constructs, roots, notes)
