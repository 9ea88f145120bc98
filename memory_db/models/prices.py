"""What a model's token costs at a moment, and prices of one's own.

In: names of models, and what a person pays for a million tokens. Out: rows of `prices`. Invariants: a price of one's
own holds from its day on, whatever the library says; the library never changes it; without a known price there is
none, never 0.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from memory_db.errors import InputError, NotFoundError
from memory_db.models.tokens import (
    CLAUDE_WRITE_1H,
    INSERT_PRICE,
    PRICE_COLUMNS,
    ensure_prices,
    nanocents,
    quoted_prices,
)
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction

OWN = "user"
"""The source of a price of one's own."""

EVER = "0001-01-01T00:00:00.000Z"
"""`valid_from` of a price of one's own that holds for every call; no price of the library begins then."""

MOST_USD = 10_000
"""US dollars for a million tokens that a price may be. Source: some fifteen times the dearest model of today; with it,
a call of the most tokens that are counted still costs a 64-bit integer of nanocents.
"""

CLAUDE_READ = Decimal("0.1")
CLAUDE_WRITE_5M = Decimal("1.25")
"""What reading from and writing to the cache cost, as shares of the input price.
Source: Anthropic's published prompt caching prices.
"""

MODEL_CHARACTERS = 200

AT = f"""
select {", ".join(PRICE_COLUMNS)} from price_periods where model = :model and holds_from <= :at and :at < holds_until
"""

PUT_PRICE = f"""
insert into prices (model, {", ".join(PRICE_COLUMNS)}, source, valid_from)
values ({", ".join("?" * (len(PRICE_COLUMNS) + 3))})
on conflict (model, valid_from) do update
    set {", ".join(f"{column} = excluded.{column}" for column in PRICE_COLUMNS)}, source = excluded.source
"""

WITHOUT_PRICE = """
select model, count(*) as calls from (
    select model, created_at from api_calls union all select model, created_at from model_calls
) c
where not exists (select 1 from price_periods p
    where p.model = c.model and p.holds_from <= c.created_at and c.created_at < p.holds_until)
group by model order by calls desc, model
"""


@dataclass(frozen=True, slots=True)
class Quote:
    """What a person pays, in US dollars for a million tokens; None is worked out from the input price."""

    input_usd: Decimal
    output_usd: Decimal
    cache_write_5m_usd: Decimal | None = None
    cache_write_1h_usd: Decimal | None = None
    cache_read_usd: Decimal | None = None


def price_at(db: sqlite3.Connection, model: str, at: str) -> sqlite3.Row | None:
    """The price of a model's tokens at a moment, by the columns of `prices`; None where none is known."""
    found: sqlite3.Row | None = db.execute(AT, {"model": model, "at": at}).fetchone()
    return found


def set_price(db: sqlite3.Connection, model: str, quote: Quote, *, valid_from: str | None = None) -> dict[str, int]:
    """Gives a model a price of one's own, for every call or from a moment on; nanocents a token by column.

    Raises: InputError for a model without a name, or a price below 0 or beyond all reason.
    """
    name = model.strip()
    if not name or len(name) > MODEL_CHARACTERS or clean(name)[0] != name or not name.isprintable():
        raise InputError(f"{model[:80]!r} is no name of a model. Give it as `memory-db cost --by model` shows it.")
    prices = dict(zip(PRICE_COLUMNS, in_nanocents(name, quote), strict=True))
    with transaction(db):
        db.execute(PUT_PRICE, [name, *prices.values(), OWN, valid_from or EVER])
    return prices


def in_nanocents(model: str, quote: Quote) -> tuple[int, ...]:
    """Nanocents a token in the order of PRICE_COLUMNS. Raises: InputError.

    What is not given of a Claude model follows from its input price as Anthropic publishes it; caches of others cost
    what reading without one does.
    """
    is_claude = "claude" in model.lower()
    shares = (CLAUDE_WRITE_5M, Decimal(CLAUDE_WRITE_1H), CLAUDE_READ) if is_claude else (Decimal(1),) * 3
    given = (quote.cache_write_5m_usd, quote.cache_write_1h_usd, quote.cache_read_usd)
    caches = [quote.input_usd * share if usd is None else usd for usd, share in zip(given, shares, strict=True)]
    found = []
    for usd in (quote.input_usd, quote.output_usd, *caches):
        if not usd.is_finite() or not 0 <= usd <= MOST_USD * CLAUDE_WRITE_1H:
            raise InputError(f"A price of {usd} cannot be. Give US dollars for a million tokens, 0 to {MOST_USD:,}.")
        found.append(nanocents(usd) or 0)
    return tuple(found)


def unset_price(db: sqlite3.Connection, model: str, *, now: datetime) -> int:
    """Takes one's own prices of a model away, so that the library's hold again; how many there were.

    Raises: NotFoundError if there is none.
    """
    with transaction(db):
        gone = db.execute("delete from prices where model = ? and source = ?", [model, OWN]).rowcount
        if not gone:
            raise NotFoundError(f"No price of your own for {model!r}. `memory-db model price list` shows all.")
        for start, prices, source in quoted_prices(model):
            db.execute(INSERT_PRICE, (model, *prices, source, start))
        ensure_prices(db, [model], now=now)
    return gone


def refresh(db: sqlite3.Connection, *, now: datetime) -> dict[str, int]:
    """Looks up what the library says today of every model seen; counts `added`, `known` and `unknown` models."""
    seen = db.execute("select model from api_calls union select model from model_calls union select model from prices")
    return ensure_prices(db, [row["model"] for row in seen], now=now)


def without_price(db: sqlite3.Connection) -> list[sqlite3.Row]:
    """Models with calls that no price is known for, most calls first: `model`, `calls`."""
    return db.execute(WITHOUT_PRICE).fetchall()
