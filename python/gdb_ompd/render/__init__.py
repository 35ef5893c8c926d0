# SPDX-License-Identifier: Apache-2.0
"""Renderers: values of the model in, lines of text or one JSON document out.

Pure functions. Nothing here knows GDB, reads memory or writes anything. In all of them STYLE paints
and says how wide a line may be, and PREFIX is what GDB writes before a number of its threads.
"""
