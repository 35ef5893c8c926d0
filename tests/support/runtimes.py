# SPDX-License-Identifier: Apache-2.0
"""The OpenMP runtimes with symbols that the tests run against."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("14", "19")


@functools.lru_cache(maxsize=None)
def runtime_folder(version: str) -> Path:
    """Return the folder that holds libomp.so and libompd.so of VERSION, building it once."""
    script = ROOT / "scripts" / "build-libomp.sh"
    done = subprocess.run(
        ["sh", str(script), version], stdout=subprocess.PIPE, text=True, check=True, timeout=900
    )
    return Path(done.stdout.strip().splitlines()[-1])
