"""Hooks as processes of their own: the same answer as in this one, one row or spool line each, silence in trouble."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.errors import InputError
from memory_db.hooks import run as hooks
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT, HOOK_EFFORT
from memory_db.store.schema import open_database
from memory_db.store.spool_line import SPOOL_BYTES
from memory_db.text.excerpt import HEAD_CHARACTERS, TAIL_CHARACTERS
from tests.support.hook_process import PATIENT, SCRIPT, fire

NUMBERS = itertools.count()
PROMPT = "how do we deploy to staging, and which port does the database listen on?"


@pytest.fixture
def sample_path(sample_file: Path, tmp_path: Path) -> Path:
    """A copy of the sample's file in which no hook has asked yet."""
    path = Path(shutil.copy(sample_file, tmp_path / "sample.db"))
    with closing(sqlite3.connect(path)) as db:
        db.execute("update recalls set surface = 'cli' where surface = 'hook'")
        db.commit()
    return path


def run(path: Path, payload: bytes, *more: str) -> subprocess.CompletedProcess[bytes]:
    return fire("user-prompt", path, payload, *PATIENT, *more)


def payload_of(prompt: str, **more: object) -> bytes:
    """A prompt in a session of its own, unless told otherwise: what goes on with a topic is not asked."""
    own = {"prompt": prompt, "cwd": "/home/sam/code/tidepool", "session_id": f"session-{next(NUMBERS)}"}
    return json.dumps(own | more).encode()


def context_of(output: bytes) -> str:
    """The brief in the agent's output shape, which has nothing else in it."""
    values = json.loads(output)
    assert list(values) == ["hookSpecificOutput"]
    assert sorted(values["hookSpecificOutput"]) == ["additionalContext", "hookEventName"]
    assert values["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    return str(values["hookSpecificOutput"]["additionalContext"])


def assert_silent(path: Path, payload: bytes, *more: str) -> None:
    ended = run(path, payload, *more)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def spooled(path: Path) -> list[dict[str, str]]:
    spool = Path(f"{path}.spool.jsonl")
    return [json.loads(line) for line in spool.read_text("utf-8").splitlines()] if spool.exists() else []


def hit_rows(path: Path) -> list[tuple[object, ...]]:
    columns = "memory_version_id, entry_id, position, rank, left_out_reason, round(logged_score, 6)"
    with closing(sqlite3.connect(path)) as db:
        newest = "(select max(id) from recalls)"
        return db.execute(f"select {columns} from hits where recall_id = {newest} order by position").fetchall()


@pytest.mark.slow
def test_the_process_answers_as_this_one_does(sample_path: Path) -> None:
    ended = run(sample_path, payload_of(PROMPT))
    assert (ended.returncode, ended.stderr) == (0, b"")
    rows = hit_rows(sample_path)
    with closing(sqlite3.connect(sample_path)) as db:
        asked_at, uid, text = db.execute("select asked_at, uid, shown_text from recalls order by id desc").fetchone()
    assert context_of(ended.stdout) == text
    run_here = hooks.HookRun(str(sample_path), datetime.fromisoformat(asked_at), 0.0, "user-prompt")
    here, starts_work = hooks.respond(run_here, payload_of(PROMPT), is_own=False)
    run_here.db and run_here.db.close()
    assert context_of(here.encode()).splitlines()[1:] == text.splitlines()[1:] and not starts_work
    assert uid in text.splitlines()[0]
    # What the first recall showed is a feature of the second, so that places are compared, and scores of the first.
    assert [row[:5] for row in hit_rows(sample_path)] == [row[:5] for row in rows]


def test_what_is_logged_adds_up(sample_path: Path, now: datetime) -> None:
    assert run(sample_path, payload_of(PROMPT)).stdout
    with closing(open_database(sample_path, now=now)) as db:
        recall = db.execute("select * from recalls order by id desc").fetchone()
        assert (recall["surface"], recall["query"]) == ("hook", PROMPT)
        assert json.loads(recall["context"])["most_terms"] == HOOK_EFFORT.most_terms
        scored = db.execute("select score, logged_score from recall_scores where recall_id = ?", [recall["id"]])
        rows = scored.fetchall()
        assert rows and all(row["score"] == pytest.approx(row["logged_score"]) for row in rows)
        assert recall["shown_tokens"] <= FIRST_BUDGET_TOKENS
        shown = db.execute("select count(*) from hits where recall_id = ? and rank > 0", [recall["id"]]).fetchone()[0]
        assert 1 <= shown <= FIRST_LIMIT


@pytest.mark.parametrize("payload", [PROMPT.encode(), payload_of(PROMPT)[30:], payload_of(PROMPT)[:-20], b'["deploy"]'])
def test_what_is_no_event_is_told_nothing(sample_path: Path, payload: bytes) -> None:
    """Not even where the words of a prompt stand in it: half an event says no folder, so it would ask all projects."""
    assert_silent(sample_path, payload)
    assert "payload" in spooled(sample_path)[0]["reason"]


@pytest.mark.slow
def test_secrets_of_a_prompt_are_not_stored(sample_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    long = f"deploy to staging {'word ' * 700} {secret} {'more ' * 700} which port"
    for prompt in (f"deploy to staging with {secret}", long):
        assert run(sample_path, payload_of(prompt)).returncode == 0
    with closing(sqlite3.connect(sample_path)) as db:
        queries = [row[0] for row in db.execute("select query from recalls where surface = 'hook' order by id")]
        found = db.execute("select count(*) from scan_findings where place like 'recall %'").fetchone()[0]
    assert len(queries) == 2 and not any("a1B2" in query for query in queries)
    assert len(queries[1]) <= HEAD_CHARACTERS + TAIL_CHARACTERS + 1
    assert found >= 1


@pytest.mark.slow
def test_the_project_is_the_nearest_known_folder(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        project_id, path = db.execute("select id, canonical_path from projects order by id").fetchone()
        assert hooks.project_of(db, f"{path}/src/deep") == project_id
        assert hooks.project_of(db, "/nowhere/at/all") is None
        assert hooks.project_of(db, "") is None
    run(sample_path, payload_of(PROMPT, cwd=f"{path}/src"))
    run(sample_path, payload_of(PROMPT, cwd="/nowhere"), "--project", path)
    with closing(sqlite3.connect(sample_path)) as db:
        logged = db.execute("select project_id from recalls where surface = 'hook' order by id").fetchall()
    assert logged == [(project_id,), (project_id,)]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\0",
        b"\0" * 1000,
        b"?!",
        b"{",
        b"{}",
        b'{"prompt": 3}',
        b'{"prompt": null, "cwd": []}',
        b"{" * 100_000,
        b'{"prompt": ' + b"[" * 100_000,
        b"\xff\xfe\xfa",
    ],
)
def test_nothing_is_said_to_garbage(sample_path: Path, payload: bytes) -> None:
    assert_silent(sample_path, payload)


@pytest.mark.parametrize(
    "payload",
    [
        payload_of("deploy " * 150_000),
        payload_of("deploy to\0 staging \ud800 \U0001f600 'quoted\" OR (NEAR"),
        payload_of(" ".join(f"word{number}" for number in range(5_000)) + " staging"),
        b'{"prompt": "\xff deploy \xfe staging"}',
    ],
)
def test_odd_prompts_are_answered_quietly(sample_path: Path, payload: bytes) -> None:
    ended = run(sample_path, payload)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert not ended.stdout or b"<memory-brief" in ended.stdout
    assert spooled(sample_path) == []


def test_a_payload_that_is_too_long_is_not_read(sample_path: Path) -> None:
    assert_silent(sample_path, b"a" * (hooks.MOST_BYTES + 1))
    assert "payload" in spooled(sample_path)[0]["reason"]


@pytest.mark.slow
def test_a_busy_file_is_answered_and_left_alone(sample_path: Path) -> None:
    with closing(sqlite3.connect(sample_path, isolation_level=None)) as other:
        before = other.execute("select count(*) from recalls").fetchone()
        other.execute("begin immediate")
        assert context_of(run(sample_path, payload_of(PROMPT)).stdout)
        other.rollback()
        assert other.execute("select count(*) from recalls").fetchone() == before
    assert spooled(sample_path)[0]["outcome"] == "shown"
    assert stat.S_IMODE(Path(f"{sample_path}.spool.jsonl").stat().st_mode) == 0o600
    assert run(sample_path, payload_of(PROMPT)).stdout


def test_a_newer_schema_is_left_alone(sample_path: Path) -> None:
    with closing(sqlite3.connect(sample_path)) as db:
        db.execute("pragma user_version = 9999")
    assert_silent(sample_path, payload_of(PROMPT))
    assert spooled(sample_path)[0]["error"] == "NewerSchemaError"
    with closing(sqlite3.connect(sample_path)) as db:
        assert db.execute("pragma user_version").fetchone() == (9_999,)


@pytest.mark.slow
def test_a_file_that_is_not_ours_stays_as_it_is(tmp_path: Path) -> None:
    foreign, text, folder = tmp_path / "foreign.db", tmp_path / "notes.txt", tmp_path / "folder"
    with closing(sqlite3.connect(foreign)) as db:
        db.execute("create table notes (text)")
    text.write_text("not a database " * 500)
    folder.mkdir()
    for path in (foreign, text, folder, tmp_path / "missing.db", tmp_path / "no" / "such" / "folder.db"):
        before = path.read_bytes() if path.is_file() else b""
        assert_silent(path, payload_of(PROMPT))
        assert (path.read_bytes() if path.is_file() else b"") == before
    assert not (tmp_path / "missing.db").exists()


def test_a_damaged_file_is_left_alone(sample_path: Path) -> None:
    content = bytearray(sample_path.read_bytes())
    content[4096 : len(content) // 2] = b"\x55" * (len(content) // 2 - 4096)
    sample_path.write_bytes(content)
    assert_silent(sample_path, payload_of(PROMPT))
    assert len(spooled(sample_path)) == 1


def test_a_spool_stops_growing(tmp_path: Path) -> None:
    path = tmp_path / "missing.db"
    spool = Path(f"{path}.spool.jsonl")
    spool.write_bytes(b"x" * SPOOL_BYTES)
    assert_silent(path, payload_of(PROMPT))
    assert spool.stat().st_size == SPOOL_BYTES


def test_wrong_options_are_no_error_of_the_agent(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), "user-prompt", "--unknown", "x"],
        input=b"", capture_output=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError):
        hooks.options(hooks.HookRun("", datetime.now().astimezone(), 0.0), ["user-prompt", "--unknown", "x"], 0.0)


@pytest.mark.slow
def test_entries_answer_where_memories_do_not(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        db.execute("update memories set status = 'retired', changed_by = 'test', change_reason = 'test'")
    text = run(sample_path, payload_of("how do we build an index on readings?")).stdout
    assert context_of(text).startswith("<memory-brief")
    with closing(sqlite3.connect(sample_path)) as db:
        logged = db.execute("select scope, abstained from recalls where surface = 'hook' order by id").fetchall()
        kinds = db.execute(
            "select count(memory_version_id), count(entry_id) from hits where rank > 0"
            " and recall_id = (select max(id) from recalls)"
        ).fetchone()
    assert logged == [("all", 0)]
    assert kinds[0] == 0 and kinds[1] > 0


@pytest.mark.slow
def test_entries_are_not_asked_where_a_memory_answers(sample_path: Path, now: datetime) -> None:
    with closing(open_database(sample_path, now=now)) as db:
        title, folder = db.execute(
            "select m.text, p.canonical_path from memories m join projects p on p.id = m.project_id"
            " where m.status = 'active' order by length(m.text) limit 1"
        ).fetchone()
    for prompt, cwd in ((title, folder), (f"{title} {PROMPT} of the wind turbines", folder)):
        assert run(sample_path, payload_of(prompt, cwd=cwd)).returncode == 0
    with closing(sqlite3.connect(sample_path)) as db:
        asked = db.execute("select id, scope, context from recalls where surface = 'hook' order by id").fetchall()
        entries = "select count(*) from hits where recall_id = ? and entry_id is not null"
        counts = [db.execute(entries, [row[0]]).fetchone()[0] for row in asked]
    assert [row[1] for row in asked] == ["memories", "all"]
    assert counts[0] == 0 < counts[1]
    assert json.loads(asked[0][2])["entries_below"] == HOOK_EFFORT.entries_below


@pytest.mark.slow
def test_in_a_folder_of_no_project_only_what_is_known_of_the_user_is_shown(sample_path: Path) -> None:
    prompts = ("which port does postgres run on?", "may you push the commits and tags for me?", "how do we deploy?")
    for prompt in prompts:
        for folder in ("/somewhere/else", "", None):
            assert run(sample_path, payload_of(prompt, cwd=folder)).returncode == 0
    with closing(sqlite3.connect(sample_path)) as db:
        shown = db.execute(
            "select v.scope, h.entry_id from recalls r join hits h on h.recall_id = r.id and h.rank > 0"
            " left join memory_versions v on v.id = h.memory_version_id where r.surface = 'hook'"
            " and r.project_id is null"
        ).fetchall()
    assert shown and set(shown) == {("user", None)}


@pytest.mark.slow
def test_where_a_project_is_known_nothing_of_others_is_shown(sample_path: Path) -> None:
    with closing(sqlite3.connect(sample_path)) as db:
        projects = db.execute("select id, canonical_path from projects order by id").fetchall()
    for _, folder in projects:
        assert run(sample_path, payload_of("how do we run the tests?", cwd=folder)).returncode == 0
    with closing(sqlite3.connect(sample_path)) as db:
        asked = db.execute("select project_id, context from recalls where surface = 'hook' order by id").fetchall()
        assert [project for project, _ in asked] == [project for project, _ in projects]
        assert all(json.loads(context)["other_projects"] is False for _, context in asked)
        foreign = db.execute(
            "select h.rank, h.left_out_reason from hits h join recalls r on r.id = h.recall_id"
            " left join memory_versions v on v.id = h.memory_version_id left join entries e on e.id = h.entry_id"
            " left join sessions s on s.id = e.session_id"
            " where r.surface = 'hook' and coalesce(v.scope, '') <> 'user'"
            " and coalesce(v.project_id, s.project_id) <> r.project_id"
        ).fetchall()
        assert foreign and all(rank is None for rank, _ in foreign)
        assert "of another project" in {reason for _, reason in foreign}
