"""Why something may be over is told in the words of the text, not in their stems."""

from __future__ import annotations

import pytest

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
