# SPDX-License-Identifier: Apache-2.0
"""Write random statements of OpenMP, and list the constructs among them."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Callable, Container, Iterable, Iterator, Optional

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
# Begins a thread that is not OpenMP's: no last act of a body.
JOINS = {
    "CALL_JOIN": (
        "pthread_t other;",
        "pthread_create(&other, NULL, record_other, NULL); pthread_join(other, NULL);",
    )
}
LOCKS, NEST_LOCKS = 4, 2
CRITICALS = ("", "gate", "ledger")  # their numbers follow those of the locks
DEEPEST = 4  # constructs in constructs of one function
MOST_REGIONS = 2  # in one another, in one function
BINDINGS = ("", "", "", " proc_bind(close)", " proc_bind(spread)", " proc_bind(master)")
FILE_NUMBER = 100000  # a line is recorded with so many times the number of its file
SCHEDULES = ("static", "static, 1", "dynamic", "dynamic, 2", "guided", "auto", "runtime")


@dataclass
class Construct:
    """One that begins a task: FUNCTION is the innermost name of the function it is in."""

    number: int
    kind: str  # of KINDS
    function: str
    file: int = 0
    line: int = 0
    final: bool = False
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
class Writer:
    """Writes the statements of a program, which has two FILES. CALLS are those of functions
    that can be called, for each file. WITHOUT is what the runtime cannot."""

    chance: random.Random
    language: str
    without: Container[str]
    files: list[list[str]] = field(default_factory=lambda: [[], []])
    file: int = 0  # that is written
    constructs: list[Construct] = field(default_factory=list)
    calls: list[list[str]] = field(default_factory=lambda: [[], []])
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
        lines = self.files[self.file]
        margin = "" if text.startswith("#") else "    " * self.indent
        lines.append(margin + text)
        return len(lines)

    @contextmanager
    def block(self, head: str = "") -> Iterator[None]:
        self.put(f"{head} {{".strip())
        self.indent += 1
        yield
        self.indent -= 1
        self.put("}")

    def construct(self, kind: str, function: str) -> Construct:
        made = Construct(len(self.constructs), kind, function, self.file)
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
            line = len(self.files[self.file]) + 1 + FILE_NUMBER * self.file
            self.put(f"record_work({line}, {self.chance.choice((50, 500, 5000, 40000))});")

    def call(self, tail: bool = False) -> None:
        """A call of the system that may take some time; TAIL as the last act of a body."""
        calls = CALLS if tail else {**CALLS, **JOINS}
        which = self.chance.choice(sorted(calls))
        declared, text = (part.format(amount=self.chance.randrange(600)) for part in calls[which])
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
            elif self.language == "cpp" and self.likely(15):
                self.throw(around)
            else:
                self.work(around)

    def throw(self, around: Around) -> None:
        """An exception that is caught where it is thrown, or in the function around."""
        with self.block("try"):
            self.work(around)
            self.put(self.chance.choice(("throw 1;", "record_throw(1);")))
        with self.block("catch (int)"):
            self.put("record_on();")

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

    def body(
        self, made: Construct, around: Around, shape: Callable[[Around], None], last: str = ""
    ) -> None:
        """The block of a construct that begins tasks; its LAST act may be a call."""
        with self.block():
            self.put(f"record_begins(met{made.number});")
            shape(around)
            if not last and self.likely(20) and not around.untied:
                self.call(tail=True)
            else:
                self.put("record_ends();")
            if last:
                self.put(last)

    def meets(self, made: Construct) -> None:
        is_region = int(made.kind != "task")
        self.put(f"const int met{made.number} = record_meets({made.number}, {is_region});")
        made.outer = f"outer{made.number}"
        self.put(f"int {made.outer} = met{made.number} * 3 + 1;")
        self.keep(made)

    def keep(self, made: Construct) -> None:
        """Have the variable around a construct be in memory here."""
        self.put(f'__asm__ volatile("" : : "r"(&{made.outer}) : "memory");')

    def region(self, around: Around, in_league: bool = False) -> None:
        made = self.construct("parallel", around.function)
        with self.block():
            new = self.variables.declared(self.put, PRIVATE)
            unused = [self.unused() for _ in range(self.chance.randrange(3))]
            self.meets(made)
            kind = self.chance.choice(("", "", "", " if (0)", " shared(total)", f" copyin({OWN})"))
            reduces = self.likely(25)
            clauses = self._team_size(around, not in_league) + f" firstprivate(met{made.number})"
            clauses += " reduction(+ : total)" if reduces else kind
            clauses += self.chance.choice(BINDINGS)
            mine, known = self.variables.clauses(new, variables.in_region)
            others = variables.in_region_by_no_clause([*around.seen, *known])
            chosen = {v.name: v for v in known if f"({v.name})" in mine or f" {v.name})" in mine}
            is_loop = self.likely(15)
            inner = replace(
                around.inside(team=not is_loop, regions=1),
                seen=tuple(chosen.get(v.name, v) for v in others),
                unused=[] if is_loop else unused,
                body=self.new_body(),
            )
            if is_loop:
                self._parallel_loop(made, inner, clauses + mine, list(chosen.values()), reduces)
            else:
                made.line = self.put("#pragma omp parallel" + clauses + mine)

                def shape(here: Around) -> None:
                    self.put(f"{OWN} = record_own() * 5 + {made.number};")
                    self.variables.set_private(self.put, chosen.values())
                    self.statements(self.declared(here), reduces)

                self.body(made, inner, shape)
            self.keep(made)
            self.put("record_left();")
        self.put("record_on();")

    def _team_size(self, around: Around, may_call: bool) -> str:
        """Return a clause with the number of a region's threads, or none where a call says it."""
        size = self.chance.randrange(1, 5 if around.regions == 0 else 3)
        if may_call and self.likely(20):
            self.put(f"omp_set_num_threads({size});")
            return ""
        return f" num_threads({size})"

    def _parallel_loop(
        self,
        made: Construct,
        around: Around,
        clauses: str,
        chosen: list[Variable],
        reduces: bool,
    ) -> None:
        """A combined construct: each thread has iterations, and its body ends with them."""
        begun, counter = f"begun{made.number}", self.variables.new_name("i")
        self.put(f"int {begun} = 0;")
        schedule = self.chance.choice((" schedule(static)", " schedule(static, 1)"))
        made.line = self.put(f"#pragma omp parallel for firstprivate({begun}){schedule}{clauses}")
        with self.block(f"for (int {counter} = 0; {counter} < 8; {counter}++)"):
            self.put(f"if ({begun}++ == 0) record_begins(met{made.number});")
            self.put("record_on();")
            self.put(f"{OWN} = record_own() * 5 + {made.number};")
            self.variables.set_private(self.put, chosen)
            if reduces:
                self.put("total++;")
            seen = around.with_variables([Variable(counter, "int", PRIVATE)])
            self.statement(self.declared(seen, 1).inside())
            self.put("record_team(AT_LAST);")

    def unused(self) -> Variable:
        """Declare a variable that nothing but one construct of the team's names."""
        name = self.variables.new_name("w")
        self.put(f"long {name} = {self.chance.randrange(100)};")
        return Variable(name, "long", SHARED)

    def task(self, around: Around, more: str = "", last: str = "") -> None:
        """A task; MORE are clauses that it is to have, LAST what it does at its end."""
        made = self.construct("task", around.function)
        untied = not more and not last and self.likely(15)
        clauses = [f"firstprivate(met{made.number})"] + ([more] if more else [])
        clauses += ["untied"] if untied else []
        # LLVM's runtime fails an assertion of its own at an untied task that is undeferred.
        kind = self.chance.choice(("if(0)", "final(1)", "priority(1)", "mergeable", "", "", "", ""))
        clauses += [kind] if kind and not (untied and kind == "if(0)") else []
        made.final = kind == "final(1)"
        undeferred = "if(0)" in clauses
        if self.likely(25):
            how = self.chance.choice(("in", "inout", "out", "mutexinoutset"))
            clauses.append(f"depend({how} : record_six)")
        can_detach = (
            "detach" not in self.without and not untied and kind not in ("if(0)", "final(1)")
        )
        is_detached = can_detach and not last and not more and self.likely(15)
        with self.block():
            new = self.variables.declared(self.put, PRIVATE)
            if is_detached:
                self.put("omp_event_handle_t done;")
                clauses = [each for each in clauses if each != "mergeable"] + ["detach(done)"]
                last = "record_fulfil(done);"
            self.meets(made)
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
                if more:
                    self.put("sum++;")
                self.variables.set_private(self.put, chosen.values())
                here = self.declared(here)
                is_leaf = untied or is_detached or more
                self.leaf(here) if is_leaf else self.statements(here)

            self.body(made, inner, shape, last)
            self.keep(made)
        self.put("record_on();")

    def taskloop(self, around: Around) -> None:
        made = self.construct("task", around.function)
        with self.block():
            self.meets(made)
            self.put("record_team(AT_TASKLOOP);")
            split = self.chance.choice(("num_tasks(3)", "grainsize(1)"))
            split += self.chance.choice(("", "", " priority(2)", " collapse(2)", " nogroup"))
            made.line = self.put(f"#pragma omp taskloop {split} firstprivate(met{made.number})")
            counter = self.variables.new_name("i")
            self.put(f"for (int {counter} = 0; {counter} < 3; {counter}++)")
            if "collapse" in split:
                self.put("for (int inner = 0; inner < 2; inner++)")
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
        """Only regions may be directly in "teams", and loops that are divided among them."""
        self.work(around)
        self.region(around, in_league=True)
        if self.likely(50):
            self.put("#pragma omp distribute")
            with self.block("for (int part = 0; part < 3; part++)"):
                self.leaf(around)

    # What a team shares.

    def loop(self, around: Around) -> None:
        if self.likely(12) and "doacross" not in self.without:
            self.doacross(around)
            return
        ordered, nowait = self.likely(25), self.likely(25)
        reduction = not ordered and self.likely(25)
        collapsed = not ordered and self.likely(25)
        cancelled = not (ordered or nowait or reduction) and self.likely(25)
        clauses = f"schedule({self.chance.choice(SCHEDULES)})"
        clauses += " ordered" if ordered else ""
        clauses += " reduction(+ : shared_total)" if reduction else ""
        clauses += " collapse(2)" if collapsed else ""
        clauses += " nowait" if nowait else ""
        counter = self.variables.new_name("i")
        bound = self.chance.choice(("6", "record_six"))
        made = [Variable(counter, "int", PRIVATE)]
        if around.unused:
            mine = around.unused.pop()
            has_last = not (nowait or ordered or collapsed or cancelled)
            kinds = [FIRSTPRIVATE, PRIVATE] + [LASTPRIVATE, LINEAR] * has_last
            mine = replace(mine, attribute=self.chance.choice(kinds))
            clauses += f" {mine.attribute}({mine.name})"
            made.append(mine)
        place = "AT_REDUCTION" if reduction else "AT_LOOP"
        self.put(f"record_team({place});")
        self.put(f"#pragma omp for {clauses}")
        if collapsed:
            self.put("for (int outermost = 0; outermost < 2; outermost++)")
        with self.block(f"for (int {counter} = 0; {counter} < {bound}; {counter}++)"):
            self.put("record_on();")
            if reduction:
                self.put("shared_total++;")
            if cancelled:
                self.put("record_team(AT_LOOP);")
                self.put(f"#pragma omp cancel for if ({counter} == 2)")
                self.put("record_on();")
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

    def doacross(self, around: Around) -> None:
        """A loop whose iterations wait for those before them."""
        counter = self.variables.new_name("i")
        schedule = self.chance.choice(("static, 1", "dynamic"))
        self.put("record_team(AT_LOOP);")
        self.put(f"#pragma omp for ordered(1) schedule({schedule})")
        with self.block(f"for (int {counter} = 0; {counter} < 6; {counter}++)"):
            here = around.with_variables([Variable(counter, "int", PRIVATE)])
            for depends in (f"sink : {counter} - 1", "source"):
                self.put("record_on();")
                self.leaf(here)
                self.put("record_team(AT_DOACROSS);")
                self.put(f"#pragma omp ordered depend({depends})")
            self.put("record_team(AT_LOOP);")
        self.put("record_on();")

    def sections(self, around: Around) -> None:
        nowait = self.likely(25)
        cancelled = not nowait and self.likely(25)
        self.put("record_team(AT_SECTIONS);")
        self.put("#pragma omp sections" + (" nowait" if nowait else ""))
        with self.block():
            for number in range(3):
                self.put("#pragma omp section")
                last = "#pragma omp cancel sections" if cancelled and number == 1 else ""
                self.alone(around, "AT_SECTIONS", last)
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

    def alone(self, around: Around, place: Optional[str], last: str = "") -> None:
        with self.block():
            self.put("record_on();")
            self.statements(self.declared(around.inside(), 1))
            if place:
                self.put(f"record_team({place});")
            if last:
                self.put(last)

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
        kind = self.chance.choice(("", "", "task_reduction", "cancel"))
        kind = "" if kind in self.without else kind
        with self.block():
            if kind == "task_reduction":
                self.put("int sum = 0;")
            reduction = " task_reduction(+ : sum)" if kind == "task_reduction" else ""
            self.put("#pragma omp taskgroup" + reduction)
            with self.block():
                if not kind:
                    self.statements(around.inside())
                for number in range(3 if kind else 0):
                    cancels = kind == "cancel" and number == 1
                    last = "#pragma omp cancel taskgroup" if cancels else ""
                    more = "in_reduction(+ : sum)" if reduction else ""
                    self.task(around.inside(), more, last)
                self.put("record_team(AT_TASKGROUP);")
        self.put("record_on();")

    def call_function(self, _: Around) -> None:
        self.put(self.chance.choice(self.calls[self.file]) + ";")
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
            if self.calls[self.file] and around.regions < MOST_REGIONS:
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
