"""What may be over though nothing proves it: a person is asked, and both memories stay."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest

from memory_db.gate import revert
from memory_db.gate import run as gate
from memory_db.gate.claims import Claim, Neighbour
from memory_db.gate.review import queue as review
from memory_db.gate.rules import decide
from memory_db.text.perhaps_over import perhaps_over
from tests.support.session_rows import add_entry, add_project, add_session

ASKED = (
    ("We wait 20 minutes before the queue is flushed.",
     "Too short (in `queue.toml` `flush_after = \"20m\"` became `flush_after = \"45m\"`).", "20 minute"),
    ("On the list Arvid is who signs the labels.", "Arvid left in May, Runa signs now.", "Arvid"),
    ("Asked \"Which broker?\", the user said: rabbit-2.quay.example:5672.",
     "Rabbit is gone since monday, nats now.", "rabbit"),
    ("I deploy on ostrava myself, you have no business there.", "You may go on ostrava now, read only.", "ostrava"),
    ("When it ran, the user said: Weekly is enough for the backup.", "Weekly isnt enough any more.", "weekly"),
    ("Der Export läuft auf Kestrel über Hamburg.", "Der Export läuft ab sofort auf Heron statt Kestrel.", "kestrel"),
    ("The log of the press is /dev/ttyS4.", "We got udev rules, so the log is /dev/press-log now.", "log"),
    ("Leave the tagging to me, since tags are signed on my laptop.", "You may tag now, the server signs.", "tag"),
    ("Glaze day is friday now.", "Glaze moves to tuesdays, friday was a mistake.", "friday"),
    ("Asked \"How long may the belt wait?\", the user said: 3 sec buffer on the belt.",
     "The 3s on the belt, packers wait for it, make it 900ms.", "3 second"),
    ("Höchstens 30 gleichzeitige Drucke, sonst sperrt Ostrava.",
     "New contract, 90 it is (in `press.toml` `max_jobs = 30` became `max_jobs = 90`).", "30"),
    ("Asked \"How long before the rehearsal?\", the user said: one day.",
     "Too short, make it three (in `mail.ts` `DAYS_BEFORE = 1` became `DAYS_BEFORE = 3`).", "1 day"),
    ("Labels should be PNG.", "changed my mind on the labels, svg please", "label"),
    ("staging 用 pnpm 部署到 Kestrel", "从现在起 staging 不再用 pnpm 部署到 Kestrel", "kestrel"),
)  # fmt: skip

SILENT = (
    ("We're switching from npm to pnpm.", "From now on pnpm only in this repo."),
    ("The export runs on Kestrel.", "The import page has its own tests now."),
    ("The timeout of the client is 30 seconds.", "Ships on friday (in `a.toml` `retries = 30` became `retries = 5`)."),
    ("The export runs on Kestrel in Hamburg.", "Should the export move from Kestrel to Hamburg now?"),
    (
        "Whatever changes in bounds.yaml goes past Runa.",
        "Half the belt speed now (in `bounds.yaml` `v: 4` became `v: 2`).",
    ),
    ("Arvid signs the labels.", 'After "Arvid left in May.", the user said: The second stamp, you can drop that.'),
    ("Kiln is used for drying.", "Since march the kiln is used to bake as well."),
    (
        "Rust cli that reads NMEA logs and writes something you can open in a notebook.",
        "Parquet instead of csv as the default, because the notebooks read only four columns of twenty.",
    ),
    ("Then no mmap. buffer with read_until.", "Parquet instead of csv, because the notebooks read four columns."),
    ("The press stands by the door.", "An unpinned driver moved the press by half a millimetre in june, so pin it."),
    ("We never stop a database at night.", "AWS starts a stopped database again by itself after seven days."),
)


@pytest.mark.parametrize(("earlier", "later", "reason"), ASKED)
def test_a_change_that_is_told_is_asked(earlier: str, later: str, reason: str) -> None:
    assert reason in perhaps_over(later, earlier)


@pytest.mark.parametrize(("earlier", "later"), SILENT)
def test_what_tells_of_no_change_of_it_is_not_asked(earlier: str, later: str) -> None:
    assert perhaps_over(later, earlier) == ""


def test_an_edit_that_cured_an_error_asks_about_the_value_that_it_overwrote() -> None:
    edit = "`maxRows = 5000` became `maxRows = 2500`"
    cured = f"`make check` failed with: out of memory. What cured it: edited `sink.go` ({edit})."
    said = "Rows to 5k please (in `sink.go` `maxRows = 1000` became `maxRows = 5000`)."
    known = Neighbour(1, "m00000001", "project", 1, said, kind="environment", said_at="2026-03-01T09:00:00Z")
    claim = Claim(cured, "fix", "project", 1, cured, role="tool", said_at="2026-06-01T09:00:00Z")
    assert [asked.memory_id for asked in decide(claim, [known]).asks] == [1]


@pytest.mark.parametrize(
    ("earlier", "later", "reason"),
    [
        ("Put the debug symbols in the image.", "Remove the debug symbols from the image again please.", "out of"),
        ("The prices in the menu are set by Paola.",
         "Till easter Ugo sets the prices of the menu, Paola has a baby.", "with ugo"),
        ("The deadline is one constant for all schools.", "The deadline has to be per school now.", "each school"),
    ],
)  # fmt: skip
def test_what_has_the_words_of_a_memory_and_ends_it_is_kept_beside_it(earlier: str, later: str, reason: str) -> None:
    known = Neighbour(1, "m00000001", "project", 1, earlier, kind="convention", said_at="2026-03-01T09:00:00Z")
    claim = Claim(later, "convention", "project", 1, later, said_at="2026-06-01T09:00:00Z")
    decision = decide(claim, [known])
    assert decision.action == "add"
    assert [reason in asked.reason for asked in decision.asks] == [True]


def test_what_one_message_says_is_not_asked_of_itself() -> None:
    reason, change = "Reasons, npm lets us import what we never declared.", "We are switching from npm to pnpm."
    for entry_id, asked in ((7, [1]), (8, [])):
        known = Neighbour(1, "m00000001", "project", 1, reason, said_at="2026-03-01T09:00:00Z", quotes=[(8, reason)])
        claim = Claim(change, "decision", "project", 1, change, entry_id=entry_id, said_at="2026-03-01T09:00:00Z")
        assert [each.memory_id for each in decide(claim, [known]).asks] == asked


def say(db: sqlite3.Connection, session: int, uid: str, text: str, at: str, scope: str = "project") -> None:
    """A candidate of the rules from the user's words."""
    entry = add_entry(db, session, "user", "prompt", text)
    db.execute(
        "insert into candidates (uid, extraction_run_id, entry_id, session_id, project_id, kind, scope, title, text,"
        " quote, keys, paths, tags, importance, rule, created_at, is_quote_found) values (?, 1, ?, ?,"
        " (select project_id from sessions where id = ?), 'convention', ?, ?, ?, ?, '[]', '[]', '[]', 3, 'r', ?, 1)",
        [uid, entry, session, session, scope, text[:80], text, text, at],
    )


@pytest.fixture
def session(db: sqlite3.Connection) -> int:
    db.execute("insert into extraction_runs (id, method, version, started_at) values (1, 'rules', '1', '2026-11-01')")
    return add_session(db, add_project(db))


EARLIER = "On the list Arvid is who signs the labels."
LATER = "Arvid left in May, so Runa signs the labels now."


@pytest.mark.parametrize("is_backfill", [False, True])
def test_both_stay_until_a_person_decides(
    db: sqlite3.Connection, session: int, now: datetime, is_backfill: bool
) -> None:
    said = [("old", EARLIER, "2026-11-01T09:00:00.000Z"), ("new", LATER, "2026-11-02T09:00:00.000Z")]
    for uid, text, at in reversed(said) if is_backfill else said:
        say(db, session, uid, text, at)
        gate.run(db, now=now)
    assert db.execute("select count(*) from memories where status = 'active'").fetchone()[0] == 2
    asked = db.execute(
        "select p.id, m.text as old, o.text as new from proposals p join memories m on m.id = p.memory_id"
        " join memories o on o.id = p.other_memory_id where p.state = 'open' and p.kind = 'supersede'"
    ).fetchall()
    assert [(row["old"], row["new"]) for row in asked] == [(EARLIER, LATER)]
    review.accept(db, f"p{asked[0]['id']}", now=now)
    assert db.execute("select status from memories where text = ?", [EARLIER]).fetchone()[0] == "superseded"


def test_a_decision_that_is_taken_back_asks_no_more(db: sqlite3.Connection, session: int, now: datetime) -> None:
    say(db, session, "old", EARLIER, "2026-11-01T09:00:00.000Z")
    say(db, session, "new", LATER, "2026-11-02T09:00:00.000Z")
    gate.run(db, now=now)
    decision = db.execute("select max(id) from decisions").fetchone()[0]
    told = revert.revert(db, decision, now=now)
    assert "1 proposals taken back" in told
    assert db.execute("select count(*) from proposals").fetchone()[0] == 0


def test_what_is_locked_is_not_asked(db: sqlite3.Connection, session: int, now: datetime) -> None:
    say(db, session, "old", EARLIER, "2026-11-01T09:00:00.000Z")
    gate.run(db, now=now)
    db.execute("update memories set lock_level = 'user'")
    say(db, session, "new", LATER, "2026-11-02T09:00:00.000Z")
    gate.run(db, now=now)
    assert db.execute("select count(*) from proposals").fetchone()[0] == 0


def test_what_the_user_says_of_one_project_is_asked_of_what_held_everywhere() -> None:
    everywhere = Neighbour(1, "m00000001", "user", None, EARLIER, said_at="2026-03-01T09:00:00Z")
    for role, asked in (("user", [1]), ("assistant", [])):
        claim = Claim(LATER, "convention", "project", 1, LATER, role=role, said_at="2026-06-01T09:00:00Z")
        assert [each.memory_id for each in decide(claim, [everywhere]).asks] == asked


def test_of_what_held_everywhere_little_in_common_asks_nothing() -> None:
    said = "Labels are signed by the press these days."
    for scope, asked in (("project", [1]), ("user", [])):
        known = Neighbour(1, "m00000001", scope, 1, "Labels are signed in ink.", said_at="2026-03-01T09:00:00Z")
        claim = Claim(said, "convention", "project", 1, said, said_at="2026-06-01T09:00:00Z")
        assert [each.memory_id for each in decide(claim, [known]).asks] == asked


def test_who_is_away_waits_with_the_memory_that_names_them() -> None:
    said = "Arvid has his back, he's out till who knows when."
    claim = Claim(said, "domain", "project", 1, said, said_at="2026-06-01T09:00:00Z", thin="says little")
    for text, target in ((EARLIER, 1), ("On the list Runa is who signs the labels.", None)):
        decision = decide(claim, [Neighbour(1, "m00000001", "project", 1, text, said_at="2026-03-01T09:00:00Z")])
        assert (decision.action, decision.target) == ("propose", target)
        assert ("m00000001 may be over: Arvid is away" in decision.reason) == (target is not None)
