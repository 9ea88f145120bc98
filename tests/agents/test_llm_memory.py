"""Memory inside llm: briefs as fragments, and the tools that ask memory, through llm's own command line and library."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import llm
import pytest
from click.testing import CliRunner, Result
from llm.cli import cli as llm_cli

from memory_db import llm_plugin
from memory_db.agents.llm import fragments
from memory_db.agents.reader.reader import Reader
from memory_db.knowledge.memories import add_memory
from memory_db.store.schema import open_database
from memory_db.transcripts.importer import import_llm_logs
from tests.support.reading_model import registered
from tests.support.talking_model import TalkingModel

FACT = "The staging database listens on port 6543"
QUESTION = "which port has the staging database"


class ToolModel(llm.Model):
    """Calls the tools that a test lists, a round each, then says what the last one answered."""

    model_id = "toolbox"
    can_stream = False
    supports_tools = True

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = list(calls)
        self.answers: list[str] = []
        self.offered: list[llm.Tool] = []

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """One round."""
        self.offered = list(prompt.tools)
        self.answers += [result.output for result in prompt.tool_results]
        if len(self.answers) < len(self.calls):
            name, arguments = self.calls[len(self.answers)]
            response.add_tool_call(llm.ToolCall(name=name, arguments=arguments, tool_call_id=f"c{len(self.answers)}"))
            yield ""
        else:
            yield self.answers[-1]


@pytest.fixture
def known(db_path: Path, now: datetime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one memory, which llm is told of; llm has a folder of its own."""
    with closing(open_database(db_path, now=now)) as db:
        add_memory(db, text=FACT, kind="environment", scope="user", origin="user", changed_by="user", reason="test",
                   now=now)  # fmt: skip
    monkeypatch.setenv("MEMORY_DB", str(db_path))
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    return db_path


def run(model: llm.Model, *arguments: str) -> Result:
    """The command line of llm with a model that a test has made."""
    with registered(model):
        return CliRunner().invoke(llm_cli, ["prompt", "-m", model.model_id, *arguments], input="")


def recalls(path: Path) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("select uid, surface, query from recalls order by id").fetchall()


def log_of(tmp_path: Path) -> sqlite3.Connection:
    return sqlite3.connect(tmp_path / "llm" / "logs.db")


@pytest.mark.slow
def test_a_brief_is_a_fragment(known: Path, tmp_path: Path) -> None:
    model = TalkingModel()
    done = run(model, "-f", f"memory:{QUESTION}", "Write the connection string")
    assert done.exit_code == 0, done.output
    ((uid, surface, query),) = recalls(known)
    assert (surface, query) == ("llm", QUESTION)
    prompt = model.asked[0][1]
    assert prompt.startswith(f'<memory-brief recall="{uid}">') and FACT in prompt
    assert prompt.endswith("</memory-brief>\nWrite the connection string")
    with closing(log_of(tmp_path)) as log:
        assert log.execute("select source from fragments").fetchall() == [(f"memory:{uid}",)]


def test_a_fragment_shows_nothing_of_other_projects(sample_path: Path, now: datetime, tmp_path: Path) -> None:
    port = "which port does postgres run on"
    texts = [
        fragments.brief_for(Reader(sample_path, folder, lambda: now, surface="llm"), port)[0]
        for folder in (Path("/home/sam/code/tidepool"), tmp_path)
    ]
    assert "5433" in texts[0] and "5433" not in texts[1]
    assert fragments.NOWHERE in texts[1] and fragments.NOWHERE not in texts[0]


@pytest.mark.slow
def test_a_question_that_nothing_is_known_about_is_still_asked(known: Path) -> None:
    model = TalkingModel()
    assert run(model, "-f", "memory:xylophone", "Hello").exit_code == 0
    assert fragments.NOTHING in model.asked[0][1] and FACT not in model.asked[0][1]
    assert model.asked[0][1].startswith("<memory-brief recall=")


@pytest.mark.slow
def test_what_cannot_be_asked_is_an_error_of_llm(known: Path) -> None:
    model = TalkingModel()
    done = run(model, "-f", "memory:???", "Hello")
    assert done.exit_code == 1 and "Traceback" not in done.output
    assert "Could not load fragment memory:???: There is no word in the question" in done.stderr
    assert model.asked == []


@pytest.mark.slow
def test_a_missing_file_is_an_error_that_says_what_to_do(
    known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_DB", str(tmp_path / "none.db"))
    done = run(TalkingModel(), "-f", f"memory:{QUESTION}", "Hello")
    assert done.exit_code == 1
    assert "none.db" in done.stderr and "Run `memory-db run` to make it" in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_cannot_be_written_still_gives_a_brief(known: Path) -> None:
    reader = llm_plugin.reader()
    with closing(sqlite3.connect(known)) as other:
        other.execute("pragma journal_mode = wal")
        other.execute("begin immediate")
        text, source = fragments.brief_for(reader, QUESTION)
    assert FACT in text and "not logged" not in text
    assert source.startswith("memory:r") and Path(f"{known}.spool.jsonl").exists()


@pytest.mark.slow
def test_a_model_recalls_and_reads_on_by_tools(known: Path, now: datetime) -> None:
    with closing(sqlite3.connect(known)) as db:
        ((uid,),) = db.execute("select uid from memories").fetchall()
    model = ToolModel(("memory_recall", {"query": QUESTION}), ("memory_get", {"uids": [uid]}),
                      ("memory_timeline", {"about": uid}))  # fmt: skip
    done = run(model, "-T", "memory_recall", "-T", "memory_get", "-T", "memory_timeline", "Which port?")
    assert done.exit_code == 0, done.output
    assert [tool.name for tool in model.offered] == ["memory_recall", "memory_get", "memory_timeline"]
    recalled, got, line = model.answers
    assert FACT in recalled and f"[{uid}]" in recalled and "added" not in recalled
    assert FACT in got and FACT in line
    assert all(len(text.encode()) < 4_000 for text in model.answers)
    assert recalls(known)[0][1:] == ("llm", QUESTION)


def test_the_library_chains_the_tools(known: Path) -> None:
    model = ToolModel(("memory_recall", {"query": QUESTION}))
    chain = model.chain("Which port?", tools=[llm_plugin.memory_recall])
    assert FACT in chain.text()


def test_answers_of_a_full_file_stay_short(
    sample_path: Path, known: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORY_DB", str(sample_path))
    with closing(sqlite3.connect(sample_path)) as db:
        uids = [row[0] for row in db.execute("select uid from sessions limit 5")]
    for text in (
        llm_plugin.memory_recall("tests database port deploy migration"), llm_plugin.memory_get(uids),
        llm_plugin.memory_timeline(about=uids[0]),
    ):  # fmt: skip
        assert len(text.encode()) <= 4_000
        assert text.startswith("<memory-brief")


@pytest.mark.slow
def test_a_tool_that_fails_shows_the_model_why(known: Path) -> None:
    model = ToolModel(("memory_recall", {"query": "???"}), ("memory_get", {"uids": ["nothing"]}))
    done = run(model, "-T", "memory_recall", "-T", "memory_get", "Which port?")
    assert done.exit_code == 0, done.output
    assert "There is no word in the question" in model.answers[0]
    assert "nothing" in model.answers[1]


def test_schemas_of_the_tools_are_short() -> None:
    tools = [llm.Tool.function(each) for each in (llm_plugin.memory_recall, llm_plugin.memory_get,
                                                  llm_plugin.memory_timeline)]  # fmt: skip
    sizes = [len(json.dumps([tool.name, tool.description, tool.input_schema])) for tool in tools]
    assert sum(sizes) < 1_700


@pytest.mark.slow
def test_memory_does_not_feed_on_what_llm_logged_of_it(known: Path, tmp_path: Path, now: datetime) -> None:
    run(TalkingModel(["The answer."]), "-f", f"memory:{QUESTION}", "Write the connection string")
    run(ToolModel(("memory_recall", {"query": QUESTION})), "-T", "memory_recall", "Which one?")
    with closing(open_database(known, now=now)) as db:
        assert import_llm_logs(db, tmp_path / "llm" / "logs.db", now=now).entries_added > 2
        texts = [row["text"] for row in db.execute("select text from entries where role in ('user', 'tool')")]
        excerpts = [row["excerpt"] or "" for row in db.execute("select excerpt from actions")]
    assert any("connection string" in text for text in texts)
    assert not any(FACT in text for text in [*texts, *excerpts])
