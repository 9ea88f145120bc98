"""Settings: defaults, what they accept, what they refuse, and that nothing is written twice."""

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from memory_db.cli.group import cli
from memory_db.errors import InputError, ModelError
from memory_db.index.change_setting import change, reset
from memory_db.store import jobs, settings
from memory_db.store.setting import Value


def rows(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    return [tuple(row) for row in db.execute("select name, value, changed_at from settings order by name")]


def test_without_a_row_every_setting_has_its_default(db: sqlite3.Connection) -> None:
    for setting in settings.SETTINGS:
        assert settings.get(db, setting.name) == setting.default
    assert [current.value for current in settings.all_settings(db)] == [s.default for s in settings.SETTINGS]
    assert rows(db) == []


def test_every_default_is_accepted_by_its_own_setting(db: sqlite3.Connection, now: datetime) -> None:
    for setting in settings.SETTINGS:
        assert settings.put(db, setting.name, str(setting.default), now=now) == setting.default
        assert type(settings.get(db, setting.name)) is type(setting.default)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("embedding_model", " none ", "none"),
        ("embed_entries", "No", False),
        ("embed_entries", "on", True),
        ("hits_days", "30", 30),
        ("recall_limit", "1", 1),
        ("default_profile", "hook", "hook"),
        ("timezone", "Europe/Berlin", "Europe/Berlin"),
    ],
)
def test_a_value_is_kept_as_json_of_its_type(
    db: sqlite3.Connection, now: datetime, name: str, text: str, value: Value
) -> None:
    assert settings.put(db, name, text, now=now) == value
    assert settings.get(db, name) == value
    assert [(row[0], json.loads(row[1])) for row in rows(db)] == [(name, value)]
    current = {current.setting.name: current for current in settings.all_settings(db)}[name]
    assert (current.value, current.changed_at) == (value, "2026-11-01T12:00:00.000Z")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("colour", "red", "There is no setting 'colour'. There are: embedding_model, embed_entries,"),
        ("embed_entries", "maybe", "Give true or false"),
        ("hits_days", "0", "from 1 to 36500"),
        ("recall_limit", "-5", "from 1 to 200"),
        ("recall_limit", "1e3", "Give a whole number"),
        ("recall_limit", "9" * 5000, "Give a whole number"),
        ("embedding_model", "", "Give one line of text"),
        ("embedding_model", "a\nb", "Give one line of text"),
        ("default_profile", "fastest", "There are the profiles: agentmemory, "),
        ("timezone", "Mars/Olympus", "Europe/Berlin"),
        ("timezone", "../../etc/passwd", "Europe/Berlin"),
        ("timezone", "", "Europe/Berlin"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line_and_changes_nothing(
    db: sqlite3.Connection, now: datetime, name: str, text: str, said: str
) -> None:
    with pytest.raises(InputError) as error:
        settings.put(db, name, text, now=now)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert rows(db) == []


def test_the_same_value_again_writes_nothing(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "hits_days", "30", now=now)
    before = rows(db)
    settings.put(db, "hits_days", "30", now=now + timedelta(days=1))
    assert rows(db) == before
    settings.put(db, "hits_days", "31", now=now + timedelta(days=1))
    assert rows(db) == [("hits_days", "31", "2026-11-02T12:00:00.000Z")]


@pytest.mark.parametrize("stored", ['"thirty"', "thirty", "true", "null", "30.5", "0"])
def test_a_row_spoilt_by_hand_is_named(db: sqlite3.Connection, stored: str) -> None:
    db.execute("insert into settings values ('hits_days', ?, '2026-11-01')", [stored])
    with pytest.raises(InputError, match="hits_days"):
        settings.get(db, "hits_days")
    with pytest.raises(InputError, match="hits_days"):
        settings.all_settings(db)


@given(text=st.text(max_size=40), name=st.sampled_from([setting.name for setting in settings.SETTINGS]))
def test_any_text_is_either_refused_or_read_back_the_same(
    db: sqlite3.Connection, now: datetime, name: str, text: str
) -> None:
    try:
        value = settings.put(db, name, text, now=now)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert settings.get(db, name) == value


def test_a_change_says_what_it_was(db: sqlite3.Connection, now: datetime) -> None:
    done = change(db, "recall_limit", "25", now=now)
    assert (done.before, done.after, done.said) == (10, 25, "recall_limit = 25, was 10.")
    assert change(db, "recall_limit", " 25 ", now=now).said == "recall_limit is 25 already."
    assert reset(db, "recall_limit").after == 10
    assert rows(db) == []
    with pytest.raises(ModelError, match="no-such-model"):
        change(db, "embedding_model", "no-such-model", now=now)
    assert rows(db) == []


def test_the_shell_puts_a_setting_back(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    settings.put(db, "recall_limit", "25", now=now)
    run = CliRunner()
    previewed = run.invoke(cli, ["-d", str(db_path), "settings", "recall_limit", "--default", "--dry-run"])
    assert previewed.exit_code == 0 and "dry run" in previewed.stdout and settings.get(db, "recall_limit") == 25
    done = run.invoke(cli, ["-d", str(db_path), "settings", "recall_limit", "--default"])
    assert done.exit_code == 0 and "was 25" in done.stdout and settings.get(db, "recall_limit") == 10


def test_the_shell_takes_up_what_was_given_up(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    jobs.enqueue(db, "nobody works on this", "a", {}, now)
    db.execute("update jobs set state = 'dead', attempts = 3")
    done = CliRunner().invoke(cli, ["-d", str(db_path), "work", "--once", "--retry-dead"])
    assert done.exit_code == 0
    assert [tuple(row) for row in db.execute("select state, attempts from jobs")] == [("due", 0)]
