"""Each notebook is a pair that agrees, runs on any file, and ends in a sentence with a number."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sqlite3
import tempfile
from datetime import datetime
from pathlib import Path
from types import ModuleType

import jupytext
import nbformat
import pytest

from memory_db.knowledge.memories import add_memory
from memory_db.sample.file import SAMPLE_CACHE, ensure_sample

pytestmark = pytest.mark.notebooks

FOLDER = Path(__file__).parents[2] / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9]*.py"))
ONE_MEGABYTE = 1_000_000

MACHINE_PATH = re.compile(
    r"/(?:root|tmp|work|private|Users|var/folders)/|/home/(?!sam/)|" + re.escape(tempfile.gettempdir())
)
"""A place of the machine that ran it; `/home/sam` is that of the sample history."""


def by_name(path: Path) -> str:
    return path.stem


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def last_words(notebook: nbformat.NotebookNode) -> str:
    return "".join(output.text for output in notebook.cells[-1].outputs if output.output_type == "stream")


def check_outputs(notebook: nbformat.NotebookNode) -> None:
    for output in outputs(notebook):
        assert output.output_type != "error"
        text = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])]))
        text = re.sub(r'"image/png": "[^"]*"', "", text)
        assert "Traceback (most recent call last)" not in text
        assert not MACHINE_PATH.search(text), MACHINE_PATH.search(text)
    assert re.search(r"\d.*\.$", last_words(notebook).strip()), "the last cell ends in a sentence with a number"


@pytest.fixture(scope="module")
def prepare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prepare", FOLDER / "prepare.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the sample file stands where notebooks look for it."""
    home = tmp_path_factory.getbasetemp() / "notebooks"
    ensure_sample(home / SAMPLE_CACHE.relative_to("~"))
    return home


def run_cells(source: Path, database: Path) -> None:
    """Runs a notebook's cells in this process, and shows the last value of each, as a kernel does."""
    names: dict[str, object] = {}
    for cell in jupytext.read(source).cells:
        if cell.cell_type == "code":
            tree = ast.parse(cell.source.replace("database = None", f"database = {str(database)!r}"))
            shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, source.name, "exec"), names)
            if isinstance(shown, ast.Expr):
                value = eval(compile(ast.Expression(shown.value), source.name, "eval"), names)
                as_shown = getattr(value, "_repr_mimebundle_", None) or getattr(value, "_repr_html_", value.__repr__)
                as_shown()


def test_there_are_notebooks() -> None:
    assert len(SOURCES) >= 2


@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_the_pair_agrees(source: Path) -> None:
    written, kept = jupytext.read(source), nbformat.read(source.with_suffix(".ipynb"), 4)
    assert [(cell.cell_type, cell.source) for cell in written.cells] == [
        (cell.cell_type, cell.source) for cell in kept.cells
    ]


@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_the_kept_outputs_are_small_and_name_no_machine(source: Path) -> None:
    path = source.with_suffix(".ipynb")
    assert path.stat().st_size < ONE_MEGABYTE
    check_outputs(nbformat.read(path, 4))


@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_the_first_cell_asks_one_question_and_parameters_are_marked(source: Path) -> None:
    cells = jupytext.read(source).cells
    assert re.match(r"# [^\n]*\?\n", cells[0].source)
    assert [cell.source.startswith("database = None") for cell in cells
            if "parameters" in cell.metadata.get("tags", [])] == [True]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_no_cell_defines_more_than_a_few_lines(source: Path) -> None:
    blocks = re.findall(r"^def .*\n(?:(?:[ \t].*)?\n)*", source.read_text("utf-8"), re.MULTILINE)
    assert all(len(block.strip().splitlines()) <= 5 for block in blocks)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_it_runs_on_the_sample(source: Path, prepare: ModuleType, home: Path) -> None:
    database = ensure_sample(home / SAMPLE_CACHE.relative_to("~"))
    notebook = prepare.run(source, database)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert any("image/png" in output.get("data", {}) for output in outputs(notebook))
    check_outputs(notebook)


JUDGE = "mark on the pages of some recalls which hits answer the question"

SAID = {
    "01": ("`memory-db run` takes in your transcripts", "1 memories are kept"),
    "02": ("`memory-db run` takes in your transcripts", "that takes two memories"),
    "03": (JUDGE, JUDGE),
    "04": ("`memory-db run` takes in your transcripts", "No data yet"),
    "05": ("Hooks bring the first", "Hooks bring the first"),
    "06": (JUDGE, JUDGE),
    "10": ("0 memories would be in an export", "1 memories would be in an export"),
}
"""What a notebook says of a file without memories, and of one with a single memory."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("memories", [0, 1])
@pytest.mark.parametrize("source", SOURCES, ids=by_name)
def test_it_runs_on_a_file_with_next_to_nothing(
    source: Path, memories: int, db: sqlite3.Connection, db_path: Path, home: Path, now: datetime,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for _ in range(memories):
        add_memory(db, text="The port of the tests is 5433.", kind="environment", scope="user", now=now)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.syspath_prepend(FOLDER)
    run_cells(source, db_path)
    found = capsys.readouterr().out
    assert SAID[source.name[:2]][memories] in found
    assert re.search(r"\d.*\.$", found.strip()) and not re.search(r"\bnan\b", found)


@pytest.mark.slow
def test_too_few_questions_are_reported(prepare: ModuleType, sample_db: sqlite3.Connection) -> None:
    assert prepare.what_is_missing(sample_db, "sample", "hash") is None
    assert "There are: sample." in prepare.what_is_missing(sample_db, "own", None)
    first = "(select labelled_query_id from judgements order by 1 limit 1)"
    sample_db.execute(f"delete from judgements where labelled_query_id <> {first}")
    assert "Too few questions of 'sample'" in prepare.what_is_missing(sample_db, "sample", "hash")
    assert prepare.what_is_missing(sample_db, "sample", None) is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_presets_are_compared_on_chats_too(prepare: ModuleType, tmp_path: Path, home: Path) -> None:
    turns = ["I moved to Lisbon in March.", "My sister plays the cello.", "The boat is called Petrel."]
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": f"D1:{number}", "text": text} for number, text in enumerate(turns, start=1)
        ],
    }
    asked = [{"question": "What is the boat called?", "answer": "Petrel", "evidence": ["D1:3"], "category": 4}]
    chats = tmp_path / "chats.json"
    chats.write_text(json.dumps([{"sample_id": "one", "conversation": conversation, "qa": asked}]), "utf-8")
    source = tmp_path / "compared.py"
    written = (FOLDER / "06_compare_the_presets.py").read_text("utf-8")
    source.write_text(written.replace("chats = None", f"chats = {str(chats)!r}"), "utf-8")
    notebook = prepare.run(source, ensure_sample(home / SAMPLE_CACHE.relative_to("~")))
    assert "On 1 about long chats: 1.000, plain full text 1.000." in last_words(notebook)
    assert not any("Skipped" in output.get("text", "") for output in outputs(notebook))
