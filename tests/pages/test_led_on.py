"""What pages keep and lead on says at every moment what all counted anew would say."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.knowledge import evidence, memories, retire
from memory_db.knowledge.evidence import add_evidence
from memory_db.models import savings
from memory_db.pages import cache, corrections, economics, home, sixteen
from memory_db.pages.kept import stale
from memory_db.pages.kept.dead_links import dead, dead_on
from memory_db.pages.kept.junk import junk, junk_on
from memory_db.pages.kept.obeyed import obeyed, obeyed_on
from memory_db.pages.kept.recalls import prompts_on, saved_on
from memory_db.pages.kept.wasted import waste, waste_on
from memory_db.pages.lists import memories as memory_list
from memory_db.pages.table_marks import BOOKS_MARK, MOST_MEMORIES, ROWS_MARK, Since, made_with, marks
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store.connection import connect
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.run import forget
from tests.conftest import NOW

pytestmark = pytest.mark.pages

VOLATILE = {"doctor", "fresh", "suggestions"}
"""What of home tells of the moment, or may be of a moment ago."""

Change = Callable[[sqlite3.Connection, Path, datetime], object]


def pages(path: Path) -> dict[str, Any]:
    """What every page tells that keeps parts and leads them on."""
    told = home.home(path, {}, NOW)
    return {
        "home": {name: value for name, value in told.items() if name not in VOLATILE},
        "all time": home.home(path, {"period": ["all"]}, NOW)["changes"],
        "questions": sixteen.sixteen(path),
        "economics": economics.economics(path, {}, now=NOW),
        "economics, 7 days": economics.economics(path, {"days": ["7"]}, now=NOW),
        "memories": memory_list.known(path, NOW),
        "stale": stale.stale_memories(path),
        "corrections": corrections.corrections(path, NOW),
    }


def anew(path: Path) -> dict[str, Any]:
    """The same of a server that keeps nothing yet."""
    cache.WATCHED.clear()
    memory_list.WITH_TIMES.clear()
    return pages(path)


def some(db: sqlite3.Connection, place: int, where: str = "status = 'active'") -> sqlite3.Row:
    return db.execute(f"select id, uid from memories where {where} order by id limit 1 offset ?", [place]).fetchone()


def add(kind: str, text: str, *paths: str) -> Change:
    def done(db: sqlite3.Connection, path: Path, now: datetime) -> object:
        said = f"{text} {now:%H%M%S}"
        return memories.add_memory(db, text=said, kind=kind, scope="user", paths=paths, now=now)

    return done


def twin(db: sqlite3.Connection, path: Path, now: datetime) -> object:
    """The words of a memory once more, by another way than ours."""
    text = db.execute("select text from memories where scope = 'project' and status = 'active' limit 1").fetchone()[0]
    return db.execute(
        "insert into memories (uid, kind, scope, title, text, content_hash, keys, context, tokens, status, importance,"
        " origin, valid_from, created_at, updated_at, changed_by, change_reason)"
        " select ?, kind, 'user', title, text, content_hash, keys, context, tokens, 'active', 3, 'user', valid_from, ?,"
        " ?, 'user', 'again' from memories where text = ? limit 1",
        [f"m{now:%H%M%S}00"[:9], f"{now:%Y-%m-%dT%H:%M:%S}.000Z", f"{now:%Y-%m-%dT%H:%M:%S}.000Z", text],
    )  # fmt: skip


def asked(query: str, surface: str, session: str | None = None) -> Change:
    def done(db: sqlite3.Connection, path: Path, now: datetime) -> object:
        return ask(db, Question(query, session_uid=session), surface=surface, now=now)

    return done


def correct(db: sqlite3.Connection, path: Path, now: datetime) -> object:
    return memories.correct(db, some(db, 7)["uid"], f"Ports are {now:%S} now.", reason="moved", by="user", now=now)


def retired(where: str) -> Change:
    return lambda db, _, now: retire.retire(db, some(db, 3, where)["uid"], by="user", reason="over", now=now)


def restore(db: sqlite3.Connection, path: Path, now: datetime) -> object:
    row = some(db, 0, "status = 'retired'")
    return row and retire.restore(db, row["uid"], by="user", reason="back", now=now)


def told(kind: str) -> Change:
    def done(db: sqlite3.Connection, path: Path, now: datetime) -> object:
        row = db.execute(
            "select h.recall_id, v.memory_id from hits h join memory_versions v on v.id = h.memory_version_id"
            " where h.rank = 1 order by h.id desc limit 1"
        ).fetchone()
        return add_evidence(
            db, row["memory_id"], kind, None, None, f"test {now:%H%M%S}", created_at=f"{now:%Y-%m-%dT%H:%M:%S}.000Z",
            now=now, recall_id=row["recall_id"],
        )  # fmt: skip

    return done


def taken_back(db: sqlite3.Connection, path: Path, now: datetime) -> object:
    return db.execute("update evidence set withdrawn_at = ? where id = (select max(id) from evidence)", [f"{now}"])


def disbelieve(db: sqlite3.Connection, path: Path, now: datetime) -> object:
    return [evidence.give_feedback(db, some(db, 5)["uid"], "wrong", now=now + timedelta(days=n)) for n in range(3)]


def forgotten(db: sqlite3.Connection, path: Path, now: datetime) -> object:
    return forget(db, path, forgetting.by_uid(db, some(db, 9)["uid"]), now=now)


CHANGES: dict[str, Change] = {
    "add": add("convention", "The exporter writes csv, number"),
    "add a correction": add("correction", "Never push to main without a review, number"),
    "add with a path": add("convention", "Limits are set in", "src/limits.py", "README.md"),
    "add a twin": twin,
    "hook": asked("which port has postgres", "hook", "s-1"),
    "hook again": asked("how do we deploy to staging", "hook", "s-1"),
    "mcp": asked("migrations", "mcp"),
    "page": asked("which port has postgres", "datasette"),
    "shell": asked("how do we run the tests", "cli"),
    "start": asked("tests", "session-start", "s-2"),
    "correct": correct,
    "retire": retired("status = 'active'"),
    "retire a correction": retired("status = 'active' and kind = 'correction'"),
    "restore": restore,
    "cite": told("cited"),
    "use": told("used"),
    "wrong": told("wrong"),
    "take back": taken_back,
    "disbelieve": disbelieve,
    "forget": forgotten,
}  # fmt: skip


def test_pages_lead_on_to_what_they_would_tell_anew(sample_path: Path, sample_db: sqlite3.Connection) -> None:
    with closing(connect(sample_path, write=True)) as db:
        pages(sample_path)
        for turn, (name, change) in enumerate(CHANGES.items()):
            change(db, sample_path, NOW + timedelta(minutes=turn))
            kept = pages(sample_path)
            watched, counted = dict(cache.WATCHED), dict(memory_list.WITH_TIMES)
            fresh = anew(sample_path)
            different = [part for part, value in fresh.items() if kept[part] != value]
            assert not different, f"{different} after {name}"
            cache.WATCHED.clear()
            cache.WATCHED.update(watched)
            memory_list.WITH_TIMES.update(counted)


@pytest.mark.slow
@settings(max_examples=12)
@given(names=st.lists(st.sampled_from(sorted(CHANGES)), min_size=2, max_size=7))
def test_whatever_happens_between_two_visits(sample_path: Path, sample_file: Path, names: list[str]) -> None:
    path = sample_path.with_name(f"copy-{len(list(sample_path.parent.iterdir()))}.db")
    shutil.copy(sample_file, path)
    with closing(connect(path, write=True)) as db:
        pages(path)
        for turn, name in enumerate(names):
            CHANGES[name](db, path, NOW + timedelta(minutes=turn))
            if turn % 2:
                pages(path)
        kept = pages(path)
        assert json.dumps(kept, default=sorted) == json.dumps(anew(path), default=sorted)


def test_what_is_led_on_rests_on_the_views(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    disbelieve(sample_db, sample_path, NOW)
    twin(sample_db, sample_path, NOW)
    found, links, judged = obeyed(sample_db), dead(sample_db), junk(sample_db)
    sums = sample_db.execute("select sum(sessions_shown), sum(sessions_obeyed) from obeyed").fetchone()
    assert (len(found.shown), len(found.obeyed)) == tuple(sums) and sums[1] > 0
    assert set(links.edges) == {row[0] for row in sample_db.execute("select edge_id from graph_dead_links")}
    assert judged.found == {row[0] for row in sample_db.execute("select memory_id from junk_candidates")}
    assert len(judged.found) >= 2


ALL_TIME = dict.fromkeys(("project", "since", "until"))

LED_ON = {
    "stale": (stale.found, stale.found_on),
    "obeyed": (obeyed, obeyed_on),
    "dead links": (dead, dead_on),
    "junk": (junk, junk_on),
    "prompts": (economics.prompts, prompts_on),
    "saved": (savings.saved, partial(saved_on, chosen={})),
    "waste": (partial(waste, chosen=ALL_TIME), partial(waste_on, chosen=ALL_TIME)),
    "memories": (partial(memory_list.read_all, now=NOW), partial(memory_list.read_on, now=NOW)),
}  # fmt: skip


@pytest.mark.parametrize("name", LED_ON)
@pytest.mark.parametrize("change", ["add", "hook"])
def test_a_memory_and_a_recall_are_led_on(
    name: str, change: str, sample_db: sqlite3.Connection, sample_path: Path
) -> None:
    make, onward = LED_ON[name]
    before, marked = made_with(sample_db, make)
    CHANGES[change](sample_db, sample_path, NOW)
    assert marked is not None
    now = marks(sample_db, marked.keys() - {BOOKS_MARK, ROWS_MARK})
    assert now is not None and (now != marked or change == "hook")
    after = onward(sample_db, before, Since(marked, now))
    assert after is not None and after == make(sample_db)


def test_many_changes_at_once_are_not_led_on(sample_db: sqlite3.Connection) -> None:
    links, judged = dead(sample_db), junk(sample_db)
    names = ["memories", "edges", "memory_versions", "evidence", "recalls", "hits"]
    before = marks(sample_db, names)
    sample_db.execute("update memories set importance = 3 - (importance = 3), updated_at = updated_at || ' '")
    after = marks(sample_db, names)
    assert before is not None and after is not None
    count = sample_db.execute("select count(*) from memories").fetchone()[0]
    assert (dead_on(sample_db, links, Since(before, after)) is None) == (count > MOST_MEMORIES)
    again = junk_on(sample_db, judged, Since(before, after))
    assert again is None or again == junk(sample_db)
