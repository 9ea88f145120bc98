"""Only what was named is forgotten, with copies and what was made from it alone; what still holds it is told."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.knowledge.locks import lock
from memory_db.knowledge.memories import add_memory, add_source
from memory_db.recall.brief import spool
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.store import backup
from memory_db.store.schema import open_database
from memory_db.text.scrubbing import FORGOTTEN, flat_text
from memory_db.transcripts.exchanges import Exchange, capture
from memory_db.upkeep.check import check
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview
from memory_db.upkeep.forget.run import Forgotten, forget

pytestmark = pytest.mark.slow

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
PHRASE = "before you push to the staging branch"
LINTER = f"Always run the linter {PHRASE}, and tell Ann at the harbour office."
REVIEW = f"Ask Bob for a review {PHRASE}."


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), "memory", "forget", *arguments], standalone_mode=False)


def exit_code(result: Result) -> int:
    """0, or the code of the exit; any other error is raised."""
    if result.exception is None:
        return 0
    if isinstance(result.exception, SystemExit):
        return int(result.exception.code or 0)
    raise result.exception


def remember(db: sqlite3.Connection, text: str, **more: object) -> str:
    return str(add_memory(db, **{"text": text, "kind": "convention", "scope": "user", "now": NOW} | more))  # type: ignore[arg-type]


def forgotten(db: sqlite3.Connection, path: Path, uid: str, **more: bool) -> Forgotten:
    return forget(db, path, forgetting.by_uid(db, uid), now=NOW, **more)


def texts(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("select uid, text from memories").fetchall())


def said(db: sqlite3.Connection, prompt: str, session: str = "s1", at: int = 0) -> tuple[str, int]:
    """An exchange that is taken in; uid and id of the entry of its prompt."""
    done = capture(
        db, Exchange(prompt, "Done.", session_uid=session, said_at=(NOW + timedelta(minutes=at)).isoformat()), now=NOW
    )
    return done.entry_uids[0], done.entry_ids[0]


def read_from(db: sqlite3.Connection, uid: str, entry_id: int, quote: str) -> None:
    memory_id = db.execute("select id from memories where uid = ?", [uid]).fetchone()[0]
    add_source(db, memory_id, candidate_id=None, entry_id=entry_id, quote=quote, created_at=NOW.isoformat(), now=NOW)


def bytes_of(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*") if each.is_file())


# ------------------------------------------------------------------ only what was named


@pytest.mark.parametrize("is_locked", [True, False])
def test_a_memory_that_shares_a_phrase_stays_as_it_is(db: sqlite3.Connection, db_path: Path, is_locked: bool) -> None:
    first, second = remember(db, LINTER), remember(db, REVIEW)
    entry, _ = said(db, f"What was it {PHRASE}?")
    if is_locked:
        lock(db, second, by="user", reason="asked", now=NOW)
    done = forgotten(db, db_path, first)
    assert done.is_gone and texts(db) == {second: REVIEW} and LINTER.encode() not in bytes_of(db_path)
    assert PHRASE in db.execute("select text from entries where uid = ?", [entry]).fetchone()[0]
    assert done.sharing == {"memory": [second], "entry": [entry]}
    assert check(db, thorough=True) == []


def test_an_exact_copy_goes_and_a_memory_with_other_words_loses_the_passage(
    db: sqlite3.Connection, db_path: Path
) -> None:
    first, copy = (
        remember(db, LINTER),
        remember(db, LINTER.replace(" ", "\n", 1), scope="project", project_id=project(db)),
    )
    more = remember(db, f"Sam said: {LINTER} It is a rule since May.")
    number = remember(db, "The port is 543"), remember(db, "The port is 5433")
    done = forgotten(db, db_path, first)
    assert done.is_gone and {fate.uid: fate.what for fate in done.fates} == {
        first: "forgotten", copy: "forgotten", more: "text redacted",
    }  # fmt: skip
    assert texts(db)[more] == f"Sam said: {FORGOTTEN} It is a rule since May." and copy not in texts(db)
    assert forgotten(db, db_path, number[0]).is_gone and texts(db)[number[1]] == "The port is 5433"
    assert b"Always run the linter" not in bytes_of(db_path)
    assert check(db, thorough=True) == []


def test_a_locked_memory_stays_and_is_reported_with_what_to_do(db: sqlite3.Connection, db_path: Path) -> None:
    first, copy = remember(db, LINTER), remember(db, LINTER, scope="project", project_id=project(db))
    lock(db, copy, by="user", reason="asked", now=NOW)
    before = list(map(tuple, db.execute("select * from memories where uid = ?", [copy])))
    shown = run(db_path, first, "--dry-run")
    assert exit_code(shown) == 0 and f'forgotten      memory {first} "{LINTER[:40]}' in shown.output
    assert f"kept           memory {copy}" in shown.output and texts(db).keys() == {first, copy}
    result = run(db_path, first, "--yes")
    assert exit_code(result) == 1 and f"`memory-db memory forget {copy}`" in result.output
    assert "none is left" not in result.output and LINTER[:30] not in result.output
    assert list(map(tuple, db.execute("select * from memories where uid = ?", [copy]))) == before
    assert exit_code(run(db_path, copy, "--yes")) == 0 and LINTER.encode() not in bytes_of(db_path)


def test_of_an_entry_goes_what_was_made_from_it_alone(db: sqlite3.Connection, db_path: Path) -> None:
    entry, entry_id = said(db, LINTER)
    _, other_id = said(db, f"Remember: {LINTER}", session="s2", at=5)
    alone, both, locked, imported = (remember(db, f"{word}: the linter runs first") for word in ("A", "B", "C", "D"))
    for uid in (alone, both, locked, imported):
        read_from(db, uid, entry_id, LINTER)
    read_from(db, both, other_id, LINTER)
    db.execute("insert into memory_sources (memory_id, quote, created_at) select id, 'of a file', ? from memories"
               " where uid = ?", [NOW.isoformat(), imported])  # fmt: skip
    lock(db, locked, by="user", reason="asked", now=NOW)
    done = forgotten(db, db_path, entry)
    assert texts(db).keys() == {both, locked, imported} and done.locked == [locked] and not done.is_gone
    assert db.execute("select text from entries where id = ?", [other_id]).fetchone()[0] == f"Remember: {LINTER}"
    kept = "select quote from memory_sources s join memories m on m.id = s.memory_id where m.uid = ?"
    assert [row[0] for row in db.execute(kept, [locked])] == [LINTER]
    assert check(db, thorough=True) == []


def test_the_words_it_was_read_from_go_with_surroundings_and_what_its_session_asked(
    db: sqlite3.Connection, db_path: Path
) -> None:
    quote = "the vault of the harbour office opens with 4711-hazel"
    _, entry_id = said(db, f"By the way, {quote}.")
    _, other_id = said(db, "Then the gate needs a new key", at=1)
    uid, other = remember(db, "Vault code: 4711-hazel"), remember(db, "The gate needs a new key")
    read_from(db, uid, entry_id, quote)
    read_from(db, other, other_id, "the gate needs a new key")
    db.execute("update memories set context = ?, updated_at = ? where uid = ?",
               [f"By the way, {quote}.\nDone.", NOW.isoformat(), other])  # fmt: skip
    recall = ask(db, Question(f"By the way, {quote}.", session_uid="s1"), surface="hook", now=NOW).recall_uid
    db.execute("insert into evidence (memory_id, kind, direction, weight, source, recall_id, created_at) select"
               " (select id from memories where uid = ?), 'cited', 'for', 1, 'a recall', id, ? from recalls"
               " where uid = ?", [other, NOW.isoformat(), recall])  # fmt: skip
    done = forgotten(db, db_path, uid)
    assert done.is_gone and b"4711-hazel" not in bytes_of(db_path)
    assert db.execute("select count(*) from recalls").fetchone()[0] == 0
    context = db.execute("select context from memories where uid = ?", [other]).fetchone()[0]
    assert context == f"By the way, {FORGOTTEN}.\nDone." and check(db, thorough=True) == []


def test_a_brief_that_showed_it_cut_short_loses_the_line(db: sqlite3.Connection, db_path: Path) -> None:
    uid, other = remember(db, f"{LINTER} {'And so on. ' * 60}The end."), remember(db, REVIEW)
    ask(db, Question("linter and review of the staging branch", session_uid="s9"), surface="hook", now=NOW)
    lines = (
        f'<memory-brief recall="r1">\n- [{uid}] {LINTER[:50]}… (today)\n- [{other}] {REVIEW} (today)\n</memory-brief>'
    )
    db.execute("update recalls set shown_text = ?", [lines])
    assert forgotten(db, db_path, uid).is_gone
    (shown,) = db.execute("select shown_text from recalls").fetchone()
    assert shown.split("\n")[1:3] == [f"- [{uid}] {FORGOTTEN}", f"- [{other}] {REVIEW} (today)"]


def test_what_hooks_left_in_the_spool_is_taken_in_and_cleaned(db: sqlite3.Connection, db_path: Path) -> None:
    uid = remember(db, LINTER)
    spool.spool_path(db_path).write_text(f"not JSON: {LINTER}\n")
    assert forgotten(db, db_path, uid).is_gone
    assert db.execute("select reason from hook_runs").fetchone()[0] == f"not JSON: {FORGOTTEN}"
    assert LINTER.encode() not in bytes_of(db_path)


def test_short_words_of_a_session_stay_where_others_say_them(db: sqlite3.Connection, db_path: Path) -> None:
    _, entry_id = said(db, "Run the tests", session="s1")
    said(db, "My word of the day is zqxj", session="s1", at=1)
    _, kept_id = said(db, "Run the tests", session="s2", at=2)
    for session, query in (("s1", "my word of the day"), ("s2", "Run the tests")):
        ask(db, Question(query, session_uid=session), surface="hook", now=NOW)
    db.execute("create table log_of_another_program (said text)")
    db.executemany("insert into log_of_another_program values (?)", [["Please Run the tests now"], ["Run the tests"]])
    uid = db.execute("select uid from sessions where id = (select session_id from entries where id = ?)", [entry_id])
    done = forgotten(db, db_path, uid.fetchone()[0])
    assert done.is_gone and b"zqxj" not in bytes_of(db_path)
    assert [row[0] for row in db.execute("select query from recalls")] == ["Run the tests"]
    assert db.execute("select text from entries where id = ?", [kept_id]).fetchone()[0] == "Run the tests"
    logged = db.execute("select said from log_of_another_program order by rowid").fetchone()[0]
    assert logged == "Please Run the tests now"


def project(db: sqlite3.Connection) -> int:
    """A project of the file."""
    db.execute("insert or ignore into projects (id, name, canonical_path, created_at) values (1, 'p', '/p', ?)",
               [NOW.isoformat()])  # fmt: skip
    return 1


# ------------------------------------------------------------------ copies


@pytest.fixture
def copied(db: sqlite3.Connection, db_path: Path) -> Iterator[tuple[str, Path, Path, Path]]:
    """The uid of a memory, with a copy that holds it, one made before the schema changed, and one that does not."""
    clean = backup.back_up(db, backup.new_target(db_path, NOW - timedelta(days=9))).path
    uid = remember(db, LINTER)
    made = backup.back_up(db, backup.new_target(db_path, NOW - timedelta(days=1))).path
    before = db_path.with_name(f"{db_path.name}.before-schema-9-from-8")
    shutil.copy(made, before)
    yield uid, clean, made, before


def test_copies_that_hold_it_are_named_and_the_exit_code_tells(
    db_path: Path, copied: tuple[str, Path, Path, Path]
) -> None:
    uid, clean, made, before = copied
    shown = run(db_path, uid, "--dry-run")
    assert exit_code(shown) == 0 and all(str(each) in shown.output for each in (made, before))
    result = run(db_path, uid, "--yes")
    assert exit_code(result) == 1 and "none is left" not in result.output
    (line,) = [line for line in result.output.splitlines() if line.startswith("STILL HELD")]
    assert str(made) in line and str(before) in line and "memories 1" in line and str(clean) not in result.output
    assert all(LINTER.encode() in each.read_bytes() for each in (made, before)), "nothing was asked of them"


def test_copies_are_deleted_when_asked_after_a_new_one(db_path: Path, copied: tuple[str, Path, Path, Path]) -> None:
    uid, clean, made, before = copied
    assert exit_code(run(db_path, uid, "--backups", "--dry-run")) == 0 and made.exists() and before.exists()
    result = run(db_path, uid, "--yes", "--backups", "--json")
    assert exit_code(result) == 0
    done = json.loads(result.output)
    assert done["is_gone"] and done["copies"] == [] and done["deleted_copies"] == sorted(map(str, (made, before)))
    assert clean.exists() and not made.exists() and not before.exists()
    assert backup.verified(Path(done["new_copy"])).rows > 0
    held = [each for each in db_path.parent.rglob("*") if each.is_file() and LINTER.encode() in each.read_bytes()]
    assert held == []


def test_a_copy_that_cannot_be_opened_is_searched_by_its_bytes(
    db_path: Path, copied: tuple[str, Path, Path, Path]
) -> None:
    uid, _, made, before = copied
    made.write_bytes(b"broken " + LINTER.encode())
    before.write_bytes(b"broken")
    result = run(db_path, uid, "--yes")
    assert exit_code(result) == 1 and str(made) in result.output and str(before) not in result.output


# ------------------------------------------------------------------ random cases

phrases = st.sampled_from((PHRASE, "when the tide is out at the harbour office", "port 543", "port 5433", "4711-hazel"))
word = st.sampled_from(("Ann", "Bob", "linter", "gate", "never", "always", "tests", "5", "[x]", '"so"', "ü"))
statement = st.lists(st.one_of(phrases, word), min_size=3, max_size=7).map(lambda each: " ".join(each) + ".")


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[tuple[str, bool]], list[str]]:
    """Memories, each locked or not, and prompts: some are copies of others, whole or among other words."""
    own = draw(st.lists(statement, min_size=2, max_size=5, unique=True))
    within = [f"Sam said so: {text} It holds." for text in draw(st.lists(st.sampled_from(own), max_size=2))]
    memories = [(text, draw(st.booleans())) for text in dict.fromkeys([*own, *within])]
    return memories, [f"Hm. {text}" for text in draw(st.lists(st.one_of(statement, st.sampled_from(own)), max_size=3))]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    open_database(path, now=NOW).close()
    return path


@given(cases(), st.booleans())
@settings(max_examples=100)
def test_no_row_too_many_and_no_byte_too_few(
    empty: Path, case: tuple[list[tuple[str, bool]], list[str]], as_words: bool
) -> None:
    memories, prompts = case
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(empty, Path(folder) / "memory.db"))
        with closing(open_database(path, now=NOW)) as db:
            uids = {}
            for text, is_locked in memories:
                uids[text] = remember(db, text)
                if is_locked:
                    lock(db, uids[text], by="user", reason="asked", now=NOW)
            for number, prompt in enumerate(prompts):
                said(db, prompt, at=number)
            before, gone = texts(db), flat_text(memories[0][0])
            entries = dict(db.execute("select uid, text from entries").fetchall())
            target = forgetting.by_words(db, gone) if as_words else forgetting.by_uid(db, uids[memories[0][0]])
            expected = preview(db, path, target)
            done = forget(db, path, target, now=NOW)
            goes = memories[0][1] is False or not as_words
            locked = {uids[text] for text, is_locked in memories[not as_words :] if is_locked and gone in text}
            assert set(done.locked) == locked and not done.left and done.is_gone == (not locked)
            after = texts(db)
            for uid, text in before.items():
                if uid == uids[memories[0][0]]:
                    assert (uid not in after) == goes
                elif uid in locked or gone not in text:
                    assert after[uid] == text, "neither what is locked nor what only shares a phrase"
                else:
                    assert after[uid] == text.replace(gone, FORGOTTEN)
            titles = db.execute("select title from memories union all select title from memory_versions").fetchall()
            for (title,) in titles if goes and not locked else ():
                assert gone[:30] not in title or any(gone[:30] in text for text in after.values())
            for uid, text in db.execute("select uid, text from entries"):
                assert text == entries[uid].replace(gone, FORGOTTEN)
            assert expected.fates == done.fates and set(expected.memories) == set(before) - set(after)
            assert expected.places == done.repetitions
            assert check(db, thorough=True) == []
        assert (gone.encode() in bytes_of(path)) == bool(locked)
