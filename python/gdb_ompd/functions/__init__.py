# SPDX-License-Identifier: Apache-2.0
"""The convenience functions ``$_omp_...``: each takes its arguments, asks and answers.

They import what they ask when they are called, so that GDB's start does not
wait for it.
"""

from __future__ import annotations

from .place import register as register
