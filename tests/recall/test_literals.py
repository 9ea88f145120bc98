"""What a question says to the letter, and which texts have it."""

import sqlite3
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.index.grams import count_all
from memory_db.knowledge.memories import add_memory
from memory_db.recall.scoring import signals
from memory_db.recall.search import Question, recall
from memory_db.text.names.literals import MOST_LITERALS, is_plain, literal_counts, literal_shares, literals_in
from memory_db.text.terms import WORD


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what is recallProfile for", ("recallprofile",)),
        ("why does OutboxDao fail", ("outboxdao",)),
        ("generate_invoices runs twice", ("generate invoices",)),
        ("SWITCH_TO_PROFILE", ("switch to profile",)),
        ("call datetime.now here", ("datetime now",)),
        ("docker build --no-cache", ("no cache",)),
        ("git push -f to main", ("push f",)),
        ("E1101 in the linter", ("e1101",)),
        ("connect ECONNREFUSED", ("econnrefused",)),
        ("a TypeError again", ("typeerror",)),
        ("the API answers HTTP 404", ("http 404",)),
        ("ended with exit code 137", ("exit code 137",)),
        ("bump to v1.2.0", ("v1 2 0",)),
        ("say `make dev` again", ("make dev",)),
        ('the message "no such table" came', ("no such table",)),
        ("something listens on 5433", ("5433",)),
        ("look at src/app/main.py", ("src app main py",)),
        ("run pre-commit first", ("pre commit",)),
    ],
)
def test_finds_what_is_said_to_the_letter(query: str, expected: tuple[str, ...]) -> None:
    assert set(expected) <= set(literals_in(query))


@pytest.mark.parametrize(
    "query",
    [
        "How do we deploy the release?",
        "what didn't work, and why; tell me (again)!",
        "Is the follow-up meeting up-to-date in 2023",
        "I met Caroline",
        "",
    ],
)
def test_plain_words_are_no_literals(query: str) -> None:
    assert literals_in(query) == ()


@given(st.text(max_size=300))
def test_any_text_gives_words_that_cannot_be_syntax(query: str) -> None:
    literals = literals_in(query)
    assert len(literals) == len(set(literals)) <= MOST_LITERALS
    assert all(literal.split(" ") == WORD.findall(literal) for literal in literals)


@given(st.lists(st.sampled_from(["deploy", "it's", "Release?", "(now)", "I", "then,"]), max_size=6))
def test_a_plain_text_is_not_looked_into(words: list[str]) -> None:
    assert is_plain(" ".join(words))


def version(db: sqlite3.Connection, text: str, now: datetime) -> int:
    uid = add_memory(db, text=text, kind="convention", scope="user", now=now)
    sql = "select v.id from memory_versions v join memories m on m.id = v.memory_id where m.uid = ?"
    return int(db.execute(sql, [uid]).fetchone()[0])


def test_the_share_counts_words_in_order_and_rare_ones_more(db: sqlite3.Connection, now: datetime) -> None:
    both = version(db, "Build with --no-cache when OutboxDao changes.", now)
    common = version(db, "Images are built with --no-cache.", now)
    version(db, "The job runs with --no-cache too.", now)
    scattered = version(db, "There is no such thing as a cache here.", now)
    for number in range(8):
        version(db, f"Something else entirely, number {number}.", now)
    counted = literal_counts(db, "memory_fts", ("no cache", "outboxdao", "never heard"))
    shares = literal_shares(db, "memory_fts", count_all(db, "memory_fts"), counted, [both, common, scattered])
    assert shares[both] == pytest.approx(1.0)
    assert 0 < shares[common] < 0.5
    assert scattered not in shares
    assert literal_shares(db, "memory_fts", 3, {}, [both]) == {}


def test_a_recall_has_it_as_a_signal(db: sqlite3.Connection, now: datetime) -> None:
    exact = version(db, "Retry after ECONNREFUSED on port 5433.", now)
    version(db, "The port of the harbour is refused to ships.", now)
    found = recall(db, Question("ECONNREFUSED on port 5433"), now=now)
    literal = {hit.memory_version_id: signals(found.query_features, hit.features)["literal"] for hit in found.hits}
    assert literal.pop(exact) == pytest.approx(1.0)
    assert all(value < 0.5 for value in literal.values())
    assert "econnrefused" in found.query_features.literals
