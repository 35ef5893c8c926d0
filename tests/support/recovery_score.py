# SPDX-License-Identifier: Apache-2.0
"""python3 tests/support/recovery_score.py [--quick] [--build]: the table of scores.

What there is to score, self-built variants and the distribution's runtimes, is
built and fetched first. --quick takes what continuous integration tests, and
--build stops there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT / "python"), str(_ROOT / "tests")]

from gdb_ompd import _native  # noqa: E402
from support.recovery_truth import (  # noqa: E402
    META_COUNT,
    OTHERS,
    WANTED,
    compare,
    exported_symbols,
    refused,
    strip,
    true_symbols,
    values_in_memory,
)
from support.runtimes import (  # noqa: E402
    OPTIMIZED,
    REFUSABLE,
    Distributed,
    Variant,
    chosen,
    distributed,
)

NEWER = ("--suites", "trixie sid experimental")
ARM = ("--architecture", "arm64")


def recovered(path: Path) -> tuple[_native.Recovery, float]:
    """Return the answer for PATH and the milliseconds it took."""
    began = time.monotonic()
    answer = _native.recover(str(path))
    return answer, (time.monotonic() - began) * 1000


def memory_in_words(path: Path, answer: _native.Recovery) -> str:
    """Return how many of the constants the library has at their addresses when it is loaded."""
    addresses = {symbol.name: symbol.value for symbol in answer.symbols}
    found = values_in_memory(path, {name: addresses[name] for name in answer.constants})
    if found is None:
        return "memory not tried (newer libc)"
    same = sum(found[name] == value for name, value in answer.constants.items())
    return f"memory {same}/{META_COUNT}"


def variant_row(variant: Variant) -> str:
    """Score one self-built runtime."""
    with tempfile.TemporaryDirectory() as folder:
        stripped = strip(variant.file, Path(folder))
        answer, taken = recovered(stripped)
        said = [str(compare(answer, true_symbols(variant.file)))]
        if answer.constants:
            said.append(memory_in_words(stripped, answer))
    return f"libomp {variant!s:<22} {taken:4.0f} ms  {', '.join(said)}"


def distributed_row(each: Distributed) -> str:
    """Score one runtime by what it exports and, where it can be loaded, by its memory."""
    answer, taken = recovered(each.file)
    if answer.reasons:
        return f"{each.name:<29} {taken:4.0f} ms  {refused(answer.reasons)}"
    symbols = {symbol.name: symbol.value for symbol in answer.symbols}
    exported = {n: v for n, (v, _) in exported_symbols(each.file).items() if n in symbols}
    same = sum(symbols[name] == value for name, value in exported.items())
    found = len([*answer.constants, *(name for name in OTHERS if name in symbols)])
    said = [f"found {found} of {WANTED}", f"exported and the same {same}/{len(exported)}"]
    if each.file.parent.parent.name.endswith("-arm64"):
        said.append("memory not tried (arm64)")
    else:
        said.append(memory_in_words(each.file, answer))
    return f"{each.name:<29} {taken:4.0f} ms  {', '.join(said)}"


def rows(quick: bool) -> Iterator[str]:
    """Yield a line for each runtime, as soon as it is known."""
    for variant in [*OPTIMIZED, *REFUSABLE]:
        if not quick or variant in chosen([variant]):
            yield variant_row(variant)
    for arguments in [()] if quick else [(), NEWER, ARM, (*NEWER, *ARM)]:
        for name, each in distributed(*arguments).items():
            if not name.endswith("-libc"):
                yield distributed_row(each)


def main() -> None:
    """Parse the command line, build or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="what continuous integration tests")
    parser.add_argument("--build", action="store_true", help="build and fetch only")
    options = parser.parse_args()
    if options.build:
        wanted = [*OPTIMIZED, *REFUSABLE]
        for variant in chosen(wanted) if options.quick else wanted:
            print(variant.file, flush=True)
        distributed()
        return
    for line in rows(options.quick):
        print(line, flush=True)


if __name__ == "__main__":
    main()
