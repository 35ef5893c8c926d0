# SPDX-License-Identifier: Apache-2.0
"""Whether LLVM's runtime can be asked at all, and whether symbols that were recovered from its
code fit."""

from __future__ import annotations

from typing import Callable, Optional, Sequence, TYPE_CHECKING

from ... import _native
from ...errors import Inconsistent, NoSymbols, NotInitialized
from ...host.symbols import debug_files

if TYPE_CHECKING:
    from ...host.target import GdbTarget

# The recovery's word for a runtime that debug symbols would not help.
NO_OMPD = "the library was built without OMPD support"
GET_SYMBOLS = (
    "install its debug symbols (debuginfod, or the package libomp5-VERSION-dbgsym), or use a"
    " runtime built with symbols ('sh scripts/build-libomp.sh 19' makes one)"
)

# By the state that native code tells.
NOT_RUNNING = {
    "before start": "is not initialised yet: go on to the first OpenMP construct or call",
    "unstarted": "is still starting, or has shut down: stop in an OpenMP construct",
    "ended": "has shut down: the program is exiting",
}


def check_symbols(
    elf: _native.Elf,
    runtime: str,
    refusal: Sequence[str],
    why_not_loaded: Callable[[], Optional[str]],
) -> None:
    """Raise NoSymbols with the fix if the runtime's OMPD symbols are not there.

    REFUSAL says why they could not be recovered either, if that was tried, WHY_NOT_LOADED
    tells why the debugger has read no symbols of the file.
    """
    try:
        missing = _native.missing_symbols(elf)
    except ValueError as error:  # damaged, or replaced since the program started
        raise NoSymbols(f"the symbols of {runtime} cannot be read: {error}") from error
    if not missing.names:
        return
    if NO_OMPD in refusal:
        raise NoSymbols(
            f"{runtime} was built without OMPD support: use another libomp, such as the"
            " distribution's, or one that 'sh scripts/build-libomp.sh 19' makes"
        )
    if missing.is_stripped:
        unread = why_not_loaded()
        if unread is not None:
            raise NoSymbols(f"GDB has read no symbols of {runtime}: {unread}")
        why = f", and they cannot be recovered ({'; '.join(refusal)})" if refusal else ""
        raise NoSymbols(f"{runtime} is stripped of the symbols that OMPD needs{why}: {GET_SYMBOLS}")
    raise NoSymbols(
        f"{runtime} lacks {len(missing.names)} of the symbols that OMPD needs"
        f" (such as {missing.names[0]}): it was built without OMPD support, or is of another"
        " version than LLVM 14 to 24"
    )


def check_initialized(space: _native.AddressSpace, runtime: str, process: Optional[int]) -> None:
    """Raise NotInitialized before the runtime's start and after its end. PROCESS is the one whose
    memory the kernel gives, if it does."""
    state = _native.runtime_state(space, process)
    if state != "running":
        raise NotInitialized(f"{runtime} {NOT_RUNNING[state]}")


# One of those that OMPD needs stands for all: they come from one source.
STANDS_FOR_ALL = "ompd_state"


def source_of_symbols(elf: _native.Elf) -> Optional[str]:
    """Return "symtab", "debuginfo" or "recovered"; None if OMPD's symbols are nowhere."""
    try:
        symbol = elf.symbol(STANDS_FOR_ALL)
    except ValueError:
        return None  # damaged, or replaced since the program started
    return symbol.source if symbol is not None else None


def note_of(elf: _native.Elf) -> Optional[debug_files.Note]:
    """Return what was written down at the recovery; None for symbols that are real.

    NoSymbols for a file that is damaged, or was made by another version.
    """
    if source_of_symbols(elf) != "recovered":
        return None
    found = debug_files.note_of_file(elf.debug_path) if elf.debug_path is not None else None
    if found is None or found.build_id != elf.build_id:
        raise NoSymbols(
            f"the recovered symbols in {elf.debug_path} are damaged, or were made by another"
            " version of gdb-ompd: remove that file"
        )
    return found


class Proof:
    """Whether symbols that were recovered for MODULE fit the program that is stopped."""

    def __init__(
        self,
        space: _native.AddressSpace,
        module: _native.Module,
        target: GdbTarget,
        known: debug_files.Note,
    ) -> None:
        self.space = space
        self.module = module
        self.target = target
        self.known = known
        self._proved = False

    def at_start(self) -> None:
        """Raise Inconsistent where the runtime's ``ompd_init``, which has just run, has
        stored other values than the file's code does."""
        _native.prove_constants(self.space, self.module, self.known.constants)

    def fits(self) -> None:
        """Check the symbols, at each stop until a thread has proved them; the runtime
        has started. Raises Inconsistent where they do not fit."""
        if not self._proved:
            threads, constants = self.target.threads(), self.known.constants
            self._proved = _native.prove_symbols(self.space, self.module, constants, threads) > 0

    def makes_sense(self, layout: dict[str, int]) -> None:
        """Check a layout of no known version by what the program does, at every stop.

        Raises Inconsistent where it does not fit, NotInitialized where nothing that
        runs can tell.
        """
        if self.known.layout_verified:
            return
        walk = _native.walk_records(self.space, layout, self.target.threads())
        unknown = f"{self.module.name} has a layout of no known version"
        if walk.checked == 0 and not walk.violations:
            raise NotInitialized(
                f"{unknown}, and no thread in a team to check it by: go on into a parallel region"
            )
        if walk.violations:
            raise Inconsistent(
                f"{unknown}, which does not fit the program ({walk.violations[0]}): its debug"
                " symbols are needed (debuginfod, or the package libomp5-VERSION-dbgsym)"
            )
