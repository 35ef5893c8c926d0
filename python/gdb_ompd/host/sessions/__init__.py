# SPDX-License-Identifier: Apache-2.0
"""A session an inferior: its files and, while it stands still, its stop, which is native code's."""
