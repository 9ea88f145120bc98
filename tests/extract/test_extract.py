"""Extraction without a model: sentences, cues, pairs of error and fix, and the rows of candidates."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules import run as rules
from memory_db.extract.rules.error_fixes import ActionRow, decisive_line, error_fixes
from memory_db.extract.rules.fact_cues import FACT_CUES
from memory_db.extract.rules.measure import measure
from memory_db.extract.rules.negative_cues import AGENT_DOUBTS, DOUBTS, VETOES
from memory_db.extract.rules.phrasing import keys_of, paths_of, tidied
from memory_db.extract.rules.prose import ENGLISH, read_prose
from memory_db.extract.rules.rule_cues import RULE_CUES
from memory_db.extract.rules.titles import titled
from memory_db.extract.rules.where import scope_of
from memory_db.store.seeds import KINDS
from memory_db.text.sentences import mask, split

DATA = Path(__file__).parents[1] / "data"

FLOORS = {
    "extraction_labels.yml": {
        "precision": 0.987, "recall": 0.976, "kind_accuracy": 0.987, "scope_accuracy": 0.975,
    },
    "extraction_labels_reader.yml": {
        "precision": 0.987, "recall": 0.901, "kind_accuracy": 0.792, "scope_accuracy": 0.939,
    },
    "extraction_labels_heldout.yml": {
        "precision": 0.835, "recall": 0.868, "kind_accuracy": 0.621, "scope_accuracy": 0.954,
    },
}  # fmt: skip
"""What was measured on each file, rounded down.

The reader, who labelled the second file, had not seen the rules. Before their errors were looked at, the
rules reached precision .809, recall .791, kind .625 and scope .861 on it. Another reader labelled the third file
after the rules stood, and no rule was changed for it: its figures are what a new text gives."""


def read_labels(name: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return items


@pytest.mark.parametrize("name", FLOORS)
def test_the_rules_find_what_people_marked(name: str) -> None:
    measured = measure(read_labels(name))
    below = {figure: getattr(measured, figure) for figure, floor in FLOORS[name].items()
             if getattr(measured, figure) < floor}  # fmt: skip
    wrong = [item["id"] for item, outcome, _ in measured.outcomes if outcome in ("missed", "false alarm")]
    assert not below, f"below the floor of {name}: {below}; wrong: {wrong}"


@pytest.mark.slow
def test_the_labels_are_at_least_two_hundred_and_about_half_are_traps() -> None:
    items = [item for name in FLOORS for item in read_labels(name)]
    assert len(items) >= 200 and len({item["id"] for item in items}) == len(items)
    assert 0.4 < sum(not item["keep"] for item in items) / len(items) < 0.6


def test_cues_are_well_formed() -> None:
    kinds = {kind.name for kind in KINDS}
    names = [cue.name for cue in (*ENGLISH.cues, *VETOES, *DOUBTS, *AGENT_DOUBTS)]
    assert len(names) == len(set(names))
    assert all(cue.points > 0 and (cue.kind is None or cue.kind in kinds) for cue in RULE_CUES + FACT_CUES)
    assert all(cue.points < 0 and cue.kind is None for cue in VETOES + DOUBTS + AGENT_DOUBTS)
    assert all(cue.description for cue in ENGLISH.cues)


# --- sentences --------------------------------------------------------------------------------------------------------


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split(text)]


def test_sentences_are_cut_where_prose_ends() -> None:
    assert texts("Use uv. Not pip! See e.g. the Makefile for Python 3.12. ok?") == [
        "Use uv.", "Not pip!", "See e.g. the Makefile for Python 3.12.", "ok?",
    ]  # fmt: skip
    assert texts("- one thing\n- another thing\n\n1. a third") == ["one thing", "another thing", "a third"]
    wrapped = "this line is long enough that an editor has wrapped it before\nthe sentence was over. Next."
    assert texts(wrapped) == [wrapped[:-6], "Next."]


@pytest.mark.parametrize(
    "shown",
    [
        "```\nwe always use tabs here\n```",
        "> we always use tabs here",
        "<notes>we always use tabs here</notes>",
        "2026-03-01 10:00:00 we always use tabs here",
        'The page must read "we always use tabs in this project".',
        "Translate this: we always use tabs in this project",
        "a3f91c2 chore: we always use tabs in this project",
    ],
)
def test_what_is_only_shown_says_nothing(shown: str) -> None:
    assert read_prose(shown, role="user", after_action=False) == []


@given(st.text(alphabet=st.sampled_from("abc. \n`'\"<>/-*!?:,1😀"), max_size=300))
def test_a_sentence_is_a_slice_and_masking_keeps_the_length(text: str) -> None:
    assert len(mask(text)) == len(text)
    for sentence in split(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert len(sentence.masked) == len(sentence.text)


PHRASES = ("no,", "never use pip", "we always run `make`", "because.", "remember that", "staging listens on port 5433.",
           "i prefer it!", "turned out", "the cause was", ".", "\n", ">", "?", "don't commit")  # fmt: skip
WORDS = st.sampled_from(PHRASES)


@given(st.lists(WORDS, max_size=40), st.sampled_from(["user", "assistant"]), st.booleans())
def test_a_quote_is_a_slice_and_findings_do_not_overlap(words: list[str], role: str, after: bool) -> None:
    text = " ".join(words)
    end = 0
    for finding in read_prose(text, role=role, after_action=after):
        assert text[finding.start : finding.end] == finding.quote
        assert finding.start >= end and finding.points >= 3 and finding.rule in finding.cues
        end = finding.end


# --- wording ----------------------------------------------------------------------------------------------------------


def test_a_leading_no_goes_only_where_it_is_an_answer() -> None:
    assert tidied("No, use uv") == "Use uv."
    assert tidied("no emojis please") == "No emojis please."
    assert tidied("remember that prices are in cents") == "Prices are in cents."


@given(st.text(max_size=300))
def test_a_title_is_short(text: str) -> None:
    assert len(titled(tidied(text))) <= 80


def test_keys_and_paths_name_what_is_exact() -> None:
    keys = keys_of("Never mock `get_user` in tests/test_auth.py, use the db.", "correction", ["uv run pytest"])
    assert keys[:2] == ["get_user", "tests/test_auth.py"] and "database" in keys and "uv run pytest" in keys
    assert len(keys) <= 8
    assert paths_of("see /home/a/shop/src/x.py, src/y.ts and and/or", "/home/a/shop") == ["src/x.py", "src/y.ts"]


# --- errors and fixes -------------------------------------------------------------------------------------------------


def action(number: int, target: str, error: bool, result: str = "", tool: str = "Bash", given: str = "{}") -> ActionRow:
    return ActionRow(number, number + 100, tool, target, given, error, result)


FAILED = "Exit code 2\nE   ModuleNotFoundError: No module named 'psycopg'\nmake: *** [test] Error 1"


def pairs(actions: Sequence[ActionRow]) -> list[str]:
    return [pair.text for pair in error_fixes(actions)]


def test_a_failure_what_changed_and_the_pass_make_a_pair() -> None:
    edit = json.dumps({"old_string": "a = 1", "new_string": "a = 2"})
    found = pairs([action(1, "make test", True, FAILED), action(2, "cat setup.py", False),
                   action(3, "uv add psycopg", False), action(4, "/x/db.py", False, tool="Edit", given=edit),
                   action(5, "make test", False)])  # fmt: skip
    assert found == [
        "`make test` failed with: ModuleNotFoundError: No module named 'psycopg'. What cured it: "
        "ran `uv add psycopg`; edited `db.py` (`a = 1` became `a = 2`)."
    ]


@pytest.mark.parametrize(
    "between",
    [[], [("cat setup.py", False)], [("git status", False)], [("uv run pytest -q", False)], [("uv add x", True)]],
)
def test_nothing_changed_is_no_pair(between: list[tuple[str, bool]]) -> None:
    middle = [action(number, target, error) for number, (target, error) in enumerate(between, 2)]
    assert pairs([action(1, "make test", True, FAILED), *middle, action(9, "make test", False)]) == []


def test_a_refused_action_did_not_fail() -> None:
    refused = "The user doesn't want to proceed with this tool use."
    assert pairs([action(1, "make x", True, refused), action(2, "uv add x", False), action(3, "make x", False)]) == []


GO_FAILED = """Exit code 1
--- FAIL: TestAdd (0.01s)
    store_test.go:31: relation "arrivals" does not exist
FAIL
FAIL	example.com/store	0.026s"""
UPLOAD_FAILED = "A fatal error occurred: the port is busy.\n*** [upload] Error 2"
LIFECYCLE = "sh: 1: vitest: not found\nnpm error Lifecycle script `test` failed with error:\nnpm error code 127"


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (GO_FAILED, 'store_test.go:31: relation "arrivals" does not exist'),
        (UPLOAD_FAILED, "A fatal error occurred: the port is busy."),
        (LIFECYCLE, "sh: 1: vitest: not found"),
    ],
)
def test_a_line_that_only_sums_up_is_not_the_decisive_one(result: str, line: str) -> None:
    assert decisive_line(result) == line


@pytest.mark.parametrize(
    "look", ["fuser -v /dev/ttyACM1", "lsusb", "dmesg | tail -5", "journalctl -u shop", "git remote -v"]
)
def test_a_command_that_only_looks_cures_nothing(look: str) -> None:
    assert (
        pairs([action(1, "make flash", True, UPLOAD_FAILED), action(2, look, False), action(3, "make flash", False)])
        == []
    )


def test_the_decisive_line_is_part_of_the_result() -> None:
    assert decisive_line(FAILED) == "ModuleNotFoundError: No module named 'psycopg'"
    assert decisive_line("Exit code 1\n") == ""
    assert (
        decisive_line("npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://x")
        in "npm ERR! 404 Not Found - GET https://x"
    )


@given(st.text(max_size=400))
def test_any_result_has_a_decisive_line_of_its_own(result: str) -> None:
    assert decisive_line(result) in result


# --- rows -------------------------------------------------------------------------------------------------------------


def add_entry(db: sqlite3.Connection, number: int, role: str, kind: str, text: str, *, sidechain: int = 0) -> None:
    db.execute(
        "insert into entries (id, uid, session_id, role, kind, is_sidechain, text, created_at)"
        " values (?, ?, 1, ?, ?, ?, ?, ?)",
        [number, f"e{number}", role, kind, sidechain, text, f"2026-03-01T09:{number:02}:00.000Z"],
    )
    db.execute("insert into session_entries values (1, ?, ?)", [number, number])


def add_action(db: sqlite3.Connection, entry: int, result: int, target: str, error: int) -> None:
    db.execute(
        "insert into actions (uid, entry_id, result_entry_id, session_id, tool, target, input, is_error, created_at)"
        " values (?, ?, ?, 1, 'Bash', ?, '{}', ?, '2026-03-01')",
        [f"a{entry}", entry, result, target, error],
    )


@pytest.fixture
def history(db: sqlite3.Connection) -> sqlite3.Connection:
    """One session: a task, an action, a correction, a failure and its cure, a refusal with a remark."""
    db.execute("insert into projects (id, name, canonical_path, created_at) values (1, 'shop', '/home/a/shop', '2026')")
    db.execute("insert into sessions (id, uid, format, project_id) values (1, 's1', 'claude-code', 1)")
    denied = "The user doesn't want to proceed. To tell you how to proceed, the user said:\nNever push to main here."
    rows = [
        ("user", "prompt", "Run the tests please."),
        ("assistant", "tool_call", "Bash: pip install foo"),
        ("tool", "tool_result", "We always use pip in this project."),
        ("user", "prompt", "No, use uv, not pip. It is what CI uses.\n\nStaging runs on port 5433. Can you rerun?"),
        ("assistant", "tool_call", "Bash: make test"),
        ("tool", "tool_result", FAILED),
        ("assistant", "thinking", "We always use uv in this project."),
        ("assistant", "tool_call", "Bash: uv add psycopg"),
        ("tool", "tool_result", "done"),
        ("assistant", "tool_call", "Bash: make test"),
        ("tool", "tool_result", "5 passed"),
        ("assistant", "reply", "Root cause: the wheel for psycopg was missing, because the lock file was stale."),
        ("assistant", "tool_call", "Bash: git push"),
        ("tool", "tool_result", denied),
    ]
    for number, (role, kind, text) in enumerate(rows, 1):
        add_entry(db, number, role, kind, text)
    for entry, target, error in ((2, "pip install foo", 0), (5, "make test", 1), (8, "uv add psycopg", 0),
                                 (10, "make test", 0), (13, "git push", 1)):  # fmt: skip
        add_action(db, entry, entry + 1, target, error)
    add_entry(db, 20, "user", "prompt", "We always use tabs in this project.", sidechain=1)
    add_entry(db, 21, "user", "notice", "We always use tabs in this project.")
    return db


def snapshot(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    columns = (
        "uid, entry_id, session_id, project_id, kind, scope, title, text, quote, keys, paths, tags, rule, created_at"
    )
    return [tuple(row) for row in db.execute(f"select {columns} from candidates order by uid")]


def test_a_session_gives_its_candidates(history: sqlite3.Connection, now: datetime) -> None:
    counts = rules.extract(history, now=now)
    found = {row["quote"]: row for row in history.execute("select * from candidates")}
    assert counts == {"sessions": 1, "entries": 16, "candidates": 5} and len(found) == 5
    correction = found["No, use uv, not pip. It is what CI uses."]
    assert (correction["kind"], correction["scope"], correction["entry_id"]) == ("correction", "project", 4)
    assert correction["text"] == "Use uv, not pip. It is what CI uses."
    assert "pip install foo" in json.loads(correction["keys"])
    assert found["Staging runs on port 5433."]["kind"] == "environment"
    assert found["ModuleNotFoundError: No module named 'psycopg'"]["rule"] == "error then fix"
    assert found["Never push to main here."]["entry_id"] == 14
    assert found["Root cause: the wheel for psycopg was missing, because the lock file was stale."]["kind"] == "fix"
    for row in found.values():
        text = history.execute("select text from entries where id = ?", [row["entry_id"]]).fetchone()["text"]
        assert row["quote"] in text and len(row["title"]) <= 80 and len(json.loads(row["keys"])) <= 8


def test_a_second_run_changes_nothing(history: sqlite3.Connection, now: datetime) -> None:
    rules.extract(history, now=now)
    before, changes = snapshot(history), history.total_changes
    assert rules.extract(history, now=now) == {"sessions": 0, "entries": 0, "candidates": 0}
    assert history.total_changes == changes
    assert snapshot(history) == before
    run = history.execute("select * from extraction_runs").fetchone()
    assert (run["sessions_read"], run["candidates_found"]) == (1, 5) and run["finished_at"]


def test_a_session_that_grew_gives_only_what_is_new(history: sqlite3.Connection, now: datetime) -> None:
    rules.extract(history, now=now)
    before = snapshot(history)
    add_entry(history, 30, "user", "prompt", "From now on write migrations as plain SQL.")
    assert rules.extract(history, now=now)["candidates"] == 1
    after = snapshot(history)
    assert set(before) < set(after) and len(after) == len(before) + 1


def test_another_version_reads_again_and_repeats_nothing(
    history: sqlite3.Connection, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules.extract(history, now=now)
    before = snapshot(history)
    monkeypatch.setattr(rules, "RULES_VERSION", "another")
    assert rules.extract(history, now=now) == {"sessions": 1, "entries": 16, "candidates": 0}
    assert snapshot(history) == before


def test_a_stop_in_the_middle_loses_nothing(history: sqlite3.Connection, now: datetime) -> None:
    history.execute("insert into sessions (id, uid, format, project_id) values (2, 's2', 'claude-code', 1)")
    add_entry(history, 40, "user", "prompt", "We deploy on Thursdays only.")
    history.execute("update session_entries set session_id = 2 where entry_id = 40")
    history.execute("update entries set session_id = 2 where id = 40")

    def stop(what: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rules.extract(history, now=now, progress=stop)
    assert history.execute("select count(*) from extraction_progress").fetchone()[0] == 1
    rules.extract(history, now=now)
    assert len(snapshot(history)) == 6


def test_a_shared_entry_belongs_to_its_first_session(history: sqlite3.Connection, now: datetime) -> None:
    history.execute("insert into sessions (id, uid, format, project_id) values (2, 's2', 'claude-code', 1)")
    history.execute(
        "insert into session_entries select 2, entry_id, position from session_entries where session_id = 1"
    )
    assert rules.extract(history, now=now) == {"sessions": 2, "entries": 32, "candidates": 5}
    assert {row["session_id"] for row in history.execute("select session_id from candidates")} == {1}


@pytest.mark.parametrize(
    ("said", "scope"),
    [
        ("I'd rather we had few dependencies, each one is read for the audit.", "project"),
        ("I prefer scripts that never write to the production database.", "project"),
        ("We've left Docker Desktop; it's podman on all our laptops.", "project"),
        ("I'd rather have short answers, in anything you write for me.", "user"),
        ("I prefer small commits, I bisect on them.", "user"),
    ],
)
def test_what_speaks_of_the_project_is_not_of_the_user(said: str, scope: str) -> None:
    (found,) = read_prose(said, role="user", after_action=False)
    assert scope_of(found, has_project=True) == scope
