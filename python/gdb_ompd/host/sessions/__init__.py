# SPDX-License-Identifier: Apache-2.0
"""One inferior at one stop: what is asked of its runtimes and stacks, each thing once."""
