# SPDX-License-Identifier: Apache-2.0
"""Logical stacks, from the stacks of single threads: pure functions on values."""
