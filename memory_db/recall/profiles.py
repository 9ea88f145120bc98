"""Profiles: named, versioned weights. A version never changes; a change is a new version."""

from __future__ import annotations

import sqlite3

from memory_db.errors import InputError, NotFoundError
from memory_db.recall.scoring import SIGNALS
from memory_db.records import dataclass
from memory_db.redact.clean import clean
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.json_text import dumps, loads

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

NAME_CHARACTERS = 60
"""Longest name of a profile. Source: ours, so that a table of profiles stays readable."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One version of a set of weights."""

    id: int
    name: str
    version: int
    weights: Mapping[str, float]
    threshold: float


def load_profile(db: sqlite3.Connection, name: str) -> Profile:
    """The newest version of a profile; `name@2` names one version.

    Raises: NotFoundError.
    """
    plain, _, version = name.partition("@")
    row = db.execute(
        "select * from profiles where name = ? and (? = '' or cast(version as text) = ?) order by version desc",
        [plain, version, version],
    ).fetchone()
    if row is None:
        names = ", ".join(row[0] for row in db.execute("select distinct name from profiles order by name"))
        raise NotFoundError(f"No profile {name!r}. There are: {names}.")
    return Profile(row["id"], row["name"], row["version"], loads(row["weights"]), row["threshold"])


def list_profiles(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """The newest version of each profile: name, version, weights, threshold, description, leaves_out, fitted_on."""
    return [
        {**dict(row), "weights": loads(row["weights"])}
        for row in db.execute("select * from newest_profiles order by name")
    ]


def save_profile(
    db: sqlite3.Connection,
    name: str,
    weights: Mapping[str, float],
    *,
    threshold: float = 0.0,
    description: str,
    fitted_on: str,
    now: datetime,
) -> int:
    """Saves weights, scaled to sum 1, as the next version of a profile; gives that version.

    Weights equal to the newest version's make no new one. Raises: InputError.
    """
    scaled = scaled_weights(weights)
    if clean(name)[0] != name:
        raise InputError("The name of a profile looks like a secret. Choose another one.")
    if len(name) > NAME_CHARACTERS or not name.replace("_", "").replace("-", "").isalnum():
        raise InputError(
            f"A profile cannot be called {name[:NAME_CHARACTERS]!r}."
            f" Use letters, digits, - and _, at most {NAME_CHARACTERS}."
        )
    if not 0 <= threshold <= 1:
        raise InputError(f"A threshold of {threshold} cannot be used. Give one from 0 to 1.")
    with transaction(db):
        newest = db.execute(
            "select version, weights, threshold from profiles where name = ? order by version desc", [name]
        ).fetchone()
        if newest and loads(newest["weights"]) == scaled and newest["threshold"] == threshold:
            return int(newest["version"])
        version = newest["version"] + 1 if newest else 1
        db.execute(
            "insert into profiles (name, version, weights, threshold, description, fitted_on, created_at)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            [
                name,
                version,
                dumps(scaled, sort_keys=True),
                threshold,
                clean(description)[0],
                clean(fitted_on)[0],
                utc_text(now),
            ],
        )
    return int(version)


def scaled_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights that are not zero, scaled to sum 1.

    Raises: InputError for an unknown signal, a negative or endless weight, or nothing but zeros.
    """
    for name, weight in weights.items():
        if name not in SIGNALS:
            raise InputError(f"No signal {name!r}. There are: {', '.join(SIGNALS)}.")
        if not 0 <= weight < 1e6:
            raise InputError(f"A weight of {weight} for {name} cannot be used. Give a number of 0 or more.")
    total = sum(weights.values())
    if total <= 0:
        raise InputError("All weights are 0, so nothing would count. Give at least one above 0.")
    return {name: weight / total for name, weight in weights.items() if weight > 0}


def changed_weights(db: sqlite3.Connection, name: str, changes: Mapping[str, float]) -> dict[str, float]:
    """The newest weights of a profile with some of them replaced. Raises: NotFoundError."""
    return {**load_profile(db, name).weights, **changes}
