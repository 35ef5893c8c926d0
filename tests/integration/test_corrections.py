# SPDX-License-Identifier: Apache-2.0
"""Each correction of LLVM's library is needed, by the versions that the page says.

What is shown with corrections is compared with the program's own record in test_truth; here
a correction that changes nothing on a version any more fails.
"""

from __future__ import annotations

from support.corrections import PAGE, faults, page


def test_each_version_needs_what_the_page_says() -> None:
    """A correction that changes nothing on a version any more makes the page another."""
    assert page(faults()) == PAGE.read_text("utf-8")
