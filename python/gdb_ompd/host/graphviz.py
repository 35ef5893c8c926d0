# SPDX-License-Identifier: Apache-2.0
"""Graphviz's ``dot``, where it is installed: it lays a graph out without a browser."""

from __future__ import annotations

import subprocess

from ..errors import OmpdToolError

LONGEST = 60  # seconds


def svg(graph: str) -> str:
    """Return the picture of a graph in Graphviz's language. OmpdToolError without ``dot``."""
    try:
        done = subprocess.run(
            ["dot", "-Tsvg"],
            input=graph,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=LONGEST,
        )
    except FileNotFoundError:
        raise OmpdToolError(
            "This picture is laid out by Graphviz's dot, which is not installed here: "
            '"-dot waits FILE" writes the graph for it, and the page has the picture without it.'
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OmpdToolError(f"Graphviz's dot was not run: {error}.") from None
    if done.returncode:
        raise OmpdToolError(f"Graphviz's dot failed: {done.stderr.strip()[:200]}")
    return done.stdout
