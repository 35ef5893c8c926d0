# SPDX-License-Identifier: Apache-2.0
"""The symbols of stripped runtimes: made from their code, and kept as debug files."""
