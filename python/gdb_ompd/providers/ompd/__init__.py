# SPDX-License-Identifier: Apache-2.0
"""OMPD libraries: how one is found and asked, and what is known of LLVM's and of GCC's runtime."""
