# SPDX-License-Identifier: Apache-2.0
"""What ``ompd status`` says of one libomp, finding out as far as it goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ... import _native
from ...errors import NotInitialized, OmpdToolError
from ...model import RuntimeStatus
from ...host.protocols import READ_ERRORS
from ...host.symbols.debug_files import Note
from .recovered import source_of_symbols

if TYPE_CHECKING:
    from .provider import OmpdProvider

KIND = "LLVM libomp"


def describe(provider: "OmpdProvider") -> RuntimeStatus:
    """Return the status; what stands in the way is its ``problem``."""
    status = _mapped(provider)
    if provider.runtime.module is None:
        return replace(status, problem=f"{provider.file} cannot be read: {provider.runtime.why}")
    return replace(_asked(provider, status), refused=provider.refused_libraries())


def _asked(provider: "OmpdProvider", status: RuntimeStatus) -> RuntimeStatus:
    try:
        return _served(provider, status)
    except NotInitialized as error:
        served_by = _library(provider)
        status = replace(status, ompd_library=served_by, initialized=_initialized(provider))
        return replace(status, problem=str(error))
    except OmpdToolError as error:
        return replace(status, problem=str(error), initialized=_initialized(provider))
    except _native.OmpdError as error:
        return replace(status, problem=f"the OMPD library refused: {error}", initialized=True)
    except READ_ERRORS as error:
        return replace(status, problem=f"the program's memory cannot be read: {error}")


def _served(provider: "OmpdProvider", status: RuntimeStatus) -> RuntimeStatus:
    """Add what the OMPD library says."""
    reader, library = provider.reader(), provider.load_library()
    with provider.asking():
        api_version, _, omp, _ = reader.versions()
    return replace(
        status,
        version=None if omp is None else f"OpenMP {omp}",
        ompd_library=library.path,
        api_version=api_version,
        initialized=True,
        events_enabled=provider.events_enabled(),
    )


def _mapped(provider: "OmpdProvider") -> RuntimeStatus:
    module = provider.runtime.module
    note = _note(provider)
    return RuntimeStatus(
        file=provider.file,
        kind=KIND,
        build_id=module.elf.build_id if module else None,
        symbols=source_of_symbols(module.elf) if module else None,
        architecture=note.architecture if note else None,
        profile=note.profile if note else None,
        layout_verified=note.layout_verified if note else None,
    )


def _note(provider: "OmpdProvider") -> Note | None:
    """Return what is known of recovered symbols, where it can be read."""
    try:
        return provider.note()
    except OmpdToolError:
        return None  # what is the matter with it is the problem that is shown


def _library(provider: "OmpdProvider") -> str | None:
    """Return the OMPD library that will serve a runtime which has not started."""
    try:
        return provider.load_library().path
    except OmpdToolError:
        return None  # it is said when there is something to ask


def _initialized(provider: "OmpdProvider") -> bool | None:
    """Tell whether the runtime had started, where a later step failed."""
    try:
        return _native.has_named_libraries(provider.space)
    except (OmpdToolError, *READ_ERRORS):
        return None
