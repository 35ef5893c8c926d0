# SPDX-License-Identifier: Apache-2.0
"""Pages of hangs that no program was in:

    PYTHONPATH=python:tests python3 -m support.made_pages FOLDER

writes FOLDER/KIND-COUNT.html for 4 to 1000 threads.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gdb_ompd.render import page
from gdb_ompd.saved import taking

from .made_stops import MadeStop, circumstances
from .made_waits import reports

COUNTS = (4, 64, 256, 1000)


def write(folder: Path) -> None:
    """Write the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for count in COUNTS:
        whole = taking.whole(MadeStop(count, 3, "MPI_Recv"), circumstances())
        for kind, report in reports(count).items():
            path = folder / f"{kind}-{count}.html"
            path.write_text(page.html(whole._replace(report=report)), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
