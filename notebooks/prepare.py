"""What notebooks share, and running them: `python notebooks/prepare.py` writes each `.ipynb` anew.

In: the `.py` of a pair, in jupytext's py:percent. Out: its `.ipynb` with outputs from a fresh sample file. A chart is
kept twice in it: as a picture, which needs nothing, and as its specification, whose sliders move in JupyterLab.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import altair as alt
import jupytext
import pandas as pd
from nbclient import NotebookClient
from nbformat import NotebookNode

from memory_db.errors import InputError, NotFoundError
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation import tuning
from memory_db.evaluation.query_sets import SAMPLE_SET
from memory_db.notebook import connect
from memory_db.notebook.files import use
from memory_db.notebook.theme import enable_charts
from memory_db.pages import evaluations
from memory_db.pages.sixteen import QUESTIONS, figure_of, wilson
from memory_db.pages.web.ready import Given, questions
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.sample.file import SAMPLE_MOMENT, ensure_sample
from memory_db.store.dates import parse_utc
from memory_db.store.schema import open_database

FOLDER = Path(__file__).parent

RESULTS = FOLDER.parent / "bench" / "results"
"""Figures as `python -m bench` kept them; a clone has them, a copy of the notebooks does not."""

CHAT_METRICS = ("recall@5", "recall@10", "evidence@2500")

WIDGET = "application/vnd.jupyter.widget-view+json"
"""The form in which a widget shows itself while its kernel runs."""

NO_MEMORIES = "No memory yet: `memory-db run` takes in your transcripts, `memory-db add TEXT` one sentence."

ANSWERS = """
select uid from memories where id in (select value from json_each(:memory))
union select m.uid from memories m join memory_sources s on s.memory_id = m.id
    where s.entry_id in (select value from json_each(:entry))
union select uid from entries where id in (select value from json_each(:entry))
"""

KEPT_METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def open_file(database: str | None) -> sqlite3.Connection:
    """A connection to a file, or to the sample, that only reads; `query` asks it from then on."""
    enable_charts()
    return connect(database or ensure_sample())


def chat_figures(db: sqlite3.Connection) -> pd.DataFrame:
    """What profiles find in long chats: `profile`, `metric`, `mean`, `low`, `high`, `questions`, `measured_on`.

    From the newest evaluation of a locomo data set in the file, else from the bench's kept results, else no rows.
    """
    sets = [each for each in evaluations.data_sets(db) if each["format"] == "locomo"]
    rows: list[tuple[object, ...]] = []
    if sets:
        told = (sets[0]["queries"], sets[0]["started_at"][:10])
        runs = sets[0]["runs"]
        rows = [
            (run["profile"], name, *run[name].values(), *told) for run in runs for name in CHAT_METRICS if run[name]
        ]
    elif kept := kept_result("locomo"):
        figures = next(iter(kept["figures"].values()))
        told = (figures["answerable"], kept["measured_on"])
        profiles = figures["profiles"].items()
        rows = [(profile, name, *values[name], *told) for profile, values in profiles for name in CHAT_METRICS]
    return pd.DataFrame(rows, columns=["profile", "metric", "mean", "low", "high", "questions", "measured_on"])


def kept_result(name: str) -> dict[str, Any] | None:
    """A result of the bench by the name of its measurement, if it is there."""
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] | None = json.loads(path.read_text("utf-8")) if path.is_file() else None
    return found


def kept_figures(name: str) -> dict[str, Any] | None:
    """The figures of a result of the bench, if it is there."""
    kept = kept_result(name)
    return kept["figures"] if kept else None


def intervals(figures: pd.DataFrame, order: list[str]) -> alt.FacetChart:
    """A dot for each mean with its interval as a line: a row for each profile, a panel for each metric."""
    ends = alt.Scale(domain=[0, 1])
    dots = alt.Chart(figures, width=190).encode(y=alt.Y("profile", sort=order, title="profile"))
    return alt.layer(
        dots.mark_rule(strokeWidth=2).encode(
            x=alt.X("low", title="mean, 0 to 1, 95 % interval", scale=ends), x2="high"
        ),
        dots.mark_point(filled=True, size=40, opacity=1).encode(x="mean", tooltip=["profile", "mean", "low", "high"]),
    ).facet(column=alt.Column("metric", sort=list(figures["metric"].unique()), title=None))


def moment_of(database: str | None) -> datetime:
    """The moment that a file is looked at: now, or of the sample the end of its history."""
    return datetime.now(UTC) if database else SAMPLE_MOMENT


def with_recalls(database: str | None) -> sqlite3.Connection:
    """The file, if anything was asked of it; else a copy in memory, asked its labelled questions as by hooks."""
    db = open_file(database)
    if db.execute("select 1 from recalls").fetchone():
        return db
    copy = sqlite3.connect(":memory:", isolation_level=None)
    copy.row_factory = sqlite3.Row
    db.backup(copy)
    db.close()
    for row in copy.execute("select query, project_id, asked_at from labelled_queries order by id").fetchall():
        question = Question(row["query"], project_id=row["project_id"])
        ask(copy, question, surface="hook", now=parse_utc(row["asked_at"]))
    return use(copy)


def answers_of(db: sqlite3.Connection, wanted: frozenset[tuple[str, int]]) -> list[str]:
    """Uids of what answers a labelled question: memories, entries, and memories that were made from these."""
    ids = {kind: [each for what, each in wanted if what == kind] for kind in ("memory", "entry")}
    return [row[0] for row in db.execute(ANSWERS, {kind: json.dumps(each) for kind, each in ids.items()})]


def first_rows(db: sqlite3.Connection, key: str, count: int = 10, without: str = "") -> pd.DataFrame | None:
    """Of one of the sixteen questions: its figure, printed, and the first rows of its ready question; None of none."""
    question = next(each for each in QUESTIONS if each.key == key)
    cursor = db.execute(questions()[question.queries[0]]["sql"], Given({}))
    rows = [tuple(row) for row in cursor.fetchmany(count)]
    said = "" if rows else " It gives no row in this file."
    print(f"{figure_of(db, question)['said']}. Ready question: {question.queries[0]}.{said}")
    found = pd.DataFrame(rows, columns=[column[0] for column in cursor.description]).drop(columns=without or [])
    return found if rows else None


def with_questions(
    database: str | None, query_set: str, *, split_by: str | None = None
) -> tuple[sqlite3.Connection, str, datetime]:
    """The file, its query set and the moment to ask at; the sample's where that has too few questions, and says so."""
    enable_charts()
    now = moment_of(database)
    db = open_database(Path(database) if database else ensure_sample(), now=now)
    missing = what_is_missing(db, query_set, split_by)
    if missing is None:
        return use(db), query_set, now
    db.close()
    print(
        f"{missing} So all that follows is about the sample history, not about your file. To measure your own, mark on"
        ' the pages of some recalls which hits answer the question; then set `query_set = "own"` above and run all'
        " again."
    )
    return use(open_database(ensure_sample(), now=SAMPLE_MOMENT)), SAMPLE_SET, SAMPLE_MOMENT


def with_intervals(frame: pd.DataFrame, part: str, whole: str) -> pd.DataFrame:
    """The table with `share`, `low` and `high`: a part of a whole and its 95 % interval, both columns of counts."""
    ends = [wilson(int(some), int(of)) for some, of in zip(frame[part], frame[whole], strict=True)]
    return frame.assign(share=frame[part] / frame[whole], low=[low for low, _ in ends], high=[high for _, high in ends])


def of_how_many(low: float | None, high: float | None, form: str = "{:.0%}") -> str:
    """An interval in words; that there is none where it is None or not a number."""
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return "too few for an interval"
    return f"95 % interval {form.format(low)} to {form.format(high)}"


def what_is_missing(db: sqlite3.Connection, query_set: str, split_by: str | None) -> str | None:
    """Why a query set cannot be measured on, in its two parts where it is split; None where it can."""
    try:
        labelled = evaluate.unasked(db, query_set)
        parts = tuning.split(labelled, by=split_by) if split_by else (labelled,)
    except (NotFoundError, InputError) as error:
        return str(error)
    if any(all(each.is_negative for each in part) for part in parts):
        return f"Too few questions of {query_set!r} have an answer that was marked."
    return None


def run(source: Path, database: Path) -> NotebookNode:
    """The notebook of a `.py`, run on a database file, with outputs and without a trace of where it ran.

    Raises: nbclient.exceptions.CellExecutionError, naming the cell that failed.
    """
    notebook = jupytext.read(source)
    cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    as_written = cell.source
    cell.source = as_written.replace("database = None", f"database = {str(database)!r}")
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    cell.source = as_written
    notebook.metadata = {**KEPT_METADATA, "jupytext": {"formats": "ipynb,py:percent"}}
    for number, each in enumerate(notebook.cells):
        each.id = f"cell-{number}"
        each.metadata.pop("execution", None)
        for output in each.get("outputs", ()):
            output.get("data", {}).pop(WIDGET, None)  # its model ended with the kernel: the HTML beside it stays
    return notebook


def main() -> None:
    """Writes the `.ipynb` of each pair, or of those named."""
    wanted = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("[0-9]*.py"))
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(FOLDER / f"{name}.py", ensure_sample(Path(folder)))
        jupytext.write(notebook, FOLDER / f"{name}.ipynb")
        print(f"{name}.ipynb", file=sys.stderr)


if __name__ == "__main__":
    main()
