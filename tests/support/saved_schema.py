# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of saved stops, from the declarations that the codec follows:

    PYTHONPATH=python:tests python3 -m support.saved_schema > docs/saved-stop.schema.json
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Union, get_args, get_origin

from gdb_ompd.saved.codec import REQUIRED, Json, TABLES, fields_of
from gdb_ompd.saved.document import Contents, SCHEMA, WHAT

_PLAIN = {int: "integer", str: "string", bool: "boolean"}


def schema() -> Json:
    """Return the schema."""
    definitions: Json = {}
    whole = _record(Contents, definitions)
    tables = {kind.__name__: _list(_record(kind, definitions)) for kind in TABLES}
    whole["properties"] = {
        "schema": {"const": SCHEMA},
        "what": {"const": WHAT},
        **whole["properties"],
        "tables": {"type": "object", "properties": tables, "required": list(tables)},
    }
    whole["required"] += ["schema", "what", "tables"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": WHAT,
        **whole,
        "$defs": definitions,
    }


def _of(hint: Any, definitions: Json) -> Json:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Union:
        kinds = [{"type": "null"} if a is type(None) else _of(a, definitions) for a in args]
        return {"anyOf": kinds}
    if origin is frozenset or (origin is tuple and args[1:] == (Ellipsis,)):
        return _list(_of(args[0], definitions))
    if origin is tuple:
        parts = [_of(each, definitions) for each in args]
        return {"type": "array", "prefixItems": parts, "minItems": len(args), "maxItems": len(args)}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if issubclass(hint, Enum):
        return {"enum": [each.value for each in hint]}
    if hint in TABLES:
        return {"type": "integer", "minimum": 0, "description": f"index in tables.{hint.__name__}"}
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}
        definitions[hint.__name__] = _record(hint, definitions)
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _record(kind: Any, definitions: Json) -> Json:
    return {
        "type": "object",
        "description": " ".join((kind.__doc__ or "").split()),
        "properties": {f.name: _of(f.hint, definitions) for f in fields_of(kind)},
        "required": [f.name for f in fields_of(kind) if f.default is REQUIRED],
    }


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1))
