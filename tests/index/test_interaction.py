"""Late interaction: bits of tokens, likeness of texts to a question token by token, and how the bits are kept."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.index import build as index
from memory_db.index import interaction, semantic, token_signs
from memory_db.index.texts import ENTRIES, MEMORIES
from memory_db.models.embedders import MINILM, load_embedder
from memory_db.models.minilm import Tokens
from memory_db.recall.search import Question, recall
from memory_db.store import jobs, settings
from memory_db.store.schema import open_database

NOW = datetime.fromisoformat("2026-10-01T10:00:00+00:00")
WHEN = "2026-10-01T10:00:00.000Z"

SAID = [
    ("prompt", "Why does the login page answer with 500 after the upgrade?"),
    ("tool_call", '{"command": "cat settings.py"}'),
    ("reply", "The session cookie was signed with the old secret, so decoding failed."),
    ("reply", "I rotated the secret and the page answers again as before."),
    ("summary", "Fixed the login error by rotating the cookie secret."),
    ("prompt", "yes"),
]
"""What is said in one session, in this order."""

WITH_BITS = {1, 3, 4, 5}
"""Entries that are embedded."""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_database(tmp_path / "memory.db", now=NOW)) as opened:
        opened.execute("insert into sessions (uid, format) values ('one', 'test')")
        for position, (kind, text) in enumerate(SAID):
            role = "user" if kind == "prompt" else "assistant"
            entry = opened.execute(
                "insert into entries (uid, session_id, role, kind, text, created_at) values (?, 1, ?, ?, ?, ?)",
                [f"e{position}", role, kind, text, WHEN],
            ).lastrowid
            opened.execute("insert into session_entries values (1, ?, ?)", [entry, position])
        add_memory(opened, "Invoices are sent on the first Monday of each month")
        add_memory(opened, "Run the migrations before the tests, never after")
        yield opened


def add_memory(db: sqlite3.Connection, text: str) -> None:
    db.execute(
        "insert into memories (uid, kind, scope, title, text, tokens, origin, content_hash, valid_from, changed_by,"
        " change_reason, created_at, updated_at) values (?, 'fix', 'user', ?, ?, 5, 'user', ?, ?, 'test', 'new', ?, ?)",
        [text[:8], text, text, text, WHEN, WHEN, WHEN],
    )


def bits(db: sqlite3.Connection) -> dict[tuple[str, int], bytes]:
    """All bits by sort and id."""
    return {
        ("entries" if row["entry_id"] else "memories", row["entry_id"] or row["memory_version_id"]): row["signs"]
        for row in db.execute("select * from token_signs")
    }


def tokens_of(*texts: str) -> list[Tokens]:
    return load_embedder(MINILM).embed_tokens(texts)[1]


# ------------------------------------------------------------------ likeness


@pytest.mark.slow
def test_tokens_leave_out_the_special_ones_and_know_their_words() -> None:
    text = "Where is the tokenizers' cache?"
    tokens = tokens_of(text)[0]
    asked = interaction.asked_tokens(text, tokens)
    assert len(asked.signs) == len(asked.words) == len(tokens.spans)
    assert asked.words[:3] == ("where", "is", "the")
    assert asked.words.count("tokenizers") > 1, "a word of several pieces"
    assert asked.words[-1] == "", "a question mark is no word"
    np.testing.assert_allclose(np.linalg.norm(tokens.vectors, axis=1), 1.0, atol=1e-5)


def test_a_text_meets_itself_best() -> None:
    texts = ["the migrations run before the tests", "invoices are sent monthly", ""]
    stored = [(number, interaction.packed(each)) for number, each in enumerate(tokens_of(*texts))]
    asked = interaction.asked_tokens(texts[0], tokens_of(texts[0])[0])
    found = interaction.similarities(asked, {"migrations": 3.0, "tests": 1.0}, stored)
    assert found[0] == pytest.approx(1.0)
    assert found[1] < 0.6
    assert 2 not in found, "a text without a token has no likeness"


def test_nothing_is_compared_without_a_telling_word() -> None:
    stored = [(1, interaction.packed(tokens_of("some text")[0]))]
    asked = interaction.asked_tokens("which one is it", tokens_of("which one is it")[0])
    assert interaction.similarities(asked, {}, stored) == {}


def test_a_word_counts_by_what_it_is_worth() -> None:
    question = "kangaroo invoices"
    asked = interaction.asked_tokens(question, tokens_of(question)[0])
    stored = [
        (number, interaction.packed(each)) for number, each in enumerate(tokens_of("a kangaroo jumps", "the invoices"))
    ]
    first = interaction.similarities(asked, {"kangaroo": 5.0, "invoices": 0.5}, stored)
    other = interaction.similarities(asked, {"kangaroo": 0.5, "invoices": 5.0}, stored)
    assert first[0] > first[1]
    assert other[1] > other[0]


@given(st.data())
@pytest.mark.slow
def test_likenesses_are_shares_and_belong_to_one_text(data: st.DataObject) -> None:
    """By hand: for each token of the question the text's token with the fewest differing signs."""
    token = st.binary(min_size=interaction.TOKEN_BYTES, max_size=interaction.TOKEN_BYTES)
    texts = data.draw(st.lists(st.lists(token, min_size=1, max_size=4), min_size=1, max_size=4))
    asked_bits = data.draw(st.lists(token, min_size=1, max_size=3))
    worth = data.draw(st.lists(st.floats(0.1, 9), min_size=len(asked_bits), max_size=len(asked_bits)))
    signs = np.frombuffer(b"".join(asked_bits), dtype=np.uint64).reshape(-1, interaction.TOKEN_WORDS)
    words = tuple(str(number) for number in range(len(worth)))
    asked = interaction.AskedTokens(signs, words)
    telling = dict(zip(words, worth, strict=True))
    rows = [(number, b"".join(text)) for number, text in enumerate(texts)]
    found = interaction.similarities(asked, telling, rows)
    for number, text in enumerate(texts):
        best = [min((int.from_bytes(one) ^ int.from_bytes(other)).bit_count() for other in text) for one in asked_bits]
        by_hand = sum(
            share * max(0.0, np.cos(np.pi * differing / interaction.SIGNS))
            for share, differing in zip(worth, best, strict=True)
        ) / sum(worth)
        assert found[number] == pytest.approx(by_hand)
        assert 0 <= found[number] <= 1 + 1e-9
        assert interaction.similarities(asked, telling, rows[number : number + 1])[number] == pytest.approx(
            found[number]
        )


# ------------------------------------------------------------------ keeping bits


def test_what_is_embedded_gets_bits_in_the_same_run(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    kept = bits(db)
    assert {key for sort, key in kept if sort == "entries"} == WITH_BITS
    assert {key for sort, key in kept if sort == "memories"} == {1, 2}
    alone = interaction.packed(tokens_of(SAID[0][1])[0])
    assert differing(kept["entries", 1], alone) < 0.01, "from the same run of the model, but for rounding"
    assert not jobs.is_due(db, NOW), "nothing is left to a worker"
    assert token_signs.waiting(db, MINILM) == [(MEMORIES, []), (ENTRIES, [])]


def differing(one: bytes, other: bytes) -> float:
    """The share of bits that differ."""
    assert len(one) == len(other)
    return (int.from_bytes(one) ^ int.from_bytes(other)).bit_count() / (8 * len(one))


def test_long_texts_keep_their_first_tokens() -> None:
    assert len(interaction.packed(tokens_of("word " * 200)[0])) == interaction.MOST_TOKENS * interaction.TOKEN_BYTES


def test_what_was_embedded_before_is_filled_by_a_job(db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a file of an earlier version: embeddings and no bits."""
    index.run(db, now=NOW)
    before = bits(db)
    db.execute("delete from token_signs")
    assert token_signs.pending(db, ENTRIES, MINILM) == sorted(WITH_BITS, reverse=True), "the newest first"
    index.run(db, now=NOW, entries=False)
    assert bits(db) == {}
    monkeypatch.setattr(token_signs, "PORTION", 3)
    assert jobs.work_once(db, now=NOW, kind=token_signs.TOKEN_SIGNS)["leased"]
    assert len(bits(db)) == 3, "a portion is committed, and the rest is found by looking"
    while jobs.work_once(db, now=NOW, kind=token_signs.TOKEN_SIGNS)["leased"]:
        pass
    after = bits(db)
    assert after.keys() == before.keys()
    assert all(differing(after[key], before[key]) < 0.01 for key in before)
    index.run(db, now=NOW)
    assert bits(db) == after, "a second run changes nothing"


def test_a_few_that_are_missing_are_made_at_once_for_who_waits(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    before = bits(db)
    db.execute("delete from token_signs where id > 2")
    index.run(db, now=NOW)
    assert bits(db).keys() == before.keys()
    assert not jobs.is_due(db, NOW)


def test_a_new_version_of_the_same_text_takes_over_its_bits(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    before = bits(db)
    db.execute("update memories set importance = 5, updated_at = ? where id = 1", ["2026-10-02T10:00:00.000Z"])
    index.run(db, now=NOW, entries=False)
    newest = db.execute("select max(id) from memory_versions where memory_id = 1").fetchone()[0]
    after = bits(db)
    assert after["memories", newest] == before["memories", 1]
    assert ("memories", 1) not in after, "what is no longer current has none"


def test_bits_go_with_the_text_that_they_were_made_of(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    db.execute("update entries set text = 'something else is said here now' where id = 1")
    db.execute("update memory_versions set text = 'something else is known here now' where id = 2")
    db.execute("update entries set kind = 'other' where id = 3")
    assert bits(db).keys() == {("memories", 1), ("entries", 4), ("entries", 5)}


def test_the_setting_turns_bits_off_and_on(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    settings.put(db, "interaction", "no", now=NOW)
    assert interactions(db) == set(), "they are not asked from that moment on"
    index.run(db, now=NOW)
    assert bits(db) == {}
    add_memory(db, "Deploy on Tuesdays only")
    index.run(db, now=NOW)
    assert bits(db) == {}
    assert not jobs.is_due(db, NOW)
    settings.put(db, "interaction", "yes", now=NOW)
    index.run(db, now=NOW, entries=False)
    assert jobs.work_once(db, now=NOW, kind=token_signs.TOKEN_SIGNS)["leased"]
    assert len(bits(db)) == 7
    assert interactions(db)


def interactions(db: sqlite3.Connection) -> set[float]:
    """The values of `interaction` of all hits of a question, where it was measured."""
    asked = recall(db, Question("login cookie secret"), now=NOW, semantic=semantic.open_semantic(db))
    return {hit.features.interaction for hit in asked.hits if hit.features.interaction is not None}


def test_the_job_of_a_model_that_is_not_wanted_any_more_has_nothing_left(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    db.execute("delete from token_signs")
    index.run(db, now=NOW, entries=False)
    settings.put(db, "embedding_model", "none", now=NOW)
    assert jobs.work_once(db, now=NOW, kind=token_signs.TOKEN_SIGNS)["leased"]
    assert bits(db) == {}
    assert db.execute("select state from jobs where kind = ?", [token_signs.TOKEN_SIGNS]).fetchone()[0] == "done"


# ------------------------------------------------------------------ in a recall


def test_hits_have_the_signals_where_the_model_is_loaded(db: sqlite3.Connection) -> None:
    index.run(db, now=NOW)
    asked = Question("why did decoding the session cookie fail")
    hits = {hit.entry_id: hit.features for hit in recall(db, asked, now=NOW, semantic=semantic.open_semantic(db)).hits}
    answer, later, prompt = hits[3], hits[4], hits[1]
    assert answer.interaction is not None and prompt.interaction is not None
    assert answer.interaction > prompt.interaction
    assert later.interaction is not None
    assert later.context_interaction == pytest.approx(0.8 * answer.interaction), "its neighbour's, by distance"
    assert hits[2].interaction is None, "what is not embedded"
    assert later.session_interaction == prompt.session_interaction > 0
    without = recall(db, asked, now=NOW)
    assert all(hit.features.interaction is None for hit in without.hits), "a process without the model measures none"
    logged = json.dumps(answer.as_dict())
    assert '"interaction"' in logged
