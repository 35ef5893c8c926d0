# SPDX-License-Identifier: Apache-2.0
"""Saved stops: what ``ompd save`` writes, read again with or without GDB.

    from gdb_ompd import saved
    stop = saved.load("hang.json")
    stop.report().text, stop.snapshot().threads, stop.stacks(stop.numbers)

answers as the program did when it was saved, in the values of ``gdb_ompd.model``.
"""

from .stop import SavedStop as SavedStop
from .stop import load as load
