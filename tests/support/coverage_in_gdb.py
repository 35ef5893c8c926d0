# SPDX-License-Identifier: Apache-2.0
"""Put before gdb-scripts/ompd.py by scripts/coverage.sh: measures what gdb runs of ours.

COVERAGE_DATA and COVERAGE_SOURCE, the file to write and what to measure, are set above.
"""

import sys


def _measure(data, source):  # type: ignore[no-untyped-def]
    import coverage
    import gdb

    measured = coverage.Coverage(data_file=data, data_suffix=True, source=[source], messages=False)
    measured.start()

    def save(*_event):  # type: ignore[no-untyped-def]
        measured.save()

    gdb.events.gdb_exiting.connect(save)
    # A terminal may be closed under gdb's hands, and the fuzzer kills a gdb that it broke.
    if sys.stdin.isatty():
        gdb.events.before_prompt.connect(save)


if "coverage" not in sys.modules:
    _measure(COVERAGE_DATA, COVERAGE_SOURCE)  # type: ignore[name-defined] # noqa: F821
