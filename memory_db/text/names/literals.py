"""What a question says to the letter: identifiers, paths, flags, error codes, versions, quoted words.

In: a question. Out: its literals, each once; and for members of a pool the share of them that each text has, as the
words stand: `--no-cache` is there where `no cache` is. A text is never read here, the full text answers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from memory_db.records import later
from memory_db.store.connection import id_list
from memory_db.text.terms import MAX_QUERY_CHARACTERS, PATH, STOP_WORDS, WORD, idf

MOST_LITERALS = 16
"""Literals asked for at once; of a pasted log the first ones are taken."""

MOST_WORDS = 12
"""Words of the longest literal: what is quoted at length is seldom repeated whole."""

PUNCTUATION = ".,;:!?()…"
"""What may stand around a plain word."""

QUOTED = later(r"`([^`\n]{2,120})`|\"([^\"\n]{2,120})\"|(?<!\w)'([^'\n]{2,120})'(?!\w)|[“«]([^”»\n]{2,120})[”»]")
"""Words between backticks or quotation marks."""

NAMED = later(
    r"(?<![\w-])--?[a-z][\w-]*"  # --no-cache, -x
    r"|(?i:\b(?:https?|exit|status|code|error|port|errno|signal)(?: code| status)?[ :=#]{1,2}\d{1,5}\b)"  # exit code 7
    r"|\b[A-Z]{1,8}[-_]?\d{2,6}\b"  # E1101, TS2345, PROJ-12
    r"|(?<!\w)#\d{2,}\b"  # #417
    r"|\b[A-Za-z_]*[a-z0-9]_\w+|\b[A-Z][A-Z0-9]*_\w+|\b_{1,2}[a-z]\w+"  # snake_case, SNAKE_CASE, __init__
    r"|\b[a-z]+[a-z0-9]*[A-Z]\w*|\b[A-Z]+[a-z0-9]+[A-Z]\w*"  # camelCase, PascalCase
    r"|\b[A-Z]\w*(?:Error|Exception|Warning|Fault)\b"  # TypeError
    r"|\b(?:E[A-Z]{4,}|SIG[A-Z]{3,}|ERR[A-Z_]+)\b"  # ECONNREFUSED, SIGKILL
    r"|\bv?\d+(?:\.\d+)+(?:-?(?:alpha|beta|rc|a|b)\.?\d*)?\b"  # 3.12, v1.2.0-rc1
    r"|\b[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+\b"  # datetime.now
    r"|\b[a-z][a-z0-9]+(?:-[a-z0-9]{2,})+\b"  # pre-commit
    r"|\b(?!(?:19|20)\d\d\b)\d{3,}\b"  # 5433, but no year
)
"""Names of things, by the way they are written."""


def literals_in(query: str) -> tuple[str, ...]:
    """What a question says to the letter, each once, as words of a full text: `("no cache", "outboxdao")`.

    A flag of one letter goes with the word before it; a word of ordinary English with a hyphen is none.
    """
    text = query[:MAX_QUERY_CHARACTERS]
    if is_plain(text):
        return ()
    quoted = [next(filter(None, found)) for found in QUOTED.findall(text)]
    named = [(found.group(), found.start()) for found in NAMED.finditer(text)]
    literals: dict[str, None] = {}
    for literal in (*quoted, *PATH.findall(text)):
        add_words(literals, WORD.findall(literal.casefold()))
    for literal, start in named:
        words = WORD.findall(literal.casefold())
        if literal[0] == "-":
            words = WORD.findall(text[:start].casefold())[-1:] + words if len(words[0]) == 1 else words
        elif "-" in literal and literal.islower() and any(word in STOP_WORDS for word in words):
            continue
        add_words(literals, words)
    return tuple(literals)[:MOST_LITERALS]


def is_plain(text: str) -> bool:
    """Whether a text is of plain words alone, which have no literals: most questions need no pattern."""
    for word in text.split():
        inner = word.strip(PUNCTUATION)
        letters = inner[:1] + inner[1:].replace("'", "").replace("’", "")  # an apostrophe within is no quotation mark
        if letters and not (letters.isalpha() and (letters[1:].islower() or len(letters) == 1)):
            return False
    return True


def add_words(literals: dict[str, None], words: list[str]) -> None:
    """Adds a literal, unless it says nothing or is too long to be found whole."""
    says_much = len(words) > 1 or (words and len(words[0]) > 1 and words[0] not in STOP_WORDS)
    if says_much and len(words) <= MOST_WORDS:
        literals[" ".join(words)] = None


def literal_counts(db: sqlite3.Connection, table: str, literals: Iterable[str]) -> dict[str, int]:
    """In how many texts of a full text each literal stands, word by word."""
    sql = f"select count(*) from {table} where {table} match ?"
    return {literal: db.execute(sql, [f'"{literal}"']).fetchone()[0] for literal in literals}


def literal_shares(
    db: sqlite3.Connection, table: str, documents: int, counted: Mapping[str, int], members: Iterable[int]
) -> dict[int, float]:
    """For each member that has any, the share of the literals that its text has word by word, 0 to 1.

    Rare ones count more, by their idf in this full text; those that no text has are left out of account. So the share
    depends on the question and this one text. `table` is the full text's name, `counted` says in how many of its
    `documents` each literal stands.
    """
    ids = id_list(members)
    if not ids:
        return {}
    held: dict[int, float] = {}
    best = 0.0
    for literal, count in counted.items():
        if not count:
            continue
        worth = idf(documents, count)
        best += worth
        # The unary plus keeps SQLite from asking the full text once for each id.
        having = f"select rowid from {table} where {table} match ? and +rowid in ({ids})"
        for row in db.execute(having, [f'"{literal}"']):
            held[row[0]] = held.get(row[0], 0.0) + worth
    return {member: value / best for member, value in held.items()}
