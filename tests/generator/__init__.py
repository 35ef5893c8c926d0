# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody wrote, which record what each of their threads does."""
