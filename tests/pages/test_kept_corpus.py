"""What a question meets is kept for its next page, and is what the file itself says, whatever was written meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memory_db.index.semantic import find_semantic
from memory_db.pages.cache import cached
from memory_db.pages.kept.corpus import MOST_QUESTIONS, KeptCorpus
from memory_db.recall.corpus import Corpus
from memory_db.recall.read import Query, read
from memory_db.recall.search import Question, recall
from memory_db.records import replace
from memory_db.store.connection import connect
from memory_db.upkeep.forget.run import forget
from memory_db.upkeep.forget.target import by_uid
from tests.conftest import NOW

pytestmark = pytest.mark.pages

QUESTION = Question("how do we deploy to staging")


def kept(db: sqlite3.Connection, path: Path, question: Question = QUESTION) -> object:
    """The pool of entries that a page asks; the same object where it was kept."""
    corpus = KeptCorpus(db, path)
    return corpus.gathered(read(corpus, question, NOW), find_semantic(db).index).entries


def write(path: Path, sql: str) -> None:
    with closing(connect(path, write=True)) as db:
        db.execute(sql)


def in_score_order(db: sqlite3.Connection, corpus: Corpus, question: Question) -> list[tuple[float, int | None]]:
    found = recall(db, question, now=NOW, semantic=find_semantic(db).index, corpus=corpus)
    return [(hit.score, hit.memory_version_id or hit.entry_id) for hit in found.hits]


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        Question("why is the invoice export slow", scope="entries"),
        Question("never commit secrets", scope="memories", project_id=1),
        Question("pnpm install", limit=3, profile="keyword_only"),
    ],
    ids=lambda question: str(question.query),
)
def test_hits_and_scores_are_those_of_the_file(sample_path: Path, question: Question) -> None:
    with closing(connect(sample_path)) as db:
        expected = in_score_order(db, Corpus(db), question)
        for _ in range(2):
            assert in_score_order(db, KeptCorpus(db, sample_path), question) == expected


CHANGES = {
    "a memory comes": "insert into memories (uid, kind, scope, title, text, content_hash, tokens, origin, valid_from,"
    " created_at, updated_at, changed_by, change_reason) select 'm-new', kind, scope, title,"
    " 'deploy to staging ' || text, 'new', tokens, origin, valid_from, created_at, updated_at, changed_by,"
    " change_reason from memories where id = 1",
    "a memory is retired": "update memories set status = 'retired' where id = 1",
    "a text comes": "insert into entries (session_id, uid, kind, role, text, created_at)"
    " select session_id, 'e-new', kind, role, text, created_at from entries where id = 1",
}


def test_other_limits_weights_and_logged_recalls_leave_it(sample_path: Path) -> None:
    with closing(connect(sample_path)) as db:
        first = kept(db, sample_path)
        write(sample_path, "update recalls set duration_ms = 7 where id = 1")
        assert kept(db, sample_path) is first
        assert kept(db, sample_path, replace(QUESTION, limit=3, threshold=0.4)) is first
        assert kept(db, sample_path, replace(QUESTION, project_id=1)) is not first


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_what_is_asked_is_seen(sample_path: Path, change: str) -> None:
    with closing(connect(sample_path)) as db:
        first = kept(db, sample_path)
        write(sample_path, change)
        assert kept(db, sample_path) is not first
        assert in_score_order(db, KeptCorpus(db, sample_path), QUESTION) == in_score_order(db, Corpus(db), QUESTION)


def test_what_is_forgotten_is_gone_at_once(sample_path: Path) -> None:
    with closing(connect(sample_path)) as db:
        first = kept(db, sample_path)
        uid = db.execute("select uid from memories where status = 'active' limit 1").fetchone()["uid"]
        with closing(connect(sample_path, write=True)) as writing:
            forget(writing, sample_path, by_uid(writing, uid), now=NOW)
        assert kept(db, sample_path) is not first


def test_what_comes_with_one_question_does_not_join_what_is_kept(sample_path: Path) -> None:
    """Earlier prompts and successors bring memories to a question of one moment, which another moment may not have."""

    def members(asking: Callable[[Query], object]) -> set[int]:
        query = read(corpus, QUESTION, NOW)
        asking(query)
        return set(corpus.gathered(query, None).memories.bm25)

    with closing(connect(sample_path)) as db:
        corpus = KeptCorpus(db, sample_path)
        before = members(lambda query: None)
        assert members(lambda query: corpus.gathered(query, None).memories.bm25.update({-1: 0.0})) == before


def test_the_last_questions_are_kept_and_push_nothing_else_out(sample_path: Path) -> None:
    def count(db: sqlite3.Connection) -> list[int]:
        return [int(db.execute("select count(*) from projects").fetchone()[0])]

    with closing(connect(sample_path)) as db:
        counted = cached(sample_path, ("counted",), count, by_table=True)
        pools = [kept(db, sample_path, replace(QUESTION, query=f"deploy {n}")) for n in range(MOST_QUESTIONS + 1)]
        assert kept(db, sample_path, replace(QUESTION, query=f"deploy {MOST_QUESTIONS}")) is pools[-1]
        assert kept(db, sample_path, replace(QUESTION, query="deploy 0")) is not pools[0]
        assert cached(sample_path, ("counted",), count, by_table=True) is counted
