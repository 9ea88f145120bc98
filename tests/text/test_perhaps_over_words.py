"""Why something may be over is told in the words of the text, not in their stems."""

from __future__ import annotations

from memory_db.text.perhaps_over import as_said


def test_stems_are_told_as_the_text_has_them_in_its_order() -> None:
    text = "Caddy serves the tiles from /srv/tiles, the tile server is gone"
    assert as_said({"caddi", "tile", "srv", "serv"}, text) == "caddy, serves, tiles, srv"
    assert as_said({"caddi", "elsewher"}, text) == "caddy, elsewher"
