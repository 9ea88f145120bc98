"""What is only about the moment is not kept, and what sounds like it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules.momentary import MOST_CHARACTERS, is_momentary


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
