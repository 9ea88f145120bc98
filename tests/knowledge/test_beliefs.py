"""Evidence and beliefs: what counts, from when to when, and that no setting puts a memory out of reach."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.errors import InputError, NotFoundError
from memory_db.gate.review.proposal_kinds import HANDLERS
from memory_db.knowledge import evidence as beliefs
from memory_db.knowledge import locks, proposals
from memory_db.knowledge import retire as retiring
from memory_db.knowledge.memories import add_memory
from memory_db.recall import profiles
from memory_db.recall.brief import select as brief
from memory_db.recall.scoring import SIGNALS
from memory_db.recall.search import Filters, Question, recall
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from memory_db.store.schema import open_database
from memory_db.store.seeds import EVIDENCE_KINDS, KINDS, TIERS
from memory_db.upkeep.check import check
from tests.support.withdrawing import withdraw_evidence

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TEXTS = (
    "The test database listens on port 5433",
    "Alembic migrations run before every deployment",
    "Named exports only, outside configuration files",
    "Retries use exponential backoff with jitter",
    "Snapshots of the invoice table go to the cold bucket",
)


def remember(db: sqlite3.Connection, text: str, now: datetime, *, kind: str = "decision", origin: str = "user") -> str:
    return add_memory(db, text=text, kind=kind, scope="user", origin=origin, now=now)


def belief(db: sqlite3.Connection, uid: str) -> sqlite3.Row:
    row: sqlite3.Row = db.execute("select * from beliefs where uid = ?", [uid]).fetchone()
    return row


def memory_id(db: sqlite3.Connection, uid: str) -> int:
    return int(db.execute("select id from memories where uid = ?", [uid]).fetchone()[0])


def add_entry(db: sqlite3.Connection, uid: str, session: int, role: str = "user") -> int:
    at = utc_text(START)
    with transaction(db):
        db.execute("insert or ignore into sessions (id, uid, format) values (?, ?, 'claude-code')", [session, session])
        cursor = db.execute(
            "insert into entries (uid, session_id, role, kind, text, created_at) values (?, ?, ?, 'prompt', 'x', ?)",
            [uid, session, role, at],
        )
    return int(cursor.lastrowid or 0)


# ------------------------------------------------------------------ priors


@pytest.mark.parametrize(
    ("origin", "said", "tier", "factor"),
    [("user", 1.0, "explicit", 1.0), ("rules", 1.0, "signals", 0.8), ("model", 0.3, "inferred", 0.35)],
)
def test_a_prior_is_of_its_kind_and_of_how_it_came_to_be_known(
    db: sqlite3.Connection, now: datetime, origin: str, said: float, tier: str, factor: float
) -> None:
    uid = remember(db, TEXTS[0], now, origin=origin)
    db.execute("update evidence set weight = ?", [said])
    row = belief(db, uid)
    assert (row["tier"], row["prior_alpha"], row["prior_beta"]) == (tier, pytest.approx(5 * factor), 1)
    assert row["confidence"] == pytest.approx((5 * factor + said) / (5 * factor + said + 1))
    db.execute("update tiers set prior_factor = 0.5 where name = ?", [tier])
    db.execute("update kinds set prior_beta = 3 where name = 'decision'")
    assert belief(db, uid)["confidence"] == pytest.approx((2.5 + said) / (2.5 + said + 3))


def test_a_confirmation_makes_explicit_what_was_inferred(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now, origin="model")
    before = belief(db, uid)
    assert beliefs.confirm(db, uid, note="checked", now=now)
    after = belief(db, uid)
    assert (before["tier"], after["tier"]) == ("inferred", "explicit")
    assert after["alpha"] == pytest.approx(5 + 0.3 + 1)
    reason = db.execute("select reason from memory_tiers where uid = ?", [uid]).fetchone()[0]
    assert reason == "confirmed by the user"
    assert not beliefs.confirm(db, uid, now=now + timedelta(hours=2))
    assert beliefs.confirm(db, uid, now=now + timedelta(days=1))
    assert belief(db, uid)["evidence_for"] == 3


# ---------------------------------------------------------------- evidence


def test_direction_and_weight_are_those_of_the_kind(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    for kind in EVIDENCE_KINDS:
        if kind.name not in beliefs.SAID:
            assert beliefs.give_feedback(db, uid, kind.name, now=now)
    rows = {row["kind"]: (row["direction"], row["weight"]) for row in db.execute("select * from evidence")}
    assert {kind.name: (kind.direction, kind.weight) for kind in EVIDENCE_KINDS} == rows | {"repeated": ("for", 1.0)}


def test_unknown_kinds_are_refused_and_own_ones_are_rows(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    with pytest.raises(InputError, match=r"No kind of evidence 'hunch'.*stated"):
        beliefs.give_feedback(db, uid, "hunch", now=now)
    with pytest.raises(InputError, match="not by hand"):
        beliefs.give_feedback(db, uid, "repeated", now=now)
    with pytest.raises(NotFoundError):
        beliefs.give_feedback(db, "m00000000", "used", now=now)
    db.execute("insert into evidence_kinds values ('hunch', 'A feeling', 'against', 0.05)")
    assert beliefs.give_feedback(db, uid, "hunch", now=now)
    assert belief(db, uid)["beta"] == pytest.approx(1.05)


def test_feedback_on_a_recall_needs_that_it_showed_the_memory(db: sqlite3.Connection, now: datetime) -> None:
    shown, other = remember(db, TEXTS[0], now), remember(db, TEXTS[1], now)
    answer = brief.ask(db, Question("test database port", limit=1), surface="cli", now=now)
    assert [hit.uid for hit in answer.shown] == [shown]
    assert beliefs.give_feedback(db, shown, "wrong", recall=answer.recall_uid, note="it is 5434", now=now)
    assert not beliefs.give_feedback(db, shown, "wrong", recall=answer.recall_uid, now=now + timedelta(days=3))
    assert belief(db, shown)["beta"] == pytest.approx(3)
    with pytest.raises(InputError, match="did not show"):
        beliefs.give_feedback(db, other, "wrong", recall=answer.recall_uid, now=now)
    with pytest.raises(NotFoundError, match="No recall"):
        beliefs.give_feedback(db, shown, "wrong", recall="r00000001", now=now)
    assert not check(db)


def test_withdrawn_evidence_does_not_count_until_it_is_given_again(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    number = memory_id(db, uid)
    alphas = [belief(db, uid)["alpha"]]
    moments = [now + timedelta(hours=hour) for hour in range(4)]
    for hour, moment in enumerate(moments):
        if hour % 2 == 0:
            assert beliefs.add_evidence(db, number, "used", None, None, "t", created_at=utc_text(now), now=moment)
            assert not beliefs.add_evidence(db, number, "used", None, None, "t", created_at=utc_text(now), now=moment)
        else:
            assert withdraw_evidence(db, number, "used", "t", now=moment)
            assert not withdraw_evidence(db, number, "used", "t", now=moment)
        alphas.append(belief(db, uid)["alpha"])
    assert alphas == [6, 6.5, 6, 6.5, 6]
    for moment, alpha in zip(moments, alphas[1:], strict=True):
        question = Question(TEXTS[0], scope="memories", filters=Filters(as_of=utc_text(moment)))
        assert recall(db, question, now=now).hits[0].features.alpha == pytest.approx(alpha)


STEPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from([kind.name for kind in EVIDENCE_KINDS]),
        st.sampled_from(["a", "b"]),
        st.booleans(),
    ),
    max_size=12,
)


@given(steps=STEPS, origins=st.lists(st.sampled_from(["user", "rules", "model"]), min_size=3, max_size=3))
@settings(max_examples=25)
@pytest.mark.slow
def test_recall_history_and_check_believe_what_the_view_believes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, str, bool]], origins: list[str]
) -> None:
    path = tmp_path_factory.mktemp("beliefs") / "memory.db"
    with closing(open_database(path, now=START)) as db:
        uids = [remember(db, text, START, origin=origin) for text, origin in zip(TEXTS[:3], origins, strict=True)]
        ids = [memory_id(db, uid) for uid in uids]
        believed: list[tuple[datetime, dict[int, tuple[float, float]]]] = []
        for number, (which, kind, source, is_given) in enumerate(steps, start=1):
            moment = START + timedelta(minutes=number)
            if is_given:
                at = utc_text(START + timedelta(seconds=number))
                beliefs.add_evidence(db, ids[which], kind, None, None, source, created_at=at, now=moment)
            else:
                withdraw_evidence(db, ids[which], kind, source, now=moment)
            rows = db.execute("select memory_id, alpha, beta from beliefs")
            believed.append((moment, {row[0]: (row[1], row[2]) for row in rows}))
        for moment, then in believed:
            question = Question(" ".join(TEXTS[:3]), scope="memories", filters=Filters(as_of=utc_text(moment)))
            for hit in recall(db, question, now=moment).hits:
                [number] = db.execute("select memory_id from memory_versions where id = ?", [hit.memory_version_id])
                assert (hit.features.alpha, hit.features.beta) == pytest.approx(then[number[0]])
        last = {
            row["memory_id"]: (row["alpha"], row["beta"])
            for row in db.execute("select * from belief_history order by memory_id, step")
        }
        assert last == {row["memory_id"]: pytest.approx((row["alpha"], row["beta"]))
                        for row in db.execute("select * from beliefs")}  # fmt: skip
        assert not check(db)


def test_the_interval_is_that_of_the_deviation(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    for weight in (0, 1, 10, 100):
        db.execute("update evidence set weight = ?", [weight])
        row = db.execute("select i.*, b.variance from belief_intervals i join beliefs b using (uid)").fetchone()
        deviation = math.sqrt(row["variance"])
        assert deviation * 0.999999 <= row["deviation"] <= deviation * 1.05
        assert row["low"] == pytest.approx(max(0, row["confidence"] - 1.645 * row["deviation"]))
        assert row["high"] == pytest.approx(min(1, row["confidence"] + 1.645 * row["deviation"]))
    assert belief(db, uid)["confidence"] > 0.98


# ------------------------------------------------------------- sources that go


def test_evidence_does_not_outlive_its_entry(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now, origin="model")
    number = memory_id(db, uid)
    db.execute("delete from evidence")
    first, second = add_entry(db, "e1", 1), add_entry(db, "e2", 2)
    for kind, entry in (("stated", first), ("repeated", second)):
        beliefs.add_evidence(
            db, number, kind, None, None, f"entry {entry}", entry_id=entry, created_at=utc_text(START), now=now
        )
    for entry, confidence, without in ((first, 5 * 0.8 + 1, 0), (second, 5 * 0.35, 1)):
        db.execute("delete from entries where id = ?", [entry])
        assert belief(db, uid)["alpha"] == pytest.approx(confidence)
        assert db.execute("select count(*) from memories_without_source").fetchone()[0] == without
    row = db.execute("select * from memories_without_source").fetchone()
    assert (row["uid"], row["status"], row["sources_gone"]) == (uid, "active", 2)
    assert row["last_withdrawn_at"]
    assert not db.execute("pragma foreign_key_check").fetchall()


def test_what_rests_on_an_entry_outlives_the_recall_that_explains_it(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    answer = brief.ask(db, Question("test database port"), surface="cli", now=now)
    number, entry = memory_id(db, uid), add_entry(db, "e1", 1, "assistant")
    beliefs.add_evidence(
        db, number, "cited", None, None, "entry e1", entry_id=entry, recall_id=answer.recall_id,
        created_at=utc_text(now), now=now,
    )  # fmt: skip
    beliefs.give_feedback(db, uid, "weak", recall=answer.recall_uid, now=now)
    db.execute("delete from recalls where id = ?", [answer.recall_id])
    rows = db.execute("select kind, withdrawn_at is null, recall_id from evidence order by id").fetchall()
    assert list(map(tuple, rows)) == [("stated", 1, None), ("cited", 1, None), ("weak", 0, None)]


# ------------------------------------------------------------------- locks


def test_only_a_person_locks_and_unlocks(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    with pytest.raises(InputError, match="Only a person"):
        locks.lock(db, uid, by="gate", reason="sure", now=now)
    assert locks.lock(db, uid, by="user", reason="always", now=now)
    assert not locks.lock(db, uid, by="user", reason="always", now=now)
    for act in (locks.unlock, retiring.retire):
        with pytest.raises(InputError, match="Only a person"):
            act(db, uid, by="gate", reason="why not", now=now)
    assert locks.unlock(db, uid, by="user", reason="no more", now=now)
    rows = db.execute("select lock_level, changed_by, change_reason from memory_versions order by version").fetchall()
    assert list(map(tuple, rows))[1:] == [("user", "user", "always"), ("none", "user", "no more")]


def test_evidence_proposes_a_lock_and_a_person_decides(db: sqlite3.Connection, now: datetime) -> None:
    uids = [remember(db, text, now, kind="correction", origin="rules") for text in TEXTS[:3]]
    for uid in uids[:2]:
        for session in (1, 2, 3):
            entry = add_entry(db, f"{uid}-{session}", session)
            beliefs.add_evidence(
                db, memory_id(db, uid), "repeated", None, None, f"entry {uid}-{session}", entry_id=entry,
                created_at=utc_text(now), now=now,
            )  # fmt: skip
    assert locks.propose_locks(db, now=now) == {"locks_proposed": 2, "unlocks_proposed": 0}
    assert locks.propose_locks(db, now=now) == {"locks_proposed": 0, "unlocks_proposed": 0}
    first, second = (row["id"] for row in db.execute("select id from proposals order by memory_id"))
    proposals.accept(db, first, HANDLERS, now=now)
    proposals.decline(db, second, now=now)
    assert locks.propose_locks(db, now=now) == {"locks_proposed": 0, "unlocks_proposed": 0}
    levels = dict(map(tuple, db.execute("select uid, lock_level from memories")))
    assert [levels[uid] for uid in uids] == ["promoted", "none", "none"]
    for day in range(4):
        beliefs.give_feedback(db, uids[0], "wrong", now=now + timedelta(days=day))
    assert locks.propose_locks(db, now=now) == {"locks_proposed": 0, "unlocks_proposed": 1}
    unlocking = db.execute("select id, reason from proposals where kind = 'unlock'").fetchone()
    assert "confidence of only 0." in unlocking["reason"]
    proposals.accept(db, unlocking["id"], HANDLERS, now=now)
    assert db.execute("select lock_level from memories where uid = ?", [uids[0]]).fetchone()[0] == "none"


def test_a_retired_memory_comes_back_as_it_was(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now)
    before = belief(db, uid)
    assert retiring.retire(db, uid, by="user", reason="nobody needs it", now=now)
    assert not retiring.retire(db, uid, by="user", reason="again", now=now)
    assert recall(db, Question(TEXTS[0]), now=now).hits == []
    assert retiring.restore(db, uid, by="user", reason="we do", now=now) == "active"
    assert tuple(belief(db, uid)) == tuple(before)
    assert [hit.position for hit in recall(db, Question(TEXTS[0]), now=now).hits] == [1]
    with pytest.raises(InputError, match="not retired"):
        retiring.restore(db, uid, by="user", reason="twice", now=now)


# ------------------------------------------------------------ what is reachable

POSITIVE = st.floats(0.001, 1000)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, object]:
    """Settings of any sort: weights, priors, half-lives, factors, and what was said of the memory to be found."""
    names = draw(st.lists(st.sampled_from(list(SIGNALS)), min_size=1, max_size=6, unique=True))
    parts = [draw(st.floats(0.01, 1)) for _ in names]
    return {
        "weights": {name: part / sum(parts) for name, part in zip(names, parts, strict=True)},
        "priors": [(draw(POSITIVE), draw(POSITIVE), draw(POSITIVE)) for _ in KINDS],
        "factors": [draw(st.floats(0.001, 10)) for _ in TIERS],
        "kinds": [draw(st.sampled_from(KINDS)).name for _ in TEXTS],
        "importance": [draw(st.integers(1, 5)) for _ in TEXTS],
        "locks": [draw(st.sampled_from(["none", "promoted", "user"])) for _ in TEXTS],
        "age_days": [draw(st.integers(0, 4000)) for _ in TEXTS],
        "evidence": draw(
            st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["for", "against"]), st.floats(0, 1e6)), max_size=8)
        ),
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, sqlite3.Connection]]:
    path = tmp_path_factory.mktemp("reach") / "memory.db"
    with closing(open_database(path, now=START)) as db:
        with transaction(db):
            db.execute("insert into projects values (1, 'harbour', '/harbour', null, ?)", [utc_text(START)])
        for text in TEXTS:
            add_memory(db, text=text, kind="fix", scope="project", project_id=1, now=START)
        yield path, db


@given(world=worlds())
@settings(max_examples=60)
@pytest.mark.slow
def test_no_setting_makes_a_memory_unreachable(small: tuple[Path, sqlite3.Connection], world: dict) -> None:  # type: ignore[type-arg]
    _, db = small
    asked_at = START + timedelta(days=5000)
    db.execute("begin")
    try:
        for kind, values in zip(KINDS, world["priors"], strict=True):
            db.execute("update kinds set prior_alpha = ?, prior_beta = ?, half_life_days = ? where name = ?",
                       [*values, kind.name])  # fmt: skip
        for tier, factor in zip(TIERS, world["factors"], strict=True):
            db.execute("update tiers set prior_factor = ? where name = ?", [factor, tier.name])
        for number in range(len(TEXTS)):
            valid_from = utc_text(asked_at - timedelta(days=world["age_days"][number]))
            db.execute(
                "update memories set kind = ?, importance = ?, lock_level = ?, valid_from = ? where id = ?",
                [world["kinds"][number], world["importance"][number], world["locks"][number], valid_from, number + 1],
            )
        for number, (which, direction, weight) in enumerate(world["evidence"]):
            db.execute(
                "insert into evidence (memory_id, kind, direction, weight, source, created_at)"
                " values (?, 'wrong', ?, ?, ?, ?)",
                [which + 1, direction, weight, f"test {number}", utc_text(START)],
            )
        profiles.save_profile(db, "any", world["weights"], description="any weights", fitted_on="", now=START)
        for text in TEXTS:
            question = Question(text, scope="memories", profile="any", project_id=1)
            answer = brief.ask(db, question, surface="test", now=asked_at, log=False)
            assert text in {hit.text for hit in answer.shown}
    finally:
        db.execute("rollback")


def test_what_is_hardly_believed_is_still_shown_to_who_asks_for_it(db: sqlite3.Connection, now: datetime) -> None:
    for text in TEXTS:
        remember(db, text, now)
    number = db.execute("select id from memories where text = ?", [TEXTS[0]]).fetchone()[0]
    beliefs.add_evidence(db, number, "wrong", "against", 1e9, "test", created_at=utc_text(now), now=now)
    asked_at = now + timedelta(days=9000)
    assert db.execute("select confidence from beliefs where memory_id = ?", [number]).fetchone()[0] < 1e-6
    for profile in ("default", "hook", "agentmemory"):
        answer = brief.ask(db, Question(TEXTS[0], profile=profile), surface="test", now=asked_at, log=False)
        assert TEXTS[0] in {hit.text for hit in answer.hits}
        if not answer.profile.threshold:
            assert TEXTS[0] in {hit.text for hit in answer.shown}


# -------------------------------------------------------------- propagation


def draw(db: sqlite3.Connection, start: int, end: int, kind: str, score: float = 1.0) -> None:
    db.execute(
        "insert into edges (from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)"
        " values (?, ?, ?, ?, 'test', 'test', ?)",
        [start, end, kind, score, utc_text(START)],
    )


def add_many(db: sqlite3.Connection, count: int) -> None:
    at = utc_text(START)
    with transaction(db):
        db.executemany(
            "insert into memories (id, uid, kind, scope, title, text, tokens, origin, content_hash, valid_from,"
            " changed_by, change_reason, created_at, updated_at)"
            " values (:id, 'm' || :id, 'fix', 'user', :id, :id, 1, 'user', :id, :at, 'test', 'test', :at, :at)",
            [{"id": number, "at": at} for number in range(1, count + 1)],
        )


def near(db: sqlite3.Connection, number: int) -> dict[int, tuple[int, float]]:
    rows = db.execute("select from_memory_id, hops, amount from propagated_evidence where memory_id = ?", [number])
    return {row[0]: (row[1], pytest.approx(row[2])) for row in rows}


def test_feedback_spreads_over_three_hops_and_changes_no_belief(db: sqlite3.Connection, now: datetime) -> None:
    add_many(db, 6)
    before = list(map(tuple, db.execute("select * from beliefs where memory_id > 1")))
    for start, end, kind in ((1, 2, "supports"), (3, 2, "depends_on"), (3, 4, "contradicts"), (4, 5, "supports"),
                             (1, 6, "supersedes"), (4, 1, "mentions")):  # fmt: skip
        draw(db, start, end, kind)
    draw(db, 2, 3, "supersedes")
    beliefs.give_feedback(db, "m1", "wrong", now=now)
    assert near(db, 1) == {}
    assert near(db, 2) == {1: (1, -2 * 0.4)}
    assert near(db, 3) == {1: (2, -2 * 0.4 * 0.35)}
    assert near(db, 4) == {1: (1, -2 * 0.15)}
    assert near(db, 5) == {1: (2, -2 * 0.15 * 0.4)}
    assert near(db, 6) == {}
    assert list(map(tuple, db.execute("select * from beliefs where memory_id > 1"))) == before
    row = db.execute("select * from propagated_beliefs where memory_id = 2").fetchone()
    assert (row["beta_nearby"], row["alpha_nearby"]) == (pytest.approx(0.8), 0)
    assert row["confidence_nearby"] == pytest.approx(4 / (4 + 1 + 0.8)) and row["confidence"] == pytest.approx(0.8)
    db.execute("update edges set ended_at = created_at")
    assert near(db, 2) == {}


def test_how_memories_were_said_does_not_spread(db: sqlite3.Connection, now: datetime) -> None:
    add_many(db, 2)
    draw(db, 1, 2, "supports")
    for kind in beliefs.SAID:
        beliefs.add_evidence(db, 1, kind, None, None, "test", created_at=utc_text(now), now=now)
    assert near(db, 2) == {}
    beliefs.give_feedback(db, "m1", "used", now=now)
    assert near(db, 2) == {1: (1, 0.5 * 0.4)}


def test_circles_end_and_a_thicket_is_bounded(db: sqlite3.Connection, now: datetime) -> None:
    add_many(db, 130)
    with transaction(db):
        for start in range(1, 121):
            for end in range(start + 1, 121):
                draw(db, start, end, "same_topic")
        for start, end in ((121, 122), (122, 123), (123, 121)):
            draw(db, start, end, "same_topic")
    for number in (1, 2, 121):
        beliefs.give_feedback(db, f"m{number}", "confirmed", now=now)
    assert near(db, 3) == {1: (1, 0.25), 2: (1, 0.25)}
    assert near(db, 122) == {121: (1, 0.25)}
    assert near(db, 121) == {}


# ------------------------------------------------- preferences and calibration


def test_preferences_are_explicit_then_said_then_inferred(db: sqlite3.Connection, now: datetime) -> None:
    for text, kind, origin in zip(
        TEXTS, ("behaviour", "correction", "preference", "decision", "convention"),
        ("model", "rules", "user", "user", "rules"), strict=True,
    ):  # fmt: skip
        remember(db, text, now, kind=kind, origin=origin)
    db.execute("update evidence set weight = 1 where memory_id in (2, 5)")
    number = memory_id(db, db.execute("select uid from memories where kind = 'correction'").fetchone()[0])
    later = utc_text(now + timedelta(days=2))
    beliefs.add_evidence(db, number, "repeated", None, None, "entry x", created_at=later, now=now)
    rows = db.execute("select kind, tier, times_given, last_given_at from preferences").fetchall()
    assert [(row["kind"], row["tier"]) for row in rows] == [
        ("preference", "explicit"), ("correction", "signals"), ("convention", "signals"), ("behaviour", "inferred"),
    ]  # fmt: skip
    assert (rows[1]["times_given"], rows[1]["last_given_at"]) == (2, later)


def test_calibration_leaves_feedback_out_of_what_it_is_compared_with(db: sqlite3.Connection, now: datetime) -> None:
    uids = [remember(db, text, now, origin="model") for text in TEXTS]
    assert db.execute("select count(*) from belief_calibration").fetchone()[0] == 0
    for uid, kind in zip(uids, ("confirmed", "used", "wrong", "cited"), strict=False):
        beliefs.give_feedback(db, uid, kind, now=now)
    locks.lock(db, uids[0], by="user", reason="yes", now=now)
    [row] = db.execute("select * from belief_calibration")
    expected = (5 * 0.35 + 0.3) / (5 * 0.35 + 0.3 + 1)
    assert (row["tier"], row["memories"], row["pieces"]) == ("inferred", 4, 4)
    assert row["mean_confidence"] == pytest.approx(expected)
    assert (row["held_share"], row["difference"]) == (0.75, pytest.approx(0.75 - expected))
    assert row["from_confidence"] <= expected < row["to_confidence"]


def test_factors_are_fitted_only_where_there_is_enough(db: sqlite3.Connection, now: datetime) -> None:
    add_many(db, 40)
    assert beliefs.fitting_factors(db) == {"explicit": None, "signals": None, "inferred": None}
    db.execute("update memories set origin = 'model', kind = 'decision'")
    for number in range(1, 41):
        beliefs.add_evidence(db, number, "stated", "for", 0.3, "t", created_at=utc_text(now), now=now)
        beliefs.give_feedback(db, f"m{number}", "wrong" if number % 4 == 0 else "used", now=now)
    found = beliefs.fitting_factors(db)
    assert (found["explicit"], found["signals"]) == (None, None)
    factor = found["inferred"]
    assert factor is not None
    assert (5 * factor + 0.3) / (5 * factor + 1.3) == pytest.approx(0.75, abs=1e-3)


def test_the_example_of_the_documentation(db: sqlite3.Connection, now: datetime) -> None:
    uid = remember(db, TEXTS[0], now, origin="model")
    number, at = memory_id(db, uid), utc_text(now)
    beliefs.add_evidence(db, number, "repeated", None, None, "entry a", created_at=at, now=now)
    beliefs.add_evidence(db, number, "cited", None, None, "entry b", created_at=at, now=now)
    beliefs.confirm(db, uid, now=now)
    beliefs.give_feedback(db, uid, "wrong", now=now)
    steps = db.execute(
        "select tier, round(alpha, 2), beta, round(confidence, 3) from belief_history order by step"
    ).fetchall()
    assert list(map(tuple, steps)) == [
        ("inferred", 1.75, 1, 0.636), ("inferred", 2.05, 1, 0.672), ("signals", 5.3, 1, 0.841),
        ("signals", 5.55, 1, 0.847), ("explicit", 7.55, 1, 0.883), ("explicit", 7.55, 3, 0.716),
    ]  # fmt: skip
    row = db.execute("select round(deviation, 3), round(low, 3), round(high, 3) from belief_intervals").fetchone()
    assert tuple(row) == (0.133, 0.497, 0.934)
