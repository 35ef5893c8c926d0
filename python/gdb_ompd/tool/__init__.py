# SPDX-License-Identifier: Apache-2.0
"""The command-line tool ``gdb-ompd``: stops of many processes, saved and folded.

It needs no GDB to report; to save it runs one in batch, as a launcher's process beside each rank.
"""

from .command_line import main as main
