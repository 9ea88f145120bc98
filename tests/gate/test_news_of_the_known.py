"""What has no cue to be kept for is kept where it gives what is known another value."""

from __future__ import annotations

from typing import Any

import pytest

from memory_db.gate.claims import Claim, Neighbour
from memory_db.gate.rules import decide
from memory_db.text.pair_tests import MAY_CHANGE
from tests.gate.conftest import Lived

KNOWN = "Book all clay on the cost centre; the cost centre is KL-410, and without it the report is void."


def turns(said: str) -> list[dict[str, Any]]:
    """A message of the user, and what is done upon it."""
    return [{"user": said}, {"edit": "kilns.py", "old": "c = 1", "new": "d = 1"}, {"say": "Done."}]


@pytest.mark.parametrize(
    ("later", "is_kept"),
    [
        ("tidy the shelf too. The cost centre's been renumbered in the reorganisation, it's KL-522.", True),
        ("tidy the shelf too. The store room's been renumbered in the reorganisation, it's KL-522.", False),
        ("tidy the shelf too. The cost centre's been renumbered, it's KL-522, so would you change the labels?", True),
        ("tidy the shelf too. Has the cost centre been renumbered to KL-522?", False),
    ],
)
def test_news_is_kept_where_it_changes_what_is_known(lived: Lived, later: str, is_kept: bool) -> None:
    db = lived(turns(KNOWN), turns(later))
    kept = [row[0] for row in db.execute("select text from memories where text like '%522%'")]
    assert bool(kept) is is_kept
    opposed = db.execute("select count(*) from contradictions").fetchone()[0]
    opposed += db.execute("select count(*) from edges where kind = 'supersedes'").fetchone()[0]
    assert bool(opposed) is is_kept


@pytest.mark.parametrize(
    ("known", "later", "is_asked"),
    [
        (
            "Never order clay yourself, what clay we buy is decided by Ulla.",
            "Udo decides what clay we buy till may.",
            True,
        ),
        (
            "Never order clay yourself, what clay we buy is decided by Ulla.",
            "Udo decides what songs we play till may.",
            False,
        ),
        ("Never touch the old oven until the inspection is through.", "The inspection is through since friday.", True),
        ("Never touch the old oven until the inspection is through.", "The painting is through since friday.", False),
    ],
)
def test_who_does_it_by_now_and_what_has_come_is_news(lived: Lived, known: str, later: str, is_asked: bool) -> None:
    db = lived(turns(known), turns(f"tidy the shelf too. {later}"))
    open_ones = db.execute("select count(*) from proposals where kind = 'supersede' and state = 'open'").fetchone()[0]
    assert bool(open_ones) is is_asked


@pytest.mark.parametrize(
    ("known", "action"),
    [
        ("The cost centre is KL-410, or the report is void.", "contradicts"),
        ("The cost centre is KL-522 since the reorganisation.", "reject"),
        ("Clay is stored in the cellar.", "reject"),
    ],
)
def test_what_changes_nothing_is_refused(known: str, action: str) -> None:
    said = "The cost centre's been renumbered in the reorganisation, it's KL-522."
    claim = Claim(said, "domain", "project", 1, said, rule=MAY_CHANGE, said_at="2026-06-01T09:00:00Z")
    memory = Neighbour(1, "m00000001", "project", 1, known, said_at="2026-03-01T09:00:00Z")
    assert decide(claim, [memory]).action == action
