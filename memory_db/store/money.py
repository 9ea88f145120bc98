"""Money is a whole number of nanocents, and is rounded here alone, when it is printed.

In: integers. Out: the same as a person reads them. Invariant: nothing here is a float.
"""

from __future__ import annotations

NANOCENTS_PER_CENT = 1_000_000_000

NANOCENTS_PER_USD = 100 * NANOCENTS_PER_CENT
"""1 USD = 100 cents = 1e11 nanocents. Source: datasette-llm-accountant counts so; a token of the cheapest model still
costs thousands of them.
"""

PLACES = 4
"""Decimals of a US dollar that are shown where nothing else is asked for: a hundredth of a cent."""


def dollars(nanocents: int | None, places: int = PLACES) -> str:
    """An amount such as $1,234.5000 or -$0.0100, its last place rounded half away from zero; `unknown` for None."""
    if nanocents is None:
        return "unknown"
    unit = NANOCENTS_PER_USD // 10**places
    rounded = (abs(nanocents) + unit // 2) // unit
    whole, part = divmod(rounded, 10**places)
    return f"{'-' if nanocents < 0 and rounded else ''}${whole:,}.{part:0{places}d}"
