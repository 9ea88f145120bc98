"""Which questions ask how something is done."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.commands.asking import ACTS, NOUNS, TELLING, asked_for
from memory_db.text.commands.purposes import PURPOSES

ASKED = {
    "how do we run the migrations": ["migrate"],
    "how do I run the tests without a database": ["test"],
    "how do I build this thing?": ["build"],
    "new laptop, how do I get the dependencies the way the server has them": ["install"],
    "how do we run the playwright tests, with the containers and all": ["test"],
    "run the linter pls, which one is it here": ["lint"],
    "a column more, what's the routine for schema changes": ["new-migration", "migrate"],
    "can't remember how to deploy to staging": ["deploy"],
    "quick one: how do we lint?": ["lint"],
    "what are the steps to release": ["release"],
    "How do I run the tests?": ["test"],
    "what's the command to deploy": ["deploy"],
    "lint command?": ["lint"],
    "what is the test command again": ["test"],
    "which command do we use for type checking?": ["typecheck"],
    "what do I type to start the dev server": ["run"],
    "how are migrations run here": ["migrate"],
    "how is it deployed?": ["deploy"],
    "how to lint": ["lint"],
    "how do you format the code?": ["format"],
    "how do I make a new migration": ["new-migration"],
    "how do I add a dependency": ["add"],
    "how do I install the dependencies?": ["install"],
    "how do I start postgres locally": ["services"],
    "how do we cut a release": ["release"],
    "how do I see what a deploy would change": ["plan"],
    "how do we build the docs": ["docs"],
    "build the docker image": ["build"],
    "run the tests": ["test"],
    "run the migrations on staging": ["migrate"],
    "please run the tests again": ["test"],
    "can you run the linter?": ["lint"],
    "deploy to staging": ["deploy"],
    "ok now run the tests, then deploy to staging": ["test", "deploy"],
    "Fixed the typo. Run the tests and tell me the number": ["test"],
    "migrate the database": ["migrate"],
    "lol, that's from a forum. please run the tests once and tell me the number": ["test"],
    "deploy tidepool to prod while you're at it": ["deploy"],
    "release quay 1.0. changelog, tag, binaries for linux and mac": ["release"],
    "run the tests and the linter": ["test", "lint"],
    "run the tests and fix what fails": ["test"],
}

NOT_ASKED = [
    "how long do the tests take", "how many migrations are there", "why do the tests fail", "how does the deploy work",
    "how did we fix the failing tests", "how do we test that the webhook retries", "how do we build the landing page",
    "how should migrations be written", "how do the tests connect to the database", "on which day did we deploy?",
    "add an index on readings for sensor_id", "write tests for the outbox", "fix the failing test",
    "test the retry logic", "how do we run the tests in parallel", "the steps for the deploy page",
    "how do I get the requirements of the customer into the ticket", "run the tests without the slow ones",
    "migrate the readings table to timestamptz", "the tests are slow", "yes, webhook then", "thanks, looks good",
    "write a haiku about autumn", "what is the capital of France", "build a StationCard component", "", "   ",
    "does the deploy tool authenticate against the registry by itself?", "how do we hash the keys", "`run the tests`",
    "run the tests that need a clock only after the ones that do not",
]  # fmt: skip


@pytest.mark.parametrize(("text", "purposes"), ASKED.items())
def test_a_question_of_how_is_read(text: str, purposes: list[str]) -> None:
    assert list(asked_for(text)) == purposes


@pytest.mark.parametrize("text", NOT_ASKED)
def test_other_questions_are_not(text: str) -> None:
    assert asked_for(text) == {}


def test_every_purpose_can_be_asked_for() -> None:
    assert set(ACTS) == set(NOUNS) == set(TELLING) == set(PURPOSES)


@given(st.text(), st.sampled_from([*ASKED, *NOT_ASKED]))
def test_any_text_is_read(text: str, known: str) -> None:
    assert set(asked_for(text)) | set(asked_for(f"{known} {text}")) <= set(PURPOSES)


def test_no_labelled_question_of_the_sample_asks_how() -> None:
    lines = files("memory_db").joinpath("sample/queries.jsonl").read_text("utf-8").splitlines()
    queries = [json.loads(line)["query"] for line in lines]
    assert len(queries) == 146
    assert {query: found for query in queries if (found := asked_for(query))} == {}
