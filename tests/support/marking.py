# SPDX-License-Identifier: Apache-2.0
"""A library that leaves a mark when it is loaded, whatever is said of it afterwards."""

from __future__ import annotations

import subprocess
from pathlib import Path


def marking_library(library: Path, mark: Path) -> None:
    """Compile LIBRARY, whose constructor makes the file MARK."""
    source = mark.with_suffix(".c")
    source.write_text(
        "#include <fcntl.h>\n"
        f'__attribute__((constructor)) static void spring(void) {{ creat("{mark}", 0600); }}\n',
        encoding="utf-8",
    )
    subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
