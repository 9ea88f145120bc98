"""Derives everything again and lists what disagrees.

Findings, none on a healthy file. Nothing is changed: what has to write to look
(full text's own check) is rolled back, and left out where nobody may write.
To check one more, add to `CHECKS` what must hold, and what gives (where, detail).
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice

from memory_db.index import grams
from memory_db.index.semantic import SORTS, has_llm_tables
from memory_db.knowledge.evidence import SAID, STATED_WEIGHT
from memory_db.knowledge.graph import entities
from memory_db.knowledge.succession import UNFIT
from memory_db.recall import scoring
from memory_db.recall.features import HitFeatures, QueryFeatures
from memory_db.store.schema import PRIMARY_CODE, in_step, wanted_objects
from memory_db.store.versions import VERSIONED
from memory_db.text.static_vectors import DIMENSIONS
from memory_db.upkeep.scan_places import PLACES, WAYS

TOLERANCE = 1e-9
"""How far two ways to the same number may differ: rounding of doubles, and nothing else."""

SHOWN = 20
"""Findings that one check lists; the rest are counted."""

NEWEST = 2_000
"""Rows of each text that are scanned for secrets again unless the check is thorough."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where something does not hold: what should, where it does not, in which way."""

    what: str
    where: str
    detail: str


Found = Iterable[tuple[str, str]]
Check = Callable[[sqlite3.Connection, bool], Found]


def check(db: sqlite3.Connection, *, thorough: bool = False) -> list[Violation]:
    """Everything that disagrees, in the order of `CHECKS`; with `thorough` every text is scanned, however old."""
    return [finding for what, function in CHECKS.items() for finding in run_check(db, what, function, thorough)]


def run_check(db: sqlite3.Connection, what: str, function: Check, thorough: bool) -> Iterator[Violation]:
    """The findings of one check; one that cannot be made is a finding too."""
    try:
        places = iter(function(db, thorough))
        for where, detail in islice(places, SHOWN):
            yield Violation(what, where, detail)
        more = sum(1 for _ in places)
    except (sqlite3.Error, ValueError, TypeError, AttributeError) as error:  # the last two: JSON of another shape
        yield Violation(what, "the whole file", f"cannot be checked: {error}")
        return
    if more:
        yield Violation(what, f"{more:,} more places", f"only the first {SHOWN} are listed")


def query(sql: str) -> Check:
    """A check that a query makes; it gives (where, detail) of what is wrong."""

    def places(db: sqlite3.Connection, thorough: bool) -> Found:
        for where, detail in db.execute(sql):
            yield str(where), str(detail)

    return places


# --------------------------------------------------------------- the file itself


def sound(db: sqlite3.Connection, thorough: bool) -> Found:
    """What SQLite itself finds damaged."""
    for row in db.execute("pragma integrity_check"):
        if row[0] != "ok":
            yield "file", row[0]


def references(db: sqlite3.Connection, thorough: bool) -> Found:
    """Rows that refer to a row that is not there."""
    for table, rowid, parent, _ in db.execute("pragma foreign_key_check"):
        yield f"{table} {rowid}", f"refers to a row of {parent} that is not there"


FULL_TEXTS = {"entry_fts": "entry_texts", "memory_fts": "memory_versions", "memory_now_fts": "memories"}


def full_text(db: sqlite3.Connection, thorough: bool) -> Found:
    """Full-text tables that do not cover their texts, by number and by FTS5's own comparison."""
    for index, texts in FULL_TEXTS.items():
        indexed = db.execute(f"select count(*) from {index}_docsize").fetchone()[0]
        there = db.execute(f"select count(*) from {texts}").fetchone()[0]
        if indexed != there:
            yield index, f"{indexed:,} texts are indexed, {there:,} are there; {REBUILD.format(index)}"
        elif not full_text_agrees(db, index):
            yield index, f"its words are not those of its texts; {REBUILD.format(index)}"
    yield from grams.unlike(db)


REBUILD = "fix it with `insert into {0}({0}) values ('rebuild')`"


def full_text_agrees(db: sqlite3.Connection, index: str) -> bool:
    """FTS5's comparison of a full text with its texts; taken as agreed where the connection may not write.

    FTS5 takes this question as an insert that writes nothing. Raises: sqlite3.Error.
    """
    db.execute("savepoint comparison")
    try:
        db.execute(f"insert into {index}({index}, rank) values ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        code = error.sqlite_errorcode & PRIMARY_CODE
        if code not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT):
            raise
        return code == sqlite3.SQLITE_READONLY
    finally:
        db.execute("rollback to comparison")
        db.execute("release comparison")
    return True


def schema(db: sqlite3.Connection, thorough: bool) -> Found:
    """Views and triggers that are missing or say something else than this code, and rows it should have added."""
    there = {row["name"]: row["sql"] or "" for row in db.execute("select name, sql from sqlite_master")}
    wanted = wanted_objects()
    for name, (kind, sql) in wanted.items():
        if there.get(name, "").lower() != sql.lower():
            yield f"{kind} {name}", "is missing" if name not in there else "says something else"
    if not in_step(db):
        yield "schema_objects, kinds, profiles", "are out of date; any command that writes updates them"


JSON_COLUMNS = {
    "hits": ("features", "signals"),
    "recalls": ("context", "features", "left_out"),
    "profiles": ("weights",),
    "candidates": ("keys", "paths", "tags"),
    "memories": ("keys",),
    "settings": ("value",),
    "runs": ("counts",),
    "jobs": ("payload",),
    "procedures": ("failed_before",),
}


def json_columns(db: sqlite3.Connection, thorough: bool) -> Found:
    """Cells that should hold JSON and do not."""
    for table, columns in JSON_COLUMNS.items():
        for column in columns:
            for row in db.execute(f"select rowid, {column} from {table} where not json_valid({column})"):
                yield f"{table} {row[0]}, {column}", f"is not JSON: {str(row[1])[:60]!r}"


# ------------------------------------------------------------------------ recall

LOGGED_HITS = """
select r.uid || ', position ' || h.position as place, h.features, h.signals, r.features as query_features
from hits h join recalls r on r.id = h.recall_id
"""


def logged_signals(db: sqlite3.Connection, thorough: bool) -> Found:
    """Logged signals that today's functions do not give for the logged features."""
    for row in db.execute(LOGGED_HITS):
        logged: dict[str, float] = json.loads(row["signals"])
        try:
            again = scoring.signals(query_of(json.loads(row["query_features"])), hit_of(json.loads(row["features"])))
        except (TypeError, ArithmeticError) as error:
            yield row["place"], f"the features cannot be read: {error}"
            continue
        for name in logged.keys() & again.keys():
            if abs(logged[name] - again[name]) > TOLERANCE:
                yield row["place"], f"{name} was logged as {logged[name]:.12g} and is {again[name]:.12g}"


def query_of(features: Mapping[str, object]) -> QueryFeatures:
    """The features of a question as they were before they were logged, without what its hits are. Raises: TypeError."""
    terms, known = features.get("terms"), {field.name for field in fields(QueryFeatures)}
    given = {name: value for name, value in features.items() if name in known}
    return QueryFeatures(**{**given, "terms": tuple(terms) if isinstance(terms, list) else ()})  # type: ignore[arg-type]


def hit_of(features: Mapping[str, object]) -> HitFeatures:
    """The features of a hit as they were before they were logged; of an older version's, those that are known.

    Raises: TypeError.
    """
    known = {field.name for field in fields(HitFeatures)}
    return HitFeatures(**{name: value for name, value in features.items() if name in known})  # type: ignore[arg-type]


def profile_weights(db: sqlite3.Connection, thorough: bool) -> Found:
    """Profiles whose weights are not shares of one, or are of signals that nothing gives."""
    for row in db.execute("select * from profiles"):
        weights: dict[str, float] = json.loads(row["weights"])
        place = f"{row['name']}@{row['version']}"
        for name, weight in weights.items():
            if weight < 0:
                yield place, f"the weight of {name} is {weight}, below 0"
            if name not in scoring.SIGNALS:
                yield place, f"{name} has a weight and is no signal"
        if abs(sum(weights.values()) - 1) > TOLERANCE:
            yield place, f"the weights sum to {sum(weights.values()):.12g}, not 1"


# --------------------------------------------------------------------- knowledge

CURRENT_VERSIONS = f"""
select 'memory ' || m.uid, case when v.id is null then 'has no current version'
    else 'differs from version ' || v.version || ' in' || {
    " || ".join(f"case when m.{column} is v.{column} then '' else ' {column}' end" for column in VERSIONED)
} end
from memories m left join memory_versions v on v.memory_id = m.id and v.recorded_to is null
where v.id is null or not ({" and ".join(f"m.{column} is v.{column}" for column in VERSIONED)})
"""

VERSION_CHAIN = """
select 'memory version ' || id, 'is version ' || version || ' at place ' || place || ', from ' || recorded_from
    || ' to ' || coalesce(recorded_to, 'now') || ', after one that ended ' || coalesce(ended, 'never')
from (
    select v.*, row_number() over one as place, lag(recorded_to) over one as ended
    from memory_versions v window one as (partition by memory_id order by version)
)
where version <> place or (place > 1 and ended is not recorded_from) or recorded_to < recorded_from
"""


def beliefs(db: sqlite3.Connection, thorough: bool) -> Found:
    """Beliefs that are not the prior of their kind and tier plus the evidence that counts, or are certain."""
    sums: dict[tuple[int, str], float] = defaultdict(float)
    tiers: dict[int, str] = {}
    for row in db.execute("select * from evidence where withdrawn_at is null order by id"):
        sums[row["memory_id"], row["direction"]] += row["weight"]
        if row["kind"] == "confirmed":
            tiers[row["memory_id"]] = "explicit"
        elif row["kind"] in SAID and row["weight"] >= STATED_WEIGHT["user"]:
            tiers.setdefault(row["memory_id"], "signals")
    factors = dict(map(tuple, db.execute("select name, prior_factor from tiers")))
    for row in db.execute(
        "select b.uid, b.memory_id, b.alpha, b.beta, b.confidence, k.prior_alpha, k.prior_beta, m.origin, m.lock_level"
        " from beliefs b join memories m on m.id = b.memory_id join kinds k on k.name = m.kind"
    ):
        by_user = "user" in (row["origin"], row["lock_level"])
        tier = "explicit" if by_user else tiers.get(row["memory_id"], "inferred")
        alpha = row["prior_alpha"] * factors[tier] + sums[row["memory_id"], "for"]
        beta = row["prior_beta"] + sums[row["memory_id"], "against"]
        if max(abs(row["alpha"] - alpha), abs(row["beta"] - beta)) > TOLERANCE:
            view = f"alpha, beta are {row['alpha']}, {row['beta']}"
            yield f"memory {row['uid']}", f"{view}; prior and evidence give {alpha}, {beta}"
        if not 0 < (row["confidence"] or 0) < 1:
            yield f"memory {row['uid']}", f"confidence is {row['confidence']}, not between 0 and 1"


# ------------------------------------------------------------------------- index


def embeddings(db: sqlite3.Connection, thorough: bool) -> Found:
    """Embeddings of ours whose text is gone."""
    if not has_llm_tables(db):
        return
    for sort, table in zip(SORTS, ("memory_versions", "entries"), strict=True):
        for row in db.execute(
            "select c.name, e.id from embeddings e join collections c on c.id = e.collection_id"
            f" where c.name = ? || '/' || c.model and e.id not in (select cast(id as text) from {table})",
            [sort],
        ):
            yield f"{row['name']}, id {row['id']}", f"no such row of {table}; `memory-db run --only index` removes it"


# ----------------------------------------------------------------------- secrets


def secrets(db: sqlite3.Connection, thorough: bool) -> Found:
    """Texts that redaction would still change: a secret, an injected block, what SQLite cannot keep."""
    limit = -1 if thorough else NEWEST
    for place in PLACES:
        columns = ", ".join(place.ways)
        sql = f"select {place.key} as scan_key, {columns} from {place.table} order by {place.key} desc limit ?"
        for row in db.execute(sql, [limit]):
            for column, way in place.ways.items():
                text = row[column] if isinstance(row[column], str) else ""
                cleaned, findings = WAYS[way](text)
                if cleaned != text:
                    rules = ", ".join(sorted({finding.rule for finding in findings})) or "redaction"
                    detail = f"{rules} would change it; `memory-db file scan --thorough` takes it out"
                    yield f"{place.table} {row['scan_key']}, {column}", detail


# --------------------------------------------------------------------- the table

CHECKS: dict[str, Check] = {
    "SQLite finds the file sound": sound,
    "every reference leads to a row": references,
    "full text covers every text": full_text,
    "views, triggers, kinds and profiles are ours": schema,
    "JSON is JSON": json_columns,
    "a logged score is its signals times their weights": query(
        f"""select r.uid || ', hit ' || s.hit_id, 'logged as ' || s.logged_score || ', is ' || s.score
        from recall_scores s join recalls r on r.id = s.recall_id
        where s.score is null or abs(s.score - s.logged_score) > {TOLERANCE}"""
    ),
    "a logged signal follows from its features": logged_signals,
    "a signal is between 0 and 1": query(
        """select r.uid || ', position ' || h.position, s.key || ' is ' || coalesce(s.value, 'null')
        from hits h join recalls r on r.id = h.recall_id, json_each(h.signals) s
        where s.type not in ('real', 'integer') or s.value not between 0 and 1"""
    ),
    "positions follow scores": query(
        """select uid || ', position ' || position, 'scores ' || logged_score || ', the one before ' || before
        from (select r.uid, h.position, h.logged_score, lag(h.logged_score) over (
            partition by h.recall_id order by h.position) as before from hits h join recalls r on r.id = h.recall_id)
        where logged_score > before"""
    ),
    "a recall counts what it considered": query(
        """select uid, considered_count || ' considered, ' || shown || ' shown, ' || left_out || ' left out' from (
            select r.uid, r.considered_count, (select coalesce(sum(value), 0) from json_each(r.left_out)) as left_out,
                (select count(*) from hits h where h.recall_id = r.id and h.rank is not null) as shown from recalls r)
        where shown + left_out > considered_count"""
    ),
    "weights are shares of one": profile_weights,
    "every candidate has a decision": query(
        """select 'candidate ' || uid, 'no decision; `memory-db run` decides' from candidates
        where id not in (select candidate_id from decisions)"""
    ),
    "a decision to keep names its memory": query(
        """select 'candidate ' || c.uid, d.action || ' without a memory' from decisions d
        join candidates c on c.id = d.candidate_id
        where d.action in ('add', 'merge', 'supersede', 'duplicate') and d.memory_id is null
            and d.id = (select max(id) from decisions where candidate_id = c.id)"""
    ),
    "a memory is its current version": query(CURRENT_VERSIONS),
    "versions follow each other": query(VERSION_CHAIN),
    "what is superseded has a successor": query(UNFIT),
    "a quote is in its entry": query(
        """select 'memory ' || m.uid || ', entry ' || e.uid, 'does not say ' || quote(substr(s.quote, 1, 80))
        from memory_sources s join memories m on m.id = s.memory_id join entries e on e.id = s.entry_id
        where instr(e.text, s.quote) = 0 and instr(e.text, '[forgotten]') = 0
        union all
        select 'candidate ' || c.uid || ', entry ' || e.uid, 'does not say ' || quote(substr(c.quote, 1, 80))
        from candidates c join entries e on e.id = c.entry_id
        where instr(e.text, c.quote) = 0 and instr(e.text, '[forgotten]') = 0"""
    ),
    "a belief is its prior and its evidence": beliefs,
    "evidence is of a kind that is known": query(
        """select 'evidence ' || id, 'is of kind ' || kind || ', which is no row of evidence_kinds' from evidence
        where kind not in (select name from evidence_kinds)"""
    ),
    "every API call belongs to a session": query(
        """select 'API call ' || message_uid, 'session ' || session_id || ' is not there' from api_calls
        where session_id not in (select id from sessions)"""
    ),
    "an action's result is a result": query(
        """select 'action ' || a.uid, case when r.id is null then 'its result is not there'
            when r.kind <> 'tool_result' then 'its result is an entry of kind ' || r.kind
            else 'whether it failed is not known' end
        from actions a left join entries r on r.id = a.result_entry_id
        where a.result_entry_id is not null and (r.id is null or r.kind <> 'tool_result' or a.is_error is null)"""
    ),
    "every entry has one place in its session": query(
        """select 'entry ' || e.uid, 'has no place in its session' from entries e
        where not exists (select 1 from session_entries s where s.entry_id = e.id and s.session_id = e.session_id)
        union all
        select 'session ' || s.uid || ', position ' || p.position, count(*) || ' entries stand there'
        from session_entries p join sessions s on s.id = p.session_id
        group by p.session_id, p.position having count(*) > 1"""
    ),
    "static vectors fit and belong to a text": query(
        f"""select 'static vector ' || v.id, case when length(vector) not in (0, {DIMENSIONS})
                then 'has ' || length(vector) || ' numbers, not {DIMENSIONS}' else 'its text is not there' end
        from static_vectors v where length(vector) not in (0, {DIMENSIONS})
            or (memory_version_id is not null and memory_version_id not in (select id from memory_versions))
            or (entry_id is not null and entry_id not in (select id from entries))"""
    ),
    "embeddings belong to a text": embeddings,
    "a project's name is its own": query(
        """select 'project ' || min(name), count(*) || ' projects have that name: '
            || group_concat(canonical_path, ', ') || '; make them one with `memory-db project merge PATH PATH`'
        from projects group by lower(name) having count(*) > 1"""
    ),
    "a memory names what its rows say": lambda db, thorough: entities.unlike(db),
    "a procedure counts its actions": query(
        """select 'procedure ' || uid, 'its actions have other counts: `memory-db run --only index`' from procedures d
        where (successes, failures) <> (select sum(outcome = 'succeeded'), sum(outcome = 'failed')
            from procedure_actions where procedure_id = d.id)"""
    ),
    "no text holds what redaction removes": secrets,
}
"""What must hold, and how it is found out where it does not."""
