# SPDX-License-Identifier: Apache-2.0
"""What a thread's frames say, for every runtime family: pure functions on plain values."""
