# SPDX-License-Identifier: Apache-2.0
"""What the evidence leaves of a variable's data-sharing attribute, and clauses of directives."""

from __future__ import annotations

import pytest
from gdb_ompd.explain.sharing import COPY, Evidence, clauses_of, implicit_in, judge

BODY = Evidence(
    "local", "region", body=True, function="main", own=100, on_stack=True, directive="a.c:3"
)
OWN_COPIES = BODY._replace(addresses=(100, 200, 300), original=900)


@pytest.mark.parametrize(
    ("facts", "attribute"),
    [
        (Evidence("static"), "shared"),
        (Evidence("thread"), "threadprivate"),
        (Evidence("none"), None),
        (Evidence("member"), None),
        (Evidence("local", None, function="main"), "private"),
        (BODY._replace(addresses=(100, 100), original=100), "shared"),
        (BODY._replace(addresses=(100, 100), clauses=("private",)), None),
        (BODY._replace(addresses=(100,), original=100), "shared"),
        (BODY._replace(addresses=(100,), on_stack=False), None),
        (BODY._replace(own=None, addresses=(None, 500, 500), inside=True), "private"),
        (OWN_COPIES, COPY),
        (OWN_COPIES._replace(copies_shared=True), COPY),
        (OWN_COPIES._replace(construct="task"), COPY),
        (OWN_COPIES._replace(construct="task", copies_shared=True), None),
        (OWN_COPIES._replace(inside=True), "private"),
        (OWN_COPIES._replace(by_value=True), "firstprivate"),
        (OWN_COPIES._replace(loop=True), "private"),
        (OWN_COPIES._replace(loop=True, clauses=("shared",)), "private"),
        (OWN_COPIES._replace(loop=True, clauses=("lastprivate",)), "lastprivate"),
        (OWN_COPIES._replace(body=False, clauses=("lastprivate",)), "lastprivate"),
        (BODY._replace(construct="target", original=None), None),
        (BODY._replace(construct="target", original=900, by_value=True), "firstprivate"),
        (OWN_COPIES._replace(implicit="shared"), "shared"),
        (OWN_COPIES._replace(implicit="shared", clauses=("reduction",)), "reduction"),
        (
            OWN_COPIES._replace(clauses=("firstprivate", "lastprivate")),
            "firstprivate and lastprivate",
        ),
        (OWN_COPIES._replace(clauses=("shared",)), "shared"),
        (BODY._replace(own=None, on_stack=False), None),
        (BODY._replace(own=None, clauses=("linear",)), "linear"),
        (BODY._replace(construct="task", original=100), "shared"),
        (BODY._replace(construct="task", original=None), None),
        (BODY._replace(construct="task", original=900, implicit="firstprivate"), "firstprivate"),
        (BODY._replace(body=False, addresses=(100, 200)), "private"),
        (BODY._replace(body=False, addresses=(100, 100), on_stack=False), "shared"),
        (BODY._replace(body=False, addresses=(100, 200), on_stack=False), None),
    ],
)
def test_the_attribute_that_the_evidence_leaves(facts: Evidence, attribute: str) -> None:
    verdict = judge(facts)
    assert verdict.attribute == attribute
    assert verdict.why and "None" not in verdict.why


def test_clauses_are_read() -> None:
    directive = (
        "#pragma omp parallel for private(a, b) firstprivate(c) lastprivate(conditional: c) "
        "reduction(+ : d, e[0:n]) linear(f : 2) linear(ref(g)) shared(h) schedule(static, a)"
    )
    assert clauses_of(directive) == {
        "a": ["private"],
        "b": ["private"],
        "c": ["firstprivate", "lastprivate"],
        "d": ["reduction"],
        "e": ["reduction"],
        "f": ["linear"],
        "g": ["linear"],
        "h": ["shared"],
    }
    assert clauses_of("!$OMP PARALLEL PRIVATE(X) DEFAULT(SHARED)") == {"X": ["private"]}
    assert clauses_of("#pragma omp barrier") == {}


def test_what_no_clause_names() -> None:
    assert implicit_in("#pragma omp parallel") == "shared"
    assert implicit_in("#pragma omp task untied") is None  # shared, if it is so all around
    assert implicit_in("#pragma omp parallel default(none)") is None
    assert implicit_in("!$omp parallel DEFAULT(FIRSTPRIVATE)") == "firstprivate"
    assert implicit_in("#pragma omp for") is None
