"""What stands beside a secret is kept without it, and what is about the secret is not."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.extract.rules.beside_secrets import beside_secrets
from memory_db.extract.rules.run import extract
from memory_db.gate import run as gate
from tests.support.session_rows import add_entry, add_project, add_session

GONE = "[redacted:password]"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (f"The staging database listens on port 5433, not 5432. And the staging password is {GONE}.",
         "The staging database listens on port 5433, not 5432."),
        (f"The kiln server runs on host kiln-7 and its admin password: {GONE}.",
         "The kiln server runs on host kiln-7."),
        (f"The staging password is {GONE} and the port of the database is 5433.", "The port of the database is 5433."),
        (f"The password is {GONE}. And the port of the database is 5433.", "The port of the database is 5433."),
        (f"Staging uses port 8300; the token is {GONE} and the key is {GONE}", "Staging uses port 8300."),
    ],
)  # fmt: skip
def test_what_told_the_secret_is_left_out(said: str, left: str) -> None:
    assert beside_secrets(said) == left and beside_secrets(left) == left


@pytest.mark.parametrize(
    "said",
    [
        f"The user and its password are admin and {GONE}.",
        f"The registry password is {GONE} on staging.",
        f"The deploy token is {GONE} and it never expires.",
        f"The deploy token is {GONE}. It is renewed by hand.",
        f"The login and the password are {GONE}.",
        "The staging database listens on port 5433.",
        "Releases are announced to [redacted:mail] and the log goes to docs.",
    ],
)
def test_what_is_about_the_secret_stays_as_it_is(said: str) -> None:
    assert beside_secrets(said) == said


def test_a_fact_beside_a_secret_is_kept(db: sqlite3.Connection, now: datetime) -> None:
    text = f"The staging database listens on port 5433, not 5432. And the staging password is {GONE}"
    add_entry(db, add_session(db, add_project(db)), "user", "prompt", text)
    extract(db, now=now)
    gate.run(db, now=now)
    kept = db.execute("select text, title from memories").fetchall()
    assert [row["text"] for row in kept] == ["The staging database listens on port 5433, not 5432."]
    assert "redacted" not in kept[0]["title"]
