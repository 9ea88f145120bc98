"""What was said in a session, at a time, or of which a finding tells, is forgotten: all of it, and nothing else."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click import ClickException
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.errors import NotFoundError
from memory_db.knowledge.memories import add_source
from memory_db.store.schema import open_database
from memory_db.text.scrubbing import FORGOTTEN, flat_text
from memory_db.upkeep.check import check
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview
from memory_db.upkeep.forget.run import forget
from tests.upkeep.test_forget_only import NOW, bytes_of, empty, exit_code, remember, run, statement

__all__ = ["empty"]

pytestmark = pytest.mark.slow

DAYS = ("2026-03-01", "2026-03-02", "2026-03-05")


ENTRY = "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, 'user', 'prompt', ?, ?)"


def history(db: sqlite3.Connection, sessions: list[list[tuple[str, int]]]) -> None:
    """Sessions of prompts, each with its day; every other one in a second project."""
    for number in (1, 2):
        db.execute(
            "insert into projects (id, name, canonical_path, created_at) values (?, ?, ?, '2026')",
            [number, f"p{number}", f"/home/p{number}"],
        )
    for number, prompts in enumerate(sessions):
        db.execute(
            "insert into sessions (id, uid, format, project_id, title) values (?, ?, 'claude-code', ?, ?)",
            [number + 1, f"s{number}", number % 2 + 1, f"{prompts[0][0][:20]}…"],
        )
        for place, (text, day) in enumerate(prompts):
            made = db.execute(ENTRY, [f"e{number}-{place}", number + 1, text, f"{DAYS[day]}T10:0{place}:00.000Z"])
            db.execute("insert into session_entries values (?, ?, ?)", [number + 1, made.lastrowid, place])
    db.commit()


def learned(db: sqlite3.Connection, entry_uids: list[str], text: str) -> str:
    """A memory that was made from entries."""
    uid = remember(db, text)
    for entry in entry_uids:
        number, said = db.execute("select id, text from entries where uid = ?", [entry]).fetchone()
        memory = db.execute("select id from memories where uid = ?", [uid]).fetchone()[0]
        add_source(db, memory, candidate_id=None, entry_id=number, quote=said, created_at=NOW.isoformat(), now=NOW)
    return uid


prompts = st.lists(st.tuples(statement, st.integers(0, 2)), min_size=1, max_size=3)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[list[tuple[str, int]]], str, int]:
    """Sessions, what is named of them (a session, an entry, a day), and which one."""
    sessions = draw(st.lists(prompts, min_size=2, max_size=4))
    return sessions, draw(st.sampled_from(("session", "entry", "day", "day in a project"))), draw(st.integers(0, 9))


@given(cases())
@settings(max_examples=100)
def test_what_was_said_there_goes_and_what_was_said_elsewhere_stays(
    empty: Path, case: tuple[list[list[tuple[str, int]]], str, int]
) -> None:
    sessions, sort, number = case
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(empty, Path(folder) / "memory.db"))
        with closing(open_database(path, now=NOW)) as db:
            history(db, sessions)
            uids = [f"e{n}-{place}" for n, each in enumerate(sessions) for place in range(len(each))]
            rests = {uid: learned(db, [uid], f"Alone from {uid}: keep to rule {n}.") for n, uid in enumerate(uids)}
            both = learned(db, [uids[0], uids[-1]], "From the first and the last: ask before a release.")
            going = named(sessions, uids, sort, number)
            before = dict(db.execute("select uid, text from entries").fetchall())
            if not going:
                with pytest.raises(NotFoundError, match="Nothing was said"):
                    target_of(db, sort, number, sessions, uids)
                return
            target = target_of(db, sort, number, sessions, uids)
            expected = preview(db, path, target)
            done = forget(db, path, target, now=NOW)
            assert done.is_gone and expected.fates == done.fates
            after = dict(db.execute("select uid, text from entries").fetchall())
            assert {uid for uid in uids if after[uid] == FORGOTTEN} == going
            assert all(after[uid] == before[uid] for uid in uids if uid not in going), "said elsewhere by itself"
            kept = {row[0] for row in db.execute("select uid from memories")}
            assert {uid for uid in uids if rests[uid] not in kept} == going
            assert (both in kept) == (not {uids[0], uids[-1]} <= going)
            assert check(db, thorough=True) == []
        left = [flat_text(before[uid]) for uid in uids if uid not in going]
        for uid in going:
            gone = flat_text(before[uid])
            assert any(gone in text for text in left) or gone.encode() not in bytes_of(path)


def named(sessions: list[list[tuple[str, int]]], uids: list[str], sort: str, number: int) -> set[str]:
    """The entries that are named."""
    if sort == "entry":
        return {uids[number % len(uids)]}
    if sort == "session":
        chosen = number % len(sessions)
        return {uid for uid in uids if uid.startswith(f"e{chosen}-")}
    days = {f"e{n}-{place}": day for n, each in enumerate(sessions) for place, (_, day) in enumerate(each)}
    found = {uid for uid in uids if days[uid] == number % len(DAYS)}
    return found if sort == "day" else {uid for uid in found if int(uid[1 : uid.index("-")]) % 2 == 0}


def target_of(
    db: sqlite3.Connection, sort: str, number: int, sessions: list[list[tuple[str, int]]], uids: list[str]
) -> forgetting.ForgetTarget:
    """The same as a target."""
    if sort == "entry":
        return forgetting.by_uid(db, uids[number % len(uids)])
    if sort == "session":
        return forgetting.by_uid(db, f"s{number % len(sessions)}")
    day = DAYS[number % len(DAYS)]
    return forgetting.by_span(
        db, f"{day}T00:00:00.000Z", f"{day}T23:59:59.999Z", "p1" if sort == "day in a project" else None
    )


# ----------------------------------------------------------------- the command

TALK = [[("Nobody pushes on Fridays, says Ann.", 0), ("The key hangs behind the harbour door.", 1)], [("Later.", 2)]]


def test_a_time_on_the_command_line_and_its_certificate(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    history(db, TALK)
    place = tmp_path / "certificate.json"
    assert (
        "Would forget what was said"
        in run(db_path, "--since", "2026-03-02", "--before", "2026-03-03", "--dry-run").output
    )
    done = run(db_path, "--since", "2026-03-02", "--before", "2026-03-03", "--yes", "--certificate", str(place))
    assert exit_code(done) == 0
    certified = json.loads(place.read_text())
    assert certified["is_gone"] and certified["found_afterwards"] == {
        "rows_and_files": [],
        "locked_memories": [],
        "copies": [],
        "exports": [],
    }
    assert "harbour" not in place.read_text() and place.stat().st_mode & 0o077 == 0
    passages = certified["passages"]
    said, salt = b"The key hangs behind the harbour door.", bytes.fromhex(passages["salt"])
    known = hashlib.scrypt(said, salt=salt, dklen=32, **passages["parameters"])
    assert passages["hashes"] == [known.hex()] and passages["count"] == 1
    [held] = [each for each in certified["searched"]["files"] if each["name"] == db_path.name]
    assert (
        held["sha256"] == hashlib.sha256(db_path.read_bytes()).hexdigest() and held["bytes"] == db_path.stat().st_size
    )
    assert "entries.text" in certified["searched"]["text_columns"]
    assert [row[0] for row in db.execute("select text from entries order by id")][1] == FORGOTTEN


def test_words_are_not_in_their_certificate(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    history(db, TALK)
    place = tmp_path / "certificate.json"
    run(db_path, "--words", "behind the harbour door", "--yes", "--certificate", str(place))
    assert json.loads(place.read_text())["forgotten"] == "words" and "harbour" not in place.read_text()


def test_a_certificate_that_cannot_be_written_is_refused_before_anything_goes(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path
) -> None:
    history(db, TALK)
    there = tmp_path / "there.json"
    there.write_text("mine")
    places = ((there, "--yes"), (tmp_path / "no" / "folder.json", "--yes"), (tmp_path / "new.json", "--dry-run"))
    for place, more in places:
        with pytest.raises(ClickException):
            exit_code(run(db_path, "s0", more, "--certificate", str(place)))
    assert there.read_text() == "mine"
    assert not db.execute("select 1 from entries where text = ?", [FORGOTTEN]).fetchone()


def test_what_a_finding_is_about_goes(db: sqlite3.Connection, db_path: Path) -> None:
    history(db, TALK)
    entry = db.execute("select id from entries where uid = 'e0-1'").fetchone()[0]
    for place, entry_id in (("entry e0-1", entry), ("a source", None)):
        db.execute(
            "insert into scan_findings (rule, category, rules_version, place, entry_id, field, start, hint, found_at)"
            " values ('r', 'secret', 1, ?, ?, 'text', 0, 'ke…', '2026')", [place, entry_id],
        )  # fmt: skip
    db.commit()
    assert exit_code(run(db_path, "--finding", "1", "--yes")) == 0
    assert [row[0] for row in db.execute("select text from entries order by id")][1] == FORGOTTEN
    for number in ("2", "77"):
        with pytest.raises(ClickException):
            exit_code(run(db_path, "--finding", number, "--yes"))


@pytest.mark.parametrize(
    "arguments",
    [("s0", "--since", "2026-03-01"), ("--words", "long enough", "--finding", "1"), (), ("--since", "yesterday-ish")],
)
def test_one_thing_is_named(db: sqlite3.Connection, db_path: Path, arguments: tuple[str, ...]) -> None:
    history(db, TALK)
    with pytest.raises(ClickException):
        exit_code(run(db_path, *arguments, "--yes"))


def test_nothing_said_then(db: sqlite3.Connection, db_path: Path) -> None:
    history(db, TALK)
    with pytest.raises(ClickException, match="Nothing was said before 2020-01-01"):
        exit_code(run(db_path, "--before", "2020-01-01", "--yes"))
