"""The look of charts: the colours that pages have, for kinds, signals and all else.

Out: a theme of altair, its colours, and charts that need no network. Invariant: the style sheet of the pages is the one
place of every colour, `pages/draw` that of which colour a kind or a signal has.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from memory_db.pages.draw import colours, stacked_bar
from memory_db.pages.web.shelf import PLUGINS

NAME = "memory_db"
"""What altair calls the theme and the renderer."""

STYLES = PLUGINS / "static" / "memory.css"

COLOUR = re.compile(r"--([a-z]+(?:-\d)?): (#[0-9a-f]{6});")

LIVE = "vnd.vegalite.v5+json"
"""The form of specification that JupyterLab 4 draws by itself."""

GOOD, BAD, OFF = "trust-0", "bad", "sort-1"
"""Colours of what is better, of what is worse, and of what does not count."""


@lru_cache(maxsize=1)
def palette() -> dict[str, str]:
    """The colours of the pages in the light, by name, such as `words-0`."""
    found: dict[str, str] = {}
    for name, value in COLOUR.findall(STYLES.read_text("utf-8")):
        found.setdefault(name, value)  # the first block of the style sheet is that of the light
    return found


def colours_of_kinds(kinds: Iterable[str] = tuple(colours.KINDS)) -> dict[str, str]:
    """The colour of each kind of memory."""
    return {kind: palette()[colours.of_kind(kind)] for kind in kinds}


def colours_of_signals(signals: Iterable[str]) -> dict[str, str]:
    """The colour of each signal."""
    return {signal: palette()[stacked_bar.colour(signal)] for signal in signals}


def scale_of(found: dict[str, str]) -> alt.Scale:
    """Colours as a scale of altair."""
    return alt.Scale(domain=list(found), range=list(found.values()))


def by_kind(kinds: Iterable[str], field: str = "kind", **more: Any) -> alt.Color:
    """Colours by kind of memory, for those that occur, in the order of the pages."""
    known = [*colours.KINDS, *sorted(set(kinds) - set(colours.KINDS))]
    found = colours_of_kinds([kind for kind in known if kind in set(kinds)])
    return alt.Color(field, type="nominal", scale=scale_of(found), **more)


def by_signal(signals: Iterable[str], field: str = "signal", **more: Any) -> alt.Color:
    """Colours by signal, in the order of the pages' bars."""
    found = colours_of_signals(sorted(set(signals), key=stacked_bar.order))
    return alt.Color(field, type="nominal", scale=scale_of(found), **more)


def by_scope(field: str = "scope", **more: Any) -> alt.Color:
    """Colours by where a memory holds."""
    return alt.Color(field, type="nominal", scale=scale_of(named(colours.SCOPES)), **more)


def named(names: dict[str, str]) -> dict[str, str]:
    """Colours of the pages by name, as such a table of `pages/draw` has them."""
    return {value: palette()[name] for value, name in names.items()}


def bars(found: pd.DataFrame, most: int = 10) -> alt.Chart:
    """The best hits of a table that `recall` gave, each as a bar of its signals times their weights."""
    weights = found.attrs.get("weights") or {}
    hits = found.nlargest(most, "score") if len(found) else found
    rows = [
        (place, f"{place}. {row['text'][:60]}", name, weight * row[name])
        for place, row in enumerate(hits.to_dict("records"), start=1)
        for name, weight in weights.items()
        if weight * row[name] > 0
    ]
    drawn = pd.DataFrame(rows, columns=["place", "hit", "signal", "score"])
    chart: alt.Chart = (
        alt.Chart(drawn, title="Score of each hit: weight × signal", width=420)
        .mark_bar()
        .encode(
            x=alt.X("score:Q", title="score", stack="zero"),
            y=alt.Y("hit:N", sort=list(dict.fromkeys(drawn["hit"])), title=None, axis=alt.Axis(labelLimit=420)),
            color=by_signal(drawn["signal"]),
            tooltip=["hit:N", "signal:N", alt.Tooltip("score:Q", format=".3f")],
        )
    )
    return chart


def theme() -> alt.theme.ThemeConfig:
    """What every chart has unless it says otherwise."""
    found = palette()
    font = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
    quiet = {"labelColor": found["quiet"], "titleColor": found["ink"], "labelLimit": 320}
    config: dict[str, Any] = {
        "font": font,
        "view": {"stroke": None},
        "title": {"anchor": "start", "color": found["ink"], "fontWeight": 600, "fontSize": 14, "offset": 10},
        "axis": {**quiet, "titleFontWeight": 500, "gridColor": found["line"], "domainColor": found["edge"],
                 "tickColor": found["edge"]},
        "legend": {**quiet, "titleFontWeight": 500},
        "header": {**quiet, "titleFontWeight": 600},
        "range": {"category": [found[name] for name in colours.PROJECTS]},
        "mark": {"color": found["words-0"]},
        "rule": {"color": found["sort-2"]},
    }  # fmt: skip
    made: alt.theme.ThemeConfig = {"background": found["paper"], "config": config}  # type: ignore[typeddict-item]
    return made


def bundle(spec: dict[str, Any], **_: object) -> dict[str, Any]:
    """A chart as a picture and as a live specification, both without the network."""
    picture = base64.b64encode(vl_convert.vegalite_to_png(spec)).decode()
    live = {**spec, "$schema": "https://vega.github.io/schema/vega-lite/v5.json"}
    return {"image/png": picture, f"application/{LIVE}": live, "text/plain": "a chart"}


def enable_charts() -> None:
    """Makes every chart of this process look like the pages, and show as `bundle` gives it."""
    alt.theme.register(NAME, enable=True)(theme)
    alt.renderers.register(NAME, bundle)
    alt.renderers.enable(NAME)
