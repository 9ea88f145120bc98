"""Calls of models: every one a row, with tokens and price; llm's own log of it by reference."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from llm.logs import LogStore
from sqlite_utils import Database

from memory_db.errors import ModelError, NotFoundError
from memory_db.models.calls import About, ModelPrompt, ask, call, find_model, prepare, record, within
from memory_db.models.tokens import count_tokens
from memory_db.store.schema import open_database
from tests.support.scripted_model import ScriptedModel

TRANSCRIPT = "zanzibar ships at midnight, said the heron"
ANSWER = "The marmalade answer."
REFERENCE = "memory-db: entries 1 to 2 of session s"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def fill(text: str) -> tuple[str, str]:
    return "Rules of the house.", f"Data begins.\n{text}\nData ends."


QUESTION = ModelPrompt(fill, TRANSCRIPT, REFERENCE, SCHEMA)


def only_call(db: sqlite3.Connection) -> sqlite3.Row:
    (row,) = db.execute("select * from model_calls").fetchall()
    return row


@pytest.mark.slow
def test_a_call_is_a_row_tied_to_llms_turn(db: sqlite3.Connection, now: datetime) -> None:
    model = ScriptedModel([ANSWER], tokens=(900, 30))
    called = ask(db, model, QUESTION, About("extract", attempt=2), now=now)
    assert called.text == ANSWER
    assert model.asked == [("Rules of the house.", f"Data begins.\n{TRANSCRIPT}\nData ends.", SCHEMA)]
    row = only_call(db)
    assert (row["purpose"], row["attempt"], row["model"], row["answer"]) == ("extract", 2, "scripted", ANSWER)
    assert (row["input_tokens"], row["output_tokens"], row["is_counted_by_model"]) == (900, 30, 1)
    assert (row["cost_nanocents"], row["error"], row["left_out"]) == (None, None, "[]")
    turn = db.execute("select * from turns where id = ?", [row["turn_uid"]]).fetchone()
    assert (turn["model"], turn["input_tokens"], turn["output_tokens"]) == ("scripted", 900, 30)
    assert turn["schema_id"] is not None


def words_in_llms_tables(db: sqlite3.Connection) -> str:
    """Everything that stands in tables that are not ours, shadow tables of full text included."""
    ours = {"entries", "model_calls", "candidates"}
    tables = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
    return repr([tuple(row) for table in tables if table not in ours for row in db.execute(f'select * from "{table}"')])


@pytest.mark.slow
def test_no_word_of_transcript_or_answer_is_in_llms_log(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    ask(db, ScriptedModel([ANSWER]), QUESTION, About("extract"), now=now)
    everything = words_in_llms_tables(db)
    for word in ("zanzibar", "heron", "marmalade"):
        assert word not in everything
        for table in ("turn_search_fts", "responses_fts"):
            assert db.execute(f"select count(*) from {table} where {table} match ?", [word]).fetchone()[0] == 0
    assert REFERENCE in everything
    row = only_call(db)
    fragment = db.execute("select content, source from fragments").fetchone()
    assert tuple(fragment) == (REFERENCE, f"memory-db:model_calls/{row['id']}")
    db.execute("delete from model_calls")
    db.execute("pragma wal_checkpoint(truncate)")
    db.execute("vacuum")
    db.execute("pragma wal_checkpoint(truncate)")
    for file in db_path.parent.iterdir():
        assert b"zanzibar" not in file.read_bytes()
        assert b"marmalade" not in file.read_bytes()


def test_llm_reads_and_verifies_the_log(db: sqlite3.Connection, now: datetime) -> None:
    ask(db, ScriptedModel([ANSWER]), QUESTION, About("extract"), now=now)
    store = LogStore(Database(db))
    assert store.verify() == []
    turn = db.execute("select * from turns").fetchone()
    chain = store.load_chain(turn["tip_message_hash"])
    assert [message.role for message in chain] == ["system", "user", "assistant"]
    assert chain[1].parts[0].text == f"Data begins.\n{REFERENCE}\nData ends."


def test_tokens_are_counted_where_the_model_does_not_tell(db: sqlite3.Connection, now: datetime) -> None:
    ask(db, ScriptedModel([ANSWER], supports_schema=False), QUESTION, About("extract"), now=now)
    row = only_call(db)
    assert row["is_counted_by_model"] == 0
    assert row["input_tokens"] == sum(count_tokens(text) for text in fill(TRANSCRIPT))
    assert row["output_tokens"] == count_tokens(ANSWER)


def test_a_model_without_schemas_is_not_given_one(db: sqlite3.Connection, now: datetime) -> None:
    model = ScriptedModel([ANSWER], supports_schema=False)
    ask(db, model, QUESTION, About("extract"), now=now)
    assert model.asked[0][2] is None


def test_the_price_is_whole_nanocents(db: sqlite3.Connection, now: datetime) -> None:
    model = ScriptedModel([ANSWER], model_id="claude-3-haiku-20240307", tokens=(1_000, 100))
    ask(db, model, QUESTION, About("extract"), now=now)
    price = db.execute("select * from prices where model = ?", [model.model_id]).fetchone()
    expected = 1_000 * price["input_nanocents"] + 100 * price["output_nanocents"]
    assert only_call(db)["cost_nanocents"] == expected > 0


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("no such host"), "ValueError: no such host"),
        (click.ClickException("quota\nis used up"), "ClickException: quota is used up"),
        (KeyError("OPENAI_API_KEY=sk-proj-" + "a1B2" * 12), None),
        (TimeoutError(), "TimeoutError:"),
        (AssertionError("\ud800"), "AssertionError: ?"),
    ],
)
def test_whatever_a_plugin_raises_is_a_row_and_one_of_our_errors(
    db: sqlite3.Connection, now: datetime, error: Exception, expected: str | None
) -> None:
    with pytest.raises(ModelError, match="scripted gave no answer") as raised:
        ask(db, ScriptedModel([error]), QUESTION, About("extract"), now=now)
    assert "\n" not in str(raised.value)
    row = only_call(db)
    assert (row["answer"], row["turn_uid"], row["output_tokens"]) == ("", None, 0)
    assert "sk-proj" not in row["error"]
    if expected is not None:
        assert row["error"] == expected
    assert db.execute("select count(*) from turns").fetchone()[0] == 0


def test_a_model_that_hangs_is_given_up_at_the_deadline(db: sqlite3.Connection, now: datetime) -> None:
    never = threading.Event()
    with pytest.raises(ModelError, match=r"no answer within 0\.05 seconds"):
        ask(db, ScriptedModel([never]), QUESTION, About("extract"), now=now, deadline_s=0.05)
    never.set()
    assert only_call(db)["error"] == "no answer within 0.05 seconds"


def test_options_that_the_model_does_not_know_are_an_error_too(db: sqlite3.Connection, now: datetime) -> None:
    with pytest.raises(ModelError, match="ValidationError"):
        question = ModelPrompt(fill, TRANSCRIPT, REFERENCE, None, {"temperature": 9})
        ask(db, ScriptedModel([ANSWER]), question, About("extract"), now=now)
    assert "zanzibar" not in only_call(db)["error"]


def test_a_secret_in_an_answer_is_redacted(db: sqlite3.Connection, now: datetime) -> None:
    secret = "ghp_" + "aB3dE5gH" * 4 + "wXyZ"
    ask(db, ScriptedModel([f"The token is {secret}\x00\ud800."]), QUESTION, About("extract"), now=now)
    row = only_call(db)
    assert secret not in row["answer"]
    assert row["answer"].startswith("The token is [redacted:")


def test_no_transaction_is_open_while_a_model_thinks(db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    seen = []

    class Looking(ScriptedModel):
        def execute(self, *arguments: object, **named: object) -> Iterator[str]:
            other = open_database(db_path, now=now)
            other.execute("insert into settings values ('x', '1', 'now')")
            seen.append(other.execute("select count(*) from settings").fetchone()[0])
            other.close()
            yield from super().execute(*arguments, **named)

    ask(db, Looking([ANSWER]), QUESTION, About("extract"), now=now)
    assert seen == [1]


def test_a_record_within_a_transaction_is_taken_back_with_it(db: sqlite3.Connection, now: datetime) -> None:
    called = call(ScriptedModel([ANSWER]), QUESTION)
    prepare(db)
    db.execute("begin")
    record(db, called, QUESTION, About("extract"), now=now, error="not JSON", left_out=["proposal 1"])
    assert only_call(db)["left_out"] == '["proposal 1"]'
    assert only_call(db)["error"] == "not JSON"
    db.rollback()
    for table in ("model_calls", "turns", "messages", "fragments", "turn_search"):
        assert db.execute(f"select count(*) from {table}").fetchone()[0] == 0


def test_llms_tables_are_made_once(db: sqlite3.Connection) -> None:
    prepare(db)
    before = db.total_changes
    prepare(db)
    assert db.total_changes == before


def test_an_unknown_model_says_how_to_list_those_known() -> None:
    with pytest.raises(NotFoundError, match=r"llm knows no model 'nope'\. `llm models` lists those it knows\."):
        find_model("nope")


def test_errors_are_values() -> None:
    def broken() -> None:
        raise ZeroDivisionError("why")

    assert within(5, broken) == (None, "ZeroDivisionError: why")
    assert within(5, lambda: 7) == (7, None)


def test_the_time_of_a_price_counts(db: sqlite3.Connection) -> None:
    model = ScriptedModel([ANSWER], model_id="mine", tokens=(10, 0))
    insert = (
        "insert into prices (model, input_nanocents, output_nanocents, cache_write_5m_nanocents,"
        " cache_write_1h_nanocents, cache_read_nanocents, source, valid_from) values (?, ?, 0, 0, 0, 0, 'test', ?)"
    )
    db.execute(insert, [model.model_id, 5, "1970-01-01T00:00:00.000Z"])
    db.execute(insert, [model.model_id, 7, "2090-01-01T00:00:00.000Z"])
    ask(db, model, QUESTION, About("extract"), now=datetime(2026, 1, 1, tzinfo=UTC))
    assert only_call(db)["cost_nanocents"] == 50
