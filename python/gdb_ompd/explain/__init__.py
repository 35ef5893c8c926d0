# SPDX-License-Identifier: Apache-2.0
"""Why a program hangs: who waits for whom, worked out from plain values alone."""
