"""`ask`: a question to a model with what is remembered, its answer as it comes, and what is kept of both."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from llm.logs import LogStore
from sqlite_utils import Database

from memory_db.agents.llm import ask as conversing
from memory_db.agents.llm.ask import Asking
from memory_db.cli import cli
from memory_db.errors import InputError, ModelError
from memory_db.extract.rules import run as rules
from memory_db.feedback import run as feedback
from memory_db.gate import run as gate
from memory_db.knowledge.memories import add_memory
from memory_db.models import local as local_model
from memory_db.models.streaming import BY_READER, BY_USER, streamed
from memory_db.store import settings
from memory_db.store.schema import open_database
from memory_db.transcripts import exchanges
from memory_db.transcripts.exchanges import Conversation
from memory_db.transcripts.importer import import_llm_logs
from memory_db.upkeep.check import check
from tests.support.patience import WAIT_S
from tests.support.reading_model import registered
from tests.support.rows import rows
from tests.support.talking_model import TalkingModel

pytestmark = pytest.mark.slow

SECRET = "sk-proj-" + "a1B2c3D4" * 6
QUESTION = "Which port does the staging database listen on?"
FACT = "The staging database listens on port 6543"


@pytest.fixture
def known(db_path: Path, now: datetime) -> Path:
    """A file with one memory that answers the question."""
    with closing(open_database(db_path, now=now)) as db:
        add_memory(db, text=FACT, kind="environment", scope="user", origin="user", changed_by="user", reason="test",
                   now=now)  # fmt: skip
    return db_path


def run(path: Path, *arguments: str, model: TalkingModel, piped: str = "") -> Result:
    """`ask` of a model that a test has made."""
    with registered(model):
        return CliRunner().invoke(cli, ["ask", "-d", str(path), "-m", model.model_id, *arguments], input=piped)


def said(path: Path) -> list[tuple[object, ...]]:
    return rows(path, "select role, kind, text from entries order by id")


def one_line(result: Result) -> str:
    """The error of a command that failed as it should."""
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    line = result.stderr.strip().splitlines()[-1]
    assert line.startswith("Error: ")
    return line


# ------------------------------------------------------------------ asking


def test_a_model_is_asked_with_what_is_remembered(known: Path) -> None:
    model = TalkingModel(["Port ", "6543."], tokens=(120, 4))
    done = run(known, "-s", "Be short.", QUESTION, model=model)
    assert (done.exit_code, done.stdout) == (0, "Port 6543.\n")
    ((system, prompt, messages, before, options),) = model.asked
    assert system.startswith("Be short.\n\n") and "<memory-brief>" in system
    brief, _, question = prompt.rpartition("\n")
    assert brief.startswith("<memory-brief recall=") and FACT in brief
    assert question == QUESTION
    assert (messages, before, options) == ([("system", system), ("user", prompt)], [], {})


def test_question_and_answer_are_a_session_and_the_brief_is_not(known: Path) -> None:
    run(known, QUESTION, model=TalkingModel(["Port ", "6543."]))
    assert said(known) == [("user", "prompt", QUESTION), ("assistant", "reply", "Port 6543.")]
    ((uid, title, model),) = rows(
        known, "select s.uid, s.title, e.model from sessions s join entries e on e.session_id = s.id where e.kind ="
        " 'reply' and s.format = 'ask'"
    )  # fmt: skip
    assert (title, model) == (QUESTION, "talker")
    assert rows(known, "select count(*) from entry_fts where entry_fts match 'staging'") == [(1,)]
    ((surface, tied, session),) = rows(
        known, "select r.surface, r.session_uid, s.uid from recalls r left join sessions s on s.id = r.session_id"
    )
    assert (surface, tied, session) == ("ask", uid, uid)


def test_a_call_is_a_row_tied_to_entries_and_to_llms_turn(known: Path) -> None:
    run(known, QUESTION, model=TalkingModel(["6543"], model_id="claude-3-haiku-20240307", tokens=(1_000, 100)))
    with closing(open_database(known, now=datetime.fromisoformat("2026-11-01T12:00:00+00:00"))) as db:
        call = db.execute("select * from model_calls").fetchone()
        price = db.execute("select * from prices where model = ?", [call["model"]]).fetchone()
        turn = db.execute("select * from turns where id = ?", [call["turn_uid"]]).fetchone()
        texts = [db.execute("select text from entries where id = ?", [call[name]]).fetchone()[0]
                 for name in ("first_entry_id", "last_entry_id")]  # fmt: skip
        assert (call["purpose"], call["answer"], call["error"]) == ("ask", "", None)
        assert (call["input_tokens"], call["output_tokens"], call["is_counted_by_model"]) == (1_000, 100, 1)
        assert call["cost_nanocents"] == 1_000 * price["input_nanocents"] + 100 * price["output_nanocents"] > 0
        assert texts == [QUESTION, "6543"]
        assert (turn["input_tokens"], turn["output_tokens"]) == (1_000, 100)
        assert turn["thread_id"] == db.execute("select uid from sessions").fetchone()["uid"]
        assert LogStore(Database(db)).verify() == []
        assert check(db) == []


def test_llms_log_holds_no_word_of_it(known: Path) -> None:
    run(known, f"Is heron at midnight? {QUESTION}", model=TalkingModel(["The marmalade answer."]))
    with closing(sqlite3.connect(known)) as db:
        theirs = ("threads", "messages", "parts", "turns", "turn_search", "turn_fragments", "fragments", "responses")
        text = repr([row for name in theirs for row in db.execute(f'select * from "{name}"')])
    assert "memory-db: the answer of call 1 is in entries" in text
    assert "heron" not in text and "marmalade" not in text and FACT not in text


def test_secrets_are_sent_as_typed_and_stored_redacted(known: Path) -> None:
    model = TalkingModel([f"Your key is {SECRET}."])
    asked = f"Why is {SECRET} refused by the staging database?"
    done = run(known, "-s", f"Key {SECRET}", "-o", "note", SECRET, asked, model=model)
    assert done.exit_code == 0, done.output
    assert SECRET in model.asked[0][1] and model.asked[0][4] == {"note": SECRET}
    run(known, "-c", f"And {SECRET}?", model=TalkingModel([RuntimeError(f"bad key {SECRET}")]))
    with closing(sqlite3.connect(known)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        assert db.execute("select count(*) from scan_findings where category = 'secret'").fetchone()[0] > 0
    for file in known.parent.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file


def test_a_conversation_goes_on(known: Path) -> None:
    run(known, QUESTION, model=TalkingModel(["Port 6543."]))
    model = TalkingModel(["Because of the proxy."])
    done = run(known, "-c", "--no-memory", "Why so?", model=model)
    assert done.exit_code == 0, done.output
    ((_, prompt, messages, before, _),) = model.asked
    assert prompt == "Why so?"
    assert messages == [("user", QUESTION), ("assistant", "Port 6543."), ("user", "Why so?")]
    assert before == [(QUESTION, "Port 6543.")]
    assert [text for _, _, text in said(known)] == [QUESTION, "Port 6543.", "Why so?", "Because of the proxy."]
    assert rows(known, "select count(*) from sessions where format = 'ask'") == [(1,)]
    assert rows(known, "select count(*), count(distinct thread_id) from turns") == [(2, 1)]
    positions = rows(known, "select position from session_entries order by entry_id")
    assert positions == [(1,), (2,), (3,), (4,)]
    ((uid,),) = rows(known, "select uid from sessions")
    run(known, QUESTION, model=TalkingModel())
    assert run(known, "--session", str(uid), "Still?", model=model).exit_code == 0
    assert model.asked[-1][2][0] == ("user", QUESTION) and len(model.asked[-1][3]) == 2
    assert rows(known, "select count(*) from sessions") == [(2,)]


def test_what_is_too_long_ago_is_left_out(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversing, "HISTORY_TOKENS", 40)
    for word in ("first", "second", "third"):
        run(known, "-c" if word != "first" else "--no-memory", f"The {word} question, in some words",
            model=TalkingModel([f"The {word} answer, in as many words"]))  # fmt: skip
    model = TalkingModel()
    run(known, "-c", "--no-memory", "Last?", model=model)
    assert model.asked[0][2][0][1] == "The second question, in some words"


def test_what_is_piped_in_stands_before_the_question(known: Path) -> None:
    model = TalkingModel()
    assert run(known, "--no-memory", "What went wrong?", model=model, piped="Traceback: boom\n").exit_code == 0
    assert run(known, "--no-memory", model=model, piped="Only this").exit_code == 0
    assert [asked[1] for asked in model.asked] == ["Traceback: boom\n\nWhat went wrong?", "Only this"]


def test_a_long_prompt_is_asked_by_its_ends(known: Path) -> None:
    model = TalkingModel()
    log = "\n".join(f"line {number} of a log about nothing" for number in range(4_000))
    assert run(known, QUESTION, model=model, piped=log).exit_code == 0
    assert log in model.asked[0][1] and FACT in model.asked[0][1]
    ((query,),) = rows(known, "select query from recalls")
    assert len(str(query)) < 4_100 and str(query).startswith(QUESTION)


def test_without_memory_or_capture(known: Path) -> None:
    model = TalkingModel(["Fine."])
    assert run(known, "--no-memory", QUESTION, model=model).exit_code == 0
    assert model.asked[0][:2] == ("", QUESTION)
    assert rows(known, "select count(*) from recalls") == [(0,)]
    before = said(known)
    done = run(known, "--no-capture", "Does the staging database listen on heron, or on which port?", model=model)
    assert done.exit_code == 0 and FACT in model.asked[1][1]
    assert said(known) == before and rows(known, "select count(*) from recalls") == [(0,)]
    assert rows(known, "select session_id, first_entry_id, answer from model_calls where id = 2") == [(None, None, "")]
    with closing(sqlite3.connect(known)) as db:
        assert "heron" not in "\n".join(db.iterdump())


def test_a_dry_run_asks_nobody_and_changes_nothing(known: Path) -> None:
    model = TalkingModel(model_id="claude-3-haiku-20240307")
    before = known.read_bytes()
    shown = run(known, "--dry-run", QUESTION, model=model)
    assert shown.exit_code == 0 and FACT in shown.stdout and QUESTION in shown.stdout
    assert re.search(r"[\d,]+ tokens in, about 400 out, about \$0\.\d{4}\. Nobody was asked\.", shown.stdout)
    data = json.loads(run(known, "--dry-run", "--json", QUESTION, model=model).stdout)
    assert data["prompt"] == QUESTION and FACT in data["brief"] and data["cost_nanocents"] > 0
    assert model.asked == [] and known.read_bytes() == before


def test_json_shows_the_answer_and_what_it_took(known: Path) -> None:
    data = json.loads(run(known, "--json", QUESTION, model=TalkingModel(["6543"], tokens=(9, 3))).stdout)
    assert (data["answer"], data["input_tokens"], data["output_tokens"], data["error"]) == ("6543", 9, 3, None)
    assert data["session"].startswith("ask-") and data["recall"].startswith("r") and data["cost_nanocents"] is None
    assert rows(known, "select uid from sessions") == [(data["session"],)]


def test_options_reach_the_model_in_its_types(known: Path) -> None:
    model = TalkingModel()
    done = run(known, "-o", "temperature", "0.5", "-o", "max_tokens", "7", QUESTION, model=model)
    assert done.exit_code == 0, done.output
    assert model.asked[0][4] == {"temperature": 0.5, "max_tokens": 7}
    assert json.loads(str(rows(known, "select options_json from turns")[0][0])) == {"temperature": 0.5, "max_tokens": 7}


# ----------------------------------------------------- streaming and trouble


def test_pieces_are_shown_before_the_end() -> None:
    more, seen = threading.Event(), []

    def answer():
        yield "first"
        assert more.wait(WAIT_S)
        yield "second"

    def show(piece: str) -> None:
        seen.append(piece)
        more.set()  # without a piece shown before the end, there is no end

    assert streamed(answer(), show).text == "firstsecond"
    assert seen == ["first", "second"]


def test_ctrl_c_keeps_what_came() -> None:
    # A shell that starts the tests in the background has them ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def answer():
        yield "half an "
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # wakes whoever waits, as a terminal does
        threading.Event().wait(WAIT_S)
        yield "answer"

    try:
        came = streamed(answer(), lambda piece: None)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (came.text, came.stopped, came.error, came.is_whole) == ("half an ", BY_USER, None, False)


def test_a_reader_that_goes_away_ends_it() -> None:
    def show(piece: str) -> None:
        raise BrokenPipeError

    assert streamed(iter(["a", "b"]), show).stopped == BY_READER


def test_a_stopped_answer_is_kept_with_a_note(known: Path, now: datetime) -> None:
    rest = threading.Event()
    model = TalkingModel(["half ", rest, "an answer"])
    with closing(open_database(known, now=now)) as db:
        asking = Asking(QUESTION, model, conversing.new_conversation(db, QUESTION, None, now=now))

        def show(piece: str) -> None:
            if piece == "half ":
                raise KeyboardInterrupt

        answered = conversing.ask(db, asking, show, clock=lambda: now)
        assert answered.streamed.stopped == BY_USER
        assert [tuple(row) for row in db.execute("select role, kind, text from entries order by id")] == [
            ("user", "prompt", QUESTION), ("assistant", "reply", "half "),
            ("system", "notice", "The answer ended here: stopped by the user."),
        ]  # fmt: skip
        call = db.execute("select * from model_calls").fetchone()
        assert (call["error"], call["turn_uid"], call["is_counted_by_model"]) == (BY_USER, None, 0)
        assert call["input_tokens"] > 0 and call["output_tokens"] > 0
    rest.set()


def test_an_error_of_the_model_is_one_line_and_loses_no_word(known: Path) -> None:
    line = one_line(run(known, QUESTION, model=TalkingModel([ConnectionError("no\nroute")])))
    assert line.startswith("Error: talker gave no answer: ConnectionError: no route. The question is kept in session")
    uid = re.findall(r"--session (\S+)`", line)[0]
    assert said(known) == [
        ("user", "prompt", QUESTION), ("system", "notice", "The answer ended here: ConnectionError: no route."),
    ]  # fmt: skip
    assert rows(known, "select error, input_tokens, output_tokens from model_calls") == [
        ("ConnectionError: no route", 0, 0)
    ]
    model = TalkingModel()
    assert run(known, "--session", uid, "Again: which port?", model=model).exit_code == 0
    assert [role for role, _ in model.asked[0][2]] == ["system", "user"], "a question without an answer is not sent"


def test_an_error_in_the_middle_keeps_the_beginning(known: Path) -> None:
    line = one_line(run(known, QUESTION, model=TalkingModel(["Port 65", TimeoutError("gone")])))
    assert "talker gave no whole answer: TimeoutError: gone" in line
    assert [text for _, kind, text in said(known) if kind == "reply"] == ["Port 65"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([""], "The prompt is empty"),
        (["  \n"], "The prompt is empty"),
        ([], "The prompt is empty"),
        (["-m", "nobody", "x"], "llm knows no model 'nobody'"),
        (["-m", "", "x"], "The name of the model is empty"),
        (["-o", "temperature", "warm", "x"], "talker does not take option temperature: Input should be a valid number"),
        (["-o", "heat", "1", "x"], "talker does not take option heat: Extra inputs are not permitted. It has:"),
        (["-c", "x"], "There is no conversation to go on with yet"),
        (["--session", "nowhere", "x"], "No session 'nowhere'"),
        (["--session", "", "x"], "No session ''"),
        (["-c", "--session", "s", "x"], "leave out -c or --session"),
        (["--project", "nowhere", "x"], "No project 'nowhere'"),
        (["--profile", "nowhere", "x"], "No profile 'nowhere'"),
        (["--budget", "1", "x"], "Invalid value for '--budget'"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_changes_nothing(known: Path, arguments: list[str], expected: str) -> None:
    model = TalkingModel()
    before = said(known), rows(known, "select count(*) from recalls")
    assert expected in one_line(run(known, *arguments, model=model))
    assert (said(known), rows(known, "select count(*) from recalls")) == before
    assert model.asked == []


def test_megabytes_are_refused_in_one_line(known: Path) -> None:
    model = TalkingModel()
    assert "1,000,000 can be taken" in one_line(run(known, model=model, piped="word " * 300_000))
    assert "more than 4,000,000 bytes" in one_line(run(known, model=model, piped="word " * 900_000))
    assert model.asked == [] and said(known) == []


def test_a_missing_key_is_one_line_and_nothing_is_kept(
    known: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    done = CliRunner().invoke(cli, ["ask", "-d", str(known), "-m", "gpt-4o-mini", QUESTION], input="")
    assert one_line(done) == "Error: gpt-4o-mini has no key. Set it with `llm keys set openai`."
    for table in ("entries", "sessions", "model_calls", "recalls"):
        assert rows(known, f"select count(*) from {table}") == [(0,)], f"nobody was asked; {table}"


def test_the_budget_of_a_day_holds(known: Path, now: datetime) -> None:
    with closing(open_database(known, now=now)) as db:
        settings.put(db, "model_budget_cents", "0", now=now)
    model = TalkingModel(model_id="claude-3-haiku-20240307")
    assert "memory-db settings model_budget_cents N" in one_line(run(known, QUESTION, model=model))
    assert model.asked == [] and said(known) == []
    free = TalkingModel(model_id="a-model-without-a-price")
    assert run(known, QUESTION, model=free).exit_code == 0


def test_a_session_of_another_program_is_not_added_to(sample_path: Path) -> None:
    ((uid,),) = rows(sample_path, "select uid from sessions where format = 'claude-code' limit 1")
    line = one_line(run(sample_path, "--session", str(uid), "x", model=TalkingModel()))
    assert "was imported from claude-code" in line


# ------------------------------------------------- what other stages see of it


def test_citations_in_an_answer_become_evidence(known: Path, now: datetime) -> None:
    def cites(prompt: str) -> str:
        uid = re.findall(r"\[(m[0-9a-f]+)\]", prompt)[0]
        return f"It is port 6543 [{uid}]."

    assert run(known, QUESTION, model=TalkingModel(cites)).exit_code == 0
    with closing(open_database(known, now=now)) as db:
        assert feedback.run(db, now=now + timedelta(days=90))["cited"] == 1
        evidence = db.execute(
            "select v.kind, e.text, r.surface from evidence v join entries e on e.id = v.entry_id"
            " join recalls r on r.id = v.recall_id where v.kind = 'cited'"
        ).fetchone()
    assert evidence["surface"] == "ask" and evidence["text"].startswith("It is port 6543")


def test_memories_are_made_of_what_was_said_and_not_of_the_brief(known: Path, now: datetime) -> None:
    model = TalkingModel(lambda prompt: "Noted.")
    run(known, f"{QUESTION} We decided to use Valkey 8 for the session cache of staging, never Redis.", model=model)
    assert FACT in model.asked[0][1]
    with closing(open_database(known, now=now)) as db:
        rules.extract(db, now=now)
        gate.run(db, now=now)
        texts = [row["text"] for row in db.execute("select text from candidates")]
    assert any("Valkey 8" in text for text in texts)
    assert not any("6543" in text for text in texts)


def test_an_import_of_llms_log_does_not_take_our_own_turns(known: Path, tmp_path: Path, now: datetime) -> None:
    run(known, QUESTION, model=TalkingModel())
    run(known, "--no-capture", QUESTION, model=TalkingModel())
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(known)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    before = said(known)
    with closing(open_database(known, now=now)) as db:
        assert import_llm_logs(db, copy, now=now).entries_added == 0
        with pytest.raises(InputError, match="memory database itself"):
            import_llm_logs(db, known, now=now)
    assert said(known) == before
    with closing(open_database(tmp_path / "other.db", now=now)) as db:
        assert import_llm_logs(db, copy, now=now).entries_added == 0


def test_two_conversations_of_the_same_moment_have_two_names(db: sqlite3.Connection, now: datetime) -> None:
    first = conversing.new_conversation(db, QUESTION, None, now=now)
    exchanges.add(db, first, [exchanges.ChatMessage("u1", "user", "prompt", "x", "2026-11-01T12:00:00.000Z")], now=now)
    assert conversing.new_conversation(db, QUESTION, None, now=now).uid != first.uid


def test_a_kill_while_the_model_thinks_loses_no_question(known: Path, now: datetime) -> None:
    script = (
        "import sys; sys.path.insert(0, '.'); import threading; from tests.support.reading_model import registered;"
        " from tests.support.talking_model import TalkingModel; from memory_db.cli import main;"
        " model = TalkingModel(['some words', threading.Event()]); exec('with registered(model): main()')"
    )
    command = [sys.executable, "-c", script, "ask", "-d", str(known), "-m", "talker", QUESTION]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 100) == b"some words", "shown before the end"
        process.send_signal(signal.SIGKILL)
    assert said(known) == [("user", "prompt", QUESTION)]
    assert rows(known, "pragma integrity_check") == [("ok",)]


def test_llms_echo_model_is_asked_like_any_other(known: Path) -> None:
    pytest.importorskip("llm_echo", reason="llm-echo is not installed")
    done = CliRunner().invoke(cli, ["ask", "-d", str(known), "-m", "echo", QUESTION], input="")
    assert done.exit_code == 0 and FACT in done.stdout
    assert "6543" not in "".join(str(text) for _, kind, text in said(known) if kind == "prompt")


@pytest.mark.slow
@pytest.mark.skipif(not local_model.is_installed(), reason="the extra `local` is not installed")
def test_the_local_model_is_asked_like_any_other(known: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "memory_db",
        "ask",
        "-d",
        str(known),
        "-m",
        "memory-local",
        "-o",
        "max_tokens",
        "8",
        QUESTION,
    ]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [kind for _, kind, _ in said(known)] == ["prompt", "reply"]
    assert done.stdout.strip() == str(said(known)[1][2]).strip()
    ((tokens, found),) = rows(known, "select input_tokens, is_counted_by_model from model_calls")
    assert int(str(tokens)) > 50 and found == 1


def test_a_question_without_words_is_asked_without_a_brief(db: sqlite3.Connection, now: datetime) -> None:
    model = TalkingModel()
    answered = conversing.ask(db, Asking("???", model, Conversation("ask-1", "ask")), str, clock=lambda: now)
    assert (model.asked[0][1], answered.recall_uid) == ("???", None)


def test_the_day_is_over_budget_before_anything_is_written(db: sqlite3.Connection, now: datetime) -> None:
    settings.put(db, "model_budget_cents", "0", now=now)
    model = TalkingModel(model_id="claude-3-haiku-20240307")
    with pytest.raises(ModelError, match="may cost"):
        conversing.ask(db, Asking("hello port", model, Conversation("ask-1", "ask")), str, clock=lambda: now)
    assert db.execute("select count(*) from recalls").fetchone()[0] == 0
