"""Times of day in words and in two halves of a day are those of a clock of 24 hours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.attribute_values import settings_of
from memory_db.text.clock_words import on_the_clock
from memory_db.text.over_in_languages import over_in_language
from memory_db.text.relations import CONTRADICTS, SUPERSEDES, Statement, relation


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("half past six in the evening is fine", "18:30 is fine"),
        ("the kiln cools until quarter to five", "the kiln cools until 4:45"),
        ("at a quarter past seven, in the morning", "at 7:15"),
        ("at twenty to nine", "at 8:40"),
        ("ten past eleven at night", "23:10"),
        ("at half six in the afternoon", "at 18:30"),
        ("not before 9 pm, nor after 6:30am", "not before 21:00, nor after 6:30"),
        ("at 9.30 p.m. sharp", "at 21:30 sharp"),
        ("12 am and 12 pm", "0:00 and 12:00"),
        ("it's nine in the evening", "it's 21:00"),
        ("at two at night", "at 2:00"),
        ("at nine o'clock", "at 9:00"),
        ("the glaze is mixed at nine, and the kiln is lit at noon", "the glaze is mixed at 9:00, and the kiln is lit "
         "at 12:00"),
        ("i sit up till nine", "i sit up till 9:00"),
        ("we fire at eight tonight", "we fire at 20:00 tonight"),
        ("before midnight", "before 0:00"),
        ("um halb sieben abends", "um 18:30"),
        ("ab viertel vor fünf", "ab 4:45"),
        ("um 18 uhr 30, nicht um neun uhr", "um 18:30, nicht um 9:00"),
        ("à 18 h 30, jamais après neuf heures du soir", "à 18:30, jamais après 21:00"),
        ("a las seis y media de la tarde", "a las 18:30"),
        ("a las ocho menos cuarto", "a las 7:45"),
    ],
)  # fmt: skip
def test_a_time_of_day_is_shown_as_on_a_clock(said: str, shown: str) -> None:
    assert on_the_clock(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "five to nine people, ten to twelve rows",
        "half of six plates, a quarter to a half",
        "capped at five, and at nine shards",
        "the tea that i won at noon",
        "no one in the morning crew",
        "it takes 3 in the evening build",
        "version 9.5 pm2 and 3 pmd",
        "the midnight theme, from midnight blue to black",
        "at two of the stations",
        "16:30 and 04:15",
        "i am at 5",
        "las dos ramas, las tres de siempre",
        "trois heures de travail",
        "halb fertig, viertel vor dem rest",
        "half six-packs",
    ],
)
def test_what_tells_no_time_stays(said: str) -> None:
    assert on_the_clock(said) == said


@given(st.text(alphabet="half past sixtonight qur9p.m:0 ", max_size=60))
def test_what_is_on_the_clock_stays(said: str) -> None:
    once = on_the_clock(said)
    assert on_the_clock(once) == once


def test_a_time_in_words_is_a_time() -> None:
    assert settings_of("Reindex at half past six in the evening.").values == {"time": frozenset({"18:30"})}
    assert settings_of("Reindex at 9 pm.").values == settings_of("Reindex at 21:00.").values


@pytest.mark.parametrize(
    ("before", "now", "is_change"),
    [
        ("Never fire the kiln before 21:00.", "Firing the kiln at half past six in the evening is fine from now on.",
         True),
        ("The kiln is fired at nine in the evening.", "From now on the kiln is fired at 9 pm.", False),
        ("The kiln is fired at 21:00.", "The kiln is fired at nine from now on.", False),
        ("The kiln is fired at 21:00.", "The glaze is mixed at half past six from now on.", False),
        ("The kiln is fired at 9.", "The kiln is fired at quarter to five from now on.", True),
    ],
)  # fmt: skip
def test_only_another_time_of_the_same_is_a_change(before: str, now: str, is_change: bool) -> None:
    found = relation(Statement(now, said_at="2"), Statement(before, said_at="1"))
    assert (found is not None and found.kind in (CONTRADICTS, SUPERSEDES)) is is_change


def test_another_time_in_german_is_asked_about() -> None:
    later, earlier = "der brand muss jetzt auf halb sieben abends", "der brand läuft um 21 uhr"
    assert over_in_language(later, earlier) == "18:30 in the place of 21:00"
