"""The JSON schema of an answer, made from the classes that describe it, with the standard library alone.

Out: a schema that `answer_data` fulfils. Invariant: every class is closed: a field that it does not name is none.
"""

from __future__ import annotations

import types
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from memory_db.recall.answer import AnswerData

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
"""Types of Python as JSON Schema calls them."""


def answer_schema() -> dict[str, Any]:
    """The schema of `AnswerData`; each class of which it consists stands once, below `$defs`.

    Source: JSON Schema, draft 2020-12, which MCP takes for the schemas of tools.
    """
    classes: dict[str, dict[str, Any]] = {}
    return {**schema_of(AnswerData, classes, is_root=True), "$defs": classes}


def schema_of(hint: Any, classes: dict[str, dict[str, Any]], *, is_root: bool = False) -> dict[str, Any]:
    """The schema of one type; classes are added to `classes`. Raises: TypeError for a type that no answer has."""
    if hint is Any:
        return {}
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(part, classes) for part in parts]}
    if origin is list:
        return {"type": "array", "items": schema_of(parts[0], classes)}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(parts[1], classes)}
    if not is_typeddict(hint):
        raise TypeError(f"{hint} has no JSON schema here")
    fields = {name: schema_of(each, classes) for name, each in get_type_hints(hint).items()}
    whole = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    if is_root:
        return whole
    classes[hint.__name__] = whole
    return {"$ref": f"#/$defs/{hint.__name__}"}
