"""Of which project a model's proposals are: the session's, unless the words name another one, or the model rightly."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from typing import Any

import pytest

from memory_db.extract.model.prompts import Prompt
from memory_db.extract.model.read import read_portion
from memory_db.gate import run as gate
from memory_db.store.dates import utc_text
from memory_db.store.ignored import put_ignored
from tests.support.scripted_model import ScriptedModel, answer, memory
from tests.support.session_rows import add_action, add_entry, add_project, add_session

HOME, OTHER = "/home/sam/src/buildbox", "/home/sam/src/lockerd"

ASK = "Please clean the cache of the nightly builds."
REPLY = "The cache is clean; the workspaces under running builds were left alone."
TOLD = "Mail from ops. Oh and for lockerd: it deploys wednesdays 7am only now, both old slots are gone."
PAGE = "On the page I'll want a dash when the last sign of life is older than two days."


def filed(
    db: sqlite3.Connection, prompt: Prompt, now: datetime, said: list[str], *proposed: dict[str, Any],
    home: str | None = HOME, ask: str = ASK, reply: str = REPLY, **episode: str,
) -> dict[str, sqlite3.Row]:  # fmt: skip
    """The candidates of a session in `home` by their quotes, with the names of their projects."""
    for path in (HOME, OTHER):
        if db.execute("select 1 from projects where canonical_path = ?", [path]).fetchone() is None:
            add_project(db, path)
    row = db.execute("select id from projects where canonical_path = ?", [home]).fetchone()
    session = add_session(db, row["id"] if row else None)
    for role, kind, text in (
        ("user", "prompt", ask),
        ("assistant", "reply", reply),
        *(("user", "prompt", each) for each in said),
    ):
        add_entry(db, session, role, kind, text)
    cursor = db.execute("insert into extraction_runs (method, version, started_at) values ('extract', '1', 'now')")
    model = ScriptedModel([answer(*proposed, **episode)])
    read_portion(db, session, model=model, prompt=prompt, run_id=int(cursor.lastrowid or 0), now=now)
    found = db.execute(
        "select c.*, p.name as project from candidates c left join projects p on p.id = c.project_id"
        " where c.session_id = ?", [session],
    )  # fmt: skip
    return {row["quote"]: row for row in found}


@pytest.mark.parametrize(
    "quote",
    ["Oh and for lockerd: it deploys wednesdays 7am only now", "it deploys wednesdays 7am only now, both old slots",
     "for lockerd: it deploys wednesdays 7am only now"],
)  # fmt: skip
def test_what_the_users_words_say_for_another_project_is_filed_there(
    db: sqlite3.Connection, prompt: Prompt, now: datetime, quote: str
) -> None:
    row = filed(db, prompt, now, [TOLD], memory(quote, 3, text="It is deployed on Wednesdays at 7am only."))[quote]
    assert (row["project"], row["scope"], row["text"]) == (
        "lockerd", "project", "It is deployed on Wednesdays at 7am only.",
    )  # fmt: skip


def test_it_becomes_a_memory_of_that_project(db: sqlite3.Connection, prompt: Prompt, now: datetime) -> None:
    text = "Lockerd is deployed on Wednesdays at 7am only; both old slots are gone."
    filed(db, prompt, now, [TOLD], memory("it deploys wednesdays 7am only now", 3, text=text))
    gate.run(db, now=now)
    (row,) = db.execute("select p.name from memories m join projects p on p.id = m.project_id where m.text = ?", [text])
    assert row["name"] == "lockerd"


def test_words_of_the_agent_are_of_another_project_only_if_the_model_says_so(
    db: sqlite3.Connection, prompt: Prompt, now: datetime
) -> None:
    quote = "lockerd: it listens on port 8140"
    for project, expected in (("", "buildbox"), ("lockerd", "lockerd")):
        proposal = memory(quote, 2, project=project)
        assert filed(db, prompt, now, [PAGE], proposal, reply=f"For {quote}.")[quote]["project"] == expected


def test_what_a_session_was_about_is_of_its_own_project(db: sqlite3.Connection, prompt: Prompt, now: datetime) -> None:
    ask = "For lockerd: write down that it deploys on wednesdays, please, and then clean the cache."
    found = filed(db, prompt, now, [PAGE], ask=ask, done="The cache was cleaned.")
    assert [(row["kind"], row["project"]) for row in found.values()] == [("episode", "buildbox")]


@pytest.mark.parametrize(
    ("said", "project", "expected"),
    [
        ("I was in lockerd all morning.", "lockerd", "lockerd"),
        ("I was in Lockerd all morning.", "LOCKERD", "lockerd"),
        (f"I have {OTHER} open as well.", OTHER, "lockerd"),
        ("I was in lockerd all morning.", "kilnlog", "buildbox"),
        ("I was in buildbox all morning.", "buildbox", "buildbox"),
        ("I was in lockerd-ops all morning.", "lockerd", "buildbox"),
        ("I was elsewhere all morning.", "lockerd", "buildbox"),
        ("I was in lockerd all morning.", "the lockerd daemon", "buildbox"),
        ("I was in lockerd all morning.", "", "buildbox"),
        ("I was in lockerd all morning.", ["lockerd"], "buildbox"),
        ("I was in lockerd all morning.", None, "buildbox"),
    ],
)
def test_a_model_names_another_project_where_the_file_knows_it_and_somebody_named_it(
    db: sqlite3.Connection, prompt: Prompt, now: datetime, said: str, project: object, expected: str
) -> None:
    quote = "On the page I'll want a dash"
    row = filed(db, prompt, now, [said, PAGE], memory(quote, 4, project=project))[quote]
    assert (row["project"], row["scope"], row["is_quote_found"]) == (expected, "project", 1)


def test_an_answer_without_that_member_is_read_as_before(db: sqlite3.Connection, prompt: Prompt, now: datetime) -> None:
    proposal = memory("On the page I'll want a dash", 4)
    del proposal["project"]
    found = filed(db, prompt, now, ["I was in lockerd all morning.", PAGE], proposal)
    assert found[proposal["quote"]]["project"] == "buildbox"


def test_what_only_a_tool_was_given_names_no_project(db: sqlite3.Connection, prompt: Prompt, now: datetime) -> None:
    add_project(db, HOME), add_project(db, OTHER)
    session = add_session(db, 1)
    add_entry(db, session, "user", "prompt", ASK)
    call = add_entry(db, session, "assistant", "tool_call", "")
    add_action(db, session, call, None, "Bash", "ls lockerd", is_error=False)
    add_entry(db, session, "assistant", "reply", REPLY)
    add_entry(db, session, "user", "prompt", PAGE)
    model = ScriptedModel([answer(memory("On the page I'll want a dash", 4, project="lockerd"))])
    db.execute("insert into extraction_runs (method, version, started_at) values ('extract', '1', 'now')")
    read_portion(db, session, model=model, prompt=prompt, run_id=1, now=now)
    assert "ls lockerd" in model.asked[0][1]
    assert [row[0] for row in db.execute("select project_id from candidates where kind = 'convention'")] == [1]


def test_what_holds_everywhere_does_so_whatever_project_it_names(
    db: sqlite3.Connection, prompt: Prompt, now: datetime
) -> None:
    quote = "On the page I'll want a dash"
    said = ["I was in lockerd all morning.", PAGE]
    assert filed(db, prompt, now, said, memory(quote, 4, project="lockerd", scope="user"))[quote]["scope"] == "user"


def test_what_is_said_outside_of_any_project_is_of_the_one_that_is_named(
    db: sqlite3.Connection, prompt: Prompt, now: datetime
) -> None:
    row = filed(db, prompt, now, [TOLD], memory("it deploys wednesdays 7am only", 3), home=None)
    assert row["it deploys wednesdays 7am only"]["project"] == "lockerd"
    assert row["it deploys wednesdays 7am only"]["scope"] == "project"


def test_paths_are_seen_from_the_project_that_they_are_filed_with(
    db: sqlite3.Connection, prompt: Prompt, now: datetime
) -> None:
    quote = "for lockerd: it deploys wednesdays 7am only now"
    text = f"The slots are in {OTHER}/ops/slots.py, the job of before was in {HOME}/jobs/deploy.sh."
    row = filed(db, prompt, now, [TOLD], memory(quote, 3, text=text))[quote]
    assert json.loads(row["paths"]) == ["ops/slots.py", f"{HOME}/jobs/deploy.sh"]


def test_it_is_told_there_without_saying_that_it_is_not_for_here(
    db: sqlite3.Connection, prompt: Prompt, now: datetime
) -> None:
    said = "Not for here, for the lockerd boxes: fill the slots before you open the door."
    row = filed(db, prompt, now, [said], memory(said, 3, text=said, title=said))[said]
    assert (row["project"], row["text"]) == (
        "lockerd", "For the lockerd boxes: fill the slots before you open the door.",
    )  # fmt: skip
    assert not row["title"].startswith("Not for here")


def test_a_model_may_name_a_project_that_is_listed_before_it(
    db: sqlite3.Connection, prompt: Prompt, now: datetime
) -> None:
    quote = "On the page I'll want a dash"
    other = add_session(db, add_project(db, OTHER))
    add_entry(db, other, "user", "prompt", "Please fill the slots.")
    model = filed_by(db, prompt, now, memory(quote, 3, project="lockerd"))
    assert model.asked[0][1].splitlines()[1] == '{"projects": ["lockerd"]}'
    assert project_of(db, quote) == "lockerd"


@pytest.mark.parametrize("why", ["ignored", "long ago", "its files alone"])
def test_a_project_that_is_not_to_be_sent_is_not_listed(
    db: sqlite3.Connection, prompt: Prompt, now: datetime, why: str
) -> None:
    quote = "On the page I'll want a dash"
    other = add_session(db, add_project(db, OTHER))
    add_entry(db, other, "user", "prompt", "Please fill the slots.")
    if why == "ignored":
        put_ignored(db, [OTHER], utc_text(now))
    elif why == "long ago":
        db.execute("update entries set created_at = '2020-01-01T00:00:00.000Z'")
    else:
        db.execute("update sessions set format = 'repository'")
    model = filed_by(db, prompt, now, memory(quote, 3, project="lockerd"))
    assert '"projects"' not in model.asked[0][1]
    assert project_of(db, quote) == "buildbox"


def filed_by(db: sqlite3.Connection, prompt: Prompt, now: datetime, proposal: dict[str, Any]) -> ScriptedModel:
    """The model that read a session in `HOME` and made this proposal."""
    session = add_session(db, add_project(db, HOME))
    for role, kind, text in (("user", "prompt", ASK), ("assistant", "reply", REPLY), ("user", "prompt", PAGE)):
        add_entry(db, session, role, kind, text)
    cursor = db.execute("insert into extraction_runs (method, version, started_at) values ('extract', '1', 'now')")
    model = ScriptedModel([answer(proposal)])
    read_portion(db, session, model=model, prompt=prompt, run_id=int(cursor.lastrowid or 0), now=now)
    return model


def project_of(db: sqlite3.Connection, quote: str) -> str:
    """The project of the candidate with this quote."""
    sql = "select p.name from candidates c join projects p on p.id = c.project_id where c.quote = ?"
    return str(db.execute(sql, [quote]).fetchone()[0])
