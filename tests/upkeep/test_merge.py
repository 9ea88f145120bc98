"""Two files made one: in any order, any number of times, with nothing lost and nothing twice."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.knowledge.attributes import removing
from memory_db.knowledge.effects import change
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory, correct
from memory_db.knowledge.retire import retire
from memory_db.knowledge.succession import supersede
from memory_db.store.connection import SCHEMA_VERSION
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.text.scrubbing import FORGOTTEN
from memory_db.upkeep.check import check
from memory_db.upkeep.forget.run import forget
from memory_db.upkeep.forget.target import by_uid, by_words
from memory_db.upkeep.merge.choice import COLUMN_RULES, joined
from memory_db.upkeep.merge.histories import Change, merged
from memory_db.upkeep.merge.rows import Shape
from memory_db.upkeep.merge.run import Merged, merge
from memory_db.upkeep.merge.tables import NAMES, OWN, ROWS, TABLES
from tests.support.natural_rows import differences, natural_rows

NOW = datetime.fromisoformat("2026-11-01T12:00:00+00:00")

FERRY, CRANE, BEACON = "The ferry leaves from quay four.", "The crane lifts nine tonnes.", "The beacon blinks at night."

Change_ = Callable[[sqlite3.Connection, datetime], object]


def after(minutes: int) -> datetime:
    return NOW + timedelta(minutes=minutes)


def file_with(path: Path, *changes: Change_, start: Path | None = None) -> Path:
    """A file in which some things were done, one a minute from the tenth on, or in which they follow another file's."""
    if start is not None:
        shutil.copy(start, path)
    with closing(open_database(path, now=NOW)) as db:
        for minutes, each in enumerate(changes, start=10):
            each(db, after(minutes))
        db.execute("pragma wal_checkpoint(truncate)")
    return path


def uid_of(db: sqlite3.Connection, text: str) -> str:
    return str(db.execute("select uid from memories where text = ?", [text]).fetchone()[0])


def add(text: str) -> Change_:
    return lambda db, now: add_memory(db, text=text, kind="convention", scope="user", now=now)


def at(minutes: int, what: Callable[..., object], said: str, **values: object) -> Change_:
    """Something done to the memory that says so, so many minutes later."""
    return lambda db, _: what(db, uid_of(db, said), now=after(minutes), **values)


def say(session: str, *entries: str) -> Change_:
    """Entries of a session, one a minute, each named by its words."""

    def write(db: sqlite3.Connection, _: datetime) -> None:
        db.execute("insert or ignore into sessions (uid, format) values (?, 'claude-code')", [session])
        number = db.execute("select id from sessions where uid = ?", [session]).fetchone()[0]
        begin = db.execute("select count(*) from session_entries where session_id = ?", [number]).fetchone()[0]
        for place, text in enumerate(entries, start=begin):
            cursor = db.execute(
                "insert into entries (uid, session_id, role, kind, text, created_at)"
                " values (?, ?, 'user', 'prompt', ?, ?)",
                [hashlib.md5(text.encode()).hexdigest(), number, text, utc_text(after(place))],
            )
            db.execute("insert into session_entries values (?, ?, ?)", [number, cursor.lastrowid, place])

    return write


def into(own: Path, *others: Path, name: str, is_sound: bool = True) -> Path:
    """A copy of a file into which others were merged one after the other."""
    path = own.with_name(f"{name}.db")
    shutil.copy(own, path)
    for other in others:
        merged_into(path, other, is_sound=is_sound)
    return path


def merged_into(path: Path, other: Path, *, is_sound: bool) -> Merged:
    with closing(open_database(path, now=NOW)) as db:
        done = merge(db, path, other, now=after(500))
        # Pairs of characters the index makes, as after an import.
        assert not is_sound or [each for each in check(db) if each.what != "full text covers every text"] == []
        db.execute("pragma wal_checkpoint(truncate)")
    return done


def one(path: Path, sql: str, *values: object) -> Any:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql, values).fetchone()


# ------------------------------------------------------------------ the description


def test_every_table_is_described_and_comes_after_what_it_refers_to(db: sqlite3.Connection) -> None:
    there = {
        name
        for name, sort in db.execute("select name, type from pragma_table_list where schema = 'main'")
        if sort == "table" and not name.startswith("sqlite_")
    }
    assert set(TABLES) == there
    places = {table: place for place, table in enumerate(TABLES)}
    for table, rule in TABLES.items():
        shape = Shape(db, table, rule)
        assert set(rule.key) | set(rule.columns) | set(rule.stays) <= set(shape.info), table
        for column, parent in shape.refers.items() if rule.how in (ROWS, OWN) else ():
            assert places[parent] <= places[table] or column in rule.stays, (table, column)
            assert parent in NAMES


VALUES = st.one_of(st.none(), st.integers(0, 3))


@pytest.mark.parametrize("table", [name for name, rule in TABLES.items() if rule.how == ROWS])
@settings(max_examples=30)
@given(st.data())
@pytest.mark.slow
def test_of_rows_that_say_the_same_it_does_not_matter_which_are_joined_first(table: str, data: st.DataObject) -> None:
    rule = TABLES[table]
    texts = st.sampled_from(["", "a", "b [redacted:x]", f"a {FORGOTTEN}", f"b {FORGOTTEN}", FORGOTTEN])
    names = {each.partition(" ")[2]: VALUES for each in rule.wins} | {"anything": VALUES}
    names |= {name: texts if "text" in name or name == "answer" else VALUES for name in (*names, *rule.columns)}
    rows = [data.draw(st.fixed_dictionaries(names)) for _ in range(3)]

    def join(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
        return joined(first, second, rule.wins, rule.columns)

    a, b, c = rows
    assert join(a, a) == a
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert set(rule.columns.values()) <= set(COLUMN_RULES)


# ------------------------------------------------------------------------ histories

SET = st.fixed_dictionaries({}, optional={"text": st.sampled_from("xyz"), "status": st.sampled_from("ar")})

CHANGES = st.lists(
    st.tuples(st.integers(1, 999), st.sampled_from(["user", "gate"]), st.sampled_from("pq"), SET), max_size=4,
    unique_by=lambda each: each[0],
)  # fmt: skip


def chain(changes: Sequence[tuple[int, str, str, dict[str, str]]]) -> list[Change]:
    """A chain of changes, each at a moment of its own, the first of which made the memory."""
    first = Change("000", "gate", "said", {"text": "w", "status": "a", "valid_from": "1"}, own_id=0)
    return [first] + [
        Change(
            f"{when:03}", by, f"{why}{when if by == 'user' else ''}", sets | {"keys": when} if by == "gate" else sets, 1
        )
        for when, by, why, sets in sorted(changes, key=lambda each: each[0])
    ]


def plain(changes: Sequence[Change]) -> list[tuple[str, str, str, str]]:
    return [(each.at, each.by, each.why, json.dumps(each.sets, sort_keys=True)) for each in changes]


@given(CHANGES, CHANGES, CHANGES)
@pytest.mark.slow
def test_histories_join_in_any_order(one: Any, two: Any, three: Any) -> None:
    a, b, c = chain(one), chain(two), chain(three)

    def join(first: list[Change], second: list[Change]) -> list[Change]:
        own = [replace(each, own_id=1, other_ids=()) for each in first]
        other = [replace(each, own_id=None, other_ids=(1,)) for each in second]
        return merged("m1", own, other).changes

    assert plain(join(a, a)) == plain(a)
    assert plain(join(a, b)) == plain(join(b, a))
    assert plain(join(join(a, b), c)) == plain(join(a, join(b, c)))


# --------------------------------------------------------------------- whole files


def two_sides(folder: Path) -> tuple[Path, Path, Path]:
    """Three files with a common beginning in which the same and other things were done since."""
    base = file_with(folder / "base.db", add(FERRY), add(CRANE), add(BEACON), say("shared", "one", "two", "three"))
    rewrite = lambda db, uid, now, text: change(db, uid, {"text": text}, "reworded", "user", now)  # noqa: E731
    a = file_with(
        folder / "a.db",
        at(30, lock, CRANE, by="user", reason="holds"),
        at(31, correct_by_hand, FERRY, text="The ferry leaves from quay six."),
        at(32, rewrite, BEACON, text="The beacon blinks every seven seconds."),
        say("shared", "four of a", "five of a"),
        say("own of a", "only a"),
        start=base,
    )
    b = file_with(
        folder / "b.db",
        at(40, retire_by_hand, CRANE),
        at(41, correct_by_hand, FERRY, text="The ferry leaves from quay nine."),
        at(42, rewrite, BEACON, text="The beacon blinks every nine seconds."),
        say("shared", "four of b"),
        start=base,
    )
    c = file_with(folder / "c.db", add(BEACON), add("The mast is 9 m high."), say("shared", "one", "two"))
    return a, b, c


def correct_by_hand(db: sqlite3.Connection, uid: str, *, now: datetime, text: str) -> None:
    correct(db, uid, text, reason="moved", by="user", now=now)


def retire_by_hand(db: sqlite3.Connection, uid: str, *, now: datetime) -> None:
    retire(db, uid, by="user", reason="sold", now=now)


@pytest.mark.slow
def test_files_join_in_any_order_and_once(tmp_path: Path) -> None:
    a, b, c = two_sides(tmp_path)
    ab, ba = into(a, b, name="ab"), into(b, a, name="ba")
    assert differences(ab, ba) == {}
    again = into(ab, b, a, name="again")
    assert differences(ab, again) == {}
    bc = into(b, c, name="bc")
    assert differences(into(ab, c, name="ab-c"), into(a, bc, name="a-bc")) == {}


@pytest.mark.slow
def test_the_later_change_holds_and_the_other_waits(tmp_path: Path) -> None:
    a, b, _ = two_sides(tmp_path)
    both = into(a, b, name="both")
    assert one(both, "select text from memories where text like 'The beacon%'") == (
        "The beacon blinks every nine seconds.",
    )
    versions = one(both, "select group_concat(text, '|') from memory_versions where text like 'The beacon%'")[0]
    assert "every seven" in versions
    assert one(both, "select kind, text from proposals") == ("rewrite", "The beacon blinks every seven seconds.")
    assert one(both, "select count(*) from review_queue where sort = 'contradiction'") == (1,)
    crane = one(both, "select status, lock_level from memories where text = ?", CRANE)
    assert crane == ("retired", "user"), "a lock outlives what the other machine changed besides"


@pytest.mark.slow
def test_one_session_that_went_on_on_two_machines_keeps_its_order(tmp_path: Path) -> None:
    a, b, _ = two_sides(tmp_path)
    said = (
        "select group_concat(text, ', ') from (select e.text from session_entries p join entries e on e.id = p.entry_id"
        " join sessions s on s.id = p.session_id where s.uid = 'shared' order by p.position)"
    )
    assert one(into(a, b, name="ab"), said) == one(into(b, a, name="ba"), said)
    assert one(into(a, b, name="ab"), said)[0].startswith("one, two, three, four of")


# ----------------------------------------------------------------------- forgetting


def forget_by_hand(db: sqlite3.Connection, uid: str, *, now: datetime) -> None:
    forget(db, Path(db.execute("select file from pragma_database_list").fetchone()[0]), by_uid(db, uid), now=now)


@pytest.mark.slow
def test_what_one_side_forgot_stays_forgotten(tmp_path: Path) -> None:
    secret = "The door to the cellar is opened by blue lagoon."
    base = file_with(tmp_path / "base.db", add(secret), add(CRANE), say("s", f"Remember: {secret}", "and more"))
    a = file_with(tmp_path / "a.db", at(30, forget_by_hand, secret), start=base)
    for own, other in ((a, base), (base, a)):
        path = into(own, other, name="joined")
        assert b"blue lagoon" not in path.read_bytes()
        assert one(path, "select count(*) from memories") == (1,)
        assert one(path, "select count(*) from forgotten where sort = 'memory'") == (1,)
    assert differences(into(a, base, name="one"), into(base, a, name="two")) == {}


@pytest.mark.slow
def test_what_was_said_again_after_it_was_forgotten_stays(tmp_path: Path) -> None:
    base = file_with(tmp_path / "base.db", add(CRANE))
    again: Change_ = lambda db, _: add_memory(db, text=CRANE, kind="convention", scope="user", now=after(60))  # noqa: E731
    a = file_with(tmp_path / "a.db", at(30, forget_by_hand, CRANE), again, start=base)
    for own, other in ((a, base), (base, a)):
        assert one(into(own, other, name="joined"), "select text, created_at from memories") == (
            CRANE,
            utc_text(after(60)),
        )


@pytest.mark.slow
def test_words_that_were_taken_out_of_an_entry_do_not_come_back(tmp_path: Path) -> None:
    base = file_with(tmp_path / "base.db", say("s", "The lagoon is blue and deep", "and more"))
    words: Change_ = lambda db, now: forget(db, tmp_path / "a.db", by_words(db, "blue and deep"), now=now)  # noqa: E731
    a = file_with(tmp_path / "a.db", words, start=base)
    for own, other in ((a, base), (base, a)):
        text = one(into(own, other, name="joined"), "select text from entries order by created_at")[0]
        assert text == f"The lagoon is {FORGOTTEN}"


# ------------------------------------------------------------------------ edges, tags


@pytest.mark.slow
def test_replacements_that_go_round_in_a_circle_are_broken(tmp_path: Path) -> None:
    def replace(old: str, new: str, minutes: int) -> Change_:
        def draw(db: sqlite3.Connection, _: datetime) -> None:
            supersede(db, uid_of(db, old), uid_of(db, new), reason="better", by="user", now=after(minutes))

        return draw

    base = file_with(tmp_path / "base.db", add(CRANE), add(FERRY))
    a = file_with(tmp_path / "a.db", replace(CRANE, FERRY, 30), start=base)
    b = file_with(tmp_path / "b.db", replace(FERRY, CRANE, 40), start=base)
    ab, ba = into(a, b, name="ab"), into(b, a, name="ba")
    assert one(ab, "select group_concat(status) from (select status from memories order by text)") == (
        "active,superseded",
    )
    assert differences(ab, ba) == {}


@pytest.mark.slow
def test_a_tag_that_one_side_took_off_is_off(tmp_path: Path) -> None:
    tag: Change_ = lambda db, now: db.execute("insert into tags values (1, 'port', ?)", [utc_text(now)])  # noqa: E731

    def untag(db: sqlite3.Connection, now: datetime) -> None:
        with removing(db, now=now):
            db.execute("delete from tags")

    base = file_with(tmp_path / "base.db", add(CRANE), tag)
    a = file_with(tmp_path / "a.db", add(FERRY), add(BEACON), untag, start=base)
    for own, other in ((a, base), (base, a)):
        path = into(own, other, name="joined")
        assert one(path, "select (select count(*) from tags), (select count(*) from removed_parts)") == (0, 1)


@pytest.mark.slow
def test_two_projects_of_one_repository_become_one(tmp_path: Path) -> None:
    def project(path: str, minutes: int) -> Change_:
        return lambda db, _: db.execute(
            "insert into projects (name, canonical_path, git_remote, created_at)"
            " values ('tern', ?, 'git.example/tern', ?)",
            [path, utc_text(after(minutes))],
        )

    keep: Change_ = lambda db, now: add_memory(  # noqa: E731
        db, text=CRANE, kind="convention", scope="project", project_id=1, now=now
    )
    a = file_with(tmp_path / "a.db", project("/home/sam/tern", 1), keep)
    b = file_with(tmp_path / "b.db", project("/Users/sam/tern", 2), keep)
    ab, ba = into(a, b, name="ab"), into(b, a, name="ba")
    assert one(ab, "select count(*), canonical_path from projects") == (1, "/home/sam/tern")
    assert one(ab, "select path from project_aliases") == ("/Users/sam/tern",)
    assert one(ab, "select count(*) from proposals where kind = 'merge'") == (1,), "both say the same in one place"
    assert differences(ab, ba) == {}


@pytest.mark.slow
def test_a_memory_that_both_made_of_one_candidate_is_one(tmp_path: Path) -> None:
    def kept(path: str, minutes: int) -> Change_:
        def write(db: sqlite3.Connection, _: datetime) -> None:
            moment = utc_text(after(minutes))
            db.execute(
                "insert into projects (name, canonical_path, git_remote, created_at)"
                " values ('tern', ?, 'git.example/tern', ?)",
                [path, moment],
            )
            say("s", CRANE)(db, after(1))
            db.execute("insert into extraction_runs (method, version, started_at) values ('rules', '3', ?)", [moment])
            db.execute(
                "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title,"
                " text, quote, importance, rule, created_at)"
                " values ('c-crane', 1, 1, 1, 1, 'convention', 'project', 'Crane', ?, ?, 3, 'a rule', ?)",
                [CRANE, CRANE, moment],
            )
            add_memory(
                db, text=CRANE, kind="convention", scope="project", project_id=1, origin="rules", changed_by="gate",
                reason="new convention", now=after(minutes),
            )  # fmt: skip
            db.execute(
                "insert into memory_sources (memory_id, candidate_id, entry_id, quote, created_at, recorded_at)"
                " values (1, 1, 1, ?, ?, ?)",
                [CRANE, moment, moment],
            )
            db.execute(
                "insert into decisions (candidate_id, action, memory_id, reason, decided_by, decided_at, effects)"
                " select 1, 'add', 1, 'new convention', 'gate', ?, json_object('made', json_array(uid)) from memories",
                [moment],
            )

        return write

    a = file_with(tmp_path / "a.db", kept("/home/sam/tern", 1))
    b = file_with(tmp_path / "b.db", kept("/Users/sam/tern", 2))
    names = {one(path, "select uid from memories")[0] for path in (a, b)}
    ab, ba = into(a, b, name="ab"), into(b, a, name="ba")
    assert len(names) == 2
    assert one(ab, "select group_concat(uid), count(*) from memories") == (min(names), 1)
    assert one(ab, "select group_concat(effects), count(*) from decisions") == (f'{{"made":["{min(names)}"]}}', 1)
    assert one(ab, "select count(*) from proposals") == (0,)
    assert differences(ab, ba) == {}
    assert differences(into(ab, a, b, name="again"), ab) == {}


# ------------------------------------------------------------------------ the command


def command(path: Path, *words: object) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), "file", "merge", *map(str, words)])


@pytest.mark.slow
def test_a_dry_run_tells_what_would_come_and_changes_nothing(tmp_path: Path) -> None:
    a, b, _ = two_sides(tmp_path)
    before = natural_rows(a)
    told = json.loads(command(a, b, "--dry-run", "--json").stdout)
    assert told["new"]["entries"] == 1
    assert {each["column"] for each in told["conflicts"]} >= {"text"}
    assert natural_rows(a) == before
    assert "would wait in `memory-db review`" in command(a, b, "--dry-run").stdout
    done = json.loads(command(a, b, "--json").stdout)
    assert (done["new"], done["asked"]) == (told["new"], told["asked"])
    assert "Nothing to do" in command(a, b).stdout


@pytest.mark.slow
def test_bad_files_are_refused_in_one_line(tmp_path: Path) -> None:
    a = file_with(tmp_path / "a.db", add(CRANE))
    newer = file_with(tmp_path / "newer.db", add(FERRY))
    with closing(sqlite3.connect(newer)) as db:
        db.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    (tmp_path / "text.db").write_text("no database at all, but long enough to be looked at as one" * 20, "utf-8")
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as db:
        db.execute("create table cats (name)")
    shutil.copy(a, tmp_path / "locked.db")
    before = a.read_bytes()
    with closing(sqlite3.connect(tmp_path / "locked.db", isolation_level=None)) as holder:
        holder.execute("pragma locking_mode = exclusive")
        holder.execute("begin exclusive")
        for name, words in {
            "a.db": "is the database itself", "gone.db": "No file at", "text.db": "not an SQLite database",
            "foreign.db": "another program", "newer.db": "newer than this memory-db", "locked.db": "is locked",
            "": "a folder",
        }.items():  # fmt: skip
            result = command(a, tmp_path / name)
            assert (result.exit_code, words in result.output, result.output.count("\n")) == (1, True, 1), result.output
    assert a.read_bytes() == before


@pytest.mark.slow
def test_a_file_of_an_earlier_schema_is_migrated_as_a_copy(tmp_path: Path) -> None:
    old = Path(__file__).parent.parent / "data" / "schemas"
    for packed in sorted(old.glob("1[05]-*.db.gz")):
        other = tmp_path / packed.stem
        other.write_bytes(gzip.decompress(packed.read_bytes()))
        before = other.read_bytes()
        path = into(
            file_with(tmp_path / f"own-{packed.stem}", add(CRANE)), other, name=f"joined-{packed.stem}", is_sound=False
        )
        assert one(path, "select count(*) from memories where uid = 'm-port'") == (1,)
        assert other.read_bytes() == before
