"""Figures as Markdown: estimates, tables, sentences. Pure functions of what they are given."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
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


MOST_COLUMNS = 8
"""Columns from which on dicts side by side, or a list of them, lie on their side."""


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
    if is_ways(figures):
        return [*blocks, ways_table(figures)]
    flat = {name: value for name, value in figures.items() if is_leaf(value)}
    blocks.append(table(("figure", "value"), ((words(name), cell(value)) for name, value in flat.items())))
    columns = {name: value for name, value in figures.items() if isinstance(value, Mapping) and is_flat(value)}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    if len(columns) > MOST_COLUMNS and len(names) < len(columns):
        head = ("", *map(words, names))
        rows = ((words(name), *(cell(column.get(each)) for each in names)) for name, column in columns.items())
    else:
        head = ("", *(words(name) for name in columns))
        rows = ((words(name), *(cell(column.get(name)) for column in columns.values())) for name in names)
    blocks.append(table(head, rows))
    for name, value in figures.items():
        if isinstance(value, list):
            blocks += listed(value, words(name))
        elif isinstance(value, Mapping) and name not in columns and not is_leaf(value):
            blocks += any_figures(value, words(f"{title}, {name}" if title else name))
    blocks = [block for block in blocks if block]
    is_bare = len(blocks) > 1 and blocks[0].startswith("**") and blocks[1].startswith("**")
    return blocks[1:] if is_bare else blocks


def is_flat(value: Mapping[str, Any]) -> bool:
    """Whether a dict is no estimate and has leaves alone."""
    return bool(value) and not is_estimate(value) and all(map(is_leaf, value.values()))


def is_ways(figures: Mapping[str, Any]) -> bool:
    """Whether dicts stand side by side that hold estimates, and at most one more level of them: ways to compare."""
    return bool(figures) and all(
        isinstance(way, Mapping)
        and any(map(is_estimate, way.values()))
        and all(is_leaf(value) or (isinstance(value, Mapping) and is_flat(value)) for value in way.values())
        for way in figures.values()
    )


def ways_table(ways: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each way and a column for each share, in percent; those a level deeper are differences."""
    flat = {name: dict(shares_of(way)) for name, way in ways.items()}
    names = list(dict.fromkeys(column for columns in flat.values() for column in columns))
    return table(
        ("", *map(words, names)),
        ((words(name), *(columns.get(column, NOTHING) for column in names)) for name, columns in flat.items()),
    )


def shares_of(way: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The shares of a way as texts, each with the name of its column."""
    for name, value in way.items():
        if is_leaf(value):
            yield name, share(value, percent)
        else:
            yield from ((f"{name}: {inner}", share(each, points)) for inner, each in value.items())


def share(value: Any, shown: Callable[[Estimate], str]) -> str:
    """A share in percent, by `shown` where it has an interval."""
    if is_estimate(value):
        return shown([value[name] for name in ("mean", "low", "high")])
    return f"{100 * value:.1f}" if isinstance(value, float) else cell(value)


def listed(values: Sequence[Any], title: str) -> list[str]:
    """A list of dicts as a table with a row each; a list of anything else on one line."""
    if not all(isinstance(value, Mapping) for value in values):
        return [f"{title}: {', '.join(map(cell, values))}"]
    names = list(dict.fromkeys(name for value in values for name in value))
    if len(names) > MOST_COLUMNS:
        first, *others = names
        head = (words(first), *(cell(value.get(first)) for value in values))
        return [
            f"**{title}**",
            table(head, ((words(name), *(cell(value.get(name)) for value in values)) for name in others)),
        ]
    rows = (tuple(cell(value.get(name)) if is_leaf(value.get(name)) else "…" for name in names) for value in values)
    return [f"**{title}**", table(tuple(map(words, names)), rows)]


class Figures(dict[str, Any]):
    """Figures by path, such as `entries/ratio`, `search/0/rows` or `search/last/rows`, for `str.format_map`."""

    def __getitem__(self, path: str) -> Any:
        """The leaf at that path. Raises: KeyError where there is none."""
        value: Any = dict(self)
        for name in path.split("/"):
            if isinstance(value, list) and value and name == "last":
                value = value[-1]
            elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
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
