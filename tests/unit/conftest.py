# SPDX-License-Identifier: Apache-2.0
"""Made-up examples have no time limit of their own: a machine that others use takes a test's time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")
