"""Plain texts: no rule finds anything in them, so that they may be left alone."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from memory_db.redact.engine import take_out
from memory_db.redact.plain import CHARACTERS, LONGEST_WORD, TELLING, is_plain
from memory_db.redact.rule import Rule
from memory_db.redact.rules import RULES
from memory_db.redact.runs import SHORTEST
from memory_db.redact.unfold import is_folded, views
from tests.support.marks import Proof

PROOF = Proof(TELLING, CHARACTERS, LONGEST_WORD)


def may_stand(literal: str, rule: Rule) -> bool:
    """Whether a plain text may have a literal: its characters, no telling word, no capital within a word."""
    has_capital = not rule.fold and re.search(r"[A-Za-z][A-Z]", literal)
    return CHARACTERS.issuperset(literal) and not has_capital and not any(each in literal.lower() for each in TELLING)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name}-{rule.literals[:1]}")
def test_no_rule_finds_anything_in_a_plain_text(rule: Rule) -> None:
    literals = [literal for literal in rule.literals if may_stand(literal, rule)]
    assert (rule.literals and not literals) or PROOF.holds(rule.pattern, re.IGNORECASE if rule.fold else 0)


@pytest.mark.parametrize("pattern", [r"is [a-z]{4,20}", r"use \S{4,40} now", "send ['][^']{4,}"])
def test_what_may_stand_in_a_plain_text_is_seen(pattern: str) -> None:
    assert not PROOF.holds(pattern, re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "which port is it",
        "How do we deploy, and where? Don't guess.",
        "the end-to-end tests are slow",
        "",
        "I said: no"[:6],
    ],
)
def test_everyday_words_are_plain(text: str) -> None:
    assert is_plain(text) and take_out(text, []) == (text, [])


@pytest.mark.parametrize(
    "text",
    [
        "it is hunter2", "the password is swordfish", "aVeryLongTokenByChance", "abcdefghijklmn", "mysql -p geheim",
        "a: b", "x = y", "two\nlines", "wie heißt er", "say 'so' + 'me'", "'' or ''", "the API",
    ],
)  # fmt: skip
def test_others_are_looked_through(text: str) -> None:
    assert not is_plain(text)


def test_no_word_is_long_enough_to_be_one_by_chance() -> None:
    assert LONGEST_WORD < SHORTEST


def test_nothing_is_folded_in_a_plain_text(sample_path: Path) -> None:
    with sqlite3.connect(sample_path) as db:
        texts = [text for (text,) in db.execute("select text from entries") if is_plain(text)]
    assert len(texts) > 50
    for text in [*texts, "don't I'll it's, isn't 'twas rock 'n' roll"]:
        assert not (is_folded(text) and list(views(text, [])))
        assert take_out(text, []) == (text, [])
