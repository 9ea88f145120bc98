"""What is read of an entry: an exchange, or nothing."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.knowledge.memories import add_memory
from memory_db.knowledge.succession import supersede
from memory_db.recall.brief import allowed, exchange
from memory_db.recall.brief.exchange import exchange_of
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.render import brief_line
from memory_db.recall.brief.repeated import repeats
from memory_db.recall.brief.select import Answer, ask, log_recall
from memory_db.recall.brief.session_start import block
from memory_db.recall.features import HitFeatures
from memory_db.recall.hits import Hit
from memory_db.recall.search import Question
from memory_db.store.dates import utc_text
from memory_db.text.one_line import cut
from memory_db.transcripts.projects import resolve_project

TURNED_DOWN = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def said(db: sqlite3.Connection, now: datetime, *turns: tuple[str, str]) -> list[int]:
    """Entries of one session, (kind, text) each; a call belongs to the result after it."""
    project = resolve_project(db, "/home/sam/quay", now=now)
    count = db.execute("select count(*) from sessions").fetchone()[0]
    session = db.execute(
        "insert into sessions (uid, format, project_id) values (?, 'claude-code', ?)", [f"{count:08x}-s", project]
    ).lastrowid
    roles = {"prompt": "user", "tool_result": "tool"}
    ids: list[int] = []
    for position, (kind, text) in enumerate(turns):
        number = db.execute("select count(*) from entries").fetchone()[0]
        cursor = db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, ?, ?, ?)",
            [f"{number + 10:08x}-0000", session, roles.get(kind, "assistant"), kind, text, utc_text(now)],
        )
        ids.append(int(cursor.lastrowid or 0))
        db.execute("insert into session_entries values (?, ?, ?)", [session, ids[-1], position])
        if kind == "tool_result":
            db.execute(
                "insert into actions (uid, entry_id, result_entry_id, session_id, tool, input, created_at)"
                " values (?, ?, ?, ?, 'Bash', '{}', ?)",
                [f"a{number}", ids[-2], ids[-1], session, utc_text(now)],
            )
    return ids


def placed(db: sqlite3.Connection, entry_id: int) -> Placement:
    kind = db.execute("select kind from entries where id = ?", [entry_id]).fetchone()[0]
    hit = Placement(Hit(None, entry_id, HitFeatures(False, kind, 0.0, 180.0, same_project=True), (), 0.5, 1))
    fill_in(db, [hit])
    return hit


def read(db: sqlite3.Connection, entry_id: int, asked: str = "how is it", *, past: bool = False) -> exchange.Exchange:
    return exchange_of(db, placed(db, entry_id), asked, is_past=past)


def test_a_question_comes_with_its_answer_whichever_was_met(db: sqlite3.Connection, now: datetime) -> None:
    asked, _, answered = said(
        db, now, ("prompt", "which port has the database?"), ("reply", "OK."), ("reply", "Postgres listens on 5433.")
    )
    line = '"which port has the database?" → "Postgres listens on 5433."'
    assert read(db, asked).text == read(db, answered).text == line
    assert read(db, asked).entry_ids == read(db, answered).entry_ids == {asked, answered}


def test_a_command_comes_with_its_result(db: sqlite3.Connection, now: datetime) -> None:
    _, call, result = said(
        db, now, ("prompt", "start it"), ("tool_call", "Bash: make serve"), ("tool_result", "listening on harbour:8040")
    )
    assert read(db, call).text == read(db, result).text == "`Bash: make serve` → listening on harbour:8040"


@pytest.mark.parametrize(
    ("turns", "place", "reason"),
    [
        ([("prompt", "thanks"), ("reply", "You're welcome.")], 0, allowed.SAYS_NOTHING),
        ([("prompt", "thanks"), ("reply", "You're welcome.")], 1, allowed.SAYS_NOTHING),
        ([("prompt", "cool"), ("reply", "OK.")], 1, allowed.SAYS_NOTHING),
        ([("tool_call", "Bash: git push"), ("tool_result", "")], 0, allowed.BARE_CALL),
        ([("tool_call", "Bash: pytest"), ("tool_result", "42 passed in 1.2s")], 1, allowed.BARE_CALL),
        ([("tool_call", "Bash: git push"), ("tool_result", TURNED_DOWN)], 0, allowed.REJECTED),
        ([("prompt", "how is it")], 0, allowed.SAID_EARLIER),
        ([("prompt", "which port has the harbour database?")], 0, allowed.UNANSWERED),
        ([("prompt", "leave the harbour database for thursday")], 0, allowed.SAID_ALONE),
    ],
)
def test_what_says_nothing_is_left_out(
    db: sqlite3.Connection, now: datetime, turns: list[tuple[str, str]], place: int, reason: str
) -> None:
    assert read(db, said(db, now, *turns)[place]).reason == reason


def test_what_was_turned_down_comes_with_its_correction(db: sqlite3.Connection, now: datetime) -> None:
    told = f"{TURNED_DOWN} To tell you how to proceed, the user said:\nnever push, I push after review"
    call, _ = said(db, now, ("tool_call", "Bash: git push"), ("tool_result", told))
    line = "`Bash: git push` was turned down by the user: never push, I push after review"
    assert read(db, call).text == line and not read(db, call).reason
    _, result, _ = said(
        db,
        now,
        ("tool_call", "Bash: fly deploy"),
        ("tool_result", TURNED_DOWN),
        ("prompt", "deploys go by the ci"),
    )
    assert read(db, result).text.endswith("was turned down by the user: deploys go by the ci")


def test_the_same_prompt_brings_what_was_answered(db: sqlite3.Connection, now: datetime) -> None:
    asked, _ = said(db, now, ("prompt", "How do I run the tests?"), ("reply", "With `uv run pytest -q`."))
    found = read(db, asked, "how do I run the tests")
    assert not found.reason and "uv run pytest" in found.text


def test_an_answer_from_an_outdated_memory_is_not_told(db: sqlite3.Connection, now: datetime) -> None:
    old = add_memory(db, text="The limit is 60 requests a minute", kind="domain", scope="user", now=now)
    _, answer = said(db, now, ("prompt", "what is the api limit?"), ("reply", f"60 requests a minute, by {old}."))
    assert not read(db, answer).reason
    later = now + timedelta(days=1)
    new = add_memory(db, text="The limit is 120 requests a minute", kind="domain", scope="user", now=later)
    supersede(db, old, new, reason="map page", by="user", now=later)
    assert read(db, answer).reason == allowed.RESTS_ON.format(old)
    assert not read(db, answer, past=True).reason
    assert allowed.reason_class(allowed.RESTS_ON.format(old)) == "rests on what no longer holds"


def test_a_message_is_not_quoted_with_what_no_longer_holds_beside_what_does(
    db: sqlite3.Connection, now: datetime
) -> None:
    text = "Seats are held for ten minutes.\nPrices are whole cents."
    asked, _ = said(db, now, ("prompt", text), ("reply", "Both are in the settings of the shop now."))
    old = add_memory(db, text="Seats are held for ten minutes.", kind="domain", scope="user", now=now)
    kept = add_memory(db, text="Prices are whole cents.", kind="domain", scope="user", now=now)
    for uid, quote in zip((old, kept), text.splitlines(), strict=True):
        db.execute(
            "insert into memory_sources (memory_id, entry_id, quote, created_at)"
            " select id, ?, ?, ? from memories where uid = ?",
            [asked, quote, utc_text(now), uid],
        )
    assert not read(db, asked).reason
    new = add_memory(db, text="Seats are held for five minutes", kind="domain", scope="user", now=now)
    supersede(db, old, new, reason="complaints", by="user", now=now + timedelta(days=1))
    assert read(db, asked).reason == exchange.RESTS_ON.format(old)
    assert not read(db, asked, past=True).reason


def ask_hook(
    db: sqlite3.Connection, text: str, now: datetime, *, is_unasked: bool = False, project_id: int | None = None
) -> Answer:
    project = project_id or resolve_project(db, "/home/sam/quay", now=now)
    question = Question(
        text, profile="hook", project_id=project, least_evidence=0.2, least_for_rules=0.2, is_unasked=is_unasked
    )
    return ask(db, question, surface="test", now=now)


def test_one_exchange_is_one_line_and_its_name_is_short(db: sqlite3.Connection, now: datetime) -> None:
    said(db, now, ("prompt", "which port has the harbour database?"), ("reply", "The harbour database has port 5433."))
    answer = ask_hook(db, "which port does the harbour database have?", now)
    (line,) = [line for line in answer.text.splitlines() if line.startswith("- [")]
    assert (
        line.startswith(("- [e0000000a] ", "- [e0000000b] ")) and " → " in line and "session 00000000, 1 Nov)" in line
    )
    assert any(reason.startswith("same exchange as") for reason in answer.left_out)


def test_a_memory_goes_before_what_was_said(db: sqlite3.Connection, now: datetime) -> None:
    said(db, now, ("prompt", "tell me of the harbour database"), ("reply", "The database of the harbour is Postgres."))
    project = resolve_project(db, "/home/sam/quay", now=now)
    uid = add_memory(
        db, text="The harbour database has port 5433", kind="environment", scope="project", project_id=project, now=now
    )
    answer = ask_hook(db, "which port has the harbour database?", now)
    assert [hit.uid for hit in answer.shown] == [uid]
    assert answer.left_out["a memory answers"] >= 1


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("how long do we hold a berth at the harbour?", True),
        ("why do we hold a berth at the harbour?", False),
    ],
)
def test_a_rule_with_the_value_that_is_asked_for_answers(
    db: sqlite3.Connection, now: datetime, question: str, answers: bool
) -> None:
    said(db, now, ("prompt", "who may hold a berth at the harbour?"), ("reply", "Nobody can hold a berth there yet."))
    project = resolve_project(db, "/home/sam/quay", now=now)
    text = "Hold a berth at the harbour for 15 minutes, never longer."
    uid = add_memory(db, text=text, kind="convention", scope="project", project_id=project, now=now)
    answer = ask_hook(db, question, now)
    assert answer.shown[0].uid == uid
    assert ("a memory answers" in answer.left_out) == answers


@given(st.text(max_size=700), st.integers(40, 400))
def test_a_cut_text_is_short_and_a_beginning(text: str, most: int) -> None:
    line = " ".join(text.split())
    found = cut(text, most)
    assert len(found) <= most
    assert line.startswith(found.removesuffix("…").rstrip()) and (found == line or len(line) > most)


@given(st.lists(st.sampled_from(["The port is 5433.", "It listens on harbour.", "Use uv!"]), min_size=20, max_size=60))
@pytest.mark.slow
def test_sentences_stay_whole(sentences: list[str]) -> None:
    assert cut(" ".join(sentences), 300)[-1] in ".!"


@given(st.text(max_size=900), st.sampled_from(["prompt", "reply", "tool_call", "summary"]))
def test_any_entry_is_one_line(text: str, kind: str) -> None:
    moment = datetime.fromisoformat("2026-11-01T12:00:00+00:00")
    hit = Placement(Hit(None, 1, HitFeatures(False, kind, 0.0, 180.0), (), 0.5, 1))
    hit.uid, hit.text, hit.line, hit.created_at = "u", text, cut(text, 360), "2026-10-31T00:00:00Z"
    line = brief_line(hit, moment)
    assert "\n" not in line and "<memory-brief" not in line and "</memory-brief" not in line


TOLD = "readers.txt:4: survey rows carry the address and device number of the reader, kept without an end date"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Survey rows carry the address and device number of the reader, without an end date.", False),
        ("The survey has 12 rows without a date today.", True),
        ("I would drop the device number, since nobody reads it after a week.", True),
        ("As you decided earlier, all rows go to another place.", False),
    ],
)
def test_an_agent_that_repeats_a_tool_or_cites_the_user_is_not_told(
    db: sqlite3.Connection, now: datetime, words: str, shown: bool
) -> None:
    *_, reply = said(
        db, now, ("prompt", "what is in there?"), ("tool_call", "Bash: grep survey"), ("tool_result", TOLD),
        ("reply", words),
    )  # fmt: skip
    assert bool(read(db, reply).text) is shown
    assert repeats(words, [f"first\n{TOLD}\nlast"]) is (not shown and "As you" not in words)


def test_what_was_only_asked_about_is_not_told(db: sqlite3.Connection, now: datetime) -> None:
    asked, answered = said(
        db, now, ("prompt", "is this good advice: raise the limit to a million and sweep at night"),
        ("reply", "No, close what you open with a scope guard."),
    )  # fmt: skip
    assert read(db, asked).reason == allowed.OTHERS_WORDS
    assert read(db, answered).text == "No, close what you open with a scope guard."


def test_what_was_said_does_not_take_the_place_of_a_value_that_the_session_has(
    db: sqlite3.Connection, now: datetime
) -> None:
    said(db, now, ("prompt", "we need seat holds for the form. what's there already?"), ("reply", "No seat holds yet."))
    project = resolve_project(db, "/home/sam/quay", now=now)
    rule = "Holds: 10 minutes is too long, 5 minutes from now on."
    for text in (rule, *(f"The {name} page is cached." for name in ("map", "wiki", "login", "key"))):
        add_memory(db, text=text, kind="convention", scope="project", project_id=project, now=now)
    later = now + timedelta(minutes=1)
    log_recall(db, block(db, project, "s1", now=now), surface="session-start", now=now)
    question = Question("how long do we hold a seat?", profile="hook", project_id=project, session_uid="s1",
                        least_evidence=0.05, least_for_rules=0.05, is_unasked=True)  # fmt: skip
    told = ask(db, question, surface="hook", now=later)
    assert [hit.text for hit in told.shown] == [rule] and told.left_out["a memory answers"] == 2
