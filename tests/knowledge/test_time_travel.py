"""What the file said at a moment, it says again for that moment: a random history is replayed."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.errors import InputError, MemoryDBError, NotFoundError
from memory_db.index import build as index
from memory_db.knowledge import memories
from memory_db.knowledge.as_of import beliefs_as_of, memory_as_of
from memory_db.knowledge.attributes import removing
from memory_db.knowledge.effects import change, recording, take_back
from memory_db.knowledge.evidence import add_evidence, confirm
from memory_db.knowledge.memories import get_memory
from memory_db.knowledge.succession import supersede
from memory_db.knowledge.suppressions import end_suppression, suppress
from memory_db.recall.brief.select import ask
from memory_db.recall.checkpoints import set_checkpoint
from memory_db.recall.explain.diff import diff, text_diff
from memory_db.recall.explain.history import history
from memory_db.recall.search import Filters, Question
from memory_db.store import settings as options
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from tests.support.withdrawing import withdraw_evidence

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

WORDS = ("walrus", "copper", "lantern", "juniper", "meadow", "quartz")

KNOWN = yaml.safe_load(Path("metadata.yml").read_text("utf-8"))["databases"]["memory"]["queries"][
    "what_was_known_on_this_day"
]["sql"]


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without embeddings: a full model is no part of this."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    with closing(open_database(path, now=BEGIN)) as db:
        options.put(db, "embedding_model", "none", now=BEGIN)
        db.execute("insert into projects (name, canonical_path, created_at) values ('one', '/w/one', '2026-01-01')")
        db.execute("pragma wal_checkpoint(truncate)")
    return path


@dataclass
class World:
    """A file, its clock, and what it said at each moment."""

    db: sqlite3.Connection
    now: datetime = BEGIN
    uids: list[str] = field(default_factory=list)
    done: list[dict[str, Any]] = field(default_factory=list)
    said: dict[str, dict[str, Any]] = field(default_factory=dict)

    def uid(self, number: int) -> str:
        """One of the memories there are. Raises: NotFoundError."""
        if not self.uids:
            raise NotFoundError("There is no memory yet.")
        return self.uids[number % len(self.uids)]

    def id(self, number: int) -> int:
        return int(self.db.execute("select id from memories where uid = ?", [self.uid(number)]).fetchone()[0])


def add(world: World, a: int, b: int) -> None:
    text = f"The {WORDS[a % 6]} needs a {WORDS[b % 6]} number {a % 4}."
    uid = memories.add_memory(
        world.db, text=text, kind=("decision", "fix", "quirk")[a % 3], scope="user" if b % 2 else "project",
        project_id=None if b % 2 else 1, tags=[WORDS[b % 6]], paths=[f"src/{WORDS[a % 6]}.py"],
        origin="rules" if a % 2 else "user", now=world.now,
    )  # fmt: skip
    world.uids += [uid] if uid not in world.uids else []


def correct(world: World, a: int, b: int) -> None:
    uid = memories.correct(
        world.db, world.uid(a), f"Now the {WORDS[b % 6]} has {b}.", reason="moved", by="user", now=world.now
    )
    world.uids.append(uid)


def replace(world: World, a: int, b: int) -> None:
    supersede(world.db, world.uid(a), world.uid(b), reason="newer", by="user", now=world.now)


def set_columns(world: World, a: int, b: int) -> None:
    columns: dict[str, Any] = (
        {"lock_level": "user"}, {"lock_level": "none"}, {"status": "retired"}, {"status": "active"},
        {"importance": 1 + a % 5}, {"text": f"Changed: {WORDS[a % 6]} and {b}.", "title": f"Changed {b}"},
        {"kind": "failure"}, {"scope": "user", "project_id": None},
    )[b % 8]  # fmt: skip
    change(world.db, world.uid(a), columns, "by hand", "user", world.now)


def twice_at_once(world: World, a: int, b: int) -> None:
    set_columns(world, a, b)
    set_columns(world, a, b + 1)


def speak(world: World, a: int, b: int) -> None:
    kind = ("stated", "repeated", "used", "cited", "ignored", "wrong")[b % 6]
    add_evidence(
        world.db, world.id(a), kind, None, None, f"entry {b % 3}", created_at=utc_text(world.now), now=world.now
    )


def take_word_back(world: World, a: int, b: int) -> None:
    row = world.db.execute("select kind, source from evidence where memory_id = ?", [world.id(a)]).fetchone()
    if row:
        withdraw_evidence(world.db, world.id(a), row["kind"], row["source"], now=world.now)


def agree(world: World, a: int, b: int) -> None:
    confirm(world.db, world.uid(a), now=world.now)


def more_words(world: World, a: int, b: int) -> None:
    with transaction(world.db):
        memories.add_keys(world.db, world.id(a), [WORDS[b % 6]], "gate", now=world.now)
        memories.add_condition(world.db, world.id(a), f"before the {WORDS[b % 6]} runs", "gate", now=world.now)
        memories.add_paths(world.db, world.id(a), [f"lib/{WORDS[b % 6]}.py"], now=world.now)


def fewer_tags(world: World, a: int, b: int) -> None:
    with transaction(world.db), removing(world.db, now=world.now):
        world.db.execute("delete from tags where memory_id = ?", [world.id(a)])
        world.db.execute("delete from memory_paths where memory_id = ? and path like 'src%'", [world.id(a)])


def do_and_note(world: World, a: int, b: int) -> None:
    with transaction(world.db), recording(world.db, [world.id(b)] if world.uids else []) as effects:
        (add, correct, replace, more_words, speak)[a % 5](world, b, a)
    world.done.append(effects)


def revert(world: World, a: int, b: int) -> None:
    if world.done:
        with transaction(world.db):
            take_back(world.db, world.done.pop(), reason="was wrong", by="user", now=world.now)


def hold_back(world: World, a: int, b: int) -> None:
    suppress(world.db, world.uid(a), WORDS[b % 6], reason="not there", by="user", now=world.now)


def hold_back_no_more(world: World, a: int, b: int) -> None:
    row = world.db.execute("select id from suppressions where ended_at is null").fetchone()
    if row:
        end_suppression(world.db, row["id"], now=world.now)


OPERATIONS: tuple[Callable[[World, int, int], None], ...] = (
    add, add, correct, replace, set_columns, twice_at_once, speak, take_word_back, agree, more_words, fewer_tags,
    do_and_note, revert, hold_back, hold_back_no_more,
)  # fmt: skip

STEPS = st.lists(
    st.tuples(
        st.sampled_from(OPERATIONS), st.integers(0, 30), st.integers(0, 30), st.sampled_from((1, 5_000, 86_400_000))
    ),
    min_size=4,
    max_size=14,
)


def what_is_said(world: World, as_of: str | None) -> dict[str, Any]:
    """Everything that can be asked, now or as of a moment."""
    db, moment = world.db, as_of or utc_text(world.now)
    found: dict[str, Any] = {"memories": {}, "recalls": {}}
    for (uid,) in db.execute("select uid from memories order by uid").fetchall():
        try:
            found["memories"][uid] = comparable(memory_as_of(db, uid, as_of) if as_of else get_memory(db, uid))
        except NotFoundError:
            continue
    for word in WORDS[:3]:
        for tags in ((), (WORDS[1],)):
            question = Question(
                f"what about the {word}", scope="memories", filters=Filters(as_of=as_of, tags=tags), limit=50
            )
            answer = ask(db, question, surface="test", now=world.now, log=False, keep=1_000)
            found["recalls"][word, tags] = sorted(
                (hit.uid, hit.text, round(hit.features.alpha or 0, 6), round(hit.features.beta or 0, 6),
                 hit.features.lock_level, "suppressed" in (hit.left_out_reason or ""))
                for hit in answer.hits
            )  # fmt: skip
    found["canned"] = [tuple(row) for row in db.execute(KNOWN, {"day": moment})]
    beliefs = beliefs_as_of(db, moment).values() if as_of else map(dict, db.execute("select * from beliefs"))
    found["beliefs"] = {row["uid"]: (row["tier"], round(row["alpha"], 6), round(row["beta"], 6)) for row in beliefs}
    return found


def comparable(memory: dict[str, Any]) -> dict[str, Any]:
    """A memory without rounding errors, and without when its row was touched by what made no version."""
    belief = {name: round(v, 6) if isinstance(v, float) else v for name, v in (memory["belief"] or {}).items()}
    evidence = [{name: v for name, v in row.items() if name != "source"} for row in memory["evidence"]]
    rest = {name: v for name, v in memory.items() if name in MEMORY_PARTS}
    return rest | {"belief": belief, "evidence": evidence}


MEMORY_PARTS = (
    "uid", "kind", "scope", "project_id", "project", "status", "lock_level", "importance", "title", "text", "keys",
    "context", "condition", "tokens", "content_hash", "valid_from", "valid_to", "changed_by", "change_reason", "paths",
    "tags", "replaces", "replaced_by", "versions", "sources",
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=15)
@given(steps=STEPS)
def test_what_the_file_said_it_says_again(empty_file: Path, tmp_path: Path, steps: list[Any]) -> None:
    path = tmp_path / "replayed.db"
    for old in tmp_path.glob("replayed.db*"):
        old.unlink()
    shutil.copy(empty_file, path)
    with closing(open_database(path, now=BEGIN)) as db:
        world = World(db)
        for operation, a, b, later_ms in steps:
            world.now += timedelta(milliseconds=later_ms)
            with contextlib.suppress(MemoryDBError):  # refused: nothing changed
                operation(world, a, b)
            index.run(db, now=world.now, entries=False)
            world.said[utc_text(world.now)] = what_is_said(world, None)
        world.now += timedelta(days=30)
        for moment, said in world.said.items():
            again = what_is_said(world, moment)
            for name, value in said.items():
                assert again[name] == value, (name, moment)


@pytest.fixture
def three_days(db: sqlite3.Connection) -> Iterator[dict[str, str]]:
    """A memory that is made, changed and replaced, a day apart each."""
    days = [BEGIN + timedelta(days=number) for number in range(4)]
    options.put(db, "embedding_model", "none", now=BEGIN)
    first = memories.add_memory(db, text="Deploys happen on Tuesday.", kind="decision", scope="user", now=days[0])
    set_checkpoint(db, "made", by="user", now=days[0])
    change(db, first, {"text": "Deploys happen on Wednesday.", "lock_level": "user"}, "moved", "user", days[1])
    confirm(db, first, now=days[1])
    second = memories.correct(db, first, "Deploys happen whenever it is green.", reason="new", by="user", now=days[2])
    yield {"first": first, "second": second} | {f"day{number}": utc_text(day) for number, day in enumerate(days)}


def test_a_memory_is_shown_as_it_was(db: sqlite3.Connection, three_days: dict[str, str]) -> None:
    first, second = three_days["first"], three_days["second"]
    then = memory_as_of(db, first, three_days["day0"])
    assert (then["text"], then["lock_level"], len(then["versions"])) == ("Deploys happen on Tuesday.", "none", 1)
    assert then["replaced_by"] == [] and then["belief"]["alpha"] == 6.0
    later = memory_as_of(db, first, three_days["day1"])
    assert (later["text"], later["status"], later["belief"]["alpha"]) == ("Deploys happen on Wednesday.", "active", 7.0)
    assert [each["uid"] for each in memory_as_of(db, first, three_days["day2"])["replaced_by"]] == [second]
    with pytest.raises(NotFoundError, match="was not recorded by"):
        memory_as_of(db, second, three_days["day1"])
    with pytest.raises(NotFoundError, match="No memory 'm0'"):
        memory_as_of(db, "m0", three_days["day1"])


def test_it_has_the_form_of_get(db: sqlite3.Connection, three_days: dict[str, str]) -> None:
    now = get_memory(db, three_days["first"])
    then = memory_as_of(db, three_days["first"], three_days["day3"])
    assert list(now) == list(then)
    assert list(now["belief"]) == list(then["belief"])
    assert {name for name in now if now[name] != then[name]} == set()


def test_history_shows_all_in_order(db: sqlite3.Connection, three_days: dict[str, str], now: datetime) -> None:
    first = three_days["first"]
    ask(db, Question("deploys green", scope="memories"), surface="cli", now=now)
    ask(db, Question("deploys green again", scope="memories"), surface="cli", now=now)
    events = history(db, first)
    assert [event.recorded_at for event in events] == sorted(event.recorded_at for event in events)
    whats = [event.what for event in events]
    assert whats[:2] == ["made", "evidence for"]
    assert {"changed", "superseded", "edge"} <= set(whats)
    changed = next(event for event in events if event.what == "changed")
    assert changed.changes["text"] == ("Deploys happen on Tuesday.", "Deploys happen on Wednesday.")
    assert changed.changes["lock_level"] == ("none", "user") and changed.by == "user" and changed.why == "moved"
    shown = [event.detail for event in history(db, three_days["second"]) if event.what == "shown"]
    assert shown == ["2 times"]


def test_every_sort_of_row_is_reported(db: sqlite3.Connection, three_days: dict[str, str]) -> None:
    """A table that refers to a memory and is not told of in a history would be forgotten there."""
    found = {"edges", "evidence", "memory_versions", "decisions", "proposals", "contradictions", "suppressions",
            "memory_sources", "removed_parts", "hits", "command_rules"}  # fmt: skip
    derived = {"memory_entities", "memory_paths", "tags", "scan_findings", "judgements", "weak_labels",
               "memory_ties", "memory_tie_progress"}  # fmt: skip
    rows = db.execute(
        "select distinct t.name from sqlite_master t, pragma_foreign_key_list(t.name) f"
        " where t.type = 'table' and f.\"table\" = 'memories'"
    )
    assert {row["name"] for row in rows} <= found | derived


def test_diff_says_why_something_was_added_not_what_became_of_it(db: sqlite3.Connection) -> None:
    uid = memories.add_memory(
        db, text="Deploys happen on Tuesday.", kind="domain", scope="user", reason="said so", now=BEGIN
    )
    with transaction(db):
        change(db, uid, {"status": "retired"}, "reverted p5", "user", BEGIN + timedelta(hours=1))
    (added,) = diff(db, "2026-01-01", "2026-12-31")["added"]
    assert (added["why"], added["status"], added["recorded_at"]) == ("said so", "retired", utc_text(BEGIN))


def test_diff_shows_what_changed(db: sqlite3.Connection, three_days: dict[str, str]) -> None:
    first, second = three_days["first"], three_days["second"]
    all_of_it = diff(db, "2026-01-01", three_days["day3"])
    assert sorted(row["uid"] for row in all_of_it["added"]) == sorted([first, second])
    later = diff(db, three_days["day0"], three_days["day1"])
    assert [row["text_diff"] for row in later["changed"]] == ["Deploys happen on [-Tuesday.-]{+Wednesday.+}"]
    assert [row["uid"] for row in later["locked"]] == [first] and later["added"] == []
    last = diff(db, three_days["day1"], three_days["day2"])
    assert [(row["uid"], row["superseded_by"]) for row in last["superseded"]] == [(first, [second])]
    assert all(rows == [] for rows in diff(db, three_days["day2"], three_days["day3"]).values())
    with pytest.raises(InputError, match="is before"):
        diff(db, three_days["day3"], three_days["day0"])


def test_a_belief_that_moved_is_reported(db: sqlite3.Connection, three_days: dict[str, str]) -> None:
    second = db.execute("select id from memories where uid = ?", [three_days["second"]]).fetchone()[0]
    add_evidence(db, second, "wrong", None, None, "user", created_at=three_days["day3"],
                 now=BEGIN + timedelta(days=3))  # fmt: skip
    moved = diff(db, three_days["day2"], three_days["day3"])["beliefs_moved"]
    assert [row["uid"] for row in moved] == [three_days["second"]]
    assert moved[0]["after"] < moved[0]["before"] - 0.05


def test_two_texts_as_one() -> None:
    assert text_diff("a b c", "a x c d") == "a [-b-]{+x+} c{+ d+}"
    assert text_diff("same", "same") == "same"
