"""From scored hits to what is shown, and the log of both.

In: `Recalled`. Out: `Answer`: the hits in order with rank or the reason why
not, the text an agent reads, and its price in tokens. One transaction logs the
recall with every number that it came from. Nothing here changes a score.
"""

from __future__ import annotations

import json
import sqlite3
import time
from datetime import datetime

from memory_db.knowledge.attributes import sources_sql
from memory_db.knowledge.suppressions import SUPPRESSED, held_back
from memory_db.recall.brief.abstain import is_foreign
from memory_db.recall.brief.allowed import (
    BELOW_THRESHOLD,
    COUNTED_REASONS,
    FOREIGN,
    OVER_BUDGET,
    OVER_LIMIT,
    Rules,
    count_left_out,
)
from memory_db.recall.brief.log import log_recall, moment_of, shown_earlier
from memory_db.recall.brief.placement import Placement, keep_all
from memory_db.recall.brief.procedures import ProcedureLine, procedure_lines
from memory_db.recall.brief.render import (
    LINE_CHARACTERS,
    UNLOGGED,
    age_text,
    brief_around,
    brief_line,
    brief_text,
    estimated_tokens,
    inert,
)
from memory_db.recall.brief.roles import BriefLine, TokenBudget, allot, role_of
from memory_db.recall.search import Profile, Question, Recalled, Semantic, recall
from memory_db.records import dataclass, field, replace
from memory_db.redact.clean import Finding, clean, find_injection
from memory_db.store.connection import id_list, select_in

__all__ = [
    "KEPT",
    "LINE_CHARACTERS",
    "Answer",
    "age_text",
    "ask",
    "brief_line",
    "brief_text",
    "choose",
    "estimated_tokens",
    "fill_in",
    "inert",
    "log_recall",
]

KEPT = 50
"""Best hits of a recall that are logged though they were not shown; the rest are counted."""

REPLACED_CHARACTERS = 60
"""How much of the title of what it replaced stands in a line."""


@dataclass(slots=True)
class Answer:
    """What one question brought.

    `hits` are the shown ones in order, then the kept ones that were not shown, each with its reason.
    `placed` are all that were considered; `left_out` counts those that were not shown, by reason. `before` and `after`
    are lines of the brief that are no hits; `procedures` say how something is done, in the first of them.
    """

    question: Question
    profile: Profile
    recalled: Recalled
    placed: list[Placement]
    hits: list[Placement]
    left_out: dict[str, int]
    considered_count: int
    abstained: bool
    text: str
    tokens: int
    duration_ms: float
    recall_id: int | None = None
    recall_uid: str | None = None
    findings: list[Finding] = field(default_factory=list)
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    procedures: tuple[ProcedureLine, ...] = ()

    @property
    def shown(self) -> list[Placement]:
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
    filters = question.filters
    kinds, tags, paths = (
        tuple(clean(text)[0] for text in texts) for texts in (filters.kinds, filters.tags, question.paths)
    )
    question = replace(question, query=query, paths=paths, filters=replace(filters, kinds=kinds, tags=tags))
    recalled = recall(db, question, now=now, semantic=semantic)
    moment = moment_of(recalled.question, now)
    where = replace(question, project_id=recalled.question.project_id)  # the one that the words name, if any
    procedures = procedure_lines(db, where, surface, moment)
    before = tuple(each.text for each in procedures)
    placed = choose(db, recalled, moment, keep, shown_earlier(db, question, surface), before)
    answer = answer_of(recalled, placed, moment, started, before)
    answer.findings, answer.procedures = findings, procedures
    if log:
        log_recall(db, answer, surface=surface, now=now)
    return answer


def answer_of(
    recalled: Recalled,
    placed: list[Placement],
    moment: datetime,
    started: float,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
) -> Answer:
    """What a recall brought and what became of its hits, not logged yet; `before` and `after` stand around its lines.

    `started` is when it was begun, by the performance counter.
    """
    kept = [hit for hit in placed if hit.is_kept]
    kept.sort(key=lambda hit: (hit.rank is None, hit.rank or hit.position))
    shown = [hit for hit in kept if hit.rank is not None]
    text = brief_text(shown, None, moment, before, after)
    return Answer(
        question=recalled.question,
        profile=recalled.profile,
        recalled=recalled,
        placed=placed,
        hits=kept,
        left_out=count_left_out(placed),
        considered_count=len(placed),
        abstained=not text,
        text=text,
        tokens=estimated_tokens(text),
        duration_ms=(time.perf_counter() - started) * 1000,
        before=before,
        after=after,
    )


def choose(
    db: sqlite3.Connection,
    recalled: Recalled,
    moment: datetime,
    keep: int = KEPT,
    earlier: frozenset[tuple[int | None, int | None]] = frozenset(),
    before: tuple[str, ...] = (),
) -> list[Placement]:
    """Every hit with its rank or the reason why not; those shown, the best others and all left out by a rule are kept.

    Goes down the order of scores: as many as the limit stand for the budget, which their roles share; where some do
    not fit, those that follow take what room is left. What says the same as a shown hit, or is the entry
    that a shown memory was made from, is passed over with that reason; so is a text that gives an agent orders, for
    whoever wrote a README or a web page must not speak through memory; so is what a person holds back for such
    questions, and what is in `earlier`: versions and entries that this session has read. `before` are lines that the
    budget pays for first.
    """
    question, hits = recalled.question, [Placement(hit) for hit in recalled.hits]
    barred = held_back(db, " ".join((question.query, *recalled.query_features.corrected.values())), moment)
    fill_in(db, hits[: max(keep, 2 * question.limit)], question.filters.as_of)
    selector = Selector(db, question, moment, earlier, before)
    least, foreign = max(recalled.profile.threshold, question.threshold or 0.0), is_foreign(db, recalled)
    for hit in hits:
        if barred and (why := barred.get((hit.type, hit.memory_version_id or hit.entry_id or 0))):
            hit.left_out_reason = SUPPRESSED.format(why)
        elif foreign or hit.score < least:
            hit.left_out_reason = FOREIGN if foreign else BELOW_THRESHOLD
        else:
            selector.offer(hit)
    selector.settle()
    kept = [hit for hit in hits if hit.position <= keep or hit.left_out_reason not in COUNTED_REASONS]
    fill_in(db, [hit for hit in kept if not hit.uid], question.filters.as_of)
    keep_all(db, recalled, kept)
    return hits


class Selector:
    """Chooses the hits of one brief: they are offered, best first, and it is settled at the end which are shown."""

    def __init__(
        self,
        db: sqlite3.Connection,
        question: Question,
        moment: datetime,
        earlier: frozenset[tuple[int | None, int | None]],
        before: tuple[str, ...] = (),
    ) -> None:
        self.db, self.question, self.moment = db, question, moment
        frame = estimated_tokens(brief_around(before, UNLOGGED) + "\n")
        self.token_budget = TokenBudget(question.budget_tokens, frame)
        self.standing: list[Placement] = []
        self.waiting: list[Placement] = []
        self.rules = Rules(question, earlier)

    def offer(self, hit: Placement) -> None:
        """Lets a hit stand for the budget while the limit has room; what repeats another one waits for its fate."""
        if len(self.standing) == self.question.limit:
            self.waiting.append(hit)
        elif reason := self.reason_against(hit):
            hit.left_out_reason = reason
        elif self.rules.repeats(hit):
            self.waiting.append(hit)
        else:
            self.standing.append(hit)
            self.rules.remember(hit)

    def reason_against(self, hit: Placement) -> str:
        """Why a hit must not be shown whatever the budget, or nothing; one of another project is not even filled in."""
        if not hit.uid and not self.rules.is_elsewhere(hit):
            fill_in(self.db, [hit], self.question.filters.as_of)
        return self.rules.reason_against(hit)

    def settle(self) -> None:
        """Shares the budget, lets those that waited take what room is left, and gives each a rank or a reason."""
        lines = [self.line(hit) for hit in self.standing]
        places = set(allot(lines, self.token_budget))
        shown = [hit for place, hit in enumerate(self.standing) if place in places]
        for place, hit in enumerate(self.standing):
            if place not in places:
                hit.left_out_reason = OVER_BUDGET
                self.rules.forget(hit)
        for hit in self.waiting:
            if len(shown) == self.question.limit and not (hit.uid and self.rules.repeats(hit)):
                hit.left_out_reason = OVER_LIMIT
            elif reason := self.reason_against(hit) or self.rules.repeats(hit):
                hit.left_out_reason = reason
            elif not self.token_budget.has_room((line := self.line(hit)).role, line.tokens):
                hit.left_out_reason = OVER_BUDGET
            else:
                self.token_budget.pay(line.role, line.tokens)
                self.rules.remember(hit)
                shown.append(hit)
        for rank, hit in enumerate(sorted(shown, key=lambda hit: hit.position), start=1):
            hit.rank, hit.shown_reason = rank, reason_for(hit)

    def line(self, hit: Placement) -> BriefLine:
        """What a hit takes of the budget."""
        hit.shown_tokens = estimated_tokens(brief_line(hit, self.moment) + "\n")
        return BriefLine(hit.role, hit.shown_tokens, hit.features.lock_level == "user")


def reason_for(hit: Placement) -> str:
    """Why a hit is shown, in a word or two; mostly its score alone."""
    if hit.features.lock_level == "user":
        return "locked"
    if hit.contradicted:
        return "open contradiction"
    return "successor of what was met" if hit.replaced else "score"


def fill_in(db: sqlite3.Connection, hits: list[Placement], as_of: str | None = None) -> None:
    """Adds what a reader sees of a hit: its text, uid, project and date; its sources as of a moment, if given."""
    memories = {hit.memory_version_id: hit for hit in hits if hit.memory_version_id is not None}
    entries = {hit.entry_id: hit for hit in hits if hit.entry_id is not None}
    for row in select_in(db, MEMORY_ROWS.format(sources=sources_sql(as_of)), memories):
        hit = memories[row["id"]]
        hit.uid, hit.title, hit.text, hit.kind = row["uid"], row["title"], row["text"], row["kind"]
        hit.project, hit.created_at, hit.tokens = row["project"], row["valid_from"], row["tokens"]
        hit.valid_to = row["valid_to"]
        hit.session_uid, hit.is_by_user = row["session_uid"], row["origin"] == "user"
        hit.source_entry_ids = frozenset(json.loads(row["source_entry_ids"]))
    note_replaced(db, [hit for hit in memories.values() if hit.replaces])
    note_contradicted(db, memories, as_of)
    for row in select_in(db, ENTRY_ROWS, entries):
        hit = entries[row["id"]]
        hit.uid, hit.title, hit.text, hit.kind = row["uid"], row["role"], row["text"], row["kind"]
        hit.project, hit.created_at, hit.session_uid = row["project"], row["created_at"], row["session_uid"]
        hit.tokens = estimated_tokens(row["text"])
    for hit in hits:
        hit.role = role_of(
            hit.kind, lock_level=hit.features.lock_level, user_scope=hit.features.user_scope,
            contradicted=bool(hit.contradicted),
        )  # fmt: skip


def note_replaced(db: sqlite3.Connection, hits: list[Placement]) -> None:
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


def note_contradicted(db: sqlite3.Connection, hits: dict[int, Placement], as_of: str | None) -> None:
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
select v.id, m.uid, m.origin, v.title, v.text, v.kind, p.name as project, v.valid_from, v.valid_to, v.tokens,
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
