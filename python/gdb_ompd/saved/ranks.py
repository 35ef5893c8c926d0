# SPDX-License-Identifier: Apache-2.0
"""Which process of a parallel job a program is, by the environment of its launcher."""

from __future__ import annotations

from typing import Mapping, Optional

from .document import Rank

# The launcher's own variables come before those of the batch system around it.
VARIABLES = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "PMIX_SIZE"),
    ("PALS_RANKID", "PALS_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)


def rank_in(environment: Mapping[str, str]) -> Optional[Rank]:
    """Return the rank, None for a process that no launcher has started."""
    for number, size in VARIABLES:
        rank = _number(environment.get(number))
        if rank is not None:
            return Rank(rank, _number(environment.get(size)), number)
    return None


def _number(text: Optional[str]) -> Optional[int]:
    plain = text is not None and text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if plain and text is not None else None
