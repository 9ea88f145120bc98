"""Words split, joined and corrected: what a file writes otherwise than the question."""

import random
import sqlite3
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief import select as brief
from memory_db.recall.explain import why
from memory_db.recall.search import Effort, Question, recall
from memory_db.text import spelling
from memory_db.text.terms import STOP_WORDS, query_terms
from memory_db.text.wording import FileWords, Wording, describe_wording, joined_words, split_words, wording

TABLES = ("memory_fts", "entry_fts")


def note(db: sqlite3.Connection, text: str, now: datetime) -> str:
    return add_memory(db, text=text, kind="convention", scope="user", now=now)


def test_a_word_in_camel_case_is_asked_for_by_its_parts() -> None:
    query = "where is recallProfile set, and parseHTTPHeader?"
    assert split_words(query, query_terms(query)) == {
        "recall": ("recallprofile",),
        "profile": ("recallprofile",),
        "parse": ("parsehttpheader",),
        "http": ("parsehttpheader",),
        "header": ("parsehttpheader",),
    }
    assert split_words("plain words and an ACRONYM", ("plain", "words", "acronym")) == {}


def test_neighbouring_words_are_asked_for_as_one() -> None:
    query = "set up the recall profile of Sam's"
    joined = joined_words(query, query_terms(query))
    assert joined["recallprofile"] == ("recall", "profile")
    assert joined["setup"] == ("set",)
    assert not any(word.endswith("sams") for word in joined)


@given(st.text(max_size=200))
def test_variants_stand_for_words_of_the_question(query: str) -> None:
    words = query.casefold().split()
    terms = tuple(dict.fromkeys(word for word in words if word.isalnum()))
    for variant, stands_for in (split_words(query, terms) | joined_words(query, terms)).items():
        assert stands_for and set(stands_for) <= set(terms)
        assert variant not in terms
        assert variant not in STOP_WORDS or variant in joined_words(query, terms)


def test_either_way_of_writing_is_found_and_measured_alike(db: sqlite3.Connection, now: datetime) -> None:
    glued = note(db, "The recallProfile setting holds weights.", now)
    parted = note(db, "A recall profile holds weights.", now)
    for number in range(12):
        note(db, f"Unrelated note {number} on tides and boats.", now)
    for query in ("recallProfile", "recall profile"):
        found = brief.ask(db, Question(query), surface="test", now=now)
        assert {hit.uid for hit in found.shown} == {glued, parted}
        assert min(hit.signals["keyword"] for hit in found.shown) > 0.2


def test_a_term_is_worth_its_best_way_of_writing() -> None:
    words = Wording(("recall", "profile", "tide"), {"recallprofile": ("recall", "profile")})
    assert words.worth({"recall": 1.0, "recallprofile": 4.0}) == {"recall": 2.0, "profile": 2.0}
    assert words.worth({"tide": 3.0}) == {"tide": 3.0}
    assert words.counts({"recall": 1, "profile": 0, "tide": 0, "recallprofile": 2}) == {
        "recall": 1,
        "profile": 2,
        "tide": 0,
    }


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("migratons", "migrations"), ("databsae", "database"), ("permisions", "permissions"), ("dunninng", "dunning")],
)
def test_a_typing_error_is_read_as_the_known_word(
    db: sqlite3.Connection, now: datetime, typed: str, meant: str
) -> None:
    uid = note(db, "Database migrations need permissions of the dunning role.", now)
    found = brief.ask(db, Question(f"{typed} of the harbour"), surface="test", now=now)
    corrected = found.recalled.query_features.corrected
    assert spelling.stems_of([corrected[typed]]) == spelling.stems_of([meant])
    assert [hit.uid for hit in found.shown] == [uid]
    assert why.explain_recall(db, found.recall_uid or "")["features"]["corrected"] == corrected


def test_known_words_english_words_and_literals_keep_their_spelling(db: sqlite3.Connection, now: datetime) -> None:
    note(db, "The mouse runs the firmware. Tidepool has a houze.", now)
    for query in ("tidepool houze", "house moose", "the firewalls", "`tidepoool`", "tidepoool_config"):
        assert recall(db, Question(query), now=now).query_features.corrected == {}
    quick = Question("tidepoool", effort=Effort(most_terms=8))
    assert recall(db, quick, now=now).query_features.corrected == {}


@pytest.mark.slow
def test_a_pasted_run_of_letters_is_no_word_to_correct(db: sqlite3.Connection, now: datetime) -> None:
    note(db, "Database migrations need permissions.", now)
    for length in (spelling.LONGEST + 1, 5_000):
        found = recall(db, Question(f"migratons {'qx' * length}"), now=now)
        assert list(found.query_features.corrected) == ["migratons"]


@pytest.mark.slow
def test_most_single_errors_in_rare_words_are_undone(sample_db: sqlite3.Connection) -> None:
    words = [row[0] for row in sample_db.execute("select term from entry_words where doc <= 2 and length(term) >= 6")]
    stems = [word for word in sorted(words) if word.isascii() and word.isalpha()]
    chance = random.Random(7)
    tried = undone = 0
    for stem in chance.sample(stems, 60):
        written = spelling.written_out(stem)
        typed = chance.choice(spelling.one_error(written or stem))
        if written is None or FileWords(sample_db).known(TABLES, [typed]) or spelling.is_english(typed):
            continue
        tried += 1
        meant = spelling.corrections(FileWords(sample_db), TABLES, [typed]).get(typed)
        undone += meant is not None and spelling.stems_of([meant]) == [stem]
    assert tried > 30
    assert undone >= 0.8 * tried


@pytest.mark.slow
def test_no_known_word_is_changed(sample_db: sqlite3.Connection) -> None:
    for row in sample_db.execute("select query from labelled_queries"):
        terms = query_terms(row["query"])
        words = wording(FileWords(sample_db), row["query"], terms, TABLES)
        assert words.terms == terms
        assert not FileWords(sample_db).known(TABLES, words.corrected)
        assert FileWords(sample_db).known(TABLES, words.corrected.values()) == set(words.corrected.values())


@given(st.text("abcd", max_size=7), st.text("abcd", max_size=7))
def test_the_distance_is_symmetric_and_errors_count(one: str, other: str) -> None:
    assert spelling.within_two(one, other) == spelling.within_two(other, one)
    assert all(spelling.within_two(one, typed) for typed in spelling.one_error(one)[:20])


def test_an_explanation_says_what_was_asked_instead() -> None:
    assert describe_wording({"migrations": ("migratons",), "login": ("log",)}, {"migratons": "migrations"}) == [
        "asked for 'migrations' instead of 'migratons'",
        "also asked for login",
    ]
    assert describe_wording({}, {}) == []
