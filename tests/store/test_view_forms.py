"""Views that are written for speed say what they say in a plain form: of the sample, and of rows by chance."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from random import Random

import pytest

from memory_db.pages import economics
from memory_db.pages.cache import rows
from memory_db.pages.kept import junk as kept_junk
from memory_db.pages.kept.obeyed import obeyed, obeyed_on
from memory_db.pages.kept.recalls import prompts_on
from memory_db.pages.table_marks import BOOKS_MARK, ROWS_MARK, Since, made_with, marks
from memory_db.store.connection import transaction
from memory_db.store.dates import utc_text
from tests.conftest import NOW
from tests.support.in_process import one

JUNK = """
with twins as (
    select m.id as memory_id, o.id as other_id
    from memories m join memories o on o.content_hash = m.content_hash and o.id <> m.id where m.status = 'active'
),
echoes as (
    select t.memory_id, 'echo' as junk, min(r.asked_at) as shown_at, r.uid as recall_uid, g.first_said_at
    from twins t
    cross join memory_origins g on g.memory_id = t.memory_id
    cross join memory_versions v on v.memory_id = t.other_id
    cross join hits h on h.memory_version_id = v.id and h.rank is not null
    cross join recalls r on r.id = h.recall_id
    where not g.is_said_by_user and r.asked_at < g.first_said_at
    group by t.memory_id
),
again as (
    select m.id as memory_id, count(*) as others, min(o.uid) as other_uid
    from memories m
    join memories o on o.content_hash = m.content_hash and o.id <> m.id and o.status = 'active'
    where m.status = 'active'
        and (m.scope <> 'user' and (o.scope = 'user' or o.project_id = m.project_id and o.id < m.id)
        or m.scope = 'user' and o.scope = 'user' and o.id < m.id)
    group by m.id
),
newest as (
    select max(asked_at) as moment from recalls
),
hit_counts as (
    select v.memory_id, sum(h.times) as times_considered, sum(h.times_shown) as times_shown
    from (select memory_version_id, count(*) as times, count(rank) as times_shown from hits
        where memory_version_id is not null group by memory_version_id) h
    join memory_versions v on v.id = h.memory_version_id group by v.memory_id
),
unseen as (
    select m.id as memory_id, u.times_considered,
        cast(julianday(n.moment) - julianday(v.recorded_from) as integer) as days
    from hit_counts u
    join memories m on m.id = u.memory_id
    join newest n
    join memory_versions v on v.memory_id = m.id and v.version = 1
    where m.status = 'active' and u.times_shown = 0 and u.times_considered >= 10
        and julianday(n.moment) - julianday(v.recorded_from) >= 30
),
shown_by_agents as (
    select v.memory_id, count(*) as shown
    from (select recall_id, memory_version_id from hits
        where rank is not null and memory_version_id is not null order by recall_id) h
    join memory_versions v on v.id = h.memory_version_id
    where h.recall_id in (select id from recalls where surface in ('hook', 'mcp')) group by v.memory_id
),
believed as (
    select memory_id, sum(kind in ('cited', 'used', 'confirmed')) as used,
        total(iif(direction = 'for', weight, 0)) as weight_for,
        total(iif(direction = 'against', weight, 0)) as weight_against
    from evidence where withdrawn_at is null group by memory_id
),
weighed as (
    select m.id as memory_id, coalesce(s.shown, 0) as shown, coalesce(b.used, 0) as used,
        coalesce(b.weight_for, 0.0) as weight_for, coalesce(b.weight_against, 0.0) as weight_against
    from memories m
    left join shown_by_agents s on s.memory_id = m.id
    left join believed b on b.memory_id = m.id
    where m.status = 'active'
),
citing as (
    select 1.0 * (select count(*) from evidence e where e.kind in ('cited', 'used') and e.withdrawn_at is null
            and e.recall_id is not null)
        / max(1, (select total(shown) from shown_by_agents)) as rate
),
found as (
    select memory_id, junk, julianday(first_said_at) - julianday(shown_at) as number,
        'said ' || printf('%.1f', 24 * (julianday(first_said_at) - julianday(shown_at))) || ' hours after recall '
            || recall_uid || ' had shown these words' as reason
    from echoes
    union all
    select memory_id, 'duplicate', others, 'the same words as ' || other_uid
        || iif(others > 1, ' and ' || (others - 1) || ' more', '') from again
    union all
    select memory_id, 'never_shown', times_considered,
        'considered in ' || times_considered || ' recalls and shown in none, ' || days || ' days old' from unseen
    union all
    select memory_id, 'ignored', shown,
        iif(weight_against > weight_for and weight_against >= 1,
            printf('evidence against it weighs %.1f, for it %.1f', weight_against, weight_for),
            printf('shown to an agent %d times, never cited, used or confirmed; %.1f times were to be expected',
                shown, shown * rate))
    from weighed join citing
    where shown >= 5 and used = 0 and shown * rate >= 3 or weight_against > weight_for and weight_against >= 1
)
select f.junk, m.uid, m.kind, m.title, p.name as project, f.reason, f.number, g.method, g.version, g.model, g.rule,
    g.extraction_run_id, g.is_protected, m.created_at, m.id as memory_id
from found f
join memories m on m.id = f.memory_id
join memory_origins g on g.memory_id = f.memory_id
left join projects p on p.id = m.project_id
"""

OBEYED = """
with shown as (
    select memory_id, count(*) as times_shown, count(distinct coalesce(session_uid, recall_uid)) as sessions_shown,
        sum(cited) as times_cited, sum(used) as times_used, sum(confirmed) as times_confirmed,
        sum(corrected_again) as times_corrected_again, sum(wrong) as times_wrong,
        count(distinct iif(cited or used, coalesce(session_uid, recall_uid), null)) as sessions_obeyed
    from showings group by memory_id
)
select m.uid, m.kind, m.title, p.name as project, m.lock_level,
    case when s.times_corrected_again > s.sessions_obeyed then 'no'
        when s.times_corrected_again > 0 then 'not always'
        when s.sessions_obeyed > 0 then 'yes' else 'no sign' end as obeyed,
    s.times_shown, s.sessions_shown, s.sessions_obeyed, s.times_cited, s.times_used, s.times_confirmed,
    s.times_corrected_again,
    (select count(*) from weak_labels l where l.kind = 'broken' and l.memory_id = m.id) as times_broken,
    s.times_wrong, m.status, m.id as memory_id
from shown s join memories m on m.id = s.memory_id left join projects p on p.id = m.project_id
"""

YIELD = """
with kept as (
    select distinct r.method, r.version, r.model, d.memory_id
    from candidates c join extraction_runs r on r.id = c.extraction_run_id
    join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
    where d.action in ('add', 'merge', 'supersede') and d.memory_id is not null
)
select method as prompt, version, model,
    sum((select count(*) from memory_versions v join hits h on h.memory_version_id = v.id and h.rank is not null
        where v.memory_id = kept.memory_id)) as times_shown,
    sum((select count(*) from evidence e where e.memory_id = kept.memory_id and e.kind = 'cited'
        and e.withdrawn_at is null)) as times_cited
from kept group by method, version, model order by method, version, model
"""

SURFACES = ("hook", "hook", "hook", "mcp", "session-start", "ask", "llm", "cli", "brief")

EVIDENCE = {
    "cited": "for", "used": "for", "confirmed": "for", "said": "for", "repeated": "against", "wrong": "against",
    "contradicted": "against",
}  # fmt: skip


def add_chance(db: sqlite3.Connection, chance: Random) -> None:
    """Projects, memories in some words more than once, and what recalls showed of them and what came of it."""
    db.executemany(
        "insert into projects (id, name, canonical_path, created_at) values (?, ?, ?, '')",
        [(100, "quay", "/quay"), (101, "mole", "/mole")],
    )
    for number in range(1000, 1024):
        add_memory(db, chance, number)
    versions = [row[0] for row in db.execute("select id from memory_versions where memory_id >= 1000")]
    for number in range(1000, 1000 + chance.choice([60, 250])):
        add_recall(db, chance, number, chance.sample(versions, 8))


def add_memory(db: sqlite3.Connection, chance: Random, number: int) -> None:
    """A memory, found by a rule or a model, that was perhaps said by somebody and perhaps changed since."""
    scope, at = chance.choice(["user", "project"]), utc_text(NOW - timedelta(days=chance.randrange(90)))
    run = db.execute(
        "insert into extraction_runs (method, version, model, started_at) values (?, ?, ?, ?)",
        [chance.choice(["rules", "model"]), str(chance.randrange(2)), chance.choice([None, "small", "large"]), at],
    ).lastrowid
    db.execute(
        "insert into memories (id, uid, kind, scope, project_id, status, title, text, tokens, origin, content_hash,"
        " valid_from, changed_by, change_reason, created_at, updated_at) values (:id, 'm' || :id, 'fix', :scope,"
        " :project, :status, :id, :id, 9, 'rules', :hash, :at, 'gate', '', :at, :at)",
        {"id": number, "scope": scope, "project": None if scope == "user" else chance.choice([100, 101]), "at": at,
         "status": chance.choice(["active", "active", "active", "retired"]), "hash": f"words {chance.randrange(30)}"},
    )  # fmt: skip
    if chance.random() < 0.4:
        db.execute("update memories set text = text || ' now', updated_at = updated_at || 'z' where id = ?", [number])
    db.execute("insert into sessions (id, uid, format) values (:id, 's' || :id, 'claude-code')", {"id": number})
    db.execute(
        "insert into entries (id, uid, session_id, role, kind, text, created_at)"
        " values (:id, 'e' || :id, :id, :role, 'reply', :id, :at)",
        {"id": number, "role": chance.choice(["user", "assistant"]), "at": at},
    )
    db.execute(
        "insert into candidates (id, uid, extraction_run_id, entry_id, kind, scope, title, text, quote, importance,"
        " rule, created_at) values (:id, 'c' || :id, :run, :id, 'fix', 'user', '', '', '', 3, '', :at)",
        {"id": number, "run": run, "at": at},
    )
    db.execute(
        "insert into decisions (candidate_id, action, memory_id, reason, decided_by, decided_at)"
        " values (?, ?, ?, '', 'gate', ?)",
        [number, chance.choice(["add", "merge", "reject"]), chance.choice([None, number, 1000]), at],
    )
    if chance.random() < 0.8:
        db.execute(
            "insert into memory_sources (memory_id, candidate_id, entry_id, quote, created_at) values (?, ?, ?, '', ?)",
            [number, chance.choice([None, number]), number, at],
        )


def add_recall(
    db: sqlite3.Connection, chance: Random, number: int, versions: list[int], *, takes_back: bool = True
) -> None:
    """A recall of an agent or a person with its hits, and evidence that came of some, of which some is taken back."""
    at = utc_text(NOW - timedelta(days=chance.randrange(90)))
    db.execute(
        "insert into recalls (id, uid, query, scope, surface, profile_id, context, features, considered_count,"
        " left_out, asked_at, duration_ms, session_uid) values (:id, 'r' || :id, '', 'all', :surface, 1, '{}', '{}', 8,"
        " '[]', :at, 1, :session)",
        {"id": number, "surface": chance.choice(SURFACES), "at": at,
         "session": chance.choice([None, *(f"session {each}" for each in range(30))])},
    )  # fmt: skip
    for position, version in enumerate(versions):
        is_shown = version % 5 > 0 and chance.random() < 0.5
        db.execute(
            "insert into hits (recall_id, memory_version_id, position, rank, left_out_reason, logged_score, features,"
            " signals) values (?, ?, ?, ?, ?, 0, '{}', '{}')",
            [number, version, position, position if is_shown else None, None if is_shown else "budget"],
        )
        if chance.random() < (0.25 if version % 3 else 0.02):
            kind = chance.choice(list(EVIDENCE))
            db.execute(
                "insert into evidence (memory_id, kind, direction, weight, source, recall_id, created_at, withdrawn_at)"
                " select memory_id, ?, ?, ?, ?, ?, ?, ? from memory_versions where id = ?",
                [kind, EVIDENCE[kind], chance.choice([0, 0.5, 1.5]), f"{number} {position}",
                 chance.choice([number, number, None]), at,
                 chance.choice([None, None, None, at]) if takes_back else None, version],
            )  # fmt: skip


@pytest.fixture(params=range(8))
def chance_db(request: pytest.FixtureRequest, db: sqlite3.Connection) -> sqlite3.Connection:
    """A file of rows by chance."""
    with transaction(db):
        add_chance(db, Random(request.param))
    return db


def check(db: sqlite3.Connection) -> None:
    """That each view has the rows of its plain form."""
    junk = "select * from junk_candidates"
    assert sorted(map(repr, tuples(db, junk))) == sorted(map(repr, tuples(db, JUNK)))
    assert sorted(map(repr, tuples(db, "select * from obeyed"))) == sorted(map(repr, tuples(db, OBEYED)))
    sums = "select coalesce(sum(sessions_obeyed), 0), coalesce(sum(sessions_shown), 0) from obeyed"
    counted = obeyed(db)
    assert tuples(db, sums) == [(len(counted.obeyed), len(counted.shown))]
    judged = kept_junk.junk(db)
    assert judged.found == {row[0] for row in tuples(db, "select memory_id from junk_candidates")}
    rate = "select shown, citations from citation_rate"
    shown = sum(shown - to_others for _, shown, to_others in judged.showings.values())
    assert tuples(db, rate) == [(shown, judged.citations)]
    names = "prompt, version, model, times_shown, times_cited"
    found = tuples(db, f"select {names} from prompt_yield where candidates > 0 order by prompt, version, model")
    wanted = {row[:3]: row[3:] for row in tuples(db, YIELD)}
    assert found == [(*row[:3], *wanted.get(row[:3], (0, 0))) for row in found]
    assert economics.prompts(db) == rows(db, economics.PROMPTS, {"most": economics.LISTED})


def tuples(db: sqlite3.Connection, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute(sql)]


def test_of_the_sample(sample_db: sqlite3.Connection) -> None:
    check(sample_db)
    assert one(sample_db, "select sum(sessions_shown) from obeyed") > 0


def test_of_rows_by_chance(chance_db: sqlite3.Connection) -> None:
    check(chance_db)


def test_what_pages_keep_is_led_on(chance_db: sqlite3.Connection, request: pytest.FixtureRequest) -> None:
    """Recalls with evidence of what came of them, and memories, come after what was counted."""
    chance = Random(request.node.name)
    versions = [row[0] for row in tuples(chance_db, "select id from memory_versions where memory_id >= 1000")]
    ways = {"obeyed": (obeyed, obeyed_on), "junk": (kept_junk.junk, kept_junk.junk_on),
            "prompts": (economics.prompts, prompts_on)}  # fmt: skip
    kept = {name: made_with(chance_db, make) for name, (make, _) in ways.items()}
    for number in range(2000, 2000 + chance.choice([1, 3, 40])):
        add_recall(chance_db, chance, number, chance.sample(versions, 8), takes_back=False)
    added = chance.choice([0, 0, 2])
    for number in range(2000, 2000 + added):
        add_memory(chance_db, chance, number)
    for name, (make, onward) in ways.items():
        before, marked = kept[name]
        now = marks(chance_db, (marked or {}).keys() - {BOOKS_MARK, ROWS_MARK})
        assert marked is not None and now is not None
        since = Since(marked, now)
        after = onward(chance_db, before, since)
        assert after is not None or (added and name != "obeyed"), "a memory that a run brings is no recall"
        assert after is None or after == make(chance_db)


def test_chance_has_every_sort(db: sqlite3.Connection) -> None:
    sorts: set[str] = set()
    for seed in range(8):
        db.execute("savepoint before")
        add_chance(db, Random(seed))
        sorts |= {f"{junk}, {reason[:5]}" for junk, reason in tuples(db, "select junk, reason from junk_candidates")}
        sorts |= {str(row[0]) for row in tuples(db, "select obeyed from obeyed")}
        db.execute("rollback to before")
    assert sorts == {
        "echo, said ", "duplicate, the s", "never_shown, consi", "ignored, shown", "ignored, evide", "yes", "no",
        "not always", "no sign",
    }  # fmt: skip
