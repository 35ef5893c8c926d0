# SPDX-License-Identifier: Apache-2.0
"""Stepping through what the user wrote: constructs, not the runtime behind them."""
