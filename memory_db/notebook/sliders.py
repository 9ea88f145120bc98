"""Sliders for weights under a question's hits: they rank anew as one moves, and their values become a profile.

In: a table that `recall(..., everything=True)` gave. Out: a widget, and `weights` to compute with. Invariants: scores
are those of `scoring.score`; nothing is written until a profile is saved.
"""

from __future__ import annotations

import html
import sqlite3
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from memory_db.cli.extras import require
from memory_db.errors import InputError, MemoryDBError
from memory_db.notebook.files import current, writing
from memory_db.notebook.theme import palette
from memory_db.pages.draw import stacked_bar
from memory_db.recall import scoring
from memory_db.recall.profiles import save_profile, scaled_weights

require("notebooks", ("ipywidgets",))

import ipywidgets as widgets  # after it is sure that it is there

SHOWN = 10
"""Hits that are drawn, the best ones."""

TEXT_CHARACTERS = 80
"""Of a hit's text that stand beside its bar."""

BAR_PIXELS = 360


class Sliders(widgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A slider for each signal that counts, the ten best hits as stacked bars, and a button that saves a profile."""

    def __init__(
        self, found: pd.DataFrame, *, answers: Collection[str] = (), db: sqlite3.Connection | None = None
    ) -> None:
        """Begins with the weights that the table was asked by; hits whose uid is among `answers` are marked.

        Raises: InputError for a table of another origin.
        """
        if "weights" not in found.attrs:
            raise InputError("This table has no weights. Give one that recall(..., everything=True) gave.")
        self.found, self.answers, self.db = found, frozenset(answers), db or current()
        before: Mapping[str, float] = found.attrs["weights"]
        self.sliders = {
            name: widgets.FloatSlider(before[name], min=0, max=1, step=0.01, description=name, continuous_update=True,
                                      style={"description_width": "12rem"}, layout={"width": "30rem"})
            for name in sorted(before, key=stacked_bar.order)
        }  # fmt: skip
        self.ranking = widgets.HTML(self.drawn())
        self.name = widgets.Text("mine", description="save as", layout={"width": "16rem"})
        self.button, self.said = widgets.Button(description="Save profile"), widgets.Label()
        self.button.on_click(lambda _: self.try_to_save())
        for slider in self.sliders.values():
            slider.observe(lambda _: self.draw(), names="value")
        bottom = widgets.HBox([self.name, self.button])
        super().__init__([widgets.VBox(list(self.sliders.values())), self.ranking, bottom, self.said])

    @property
    def weights(self) -> dict[str, float]:
        """The weights as the sliders stand, scaled to sum 1. Raises: InputError where all are 0."""
        return scaled_weights({name: slider.value for name, slider in self.sliders.items()})

    def ranked(self) -> pd.DataFrame:
        """The ten best hits under these weights: `score`, `kind`, `text`, `uid` and where each stood before (`was`)."""
        signals = self.found[list(self.sliders)].to_dict("records")
        score = [scoring.score(self.weights, each) for each in signals]
        was = self.found["score"].rank(ascending=False, method="first").astype(int)
        ranked = self.found.assign(score=score, was=was).nlargest(SHOWN, "score")
        return ranked[["score", "kind", "text", "uid", "was"]].reset_index(drop=True)

    def save(self, name: str) -> str:
        """Saves the weights as the next version of a profile; gives its name and version. Raises: InputError."""
        fitted = f"sliders of a notebook, on the question {self.found.attrs['query']!r}"
        with writing(self.db) as other:
            version = save_profile(
                other, name, self.weights, description="Set by hand in a notebook", fitted_on=fitted,
                now=datetime.now(UTC),
            )  # fmt: skip
        return f"{name}@{version}"

    def try_to_save(self) -> None:
        """What the button does: saves, and says what came of it."""
        try:
            saved = self.save(self.name.value.strip())
            self.said.value = (
                f"Saved as {saved}. To use it: memory-db settings default_profile {saved.partition('@')[0]}"
            )
        except MemoryDBError as error:
            self.said.value = str(error)

    def draw(self) -> None:
        """Ranks anew."""
        self.ranking.value = self.drawn()

    def drawn(self) -> str:
        """The ranking as HTML: each hit with a bar, a segment a signal."""
        try:
            weights, ranked = self.weights, self.ranked()
        except InputError as error:
            return html.escape(str(error))
        by_uid = self.found.drop_duplicates("uid").set_index("uid")
        scale = stacked_bar.scale_for(ranked["score"])
        rows = [
            row_of(row, by_uid.loc[row.uid].to_dict(), weights, scale, is_answer=row.uid in self.answers)
            for row in ranked.itertuples()
        ]
        return f'<table style="border-collapse:collapse">{"".join(rows)}</table>' if rows else "No hit to rank."

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget, and the ranking for whoever reads the notebook without a kernel."""
        found = super()._repr_mimebundle_(**options)
        return {**found, "text/html": self.ranking.value} if isinstance(found, dict) else found


def row_of(
    row: Any, signals: Mapping[str, float], weights: Mapping[str, float], scale: float, *, is_answer: bool
) -> str:
    """One hit: its place, its place before, its bar, its text, and whether it answers the question."""
    segments = [each for each in stacked_bar.segments(weights, signals, scale) if each.width]
    bar = "".join(
        f'<span title="{html.escape(each.signal)} {each.contribution:.3f}" style="display:inline-block;height:14px;'
        f'width:{each.width / stacked_bar.WIDTH * BAR_PIXELS:.1f}px;background:{palette()[each.colour]}"></span>'
        for each in segments
    )
    text = html.escape(row.text[:TEXT_CHARACTERS]) + (" <b>answers</b>" if is_answer else "")
    was = "" if row.was == row.Index + 1 else f" (was {row.was})"
    return (
        f'<tr><td style="text-align:right;padding-right:8px;white-space:nowrap">{row.Index + 1}{was}</td>'
        f'<td style="width:{BAR_PIXELS}px;white-space:nowrap;line-height:0;text-align:left">{bar}</td>'
        f'<td style="padding:0 8px">{row.score:.3f}</td>'
        f'<td style="text-align:left">{html.escape(row.kind)}: {text}</td></tr>'
    )
