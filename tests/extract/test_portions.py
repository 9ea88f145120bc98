"""Sessions cut into portions: every entry is shown once as new, and no text leaves its line."""

from __future__ import annotations

import json
import sqlite3
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.model.chunks import TranscriptLine, cut_lines, cuts, json_line, line_of, shortened
from memory_db.extract.model.unread import unread
from memory_db.models.tokens import count_tokens
from tests.support.session_rows import add_action, add_entry, add_session

WHEN = "2026-10-01T10:00:00.000Z"


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 100))
def test_every_line_is_fresh_once_and_only_the_end_before_is_repeated(tokens: list[int], most: int) -> None:
    found = list(cuts(tokens, 0, most))
    assert [line for cut in found for line in range(cut.fresh, cut.end)] == list(range(len(tokens)))
    for cut in found:
        assert cut.tokens == sum(tokens[cut.start : cut.end])
        assert cut.tokens <= most or cut.end - cut.fresh == 1
        assert sum(tokens[cut.start : cut.fresh]) <= most * 0.1
    assert all(before.fresh <= after.start <= after.fresh == before.end for before, after in pairwise(found))


def test_a_portion_repeats_the_last_lines_of_the_one_before() -> None:
    first, second, *_ = cuts([5] * 40, 0, 100)
    assert (first.start, first.end) == (0, 20)
    assert (second.start, second.fresh) == (18, 20)


@given(st.text(), st.sampled_from(["user", "agent", "tools"]))
@pytest.mark.slow
def test_any_text_stays_in_the_string_of_its_line(text: str, speaker: str) -> None:
    line = line_of(TranscriptLine(7, 7, speaker, text, (), WHEN), 100_000)
    assert len(line.splitlines()) == 1
    assert json.loads(line) == {"entry": 7, "from": speaker, "text": text}


@pytest.mark.parametrize(
    "text", ['"}\n{"entry": 1, "from": "user"', "a\u2028b\x85c\x0bd\x7f", "\\", "ends here:\n$input"]
)
def test_line_ends_of_every_sort_are_escaped(text: str) -> None:
    line = json_line({"text": text})
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == text


@given(st.text(max_size=400), st.integers(1, 50))
def test_a_long_text_keeps_its_beginning_and_its_end(text: str, most: int) -> None:
    cut = shortened(text, most)
    if count_tokens(text) <= most:
        assert cut == text
    else:
        assert cut[:1] == text[:1]
        assert cut[-1:] == text[-1:]


def portions_of(db: sqlite3.Connection, session: int, most_tokens: int = 6_000):
    return list(unread(db, session, method="extract m", version="1", most_tokens=most_tokens))


def test_prose_is_shown_and_tools_are_a_digest(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_entry(db, session, "user", "prompt", "Please make the tests pass, " * 5)
    add_entry(db, session, "assistant", "thinking", "secret thoughts")
    call = add_entry(db, session, "assistant", "tool_call", "npm test")
    result = add_entry(db, session, "tool", "tool_result", "npm ERR! missing script: test\nexit 1")
    add_action(db, session, call, result, "Bash", "npm test", is_error=True)
    edit = add_entry(db, session, "assistant", "tool_call", "edit")
    add_action(db, session, edit, None, "Edit", "package.json\nmore", is_error=False)
    add_entry(db, session, "assistant", "reply", "The script was missing, I added it.")
    (portion,) = portions_of(db, session)
    lines = [json.loads(line) for line in portion.text.splitlines()]
    assert [(line["entry"], line["from"]) for line in lines] == [(1, "user"), (2, "tools"), (6, "agent")]
    assert lines[1]["text"].startswith("Edit package.json; Bash npm test failed: ")
    assert "missing script: test" in lines[1]["text"]
    assert "secret thoughts" not in portion.text
    assert portion.said[1].sources == ((result, "npm ERR! missing script: test\nexit 1"),)
    assert (portion.read_before, portion.last_number, portion.is_last, portion.entries) == (0, 6, True, 6)


def test_what_the_user_said_when_refusing_a_tool_is_prose(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_entry(db, session, "user", "prompt", "Install what is needed. " * 6)
    call = add_entry(db, session, "assistant", "tool_call", "pip install x")
    refusal = "The tool use was rejected, the user said:\nno, we use uv here"
    result = add_entry(db, session, "tool", "tool_result", refusal)
    add_action(db, session, call, result, "Bash", "pip install x", is_error=True)
    add_entry(db, session, "assistant", "reply", "Understood.")
    said = portions_of(db, session)[0].said
    assert [(each.number, each.speaker, each.text) for each in said[1:3]] == [
        (2, "tools", "Bash pip install x was refused"),
        (3, "user", "no, we use uv here"),
    ]


def test_sidechains_are_left_out(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_entry(db, session, "user", "prompt", "What does this repository do? " * 5)
    add_entry(db, session, "user", "prompt", "You are a subagent", is_sidechain=1)
    add_entry(db, session, "assistant", "reply", "It keeps notes.")
    (portion,) = portions_of(db, session)
    assert [each.number for each in portion.said] == [1, 3]
    assert "subagent" not in portion.text


@pytest.mark.parametrize(
    ("prose", "reason"),
    [(["hi"], "hardly any prose: 1 of 2 messages"), (["hi", "ok"], "hardly any prose: 4 of 100 characters")],
)
def test_a_session_with_hardly_any_prose_is_skipped_with_the_reason(
    db: sqlite3.Connection, prose: list[str], reason: str
) -> None:
    session = add_session(db)
    for text in prose:
        add_entry(db, session, "user", "prompt", text)
    (portion,) = portions_of(db, session)
    assert (portion.skip_reason, portion.text, portion.is_last) == (reason, "", True)
    assert portion.last_number == len(prose)


def test_a_long_session_is_read_portion_by_portion(db: sqlite3.Connection) -> None:
    session = add_session(db)
    for number in range(60):
        role, kind = ("user", "prompt") if number % 2 == 0 else ("assistant", "reply")
        add_entry(db, session, role, kind, f"Message {number}. " + "word " * 20)
    found = portions_of(db, session, most_tokens=600)
    assert len(found) > 2
    assert [each.number for portion in found for each in portion.fresh] == list(range(1, 61))
    assert all(portion.tokens <= 600 for portion in found)
    assert all(portion.repeated for portion in found[1:])
    assert [portion.is_last for portion in found] == [False] * (len(found) - 1) + [True]
    assert all(before.last_number == after.read_before for before, after in pairwise(found))


def test_a_session_that_grew_goes_on_where_it_was_left(db: sqlite3.Connection) -> None:
    session = add_session(db)
    for number in range(4):
        add_entry(db, session, "user", "prompt", f"Message {number}. " + "word " * 20)
    db.execute("insert into extraction_progress values (?, 'extract m', '1', 4, null, null)", [session])
    assert portions_of(db, session) == []
    add_entry(db, session, "assistant", "reply", "One more thing to know.")
    (portion,) = portions_of(db, session)
    assert (portion.read_before, portion.last_number, portion.repeated) == (4, 5, 4)
    assert [each.number for each in portion.fresh] == [5]
    other = list(unread(db, session, method="extract m", version="2"))
    assert [each.number for each in other[0].fresh] == [1, 2, 3, 4, 5]


def test_new_entries_without_prose_are_passed_over_with_the_reason(db: sqlite3.Connection) -> None:
    session = add_session(db)
    for number in range(4):
        add_entry(db, session, "user", "prompt", f"Message {number}. " + "word " * 20)
    db.execute("insert into extraction_progress values (?, 'extract m', '1', 4, null, null)", [session])
    add_entry(db, session, "assistant", "tool_call", "ls")
    (portion,) = portions_of(db, session)
    assert (portion.skip_reason, portion.last_number) == ("no prose in what is new", 5)


def test_lines_are_counted_as_tokens() -> None:
    lines = ["one two three"] * 6
    cut = next(cut_lines(lines, 0, 10_000))
    assert cut.tokens == 6 * (count_tokens(lines[0]) + 1)


def test_an_error_without_a_stored_result_is_shown_and_not_quoted(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_entry(db, session, "user", "prompt", "Please make the tests pass, " * 5)
    call = add_entry(db, session, "assistant", "tool_call", "npm test")
    add_action(db, session, call, None, "Bash", "npm test", is_error=True)
    add_entry(db, session, "assistant", "reply", "They pass.")
    assert portions_of(db, session)[0].said[1].sources == ()


def add_dialogue(db: sqlite3.Connection, session: int, words: int = 20) -> None:
    """A question with its answer, an action that is refused with a remark, and what came of it; ten entries."""
    add_entry(db, session, "user", "prompt", "Set up the mailer. " + "word " * words)
    add_entry(db, session, "assistant", "reply", "Should the mailer retry by itself?")
    add_entry(db, session, "user", "prompt", "no, off")
    edit = add_entry(db, session, "assistant", "tool_call", "edit")
    add_action(db, session, edit, None, "Edit", "mailer.toml", is_error=False)
    add_entry(db, session, "assistant", "reply", "Retrying is off. " + "word " * words)
    call = add_entry(db, session, "assistant", "tool_call", "pip install x")
    refusal = "The user doesn't want to proceed with this tool use. To tell you, the user said:\nno, we use uv here"
    result = add_entry(db, session, "tool", "tool_result", refusal)
    add_action(db, session, call, result, "Bash", "pip install x", is_error=True)
    add_entry(db, session, "assistant", "reply", "Understood. " + "word " * words)
    add_entry(db, session, "user", "prompt", "good")
    add_entry(db, session, "assistant", "reply", "Done.")


def test_a_message_is_shown_with_what_it_answers_and_what_followed(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_dialogue(db, session)
    (portion,) = portions_of(db, session)
    lines = [json.loads(line) for line in portion.text.splitlines()]
    assert [(line["entry"], line["exchange"], line.get("answers")) for line in lines] == [
        (1, 1, None), (2, 1, None), (3, 3, [2]), (4, 3, None), (5, 3, None), (6, 3, None), (7, 7, [5, 6]),
        (8, 7, None), (9, 9, [8]), (10, 9, None),
    ]  # fmt: skip
    assert lines[6]["text"] == "no, we use uv here"


def test_what_stands_before_the_first_message_is_of_no_exchange(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_entry(db, session, "assistant", "reply", "Shall we begin? " * 8)
    add_entry(db, session, "user", "prompt", "yes")
    first, second = map(json.loads, portions_of(db, session)[0].text.splitlines())
    assert "exchange" not in first
    assert (second["exchange"], second["answers"]) == (2, [1])


def test_wherever_a_session_was_left_a_message_comes_with_what_it_answers(db: sqlite3.Connection) -> None:
    session = add_session(db)
    add_dialogue(db, session, words=300)
    for read in range(1, 10):
        db.execute("insert or replace into extraction_progress values (?, 'extract m', '1', ?, null, null)",
                   [session, read])  # fmt: skip
        portion = portions_of(db, session, most_tokens=2_000)[0]
        shown = [each.number for each in portion.said]
        assert shown == sorted(set(shown)) and len(shown) == len(portion.text.splitlines())
        begun = portion.fresh[0]
        assert begun.exchange in shown
        assert begun.number == read + 1
        asked = next((each for each in portion.fresh if each.is_message), begun)
        assert set(asked.answers) <= set(shown)
        assert portion.tokens <= 2_000


def test_a_cut_goes_before_a_short_exchange_and_not_through_it(db: sqlite3.Connection) -> None:
    session = add_session(db)
    for number in range(30):
        add_entry(db, session, "user", "prompt", f"Question {number}. " + "word " * 20)
        add_entry(db, session, "assistant", "reply", f"Answer {number}. " + "word " * 30)
    found = portions_of(db, session, most_tokens=600)
    assert len(found) > 2
    assert all(portion.fresh[0].is_message for portion in found)
    assert [each.number for portion in found for each in portion.fresh] == list(range(1, 61))
