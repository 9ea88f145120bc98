"""Acts that a prompt asks for in other words than its rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.acts import ASKED, acts_asked
from memory_db.text.conditions import ACTS


@pytest.mark.parametrize(
    ("prompt", "acts"),
    [
        ("squash the last three into one and word it properly", ("commit",)),
        ("Check them in with something sensible.", ("commit",)),
        ("and get it up to the forge", ("push",)),
        ("open a pull request, then it can go live", ("push", "deploy")),
        ("use a small package for the pdf tickets", ("dependency",)),
        ("cargo add serde_yaml", ("dependency",)),
        ("I forgot an expiry column in 0013, put one in", ("migration",)),
        ("customers.phone is varchar(12), too short for german numbers", ("migration",)),
        ("let me check in with maren first", ()),
        ("check that the tests pass in CI", ()),
        ("the column chart is too small", ()),
        ("check the logs in production", ()),
        ("lets go add a test", ()),
        ("go live with the boat people, git", ("deploy",)),
        ("what is the capital of australia?", ()),
    ],
)
def test_acts_are_heard(prompt: str, acts: tuple[str, ...]) -> None:
    assert acts_asked(prompt) == acts


@given(st.text(alphabet="check in itsquahpodlve gackgm()12", max_size=200))
def test_any_prompt_is_read(prompt: str) -> None:
    assert set(acts_asked(prompt)) <= {"commit", "push", "deploy", "dependency", "migration"}


def test_each_act_has_the_word_by_which_its_rules_are_found() -> None:
    conditions = [condition for _, condition in ACTS]
    assert all(sum(act in condition for condition in conditions) == 1 for act, _, _ in ASKED)
    assert len(ASKED) == len(ACTS)
