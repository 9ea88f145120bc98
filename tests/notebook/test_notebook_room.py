"""What people type in a notebook: tables with links and dollars, `%%memory`, judging, the colours of the pages."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from memory_db.errors import InputError, MissingFileError, NotFoundError
from memory_db.extras import how_to_install
from memory_db.knowledge.memories import add_memory
from memory_db.notebook import connect, display, files, judge, links_to, profiles, query, recall, theme
from memory_db.pages.draw import colours, stacked_bar
from memory_db.pages.web.in_notebook import asked
from memory_db.recall.profiles import load_profile
from memory_db.recall.scoring import SIGNALS

TEXTS = ("The port of the tests is 5433.", "We deploy on Fridays with make ship.", "The tests run with make check.")


@pytest.fixture
def uids(db: sqlite3.Connection, db_path: Path, now: datetime) -> Iterator[list[str]]:
    """Three memories in a file that the notebook has opened for reading."""
    made = [add_memory(db, text=text, kind="environment", scope="user", now=now) for text in TEXTS]
    opened = connect(db_path)
    yield made
    opened.close()
    files.PLACE.db, files.PLACE.address = None, files.SERVED_AT


@pytest.fixture
def shell(home: Path, uids: list[str]) -> Iterator[InteractiveShell]:
    """IPython with the extension loaded, as `%load_ext memory_db.notebook` does it."""
    made = InteractiveShell(
        config=Config({"HistoryManager": {"enabled": False}, "HistoryAccessor": {"enabled": False}})
    )
    made.run_line_magic("load_ext", "memory_db.notebook")
    yield made
    made.restore_sys_module_state()


def ran(shell: InteractiveShell, cell: str) -> Any:
    return shell.run_cell(cell, store_history=False)


# ------------------------------------------------------------------------ tables


def test_a_question_gives_a_table_of_hits_with_signals(uids: list[str]) -> None:
    found = recall("which port do the tests use")
    weights = load_profile(files.current(), "default").weights
    assert found["uid"][0] == uids[0] and found["rank"].tolist() == list(range(1, len(found) + 1))
    assert set(weights) <= set(found.columns) and found["keyword"][0] > 0
    signals = found[list(weights)].iloc[0]
    assert found["score"][0] == pytest.approx(sum(weights[name] * signals[name] for name in weights))
    assert found.attrs["query"] == "which port do the tests use" and found.attrs["recall_uid"] is None


def test_everything_keeps_what_was_left_out(uids: list[str]) -> None:
    shown, kept = recall("make", limit=1), recall("make", limit=1, everything=True)
    assert len(shown) == 1 < len(kept) and set(kept["left_out"].dropna()) == {"beyond the limit"}


def test_what_is_asked_is_logged_only_where_that_is_said(uids: list[str], db: sqlite3.Connection) -> None:
    recall("ports")
    assert db.execute("select count(*) from recalls").fetchone()[0] == 0
    uid = recall("ports", log=True).attrs["recall_uid"]
    assert tuple(db.execute("select uid, surface from recalls").fetchone()) == (uid, "notebook")


def test_profiles_have_a_column_for_each_signal(uids: list[str]) -> None:
    table = profiles().set_index("profile")
    weights = load_profile(files.current(), "default").weights
    assert {name: table.loc["default", name] for name in weights} == dict(weights)
    assert set(table.columns) - {"version", "threshold", "description", "leaves_out", "fitted_on"} <= set(SIGNALS)


def test_judging_stores_verdicts_and_takes_them_back(uids: list[str], db: sqlite3.Connection) -> None:
    found = recall("which port do the tests use")
    assert judge(found, answers=found["uid"][:1], others=[uids[1]]) == {"judged": 2, "taken_back": 0}
    stored = (
        "select m.uid, j.relevance, j.judged_by from judgements j join memories m on m.id = j.memory_id order by j.id"
    )
    assert [tuple(row) for row in db.execute(stored)] == [(uids[0], 1, "notebook"), (uids[1], 0, "notebook")]
    assert judge("which port do the tests use", taken_back=uids[:2]) == {"judged": 0, "taken_back": 2}
    assert db.execute("select count(*) from judgements").fetchone()[0] == 0


def test_judging_refuses_what_it_cannot_store(uids: list[str], db: sqlite3.Connection) -> None:
    with pytest.raises(InputError, match="No hit was named"):
        judge("ports", answers=())
    with pytest.raises(InputError, match="does not say which question"):
        judge(query("select 1 as one"), answers=uids)
    with pytest.raises(NotFoundError, match="mffffffff"):
        judge("ports", answers=[uids[0], "mffffffff"])
    assert db.execute("select count(*) from judgements").fetchone()[0] == 0


def test_the_own_file_is_the_one_of_the_command_line(home: Path, db_path: Path, uids: list[str],
                                                     monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    with pytest.raises(MissingFileError, match=re.escape(str(home))):
        connect()
    monkeypatch.setenv("MEMORY_DB", str(db_path))
    opened = connect()
    with pytest.raises(InputError, match="This only reads"):
        query("delete from memories", db=opened)
    opened.close()
    with pytest.raises(InputError, match="no address of pages"):
        links_to("file:///etc")


def test_whole_numbers_stay_whole_beside_missing_ones(uids: list[str]) -> None:
    found = query("select 1 as one, null as two union all select null, null")
    assert found["one"].tolist() == [1, pd.NA] and found["two"].isna().all()


# ----------------------------------------------------------------------- display


def test_ids_are_links_and_money_is_in_dollars(uids: list[str]) -> None:
    frame = query("select uid, title, 123456789012 as cost_nanocents from memories")
    links_to("http://127.0.0.1:9000/")
    shown = display.as_html(frame)
    assert shown.count("<a href=") == 3 and "$1.2346" in shown and "cost, US dollars" in shown
    assert f'<a href="http://127.0.0.1:9000/-/memory/memories/{uids[0]}" title="environment: ' in shown
    assert frame["cost_nanocents"].tolist() == [123456789012] * 3, "the table itself is as it was"


def test_what_the_file_does_not_know_is_no_link(uids: list[str]) -> None:
    shown = display.as_html(pd.DataFrame({"uid": ["m00000000"], "session": ["nobody"], "recall": ["<b>"]}))
    assert "m00000000</a>" not in shown and "nobody</a>" not in shown and "<b>" not in shown


@settings(max_examples=25)
@given(st.lists(st.text(), min_size=1, max_size=3), st.text(max_size=5))
def test_no_cell_is_html(texts: list[str], name: str) -> None:
    shown = display.as_html(pd.DataFrame({name: texts, "recall": texts}))
    assert "<script" not in shown.casefold()
    assert set(re.findall(r"<([a-z]+)", shown)) <= {
        "a",
        "div",
        "style",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "p",
    }


def test_many_rows_take_links_at_both_ends_only(uids: list[str]) -> None:
    frame = pd.DataFrame({"uid": uids[:1] * 1_000})
    assert display.as_html(frame).count("<a href=") == 10, "as many as pandas shows of so long a table"


# ------------------------------------------------------------------------- magic


def test_a_cell_of_sql_gives_a_table(shell: InteractiveShell, uids: list[str]) -> None:
    ran(shell, "kind = 'environment'")
    result = ran(shell, "%%memory -o kept\nselect uid from memories where kind = :kind and title <> ':no' order by id")
    assert result.result["uid"].tolist() == uids and shell.user_ns["kept"]["uid"].tolist() == uids
    assert "<a href=" in shell.display_formatter.format(result.result)[0]["text/html"]


WRONG = {
    "select * from no_such_rows": "no such table: no_such_rows",
    "delete from memories": "`%%memory --write`",
    "select 1; select 2": "several statements",
    "select :unknown": ":unknown, which has no value",
    "select :listed": ":listed is a list",
    "selec 1": 'near "selec": syntax error',
}


@pytest.mark.parametrize("sql", WRONG)
def test_what_is_wrong_is_one_line(shell: InteractiveShell, capsys: pytest.CaptureFixture[str], sql: str) -> None:
    ran(shell, "listed = [1]")
    assert isinstance(ran(shell, f"%%memory\n{sql}").error_in_exec, InputError)
    said = capsys.readouterr().out.strip()
    assert WRONG[sql] in said and "\n" not in said


def test_a_cell_writes_only_where_that_is_said(
    shell: InteractiveShell, db: sqlite3.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(shell, "%%memory --write\nupdate memories set title = 'x' where id = 1")
    assert "1 rows changed." in capsys.readouterr().out
    assert db.execute("select title from memories where id = 1").fetchone()[0] == "x"
    returned = ran(shell, "%%memory --write\nupdate memories set title = 'y' where id = 1 returning title").result
    assert returned["title"].tolist() == ["y"]
    failed = ran(shell, "%%memory --write\nupdate memories set uid = (select uid from memories where id = 2)")
    assert "UNIQUE" in str(failed.error_in_exec)
    assert [row[0] for row in db.execute("select count(distinct uid) from memories")] == [3]


# ------------------------------------------------------------------------- theme


def test_colours_are_those_of_the_style_sheet() -> None:
    found = theme.palette()
    names = {
        *colours.KINDS.values(),
        *map(stacked_bar.colour, SIGNALS),
        *colours.PROJECTS,
        theme.GOOD,
        theme.BAD,
        theme.OFF,
    }
    assert names <= set(found) and found["words-0"] == "#0072b2", "the colours in the light, not those in the dark"
    assert theme.colours_of_kinds(["decision"]) == {"decision": "#0072b2"}


@pytest.mark.slow
def test_charts_look_like_the_pages_and_need_no_network(uids: list[str]) -> None:
    theme.enable_charts()
    chart = alt.Chart(pd.DataFrame({"kind": ["fix", "own"], "n": [1, 2]})).mark_bar().encode(
        x="n", color=theme.by_kind(["own", "fix"])
    )  # fmt: skip
    shown = chart._repr_mimebundle_()
    spec = (shown[0] if isinstance(shown, tuple) else shown)[f"application/{theme.LIVE}"]
    assert spec["encoding"]["color"]["scale"]["domain"] == ["fix", "own"]
    assert spec["config"]["range"]["category"][0] == theme.palette()["words-0"]


# ------------------------------------------------------------------------ sliders


@pytest.mark.slow
def test_sliders_rank_anew_and_are_saved_as_a_profile(uids: list[str], db: sqlite3.Connection) -> None:
    pytest.importorskip("ipywidgets", reason="the extra `notebooks` brings it")
    from memory_db.notebook.sliders import Sliders

    found = recall("make tests", everything=True)
    made = Sliders(found)
    assert made.weights == pytest.approx(found.attrs["weights"])
    assert made.ranked()["uid"].tolist() == found.nlargest(10, "score")["uid"].tolist()
    before = made.ranking.value
    for name, slider in made.sliders.items():
        slider.value = 1.0 if name == "recency" else 0.0
    assert made.ranking.value != before and made.weights == {"recency": 1.0}
    made.name.value = "by-time"
    made.button.click()
    assert made.said.value.startswith("Saved as by-time@1.")
    assert dict(load_profile(db, "by-time").weights) == {"recency": 1.0}
    made.sliders["recency"].value = 0
    made.button.click()
    assert "All weights are 0" in made.said.value and "All weights are 0" in made.ranking.value
    with pytest.raises(InputError, match="no weights"):
        Sliders(query("select 1 as one"))


# ----------------------------------------------------------------- from the pages


def test_a_question_of_the_pages_runs_as_a_notebook(shell: InteractiveShell, db_path: Path, uids: list[str]) -> None:
    pytest.importorskip("ipywidgets", reason="the extra `notebooks` brings it")
    made = json.loads("".join(asked(db_path, {"q": ["which port do the tests use"]}, "http://127.0.0.1:9000")))
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            ran(shell, cell["source"]).raise_error()
    assert shell.user_ns["found"]["uid"][0] == uids[0] and files.PLACE.address == "http://127.0.0.1:9000"


# --------------------------------------------------------------------- start-up


def test_without_pandas_one_line_says_what_to_install() -> None:
    code = (
        "import importlib.util as u, sys\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'pandas' else found(name, package)\n"
        "try:\n    import memory_db.notebook\nexcept Exception as error:\n"
        "    print(type(error).__name__, error._render_traceback_())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = f"This needs pandas. Install with: {how_to_install('notebooks')}"
    assert done.stdout == f"InputError {[said]}\n"


def test_nothing_else_loads_it() -> None:
    code = (
        "import sys, memory_db.hook, memory_db.cli\n"
        "print([name for name in ('memory_db.notebook', 'altair', 'IPython', 'ipywidgets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
