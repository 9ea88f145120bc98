"""Whether the first hits of a question answer it: the model, its weights, and what it may never silence."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli.group import cli
from memory_db.errors import InputError
from memory_db.index import build as index
from memory_db.index.build import open_semantic
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory
from memory_db.recall.abstainer import COLD, MODEL, SHIPPED, abstainers_of, numbers_of
from memory_db.recall.brief.abstain import abstainer_of
from memory_db.recall.brief.allowed import NO_ANSWER
from memory_db.recall.brief.for_model import ask_for_model, nearest_to, why_silent
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.search import Question
from memory_db.store import settings
from memory_db.store.abstainer_weights import NUMBERS

SHARES = st.floats(0, 1, allow_nan=False)

SILENT = {way: each.as_dict() | {"least": 2.0} for way, each in SHIPPED.items()}
"""Weights that no question ever satisfies."""


@given(st.fixed_dictionaries(dict.fromkeys(NUMBERS, SHARES)), SHARES)
def test_more_evidence_words_or_meaning_is_never_less_likely(numbers: dict[str, float], more: float) -> None:
    for abstainer in SHIPPED.values():
        chance = abstainer.chance(numbers)
        assert 0 < chance < 1
        for name in ("evidence", "met", "meaning"):
            assert abstainer.chance(numbers | {name: numbers[name] + more}) >= chance


@given(
    st.lists(SHARES, max_size=12), st.lists(st.floats(-1, 1), max_size=12), st.dictionaries(st.text(), SHARES),
    st.integers(0, 500), st.integers(0, 10_000),
)  # fmt: skip
@pytest.mark.slow
def test_numbers_are_shares(
    evidences: list[float], cosines: list[float], met: dict[str, float], words: int, considered: int
) -> None:
    found = numbers_of(evidences, cosines, dict.fromkeys(met, 1.0), met, words=words, considered=considered)
    assert set(found) == set(NUMBERS) and all(0 <= value <= 1 + 1e-9 for value in found.values())


def test_a_rare_word_that_stands_nowhere_counts_more_than_a_common_one() -> None:
    worth = {"nodes": 1.0, "redshift": 5.0}
    met = [numbers_of([], [], worth, {word: 1.0}, words=2, considered=50)["met"] for word in worth]
    assert met == pytest.approx([1 / 6, 5 / 6])


def notes(db: sqlite3.Connection, now: datetime) -> None:
    for text in ("The redshift cluster is resized on Sunday", "Berths are numbered from the harbour mouth"):
        add_memory(db, text=text, kind="domain", scope="user", now=now)
    index.run(db, now=now)


def asked(db: sqlite3.Connection, now: datetime, query: str = "when is the redshift cluster resized?") -> Answer:
    return ask_for_model(db, Question(query), surface="brief", now=now, log=False)


def silence(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "abstainer", json.dumps(SILENT), now=now)


def test_what_decided_is_logged_with_the_recall(db: sqlite3.Connection, now: datetime) -> None:
    notes(db, now)
    question = Question("when is the redshift cluster resized?")
    answer = ask_for_model(db, question, surface="brief", now=now)
    row = db.execute("select json_extract(features, '$.first_hits') from recalls where id = ?", [answer.recall_id])
    logged = json.loads(row.fetchone()[0])
    assert answer.shown and set(logged) == {*NUMBERS, "chance", "least"}
    assert logged["chance"] >= logged["least"] == SHIPPED[COLD].least and logged["met"] == 1


def test_silence_is_told_with_what_is_nearest_and_a_person_still_sees_it(db: sqlite3.Connection, now: datetime) -> None:
    notes(db, now)
    silence(db, now)
    silent = asked(db, now)
    assert silent.abstained and NO_ANSWER in silent.left_out
    assert "unlikely to answer" in why_silent(silent) and "resized on Sunday" in nearest_to(silent)
    question = Question("when is the redshift cluster resized?")
    assert ask(db, question, surface="cli", now=now, log=False).shown


def test_rules_that_are_met_are_not_silenced(db: sqlite3.Connection, now: datetime) -> None:
    notes(db, now)
    rule = add_memory(db, text="Never resize the redshift cluster by hand", kind="correction", scope="user", now=now)
    locked = add_memory(db, text="Ask before you resize the redshift cluster", kind="domain", scope="user", now=now)
    index.run(db, now=now)
    lock(db, locked, by="user", reason="mine", now=now)
    silence(db, now)
    shown = {hit.uid for hit in asked(db, now, "resize the redshift cluster").shown}
    assert shown == {rule, locked}


def test_a_file_that_is_named_is_not_silenced(db: sqlite3.Connection, now: datetime) -> None:
    uid = add_memory(
        db, text="Money amounts are integers", kind="domain", scope="user", paths=("src/money.py",), now=now
    )
    silence(db, now)
    answer = asked(db, now, "what do I keep in mind for money in src/money.py")
    assert [hit.uid for hit in answer.shown] == [uid]


def test_weights_of_a_files_own_hold_and_others_are_refused(db: sqlite3.Connection, now: datetime) -> None:
    assert abstainer_of(db, MODEL) == SHIPPED[MODEL]
    own = SHIPPED[COLD].as_dict() | {"bias": 3.0}
    settings.put(db, "abstainer", json.dumps({COLD: own}), now=now)
    assert abstainer_of(db, COLD).bias == 3.0 and abstainer_of(db, MODEL) == SHIPPED[MODEL]
    for wrong in ("off", "{}", '{"warm": {}}', json.dumps({COLD: {"bias": 1}}), json.dumps({COLD: own | {"met": "1"}})):
        with pytest.raises(InputError, match="abstainer cannot be"):
            settings.put(db, "abstainer", wrong, now=now)
        assert abstainers_of(wrong) == SHIPPED
    db.execute("update settings set value = 'not json' where name = 'abstainer'")
    assert abstainer_of(db, COLD) == SHIPPED[COLD]


def test_with_the_model_words_are_met_token_by_token(sample_db: sqlite3.Connection, now: datetime) -> None:
    semantic = open_semantic(sample_db)
    question = Question("how do we run the migrations", project_id=1)
    answer = ask_for_model(sample_db, question, surface="brief", now=now, semantic=semantic, log=False)
    verdict = answer.recalled.verdict
    assert verdict and verdict.least == SHIPPED[MODEL].least and 0.5 < verdict.numbers["met"] < 1
    assert answer.shown


def test_a_person_is_told_what_is_nearest(sample_path: Path, sample_db: sqlite3.Connection, now: datetime) -> None:
    silence(sample_db, now)
    asked = ["brief", "which data centre hosts the live machines", "--project", "tidepool", "-d", str(sample_path)]
    done = CliRunner().invoke(cli, asked)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Nothing in memory answers this: its first hits are unlikely to answer it")
    assert "Nearest: " in done.stdout and "`memory-db recall` shows them" in done.stdout
