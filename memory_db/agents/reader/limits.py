"""How many hits a recall shows an agent: where it names no number, and at most."""

DEFAULT_LIMIT = 5
MOST_HITS = 50
