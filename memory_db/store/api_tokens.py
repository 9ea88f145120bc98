"""Tokens with which programs read and write through the server: making, listing, revoking, checking them.

In: a connection, a name or a token, the moment. Out: rows of `api_tokens`. Invariant: a token is told once, when it is
made; the file holds its SHA-256 alone, which tells nothing of a text of 256 random bits.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_db.errors import ConflictError, InputError, NotFoundError
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text

PREFIX = "mdb_"
"""What a token begins with, so that people and scanners of secrets know one."""

RANDOM_BYTES = 32
"""Of a token: 256 bits. Source: twice what cannot be guessed, since no slow hash stands behind it."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")
"""What a token may be called: it stands in the actor's name, in audit rows and in links."""

MOST_DAYS = 3650

LISTED = """
select t.name, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.may_write, p.canonical_path as project,
    case when t.revoked_at is not null then 'revoked' when t.expires_at <= ? then 'expired' else 'good' end as state
from api_tokens t left join projects p on p.id = t.project_id order by t.id desc limit ?
"""


@dataclass(slots=True, frozen=True)
class Token:
    """A token without its secret; `state` is good, expired or revoked, `project` the path of the only one it is for."""

    name: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    state: str
    may_write: bool
    project: str | None


def add(
    db: sqlite3.Connection, name: str, *, days: int | None = None, may_write: bool = True,
    project_id: int | None = None, now: datetime,
) -> str:  # fmt: skip
    """A new token, to be told once; with `days` it ends then, else it is good until it is revoked.

    Without `may_write` it only reads; with a project it reads and adds memories of that one alone.

    Raises: InputError, ConflictError.
    """
    if not NAME.fullmatch(name):
        raise InputError(f"{name[:60]!r} cannot name a token. Use up to 50 letters, digits, dots, dashes, underscores.")
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise InputError(f"A token cannot be good for {days} days. Give 1 to {MOST_DAYS}, or leave it out for always.")
    text = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    expires_at = None if days is None else utc_text(now + timedelta(days=days))
    with transaction(db):
        if db.execute("select 1 from api_tokens where name = ?", [name]).fetchone():
            raise ConflictError(f"There is or was a token {name!r}, and its rows bear that name. Take another name.")
        db.execute(
            "insert into api_tokens (name, token_hash, created_at, expires_at, may_write, project_id)"
            " values (?, ?, ?, ?, ?, ?)",
            [name, hash_of(text), utc_text(now), expires_at, may_write, project_id],
        )
    return text


def list_tokens(db: sqlite3.Connection, *, now: datetime, limit: int = -1) -> list[Token]:
    """Every token, the newest first."""
    return [token_of(row) for row in db.execute(LISTED, [utc_text(now), limit])]


def token_of(row: sqlite3.Row) -> Token:
    """A row of `LISTED`."""
    return Token(**{**dict(row), "may_write": bool(row["may_write"])})


def revoke(db: sqlite3.Connection, name: str, *, now: datetime) -> bool:
    """Takes a token back for good; False where that was done before.

    Raises: NotFoundError.
    """
    with transaction(db):
        row = db.execute("select revoked_at from api_tokens where name = ?", [name]).fetchone()
        if row is None:
            raise NotFoundError(f"No token {name[:60]!r}. `memory-db file tokens list` names them.")
        db.execute("update api_tokens set revoked_at = ? where name = ? and revoked_at is null", [utc_text(now), name])
    return row["revoked_at"] is None


def check(db: sqlite3.Connection, text: str, *, now: datetime) -> Token:
    """The token that somebody shows, if it is good.

    Raises: InputError: unknown, expired or revoked.
    """
    sql = f"select * from ({LISTED}) where name = (select name from api_tokens where token_hash = ?)"
    row = db.execute(sql, [utc_text(now), -1, hash_of(text)]).fetchone()
    if row is None:
        raise InputError("This token is not known here. `memory-db file tokens add NAME` makes one.")
    token = token_of(row)
    if token.state != "good":
        raise InputError(f"The token {token.name!r} is {token.state}. `memory-db file tokens add NAME` makes another.")
    return token


def note_use(db: sqlite3.Connection, token: Token, *, now: datetime) -> None:
    """Writes when a token was last used, to the minute."""
    with transaction(db):
        db.execute("update api_tokens set last_used_at = ? where name = ?", [minute(now), token.name])


def minute(now: datetime) -> str:
    """A moment without its seconds, as `last_used_at` holds it."""
    return utc_text(now.replace(second=0, microsecond=0))


def hash_of(text: str) -> str:
    """What the file holds of a token."""
    return hashlib.sha256(text.encode()).hexdigest()
