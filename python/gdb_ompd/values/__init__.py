# SPDX-License-Identifier: Apache-2.0
"""The program's variables as its threads have them: evaluated in the frames of each."""
