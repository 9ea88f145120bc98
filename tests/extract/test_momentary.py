"""What is only about the moment is not kept, and what sounds like it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules.momentary import MOST_CHARACTERS, is_momentary
from memory_db.extract.rules.prose import read_prose


@pytest.mark.parametrize(
    "quote",
    [
        "I'm off to the gym till the afternoon.",
        "now reconnect, same backoff as we did for the other service at noon",
        "Then GET /items?day=2024-09-10, json, newest last.",
        "next is the mail client, tcp to the gateway, one line per mail",
        "tests for the parser please and run everything",
        "i want a chart of the load in the app, last 60 min",
        "pulled the cable ten times, all fine",
        "ok runs, and i loaded the sample day into the db",
        "Tom asks for the firewall",
        "ah now i know again",
        "The endpoint that lists a day, that was the plan.",
        "the read one i mean",
        "the ipa is in the fermenter so good that you asked",
        "a new migration for the old rows too",
        "and a uniqueness so we get it once",
    ],
)
def test_the_moment_is_nothing_to_keep(quote: str) -> None:
    assert is_momentary(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "now we use pnpm, npm is gone",
        "now the database listens on 5439 because 5432 is taken",
        "we moved the staging host to stg-2.example.org",
        "I'm always on the VPN when I deploy, so check that first",
        "tests run against the real postgres please, never against mocks",
        "the limit is 120 requests a minute now",
        "next to the Makefile lives the compose file",
        "a test never sleeps",
        "i want a changelog line for every change that users see",
        "then set RETRY_LIMIT = 5",
        "the worker restarts itself when it has done 500 jobs",
        "Tom owns the deploy keys",
        "Staging runs on port 5433.",
        "first the migrations are run, then the service starts, never the other way round",
        "the old server fails when two clients connect at once",
    ],
)
def test_what_holds_on_is_kept(quote: str) -> None:
    assert not is_momentary(quote)


@given(st.text(max_size=MOST_CHARACTERS + 10))
def test_any_text_is_judged(quote: str) -> None:
    assert is_momentary(quote) in (True, False)
    assert not is_momentary(quote + " " + "x" * MOST_CHARACTERS)


@pytest.mark.parametrize(
    "said",
    [
        "Then I was going to ask you whether we always use pnpm.",
        "We once lost the load balancer of a whole region to a rename.",
        "The next thing is the invoice date, which we keep in UTC.",
        "Thank you, I shall always nod from now on.",
        "Please don't change anything before you have told me why the port must be 5433.",
        "Ich wollte eigentlich fragen, ob wir immer pnpm nutzen müssen.",
        "J'allais te demander si on doit toujours utiliser pnpm.",
        "Iba a preguntarte si siempre usamos pnpm.",
        "本来想问我们是不是必须始终使用 pnpm。",
    ],
)
def test_a_passing_word_is_nothing_to_keep(said: str) -> None:
    assert read_prose(said, role="user", after_action=False) == []


@pytest.mark.parametrize(
    "said",
    [
        "Once a week we always rotate the keys.",
        "Never deploy before you have told me what changes.",
        "We once had floats, so we use integer pence everywhere now.",
    ],
)
def test_a_rule_that_sounds_like_a_passing_word_is_kept(said: str) -> None:
    assert [found.quote for found in read_prose(said, role="user", after_action=False)] == [said]
