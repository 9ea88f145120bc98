"""Every command the normal way, on a copy of the sample's file."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

from memory_db import __version__
from memory_db.cli import cli
from memory_db.cli.group import COMMANDS
from memory_db.cli.lazy import Group
from memory_db.sample.build import write_history
from memory_db.store.connection import connect
from tests.support.command import run
from tests.support.reading_model import registered
from tests.support.talking_model import TalkingModel


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and no database named by the surroundings."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("MEMORY_DB", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sample(sample_path: Path, home: Path) -> Path:
    """A copy of the sample's file, with a home folder of its own."""
    return sample_path


def scalar(path: Path, sql: str, *parameters: object) -> object:
    """One value of a file."""
    with closing(connect(path)) as db:
        return db.execute(sql, parameters).fetchone()[0]


# ---------------------------------------------------------------- the group


def groups_of(group: click.Group, *words: str) -> Iterator[tuple[tuple[str, ...], click.Group]]:
    """A group and those below it, each with the words that lead to it."""
    yield words, group
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from groups_of(command, *words, name)


GROUPS = dict(groups_of(cli))


def test_at_most_25_words_stand_at_the_top() -> None:
    assert len(cli.list_commands(click.Context(cli))) <= 25


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_help_lines_are_the_first_lines_of_the_commands_own_help(words: tuple[str, ...]) -> None:
    group = GROUPS[words]
    assert isinstance(group, Group)
    printed = " ".join(run(*words, "--help").stdout.split())
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None and command.help
        assert command.name == name
        line = group.help_line(name)
        assert line == command.help.partition("\n")[0]
        assert line[0].isupper() and line.endswith(".")
        assert f" {name} {line}" in printed
        assert line in " ".join(run(*words, name, "--help").stdout.split())


def test_without_a_command_there_is_help(home: Path) -> None:
    assert all(f"  {name} " in run().stdout for name in COMMANDS)
    assert "claude-code" in run("import").stdout
    assert "\n  refresh " in run("model", "price").stdout
    assert list(home.iterdir()) == []


def test_version() -> None:
    assert run("--version").stdout == f"memory-db, version {__version__}\n"


def test_help_of_the_group_loads_no_command() -> None:
    program = (
        "import sys; from memory_db.cli import main; sys.argv = ['memory-db', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'llm', 'datasette', 'sqlite_utils', 'mcp') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


# ---------------------------------------------------------------- which file


def test_the_file_before_and_after_the_command(sample: Path) -> None:
    before = run("-d", str(sample), "settings", "--json").stdout
    assert run("settings", "--json", "-d", str(sample)).stdout == before
    assert run("--database", "/no/such/file", "settings", "--json", "-d", str(sample)).stdout == before
    uid = "mac752105"
    shown = run("-d", str(sample), "memory", "get", uid).stdout
    assert run("-d", "/no/such/file", "memory", "-d", str(sample), "get", uid).stdout == shown
    assert run("memory", "-d", "/no/such/file", "get", uid, "-d", str(sample)).stdout == shown


def test_the_file_named_by_the_environment(sample: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_DB", str(sample))
    run("settings", "recall_limit", "7")
    assert run("settings", "recall_limit").stdout == "7\n"
    other = home / "other.db"
    run("-d", str(other), "settings", "recall_limit", "9")
    assert run("settings", "recall_limit").stdout == "7\n"


def test_the_default_file_is_private_and_in_the_home_folder(home: Path) -> None:
    run("settings", "recall_limit", "7")
    path = home / ".memory-db" / "memory.db"
    assert run("settings", "recall_limit").stdout == run("settings", "recall_limit", "-d", str(path)).stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert run("-d", "~/.memory-db/memory.db", "settings", "recall_limit").stdout == "7\n"


def test_llm_memory_is_the_same_group(sample: Path) -> None:
    environment = {**os.environ, "LLM_USER_PATH": str(sample.parent / "llm")}
    environment.pop("LLM_LOAD_PLUGINS", None)

    def llm(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "llm", "memory", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert llm("-d", str(sample), "settings", "--json").stdout == run("-d", str(sample), "settings", "--json").stdout
    assert (
        llm("memory", "get", "nothing", "-d", str(sample)).stderr
        == run("-d", str(sample), "memory", "get", "nothing", code=1).stderr
    )
    wrong = llm("--nothing")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)


# ---------------------------------------------------------------- asking


def test_recall_shows_hits_and_says_how_to_ask_why(sample: Path) -> None:
    answer = run("-d", str(sample), "recall", "which port does postgres listen on")
    assert "5433" in answer.stdout
    assert answer.stdout.startswith(" 1. 0.")
    uid = answer.stderr.split()[-1]
    assert scalar(sample, "select surface from recalls where uid = ?", uid) == "cli"
    assert "5433" in run("-d", str(sample), "why", uid).stdout
    assert uid in run("-d", str(sample), "memory", "get", uid).stdout


def test_recall_explained(sample: Path) -> None:
    text = run("-d", str(sample), "recall", "postgres port", "--explain").stdout
    assert " keyword\n" in text
    assert "Considered " in text
    assert "Profile default@1" in text


def test_recall_without_a_trace(sample: Path) -> None:
    before = sample.read_bytes()
    answer = run("-d", str(sample), "recall", "postgres port", "--no-log")
    assert answer.stderr == ""
    assert sample.read_bytes() == before


def test_recall_of_something_never_heard_of(sample: Path) -> None:
    run("-d", str(sample), "settings", "embedding_model", "none")
    run("-d", str(sample), "run", "--only", "index")
    answer = run("-d", str(sample), "recall", "zeppelin", "--profile", "keyword_only").stdout
    assert answer.startswith("Nothing shown: ")


def test_filters_narrow(sample: Path) -> None:
    for options in (["--kind", "fix"], ["--project", "tidepool"], ["--scope", "memories"], ["--since", "2026-10-01"]):
        asked = json.loads(run("-d", str(sample), "recall", "tests port error", *options, "--json").stdout)
        assert asked["hits"]
        for hit in asked["hits"]:
            assert hit["kind"] == "fix" or options[0] != "--kind"
            assert hit["project"] in ("tidepool", None) or options[0] != "--project"
            assert hit["type"] == "memory" or options[0] != "--scope"
            assert hit["created_at"] >= "2026-10-01" or options[0] != "--since"


def test_the_limit_and_the_budget_hold(sample: Path) -> None:
    asked = json.loads(run("-d", str(sample), "recall", "tests", "--limit", "3", "--json").stdout)
    assert [hit["rank"] for hit in asked["hits"]] == [1, 2, 3]
    asked = json.loads(run("-d", str(sample), "recall", "tests", "--budget", "1", "--json").stdout)
    assert asked["hits"] == []
    assert asked["abstained"]


def test_why_names_every_signal_of_one_hit(sample: Path) -> None:
    asked = json.loads(run("-d", str(sample), "recall", "postgres port", "--json").stdout)
    first, other = asked["hits"][0]["uid"], asked["others"][0]["uid"]
    reason = json.loads(run("-d", str(sample), "why", asked["recall_uid"], first, "--json").stdout)
    assert sum(part["part"] for part in reason["parts"]) == pytest.approx(reason["score"], abs=1e-12)
    assert "shown at rank 1" in run("-d", str(sample), "why", asked["recall_uid"], first).stdout
    assert "not shown" in run("-d", str(sample), "why", asked["recall_uid"], other).stdout


def test_added_is_found(sample: Path) -> None:
    uid = run("-d", str(sample), "add", "The zeppelin lands at gate nine", "--user", "--tag", "air").stdout.strip()
    assert uid in run("-d", str(sample), "recall", "where does the zeppelin land").stdout
    assert "gate nine" in run("-d", str(sample), "memory", "get", uid).stdout
    again = run("-d", str(sample), "add", "The zeppelin lands at gate nine", "--user").stdout.strip()
    assert again == uid
    asked = json.loads(run("-d", str(sample), "recall", "zeppelin", "--tag", "air", "--json").stdout)
    assert [hit["uid"] for hit in asked["hits"]] == [uid]


def test_get_of_every_sort(sample: Path) -> None:
    run("-d", str(sample), "recall", "port")
    for table, sort in (("memories", "memory"), ("entries", "entry"), ("sessions", "session"), ("recalls", "recall")):
        uid = str(scalar(sample, f"select uid from {table} order by id desc"))
        found = json.loads(run("-d", str(sample), "memory", "get", uid, "--json").stdout)
        assert found["type"] == sort
        assert f"type: {sort}\n" in run("-d", str(sample), "memory", "get", uid).stdout


def test_a_terminal_obeys_nothing_that_was_said(sample: Path) -> None:
    with closing(sqlite3.connect(sample)) as db, db:
        db.execute("update entries set text = 'zeppelin \x1b[2J\x07 port' where id = 1")
        db.execute("update memories set text = 'zeppelins \x1b[2J\x07 land' where id = 1")
    uid = str(scalar(sample, "select uid from entries where id = 1"))
    for command in (["recall", "zeppelin"], ["memory", "get", uid], ["recall", "zeppelin", "--explain"],
                    ["export", "--format", "markdown"],
                    ["ask", "-m", "talker", "--dry-run", "\x1b[2J zeppelins"]):  # fmt: skip
        with registered(TalkingModel()):
            said = run("-d", str(sample), *command).stdout
        assert "zeppelin" in said
        assert "\x1b" not in said
        assert "\x07" not in said


# ---------------------------------------------------------------- JSON and dry runs

READING = (
    ["recall", "port", "--no-log"],
    ["recall", "port"],
    ["profile", "list"],
    ["profile", "show", "default"],
    ["settings"],
    ["settings", "recall_limit"],
    ["cost"],
    ["cost", "--by", "model", "--project", "tidepool", "--since", "2026-09-01"],
    ["file", "check"],
    ["doctor"],
)


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_json_of_reading(command: list[str], sample: Path) -> None:
    assert json.loads(run("-d", str(sample), *command, "--json").stdout) not in ({}, None)
    assert run("-d", str(sample), *command).stdout != ""


CHANGING = (
    ["run", "--dir", "{history}"],
    ["import", "claude-code", "--dir", "{history}"],
    ["import", "text", "{notes}"],
    ["extract"],
    ["run", "--only", "index"],
    ["run", "--only", "index", "--memories-only"],
    ["add", "The zeppelin lands at gate nine", "--user"],
    ["profile", "save", "mine", "--set", "keyword=0.5"],
    ["profile", "save", "default", "--threshold", "0.2"],
    ["settings", "recall_limit", "5"],
)


@pytest.mark.parametrize("command", CHANGING, ids=" ".join)
def test_a_dry_run_changes_nothing_and_the_same_command_without_it_works(
    command: list[str], sample: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Airships\n\nThe zeppelin lands at gate nine.\n")
    (tmp_path / "history").mkdir()
    filled = [word.format(history=tmp_path / "history", notes=notes) for word in command]
    before = sample.read_bytes()
    run("-d", str(sample), *filled, "--dry-run")
    assert sample.read_bytes() == before
    run("-d", str(sample), *filled)
    assert sample.read_bytes() != before
    new = tmp_path / "new.db"
    if command[0] in ("import", "add", "settings"):
        run("-d", str(new), *filled, "--dry-run")
        assert not new.exists()


def test_a_dry_run_says_so(sample: Path) -> None:
    assert "dry run" in run("-d", str(sample), "settings", "recall_limit", "5", "--dry-run").stdout
    assert "dry run" in run("-d", str(sample), "add", "A zeppelin", "--user", "--dry-run").stdout
    assert json.loads(run("-d", str(sample), "add", "A zeppelin", "--user", "--dry-run", "--json").stdout)["dry_run"]


# ---------------------------------------------------------------- filling


def test_stage_by_stage_from_transcripts(home: Path) -> None:
    path, history = home / "memory.db", home / "history"
    write_history(history)
    run("-d", str(path), "settings", "embedding_model", "none")
    imported = json.loads(run("-d", str(path), "import", "claude-code", "--dir", str(history), "--json").stdout)
    assert imported["counts"]["sessions"] > 10
    stages = json.loads(run("-d", str(path), "extract", "--json").stdout)["stages"]
    assert [stage["stage"] for stage in stages] == ["extract", "gate"]
    assert "static memories" in run("-d", str(path), "run", "--only", "index").stderr
    again = run("-d", str(path), "run", "--dir", str(history))
    assert again.stderr.count("nothing new") >= 2
    assert scalar(path, "select count(*) from memories") == scalar(path, "select count(*) from static_vectors"
                                                                   " where memory_version_id is not null")  # fmt: skip


def test_the_default_folder_is_read(home: Path) -> None:
    write_history(home / ".claude" / "projects")
    run("settings", "embedding_model", "none")
    answer = json.loads(run("run", "--json").stdout)
    assert [stage["stage"] for stage in answer["stages"]] == [
        "import",
        "extract",
        "gate",
        "index",
        "contradictions",
        "feedback",
    ]
    assert answer["database"] == str(home / ".memory-db" / "memory.db")


def test_the_sample_never_touches_the_users_file(home: Path, sample_file: Path) -> None:
    run("settings", "recall_limit", "5")
    own = home / ".memory-db" / "memory.db"
    before = own.read_bytes()
    with closing(sqlite3.connect(sample_file)) as made, closing(sqlite3.connect(own.with_name("sample.db"))) as copy:
        made.backup(copy)
    answer = json.loads(run("run", "--sample", "--json").stdout)
    assert answer["database"] == str(own.with_name("sample.db"))
    assert own.read_bytes() == before


def test_text_that_was_imported_is_found(sample: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Airships\n\nThe zeppelin lands at gate nine.\n")
    run("-d", str(sample), "import", "text", str(notes))
    assert "gate nine" in run("-d", str(sample), "recall", "zeppelin").stdout


# ---------------------------------------------------------------- the rest


def test_profiles_are_versions(sample: Path) -> None:
    assert run("-d", str(sample), "profile", "save", "mine", "--set", "keyword=0.9").stdout == "mine@1\n"
    assert run("-d", str(sample), "profile", "save", "mine", "--set", "recency=0.3").stdout == "mine@2\n"
    weights = json.loads(run("-d", str(sample), "profile", "show", "mine", "--json").stdout)
    assert sum(weights.values()) == pytest.approx(1)
    assert "Profile mine@1" in run("-d", str(sample), "recall", "port", "--profile", "mine@1", "--explain").stdout
    assert "mine" in run("-d", str(sample), "profile", "list").stdout


def test_a_backup_is_a_whole_private_file(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert "verified" in run("-d", str(sample), "file", "backup", str(copy)).stdout
    assert scalar(copy, "select count(*) from memories") == scalar(sample, "select count(*) from memories")
    assert copy.stat().st_mode & 0o777 == 0o600


def test_costs_add_up(sample: Path) -> None:
    for by in ("project", "day", "model"):
        rows = json.loads(run("-d", str(sample), "cost", "--by", by, "--json").stdout)
        assert sum(row["calls"] for row in rows) == scalar(sample, "select count(*) from api_calls")


def test_check_finds_nothing_and_doctor_is_well(sample: Path) -> None:
    assert run("-d", str(sample), "file", "check").stdout == "Everything agrees.\n"
    assert run("-d", str(sample), "doctor").stdout.splitlines()[-1] in ("HEALTHY", "DEGRADED")


def test_doctor_shows_what_to_do_about_a_missing_file(home: Path) -> None:
    said = run("doctor", code=1).stdout
    assert "failure" in said
    assert "->" in said
    assert list(home.iterdir()) == []


def test_without_transcripts_nothing_is_made(home: Path) -> None:
    result = run("run", code=1)
    assert (
        result.stderr == "Error: No transcripts at ~/.claude/projects. Name their folder with --dir, or try --sample.\n"
    )
    assert not (home / ".memory-db").exists()


def test_ones_own_transcripts_never_enter_the_sample(sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own" / "p"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text('{"type": "summary", "summary": "mine", "leafUuid": "x"}\n')
    before = sample.read_bytes()
    assert "holds the sample history" in run("-d", str(sample), "run", "--dir", str(folder.parent), code=1).stderr
    assert sample.read_bytes() == before


def test_a_folder_becomes_a_project_when_something_is_remembered_of_it(sample: Path, home: Path) -> None:
    uid = run("-d", str(sample), "add", "The zeppelin lands at gate nine").stdout.strip()
    found = json.loads(run("-d", str(sample), "memory", "get", uid, "--json").stdout)
    assert found["project"] == home.name
    best = json.loads(run("-d", str(sample), "recall", "zeppelin gate", "--json").stdout)["hits"][0]
    assert best["uid"] == uid and best["features"]["cosine"] > 0.3
