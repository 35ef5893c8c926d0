# SPDX-License-Identifier: Apache-2.0
"""Stopping a program where OpenMP begins and ends, and stepping through it."""
