# SPDX-License-Identifier: Apache-2.0
"""Machine code and source of the user's functions: what is called where, and with what."""
