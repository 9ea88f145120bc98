"""Conditions: read from what is said, kept by the gate, met by a prompt for the task."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.extract.rules import run as rules
from memory_db.gate import run as gate
from memory_db.index import build as index
from memory_db.index.build import open_semantic
from memory_db.index.conditions import index_conditions
from memory_db.knowledge.memories import add_memory, get_memory
from memory_db.recall.brief.select import ask
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.recall.measures.conditions import BY_WORDS
from memory_db.recall.scoring import condition, signals
from memory_db.recall.search import Question, recall
from memory_db.store import settings
from memory_db.store.connection import transaction
from memory_db.text.conditions import (
    APPLYING,
    BY_SCHEDULE,
    MOST_WORDS,
    condition_of,
    condition_upon,
)
from memory_db.transcripts.importer import import_claude_code
from tests.support.transcript_rows import assistant, user, write_jsonl

SAID = {
    "Before you push the release, tag it and update CHANGELOG.": "before you push the release",
    "Always run make schema when you add a migration, otherwise CI fails.": "when you add a migration",
    "From now on, whenever you edit files under `api/`, run `make openapi`.": "whenever you edit files under `api/`",
    "To release, run make release.": "to release",
    "For every new endpoint add a test.": "for every new endpoint",
    "No, use uv when installing packages.": "when installing packages",
    "Please ask me before deleting files.": "before deleting files",
    "If you touch the API, regenerate the client.": "if you touch the API",
    "Don't push to main while a deploy is running.": "while a deploy is running",
    "Run the linter before every commit": "before every commit",
}


@pytest.mark.parametrize("text", SAID)
def test_a_clause_says_when_a_rule_applies(text: str) -> None:
    assert condition_of(text, "convention") == SAID[text]


@pytest.mark.parametrize(
    "text",
    [
        "Check if the port is free.",
        "Even if you think it works, test it.",
        "Use tabs, if possible.",
        "If I remember right, the port is 8000.",
        "When we moved to pnpm, the lockfile broke.",
        "When I checked yesterday, the cache was cold.",
        "Do not celebrate until Vera has agreed.",
        "We use uv in every project.",
        "After all, money is integer cents.",
        "Money is integer cents.",
        "",
    ],
)
def test_other_clauses_are_no_condition(text: str) -> None:
    assert condition_of(text, "convention") == ""


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Never commit before running the tests.", "at a commit"),
        ("Ticket number in front always, and never commit unless i tell you to.", "at a commit"),
        ("Pushes are mine.", "at a push or merge"),
        ("Never touch a migration that is out.", "at a migration, a column of the schema"),
        ("Deploys are only allowed after a review.", "at a deploy or release"),
        ("No, prod is Nina's, she does it herself.", "at a deploy or release"),
        ("Only Nina touches it: production belongs to her team.", "at a deploy or release"),
        ("No packages, prod boxes have no pip.", "at a dependency, a package or a library"),
        ("The commit before the release broke the build.", ""),
        ("Plain commits, the ticket in brackets behind.", "at a commit"),
        ("The docs are on the wiki, never deploy without the list.", "at a deploy or release"),
        ("Secrets never in the repo, commits get scanned.", "at a secret"),
        ("The lib folder is generated, never edit it.", ""),
        ("No new deps without asking.", "at a dependency, a package or a library"),
        ("No plain colours, only what the tokens.css has.", "at a component"),
        ("Always the time zone of the shop, and no second library for dates.", "at a timestamp"),
        ("No mockito here, we only write fakes by hand.", "at a mock, a fake or an assertion"),
        ("Nothing gets logged from an interrupt, only the fault thread does.", "at a line of logging"),
        ("No alert without a runbook.", "at an alert or a metric"),
        ("Every text goes through t(), in both files.", "at any wording"),
        ("The tests are red on my branch, don't wonder.", ""),
    ],
)
def test_a_rule_about_an_act_applies_at_that_act(text: str, act: str) -> None:
    assert condition_of(text, "convention") == act
    assert condition_of(text, "decision") == "", "only what binds an agent"


def test_a_time_that_passes_makes_no_rule_of_a_fact() -> None:
    assert condition_of("600 a minute for all endpoints together, so asking every second fits.", "domain") == ""
    assert condition_of("Every endpoint answers with a code.", "domain") == "at an endpoint"


@pytest.mark.parametrize(
    ("done", "text", "kind", "act"),
    [
        ("git commit -qm 'wip'", "Lower case, one line, no body.", "convention", "at a commit"),
        ("git -C shop commit -m x", "The ticket goes into the subject.", "correction", "at a commit"),
        ("db/migrations/0024_fallback.sql", "No down, and a lock timeout on top.", "convention",
         "at a migration, a column of the schema"),
        ("db/migrations/0024_fallback.sql", "Keep the tables sorted by name in the docs.", "convention", ""),
        ("git commit -qm 'wip'", "Never put tickets in comments.", "convention", ""),
        ("git commit -qm 'wip'", "Then use the queue, it is there already.", "convention", ""),
        ("db/migrations/0024_fallback.sql", "The shop opens at nine.", "convention", ""),
        ("git commit -qm 'wip'", "Lower case, one line, no body.", "domain", ""),
        ("src/app.py", "No down, and a lock timeout on top.", "convention", ""),
    ],
)  # fmt: skip
def test_a_rule_applies_at_the_act_upon_which_it_was_said(done: str, text: str, kind: str, act: str) -> None:
    assert condition_upon(done, text, kind) == act


@pytest.mark.parametrize(
    ("text", "kind", "act"),
    [
        ("Mutes always with a ticket and never over four hours.", "convention", "at mutes"),
        ("Invoices must carry the number of the order.", "correction", "at invoices"),
        ("They always come late.", "convention", ""),
        ("Maybe only the admin may do that.", "convention", ""),
        ("Thanks must always come first.", "convention", ""),
        ("Somebody must look at it.", "convention", ""),
        ("Errors are always answered with a code.", "convention", ""),
        ("Mutes always with a ticket.", "domain", ""),
        ("The mutes ran out at noon.", "convention", ""),
    ],
)
def test_a_rule_applies_to_what_it_begins_with(text: str, kind: str, act: str) -> None:
    assert condition_of(text, kind) == act


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Nadia does the rollout at the cooperative every Tuesday.", "domain"),
        ("New versions only go out on mondays, the ovens are cold then.", "convention"),
        ("The depot takes builds on Tuesdays before 10; miss that and it is a week later.", "domain"),
        ("Lior brings ledger to heron on Mondays now, no longer on Thursdays.", "environment"),
        ("The api is deployed on Wednesdays at 18:00.", "decision"),
    ],
)
def test_a_day_on_which_something_goes_out_applies_then(text: str, kind: str) -> None:
    assert condition_of(text, kind) == BY_SCHEDULE


@pytest.mark.parametrize(
    "text",
    [
        "We deployed the fix. On Tuesday it rained.",
        "The release of Tuesday broke the import.",
        "The export is written every Friday.",
        "The nightly run takes place on Sundays.",
    ],
)
def test_other_days_are_no_schedule_of_what_goes_out(text: str) -> None:
    assert condition_of(text, "domain") == ""


def test_what_only_describes_has_no_condition() -> None:
    for kind in ("environment", "structure", "quirk", "issue", "fix", "domain"):
        assert condition_of("When you restart the worker, it needs a minute.", kind) == ""


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([*SAID, "if", "before", "when you", ",", "\n", "`x`"])).map(" ".join)
)
@pytest.mark.slow
def test_a_condition_is_a_short_slice_on_one_line(text: str) -> None:
    for kind in APPLYING:
        found = condition_of(text, kind)
        assert len(found.split()) <= MOST_WORDS and "\n" not in found
        assert not found or found[1:] in " ".join(text.replace("\x00", " ").split())


@given(
    st.floats(0, 50) | st.none(), st.floats(-1, 1) | st.none(), st.floats(0, 40), st.floats(0, 50)
)  # fmt: skip
def test_the_signal_is_a_share_and_grows(bm25: float | None, cosine: float | None, best: float, more: float) -> None:
    query = QueryFeatures(("word",), best, 1.0)
    hit = HitFeatures(True, "convention", 0.0, 1.0, condition_bm25=bm25, condition_cosine=cosine)
    value = condition(query, hit)
    assert 0 <= value <= 1
    hit.condition_bm25 = (bm25 or 0.0) + more
    assert condition(query, hit) >= value
    assert condition(query, HitFeatures(True, "convention", 0.0, 1.0)) == 0


def session(folder: Path) -> None:
    """One session in which a rule with its condition is said among others, and talk of other things."""
    others = [
        "Prices are always integer cents, never floats.",
        "The push service here sends mails to customers, never call it in tests.",
        "Use pytest fixtures instead of setUp methods in this repo.",
        "Whenever you add a migration, run make schema and commit the dump.",
    ]
    said = ["Before you push the release, always tag it and update CHANGELOG.", *others]
    records = []
    for number, text in enumerate(said):
        records.append(user(f"u{number}", text, cwd="/w/shop"))
        records.append(assistant(f"a{number}", [{"type": "text", "text": "Understood."}], cwd="/w/shop"))
    write_jsonl(folder / "p" / "s1.jsonl", records)


@pytest.mark.parametrize(
    ("profile", "prompt"),
    [
        ("default", "push the release"),
        ("default", "ship the new version to everyone"),
        ("default", "let's get 2.4 out the door"),
        ("hook", "push the release"),
        ("hook", "ship the new version to everyone"),
    ],
)
def test_a_prompt_for_the_task_brings_its_rule(
    db: sqlite3.Connection, tmp_path: Path, now: datetime, profile: str, prompt: str
) -> None:
    session(tmp_path / "transcripts")
    settings.put(db, "embedding_model", "minilm-int8" if profile == "default" else "none", now=now)
    import_claude_code(db, [tmp_path / "transcripts"], now=now)
    from_rules(db, now)
    index.run(db, now=now)
    row = db.execute("select uid, condition from memories where text like '%CHANGELOG%'").fetchone()
    assert row["condition"] == "before you push the release"
    question = Question(prompt, scope="memories", profile=profile)
    answer = ask(db, question, surface="cli", now=now, semantic=open_semantic(db), log=False)
    places = [hit.uid for hit in answer.shown]
    assert row["uid"] in places[:2], [hit.text for hit in answer.shown]
    if prompt == "push the release":
        assert places[0] == row["uid"] and answer.shown[0].signals["condition"] > 0.9


def from_rules(db: sqlite3.Connection, now: datetime) -> None:
    """Extracts and decides."""
    rules.extract(db, now=now)
    gate.run(db, now=now)


def added(db: sqlite3.Connection, now: datetime, text: str, condition: str | None = None) -> str:
    return add_memory(db, text=text, kind="convention", scope="user", condition=condition, now=now)


def test_a_condition_is_given_read_or_none(db: sqlite3.Connection, now: datetime) -> None:
    rule = "Before you push the release, tag it."
    assert get_memory(db, added(db, now, rule))["condition"] == "before you push the release"
    assert get_memory(db, added(db, now, rule + " Twice.", ""))["condition"] == ""
    given_uid = added(db, now, "Tag it and update CHANGELOG.", "publishing\n a release. ")
    assert get_memory(db, given_uid)["condition"] == "publishing a release"
    secret = added(db, now, "Rotate it.", "when ghp_" + "a1B2" * 9 + " leaks")
    assert "[redacted:" in get_memory(db, secret)["condition"]


def test_a_condition_brings_a_memory_that_shares_no_word(db: sqlite3.Connection, now: datetime) -> None:
    uid = added(db, now, "Tag it and update CHANGELOG.", "publishing a release")
    added(db, now, "Money is integer cents.")
    index.run(db, now=now)
    recalled = recall(db, Question("ship a new version", scope="memories"), now=now)
    version = db.execute("select id from memory_versions where condition <> ''").fetchone()[0]
    assert [hit.memory_version_id for hit in recalled.hits] == [version]
    assert get_memory(db, uid)["versions"][0]["id"] == version
    assert recalled.hits[0].features.bm25 == 0 and (recalled.hits[0].features.condition_cosine or 0) > 0


def test_a_rule_about_an_act_is_met_by_a_prompt_that_asks_for_it_in_other_words(
    db: sqlite3.Connection, now: datetime
) -> None:
    rule = added(db, now, "Messages of commits are lower case, never with a full stop.")
    assert get_memory(db, rule)["condition"] == "at a commit"
    added(db, now, "Berths are counted from the harbour mouth, never from the pier.")
    index.run(db, now=now)
    met = {
        prompt: any(hit.features.condition_bm25 for hit in recall(db, Question(prompt), now=now).hits)
        for prompt in ("squash the last three into one", "shorten the last three to one")
    }
    assert met == {"squash the last three into one": True, "shorten the last three to one": False}


def test_vectors_follow_the_conditions(db: sqlite3.Connection, now: datetime) -> None:
    uid = added(db, now, "Tag it.", "publishing a release")
    added(db, now, "Money is integer cents.")
    assert (index_conditions(db), index_conditions(db)) == (1, 0)
    with transaction(db):
        db.execute(
            "update memories set condition = 'cutting a version', updated_at = '2027-01-01' where uid = ?", [uid]
        )
    assert (index_conditions(db), index_conditions(db)) == (1, 0)
    with transaction(db):
        db.execute("update memory_versions set condition = '[redacted:x]' where condition = 'publishing a release'")
    assert db.execute("select count(*) from condition_vectors").fetchone()[0] == 1
    with transaction(db):
        db.execute("delete from memory_versions")
    assert db.execute("select count(*) from condition_vectors").fetchone()[0] == 0
    assert index.run(db, now=now) and db.execute("select 1 from signature_blocks").fetchone() is None


def test_a_file_without_conditions_has_no_such_number(db: sqlite3.Connection, now: datetime) -> None:
    added(db, now, "Money is integer cents.")
    index.run(db, now=now)
    recalled = recall(db, Question("money in cents", scope="memories"), now=now)
    assert [signals(recalled.query_features, hit.features)["condition"] for hit in recalled.hits] == [0]
    assert "condition_cosine" not in json.dumps(recalled.hits[0].features.as_dict())


def test_what_others_say_changes_no_condition(db: sqlite3.Connection, now: datetime) -> None:
    added(db, now, "Tag it and update CHANGELOG for harbour.", "now and then, with much else to do, publishing")
    edited = added(db, now, "Money is integer cents.", "publishing")
    for number in range(2 * BY_WORDS):
        with transaction(db):
            db.execute(
                "update memories set condition = ?, updated_at = ? where uid = ?",
                [f"publishing {'it ' * (number % 2)}", f"2027-01-01T00:00:{number:02}.000Z", edited],
            )
    index.run(db, now=now)
    recalled = recall(db, Question("publishing harbour", scope="memories"), now=now)
    assert len(recalled.hits) == 2
    assert all(hit.features.condition_bm25 for hit in recalled.hits), "outdated versions take nobody's place"


def test_it_is_logged_where_a_profile_gives_it_no_weight(db: sqlite3.Connection, now: datetime) -> None:
    added(db, now, "Tag it and update CHANGELOG for harbour.", "publishing a release")
    added(db, now, "Money is integer cents.", "publishing a price")
    index.run(db, now=now)
    question = Question("publishing a release in the harbour", scope="memories")
    weighed = ask(db, question, surface="test", now=now).hits
    plain = ask(db, replace(question, profile="keyword_only"), surface="test", now=now).hits
    signals = {hit.uid: hit.signals["condition"] for hit in weighed}
    assert plain and all(hit.signals["condition"] == signals[hit.uid] > 0 for hit in plain)
