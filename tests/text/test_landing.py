"""Another way on which changes reach the main branch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.landing import lands_otherwise

OTHERWISE = (
    ("Commit straight to main, nobody else works here.", "it's prs here now, Ada reviews"),
    ("push directly to master", "Everything goes through a pull request from now on."),
    ("No PRs, I am alone in this repo.", "That needs a branch, we do merge requests these days."),
    ("straight on main please", "no, prs now. Imke started, she reads them"),
    ("All changes go in as merge requests.", "Back to straight on trunk, I'm alone again from now on."),
    ("open a pr for everything", "push straight to main from now on, the reviewer left"),
)

SAME = (
    ("Commit straight to main.", "the pr is green now"),
    ("Commit straight to main.", "commit straight to main, as always now"),
    ("Everything goes through a pull request.", "open a pull request, Ada is back now"),
    ("Commit straight to main.", "should we do prs from now on?"),
    ("Commit straight to main.", "the release notes go out with the newsletter now"),
    ("The mr of the tide gauge is in main.", "straight to main now"),
    ("Commit straight to main.", "in the other repo they need a branch"),
)


@pytest.mark.parametrize(("earlier", "later"), OTHERWISE)
def test_changes_land_another_way_by_now(earlier: str, later: str) -> None:
    assert lands_otherwise(later, earlier)


@pytest.mark.parametrize(("earlier", "later"), SAME)
def test_what_tells_no_other_way(earlier: str, later: str) -> None:
    assert lands_otherwise(later, earlier) == ""


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_can_be_asked(later: str, earlier: str) -> None:
    assert isinstance(lands_otherwise(later, earlier), str)
