"""What two machines said in other words, once their files are one: asked about, in either order, and once."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory_db.gate.review.queue import accept
from memory_db.knowledge.memories import add_memory
from memory_db.store.schema import open_database
from memory_db.upkeep.merge.alike import sharing
from memory_db.upkeep.merge.run import Merged, merge
from tests.support.natural_rows import differences

NOW = datetime.fromisoformat("2026-11-01T12:00:00+00:00")

CRANE = "The harbour crane lifts nine tonnes at most."

COMMITS = "Commit messages are written in the imperative."


def file_of(path: Path, texts: Mapping[str, str]) -> Path:
    """A file with these memories, each with its scope: one a minute."""
    with closing(open_database(path, now=NOW)) as db:
        db.execute(
            "insert into projects (id, name, canonical_path, created_at) values (1, 'tern', '/tern', ?)", ["2026-01-01"]
        )
        for minutes, (text, scope) in enumerate(texts.items()):
            project = 1 if scope == "project" else None
            now = NOW + timedelta(minutes=minutes + len(path.name))
            add_memory(db, text=text, kind="convention", scope=scope, project_id=project, now=now)
        db.execute("pragma wal_checkpoint(truncate)")
    return path


def joined(own: Path, other: Path, name: str) -> tuple[Path, Merged]:
    """A copy of a file into which another one was merged, and what that did."""
    path = Path(shutil.copy(own, own.with_name(name)))
    with closing(open_database(path, now=NOW)) as db:
        done = merge(db, path, other, now=NOW + timedelta(days=1))
        db.execute("pragma wal_checkpoint(truncate)")
    return path, done


def waiting(path: Path) -> list[tuple[str, str, str]]:
    """Of each proposal to make one of two memories the words of the one that goes and of the one that stays."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute(
            "select m.text, o.text, p.reason from proposals p join memories m on m.id = p.memory_id"
            " join memories o on o.id = p.other_memory_id where p.kind = 'merge' and p.state = 'open' order by 1"
        ).fetchall()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs", "goes", "said"),
    [
        ({CRANE: "user"}, {"At most nine tonnes the crane of the harbour lifts.": "user"}, 1, "says it"),
        ({CRANE: "user"}, {f"{CRANE[:-1]}, and never in a storm above force eight.": "user"}, 0, "says more"),
        ({CRANE: "project"}, {"At most nine tonnes the crane of the harbour lifts.": "user"}, 0, "says it"),
        ({COMMITS: "user"}, {"Write commit messages in the imperative mood.": "user"}, 1, "perhaps the same"),
        ({CRANE: "user"}, {"The harbour crane lifts seven tonnes at most.": "user"}, None, ""),
        ({CRANE: "user"}, {"The beacon blinks at night.": "user"}, None, ""),
        ({CRANE: "user", "The beacon blinks at night.": "user"}, {CRANE: "user"}, None, ""),
    ],
    ids=["other words", "more words", "elsewhere", "alike", "another value", "another matter", "one that both know"],
)
def test_the_same_in_other_words_waits_in_either_order(
    ours: dict[str, str], theirs: dict[str, str], goes: int | None, said: str, tmp_path: Path
) -> None:
    one, other = file_of(tmp_path / "one.db", ours), file_of(tmp_path / "two-two.db", theirs)
    (ab, done), (ba, _) = joined(one, other, "ab.db"), joined(other, one, "ba.db")
    texts = [*ours, *theirs]
    if goes is None:
        assert waiting(ab) == []
    else:
        ((gone, stays, reason),) = waiting(ab)
        assert (gone, stays) == (texts[goes], texts[1 - goes])
        assert said in reason and [each.kind for each in done.asked] == ["merge"]
    assert differences(ab, ba) == {}
    again, nothing = joined(ab, other, "again.db")
    assert nothing.asked == [] and differences(ab, again) == {}


@pytest.mark.slow
def test_what_one_file_had_both_of_is_not_asked(tmp_path: Path) -> None:
    both = {CRANE: "user", "At most nine tonnes the crane of the harbour lifts.": "user"}
    path, _ = joined(file_of(tmp_path / "one.db", both), file_of(tmp_path / "two-two.db", {}), "ab.db")
    assert waiting(path) == []


@pytest.mark.slow
def test_one_word_of_a_person_makes_them_one(tmp_path: Path) -> None:
    one = file_of(tmp_path / "one.db", {CRANE: "user"})
    other = file_of(tmp_path / "two-two.db", {"At most nine tonnes the crane of the harbour lifts.": "user"})
    path, _ = joined(one, other, "ab.db")
    with closing(open_database(path, now=NOW)) as db:
        accept(db, "p1", now=NOW + timedelta(days=2))
        assert db.execute("select text from memories where status = 'active'").fetchall()[0][0] == CRANE
    assert joined(path, other, "again.db")[1].asked == []


def test_pairs_share_most_words_of_the_shorter() -> None:
    ours = {1: frozenset("abcdef"), 2: frozenset("xy"), 3: frozenset()}
    theirs = {7: frozenset("abcdez"), 8: frozenset("abc"), 9: frozenset("ax")}
    assert sharing(ours, theirs) == {(1, 8)}
