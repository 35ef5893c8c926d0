# SPDX-License-Identifier: Apache-2.0
"""Random damage to a program's memory, made of a seed; knows no debugger."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

WORD = 8
PAGE = 4096
MAX_WORD = (1 << 64) - 1
MOST_CHANGES = 24
# What sizes, counts, levels and numbers must not be taken for.
SIZES = (
    *(0, 1, 2, 3, 255, 1000, 1024, 1025, 4096, 65535, 65536, 65537),
    *((1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 47) - 1),
    *((1 << 63) - 1, 1 << 63, MAX_WORD, MAX_WORD - 1, MAX_WORD - 7),
)
# Where no program has anything: low, not canonical, the kernel's, text.
WILD = (8, 0x140, 0xFFF, 1 << 47, 0x4141414141414141, MAX_WORD - PAGE, 0xFFFF800000000000)


@dataclass
class Damage:
    """What is wrong with the memory: words that changed, words that are another at
    each read, blocks of rubbish, pages that cannot be read."""

    blocks: dict[int, bytes] = field(default_factory=dict)
    torn: dict[int, list[bytes]] = field(default_factory=dict)
    unmapped: set[int] = field(default_factory=set)
    _reads: int = 0

    def unreadable(self, address: int, size: int) -> bool:
        """Tell whether a read meets a page that is not there."""
        pages = range(address - address % PAGE, address + size, PAGE)
        return any(page in self.unmapped for page in pages) if self.unmapped else False

    def words(self) -> Iterator[int]:
        """Yield the words that are changed."""
        for place, block in self.blocks.items():
            yield from range(place & -WORD, place + len(block), WORD)
        yield from self.torn

    def spoil(self, address: int, data: bytearray) -> None:
        """Change what was read at ADDRESS."""
        for place, block in self.blocks.items():
            _lay_over(address, data, place, block)
        for place, values in self.torn.items():
            if place < address + len(data) and address < place + WORD:
                self._reads += 1
                _lay_over(address, data, place, values[self._reads % len(values)])


def _lay_over(address: int, data: bytearray, place: int, block: bytes) -> None:
    first = max(address, place)
    last = min(address + len(data), place + len(block))
    if first < last:
        data[first - address : last - address] = block[first - place : last - place]


@dataclass(frozen=True)
class Places:
    """The words that each command reads of the sound program, and what they hold."""

    by_command: Mapping[str, Sequence[int]]
    contents: Mapping[int, int]

    def any_word(self, chance: random.Random) -> int:
        """Choose a word; what few commands read is as likely as what all do."""
        command = chance.choice(sorted(self.by_command))
        return chance.choice(self.by_command[command])


def make(chance: random.Random, places: Places, written: bool) -> Damage:
    """Make damage; only what can be WRITTEN to memory, if that is so."""
    damage = Damage()
    for _ in range(chance.choice((1, 1, 1, 2, 3, MOST_CHANGES))):
        place, kind = places.any_word(chance), chance.randrange(12)
        if kind == 0 and not written:
            damage.unmapped.add(place - place % PAGE)
        elif kind == 1 and not written:
            damage.torn[place] = [_changed(chance, places, place) for _ in range(3)]
        elif kind == 2:
            damage.blocks[place] = chance.randbytes(chance.choice((16, 64, 256, 1024)))
        elif kind in (3, 4):
            half = place + chance.choice((0, 4))
            damage.blocks[half] = chance.choice(SIZES).to_bytes(WORD, "little")[:4]
        else:
            damage.blocks[place] = _changed(chance, places, place)
    return damage


def _changed(chance: random.Random, places: Places, place: int) -> bytes:
    old = places.contents[place]
    kind = chance.randrange(8)
    if kind == 0:
        new = old
        for _ in range(chance.randrange(1, 5)):
            new ^= 1 << chance.randrange(64)
    elif kind == 1:
        new = chance.choice(SIZES)
    elif kind == 2:
        new = chance.choice(WILD)
    elif kind == 3:
        new = place + chance.choice((-64, -8, 0, 0, 8, 64))  # a record that points to itself
    elif kind == 4:
        new = places.any_word(chance)  # into another record
    elif kind == 5:
        new = places.contents[places.any_word(chance)]  # what another record holds
    elif kind == 6:
        new = old + chance.choice((-4096, -16, -8, -1, 1, 8, 16, 4096, 1 << 20))
    else:
        new = chance.getrandbits(64)
    return (new & MAX_WORD).to_bytes(WORD, "little")
