"""What an agent gave a tool, held against the tool's schema.

In: a schema of `definitions`, and values of JSON. Out: every argument of the tool, what was not given as its default or
as nothing. Invariants: a value that means the same in another form (`"5"` for 5, one uid for a list of it) is taken;
what cannot be taken is named, with what would be. What no tool asks for is passed over.

The standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from memory_db.errors import InputError

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    from typing import Any

NOTHING: dict[str, Any] = {"string": "", "integer": 0}
"""What an argument is that was not given and has no default, by its type."""

MOST_DIGITS = 18


def checked(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments of a tool by name. Raises: InputError."""
    values = {}
    for name, asked in schema["properties"].items():
        value = given.get(name)
        if value is not None:
            values[name] = within(name, asked, taken(name, asked, value))
        elif name in schema.get("required", ()):
            raise InputError(f"{name} is required: {described(asked)}.")
        else:
            values[name] = asked.get("default", NOTHING.get(asked["type"]))
    return values


def taken(name: str, asked: Mapping[str, Any], value: Any) -> Any:
    """A value in the type that is asked for. Raises: InputError."""
    if asked["type"] == "array":
        return [taken(name, asked["items"], each) for each in listed(value)]
    if asked["type"] == "integer":
        number = whole(value)
        if number is not None:
            return number
    elif isinstance(value, str):
        return value
    raise InputError(f"{name} cannot be {shown(value)}. Give {described(asked)}.")


def listed(value: Any) -> list[Any]:
    """A list, also where it was sent as its JSON, or where there is one of it."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    return value if isinstance(value, list) else [value]


def whole(value: Any) -> int | None:
    """A whole number, also where it was sent as its digits or with a point."""
    if isinstance(value, str):
        digits = value.strip()
        bare = digits.removeprefix("-")
        return int(digits) if bare.isascii() and bare.isdigit() and len(bare) <= MOST_DIGITS else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 10**MOST_DIGITS else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def within(name: str, asked: Mapping[str, Any], value: Any) -> Any:
    """A value that is in the bounds of what is asked for. Raises: InputError."""
    is_allowed = value in asked["enum"] if "enum" in asked else True
    if "minimum" in asked:
        is_allowed = asked["minimum"] <= value <= asked["maximum"]
    if not is_allowed:
        raise InputError(f"{name} cannot be {shown(value)}. Give {described(asked)}.")
    return value


def described(asked: Mapping[str, Any]) -> str:
    """What is asked for, in words."""
    if "enum" in asked:
        return f"one of {', '.join(asked['enum'])}"
    if "minimum" in asked:
        return f"a whole number from {asked['minimum']} to {asked['maximum']}"
    return {"string": "a text", "integer": "a whole number", "array": "a list of texts"}[asked["type"]]


def shown(value: Any) -> str:
    """The beginning of a value, as it was sent."""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        text = "a value that cannot be shown"
    return text if len(text) <= 60 else f"{text[:59]}…"
