"""Why something may be over is told in the words of the text, not in their stems."""

from __future__ import annotations

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
