# SPDX-License-Identifier: Apache-2.0
"""``ompd save``."""

from __future__ import annotations

import os
from typing import Iterable

from ..errors import NoProcess, UsageError
from .base import Arguments, OmpdCommand


class SaveCommand(OmpdCommand):
    """Write the whole stop to a file, to be looked at later or elsewhere.

    Usage: ompd save FILE

    FILE becomes one JSON document with all that the commands show: status,
    threads, regions, tasks, ICVs, environment, stacks and the verdict.  With
    "-from FILE" they answer as they do now, in any GDB, without the program:
    "ompd why -from FILE", "ompd bt -all -from FILE".  "ompd bt" is that of the
    thread which is selected now.  A file that exists is replaced."""

    name = "ompd save"
    takes_words = True
    takes_files = True

    def run(self, arguments: Arguments) -> Iterable[str]:
        """Write the file."""
        from ..host import files
        from ..saved import document, taking
        from .live import LiveStop, circumstances

        if len(arguments.words) != 1:
            raise UsageError(f"Requires the name of the file to write. {self._see_help()}")
        path = os.path.expanduser(arguments.words[0])
        stop = LiveStop()
        if not stop.numbers:
            raise NoProcess()
        contents = taking.taken(stop, circumstances())
        files.replace(path, document.text(contents))
        return [f"Saved to {path}."]
