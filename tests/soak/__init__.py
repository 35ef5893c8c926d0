# SPDX-License-Identifier: Apache-2.0
"""Many runs and many snapshots in one gdb: nothing may be left behind."""
