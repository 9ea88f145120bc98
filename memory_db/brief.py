"""From scored hits to what is shown, and the log of both.

In: `Recalled`. Out: `Answer`: the hits in order with rank or the reason why
not, the text an agent reads, and its price in tokens. One transaction logs the
recall with every number that it came from. Nothing here changes a score.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
import zlib
from collections import Counter
from datetime import datetime

from memory_db.connection import id_list, transaction
from memory_db.dates import parse_utc, utc_text
from memory_db.hits import ScoredHit, select_in
from memory_db.parts import sources_sql
from memory_db.recall import Profile, Question, Recalled, Semantic, complete, recall
from memory_db.redact import RULES_VERSION, Finding, clean, find_injection
from memory_db.startup import dataclass, field, later, replace
from memory_db.suppressions import SUPPRESSED, held_back

KEPT = 50
"""Best hits of a recall that are logged though they were not shown; the rest are counted."""

LINE_CHARACTERS = 400
"""How much of one hit's text stands in a brief."""

REPLACED_CHARACTERS = 60
"""How much of the title of what it replaced stands there."""

UNLOGGED = "r00000000"
"""What a brief calls itself when nothing was logged; as long as a recall's uid."""

MARK = later(r"<(/?)memory-brief", re.IGNORECASE)
"""What a brief begins and ends with."""

OVER_LIMIT = "beyond the limit"
BELOW_THRESHOLD = "below the threshold"
OVER_BUDGET = "over the token budget"
SAME_TEXT = "same text as {}"
SOURCE_OF = "source of {}"
OTHER_PROJECT = "of another project"
STEERS = "tries to steer an agent ({})"
COUNTED_REASONS = (OVER_LIMIT, BELOW_THRESHOLD, OTHER_PROJECT)
"""Reasons that may hold for hundreds of hits: only the best of those are kept as rows."""


@dataclass(slots=True)
class Answer:
    """What one question brought.

    `hits` are the shown ones in order, then the kept ones that were not shown, each with its reason.
    `left_out` counts all that were considered and not shown, by reason.
    """

    question: Question
    profile: Profile
    recalled: Recalled
    hits: list[ScoredHit]
    left_out: dict[str, int]
    considered_count: int
    abstained: bool
    text: str
    tokens: int
    duration_ms: float
    recall_id: int | None = None
    recall_uid: str | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def shown(self) -> list[ScoredHit]:
        """The hits that were shown, in order."""
        return [hit for hit in self.hits if hit.rank is not None]


def ask(
    db: sqlite3.Connection,
    question: Question,
    *,
    surface: str,
    now: datetime,
    semantic: Semantic | None = None,
    log: bool = True,
    keep: int = KEPT,
) -> Answer:
    """The answer to a question, logged unless told otherwise (then the connection may be read-only).

    `keep` is how many of the best hits are kept though they are not shown.
    What was not logged has no uid yet; `log_recall` gives it one later, through another connection if need be.
    Raises: QueryError, InputError, NotFoundError.
    """
    started = time.perf_counter()
    query, findings = clean(question.query)
    kinds, tags, paths = (
        tuple(clean(text)[0] for text in texts) for texts in (question.kinds, question.tags, question.paths)
    )
    question = replace(question, query=query, kinds=kinds, tags=tags, paths=paths)
    recalled = recall(db, question, now=now, semantic=semantic)
    moment = moment_of(recalled.question, now)
    kept = choose(db, recalled, moment, keep)
    shown = [hit for hit in kept if hit.rank is not None]
    text = brief_text(shown, None, moment)
    counts: Counter[str] = Counter()
    for reason, count in Counter(hit.left_out_reason for hit in recalled.hits if hit.left_out_reason).items():
        counts[reason_class(reason)] += count
    answer = Answer(
        question=recalled.question,
        profile=recalled.profile,
        recalled=recalled,
        hits=kept,
        left_out=dict(sorted(counts.items())),
        considered_count=len(recalled.hits),
        abstained=not shown,
        text=text,
        tokens=estimated_tokens(text),
        duration_ms=(time.perf_counter() - started) * 1000,
        findings=findings,
    )
    if log:
        log_recall(db, answer, surface=surface, now=now)
    return answer


def choose(db: sqlite3.Connection, recalled: Recalled, moment: datetime, keep: int = KEPT) -> list[ScoredHit]:
    """The hits worth keeping: those shown, with their rank, then the best of the others and all left out by a rule.

    Goes down the order of scores until the limit is reached; what says the same as a shown hit, or is the entry
    that a shown memory was made from, is passed over with that reason; so is a text that gives an agent orders, for
    whoever wrote a README or a web page must not speak through memory; so is what a person holds back for such
    questions.
    """
    question, hits = recalled.question, recalled.hits
    barred = held_back(db, " ".join((question.query, *recalled.query_features.corrected.values())), moment)
    fill_in(db, hits[: max(keep, 2 * question.limit)], question.as_of)
    shown_texts: dict[str, str] = {}
    shown_sources: dict[int, str] = {}
    spent, rank = estimated_tokens(brief_around([], UNLOGGED)), 0
    for hit in hits:
        if barred and (why := barred.get((hit.type, hit.memory_version_id or hit.entry_id or 0))):
            hit.left_out_reason = SUPPRESSED.format(why)
        elif hit.score < recalled.profile.threshold:
            hit.left_out_reason = BELOW_THRESHOLD
        elif rank >= question.limit:
            hit.left_out_reason = OVER_LIMIT
        elif not question.other_projects and not hit.features.holds_here():
            hit.left_out_reason = OTHER_PROJECT
        else:
            if not hit.uid:
                fill_in(db, [hit], question.as_of)
            text = " ".join(hit.text.casefold().split())
            cost = estimated_tokens(brief_line(hit, moment) + "\n")
            if text in shown_texts:
                hit.left_out_reason = SAME_TEXT.format(shown_texts[text])
            elif steering := find_injection(hit.text):
                hit.left_out_reason = STEERS.format(steering[0].rule)
            elif hit.entry_id in shown_sources:
                hit.left_out_reason = SOURCE_OF.format(shown_sources[hit.entry_id])
            elif question.budget_tokens is not None and spent + cost > question.budget_tokens:
                hit.left_out_reason = OVER_BUDGET
            else:
                rank += 1
                hit.rank = rank
                spent += cost
                shown_texts[text] = hit.uid
                shown_sources.update(dict.fromkeys(hit.source_entry_ids, hit.uid))
    kept = [hit for hit in hits if hit.position <= keep or hit.left_out_reason not in COUNTED_REASONS]
    fill_in(db, [hit for hit in kept if not hit.uid], question.as_of)
    complete(db, recalled, kept)
    return sorted(kept, key=lambda hit: (hit.rank is None, hit.rank or hit.position))


def fill_in(db: sqlite3.Connection, hits: list[ScoredHit], as_of: str | None = None) -> None:
    """Adds what a reader sees of a hit: its text, uid, project and date; its sources as of a moment, if given."""
    memories = {hit.memory_version_id: hit for hit in hits if hit.memory_version_id is not None}
    entries = {hit.entry_id: hit for hit in hits if hit.entry_id is not None}
    for row in select_in(db, MEMORY_ROWS.format(sources=sources_sql(as_of)), memories):
        hit = memories[row["id"]]
        hit.uid, hit.title, hit.text, hit.kind = row["uid"], row["title"], row["text"], row["kind"]
        hit.project, hit.created_at, hit.tokens = row["project"], row["valid_from"], row["tokens"]
        hit.valid_to = row["valid_to"]
        hit.session_uid = row["session_uid"]
        hit.source_entry_ids = frozenset(json.loads(row["source_entry_ids"]))
    tell_replaced(db, [hit for hit in memories.values() if hit.replaces])
    tell_contradicted(db, memories, as_of)
    for row in select_in(db, ENTRY_ROWS, entries):
        hit = entries[row["id"]]
        hit.uid, hit.title, hit.text, hit.kind = row["uid"], row["role"], row["text"], row["kind"]
        hit.project, hit.created_at, hit.session_uid = row["project"], row["created_at"], row["session_uid"]
        hit.tokens = estimated_tokens(row["text"])


def tell_replaced(db: sqlite3.Connection, hits: list[ScoredHit]) -> None:
    """Says of hits that were found by what they replaced what that was and until when it held.

    A hit that shares a word with the question, or is nearer by itself, says nothing of it: characters are dear.
    """
    found = {row["id"]: row for row in select_in(db, REPLACED_ROWS, {old for hit in hits for old in hit.replaces})}
    for hit in hits:
        numbers = hit.features
        by_words = (numbers.outdated_bm25 or 0.0) > numbers.context_bm25
        if not numbers.bm25 and (by_words or (numbers.outdated_cosine or 0.0) > (numbers.cosine or 0.0)):
            newest = max((found[old] for old in hit.replaces), key=lambda row: (row["valid_to"] or "", row["id"]))
            title = inert(" ".join(newest["title"].split()))
            if not find_injection(title):
                hit.replaced = f"replaces: {title[:REPLACED_CHARACTERS]}, until {(newest['valid_to'] or '')[:10]}"


def tell_contradicted(db: sqlite3.Connection, hits: dict[int, ScoredHit], as_of: str | None) -> None:
    """Says of memories, by version, which other one contradicts them until a person has decided."""
    ids = id_list(hits)
    if ids:
        waits = WAITS if as_of is None else WAITED
        parts = (CONTRADICTED.format(own=own, other=other, waits=waits, ids=ids) for own, other in SIDES)
        for row in db.execute(" union all ".join(parts), {"as_of": as_of} if as_of else {}):
            hits[row[0]].contradicted = row[1]


SIDES = (("memory_id", "other_memory_id"), ("other_memory_id", "memory_id"))

CONTRADICTED = """
select v.id, m.uid from memory_versions v join contradictions c on c.{own} = v.memory_id
join memories m on m.id = c.{other} where {waits} and v.id in ({ids})
"""

WAITS = "c.state = 'open' and m.status = 'active'"

WAITED = """c.found_at <= :as_of and coalesce(c.resolved_at > :as_of, 1) and m.id in (select memory_id
    from memory_versions where status = 'active' and recorded_from <= :as_of and coalesce(recorded_to > :as_of, 1))"""

REPLACED_ROWS = "select id, title, valid_to from memory_versions where id"

MEMORY_ROWS = """
select v.id, m.uid, v.title, v.text, v.kind, p.name as project, v.valid_from, v.valid_to, v.tokens,
    (select s.uid from ({sources}) q join entries e on e.id = q.entry_id join sessions s on s.id = e.session_id
        where q.memory_id = m.id order by q.id limit 1) as session_uid,
    (select json_group_array(q.entry_id) from ({sources}) q where q.memory_id = m.id and q.entry_id is not null)
        as source_entry_ids
from memory_versions v join memories m on m.id = v.memory_id left join projects p on p.id = v.project_id
where v.id"""

ENTRY_ROWS = """
select e.id, e.uid, e.role, e.kind, e.text, e.created_at, p.name as project, s.uid as session_uid
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id
where e.id"""


def brief_text(shown: list[ScoredHit], uid: str | None, moment: datetime) -> str:
    """The brief an agent reads: one line a hit, with its uid, kind and age; empty when nothing is shown."""
    if not shown:
        return ""
    return brief_around([brief_line(hit, moment) for hit in shown], uid or UNLOGGED)


def brief_around(lines: list[str], uid: str) -> str:
    """Lines between the marks by which an importer knows a brief of ours."""
    return "\n".join([f'<memory-brief recall="{uid}">', *lines, "</memory-brief>"])


def brief_line(hit: ScoredHit, moment: datetime) -> str:
    """One hit on one line."""
    text = inert(" ".join(hit.text.split()))
    if len(text) > LINE_CHARACTERS:
        text = text[: LINE_CHARACTERS - 1].rstrip() + "…"
    where = hit.project or "any project"
    until = f", until {hit.valid_to[:10]}" if hit.valid_to else ""
    replaced = f"; {hit.replaced}" if hit.replaced else ""
    doubt = f"; contradicted by {hit.contradicted}" if hit.contradicted else ""
    return f"- [{hit.uid}] {text} ({hit.kind}, {where}, {age_text(hit.created_at, moment)}{until}{replaced}{doubt})"


def inert(text: str) -> str:
    """A text that can neither end nor open a brief: importers would take what follows for somebody's words."""
    return MARK.sub("‹\\1memory-brief", text)


def age_text(then: str, moment: datetime) -> str:
    """How long ago, in words: `today`, `3 days ago`, `5 months ago`."""
    days = int(max(0.0, (moment - parse_utc(then)).total_seconds()) // 86400)
    if days == 0:
        return "today"
    for length, name in ((365, "year"), (30, "month"), (1, "day")):
        if days >= length:
            number = days // length
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "today"


def estimated_tokens(text: str) -> int:
    """Roughly how many tokens a text has: a quarter of its bytes.

    Source: four bytes to a token is what o200k gives on English prose; a tokenizer cannot be loaded in a hook.
    """
    return (len(text.encode()) + 3) // 4


def reason_class(reason: str | None) -> str:
    """A reason without the uid it may name, for counting."""
    for template in (SAME_TEXT, SOURCE_OF):
        start = template.partition("{")[0]
        if reason and reason.startswith(start):
            return start + "a shown hit"
    for template, mark in ((STEERS, " ("), (SUPPRESSED, ":")):
        start = template.partition(mark)[0]
        if reason and reason.startswith(start):
            return start
    return reason or ""


def moment_of(question: Question, now: datetime) -> datetime:
    """The moment that ages in a brief are counted to."""
    return parse_utc(question.as_of) if question.as_of else now


def free_uid(db: sqlite3.Connection, query: str, asked_at: str) -> str:
    """A name that no recall has yet."""
    number = int(db.execute("select coalesce(max(id), 0) from recalls").fetchone()[0])
    while db.execute("select 1 from recalls where uid = ?", [uid := recall_uid(query, asked_at, number)]).fetchone():
        number += 1
    return uid


def recall_uid(query: str, asked_at: str, number: int) -> str:
    """A name for a recall that an agent can cite: r and eight hexadecimal digits."""
    return f"r{zlib.crc32(f'{asked_at}|{number}|{query}'.encode()):08x}"


def log_recall(db: sqlite3.Connection, answer: Answer, *, surface: str, now: datetime) -> None:
    """Names the recall and writes it with its hits in one transaction; then its text carries that name.

    Named inside the transaction: two recalls at once cannot take the same name. Where it fails the answer is as it was.
    """
    recalled, question = answer.recalled, answer.question
    features = {
        "terms": list(recalled.query_features.terms),
        "best_bm25_memories": recalled.query_features.best_bm25_memories,
        "best_bm25_entries": recalled.query_features.best_bm25_entries,
        "known_words": recalled.query_features.known_words,
    }
    for name in ("literals", "variants", "corrected"):
        if asked := getattr(recalled.query_features, name):
            features[name] = asked
    if recalled.query_features.window_days is not None:
        features["window_days"] = recalled.query_features.window_days
    with transaction(db):
        uid = free_uid(db, question.query, utc_text(now))
        text = brief_text(answer.shown, uid, moment_of(question, now))
        tokens = estimated_tokens(text)
        cursor = db.execute(
            INSERT_RECALL,
            [uid, question.query, question.scope, surface, question.project_id, question.session_id,
             answer.profile.id, json.dumps(question.context()), json.dumps(features), recalled.semantic_model,
             recalled.static_model, answer.considered_count, json.dumps(answer.left_out), int(answer.abstained),
             text, tokens, question.as_of, utc_text(now), answer.duration_ms],
        )  # fmt: skip
        db.executemany(INSERT_HIT, [hit_row(cursor.lastrowid, hit) for hit in answer.hits])
        db.executemany(
            INSERT_FINDING,
            [[finding.rule, finding.category, RULES_VERSION, f"recall {uid}", finding.start,
              finding.hint, utc_text(now)] for finding in answer.findings],
        )  # fmt: skip
    answer.recall_id, answer.recall_uid, answer.text, answer.tokens = cursor.lastrowid, uid, text, tokens


INSERT_RECALL = """
insert into recalls (uid, query, scope, surface, project_id, session_id, profile_id, context, features,
    semantic_model, static_model, considered_count, left_out, abstained, shown_text, shown_tokens, as_of, asked_at,
    duration_ms)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_HIT = """
insert into hits (recall_id, memory_version_id, entry_id, position, rank, left_out_reason, logged_score, features,
    signals)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

INSERT_FINDING = """
insert or ignore into scan_findings (rule, category, rules_version, place, field, start, hint, found_at)
values (?, ?, ?, ?, 'query', ?, ?, ?)
"""


def hit_row(recall_id: int | None, hit: ScoredHit) -> list[object]:
    """One hit as it is logged."""
    return [
        recall_id,
        hit.memory_version_id,
        hit.entry_id,
        hit.position,
        hit.rank,
        hit.left_out_reason,
        hit.score,
        json.dumps(hit.features.as_dict()),
        json.dumps(hit.signals),
    ]
