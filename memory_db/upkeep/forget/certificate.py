"""A certificate of what was forgotten: what was searched, where, for what, and that nothing of it was found.

In: a target, what became of it, the file afterwards. Out: a plain dict. Invariants: no word of what was forgotten is in
it; who knows the words can show that it is about them, and nobody can guess short ones cheaply: each passage stands
there as a salted scrypt hash.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_db import __version__
from memory_db.recall.brief import spool
from memory_db.store.dates import utc_text
from memory_db.text.scrubbing import flat_text
from memory_db.upkeep import exports
from memory_db.upkeep.forget.copies import copies_of
from memory_db.upkeep.forget.places import text_columns
from memory_db.upkeep.forget.run import Forgotten
from memory_db.upkeep.forget.target import ForgetTarget

SCRYPT = {"n": 2**14, "r": 8, "p": 1}
"""How dear a guess is: 16 MB and some 40 ms. Source: RFC 7914, the parameters for interactive use."""

SALT_BYTES, HASH_BYTES = 16, 32

MOST_HASHED_ALONE = 50
"""Up to so many passages have a hash each; more have one together, of all of them in order."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A file that was searched: its bytes, and the hash of what it held afterwards."""

    name: str
    bytes: int
    sha256: str


def certificate(
    db: sqlite3.Connection, path: Path, target: ForgetTarget, done: Forgotten, *, now: datetime, salt: bytes = b"",
    has_hashes: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """What is to be certified, as JSON has it, but for the files, which `with_files` adds once nobody has them open.

    `salt` is drawn where none is given; without `has_hashes` no passage can be known again by it.
    """
    passages = sorted(flat_text(text) for text in target.passages.texts)
    return {
        "certificate": "memory-db memory forget",
        "memory_db_version": __version__,
        "forgotten_at": utc_text(now),
        "forgotten": "words" if target.is_words else target.what,
        "is_gone": done.is_gone,
        "passages": {
            "count": len(passages),
            "characters": sum(map(len, passages)),
            **(known_again(passages, salt or os.urandom(SALT_BYTES)) if has_hashes else {}),
        },
        "searched": {
            "text_columns": [f"{table}.{column}" for table, column in text_columns(db)],
            "files": [],
            "copies": [str(each) for each in copies_of(path)],
            "exports": [str(each.path) for each in exports.known(db) if each.path.exists()],
        },
        "deleted_or_emptied_rows": dict(sorted(done.rows.items())),
        "texts_redacted": dict(sorted(done.repetitions.items())),
        "found_afterwards": {
            "rows_and_files": done.left,
            "locked_memories": done.locked,
            "copies": done.copies,
            "exports": done.exports,
        },
        "deleted_copies": done.deleted_copies,
        "new_copy": done.new_copy,
        "cleaned_exports": done.cleaned_exports,
        "not_covered": done.outside,
    }


def known_again(passages: Sequence[str], salt: bytes) -> dict[str, Any]:
    """By what who knows the passages knows them again, and how it is made."""
    return {
        "hash": "scrypt of the passage on one line, as UTF-8",
        "parameters": SCRYPT,
        "salt": salt.hex(),
        "hashes": hashes(passages, salt),
    }


def hashes(passages: Sequence[str], salt: bytes) -> list[str]:
    """The hash of each passage, or one of all of them on lines where they are many."""
    alone = passages if len(passages) <= MOST_HASHED_ALONE else ["\n".join(passages)]
    return [hash_of(text, salt) for text in alone]


def hash_of(text: str, salt: bytes) -> str:
    """The hash of a passage, by which who knows it can find it in a certificate."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(data, salt=salt, dklen=HASH_BYTES, **SCRYPT).hex()


def with_files(certified: dict[str, Any], path: Path) -> dict[str, Any]:
    """A certificate with the files that were searched: for who has no connection to them, as the hash opens them.

    Raises: OSError.
    """
    files = [asdict(each) for each in files_searched(path)]
    return {**certified, "searched": {**certified["searched"], "files": files}}


def files_searched(path: Path) -> list[Searched]:
    """The file, its log and its spools as they are now. Raises: OSError."""
    files = [path, path.with_name(f"{path.name}-wal"), *spool.waiting(path)]
    return [Searched(each.name, each.stat().st_size, exports.sha256_of(each)) for each in files if each.is_file()]
