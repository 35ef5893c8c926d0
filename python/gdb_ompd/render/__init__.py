# SPDX-License-Identifier: Apache-2.0
"""Renderers: values of the model in, lines of text or one JSON document out.

Pure functions. Nothing here knows GDB, reads memory or writes anything.
"""
