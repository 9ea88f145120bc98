"""The commands of docs/llm.md run as they stand there."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import llm
import pytest
from click.testing import CliRunner
from llm.cli import cli as llm_cli

from memory_db import llm_plugin
from memory_db.cli import cli
from tests.support.reading_model import registered
from tests.support.talking_model import TalkingModel

PAGE = Path(__file__).resolve().parents[2] / "docs" / "llm.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


class Anything(TalkingModel):
    """Answers anything; a model that is offered tools must say that it can use them."""

    supports_tools = True


@pytest.mark.slow
def test_commands_run(sample_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_DB", str(sample_path))
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    files = {"exchange.json": blocks("json")[0], "error.log": "boom\n", "question.txt": "Why?", "answer.txt": "So."}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(lines) >= 12
    model = Anything(model_id="MODEL")
    with registered(model):
        for line in lines:
            words = shlex.split(line)
            piped = (tmp_path / words.pop()).read_text() if words[-2:-1] == ["<"] else ""
            words = words[:-1] if words[-1] == "<" else words
            group = cli if words[0] == "memory-db" else llm_cli
            done = CliRunner().invoke(group, words[1:], input=piped)
            assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
    assert any("boom" in asked[1] for asked in model.asked)
    with closing(sqlite3.connect(sample_path)) as db:
        formats = dict(db.execute("select format, count(*) from sessions group by format").fetchall())
        surfaces = dict(db.execute("select surface, count(*) from recalls group by surface").fetchall())
    assert formats["ask"] == 3 and formats["capture"] == 2
    assert surfaces["ask"] == 4 and surfaces["llm"] == 1


def test_the_tools_are_those_that_the_page_names() -> None:
    named = re.findall(r"^\| `(memory_\w+)` \|", PAGE.read_text("utf-8"), re.M)
    registered_tools: list[object] = []
    llm_plugin.register_tools(registered_tools.append)
    assert named == [llm.Tool.function(tool).name for tool in registered_tools]


def test_python_compiles() -> None:
    compiled = [compile(block, str(PAGE), "exec") for block in blocks("python")]
    assert all(code.co_code for code in compiled) and compiled


def test_the_exchange_is_one(sample_path: Path) -> None:
    (block,) = blocks("json")
    assert set(json.loads(block)) >= {"prompt", "response"}
