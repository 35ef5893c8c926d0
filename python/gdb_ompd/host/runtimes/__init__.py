# SPDX-License-Identifier: Apache-2.0
"""The OpenMP runtimes of a process, each with the OMPD library that serves it."""
