# SPDX-License-Identifier: Apache-2.0
"""Lets the conformance tests use what the integration tests share."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
