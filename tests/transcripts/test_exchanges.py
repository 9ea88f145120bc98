"""`capture`: an exchange of another program as entries, once, redacted."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.errors import ConflictError, InputError
from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.transcripts import exchanges
from memory_db.transcripts.exchanges import Exchange, capture, read_exchange
from memory_db.upkeep.check import check

PROMPT = "We decided to keep invoices in UTC. How do I store the date?"
RESPONSE = "As ISO text with a Z."
SECRET = "ghp_" + "a1B2c3D4e5" * 4


def run(path: Path, *arguments: str, piped: str = "") -> Result:
    return CliRunner().invoke(cli, ["import", "exchange", "-d", str(path), *arguments], input=piped)


def contents(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Every row that a capture may write."""
    tables = ("sessions", "entries", "session_entries", "scan_findings", "projects", "project_aliases")
    return [tuple(row) for table in tables for row in db.execute(f"select * from {table}")]


def test_an_exchange_is_two_entries_of_a_session(db: sqlite3.Connection, now: datetime) -> None:
    captured = capture(db, Exchange(PROMPT, RESPONSE, model="gpt-x", title="Dates"), now=now)
    rows = db.execute(
        "select e.*, s.uid as session, s.title, s.format, se.position from entries e join session_entries se"
        " on se.entry_id = e.id join sessions s on s.id = se.session_id order by se.position"
    ).fetchall()
    assert [(row["role"], row["kind"], row["text"], row["model"], row["position"]) for row in rows] == [
        ("user", "prompt", PROMPT, None, 1), ("assistant", "reply", RESPONSE, "gpt-x", 2),
    ]  # fmt: skip
    assert {(row["session"], row["title"], row["format"]) for row in rows} == {
        (captured.session_uid, "Dates", "capture")
    }
    assert [row["uid"] for row in rows] == list(captured.entry_uids)
    assert (captured.entries_added, captured.entries_known) == (2, 0)
    assert check(db) == []


def test_memories_are_made_of_it(db: sqlite3.Connection, now: datetime) -> None:
    capture(db, Exchange(PROMPT, RESPONSE), now=now)
    rules.extract(db, now=now)
    gate.run(db, now=now)
    assert any("UTC" in row["text"] for row in db.execute("select text from memories"))


texts = st.text(min_size=1).filter(lambda text: bool(text.strip()))


@given(said=st.lists(st.tuples(texts, texts), min_size=1, max_size=4), session=st.none() | st.just("s"))
@examples(max_examples=25)
def test_the_same_exchange_again_changes_nothing(
    db: sqlite3.Connection, now: datetime, said: list[tuple[str, str]], session: str | None
) -> None:
    at = "2026-10-01T10:00:00Z"
    each = [Exchange(prompt, response, session_uid=session, said_at=at) for prompt, response in said]
    first = [capture(db, exchange, now=now).as_dict()["entries"] for exchange in each]
    before = contents(db)
    for exchange, uids in zip(each, first, strict=True):
        later = capture(db, exchange, now=now)
        assert (later.entries_added, list(later.entry_uids)) == (0, uids)
    assert contents(db) == before


def test_exchanges_of_one_session_follow_each_other(db: sqlite3.Connection, now: datetime) -> None:
    for number in range(3):
        capture(db, Exchange(f"question {number}", "yes", session_uid="chat"), now=now)
    capture(db, Exchange("question 1", "yes", session_uid="chat", said_at="2026-11-01T13:00:00+01:00"), now=now)
    rows = db.execute(
        "select e.text, e.created_at from session_entries se join entries e on e.id = se.entry_id order by se.position"
    ).fetchall()
    assert [row["text"] for row in rows] == [
        "question 0", "yes", "question 1", "yes", "question 2", "yes", "question 1", "yes",
    ]  # fmt: skip
    assert rows[-1]["created_at"] == "2026-11-01T12:00:00.000Z"
    assert db.execute("select count(*) from sessions").fetchone()[0] == 1


def test_secrets_and_our_own_briefs_do_not_reach_the_file(db_path: Path, now: datetime) -> None:
    brief = '<memory-brief recall="r1">\n- [m1] the heron ships\n</memory-brief>\n'
    given = {"prompt": f"{brief}Is {SECRET} right?", "response": f"No, {SECRET} is old.", "title": f"About {SECRET}"}
    assert run(db_path, piped=json.dumps(given)).exit_code == 0
    with closing(sqlite3.connect(db_path)) as db:
        assert "heron" not in repr(db.execute("select text from entries").fetchall())
        assert db.execute("select count(*) from scan_findings where category = 'secret'").fetchone()[0] == 3
    for file in db_path.parent.iterdir():
        assert SECRET.encode() not in file.read_bytes()


def test_an_imported_session_is_not_added_to(sample_db: sqlite3.Connection, now: datetime) -> None:
    uid = sample_db.execute("select uid from sessions where format = 'claude-code'").fetchone()["uid"]
    before = contents(sample_db)
    with pytest.raises(ConflictError, match="was imported from claude-code"):
        capture(sample_db, Exchange("a", "b", session_uid=uid), now=now)
    assert contents(sample_db) == before


# --------------------------------------------------------------- the command


def test_from_json_and_from_files(db_path: Path, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(PROMPT)
    (tmp_path / "r.txt").write_text(RESPONSE)
    first = run(db_path, "--json", piped=json.dumps({"prompt": PROMPT, "response": RESPONSE}))
    data = json.loads(first.stdout)
    assert (data["entries_added"], data["entries_known"]) == (2, 0)
    again = run(db_path, "--prompt", str(tmp_path / "p.txt"), "--response", "-", piped=RESPONSE)
    assert again.stdout.strip() == f"session {data['session']}: known already"


def test_a_dry_run_keeps_nothing(db_path: Path) -> None:
    run(db_path, piped=json.dumps({"prompt": "x", "response": "y"}))
    before = db_path.read_bytes()
    done = run(db_path, "--dry-run", piped=json.dumps({"prompt": PROMPT, "response": RESPONSE}))
    assert "2 entries added (not kept: dry run)" in done.stdout
    assert db_path.read_bytes() == before


@pytest.mark.parametrize(
    ("piped", "expected"),
    [
        ("", "The exchange is no JSON"),
        ("{", "The exchange is no JSON"),
        ("[" * 100_000, "The exchange is no JSON"),
        ("[]", "The exchange is no JSON object"),
        ('"text"', "The exchange is no JSON object"),
        ("{}", "The prompt is empty"),
        ('{"prompt": "x"}', "The response is empty"),
        ('{"prompt": "x", "response": 5}', "response of an exchange is 5, which is no text"),
        ('{"prompt": "x", "response": "y", "answer": "z"}', "An exchange has no 'answer'. It may have: prompt,"),
        ('{"prompt": "x", "response": "y", "said_at": "soon"}', "said_at 'soon' is no time"),
        ('{"prompt": "x", "response": "y", "session": " "}', "The session's name is empty"),
        (json.dumps({"prompt": "x " * 600_000, "response": "y"}), "1,000,000 can be taken"),
        ("x" * 4_000_001, "more than 4,000,000 bytes"),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(db_path: Path, piped: str, expected: str) -> None:
    run(db_path, piped=json.dumps({"prompt": "x", "response": "y"}))
    with closing(sqlite3.connect(db_path)) as db:
        db.row_factory = sqlite3.Row
        before = contents(db)
        done = run(db_path, piped=piped)
        assert done.exit_code == 1 and expected in done.stderr and len(done.stderr.strip().splitlines()) == 1
        assert contents(db) == before


@pytest.mark.parametrize("arguments", [("--prompt", "p"), ("--response", "r"), ("--prompt", "-", "--response", "-")])
def test_half_of_an_exchange_is_refused(db_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(db_path, *arguments)
    assert done.exit_code == 1 and "Give both --prompt FILE and --response FILE" in done.stderr


def test_a_file_that_is_not_there_is_one_line(db_path: Path, tmp_path: Path) -> None:
    done = run(db_path, "--prompt", str(tmp_path / "none"), "--response", "-", piped="y")
    assert done.exit_code == 1 and "No such file" in done.stderr


@given(st.text() | st.dictionaries(st.sampled_from(exchanges.FIELDS), st.text() | st.integers()).map(json.dumps))
@examples(max_examples=60)
def test_any_text_is_an_exchange_or_an_input_error(text: str) -> None:
    try:
        found = read_exchange(text)
    except InputError as error:
        assert "\n" not in str(error)[:40]
    else:
        assert isinstance(found.prompt, str) and isinstance(found.response, str)
