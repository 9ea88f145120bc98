"""A plain recall, which is answered before the command line is loaded."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.cli.recall import quick
from memory_db.recall.event_dates import CLAUSE
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.text.dates.phrases import find_phrases
from tests.conftest import NOW

ROOT = Path(__file__).parents[2]

QUESTION = "how do we run the migrations"

LOGGED = "select query, scope, surface, project_id, context, considered_count, left_out, abstained from recalls"
HITS = "select position, rank, memory_version_id, entry_id, left_out_reason, round(logged_score, 4) from hits"


@pytest.fixture
def without_model(sample_path: Path) -> Path:
    """The sample's file, for which no model is asked."""
    with closing(open_database(sample_path, now=NOW)) as db:
        settings.put(db, "embedding_model", "none", now=NOW)
    return sample_path


def quickly(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Asks in a process of its own, which says on its last line of output what it has loaded beside the answer."""
    code = (
        "import sys; from memory_db.cli.recall import quick; done = quick.answered(sys.argv[1:]);"
        " print(done, *sorted({'click', 'numpy', 'dataclasses', 'llm'} & sys.modules.keys()))"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("question", [QUESTION, "what is the capital of peru", "xqzzv", "wer macht die Übersetzung"])
def test_it_says_and_logs_what_the_command_does(question: str, without_model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(without_model)) as source, closing(sqlite3.connect(other)) as target:
        source.backup(target)
    shown = quickly(["recall", "-d", str(without_model), question], tmp_path)
    *lines, last = shown.stdout.splitlines()
    assert last == "True"
    asked = CliRunner().invoke(cli, ["recall", "-d", str(other), question])
    assert asked.exit_code == 0
    assert lines == asked.stdout.splitlines()
    assert shown.stderr.startswith("Explained by: memory-db why r")
    with closing(sqlite3.connect(without_model)) as one, closing(sqlite3.connect(other)) as two:
        assert one.execute(LOGGED).fetchall() == two.execute(LOGGED).fetchall()
        assert one.execute(HITS).fetchall() == two.execute(HITS).fetchall()
        assert one.execute("select count(*) from recalls where query = ?", [question]).fetchone() == (1,)


def test_a_folder_of_a_project_is_known(without_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tidepool" / "sub"
    folder.mkdir(parents=True)
    with closing(open_database(without_model, now=NOW)) as db, db:
        db.execute("update projects set canonical_path = ? where name = 'tidepool'", [str(folder.parent)])
        wanted = db.execute("select id from projects where name = 'tidepool'").fetchone()[0]
    assert quickly(["recall", "-d", str(without_model), QUESTION], folder).stdout.splitlines()[-1] == "True"
    with closing(sqlite3.connect(without_model)) as db:
        assert db.execute("select project_id from recalls order by id desc").fetchone()[0] == wanted


NOT_NEEDED = {
    "contextlib", "fcntl", "inspect", "pathlib", "typing", "memory_db.recall.brief.abstain",
    "memory_db.recall.brief.exchange", "memory_db.recall.brief.for_model", "memory_db.recall.brief.standing",
    "memory_db.store.spool_line", "memory_db.transcripts.projects",
}  # fmt: skip
"""What other recalls load: briefs for a model, a spool, a repository without a known project."""


@pytest.mark.parametrize("is_known", [False, True])
def test_it_loads_no_more_than_it_needs(is_known: bool, without_model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tidepool"
    (folder / ".git" if is_known else folder).mkdir(parents=True)
    if is_known:
        with closing(open_database(without_model, now=NOW)) as db, db:
            db.execute("update projects set canonical_path = ? where name = 'tidepool'", [str(folder)])
    code = (
        "import os, sys; os._exit = lambda code: sys.exit(print(*sys.modules)); from memory_db import cli;"
        " sys.argv[0] = 'memory-db'; cli.main()"
    )
    command = [sys.executable, "-S", "-c", code, "recall", "-d", str(without_model), QUESTION]
    done = subprocess.run(
        command, cwd=folder if is_known else tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert "\n 1. " in f"\n{done.stdout}", done.stderr
    assert NOT_NEEDED & set(done.stdout.splitlines()[-1].split()) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["recall"],
        ["recall", "a", "b"],
        ["why", QUESTION],
        ["recall", QUESTION, "--json"],
        ["recall", "--", "-x"],
        ["recall", QUESTION, "-d"],
        ["recall", "how\udcff"],
        ["recall", "what did we decide last week"],
        ["recall", "why did port 5433 change"],
        ["recall", "what did we use before we moved to pnpm"],
    ],
)
def test_what_is_not_plain_is_left_to_the_command(arguments: list[str]) -> None:
    assert not quick.answered(arguments)


def test_a_model_a_setting_an_old_file_and_no_file_are_left_to_the_command(sample_path: Path, tmp_path: Path) -> None:
    asked = ["recall", QUESTION, "-d"]
    with closing(sqlite3.connect(sample_path)) as db:
        has_vectors = db.execute(quick.EMBEDDED).fetchone()
    assert has_vectors and not quick.answered([*asked, str(sample_path)])
    with closing(open_database(sample_path, now=NOW)) as db:
        settings.put(db, "embedding_model", "none", now=NOW)
        settings.put(db, "recall_limit", "3", now=NOW)
    assert not quick.answered([*asked, str(sample_path)])
    assert not quick.answered([*asked, str(tmp_path / "none.db")])
    assert not (tmp_path / "none.db").exists()


def test_it_goes_by_the_same_defaults(db: sqlite3.Connection) -> None:
    assert settings.get(db, "default_profile") == quick.PROFILE
    assert settings.get(db, "recall_limit") == quick.LIMIT


WORDS = [
    "before", "we", "moved", "to", "since", "the", "switch", "of", "in", "march", "Mar.", "sept", "may", "mid-", "last",
    "this", "previous", "past", "few", "a", "couple", "three", "half an", "week", "weekend", "quarter", "days", "ago",
    "yesterday", "today", "tonight", "night", "morning", "monday", "Friday", "q1", "2026", "-03-01", "1st", "and",
    "when", "once", "did", "renamed", "deploy", "on", "during", "upgrading", "from", "12/24/2025",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=9).map(" ".join))
def test_no_question_that_names_a_time_is_taken_for_a_plain_one(question: str) -> None:
    if find_phrases(question) or CLAUSE.search(question):
        assert quick.names_a_time(question)
