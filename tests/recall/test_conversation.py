"""What is told of the earlier conversation that a prompt is about: all that it came to, summed up if so it was."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import datetime

import pytest

from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.index import build as index
from memory_db.knowledge.succession import supersede
from memory_db.pages.recalls import why as explained
from memory_db.recall.brief.allowed import CONVERSATION_SAYS
from memory_db.recall.brief.conversation import MOST_LINES, OF_CONVERSATION
from memory_db.recall.brief.matter import FEWEST_WORDS, tells_a_matter
from memory_db.recall.brief.roles import SETTLED
from memory_db.recall.brief.same_saying import subject
from memory_db.recall.brief.select import Answer, ask
from memory_db.recall.brief.taken_up import taken_up
from memory_db.recall.evidence_of_hit import LEAST, STRONG
from memory_db.recall.question import FIRST_BUDGET_TOKENS, FIRST_LIMIT
from memory_db.recall.search import HOOK_EFFORT, Filters, Question
from tests.support.session_rows import add_entry, add_project, add_session

RECAP = (
    "Recap of the ferry cut-off: bookings close 25 minutes before departure on weekdays and 40 on Sundays; a van over"
    " 2.4 metres always counts as two car places; a cancelled sailing moves everybody to the next one with room, in the"
    " order in which they booked."
)

FERRY = (
    ("user", "Passengers complain that the ferry booking page still sells car places after the ramp has closed, and the"
             " deck crew turns cars away at the quay. Something in the cut-off is wrong."),
    ("assistant", "The cut-off is a constant of ten minutes for every sailing. Should it be longer?"),
    ("user", "Yes, 25 minutes before departure on weekdays, and 40 on Sundays since the island market makes a queue."),
    ("assistant", "25 and 40 then. How do vans count?"),
    ("user", "A van over 2.4 metres always counts as two car places, since it cannot stand below the mezzanine."),
    ("assistant", "And when a sailing is cancelled, do I refund everybody?"),
    ("user", "No. A cancelled sailing moves everybody to the next one with room, in the order in which they booked."),
    ("assistant", RECAP),
)  # fmt: skip

OTHERS = (
    (("user", "The timetable page is slow on phones."), ("assistant", "It loads every stop; I will page it.")),
    (("user", "We use tabs in this project, never spaces."), ("assistant", "Tabs from now on.")),
    (("user", "The weather banner must stay yellow."), ("assistant", "Yellow it stays.")),
)

REPORT = (
    "Passengers were turned away at the quay this morning although the ferry booking page had sold them car places, and"
    " the deck crew says that it happens with vans too. Fix the cut-off so that nobody holds a place that is not there."
)

NEW_RECAP = (
    "Understood, the ferry cut-off by now: bookings close 35 minutes before departure on weekdays and still 40 on"
    " Sundays; a van over 2.4 metres counts as two car places; a cancelled sailing moves everybody to the next one with"
    " room."
)

CHANGED = (
    ("user", "The ramp is rebuilt and the ferry deck crew needs longer. Bookings close 35 minutes before departure on"
             " weekdays from now on, no longer 25 minutes."),
    ("assistant", "35 on weekdays then. Does anything else change, the vans or the cancelled sailings?"),
    ("user", "No, a van over 2.4 metres still counts as two car places, and a cancelled sailing moves everybody to the"
             " next one with room."),
    ("assistant", NEW_RECAP),
    ("user", "Yes."),
)  # fmt: skip

LOOSE = (
    "Tonight I would like to look once more at how the ferry page decides who may come along, since my cousin was sent"
    " home at the quay with a trailer last Sunday and the crew only shrugged."
)


@pytest.fixture
def quay(db: sqlite3.Connection, now: datetime) -> int:
    """The project with its conversations, read and indexed."""
    project = add_project(db, "/home/ada/src/quay")
    for said in (*OTHERS[:2], FERRY, *OTHERS[2:]):
        add_chat(db, project, said)
    settle(db, now)
    return project


def add_chat(db: sqlite3.Connection, project: int, said: tuple[tuple[str, str], ...]) -> None:
    session = add_session(db, project)
    for role, text in said:
        add_entry(db, session, role, "prompt" if role == "user" else "reply", text)


def settle(db: sqlite3.Connection, now: datetime) -> None:
    rules.extract(db, now=now)
    gate.run(db, now=now)
    index.run(db, now=now)


def question_on(prompt: str, project: int) -> Question:
    return Question(
        prompt, profile="hook", project_id=project, filters=Filters(other_projects=False), limit=FIRST_LIMIT,
        budget_tokens=FIRST_BUDGET_TOKENS, least_evidence=LEAST, least_for_rules=LEAST, is_unasked=True,
        effort=HOOK_EFFORT,
    )  # fmt: skip


def told(db: sqlite3.Connection, question: Question, now: datetime) -> Answer:
    return ask(db, question, surface="hook", now=now)


def test_a_report_is_told_what_the_conversation_on_it_came_to(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    answer = told(db, question_on(REPORT, quay), now)
    lines = answer.text.splitlines()
    assert lines[1] == f"{SETTLED}:"
    assert (
        "Recap of the ferry cut-off: bookings close 25 minutes" in lines[2] and "in the order in which they" in lines[2]
    )
    assert "(the agent, session session-" in lines[2]
    assert {hit.role for hit in answer.shown} == {SETTLED}
    assert OF_CONVERSATION in {hit.shown_reason for hit in answer.shown}
    assert [hit.position for hit in answer.shown] == sorted(hit.position for hit in answer.shown)
    assert [hit.rank for hit in answer.shown] == list(range(1, len(answer.shown) + 1))


def test_a_page_says_that_it_is_of_that_conversation(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    answer = told(db, question_on(REPORT, quay), now)
    reasons = {hit["shown_reason"]: hit["why"] for hit in explained(db, str(answer.recall_uid))["hits"] if hit["rank"]}
    said = "Shown because it was said in the conversation that the prompt is about"
    assert reasons[OF_CONVERSATION].startswith(said), reasons


def test_what_the_recap_says_is_not_said_again(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    answer = told(db, question_on(REPORT, quay), now)
    assert answer.text.count("counts as two car places") == 1
    assert not any(hit.type == "memory" and "moves everybody" in hit.text for hit in answer.shown)


def test_without_a_recap_the_memories_are_told(db: sqlite3.Connection, now: datetime) -> None:
    project = add_project(db, "/home/ada/src/quay")
    for said in (*OTHERS, FERRY[:-1]):
        add_chat(db, project, said)
    settle(db, now)
    answer = told(db, question_on(REPORT, project), now)
    for words in ("40 on Sundays", "counts as two car places", "moves everybody to the next one"):
        assert words in answer.text, answer.text
    assert len(answer.shown) <= MOST_LINES + FIRST_LIMIT


def lived(db: sqlite3.Connection, now: datetime, said: tuple[tuple[str, str], ...]) -> Answer:
    """What the report is told where that was said on its matter."""
    project = add_project(db, "/home/ada/src/quay")
    for each in (*OTHERS, said):
        add_chat(db, project, each)
    settle(db, now)
    return told(db, question_on(REPORT, project), now)


def test_a_recap_of_what_was_pasted_is_not_told(db: sqlite3.Connection, now: datetime) -> None:
    pasted = "Read this mail of the harbour office.\n\n"
    said = tuple((role, pasted + text if role == "user" else text) for role, text in FERRY)
    assert "Recap of the ferry cut-off" not in lived(db, now, said).text


def test_a_recap_that_repeats_a_tool_is_not_told(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    (session,) = db.execute("select session_id from entries where text = ?", [RECAP]).fetchone()
    add_entry(db, session, "user", "tool_result", RECAP.removeprefix("Recap of the ferry cut-off: "))
    index.run(db, now=now)
    assert "Recap of the ferry cut-off" not in told(db, question_on(REPORT, quay), now).text


def test_a_recap_of_what_was_replaced_since_is_not_told(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    assert "Recap of the ferry cut-off" in told(db, question_on(REPORT, quay), now).text
    uid, other = (
        db.execute("select uid from memories where text like ?", [f"%{words}%"]).fetchone()[0]
        for words in ("two car places", "tabs")
    )
    supersede(db, uid, other, reason="changed", by="user", now=now)
    assert "Recap of the ferry cut-off" not in told(db, question_on(REPORT, quay), now).text


def changed_later(
    db: sqlite3.Connection, now: datetime, *sessions: tuple[tuple[str, str], ...], other: str = ""
) -> int:
    """The project of the conversation, where later sessions said otherwise what it had come to."""
    project = add_project(db, "/home/ada/src/quay")
    elsewhere = add_project(db, other) if other else project
    for day, said in enumerate((*OTHERS, FERRY, *sessions), start=1):
        add_chat(db, elsewhere if said in sessions else project, said)
        then = f"2026-10-{day:02d}T10:00:00.000Z"
        db.execute("update entries set created_at = ? where session_id = (select max(id) from sessions)", [then])
    settle(db, now)
    return project


def test_the_recap_of_a_later_session_that_said_otherwise_is_told(db: sqlite3.Connection, now: datetime) -> None:
    project = changed_later(db, now, CHANGED)
    answer = told(db, question_on(REPORT, project), now)
    assert "the ferry cut-off by now: bookings close 35 minutes" in answer.text, answer.text
    assert "25 minutes" not in answer.text and "Recap of the ferry cut-off" not in answer.text
    (line,) = [line for line in answer.text.splitlines() if "by now:" in line]
    assert line.startswith("- [entry-5-") and "5 Oct" in line, "it stands where it was said"


def test_a_recap_that_a_later_session_overtook_is_not_told(db: sqlite3.Connection, now: datetime) -> None:
    project = changed_later(db, now, CHANGED[:1])
    answer = told(db, question_on(REPORT, project), now)
    assert "Recap of the ferry cut-off" not in answer.text
    assert "35 minutes before departure" in answer.text
    assert "moves everybody to the next one" in answer.text, "what it left as it was is told"


def test_the_session_that_asks_took_up_nothing(db: sqlite3.Connection, now: datetime) -> None:
    changed_later(db, now, CHANGED)
    (session,) = db.execute("select session_id from entries where text = ?", [RECAP]).fetchone()
    part = {"session": session, "first": 1, "last": len(FERRY)}
    assert [each.session_id for each in taken_up(db, part, None)] == [session + 1]
    assert taken_up(db, part, session + 1) == []
    assert taken_up(db, part | {"first": len(FERRY)}, None) == [], "of that part it took up nothing"


def test_two_conversations_of_one_matter_do_not_hide_each_other(db: sqlite3.Connection, now: datetime) -> None:
    """The later one repeats the report, so that both are as near."""
    again = (("user", f"{FERRY[0][1]} {CHANGED[0][1]}"), *CHANGED[1:])
    project = changed_later(db, now, again)
    answer = told(db, question_on(REPORT, project), now)
    assert "the ferry cut-off by now: bookings close 35 minutes" in answer.text
    assert SETTLED in {hit.role for hit in answer.shown}


@pytest.mark.parametrize(("kind", "stays"), [("reply", True), ("prompt", False)])
def test_only_the_user_overtakes_a_recap(db: sqlite3.Connection, now: datetime, kind: str, stays: bool) -> None:
    """An open contradiction with what an agent said takes nothing from it."""
    project = changed_later(db, now, CHANGED[:1])
    old, new = db.execute("select to_memory_id, from_memory_id from edges where kind = 'supersedes'").fetchone()
    db.execute("delete from edges where kind = 'supersedes'")
    db.execute("update memories set status = 'active', valid_to = null where id = ?", [old])
    db.execute(
        "insert into contradictions (memory_id, other_memory_id, found_by, reason, score, quote, other_quote, found_at)"
        " values (?, ?, 'opposed', 'otherwise', 0.8, '25', '35', '2026-10-06T10:00:00.000Z')", sorted([old, new]),
    )  # fmt: skip
    db.execute("update entries set kind = ? where id in (select entry_id from memory_sources where memory_id = ?)",
               [kind, new])  # fmt: skip
    answer = told(db, question_on(REPORT, project), now)
    assert ("Recap of the ferry cut-off" in answer.text) is stays


def test_what_another_project_says_otherwise_changes_nothing(db: sqlite3.Connection, now: datetime) -> None:
    project = changed_later(db, now, CHANGED, other="/home/ada/src/bridge")
    answer = told(db, question_on(REPORT, project), now)
    assert "Recap of the ferry cut-off: bookings close 25 minutes" in answer.text


def test_a_question_gets_its_line_and_not_the_whole_matter(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    answer = told(db, question_on("how many places does a high van take?", quay), now)
    assert SETTLED not in {hit.role for hit in answer.shown}


def test_where_two_conversations_are_as_near_neither_is_told_whole(db: sqlite3.Connection, now: datetime) -> None:
    project = add_project(db, "/home/ada/src/quay")
    for said in (*OTHERS, FERRY[:-1], FERRY[:-1]):
        add_chat(db, project, said)
    settle(db, now)
    assert SETTLED not in {hit.role for hit in told(db, question_on(REPORT, project), now).shown}


def test_the_asking_session_is_not_told_its_own_conversation(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    own = "select s.id, s.uid from entries e join sessions s on s.id = e.session_id where e.text = ?"
    session_id, uid = db.execute(own, [RECAP]).fetchone()
    answer = told(db, replace(question_on(REPORT, quay), session_id=session_id, session_uid=uid), now)
    assert SETTLED not in {hit.role for hit in answer.shown}


def test_the_budget_holds_for_all_of_it(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    for budget in (60, 120, 200, 400):
        answer = told(db, replace(question_on(REPORT, quay), budget_tokens=budget), now)
        assert answer.tokens <= budget, (budget, answer.text)


def test_who_asks_gets_no_more_lines_than_they_want(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    question = replace(question_on(REPORT, quay), is_unasked=False, limit=2)
    assert 1 <= len(told(db, question, now).shown) <= 2


def test_later_in_a_session_it_takes_more(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    first = told(db, question_on(LOOSE, quay), now)
    later = told(db, replace(question_on(LOOSE, quay), least_evidence=LEAST * STRONG), now)
    assert SETTLED in {hit.role for hit in first.shown}
    assert SETTLED not in {hit.role for hit in later.shown}


def test_what_only_tells_the_trouble_again_gives_way(db: sqlite3.Connection, quay: int, now: datetime) -> None:
    answer = told(db, question_on(REPORT, quay), now)
    gone = [hit for hit in answer.placed if hit.left_out_reason == CONVERSATION_SAYS]
    assert all(len(subject(hit.text) & (subject(REPORT) | subject(RECAP))) > len(subject(hit.text)) / 2 for hit in gone)


@pytest.mark.parametrize(
    ("prompt", "tells"),
    [
        (REPORT, True),
        ("fix the cut-off", False),
        (REPORT + " For how many hours does a place stay reserved?", False),
        (REPORT + " What is wrong there?", True),
        ("job is red:\nlock held by another process on the box\nwhat did we do last time about this", False),
    ],
)
def test_what_tells_a_matter(prompt: str, tells: bool) -> None:
    assert tells_a_matter(prompt) is tells
    assert not tells or len(subject(prompt)) >= FEWEST_WORDS
