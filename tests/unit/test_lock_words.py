# SPDX-License-Identifier: Apache-2.0
"""Who holds a lock and who is queued for it, from a hand-made runtime's memory."""

from __future__ import annotations

import pytest
from runtime_memory import Memory

from gdb_ompd.model.waits import Kind
from gdb_ompd.providers.ompd.graph import Graph
from gdb_ompd.stop.runtime_words import LOCKS_PER_ROW, RuntimeWords
from gdb_ompd.explain.facts import LockWord

TAS, FUTEX, NESTED_TAS = 3, 5, 7  # a direct lock's tag, in its lowest byte
DRDPA, QUEUING = 2, 4
NEXT_WAITING = 0x700
PLACES = {
    "kmp_base_info_t.th_next_waiting": (NEXT_WAITING, 4),
    "kmp_indirect_lock_t": (0, 16),
    "kmp_indirect_lock_t.lock": (0, 8),
    "kmp_indirect_lock_t.type": (8, 4),
    "kmp_indirect_lock_table_t.table": (0, 8),
    "kmp_indirect_lock_table_t.nrow_ptrs": (8, 4),
    "kmp_indirect_lock_table_t.next_table": (16, 8),
    "kmp_indirect_locktag_t.locktag_queuing": (QUEUING, 0),
    "kmp_indirect_locktag_t.locktag_nested_queuing": (QUEUING + 3, 0),
    "kmp_base_queuing_lock_t.tail_id": (0, 4),
    "kmp_base_queuing_lock_t.head_id": (8, 4),
    "kmp_base_queuing_lock_t.owner_id": (16, 4),
}
ALL_BITS = (1 << 32) - 1  # -1 as a 32 bit number: held, and nobody is queued


class Locks:
    """Three threads, GDB's 1 to 3 and the runtime's 0 to 2, and what they lock."""

    def __init__(self) -> None:
        self.memory = memory = Memory()
        self.threads = [memory.thread() for _ in range(3)]
        self.table = 0
        team = memory.team(self.threads, level=1)
        for number, thread in enumerate(self.threads):
            memory.join(thread, team, number, memory.task(team))

    def ask(self, kind: Kind, word: int) -> LockWord:
        """Return what is known of a lock whose variable holds WORD."""
        address = self.memory.array([word])
        graph = Graph(self.memory, self.memory.layout, self.memory.array(self.threads))  # type: ignore[arg-type]
        known = {gtid + 1: graph.thread(gtid) for gtid in range(3)}
        threads = {number: thread for number, thread in known.items() if thread is not None}
        table = self.table or None
        return RuntimeWords(graph, PLACES, threads, table).lock(kind, address)

    def queuing(self, head: int, tail: int, owner: int, tag: int = QUEUING) -> int:
        """Make a queuing lock; return its address. Threads are numbered from 1."""
        return self.memory.array([self.memory.array([tail, head, owner]), tag])

    def wait(self, thread: int, before: int) -> None:
        """Queue a thread before another one."""
        self.memory.words[self.threads[thread - 1] + NEXT_WAITING] = before


@pytest.fixture
def locks() -> Locks:
    return Locks()


@pytest.mark.parametrize(
    "word, known",
    [
        (TAS, LockWord(held=False)),
        (TAS | 2 << 8, LockWord(held=True, owner=2)),
        (FUTEX | 2 * 3 << 8, LockWord(held=True, owner=3)),
        (FUTEX | (2 * 3 + 1) << 8, LockWord(held=True, owner=3)),  # others wait
        (TAS | 9 << 8, LockWord(held=True)),  # by a thread that GDB does not know
        (NESTED_TAS | 2 << 8, LockWord()),
    ],
)
def test_a_lock_that_is_its_own_word(locks: Locks, word: int, known: LockWord) -> None:
    assert locks.ask(Kind.LOCK, word) == known
    assert locks.ask(Kind.CRITICAL, word) == known


def test_a_critical_that_nobody_has_entered_is_free(locks: Locks) -> None:
    assert locks.ask(Kind.CRITICAL, 0) == LockWord(held=False)


@pytest.mark.parametrize("tag", [QUEUING, QUEUING + 3])
def test_a_queue_is_followed_to_its_end(locks: Locks, tag: int) -> None:
    locks.wait(2, before=3)
    held = locks.queuing(head=2, tail=3, owner=1, tag=tag)
    assert locks.ask(Kind.CRITICAL, held) == LockWord(True, 1, frozenset({2, 3}))


def test_held_without_a_queue_and_free(locks: Locks) -> None:
    held = locks.queuing(head=ALL_BITS, tail=0, owner=2)
    assert locks.ask(Kind.CRITICAL, held) == LockWord(True, 2, frozenset())
    just_taken = locks.queuing(head=0, tail=0, owner=2)
    assert locks.ask(Kind.CRITICAL, just_taken) == LockWord(True, 2, frozenset())
    assert locks.ask(Kind.CRITICAL, locks.queuing(0, 0, 0)) == LockWord(held=False)


def test_a_queue_that_is_a_ring_or_has_strangers_is_not_known(locks: Locks) -> None:
    locks.wait(2, before=2)
    ring = locks.queuing(head=2, tail=3, owner=1)
    assert locks.ask(Kind.CRITICAL, ring) == LockWord(True, 1, None)
    strangers = locks.queuing(head=40, tail=3, owner=1)
    assert locks.ask(Kind.CRITICAL, strangers) == LockWord(True, 1, None)


def test_a_lock_of_another_kind_is_not_known(locks: Locks) -> None:
    assert locks.ask(Kind.CRITICAL, locks.queuing(2, 2, 1, tag=DRDPA)) == LockWord()


def test_a_number_is_looked_up_in_all_tables(locks: Locks) -> None:
    """The second table's first row holds lock 0, which is free, and lock 1, which is held."""
    record = locks.memory.array([ALL_BITS, ALL_BITS, 2])
    row = locks.memory.array([locks.memory.array([0, 0, 0]), QUEUING, record, QUEUING])
    second = locks.memory.array([locks.memory.array([row]), 1, 0])
    locks.table = locks.memory.array([0, 1, second])
    number = LOCKS_PER_ROW + 1
    assert locks.ask(Kind.LOCK, number << 1) == LockWord(True, 2, frozenset())
    assert locks.ask(Kind.LOCK, (number - 1) << 1) == LockWord(held=False)
    assert locks.ask(Kind.LOCK, 2 * LOCKS_PER_ROW << 1) == LockWord()


def test_without_the_table_and_in_a_ring_of_tables_nothing_is_known(locks: Locks) -> None:
    assert locks.ask(Kind.LOCK, 4) == LockWord()
    ring = locks.memory.array([0, 0, 0])
    locks.memory.words[ring + 16] = locks.table = ring
    assert locks.ask(Kind.LOCK, 4) == LockWord()


def test_what_cannot_be_read_is_not_known(locks: Locks) -> None:
    assert locks.ask(Kind.CRITICAL, 0x1000) == LockWord()
