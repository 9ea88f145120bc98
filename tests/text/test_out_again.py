"""What is out again of where it was put, back where it was kept out, or set for each and not for all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.taken_out import taken_out

OTHERWISE = (
    ("Ship the samples in the archive too.", "take the samples out of the archive again",
     "samples is out of archive by now"),
    ("The docs folder goes into the wheel.", "docs are out of the wheel again, too big", "docs is out of wheel"),
    ("Put the debug symbols in the image.", "remove the debug symbols from the image again please", "debug symbols"),
    ("Add the seat number to the ticket.", "we leave the seat number off the ticket again", "seat number is out of"),
    ("Every invoice carries the logo of the parent company.", "drop the logo of the parent company from the invoice",
     "logo of the parent company is out of invoice"),
    ("Prices are shown in the newsletter.", "ok prices go out of the newsletter again, the boss hates it",
     "prices is out of newsletter"),
    ("The telemetry goes into the nightly build.", "she wants us to kick telemetry out of the nightly build",
     "telemetry is out of nightly build"),
    ("keep the sources in the deb", "pls strip the sources from the deb, is too fat", "sources is out of deb"),
    ("No past quizzes on the start page.", "put past quizzes back on the start page", "past quizzes is back in"),
    ("The coupon field is not shown in the checkout, never.", "marketing wants the coupon field back in the checkout",
     "coupon field is back in checkout"),
    ("The deadline is one constant for all schools.", "the deadline has to be per school now", "set for each school"),
    ("one timeout for all customers, it's in config.yml", "timeout must be per customer, the hotel needs more",
     "set for each customer"),
    ("Same colour scheme for every branch.", "each branch gets its own colour scheme now", "set for each branch"),
)  # fmt: skip

AS_IT_WAS = (
    ("Put the debug symbols in the image.", "remove the image from the cache"),
    ("The docs folder goes into the wheel.", "the docs are out of date again"),
    ("Ship the samples in the archive.", "take the archive out of the bucket when you are done"),
    ("No samples in the archive.", "take the samples out of the archive"),
    ("Add the seat number to the ticket.", "the seat number is on the ticket again"),
    ("Never put secrets in the log.", "put the secrets back in the vault"),
    ("The timeout is the same for all customers.", "the report counts logins per customer now"),
    ("One row for all days.", "the rate is 5 per day now"),
    ("The preview is in the sidebar.", "take the preview out of the cache now"),
    ("Prices are shown in the newsletter.", "can you take the prices out of the newsletter?"),
    ("The worker takes jobs out of the queue.", "jobs stay in the queue over night now"),
    ("The header is part of the page.", "take it off the page"),
    ("Logs are kept for a week.", "remove the old logs from the disk each night"),
)


@pytest.mark.parametrize(("earlier", "later", "reason"), OTHERWISE)
def test_what_is_otherwise_by_now(earlier: str, later: str, reason: str) -> None:
    assert reason in taken_out(later, earlier)


@pytest.mark.parametrize(("earlier", "later"), AS_IT_WAS)
def test_what_is_where_it_was(earlier: str, later: str) -> None:
    assert taken_out(later, earlier) == ""


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read(one: str, other: str) -> None:
    assert isinstance(taken_out(one, other), str)
