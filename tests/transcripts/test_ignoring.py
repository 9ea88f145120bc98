"""What a person wants left alone is not read, answered or sent, and is read once they do not want that any more."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import InputError, NotFoundError
from memory_db.extract.model.jobs import waiting
from memory_db.extract.model.prompts import load_prompt
from memory_db.store.connection import connect
from memory_db.store.ignored import IGNORED, MARKER, ignored_folders, why_ignored
from memory_db.transcripts.ignoring import ignore, unignore
from memory_db.transcripts.importer import import_claude_code, import_text
from memory_db.upkeep.onboard import onboard
from tests.support.command import printed, run, scalar
from tests.support.hook_process import fire
from tests.support.transcript_rows import assistant, user, write_jsonl

ENTRIES = "select count(*) from entries"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a folder in it."""
    (tmp_path / "shop" / "src").mkdir(parents=True)
    (tmp_path / "shop" / ".git").mkdir()
    return tmp_path / "shop"


def transcript(tmp_path: Path, name: str, *folders: Path) -> Path:
    """A session whose records were made in these folders, one after the other; the folder of transcripts."""
    records = [user(f"{name}-{number}", f"Message {number}", session=name, cwd=str(folder))
               for number, folder in enumerate(folders)]  # fmt: skip
    write_jsonl(tmp_path / "transcripts" / "-x" / f"{name}.jsonl", [*records, assistant(f"{name}-r", "Fine.", name)])
    return tmp_path / "transcripts"


def reasons(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return [tuple(row) for row in db.execute("select state, coalesce(state_reason, '') from sources order by path")]


def test_a_session_of_an_ignored_folder_is_kept_as_a_source_and_read_once_it_is_not(
    db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime
) -> None:
    folder = transcript(tmp_path, "a", shop / "src")
    transcript(tmp_path, "b", tmp_path)
    assert ignore(db, str(shop), now=now).changed == (str(shop),)
    counts = import_claude_code(db, [folder], now=now)
    assert (counts.files_read, counts.files_ignored, counts.files_unreadable) == (1, 1, 0)
    assert reasons(db)[0] == ("unreadable", f"ignored: `memory-db project unignore {shop}` has it read")
    assert db.execute(f"{ENTRIES} where uid like 'a-%'").fetchone()[0] == 0
    unignore(db, str(shop), now=now)
    assert import_claude_code(db, [folder], now=now).files_read == 1
    assert db.execute(f"{ENTRIES} where uid like 'a-%'").fetchone()[0] == 2
    assert reasons(db)[0] == ("read", "")


def test_one_record_in_an_ignored_folder_is_enough_however_far_into_a_session(
    db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime
) -> None:
    folder = transcript(tmp_path, "a", *[tmp_path] * 6_000, shop)
    ignore(db, str(shop), now=now)
    assert (folder / "-x" / "a.jsonl").stat().st_size > 2**20
    assert import_claude_code(db, [folder], now=now).files_ignored == 1
    assert db.execute(ENTRIES).fetchone()[0] == 0


def test_a_file_in_the_repository_does_the_same(
    db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime
) -> None:
    (shop / MARKER).touch()
    folder = transcript(tmp_path, "a", shop / "src")
    assert import_claude_code(db, [folder], now=now).files_ignored == 1
    assert reasons(db) == [("unreadable", f"ignored: {shop / MARKER} is in its folder")]
    with pytest.raises(InputError, match="Remove "):
        unignore(db, str(shop), now=now)
    (shop / MARKER).unlink()
    assert import_claude_code(db, [folder], now=now).files_read == 1


def test_what_came_later_to_a_session_that_was_read_is_left_and_read_later(
    db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime
) -> None:
    folder = transcript(tmp_path, "a", shop)
    import_claude_code(db, [folder], now=now)
    ignored = ignore(db, "shop", now=now)
    assert [(each.project, each.entries) for each in ignored.read_before] == [(str(shop), 2)]
    with (folder / "-x" / "a.jsonl").open("a") as file:
        file.write(json.dumps(user("a-9", "And more", session="a", cwd=str(shop))) + "\n")
    assert import_claude_code(db, [folder], now=now).files_ignored == 1
    assert db.execute(ENTRIES).fetchone()[0] == 2
    unignore(db, "shop", now=now)
    import_claude_code(db, [folder], now=now)
    assert db.execute(ENTRIES).fetchone()[0] == 3


def test_texts_are_left_and_onboarding_is_refused(db: sqlite3.Connection, shop: Path, now: datetime) -> None:
    (shop / "notes.md").write_text("# Notes\n\nWe use pnpm.")
    ignore(db, str(shop), now=now)
    assert import_text(db, [shop / "notes.md"], now=now).files_ignored == 1
    with pytest.raises(InputError, match="is ignored by"):
        onboard(db, shop, now=now)
    assert db.execute(ENTRIES).fetchone()[0] == 0


def test_a_model_gets_nothing_of_what_was_read_before(
    db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime
) -> None:
    import_claude_code(db, [transcript(tmp_path, "a", shop)], now=now)
    prompt = load_prompt("extract")
    assert len(waiting(db, prompt, "m")) == 1
    ignore(db, str(shop), now=now)
    assert waiting(db, prompt, "m") == []


def test_a_worktree_is_ignored_with_its_repository(tmp_path: Path, shop: Path) -> None:
    tree = tmp_path / "elsewhere" / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {shop}/.git/worktrees/tree\n")
    assert why_ignored(str(tree / "src"), [str(shop)]) == str(shop)
    assert why_ignored(str(tree / "src"), [str(tmp_path / "sho")]) == ""


@pytest.mark.parametrize("hook", ["user-prompt", "session-start", "pre-tool-use", "stop", "session-end", "pre-compact"])
def test_hooks_are_silent_there_and_log_nothing_but_that(
    db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime, hook: str
) -> None:
    names = {"user-prompt": "UserPromptSubmit", "session-start": "SessionStart", "pre-tool-use": "PreToolUse",
             "stop": "Stop", "session-end": "SessionEnd", "pre-compact": "PreCompact"}  # fmt: skip
    path = Path(db.execute("pragma database_list").fetchone()["file"])
    ignore(db, str(shop), now=now)
    file = transcript(tmp_path, "a", shop) / "-x" / "a.jsonl"
    payload = {"hook_event_name": names[hook], "session_id": "a", "cwd": str(shop / "src"), "source": "startup",
               "transcript_path": str(file), "prompt": "Which package manager do we use in the shop?",
               "tool_name": "Bash", "tool_input": {"command": "npm install"}}  # fmt: skip
    ended = fire(hook, path, json.dumps(payload).encode())
    assert (ended.returncode, ended.stdout) == (0, b"")
    with closing(connect(path)) as db:
        rows = [tuple(row) for row in db.execute("select outcome, reason from hook_runs")]
    assert rows == [("skipped", IGNORED)]
    for table in ("recalls", "jobs", "entries"):
        assert scalar(path, f"select count(*) from {table}") == 0


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3))
def test_any_folder_has_an_answer(folder: str, ignored: list[str]) -> None:
    place = why_ignored(folder, ignored)
    assert place == "" or place in ignored or place.endswith(MARKER)


@pytest.mark.parametrize("value", ["no json", "3", '{"a": 1}', '[1, null, "/a"]', '""'])
def test_a_list_that_somebody_broke_ignores_what_can_be_read_of_it(db: sqlite3.Connection, value: str) -> None:
    db.execute("insert into settings (name, value, changed_at) values ('ignored_folders', ?, '2026-11-01')", [value])
    assert ignored_folders(db) == (["/a"] if "/a" in value else [])


@pytest.mark.parametrize(
    ("given", "error"),
    [("", InputError), ("  ", InputError), ("/", InputError), ("no-such-project", NotFoundError)],
)
def test_what_is_no_folder_is_refused_in_one_line(
    db: sqlite3.Connection, now: datetime, given: str, error: type[Exception]
) -> None:
    for change in (ignore, unignore):
        with pytest.raises(error) as raised:
            change(db, given, now=now)
        assert "\n" not in str(raised.value)
    assert ignored_folders(db) == []


def test_the_commands(db: sqlite3.Connection, tmp_path: Path, shop: Path, now: datetime) -> None:
    path = Path(db.execute("pragma database_list").fetchone()["file"])
    import_claude_code(db, [transcript(tmp_path, "a", shop)], now=now)
    assert printed("project", "ignore", "-d", path) == "Nothing is ignored.\n"
    assert "(not kept: dry run)" in printed("project", "ignore", "shop", "--dry-run", "-d", path)
    told = printed("project", "ignore", "shop", "-d", path)
    assert told.startswith(f"Ignored: {shop}.\nRead before: 2 entries in 1 sessions and 0 memories of {shop}.")
    assert f"`memory-db memory forget --project {shop}`" in told
    assert printed("project", "ignore", "shop", "-d", path).startswith("Ignored already: ")
    assert printed("project", "ignore", "-d", path) == f"{shop}\n"
    assert json.loads(printed("project", "ignore", "--json", "-d", path)) == {"ignored": [str(shop)]}
    assert str(shop) in printed("project", "list", "-d", path)
    assert run("project", "unignore", shop / "src", "-d", path, code=1).output.count("\n") == 1
    assert printed("project", "unignore", "shop", "-d", path) == f"No longer ignored: {shop}.\n"
    assert printed("project", "unignore", "shop", "-d", path) == f"Was not ignored: {shop}.\n"
