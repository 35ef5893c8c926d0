# SPDX-License-Identifier: Apache-2.0
"""What a browser makes of a page, where there is a browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

BROWSER = shutil.which("chromium")


def shown(path: Path) -> str:
    """Return the document that the browser made of a page and its script; it must have had
    nothing to complain of."""
    assert BROWSER is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]
    done = subprocess.run(
        [BROWSER, *flags, path.as_uri()], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "CONSOLE" not in done.stderr, done.stderr
    return done.stdout
