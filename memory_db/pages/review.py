"""What waits for a person, as a page shows it: counts, ages, and items with both sides.

In: a connection that reads, the fields of a request. Out: plain dicts for the template and for JSON. Invariants: what
waits is what the view `review_queue` has; nothing is decided here.
"""

from __future__ import annotations

import sqlite3
from typing import Any


def review_summary(db: sqlite3.Connection) -> dict[str, Any]:
    """How much waits for a person: `waiting`, `sorts` (each with its number and its oldest), `oldest_age_days`.

    `sightings` counts candidates that wait for a second sighting, which nobody needs to decide on.
    """
    sorts = [dict(row) for row in db.execute("select * from review_waiting order by sort")]
    sightings = db.execute("select count(*) from review_queue where waits_for <> 'a person'").fetchone()[0]
    return {
        "waiting": sum(row["waiting"] for row in sorts),
        "sorts": sorts,
        "oldest_age_days": max((row["oldest_age_days"] for row in sorts), default=None),
        "sightings": sightings,
    }
