# SPDX-License-Identifier: Apache-2.0
"""Runs inside gdb: at each call of `here` in static_shares.c prints as JSON the iteration that it tells,
beside what ``ompd loop`` says of its thread."""

from __future__ import annotations

import json

import gdb


def main() -> None:
    """Go from call to call."""
    gdb.execute("break here", to_string=True)
    gdb.execute("run", to_string=True)
    while gdb.selected_inferior().pid:
        frame = gdb.selected_frame()
        iteration, own = int(frame.read_var("iteration")), int(frame.read_var("own"))
        shares = json.loads(gdb.execute("ompd loop -json", to_string=True))["loops"]
        [share] = [each for each in shares if each["thread_num"] == own]
        print("SHARE " + json.dumps([iteration, share["in_loop"], share["now"], share["inferred"]]))
        gdb.execute("continue", to_string=True)


main()
