"""What every list to browse is made of: facets with counts, an order, portions, and addresses that keep all of it.

In: rows as tuples, and what each facet reads of one. Out: the rows that match, counts, addresses. Invariants: a count
is what a click on it would list; the address of a page has everything that was chosen, so that a saved view is a link;
what cannot be chosen is refused in one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any
from urllib.parse import urlencode

from memory_db.errors import InputError
from memory_db.pages.forms import Fields, first

MOST_VALUES = 12
"""Values that a facet lists, those with most rows; a chosen one is listed in any case."""

MOST_ROWS = 200
"""Rows of a portion, at most."""

ON_A_PAGE = 50
"""Rows of a portion of the page, unless it is asked for others."""

MOST_OFFSET = 100_000_000

ANY = "any"
"""The value of a facet that narrows nothing, where it narrows unless it is told otherwise."""

Row = tuple[Any, ...]

Order = tuple[str, Callable[[Row], Any] | None, bool]
"""What an order is called, the key of a row (None: by how well words match), and whether the greatest comes first."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One way to narrow a list: its field, what it is called, and the place of its value in a row.

    `names` has values in their order with what each is called; without it values are listed by their number of rows.
    `usual` is the value that is chosen where an address names none; `any` then chooses none.
    """

    name: str
    label: str
    place: int
    names: Mapping[str, str] = field(default_factory=dict)
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The rows that match, and for each facet how many there would be of each value."""

    rows: list[Row]
    counts: dict[str, Counter[Any]]


def narrow(rows: Sequence[Row], facets: Iterable[Facet], chosen: Mapping[str, Sequence[str]]) -> Narrowed:
    """The rows that have one of the chosen values in every facet; a facet's counts leave its own choice out."""
    facets = list(facets)
    wanted = {each.name: (each.place, frozenset(chosen[each.name])) for each in facets if chosen.get(each.name)}

    def matching(without: str = "") -> list[Row]:
        found: Sequence[Row] = rows
        for name, (place, values) in wanted.items():
            if name != without:
                found = [row for row in found if row[place] in values]
        return list(found)

    matched = matching()
    counts = {}
    for each in facets:
        among = matching(each.name) if each.name in wanted else matched
        counts[each.name] = Counter(map(itemgetter(each.place), among))
    return Narrowed(matched, counts)


def listed(
    facets: Iterable[Facet],
    counts: Mapping[str, Counter[Any]],
    chosen: Mapping[str, Sequence[str]],
    address: Callable[..., str],
) -> list[dict[str, Any]]:
    """The facets as a page has them: name, label and values, each with its count, and the address that turns it."""
    found = []
    for each in facets:
        had = list(chosen.get(each.name, ()))
        numbers = counts[each.name]
        common = [value for value, _ in numbers.most_common() if value is not None and value not in each.names]
        values = [value for value in each.names if numbers[value] or value in had] + common[:MOST_VALUES]
        values += [value for value in had if value not in values]
        without = (ANY,) if each.usual else ()
        found.append({
            "name": each.name,
            "label": each.label,
            "chosen": bool(had) and had != [each.usual],
            "more": max(0, len(common) - MOST_VALUES),
            "values": [
                {
                    "value": value, "label": each.names.get(value, value), "count": numbers[value],
                    "chosen": value in had, "href": address(**{each.name: without if value in had else (value,)}),
                }
                for value in values
            ],
        })  # fmt: skip
    return [each for each in found if each["values"]]


def address_of(path: str, kept: Mapping[str, Sequence[str]], changes: Mapping[str, object]) -> str:
    """The page with other values of some fields, from its beginning; a field without values is left out."""
    fields = dict(kept)
    for name, value in changes.items():
        fields[name] = list(value) if isinstance(value, list | tuple) else [str(value)] if value else []
    query = urlencode([(name, value) for name, values in fields.items() for value in values if value])
    return path + (f"?{query}" if query else "")


def choices_of(fields: Fields, facets: Iterable[Facet]) -> dict[str, list[str]]:
    """What is chosen of each facet. Raises: InputError for a value that a facet with names does not have."""
    chosen = {}
    for each in facets:
        values = values_of(fields, each.name)
        for value in values:
            if each.names and value not in each.names and not (each.usual and value == ANY):
                raise InputError(f"No {each.name} {value[:40]!r}. There are: {', '.join(each.names)}.")
        chosen[each.name] = [] if ANY in values and each.usual else values or ([each.usual] if each.usual else [])
    return chosen


def values_of(fields: Fields, name: str) -> list[str]:
    """The values of a field that are not empty, each once."""
    return list(dict.fromkeys(value.strip() for value in fields.get(name, ()) if value.strip()))


def order_of(fields: Fields, orders: Iterable[str], usual: str) -> str:
    """The order that is asked for. Raises: InputError."""
    orders = list(orders)
    order = first(fields, "sort") or usual
    if order not in orders:
        raise InputError(f"No order {order[:40]!r}. There are: {', '.join(orders)}.")
    return order


def whole_of(fields: Fields, name: str, usual: int, most: int) -> int:
    """A whole number from 0 (or 1, of a limit) that a field names. Raises: InputError."""
    text = first(fields, name)
    least = 1 if name == "limit" else 0
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else usual if not text else -1
    if not least <= number <= most:
        raise InputError(f"{name} {text[:40]!r} cannot be used. Give a whole number from {least} to {most}.")
    return number


def turning(address: Callable[..., str], total: int, limit: int, offset: int) -> dict[str, str]:
    """The addresses of the portions before and after, as far as there are any."""
    found = {}
    if offset > 0:
        found["before"] = address(offset=max(0, offset - limit))
    if offset + limit < total:
        found["after"] = address(offset=offset + limit)
    return found
