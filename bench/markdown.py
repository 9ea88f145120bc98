"""Figures as Markdown: estimates, tables, sentences. Pure functions of what they are given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

NOTHING = "–"
"""What stands where a figure does not apply."""

Estimate = Sequence[float] | None
"""[mean, low, high] from 0 to 1, or None."""


def percent(found: Estimate, *, interval: bool = True) -> str:
    """An estimate in percent, such as `75.1 (72.2 to 77.4)`."""
    if found is None:
        return NOTHING
    mean, low, high = (f"{100 * value:.1f}" for value in found)
    return f"{mean} ({low} to {high})" if interval else mean


def points(found: Estimate) -> str:
    """A difference in percentage points, such as `+13.3 (+10.2 to +16.1)`."""
    if found is None:
        return NOTHING
    mean, low, high = (f"{100 * value:+.1f}" for value in found)
    return f"{mean} ({low} to {high})"


def is_more_than_luck(found: Estimate) -> bool:
    """Whether the interval of a difference excludes 0."""
    return found is not None and (found[1] > 0 or found[2] < 0)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, its first column to the left and the others to the right; nothing without rows."""
    body = [f"| {' | '.join(row)} |" for row in rows]
    if not body:
        return ""
    rule = " | ".join(["---", *(["---:"] * (len(head) - 1))])
    return "\n".join([f"| {' | '.join(head)} |", f"| {rule} |", *body])


# ------------------------------------------------------------------ any figures


def is_leaf(value: Any) -> bool:
    """Whether a value stands in one cell: a number, a text, an estimate by name, or no figure."""
    return value is None or isinstance(value, str | int | float) or is_estimate(value)


def is_estimate(value: Any) -> bool:
    """Whether a value is an estimate by name."""
    return isinstance(value, Mapping) and {"mean", "low", "high"} <= set(value)


def cell(value: Any) -> str:
    """A leaf as text."""
    if is_estimate(value):
        return f"{cell(value['mean'])} ({cell(value['low'])} to {cell(value['high'])})"
    if value is None:
        return NOTHING
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if not isinstance(value, float):
        return " ".join(str(value).replace("|", "\\|").split())
    return f"{value:,.0f}" if math.isfinite(value) and abs(value) >= 1000 else f"{round(value, 3):g}"


def words(name: str) -> str:
    """The name of a figure as words."""
    return str(name).replace("_", " ")


def any_figures(figures: Mapping[str, Any], title: str = "") -> list[str]:
    """Blocks that show any nested figures: values of one level are a table, dicts side by side are its columns."""
    blocks = [f"**{title}**"] if title else []
    flat = {name: value for name, value in figures.items() if is_leaf(value)}
    blocks.append(table(("figure", "value"), ((words(name), cell(value)) for name, value in flat.items())))
    columns = {name: value for name, value in figures.items() if isinstance(value, Mapping) and is_flat(value)}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    head = ("", *(words(name) for name in columns))
    blocks.append(
        table(head, ((words(name), *(cell(column.get(name)) for column in columns.values())) for name in names))
    )
    for name, value in figures.items():
        if isinstance(value, list):
            blocks += listed(value, words(name))
        elif isinstance(value, Mapping) and name not in columns and not is_leaf(value):
            blocks += any_figures(value, words(f"{title}, {name}" if title else name))
    return [block for block in blocks if block]


def is_flat(value: Mapping[str, Any]) -> bool:
    """Whether a dict is no estimate and has leaves alone."""
    return bool(value) and not is_estimate(value) and all(map(is_leaf, value.values()))


def listed(values: Sequence[Any], title: str) -> list[str]:
    """A list of dicts as a table with a row each; a list of anything else on one line."""
    if not all(isinstance(value, Mapping) for value in values):
        return [f"{title}: {', '.join(map(cell, values))}"]
    names = list(dict.fromkeys(name for value in values for name in value))
    rows = (tuple(cell(value.get(name)) if is_leaf(value.get(name)) else "…" for name in names) for value in values)
    return [f"**{title}**", table(tuple(map(words, names)), rows)]


class Figures(dict[str, Any]):
    """Figures by path, such as `entries/ratio` or `search/0/rows`, for `str.format_map`."""

    def __getitem__(self, path: str) -> Any:
        """The leaf at that path. Raises: KeyError where there is none."""
        value: Any = dict(self)
        for name in path.split("/"):
            if isinstance(value, list) and name.isdigit() and int(name) < len(value):
                value = value[int(name)]
            elif isinstance(value, Mapping) and name in value:
                value = value[name]
            else:
                raise KeyError(path)
        if not isinstance(value, int | float | str):
            raise KeyError(path)
        return value


def said(sentences: Sequence[str], figures: Mapping[str, Any]) -> str:
    """The sentences whose figures are all there, filled in."""
    filled = []
    for sentence in sentences:
        try:
            filled.append(sentence.format_map(Figures(figures)))
        except KeyError:
            continue
    return " ".join(filled)
