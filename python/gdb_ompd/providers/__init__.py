# SPDX-License-Identifier: Apache-2.0
"""One provider for each family of OpenMP runtimes."""
