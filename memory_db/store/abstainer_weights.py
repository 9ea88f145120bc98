"""What the setting `abstainer` may hold: the word for the shipped weights, or weights of a file's own, as JSON.

In: a text. Out: numbers by set and name, or None. A hook loads this: the standard library alone.
"""

from __future__ import annotations

import math

from memory_db.store.json_text import loads

SHIPPED = "shipped"
"""The setting's value where the weights are those of the package."""

SETS = ("cold", "model")
"""The two sets of weights: without the full model, and with it."""

NUMBERS = ("evidence", "met", "meaning", "words", "considered")
"""What is known of a question's first hits: see `recall.abstainer`."""

PARTS = (*NUMBERS, "bias", "least")
"""What each set has: a weight for each number, the bias, and the least chance at which something is shown."""


def weights_in(text: str) -> dict[str, dict[str, float]] | None:
    """The weights that a text holds, of one set or both; None of a text that holds anything else."""
    try:
        found = loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict) or not found or set(found) - set(SETS):
        return None
    for values in found.values():
        if not isinstance(values, dict) or set(values) != set(PARTS):
            return None
        if not all(type(each) in (int, float) and math.isfinite(each) for each in values.values()):
            return None
    return found
