"""Acts that a prompt asks for in other words than its rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.acts import ASKED, SCHEDULE, TOUCHED, acts_asked
from memory_db.text.conditions import ACTS, BY_SCHEDULE
from memory_db.text.questions import asks_to_know


@pytest.mark.parametrize(
    ("prompt", "acts"),
    [
        ("squash the last three into one and word it properly", ("commit",)),
        ("Check them in with something sensible.", ("commit",)),
        ("and get it up to the forge", ("push",)),
        ("open a pull request, then it can go live", ("push", "deploy")),
        ("use a small package for the pdf tickets", ("dependency",)),
        ("cargo add serde_yaml", ("dependency",)),
        ("retry it with jitter, there's a nice lib for that", ("dependency",)),
        ("parse the xml, whatever library is handy", ("dependency",)),
        ("a customer wants all his data deleted, write a script", ("deletion",)),
        ("write a regex for vat ids", ()),
        ("I forgot an expiry column in 0013, put one in", ("migration", "timestamp")),
        ("customers.phone is varchar(12), too short for german numbers", ("migration",)),
        ("cut version 4.12.0 pls, everything is merged", ("deploy",)),
        ("write the PR title and description for my branch", ("push",)),
        ("the deposit should be 150, put it in the booking", ("money",)),
        ("tell the visitors with a friendly sentence that nothing was found", ("wording",)),
        ("do we need a tooltip there?", ()),
        ("write up a page for customers about the archive", ("documentation",)),
        ("write something that gets rid of old preview environments", ("deletion",)),
        ("make a regression case of it", ("fixture",)),
        ("add an endpoint that stores the api token", ("secret", "endpoint")),
        ("let users see when it expires, put last_used_at in the table", ("timestamp",)),
        ("build me a small arrow component", ("component",)),
        ("make it possible to hide it from customers behind a switch", ("toggle",)),
        ("the machine in production is too small, make it a size bigger", ("infrastructure",)),
        ("put the message into a buffer of matching size", ("allocation",)),
        ("fix the parser, and tell me when it's done", ("summary",)),
        ("what does the deposit cost?", ()),
        ("let me check in with maren first", ()),
        ("check that the tests pass in CI", ()),
        ("the column chart is too small", ()),
        ("check the logs in production", ()),
        ("lets go add a test", ("mock",)),
        ("write tests for the importer, the one with an empty file too", ("mock",)),
        ("run the tests", ()),
        ("Could you put a small banner on the kiosk page? Both languages please.", ("wording", "component")),
        ("The list is empty on Mondays. Could you add an empty state?", ("wording",)),
        ("The label is wrong and she wants the price changed. May I open the field for her?", ()),
        ("the grey buttons are too dark, make them lighter", ("component",)),
        ("add a log line for every rejected parcel", ("logging",)),
        ("have a look at the log of last night", ()),
        ("add a metric for open breakers, per carrier", ("alert",)),
        ("show 'due in 3 days' beside each open invoice", ("wording", "timestamp")),
        ("go live with the boat people, git", ("deploy",)),
        ("what is the capital of australia?", ()),
        ("when would the tenants see the new balance?", ("schedule",)),
        ("ok commit that. and when is it in prod", ("schedule",)),
        ("whats the earliest the depot can have all this", ("schedule",)),
        ("by when is it really live, they will ask", ("schedule",)),
        ("two lines for the newsletter, what is new and from when they have it", ("schedule",)),
        ("how soon can this run for real?", ("schedule",)),
        ("when does the parser give up?", ()),
        ("it fails when the file is empty, have a look", ()),
        ("when i click on it i see nothing", ()),
    ],
)
def test_acts_are_heard(prompt: str, acts: tuple[str, ...]) -> None:
    assert acts_asked(prompt) == acts


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("When an order is approved, the supplier gets a mail. Could you build that in?", False),
        ("Tom wants a build with the fix in it, can you get one out for him?", False),
        ("The label is wrong. May I open the field for her?", True),
        ("what is the port, please?", True),
        ("which one is it, could it be the cache?", True),
        ("I forgot the port of staging. Can you remind me?", True),
        ("who signs the release these days? Could you tell me the day too?", True),
        ("the nightly is empty, can you see why?", True),
    ],
)
def test_a_request_at_the_end_is_no_question(text: str, is_question: bool) -> None:
    assert asks_to_know(text) == is_question


@given(st.text(alphabet="check in itsquahpodlve gackgm()12", max_size=200))
def test_any_prompt_is_read(prompt: str) -> None:
    assert set(acts_asked(prompt)) <= {act for act, _, _ in (*ASKED, *TOUCHED)}


def test_each_act_has_the_word_by_which_its_rules_are_found() -> None:
    conditions = [condition for _, condition in ACTS]
    acts = [act for act, _, _ in (*ASKED, *TOUCHED) if act != SCHEDULE]
    assert all(sum(act in condition for condition in conditions) == 1 for act in acts)
    assert SCHEDULE in BY_SCHEDULE and "deploy" in BY_SCHEDULE
    assert len(ASKED) + len(TOUCHED) == len(ACTS) + 1
