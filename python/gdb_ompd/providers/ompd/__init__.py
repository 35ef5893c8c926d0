# SPDX-License-Identifier: Apache-2.0
"""LLVM's OpenMP runtime, through its OMPD library."""
