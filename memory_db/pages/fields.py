"""Fields of a request: their first value, flags, and names that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memory_db.errors import InputError

FORM_FIELDS = ("csrftoken",)
"""What Datasette's own forms carry besides what is asked."""


def check_known(fields: Fields, names: Iterable[str]) -> None:
    """Raises: InputError for a field that is none of the names: a filter that is misspelt must not count as none.

    A name that ends in * stands for all that begin so.
    """
    known = list(names)
    starts = tuple(name.removesuffix("*") for name in known if name.endswith("*"))
    for name in fields:
        if name not in (*known, *FORM_FIELDS) and not (starts and name.startswith(starts)):
            raise InputError(f"No field {name[:40]!r}. There are: {', '.join(known)}.")


def flag(fields: Fields, name: str, *, default: bool = False) -> bool:
    """A field that is true or false, as forms and JSON write it. Raises: InputError."""
    value = first(fields, name).lower()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("0", "false", "no", "off"):
        return False
    if value:
        raise InputError(f"{name} {value[:40]!r} cannot be used. Give true or false.")
    return default


Fields = Mapping[str, Sequence[str]]


def first(fields: Fields, name: str) -> str:
    """The first value of a field, without spaces around it; empty if there is none."""
    values = fields.get(name) or ("",)
    return values[0] if name == "q" else values[0].strip()
