# SPDX-License-Identifier: Apache-2.0
"""The facts of one stop as a document of their own: what ``ompd why -facts -json`` prints.

Beside them are the verdict and the sentence that were concluded. With those put right by hand
such a file is a test (tests/unit/facts).
"""

from __future__ import annotations

from typing import NamedTuple, Union

from ..errors import BadFile
from ..explain.facts import Facts
from ..explain.report import Report, Verdict
from ..explain.verdict import explain
from .codec import Json, Reader, Writer, fields_of
from .document import Members, SCHEMA, WHAT
from .stop import FACTS, SavedStop, members


class Kept(NamedTuple):
    """Facts, and the verdict with its sentence that belong to them."""

    known: Facts
    verdict: Verdict
    text: str
    prefix: str = ""  # of one inferior

    def facts(self) -> Facts:
        """Return the facts, as a stop does."""
        return self.known

    def report(self) -> Report:
        """Return what is concluded from the facts now."""
        return explain(self.known)


def document(facts: Facts, report: Report) -> Json:
    """Return the document of FACTS, with what REPORT says first."""
    said = {"verdict": report.verdict.value, "text": report.text}
    return {"schema": SCHEMA, "what": FACTS, **said, **Writer(False).record(Facts, facts)}


def read(whole: Members) -> Kept:
    """Return what a document of facts has; BadFile if it is none."""
    reader = Reader(lambda name: None)
    given = {field.name: whole.get(field.name) for field in fields_of(Facts)}
    facts = {name: part for name, part in given.items() if part is not None}
    said = {"verdict": whole.get("verdict"), "text": whole.get("text")}
    kept: Kept = reader.value(Kept, {"known": facts, **said})
    return kept


def load(path: str) -> Union[SavedStop, Kept]:
    """Return a saved stop, or the facts alone, from a file; BadFile if it has neither."""
    whole = members(path, WHAT, FACTS)
    if whole.get("what") == WHAT:
        return SavedStop(whole, path)
    try:
        return read(whole)
    except BadFile as error:
        raise BadFile(f"{path}: no facts: {error}") from None
