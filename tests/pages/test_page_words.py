"""How pages cut texts, tell days and words of links: small things that a reader sees everywhere."""

from __future__ import annotations

import re

import pytest

from memory_db.pages.draw.filters import shortened, when_of_week
from memory_db.transcripts.records import title_line


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("deploy on wednesday", 19, "deploy on wednesday"),
        ("deploy on wednesday, before noon", 20, "deploy on wednesday…"),
        ("deploy on wednesday, before noon", 24, "deploy on wednesday…"),
        ("still before noon. and then", 19, "still before noon…"),
        ("deploy on wednesday, still before noon.…", 80, "deploy on wednesday, still before noon…"),
        ("/srv/a/very/long/path/without/blanks", 12, "/srv/a/very…"),
        ("a /srv/a/very/long/path/without/blanks", 14, "a /srv/a/very…"),
    ],
)
def test_a_text_is_cut_at_a_word_and_says_so(text: str, most: int, shown: str) -> None:
    assert shortened(text, most) == shown and len(shown) <= most


def test_a_day_is_told_with_its_name() -> None:
    shown = str(when_of_week("2026-11-03T10:05:00.000Z"))
    assert ">Tue 2026-11-03 10:05 UTC</time>" in shown and 'data-clock="weekday"' in shown
    assert re.sub("<.*?>", "", str(when_of_week("no time"))) == "no time"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("rota moved. deploy day is wednesday from this week on, still before noon. tell the others too, please, today",
         "rota moved. deploy day is wednesday from this week on, still before noon."),
        ("tests all fail this morning and I did not change anything at all, what is going on",
         "tests all fail this morning and I did not change anything at all, what is…"),
        ("short", "short"),
    ],
)  # fmt: skip
def test_a_session_is_called_by_whole_words_of_its_prompt(prompt: str, title: str) -> None:
    assert title_line(prompt, 80) == title
