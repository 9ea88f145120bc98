"""Why something may be over is told in the words of the text, not in their stems."""

from __future__ import annotations

import pytest

from memory_db.text.absence import left
from memory_db.text.other_values import measured_otherwise, other_value, set_together
from memory_db.text.perhaps_over import as_said, perhaps_over


def test_stems_are_told_as_the_text_has_them_in_its_order() -> None:
    text = "Caddy serves the tiles from /srv/tiles, the tile server is gone"
    assert as_said({"caddi", "tile", "srv", "serv"}, text) == "caddy, serves, tiles, srv"
    assert as_said({"caddi", "elsewher"}, text) == "caddy, elsewher"


def test_what_shall_really_be_done_turns_round_what_was_not_to_be() -> None:
    earlier = "We will not remove plates from the list: we mark them as sold, because the shop still needs them."
    assert "plate" in perhaps_over("Her shop keeps a list of its own now: SOLD shall really remove the plate.", earlier)
    assert not perhaps_over("The list must really be readable.", earlier)


def test_one_number_in_the_place_of_another_is_over_with_its_unit() -> None:
    later = "QA wants it tighter: 12 percent instead of 15, signed and all."
    assert perhaps_over(later, "The limit for duplicates goes to 15 percent.") == "15 percent is over"
    assert perhaps_over(later, "A pool of 15 connections is enough.") == ""
    assert perhaps_over(later, "The limit is 12 percent, and 15 percent for blanks.") == ""


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        ("Don't touch the glazes. glazes are ulla's, ask her first.",
         "Not ulla. glazes went to bram and the shop on the 16th, she fires now.", "glazes is with bram by now"),
        ("ulla does, she is the one with the keys. everything with kilns goes through her.",
         "So the shop, kilns and keys are all bram's now.", "kilns is with bram by now"),
        ("ulla does, she is the one with the keys.", "ulla is on parental leave until summer.",
         "ulla is no more where they were"),
        ("The glazes are dry after an hour.", "glazes went to bram on the 16th.", ""),
        ("Glazes are ulla's.", "The glazes went to production yesterday.", ""),
        ("Glazes are ulla's.", "The kilns went to bram.", ""),
        ("Glazes are ulla's.", "glazes go to the shop every monday, and moved to another shelf.", ""),
        ("Releases are ulla's, ask her.", "releases are friday's now", ""),
        ("Never fire the kilns.", "Forget what I said about kilns, you may fire them.", "'kilns' is over"),
        ("Glazes are bram's, not ulla's.", "glazes went to bram on the 16th.", ""),
    ],
)  # fmt: skip
def test_whose_something_is_by_now(earlier: str, later: str, reason: str) -> None:
    assert perhaps_over(later, earlier) == reason


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        ("The glazes lie on clay.example in /srv/glazes.", "The glazes come now from loam.example, /shop/colours.",
         "clay.example and /srv/glazes are over"),
        ("Tell Ulla that it is in the firing (they go out Thursdays after two, and she lights the kiln).",
         "From now on it's Mondays at half past six, Ulla wants no more afternoons.", "thursday and 2 are over"),
        ("The glazes lie on clay.example in /srv/glazes.", "The tiles come now from loam.example, /shop/colours.", ""),
        ("The glazes lie on clay.example in /srv/glazes.", "The glazes are mixed by loam.example now.", ""),
        ("The glazes lie on clay.example in /srv/glazes.", "The glazes are on loam.example, /shop/colours.", ""),
    ],
)  # fmt: skip
def test_two_sorts_of_values_that_change_together_are_over(earlier: str, later: str, reason: str) -> None:
    assert set_together(later, earlier) == reason


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        ("The clay budget of the workshop is 150 a month, and we are at 90.",
         "The workshop's clay budget was cut to 120 a month.", "120 a month in the place of 150 a month"),
        ("The clay budget of the workshop is 150 a month.", "The workshop's clay budget is 120 a month.", ""),
        ("The lamp is allowed 4 hours.", "The kiln is allowed 8 hours from now on.", ""),
    ],
)  # fmt: skip
def test_another_measure_of_the_same_is_named(earlier: str, later: str, reason: str) -> None:
    assert measured_otherwise(later, earlier) == reason


def test_a_full_hour_is_told_with_its_minutes() -> None:
    assert other_value("the kiln starts at 18:30", "the kiln starts at 21") == "18:30 in the place of 21:00"


def test_what_is_turned_round_is_named_by_its_value() -> None:
    earlier = "Never fire the big kiln before 21:00."
    assert perhaps_over("The big kiln is allowed now at half past six in the evening.", earlier) == (
        "18:30 in the place of 21:00"
    )


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        ("Ulla reads every recipe first.", "Ulla's boy came early, and she's not back until spring.", "Ulla is away"),
        ("Ulla reads every recipe first.", "We heard from Ulla that she is off sick till March.", "Ulla is away"),
        ("What a tile costs is decided by Ulla.", "Ulla is away for a month.", "Ulla is away"),
        ("Ulla reads every recipe first.", "Bram is away for a month.", ""),
        ("Ulla reads every recipe first.", "Ulla says that the kiln is out of order until spring.", ""),
        ("The Kiln is lit at nine.", "Tell Ulla that the lamps are out until Monday.", ""),
    ],
)
def test_somebody_who_is_away_is_named(earlier: str, later: str, reason: str) -> None:
    assert left(later, earlier) == reason
