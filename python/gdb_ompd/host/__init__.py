# SPDX-License-Identifier: Apache-2.0
"""GDB's side: memory, files, threads, settings and source lines of one inferior."""
