"""A question's filters: what a pool lets in is what no clause keeps out."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.select import ask
from memory_db.recall.explain.why_not import why_not
from memory_db.recall.filters import OUTDATED, entry_filter, memory_filter
from memory_db.recall.gather import Pool
from memory_db.recall.question import Effort, Filters, Question, checked, question_of
from memory_db.store.dates import Window, utc_text

START = datetime(2026, 8, 1, tzinfo=UTC)
DAYS = 120

MOMENTS = st.none() | st.integers(0, DAYS).map(lambda days: (START + timedelta(days=days)).isoformat())
WINDOWS = st.none() | st.tuples(MOMENTS, MOMENTS).map(lambda ends: Window(*ends))
KINDS = st.lists(
    st.sampled_from(("decision", "convention", "fix", "preference", "none of them")), max_size=3, unique=True
)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Any question, of a file in which projects have the ids 1 to 3 and tags are drawn from a few."""
    filters = Filters(
        only_project=draw(st.booleans()), since=draw(MOMENTS), before=draw(MOMENTS), as_of=draw(MOMENTS),
        kinds=tuple(draw(KINDS)), tags=tuple(draw(st.lists(st.sampled_from(("alpha", "beta")), max_size=2))),
    )  # fmt: skip
    project = draw(st.none() | st.integers(1, 3))
    return checked(Question("any", project_id=project, window=draw(WINDOWS), filters=filters))


@pytest.fixture
def tagged(sample_db: sqlite3.Connection) -> sqlite3.Connection:
    """The sample with a few tags and a link between two projects."""
    sample_db.executescript(
        """
        insert into tags (memory_id, tag, recorded_at)
            select id, iif(id % 2, 'alpha', 'beta'), '2026-09-15T00:00:00.000Z' from memories where id % 3 = 0;
        insert or ignore into project_links (project_id, linked_project_id, created_by, created_at)
            values (1, 2, 'user', '2026-09-20T00:00:00.000Z');
        """
    )
    return sample_db


@settings(max_examples=60)
@given(question=questions())
@pytest.mark.slow
def test_a_pool_lets_in_exactly_what_no_clause_keeps_out(tagged: sqlite3.Connection, question: Question) -> None:
    for found, every in (
        (memory_filter(question), [row[0] for row in tagged.execute("select id from memory_versions")]),
        (entry_filter(question), [row[0] for row in tagged.execute("select id from entries where id % 7 = 0")]),
    ):
        pool = Pool(found)
        pool.admit(tagged, every)
        against = {each: found.against(tagged, each) for each in every}
        assert set(pool.bm25) == {each for each, clauses in against.items() if not clauses}
        assert {each for each, clauses in against.items() if [clause.name for clause in clauses] == [OUTDATED]} <= set(
            pool.outdated
        )


def test_what_is_logged_can_be_asked_again() -> None:
    filters = Filters(only_project=True, other_projects=False, since="2026-01-01", kinds=("fix",), tags=("a", "b"))
    question = Question(
        "words", filters=filters, effort=Effort(most_terms=3, entries_below=0.5), paths=("a.py",), limit=4
    )
    assert question_of("words", question.context()) == question
    assert question_of("words", Question("words").context()) == Question("words")


def test_why_not_asks_the_clause_as_of_the_same_moment(db: sqlite3.Connection, now: datetime) -> None:
    uid = add_memory(db, text="The database listens on port 5433.", kind="convention", scope="user", now=now)
    tagged_at = utc_text(now + timedelta(days=2))
    db.execute("insert into tags (memory_id, tag, recorded_at) values (1, 'ports', ?)", [tagged_at])
    for days, outcome in ((1, "not_asked"), (3, "shown")):
        as_of = utc_text(now + timedelta(days=days))
        question = Question("database port", filters=Filters(tags=("ports",), as_of=as_of))
        answer = ask(db, question, surface="test", now=now + timedelta(days=4))
        found = why_not(db, answer.recall_uid or "", uid)
        assert found["outcome"] == outcome
        assert outcome == "shown" or "only the tag ports was asked for" in found["said"][0]
