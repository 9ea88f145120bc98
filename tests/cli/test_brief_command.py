"""The command brief, and the examples in the docs."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memory_db.agents.reader.access import UNKNOWN_FOLDER
from memory_db.cli import cli
from memory_db.recall.brief.roles import ROLES
from memory_db.recall.brief.select import ask
from memory_db.recall.brief.session_start import block
from memory_db.recall.search import Question
from memory_db.transcripts.projects import project_named

DOCS = Path(__file__).resolve().parents[2] / "docs" / "briefs.md"


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["brief", "-d", str(path), "--project", "quayside", *arguments])


def test_it_prints_the_brief_that_it_logs(sample_path: Path) -> None:
    ended = run(sample_path, "terraform apply", "--limit", "3")
    assert ended.exit_code == 0, ended.output
    with closing(sqlite3.connect(sample_path)) as db:
        row = db.execute("select shown_text, surface, session_uid from recalls order by id desc").fetchone()
    assert UNKNOWN_FOLDER not in ended.stderr
    assert row == (ended.stdout.rstrip("\n"), "brief", None)
    assert (
        "constraints:\n- [mac752105] Never run terraform apply before I have seen the plan. (locked, " in ended.stdout
    )


def test_where_no_project_is_known_only_what_is_known_of_the_user_is_shown(
    sample_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = []
    for question in ("which port does postgres run on", "who pushes commits and tags"):
        ended = CliRunner().invoke(cli, ["brief", "-d", str(sample_path), "--json", question])
        assert UNKNOWN_FOLDER in ended.stderr and "--project" in ended.stderr
        shown += [line["uid"] for role in json.loads(ended.stdout)["roles"] for line in role["lines"]]
    with closing(sqlite3.connect(sample_path)) as db:
        scopes = {db.execute("select scope from memories where uid = ?", [uid]).fetchone() for uid in shown}
    assert scopes == {("user",)}


def test_json_shows_each_role_with_its_lines_and_tokens(sample_path: Path) -> None:
    data = json.loads(run(sample_path, "terraform apply", "--budget", "300", "--json").stdout)
    assert data["tokens"] <= data["budget_tokens"] == 300
    roles = {role["role"]: role for role in data["roles"]}
    assert [name for name in roles if name != "index"] == [role.name for role in ROLES]
    assert sum(role["budget_tokens"] for role in data["roles"]) <= 300
    lines = [line for role in data["roles"] for line in role["lines"]]
    assert sorted(line["rank"] for line in lines) == list(range(1, len(lines) + 1))
    assert [line["line"] for line in lines] == [text for text in data["text"].splitlines() if text.startswith("- [")]
    hits = {hit["uid"]: hit for hit in data["hits"]}
    assert all(hits[line["uid"]]["shown_reason"] and line["tokens"] for line in lines)
    assert hits[roles["constraints"]["lines"][0]["uid"]]["shown_reason"] == "locked"
    assert sum(data["left_out"].values()) + len(lines) == data["considered_count"]


@pytest.mark.slow
def test_a_session_is_told_nothing_twice(sample_path: Path) -> None:
    first = run(sample_path, "--start", "--session", "s1")
    assert "project quayside: " in first.stdout and "\nconstraints:\n" in first.stdout
    assert run(sample_path, "--start", "--session", "s1").stdout.startswith("Nothing to begin with")
    assert run(sample_path, "--start", "--session", "s2").stdout.splitlines()[1:] == first.stdout.splitlines()[1:]
    asked = run(sample_path, "terraform apply", "--session", "s1", "--json")
    assert "mac752105" in {hit["uid"] for hit in json.loads(asked.stdout)["hits"]}, "a rule comes back when it is met"


def test_without_a_log_nothing_is_written(sample_path: Path) -> None:
    sample_path.chmod(0o400)
    assert "mac752105" in run(sample_path, "terraform apply", "--no-log").stdout
    assert "mac752105" in run(sample_path, "--start", "--no-log").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give QUERY, or --start."),
        (("--start", "terraform"), "Give QUERY, or --start."),
        (("--start", "--budget", "0"), "A budget of 0 tokens cannot be used."),
        (("terraform", "--limit", "0"), "A limit of 0 cannot be used."),
    ],
)
def test_what_cannot_be_asked_is_reported(sample_path: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = run(sample_path, *arguments)
    assert ended.exit_code == 1
    assert message in ended.output


def test_the_examples_in_the_docs_are_what_is_shown(sample_db: sqlite3.Connection, now: datetime) -> None:
    text = DOCS.read_text("utf-8")
    project = project_named(sample_db, "tidepool")
    question = Question(
        "which port does postgres use", profile="hook", scope="memories", project_id=project, limit=5, budget_tokens=400
    )
    asked = ask(sample_db, question, surface="test", now=now, log=False)
    assert f"```\n{asked.text}\n```" in text
    assert f"```\n{block(sample_db, project, None, now=now).text}\n```" in text
