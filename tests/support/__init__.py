# SPDX-License-Identifier: Apache-2.0
"""What the integration tests share: building programs, running gdb, truth."""
