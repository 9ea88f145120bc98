"""Tokens are counted, prices are whole nanocents, and what nobody knows has no price."""

from __future__ import annotations

import socket
import sqlite3
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from genai_prices.types import ModelPrice, TieredPrices
from hypothesis import given
from hypothesis import strategies as st

from memory_db.models.tokens import ALWAYS, count_tokens, ensure_prices, in_nanocents, models_seen, nanocents

SONNET = "claude-sonnet-4-5-20250929"


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("hello world", 2), ("<|endoftext|>", 7)])
def test_count(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(st.characters(), max_size=50))
def test_any_text_has_a_count(text: str) -> None:
    assert 0 <= count_tokens(text) <= 4 * len(text)
    assert count_tokens("\ud800") > 0


def test_known_and_unknown_models(db: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("prices must not need a network"))
    assert ensure_prices(db, [SONNET, "nobody-knows-it"], now=now) == {"added": 1, "known": 0, "unknown": 1}
    row = db.execute("select * from prices").fetchone()
    assert (row["model"], row["input_nanocents"], row["output_nanocents"]) == (SONNET, 300_000, 1_500_000)
    assert (row["cache_write_5m_nanocents"], row["cache_write_1h_nanocents"]) == (375_000, 600_000)
    assert (row["cache_read_nanocents"], row["valid_from"]) == (30_000, ALWAYS)
    assert row["source"].startswith("genai-prices ")


def test_a_second_run_adds_nothing(db: sqlite3.Connection, now: datetime) -> None:
    ensure_prices(db, [SONNET], now=now)
    before = [tuple(row) for row in db.execute("select * from prices")]
    assert ensure_prices(db, [SONNET, SONNET], now=now + timedelta(days=9)) == {"added": 0, "known": 1, "unknown": 0}
    assert [tuple(row) for row in db.execute("select * from prices")] == before


def test_a_changed_price_holds_from_now_on(db: sqlite3.Connection, now: datetime) -> None:
    ensure_prices(db, [SONNET], now=now)
    db.execute("update prices set input_nanocents = 1")
    assert ensure_prices(db, [SONNET], now=now)["added"] == 1
    found = [tuple(row) for row in db.execute("select input_nanocents, valid_from from prices order by id")]
    assert found == [(1, ALWAYS), (300_000, "2026-11-01T12:00:00.000Z")]


def test_what_the_library_lacks_is_said() -> None:
    bare = ModelPrice(input_mtok=Decimal(3), output_mtok=Decimal(15))
    found = in_nanocents(bare, is_claude=True)
    assert found is not None
    assert found[0] == (300_000, 1_500_000, 300_000, 600_000, 300_000)
    assert any("twice the input price" in note for note in found[1])
    other = in_nanocents(bare, is_claude=False)
    assert other is not None
    assert other[0][3] == 300_000
    assert in_nanocents(ModelPrice(output_mtok=Decimal(1)), is_claude=False) is None


def test_tiers_count_by_their_base() -> None:
    assert nanocents(TieredPrices(base=Decimal("1.25"), tiers=[])) == 125_000
    assert nanocents(Decimal("0.0000001")) == 0
    assert nanocents(None) is None


def test_models_seen(db: sqlite3.Connection) -> None:
    assert models_seen(db) == []
    db.execute("insert into sessions (uid, format) values ('s', 'claude-code')")
    for number, model in enumerate(["b", "a", "b"]):
        db.execute(
            "insert into api_calls (message_uid, session_id, model, created_at) values (?, 1, ?, '')",
            [str(number), model],
        )
    assert models_seen(db) == ["a", "b"]
