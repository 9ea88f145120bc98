"""How many tokens a text has, and what a token costs.

In: texts, and names of models. Out: counts, and rows of `prices` in integer
nanocents (1 USD = 100 cents = 1e11 nanocents) per token. Invariant: nothing
here touches the network, and a model nobody knows gets no price at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

import quicktok

from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.money import NANOCENTS_PER_USD

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

ENCODING = "o200k_base"
"""The vocabulary that counts.

Source: no vocabulary of a current Claude model is published; on English and
code this one is within some percent of other modern ones, and it never changes.
"""

TOKENS_PER_PRICE = 1_000_000
"""The library quotes USD for a million tokens."""

CLAUDE_WRITE_1H = 2
"""A cache write kept for an hour costs this many times the input price.
Source: Anthropic's published prompt caching prices."""

ALWAYS = "1970-01-01T00:00:00.000Z"
"""`valid_from` of the first price known for a model: it holds for every earlier call too."""

PRICE_COLUMNS = (
    "input_nanocents",
    "output_nanocents",
    "cache_write_5m_nanocents",
    "cache_write_1h_nanocents",
    "cache_read_nanocents",
)

INSERT_PRICE = f"""
insert or ignore into prices (model, {", ".join(PRICE_COLUMNS)}, source, valid_from)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""

NEWEST_QUOTE = "select * from prices where model = ? and source <> 'user' order by valid_from desc limit 1"


def count_tokens(text: str) -> int:
    """The number of tokens in a text, by the o200k vocabulary."""
    return len(encoding().encode_ordinary(text.encode("utf-8", "replace").decode("utf-8")))


def get_ready() -> None:
    """Loads the tokenizer and the library of prices, which takes a while, before they are needed."""
    encoding()
    quoted_prices("")


@cache
def encoding() -> quicktok.Tokenizer:
    """The tokenizer, loaded once."""
    return quicktok.get_encoding(ENCODING)


def models_seen(db: sqlite3.Connection) -> list[str]:
    """The models that `api_calls` names, in order of name."""
    return [row["model"] for row in db.execute("select distinct model from api_calls order by model")]


def ensure_prices(db: sqlite3.Connection, models: Iterable[str], *, now: datetime) -> dict[str, int]:
    """Adds the prices of these models that are not rows yet; counts `added`, `known` and `unknown` models.

    The first price of a model holds from the beginning; one that the library
    quotes differently later becomes a new row from `now` on.
    """
    counts = {"added": 0, "known": 0, "unknown": 0}
    known = {model: quoted_prices(model) for model in sorted(set(models))}
    with transaction(db):
        for model, quotes in known.items():
            if not quotes:
                counts["unknown"] += 1
            elif add_prices(db, model, quotes, now):
                counts["added"] += 1
            else:
                counts["known"] += 1
    return counts


def add_prices(
    db: sqlite3.Connection, model: str, quotes: list[tuple[str, tuple[int, ...], str]], now: datetime
) -> bool:
    """Adds what is new among the quotes of one model, beside prices of one's own; whether anything was."""
    newest = db.execute(NEWEST_QUOTE, [model]).fetchone()
    if newest is None:
        before = db.total_changes
        db.executemany(INSERT_PRICE, [(model, *prices, source, start) for start, prices, source in quotes])
        return db.total_changes > before
    _, prices, source = quotes[-1]
    if tuple(newest[column] for column in PRICE_COLUMNS) == prices:
        return False
    return db.execute(INSERT_PRICE, (model, *prices, source, utc_text(now))).rowcount > 0


def quoted_prices(model: str) -> list[tuple[str, tuple[int, ...], str]]:
    """What the library says of a model, oldest first: (valid from, prices in the order of PRICE_COLUMNS, source).

    Prices that depend on the time of day or on the size of a prompt are given
    by their base rate. Empty when the library does not know the model.
    """
    from genai_prices import __version__ as prices_version  # noqa: PLC0415  # start-up: asking needs no prices
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415  # start-up: with the above

    try:
        _, info = get_snapshot().find_provider_model(model, None, None, None)
    except LookupError:
        return []
    quotes: list[tuple[str, tuple[int, ...], str]] = []
    for start, price in dated_prices(info):
        found = in_nanocents(price, is_claude=info.id.startswith("claude"))
        if found is not None:
            prices, notes = found
            source = "; ".join([f"genai-prices {prices_version}, {info.id}", *notes])
            quotes.append((ALWAYS if not quotes else day_text(start), prices, source))
    return quotes


def dated_prices(info: ModelInfo) -> list[tuple[date | None, ModelPrice]]:
    """The standard prices of a model with the day each began, oldest first."""
    from genai_prices.types import ModelPrice, StartDateConstraint  # noqa: PLC0415  # start-up: asking needs no prices

    if isinstance(info.prices, ModelPrice):
        return [(None, info.prices)]
    dated: list[tuple[date | None, ModelPrice]] = []
    for price in info.prices:
        if price.constraint is None:
            dated.append((None, price.prices))
        elif isinstance(price.constraint, StartDateConstraint):
            dated.append((price.constraint.start_date, price.prices))
    return sorted(dated, key=lambda pair: pair[0] or date.min)


def day_text(day: date | None) -> str:
    """Midnight UTC of a day, as the file keeps it."""
    return utc_text(datetime(day.year, day.month, day.day, tzinfo=UTC)) if day else ALWAYS


def in_nanocents(price: ModelPrice, *, is_claude: bool) -> tuple[tuple[int, ...], list[str]] | None:
    """Prices per token in the order of PRICE_COLUMNS, with a note for each that the library lacks."""
    read = nanocents(getattr(price, "input_mtok", None))
    written = nanocents(getattr(price, "output_mtok", None))
    if read is None or written is None:
        return None
    notes = []
    cache_read = nanocents(getattr(price, "cache_read_mtok", None))
    if cache_read is None:
        cache_read = read
        notes.append("cache reads at the input price")
    write_5m = nanocents(getattr(price, "cache_write_mtok", None))
    if write_5m is None:
        write_5m = read
        notes.append("cache writes at the input price")
    write_1h = nanocents(getattr(price, "cache_write_1h_mtok", None))
    if write_1h is None:
        write_1h = CLAUDE_WRITE_1H * read if is_claude else write_5m
        notes.append(f"1-hour cache writes at {'twice the input price' if is_claude else 'the other write price'}")
    return (read, written, write_5m, write_1h, cache_read), notes


def nanocents(quote: Decimal | TieredPrices | None) -> int | None:
    """USD for a million tokens as nanocents for one token, rounded to the nearest."""
    if quote is None:
        return None
    base = quote if isinstance(quote, Decimal) else quote.base
    return round(base * NANOCENTS_PER_USD / TOKENS_PER_PRICE)
