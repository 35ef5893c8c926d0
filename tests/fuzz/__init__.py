# SPDX-License-Identifier: Apache-2.0
"""A fuzzer over the debugged program's memory: what we read is damaged, and put right again."""
