"""Full text over pairs of characters: writing without spaces, and the words that stand at it.

In: entries and versions of memories. Out: rows of `entry_gram_fts` and `memory_gram_fts`, of the texts alone that have
such characters; and for a question's terms, how many texts have them and their bm25, on the scale of the full text over
words, for both are one collection of texts.

Invariants: a text and its pairs go together, by triggers; how far `fill` has looked is a row of `gram_progress`, which
the same triggers put back where a text changes, so that a killed run goes on where it stopped and a second one changes
nothing. What is asked of a file of an earlier schema is not there.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.records import dataclass
from memory_db.store.connection import rows_there, transaction, tuples
from memory_db.text.scripts import grams, is_gram
from memory_db.text.terms import idf, match_term

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Protocol

    class Filter(Protocol):
        """Which texts are considered, and which of them may be shown: SQL on the name `v`."""

        @property
        def table(self) -> str: ...
        @property
        def considered(self) -> str: ...
        @property
        def shown(self) -> str: ...
        @property
        def parameters(self) -> dict[str, object]: ...


VERSION = 1
"""Of how pairs are made: where a file's are of another, `fill` makes all of them again."""

BATCH = 100
"""Texts that are read and written in one transaction, so that none of them can change or go meanwhile: less than a
tenth of a second's work."""


@dataclass(slots=True, frozen=True)
class GramText:
    """One full text over pairs: `words` is the one over words beside it, `texts` what both are made from.

    `own` and `all` are the weights of its columns in a bm25, the second with the context of a memory.
    """

    sort: str
    table: str
    words: str
    texts: str
    columns: tuple[str, ...]
    own: str
    all: str


OF_MEMORIES = GramText(
    "memories", "memory_gram_fts", "memory_fts", "memory_versions", ("title", "text", "keys", "context", "condition"),
    own="1.0, 1.0, 1.0, 0.0, 1.0", all="1.0, 1.0, 1.0, 1.0, 1.0",
)  # fmt: skip

OF_ENTRIES = GramText("entries", "entry_gram_fts", "entry_fts", "entry_texts", ("text",), own="1.0", all="1.0")

GRAM_TEXTS = {each.words: each for each in (OF_MEMORIES, OF_ENTRIES)}
"""By the full text over words that each stands beside."""


# ----------------------------------------------------------------------- kept


def fill(db: sqlite3.Connection, progress: Callable[[str, int, int | None], None] | None = None) -> dict[str, int]:
    """Makes the pairs of all texts that were not looked at yet: how many texts got some, by sort."""
    return {f"grams_of_{each.sort}": fill_sort(db, each, progress) for each in GRAM_TEXTS.values()}


def fill_sort(db: sqlite3.Connection, each: GramText, progress: Callable[[str, int, int | None], None] | None) -> int:
    """Makes the pairs of one sort, portion by portion."""
    begin(db, each)
    joined = " || ".join(each.columns)
    # What is of plain ASCII has none; SQLite tells that faster than it hands out a text.
    waiting = (
        f"select id, {', '.join(each.columns)} from {each.texts}"
        f" where id > ? and length(cast({joined} as blob)) > length({joined}) order by id limit {BATCH}"
    )
    made = 0
    while True:
        with transaction(db):
            last = db.execute("select last_id from gram_progress where sort = ?", [each.sort]).fetchone()[0]
            rows = db.execute(waiting, [last]).fetchall()
            newest = rows[-1]["id"] if len(rows) == BATCH else None
            if newest is None:
                newest = db.execute(f"select coalesce(max(id), 0) from {each.texts}").fetchone()[0]
            made += sum(put(db, each, row) for row in rows)
            if newest != last:
                db.execute("update gram_progress set last_id = ? where sort = ?", [newest, each.sort])
        if progress and made:
            progress(f"pairs of characters of {each.sort}", made, None)
        if len(rows) < BATCH:
            return made


def begin(db: sqlite3.Connection, each: GramText) -> None:
    """Puts away pairs that were made in another way; then all are due again."""
    if db.execute("select version from gram_progress where sort = ?", [each.sort]).fetchone()[0] == VERSION:
        return
    with transaction(db):
        db.execute(f"delete from {each.table}")
        db.execute("update gram_progress set version = ?, last_id = 0 where sort = ?", [VERSION, each.sort])


def put(db: sqlite3.Connection, each: GramText, row: sqlite3.Row) -> bool:
    """Makes the pairs of one text; whether it has any."""
    made = [grams(row[column]) for column in each.columns]
    db.execute(f"delete from {each.table} where rowid = ?", [row["id"]])
    if any(made):
        marks = ", ".join("?" * len(made))
        sql = f"insert into {each.table} (rowid, {', '.join(each.columns)}) values (?, {marks})"
        db.execute(sql, [row["id"], *made])
    return any(made)


def unlike(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Where kept pairs are not those of their text, or are missing though their text was looked at."""
    for each in GRAM_TEXTS.values():
        version, last = db.execute("select version, last_id from gram_progress where sort = ?", [each.sort]).fetchone()
        columns = ", ".join(f"g.{column}" for column in each.columns)
        sql = f"select g.rowid, {columns}, {', '.join(f't.{column}' for column in each.columns)} from {each.table} g"
        for identifier, *values in db.execute(f"{sql} left join {each.texts} t on t.id = g.rowid"):
            kept, texts = values[: len(each.columns)], values[len(each.columns) :]
            if [grams(text or "") for text in texts] != kept and version == VERSION:
                yield f"{each.table} {identifier}", "is not of the text that is there"
        joined = " || ".join(each.columns)
        sql = f"select id, {', '.join(each.columns)} from {each.texts} where id <= ? and id not in (select rowid from"
        sql += f" {each.table}) and length(cast({joined} as blob)) > length({joined})"
        for identifier, *texts in db.execute(sql, [last]):
            if any(map(grams, texts)) and version == VERSION:
                yield f"{each.texts} {identifier}", f"has no row in {each.table}; `memory-db run --only index` makes it"


# ---------------------------------------------------------------------- asked


def is_there(db: sqlite3.Connection, words: str) -> bool:
    """Whether any text beside this full text has pairs."""
    return bool(rows_there(db, f"select 1 from {GRAM_TEXTS[words].table}_docsize limit 1"))


def counts(db: sqlite3.Connection, words: str, terms: Iterable[str]) -> dict[str, int]:
    """In how many texts each term is, by words or by pairs; `words` names the full text over words."""
    has_pairs, found = is_there(db, words), {}
    for term in terms:
        match = [match_term(term)]
        number = 0 if is_gram(term) else count(db, words, match)
        if has_pairs and may_have(term):
            number += count(db, GRAM_TEXTS[words].table, match)
        found[term] = number
    return found


def count(db: sqlite3.Connection, table: str, match: list[str]) -> int:
    """In how many texts of a full text something is."""
    return int(db.execute(f"select count(*) from {table} where {table} match ?", match).fetchone()[0])


def may_have(term: str) -> bool:
    """Whether a term may be among pairs: a pair itself, or a word that may stand at some without a space."""
    return not term.endswith("*") or is_gram(term)


def stands_in(db: sqlite3.Connection, words: str, term: str, ids: Iterable[int]) -> bool:
    """Whether any of a few texts has a term, by words or by pairs: each is asked by itself, however many have it."""
    ask = "select 1 from {0} where {0} match ? and rowid = ?"
    tables = [] if is_gram(term) else [words]
    tables += [GRAM_TEXTS[words].table] if may_have(term) and is_there(db, words) else []
    match = match_term(term)
    return any(tuples(db, ask.format(table), [match, each]) for each in ids for table in tables)


def holders(db: sqlite3.Connection, words: str, term: str, ids: str) -> set[int]:
    """Which of these texts (listed) have a term, by words or by pairs."""
    # The unary plus keeps SQLite from asking the full text once for each id.
    ask = "select rowid from {0} where {0} match ? and +rowid in ({1})"
    match = [match_term(term)]
    found = set() if is_gram(term) else {row[0] for row in tuples(db, ask.format(words, ids), match)}
    if may_have(term) and is_there(db, words):
        found |= {row[0] for row in tuples(db, ask.format(GRAM_TEXTS[words].table, ids), match)}
    return found


def bm25_of(
    db: sqlite3.Connection, words: str, idf_of: Mapping[str, float], wanted: Filter, most: int
) -> list[tuple[int, float, float, bool]]:
    """(id, bm25, bm25 with a memory's context, whether it may be shown) of what pairs meet, at most so many a term.

    Each term is asked alone, and counted by its idf in all texts instead of that in the texts with pairs; so a few
    Japanese notes among many English ones are told apart.
    """
    found: dict[int, tuple[float, float, bool]] = {}
    if not idf_of or not is_there(db, words):
        return []
    each = GRAM_TEXTS[words]
    texts = count_all(db, each.table)
    sql = (
        f"select g.rowid, -bm25({each.table}, {each.own}), -bm25({each.table}, {each.all}), {wanted.shown}"
        f" from {each.table} g cross join {wanted.table} v on v.id = g.rowid"
        f" where {each.table} match :match{wanted.considered} order by g.rank limit :pool"
    )
    for term, weight in idf_of.items():
        if not may_have(term):
            continue
        match = match_term(term)
        scale = weight / idf(texts, count(db, each.table, [match]))
        for identifier, own, full, is_shown in db.execute(sql, {**wanted.parameters, "match": match, "pool": most}):
            before = found.get(identifier, (0.0, 0.0, False))
            found[identifier] = (before[0] + scale * own, before[1] + scale * full, bool(is_shown))
    return [(identifier, *numbers) for identifier, numbers in found.items()]


NEWEST_ASKED = 2_000
"""The newest texts of a file that tell what a word is worth which full text is not asked for: it stands in most texts,
and to count all of them takes milliseconds. Source: ours; so many know an idf to a tenth.
"""


def newest_counts(
    db: sqlite3.Connection, table: str, words: Iterable[str], most: int = NEWEST_ASKED
) -> tuple[int, dict[str, int]]:
    """How many of the newest texts there are, at most so many; in how many of them each word stands."""
    oldest = db.execute(f"select id from {table}_docsize order by id desc limit 1 offset ?", [most]).fetchone()
    after = oldest[0] if oldest else 0
    texts = db.execute(f"select count(*) from {table}_docsize where id > ?", [after]).fetchone()[0]
    sql = f"select count(*) from {table} where {table} match ? and rowid > ?"
    return texts, {word: db.execute(sql, [f'"{word}"', after]).fetchone()[0] for word in words}


def count_all(db: sqlite3.Connection, table: str) -> int:
    """How many texts a full text has."""
    return int(db.execute(f"select count(*) from {table}_docsize").fetchone()[0])
