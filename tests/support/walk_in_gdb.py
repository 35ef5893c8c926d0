# SPDX-License-Identifier: Apache-2.0
"""Run inside gdb: judge a layout, right or wrong, by the program at hand.

Each entry point runs the program from its start and prints one line of JSON.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import gdb
from gdb_ompd import _native
from gdb_ompd.errors import Inconsistent
from gdb_ompd.host.runtimes import event_functions
from gdb_ompd.host.runtimes.provider import Provider

MOST_THREADS = 32  # of the table, which has room for more
from gdb_ompd.host.sessions.registry import session_of
from random_stops_in_gdb import PLACES, run_to

Constants = dict[str, int]
ACCESS, SIZE, FLAG = "ompd_access__", "ompd_sizeof__", "ompd_bitfield__kmp_tasking_flags_t__"


def the_provider() -> Provider:
    """Return the only runtime's provider, with nothing read of it at this stop."""
    (provider,) = session_of().files.detected().providers
    provider.space.drop_cache()
    return provider


def live_constants(provider: Provider) -> Constants:
    """Return the layout as the runtime's own symbols give it."""
    return _native.llvm_layout(provider.space)


def verified(provider: Provider, constants: Constants) -> Any:
    """Return how many threads proved the symbols, or why they are refused."""
    module = provider.mapped.module
    assert module is not None
    try:
        return _native.prove_symbols(provider.space, module, constants, provider.target.threads())
    except Inconsistent as error:
        return str(error)


def walked(provider: Provider, constants: Constants) -> tuple[list[str], int]:
    """Walk the program with these constants for a layout; one that cannot be a layout is
    refused before, as it is when it is read."""
    try:
        walk = _native.walk_records(provider.space, constants, provider.target.threads())
        return walk.violations, walk.checked
    except Inconsistent as error:
        return [str(error)], 0


def verdict(where: str) -> dict[str, Any]:
    """Judge the true layout at this stop."""
    provider = the_provider()
    constants = live_constants(provider)
    violations, checked = walked(provider, constants)
    return {
        "where": where,
        "violations": violations,
        "checked": checked,
        "proved": verified(provider, constants),
    }


def tell(found: Any) -> None:
    """Print one line of JSON."""
    print("\nWALK " + json.dumps(found))


def judge_truth_stops() -> None:
    """Judge the true layout at each truth_stop."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    found = []
    while gdb.selected_thread() is not None:
        found.append(verdict(f"stop {len(found)}"))
        gdb.execute("continue", to_string=True)
    tell(found)


def judge_random_stops(stops: int, seed: int) -> None:
    """Judge the true layout anywhere, also amid the runtime's own work."""
    chance = random.Random(seed)
    gdb.execute("break main", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete", to_string=True)
    found = []
    for _ in range(stops):
        place, steps = chance.choice(PLACES), chance.randrange(200)
        run_to(place, chance.randrange(60))
        gdb.execute("set scheduler-locking on")
        if steps:
            gdb.execute(f"stepi {steps}", to_string=True)
        found.append(verdict(f"{steps} instructions after {place}"))
        gdb.execute("set scheduler-locking off")
    gdb.execute("kill", to_string=True)
    tell(found)


def judge_each_instruction(places: list[str], instructions: int) -> None:
    """Judge the true layout after every single instruction from these places on."""
    gdb.execute("break main", to_string=True)
    gdb.execute("run", to_string=True)
    gdb.execute("delete", to_string=True)
    found = []
    for hits, place in enumerate(places):
        run_to(place, hits % 4)
        gdb.execute("set scheduler-locking on")
        for number in range(instructions):
            gdb.execute("stepi", to_string=True)
            found.append(verdict(f"{number} instructions after {place}"))
        gdb.execute("set scheduler-locking off")
    gdb.execute("kill", to_string=True)
    tell(found)


def swaps(constants: Constants) -> Iterator[tuple[str, str, str, Constants]]:
    """Yield kind, two names and a layout for each exchange of two names of a kind
    that changes anything: what a header with its entries in another order does."""

    def named(prefix: str) -> list[str]:
        found = [name for name in _native.META_SYMBOLS if name.startswith(prefix)]
        return [name[len(prefix) :] for name in found]

    fields = named(ACCESS)
    kinds: dict[str, tuple[tuple[str, ...], list[str]]] = {
        "field": ((ACCESS, SIZE), fields),
        "size": ((SIZE,), [name for name in named(SIZE) if name not in fields]),
        "flag": ((FLAG,), named(FLAG)),
    }
    for kind, (prefixes, ours) in kinds.items():
        for first, second in itertools.combinations(ours, 2):
            swapped = dict(constants)
            for prefix in prefixes:
                one, other = prefix + first, prefix + second
                swapped[one], swapped[other] = constants[other], constants[one]
            if swapped != constants:
                yield kind, first, second, swapped


def count_swaps(stop: int) -> None:
    """Count what the rules, and what the walk, finds wrong with each wrong layout
    at the program's truth_stop number STOP. No list of known layouts is asked."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    for _ in range(stop):
        gdb.execute("continue", to_string=True)
    provider = the_provider()
    constants = live_constants(provider)
    count: Counter[str] = Counter()
    uncaught, past_rules, past_walk = [], [], []
    for kind, first, second, swapped in swaps(constants):
        by_rules = bool(_native.check_constants(swapped))
        by_walk = bool(walked(provider, swapped)[0])
        count["all"] += 1
        count[kind] += 1
        names_of = f"{first} for {second}"
        if not by_rules:
            past_rules.append(names_of)
        if not by_walk:
            past_walk.append(names_of)
        if not (by_rules or by_walk):
            uncaught.append(names_of)
    violations, checked = walked(provider, constants)
    gdb.execute("kill", to_string=True)
    tell(
        {
            "count": count,
            "uncaught": uncaught,
            "past_rules": past_rules,
            "past_walk": past_walk,
            "of_truth": [*_native.check_constants(constants), *violations],
            "checked": checked,
        }
    )


def judge_before_the_first_team() -> None:
    """Judge the true layout when the runtime has just published it."""
    name = "ompd_dll_locations_valid"
    gdb.execute("set breakpoint pending on")
    for spelling in (name, event_functions.mangled(name)):
        gdb.execute(f"break {spelling}", to_string=True)
    gdb.execute("run", to_string=True)
    tell([verdict("start")])
    gdb.execute("kill", to_string=True)


def judge_here(count_reads: bool = False) -> None:
    """Judge the true layout at the one moment there is, such as a core file's."""
    found = verdict("here")
    if count_reads:
        found["reads"] = reads_of_verify()
    tell([found])


def reads_of_verify() -> int:
    """Return how often one check, with nothing known yet, reads the program's memory."""
    provider = the_provider()
    constants = live_constants(provider)
    provider.space.drop_cache()
    before = provider.space.target_reads
    verified(provider, constants)
    return provider.space.target_reads - before


def refuse_damage() -> None:
    """Change the program, or what its file is said to hold, in one place at a time."""
    gdb.execute("break truth_stop", to_string=True)
    gdb.execute("run", to_string=True)
    provider = the_provider()
    constants = live_constants(provider)
    space = provider.space

    def address(name: str) -> int:
        found = space.symbol_address(name)
        assert found is not None
        return found

    table = space.read_pointer(address("__kmp_threads"))
    damages = {
        "ompd_state": (address("ompd_state"), b"\x07"),
        "__kmp_openmp_version": (address("__kmp_openmp_version"), bytes(4)),
        "__kmp_nested_nth": (address("__kmp_nested_nth") + 12, b"\xff\xff"),
        "ompd_env_block": (space.read_pointer(address("ompd_env_block")), bytes(1)),
        "ompd_env_block_size": (address("ompd_env_block_size") + 5, b"\x01"),
        "__kmp_threads": (table, space.read(table + 8 * last_number(provider), 8)),
        "ompd_sizeof__int": (address("ompd_sizeof__int"), b"\x08"),
    }
    found: dict[str, Any] = {"nothing": verified(provider, constants)}
    for name, (place, data) in damages.items():
        before = space.read(place, len(data))
        space.write(place, data)
        found[name] = verified(provider, constants)
        space.write(place, before)
    other = dict(constants, ompd_access__kmp_base_info_t__th_team=72)
    found["the file"] = verified(provider, other)
    found["nothing again"] = verified(provider, constants)
    gdb.execute("kill", to_string=True)
    tell(found)


def last_number(provider: Provider) -> int:
    """Return the global number of the last thread that the runtime knows."""
    table = provider.space.read_pointer(provider.space.symbol_address("__kmp_threads"))
    return max(n for n in range(MOST_THREADS) if provider.space.read_pointer(table + 8 * n))
