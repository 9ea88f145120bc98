"""Memories that must not be recalled for a sort of question, though they meet it.

In: a memory and the words of such questions, from a person. Out: rows of `suppressions`; and for one question what it
must not be shown. Invariant: a question is meant when it has all distinctive words of the pattern, in whatever form;
what is held back stays among the hits with its reason, and other questions are answered as before.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from memory_db.errors import InputError, NotFoundError
from memory_db.redact.clean import clean
from memory_db.store.connection import id_list, transaction
from memory_db.store.dates import utc_text
from memory_db.text.terms import MAX_QUERY_CHARACTERS, STOP_WORDS, WORD

SUPPRESSED = "suppressed: {}"
"""What stands in a hit that was held back, with the reason that the person gave."""

PATTERN_CHARACTERS = 200

REASON_CHARACTERS = 200

ENDINGS = {
    "ations": "", "ation": "", "ating": "", "ated": "", "ates": "", "ate": "", "ments": "", "ment": "", "tions": "t",
    "tion": "t", "sions": "s", "sion": "s", "ings": "", "ing": "", "ies": "y", "ied": "y", "ed": "", "es": "", "s": "",
}  # fmt: skip
"""What is cut from a word so that its forms are one, the longest first, and what takes its place.

Source: the endings of Porter (1980, "An algorithm for suffix stripping") that forms of verbs and nouns have.
"""

WHOLE = ("ss", "us", "is", "eed")
"""Ends of words that only look like an ending."""

SHORTEST_STEM = 3
"""Letters, one a vowel, that a cut leaves: `string` must not become `str`; a noun in -ment keeps one more."""

HELD = """
select memory_id, pattern, reason from suppressions
where created_at <= :moment and (ended_at is null or ended_at > :moment) order by id
"""

VERSIONS = "select id, memory_id from memory_versions where memory_id in ({ids})"

SAID_IN = """
select q.entry_id, q.memory_id from memory_sources q join entries e on e.id = q.entry_id
where q.memory_id in ({ids}) and 2 * length(q.quote) >= length(e.text)
"""
"""Entries that say hardly more than the memory: they would come in its place and say the same."""

LISTED = """
select s.id, m.uid, s.pattern, s.reason, s.created_by, s.created_at, s.ended_at, m.title
from suppressions s join memories m on m.id = s.memory_id order by s.ended_at is not null, s.id
"""


def held_back(db: sqlite3.Connection, query: str, moment: datetime) -> dict[tuple[str, int], str]:
    """What must not be shown for a question at a moment: its reason by (memory, version's id) and (entry, its id)."""
    held = db.execute(HELD, {"moment": utc_text(moment)}).fetchall()
    if not held:
        return {}
    asked = stems(query)
    heads = {word[:SHORTEST_STEM] for word in asked}
    met = {row["memory_id"]: row["reason"] for row in held if is_met(row["pattern"], asked, heads)}
    ids = id_list(met)
    if not ids:
        return {}
    found = {("entry", row[0]): met[row[1]] for row in db.execute(SAID_IN.format(ids=ids))}
    found |= {("memory", row[0]): met[row[1]] for row in db.execute(VERSIONS.format(ids=ids))}
    return found


def is_met(pattern: str, asked: set[str], heads: set[str]) -> bool:
    """Whether a question has all distinctive words of a pattern: `asked` are its stems, `heads` their first letters.

    The first letters of a word are those of its stem, so that hardly a pattern needs to be stemmed.
    """
    words = [word for word in WORD.findall(pattern.casefold()) if word not in STOP_WORDS]
    alike = bool(words) and heads.issuperset([word[:SHORTEST_STEM] for word in words])
    return alike and all(stem(word) in asked for word in words)


def stems(text: str) -> set[str]:
    """The distinctive words of a text, each without its ending; none where all of them say nothing."""
    words = WORD.findall(text[:MAX_QUERY_CHARACTERS].casefold())
    return {stem(word) for word in words if word not in STOP_WORDS}


def stem(word: str) -> str:
    """A word without its ending: deploy, deploys, deployed, deploying and deployment are one.

    A word that is short, or would be without its ending, is left as it is.
    """
    for ending, instead in ENDINGS.items() if not word.endswith(WHOLE) else ():
        cut = word.removesuffix(ending)
        least = SHORTEST_STEM + ending.startswith("ment")
        if cut != word and len(cut) >= least and not set(cut).isdisjoint("aeiouy"):
            word = cut + instead
            break
    if len(word) > SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > SHORTEST_STEM and word.endswith("e") else word


def suppress(db: sqlite3.Connection, uid: str, pattern: str, *, reason: str, by: str, now: datetime) -> int:
    """Holds a memory back for questions with all distinctive words of `pattern`; the number of the suppression.

    The same words again for the same memory are the suppression that there is.
    Raises: NotFoundError; InputError for a pattern without a distinctive word, or without a reason.
    """
    words = " ".join(clean(pattern)[0].split())
    why = " ".join(clean(reason)[0].split())
    if not stems(words):
        raise InputError(f"{pattern[:60]!r} has no distinctive word, so it fits any question. Name what it is about.")
    if len(words) > PATTERN_CHARACTERS:
        raise InputError(f"The words have {len(words)} characters, at most {PATTERN_CHARACTERS} fit. Name fewer.")
    if not why:
        raise InputError("Why must it not be recalled? Say so with --reason.")
    from memory_db.knowledge.succession import memory_row  # noqa: PLC0415  # start-up: a prompt only reads

    with transaction(db):
        memory_id = memory_row(db, uid)["id"]
        for row in db.execute(
            "select id, pattern from suppressions where memory_id = ? and ended_at is null", [memory_id]
        ):
            if stems(row["pattern"]) == stems(words):
                return int(row["id"])
        cursor = db.execute(
            "insert into suppressions (memory_id, pattern, reason, created_by, created_at) values (?, ?, ?, ?, ?)",
            [memory_id, words, why[:REASON_CHARACTERS], clean(by)[0], utc_text(now)],
        )
        return int(cursor.lastrowid or 0)


def end_suppression(db: sqlite3.Connection, number: int, *, now: datetime) -> bool:
    """Ends a suppression; whether it held until now. Raises: NotFoundError."""
    with transaction(db):
        if db.execute("select 1 from suppressions where id = ?", [number]).fetchone() is None:
            raise NotFoundError(f"There is no suppression {number}. `memory-db memory suppress --list` shows them.")
        return (
            db.execute(
                "update suppressions set ended_at = ? where id = ? and ended_at is null", [utc_text(now), number]
            ).rowcount
            > 0
        )


def list_suppressions(db: sqlite3.Connection) -> list[dict[str, object]]:
    """All suppressions, those that hold first: id, uid, pattern, reason, created_by, created_at, ended_at, title."""
    return [dict(row) for row in db.execute(LISTED)]
