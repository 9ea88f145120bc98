"""Each notebook is a pair that agrees, runs on any file, and ends in a sentence with a number."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import jupytext
import nbformat
import pandas as pd
import pytest

from bench import lived
from memory_db.evaluation.judgements import asked_now, judge_hits
from memory_db.extras import EXTRAS, missing_of
from memory_db.knowledge.memories import add_memory
from memory_db.notebook.display import as_html
from memory_db.sample.build import SESSIONS, write_history
from memory_db.sample.file import SAMPLE_CACHE, ensure_sample
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.upkeep import pipeline
from tests.conftest import NOW

pytestmark = pytest.mark.notebooks

FOLDER = Path(__file__).parents[2] / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9]*.py"))
RUNNING = [
    pytest.param(
        path,
        id=path.stem,
        marks=[
            pytest.mark.skipif(
                "notebook.sliders" in path.read_text("utf-8") and find_spec("ipywidgets") is None,
                reason="its sliders need ipywidgets, which the extra `notebooks` brings",
            ),
            pytest.mark.skipif(
                "memory_db.fleet" in path.read_text("utf-8") and bool(missing_of(EXTRAS["fleet"])),
                reason="it asks many files, which the extra `fleet` does",
            ),
        ],
    )
    for path in SOURCES
]
"""The notebooks as tests that run them take them."""

ONE_MEGABYTE = 1_000_000

MACHINE_PATH = re.compile(
    r"(?<!/home/sam)(?<!~)/(?:root|tmp|work|private|Users|var/folders)/|/home/(?!sam/)|"
    + re.escape(tempfile.gettempdir())
)
"""A place of the machine that ran it; `/home/sam` and `~` are those of the sample history."""


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
    """A home in which whoever is first to ask for the sample makes it, and the others find it."""
    home = tmp_path_factory.getbasetemp() / "notebooks"
    home.mkdir(exist_ok=True)
    return home


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of most of a year, with sessions held out by lot and questions judged by hand."""
    path = lived.made(tmp_path_factory.mktemp("grown"), lived.Size(300, 2_000, 80), now=NOW, vectors=False)
    with closing(open_database(path, now=NOW)) as db, transaction(db):
        db.execute(
            "insert into holdouts (session_uid, is_held_out, share, decided_at)"
            " select uid, id % 2, 0.5, ? from sessions where parent_session_id is null",
            [utc_text(NOW)],
        )
        for number, (uid, text) in enumerate(db.execute(JUDGED).fetchall()):
            about = asked_now(" ".join(text.split()[:6]), None, now=NOW)
            judge_hits(db, about, {("memory", uid): int(number % 5 > 0)}, judged_by="root", now=NOW)
    return path


JUDGED = "select uid, text from current_memories order by memory_id desc limit 30"
"""Memories that answer a question made of their first words; a fifth of these is judged to be one without an answer."""


@pytest.fixture(scope="module")
def young(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of somebody's first three sessions, which hooks know nothing of yet."""
    folder = tmp_path_factory.mktemp("young")
    write_history(folder / "transcripts", sorted(SESSIONS.glob("*.yaml"))[:3])
    with closing(open_database(folder / "memory.db", now=NOW)) as db:
        pipeline.run(db, [folder / "transcripts"], now=NOW)
    return folder / "memory.db"


def run_cells(source: Path, database: Path, query_set: str = "sample") -> dict[str, object]:
    """Runs a notebook's cells in this process, and shows the last value of each, as a kernel does; its variables."""
    names: dict[str, object] = {}
    for cell in jupytext.read(source).cells:
        if cell.cell_type == "code":
            written = cell.source.replace("database = None", f"database = {str(database)!r}")
            tree = ast.parse(written.replace('query_set = "sample"', f"query_set = {query_set!r}"))
            shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, source.name, "exec"), names)
            if isinstance(shown, ast.Expr):
                value = eval(compile(ast.Expression(shown.value), source.name, "eval"), names)
                show(value)
    return names


def show(value: object) -> None:
    """Shows a value. A chart has marks to draw, a table has rows, and no id in it is without a way to its page."""
    if isinstance(value, pd.DataFrame):
        shown = as_html(value)
        assert len(value), f"an empty table instead of words: {list(value.columns)}"
        if known_ids := set(re.findall(r"<td>(m[0-9a-f]{8})</td>", shown)):
            raise AssertionError(f"ids without links: {known_ids}")
    else:
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
@pytest.mark.parametrize("source", RUNNING)
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
    "04": ("`memory-db run` takes in your transcripts", "0 of 1 memories have feedback"),
    "05": ("Hooks bring the first", "Hooks bring the first"),
    "07": ("Nothing to replay yet", "Nothing to replay yet"),
    "08": ("0 sessions were held out", "0 sessions were held out"),
    "09": ("Too few sessions to compare: 0", "Too few sessions to compare: 0"),
    "10": ("0 memories would be in an export", "1 memory would be in an export"),
    "11": ("Of 0 people: 0 of 0 corrections", "Of 1 people: 0 of 0 corrections"),
}
"""What a notebook says of a file without memories, and of one with a single memory."""

ON_THE_SAMPLE = ("03", "06")
"""Notebooks that measure on the sample where a file has no labels, which takes long: on a young file is enough."""

NEARLY_EMPTY = [
    pytest.param(*each.values, memories, id=f"{memories}-{each.id}", marks=each.marks)
    for each in RUNNING
    for memories in (0, 1)
    if not str(each.id).startswith(ON_THE_SAMPLE)
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("split_by", ["hash", None])
def test_what_measures_on_an_empty_file_goes_on_with_the_sample(
    split_by: str | None, prepare: ModuleType, db: sqlite3.Connection, db_path: Path, home: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("HOME", str(home))
    asked, query_set, _ = prepare.with_questions(str(db_path), "sample", split_by=split_by)
    assert query_set == "sample" and asked.execute("select count(*) from memories").fetchone()[0] > 50
    assert JUDGE in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(("source", "memories"), NEARLY_EMPTY)
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


ANSWER = {
    "01": (r"Of \d+ entries [1-9]\d* memories are kept", r"Of 2,000 entries [1-9]\d+ memories are kept"),
    "02": (r"0 of [1-9]\d* memories look like junk, and", r"were never shown in 80 recalls"),
    "03": (JUDGE, r"held-out questions of own with an answer"),
    "04": (r"no tier has the 30 that it takes", r"memories have feedback: \w+ has a factor of"),
    "05": (r"no recall was read by a model yet", r"memory saved between -?\$[\d.]+ and"),
    "06": (JUDGE, r"questions of own with an answer, recall@10 is"),
    "07": (r"Nothing to replay yet", r"Under keyword_only [1-9]\d* of \d+ briefs"),
    "08": (r"nobody knows yet: 0 sessions were held out", r"by 4 measures over sessions held out by lot"),
    "09": (r"Too few sessions to compare: 3", r"sessions ended well \(95 % interval"),
    "10": (r"[1-9] of 16 questions", r"[1-9] of 16 questions"),
    "11": (r"Of 1 people: 0 of \d+ corrections", r"Of 1 people: 0 of [1-9]\d* corrections"),
}
"""What the answer says of a young file, and of a grown one: patterns."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("age", ["young", "grown"])
@pytest.mark.parametrize("source", RUNNING)
def test_it_answers_on_an_own_file(
    source: Path, age: str, request: pytest.FixtureRequest, tmp_path: Path, home: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = Path(shutil.copy(request.getfixturevalue(age), tmp_path / "memory.db"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.syspath_prepend(FOLDER)
    capsys.readouterr()
    run_cells(source, path, "own" if age == "grown" else "sample")
    found = capsys.readouterr().out.strip()
    if said := ANSWER.get(source.name[:2]):
        assert re.search(said[age == "grown"], found), found[-600:]
    assert re.search(r"\d.*\.$", found) and not re.search(r"\bnan\b", found), found[-600:]


@pytest.mark.slow
def test_too_few_questions_are_reported(prepare: ModuleType, sample_db: sqlite3.Connection) -> None:
    some = "(select id from labelled_queries order by id limit 20)"  # each that is left is asked again three times
    sample_db.execute(f"delete from judgements where labelled_query_id not in {some}")
    sample_db.execute(f"delete from labelled_queries where id not in {some}")
    assert prepare.what_is_missing(sample_db, "sample", "hash") is None
    assert "There are: sample." in prepare.what_is_missing(sample_db, "own", None)
    first = "(select labelled_query_id from judgements order by 1 limit 1)"
    sample_db.execute(f"delete from judgements where labelled_query_id <> {first}")
    assert "Too few questions of 'sample'" in prepare.what_is_missing(sample_db, "sample", "hash")
    assert prepare.what_is_missing(sample_db, "sample", None) is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_presets_are_compared_on_chats_too(
    grown: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.syspath_prepend(FOLDER)
    capsys.readouterr()
    run_cells(source, Path(shutil.copy(grown, tmp_path / "memory.db")), "own")
    found = capsys.readouterr().out
    assert found.strip().endswith("On 1 about long chats: 1.000, plain full text 1.000.")
    assert "Skipped" not in found
