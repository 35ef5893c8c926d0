# SPDX-License-Identifier: Apache-2.0
"""Programs of the distribution as shipped, examined while they run."""
