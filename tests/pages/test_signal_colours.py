"""The colours of signals: what a bar shows of a score can be told apart."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

from memory_db.pages.draw.stacked_bar import colour, order, segments
from memory_db.recall.scoring import SIGNALS

STYLES = Path("plugins/static/memory.css")


def test_no_profile_has_two_signals_of_one_colour(db: sqlite3.Connection) -> None:
    profiles = db.execute("select name, weights from profiles").fetchall()
    assert len(profiles) > 5
    for profile in profiles:
        colours = [colour(signal) for signal, weight in json.loads(profile["weights"]).items() if weight > 0]
        assert len(colours) == len(set(colours)), profile["name"]


def test_every_colour_is_in_the_style_sheet_for_light_and_dark() -> None:
    styles = STYLES.read_text()
    for name in {colour(signal) for signal in SIGNALS} | {colour("of a later version")}:
        assert f".fill-{name} {{ fill: var(--{name}); }}" in styles, name
        shades = re.findall(rf"--{name}: (#\w+);", styles)
        assert len(shades) == 2, f"{name} has a shade for light and one for dark"


def test_a_signal_that_is_not_known_stands_last_in_a_bar() -> None:
    found = segments({"of a later version": 0.5, "keyword": 0.5}, {"of a later version": 1, "keyword": 1}, 1.0)
    assert [each.signal for each in found] == ["keyword", "of a later version"]
    assert len({order(signal) for signal in SIGNALS}) == len(SIGNALS), "every signal has a place of its own"
