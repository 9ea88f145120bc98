"""Views: readable by the plain shell, equal to what Python derives, unchanged by a second opening."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.evidence_weights import EVIDENCE_WEIGHTS
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question, recall
from memory_db.store.connection import transaction
from memory_db.store.schema import open_database, wanted_objects
from memory_db.store.seeds import KINDS, TIERS

ROOT = Path(__file__).parents[2]

FACTORS = {tier.name: tier.prior_factor for tier in TIERS}

VIEWS = [name for name, (kind, _) in wanted_objects().items() if kind == "view"]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers_in_the_plain_shell(sample_file: Path, view: str) -> None:
    with closing(sqlite3.connect(f"file:{sample_file}?mode=ro", uri=True)) as plain:
        cursor = plain.execute(f"select * from [{view}]")
        cursor.fetchall()
        assert len({column[0] for column in cursor.description}) == len(cursor.description)


@pytest.fixture(scope="module")
def readers() -> dict[str, str]:
    """What may read a view: the code, pages that link it, notebooks, the ready questions, and other views by name."""
    folders = [ROOT / name for name in ("memory_db", "plugins", "notebooks")]
    files = [path for folder in folders for ending in ("py", "html") for path in folder.rglob(f"*.{ending}")]
    questions = yaml.safe_load((ROOT / "metadata.yml").read_text("utf-8"))["databases"]["memory"]["queries"]
    others = {name: sql for name, (kind, sql) in wanted_objects().items() if kind == "view"}
    return others | {"the code": "\n".join(file.read_text("utf-8") for file in files), "questions": str(questions)}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_read_by_something(view: str, readers: dict[str, str]) -> None:
    assert any(re.search(rf"\b{view}\b", text) for name, text in readers.items() if name != view)


def test_the_hook_and_the_view_weigh_evidence_alike(db: sqlite3.Connection) -> None:
    """A hook may read a file before the view is made, so it takes the text from the module."""
    made = db.execute("select sql from sqlite_master where name = 'evidence_weights'").fetchone()[0]
    assert made.partition(" as\n")[2] == EVIDENCE_WEIGHTS


def test_opening_again_writes_nothing(sample_path: Path, now: datetime) -> None:
    before = hashlib.sha256(sample_path.read_bytes()).hexdigest()
    open_database(sample_path, now=now).close()
    assert hashlib.sha256(sample_path.read_bytes()).hexdigest() == before


def test_beliefs_are_priors_plus_evidence(sample_db: sqlite3.Connection, now: datetime) -> None:
    priors = {kind.name: (kind.prior_alpha, kind.prior_beta) for kind in KINDS}
    rows = sample_db.execute("select * from beliefs").fetchall()
    assert len(rows) > 50
    for row in rows:
        alpha, beta = priors[row["kind"]]
        alpha *= FACTORS[row["tier"]]
        for direction, weight in sample_db.execute(
            "select direction, weight from evidence where memory_id = ?", [row["memory_id"]]
        ):
            alpha, beta = (alpha + weight, beta) if direction == "for" else (alpha, beta + weight)
        assert (row["alpha"], row["beta"]) == pytest.approx((alpha, beta))
        assert row["confidence"] == pytest.approx(alpha / (alpha + beta))
        assert 0 < row["confidence"] < 1 and 0 < row["variance"] < 0.25


def test_recall_believes_what_the_view_believes(sample_db: sqlite3.Connection, now: datetime) -> None:
    recalled = recall(sample_db, Question("tests database commit port", scope="memories"), now=now)
    believed = {
        row["id"]: (row["alpha"], row["beta"])
        for row in sample_db.execute(
            "select v.id, b.alpha, b.beta from beliefs b join memory_versions v using (memory_id)"
        )
    }
    assert recalled.hits
    for hit in recalled.hits:
        assert (hit.features.alpha, hit.features.beta) == pytest.approx(believed[hit.memory_version_id])


def test_never_recalled_and_shown_share_all_memories(sample_db: sqlite3.Connection, now: datetime) -> None:
    ask(sample_db, Question("tests database commit"), surface="test", now=now)
    counts = sample_db.execute(
        "select (select count(*) from never_recalled), (select count(*) from shown_never_cited)"
        " + (select count(*) from current_memories where times_shown > 0 and times_used > 0),"
        " (select count(*) from current_memories), (select count(*) from memories where status = 'active')"
    ).fetchone()
    assert counts[0] + counts[1] == counts[2] == counts[3]
    assert counts[1] > 0


def test_the_ledger_adds_up_to_the_calls(sample_db: sqlite3.Connection) -> None:
    ledger = sample_db.execute(
        "select sum(calls), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens) from token_ledger"
    ).fetchone()
    calls = sample_db.execute(
        "select count(*), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens) from api_calls"
    ).fetchone()
    assert tuple(ledger) == tuple(calls) and calls[0] > 100


def test_a_changed_memory_keeps_its_old_version(sample_db: sqlite3.Connection) -> None:
    memory = sample_db.execute("select * from memories limit 1").fetchone()
    sample_db.execute("update memories set text = 'Quite different words now' where id = ?", [memory["id"]])
    versions = sample_db.execute(
        "select * from memory_versions where memory_id = ? order by version", [memory["id"]]
    ).fetchall()
    assert [row["version"] for row in versions] == [1, 2]
    assert versions[0]["text"] == memory["text"] and versions[1]["text"] == "Quite different words now"
    assert versions[0]["recorded_to"] == versions[1]["recorded_from"] and versions[1]["recorded_to"] is None
    found = sample_db.execute("select rowid from memory_fts where memory_fts match 'quite AND different'").fetchall()
    assert [row[0] for row in found] == [versions[1]["id"]]
    sample_db.execute("update memories set text = 'Quite different words now' where id = ?", [memory["id"]])
    assert sample_db.execute(
        "select count(*) from memory_versions where memory_id = ?", [memory["id"]]
    ).fetchone()[0] == 2  # fmt: skip


def test_a_users_own_view_is_never_dropped(db_path: Path, db: sqlite3.Connection, now: datetime) -> None:
    db.execute("create view mine as select 1 as one")
    db.execute("update schema_objects set sql = 'out of step' where name = 'beliefs'")
    again = open_database(db_path, now=now)
    assert again.execute("select one from mine").fetchone()[0] == 1
    assert again.execute("select sql from schema_objects where name = 'beliefs'").fetchone()[0] != "out of step"
    again.close()


def add_correction(db: sqlite3.Connection, name: str, text: str, at: str, keys: Sequence[str] | None = None) -> None:
    """A correction in `text`; its keys are the words of it, if not given."""
    db.execute(
        "insert into memories (uid, kind, scope, title, text, keys, tokens, origin, content_hash, valid_from,"
        " changed_by, change_reason, created_at, updated_at)"
        " values (:uid, 'correction', 'user', :uid, :text, :keys, 5, 'user', :uid, :at, 'test', 'test', :at, :at)",
        {"uid": name, "text": text, "keys": json.dumps(text.split() if keys is None else keys), "at": at},
    )


def groups_of(db: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    rows = db.execute("select uid, first_uid, uids_alike from corrections_given").fetchall()
    assert len({row["uid"] for row in rows}) == len(rows)
    return {row["uid"]: (row["first_uid"], row["uids_alike"]) for row in rows}


def test_corrections_are_alike_by_two_words_that_few_share(db: sqlite3.Connection) -> None:
    with transaction(db):
        for number in range(60):
            add_correction(db, f"common{number}", f"tests commit own{number}", "2026-03-02T00:00:00.000Z")
        add_correction(db, "later", "tests Alembic migration", "2026-03-04T00:00:00.000Z")
        add_correction(db, "first", "alembic MIGRATION commit", "2026-03-01T00:00:00.000Z")
        add_correction(db, "without", "", "2026-03-03T00:00:00.000Z")
    alike = groups_of(db)
    assert len(alike) == 63
    assert alike["later"] == alike["first"] == ("first", "first,later")
    assert alike["common7"] == ("common7", "common7")
    assert alike["without"] == ("without", "without")


def test_corrections_are_alike_by_what_the_user_said_and_not_by_what_it_answers(db: sqlite3.Connection) -> None:
    keys = ["agent", "ran", "cd", "infra", "production", "Bash"]
    ran = "When the agent ran `cd infra/prod && {}`, the user said: {}"
    said = {
        "plan": (ran.format("terraform apply", "I asked for a plan."), [*keys, "plan.bin"]),
        "global": (ran.format("go install", "No global installs."), keys),
        "exports": (ran.format("git add", "Named exports only."), keys),
        "pip": ("Don't use pip here.", ["pip", "python packages"]),
        "not_pip": (ran.format("pip install x", "Not pip! you put it into my system python."), [*keys, "pip"]),
        "no_pip": ("No pip, in no project.", ["pip", "project", "python packages"]),
        "no_push": ("No pushing, in every project.", ["pushing", "project"]),
        "default": ("Don't use default exports, always named exports.", ["default", "exports", "named"]),
        "code": (
            'Don\'t write "code" nobody\nasked for, ten lines of dependency.', ["code", "write", "lines", "dependency"],
        ),
        "write": (
            "Write the code of the hook yourself, so Ines, Olga and Wim see it.",
            ["write", "code", "hook", "ines", "olga", "wim"],
        ),
    }  # fmt: skip
    with transaction(db):
        for number, (name, (text, own)) in enumerate(said.items()):
            add_correction(db, name, text, f"2026-03-{number + 1:02d}T00:00:00.000Z", own)
    alike = groups_of(db)
    together = [{"pip", "not_pip", "no_pip"}, {"exports", "default"}]
    assert {frozenset(uids.split(",")) for _, uids in alike.values()} == {
        *map(frozenset, together), *(frozenset([name]) for name in said if not any(name in each for each in together)),
    }  # fmt: skip
    assert alike["no_pip"][0] == "pip" and alike["default"][0] == "exports"


LINES = """
Exit code 1
E   TypeError: no\r
e  Failed .
errfailed
no error
3 FAILED
derrornied
  bash: uv: command not found
not
found
denie
deni\u00e9d
\u0130 access Denied
""".split("\n")


def decisive_line(output: str) -> tuple[str, int] | None:
    """The first line that names a failure, and how many characters follow it: what `error_lines` is to give."""
    lines = output.split("\n")
    for place, line in enumerate(lines):
        if any(word in line.lower() for word in ("error", "failed", "denied", "not found")):
            line = line.strip(" \r")
            found = line[2:].lstrip(" ") if line.lower().startswith("e  ") else line
            return found, sum(len(later) + 1 for later in lines[place + 1 :])
    return None


@given(output=st.lists(st.sampled_from(LINES), max_size=6).map("\n".join))
def test_the_decisive_line_is_the_first_that_names_a_failure(shared_db: sqlite3.Connection, output: str) -> None:
    shared_db.execute("update actions set excerpt = ? where id = 1", [output])
    row = shared_db.execute("select line, characters_after from error_lines").fetchone()
    assert (tuple(row) if row else None) == decisive_line(output)


def add_failures(db: sqlite3.Connection, sessions: int) -> None:
    """One action that failed in each of some sessions; in the first it passed after an edit."""
    at = "2026-03-01T00:00:00.000Z"
    columns = "(uid, entry_id, session_id, tool, target, input, is_error, excerpt, created_at)"
    for session in range(1, sessions + 1):
        db.execute("insert into sessions (id, uid, format) values (?, ?, 'claude-code')", [session, f"s{session}"])
        db.execute(
            "insert into entries (id, uid, session_id, role, kind, text, created_at)"
            " values (:id, :id, :id, 'assistant', 'tool_call', '', :at)",
            {"id": session, "at": at},
        )
        calls = [("fail", "Bash", "make", 1), ("edit", "Edit", "a.py", 0), ("pass", "Bash", "make", 0)]
        for name, tool, target, is_error in calls[: 3 if session == 1 else 1]:
            db.execute(
                f"insert into actions {columns} values (?, ?, ?, ?, ?, '{{}}', ?, ?, ?)",
                [name, session, session, tool, target, is_error, 'make: "x" failed: no such "y"', at],
            )


@pytest.fixture(scope="module")
def shared_db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("views") / "memory.db"
    with closing(open_database(path, now=datetime(2026, 11, 1, tzinfo=UTC))) as db:
        add_failures(db, 1)
        yield db


def test_a_recurring_error_shows_what_cured_it_and_the_fix_that_names_it(db: sqlite3.Connection) -> None:
    add_failures(db, 2)
    for name, text in (("m1", 'It said make: "x" failed: no such "y". Add y.'), ("m2", "make x failed no such y")):
        add_correction(db, name, text, "2026-03-01T00:00:00.000Z")
        db.execute("update memories set kind = 'fix', text = ? where uid = ?", [text, name])
    row = dict(db.execute("select * from recurring_errors").fetchone())
    assert row["error"] == 'make: "x" failed: no such "y"'
    assert (row["times"], row["sessions"], row["times_fixed"], row["cured_by_changing"]) == (2, 2, 1, "a.py")
    assert row["remembered_fix"] == 'It said make: "x" failed: no such "y". Add y.'
