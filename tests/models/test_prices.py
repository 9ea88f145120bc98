"""A price of one's own goes before the library's, which never changes it; what has no price is told."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from memory_db.cli import cli
from memory_db.errors import InputError, NotFoundError
from memory_db.models.prices import Quote, price_at, refresh, set_price, unset_price, without_price
from memory_db.models.tokens import PRICE_COLUMNS, ensure_prices
from tests.support.spending_rows import add_call, add_ferry, add_session, at

SONNET = "claude-sonnet-4-5-20250929"
LIBRARY = (300_000, 1_500_000, 375_000, 600_000, 30_000)


def price(db: sqlite3.Connection, when: str, model: str = SONNET) -> tuple[int, ...] | None:
    row = price_at(db, model, when)
    return None if row is None else tuple(row[column] for column in PRICE_COLUMNS)


def test_an_own_price_holds_for_every_call_and_is_never_overwritten(db: sqlite3.Connection, now: datetime) -> None:
    ensure_prices(db, [SONNET], now=now)
    set_price(db, SONNET, Quote(Decimal(2), Decimal("0.5"), cache_read_usd=Decimal(0)))
    own = (200_000, 50_000, 250_000, 400_000, 0)
    assert price(db, "1999-01-01T00:00:00.000Z") == price(db, at("10:00:00")) == own
    assert refresh(db, now=now + timedelta(days=400)) == {"added": 0, "known": 1, "unknown": 0}
    assert price(db, "2030-01-01T00:00:00.000Z") == own
    assert unset_price(db, SONNET, now=now) == 1
    assert price(db, at("10:00:00")) == LIBRARY
    with pytest.raises(NotFoundError, match="No price of your own"):
        unset_price(db, SONNET, now=now)


def test_an_own_price_from_a_day_on(db: sqlite3.Connection, now: datetime) -> None:
    ensure_prices(db, [SONNET], now=now)
    set_price(db, SONNET, Quote(Decimal(1), Decimal(1)), valid_from="2026-10-05T00:00:00.000Z")
    db.execute(
        "insert into prices (model, input_nanocents, output_nanocents, cache_write_5m_nanocents,"
        " cache_write_1h_nanocents, cache_read_nanocents, source, valid_from) values (?, 9, 9, 9, 9, 9, 'library', ?)",
        [SONNET, "2026-10-09T00:00:00.000Z"],
    )
    assert price(db, at("23:59:59", "2026-10-04")) == LIBRARY
    assert price(db, at("00:00:00")) == (100_000, 100_000, 125_000, 200_000, 10_000)
    assert price(db, at("00:00:00", "2026-10-20")) == (100_000, 100_000, 125_000, 200_000, 10_000)


def test_a_model_that_only_a_person_prices(db: sqlite3.Connection, now: datetime) -> None:
    session = add_session(db, "s", add_ferry(db))
    for day in ("2026-10-04", "2026-10-06"):
        add_call(db, session, at("10:00:00", day), 10, 10, model="of my own")
    assert [tuple(row) for row in without_price(db)] == [("of my own", 2)]
    set_price(db, "of my own", Quote(Decimal(0), Decimal(0)), valid_from="2026-10-05T00:00:00.000Z")
    assert [tuple(row) for row in without_price(db)] == [("of my own", 1)], "what was before that day was not told"
    assert [row[0] for row in db.execute("select cost_nanocents from call_costs order by created_at")] == [None, 0]
    set_price(db, "of my own", Quote(Decimal(1), Decimal(1)))
    assert without_price(db) == []
    assert refresh(db, now=now)["unknown"] == 1


def test_setting_it_again_replaces_it(db: sqlite3.Connection) -> None:
    for usd in (1, 2):
        set_price(db, "m", Quote(Decimal(usd), Decimal(usd)))
    assert [tuple(row) for row in db.execute("select input_nanocents, source from prices")] == [(200_000, "user")]


@pytest.mark.parametrize(
    ("model", "usd"),
    [("", "1"), ("m" * 201, "1"), ("m", "-1"), ("m", "NaN"), ("m", "Infinity"), ("m", "1e9"), ("m\x1b[2J", "1"),
     ("sk-ant-api03-" + "x" * 95, "1")],
)  # fmt: skip
def test_what_cannot_be_a_price(db: sqlite3.Connection, model: str, usd: str) -> None:
    with pytest.raises(InputError):
        set_price(db, model, Quote(Decimal(usd), Decimal(1)))
    assert not db.execute("select 1 from prices").fetchone()


def test_the_commands(db: sqlite3.Connection, db_path: Path) -> None:
    def run(*args: str) -> str:
        result = CliRunner().invoke(cli, ["-d", str(db_path), "model", "price", *args])
        assert result.exit_code == 0, result.output
        return result.output

    assert run("list") == "No price is known yet.\n"
    add_call(db, add_session(db, "s", add_ferry(db)), at("10:00:00"), 10, 10, model=SONNET)
    assert "No price is known for 1 calls" in run("list")
    assert "(not kept: dry run)" in run("set", SONNET, "--input", "1", "--output", "2", "--dry-run")
    assert json.loads(run("refresh", "--json")) == {"added": 1, "known": 0, "unknown": 0, "dry_run": False}
    assert "from 2026-10-01 on: input $1.0000" in run(
        "set", SONNET, "--input", "1", "--output", "2", "--from", "2026-10-01"
    )
    listed = json.loads(run("list", SONNET, "--json"))["prices"]
    assert [(row["holds_from"][:10], row["input_nanocents"]) for row in listed] == [
        ("", 300_000),
        ("2026-10-01", 100_000),
    ]
    assert "user" in run("list")
    assert run("unset", SONNET) == f"1 prices of your own for {SONNET} are gone.\n"
    bad = CliRunner().invoke(
        cli, ["-d", str(db_path), "model", "price", "set", "m", "--input", "much", "--output", "1"]
    )
    assert bad.exit_code == 1 and "'much' is no amount in US dollars" in bad.output
