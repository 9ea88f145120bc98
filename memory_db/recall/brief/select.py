"""From scored hits to what is shown, and the log of both.

In: `Recalled`. Out: `Answer`: the hits in order with rank or the reason why not, the text an agent reads, and its price
in tokens. One transaction logs the recall with every number that it came from. Nothing here changes a score.
"""

from __future__ import annotations

import sqlite3
import time
from datetime import datetime

from memory_db.knowledge.suppressions import SUPPRESSED, held_back
from memory_db.recall.brief.allowed import (
    BELOW_THRESHOLD,
    COUNTED_REASONS,
    LEFT_ALONE,
    MEMORY_ANSWERS,
    NOTHING_ASKED,
    OLDER,
    OTHER_PROJECT,
    OVER_BUDGET,
    OVER_LIMIT,
    PROCEDURE_SAYS,
    READ_BEFORE,
    SAID_HERE,
    TAKEN_BACK,
    Rules,
    Shown,
    count_left_out,
)  # fmt: skip
from memory_db.recall.brief.brought import leave_unbrought, telling_terms
from memory_db.recall.brief.elsewhere import LeftAlone
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.log import as_said_here, log_recall, moment_of, shown_earlier
from memory_db.recall.brief.matter import tells_a_matter
from memory_db.recall.brief.pairs import NO_PAIRS, NoPairs, Pairs
from memory_db.recall.brief.placement import Placement, in_turn, keep_all, reason_for
from memory_db.recall.brief.procedures import ProcedureLine, is_told, procedure_lines
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
from memory_db.recall.brief.roles import BriefLine, TokenBudget, allot
from memory_db.recall.question import redacted
from memory_db.recall.search import Profile, Question, Recalled, Semantic, recall
from memory_db.records import dataclass, field, replace
from memory_db.redact.clean import Finding
from memory_db.text.questions import asks, asks_within, has_asked_value, has_value

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory_db.recall.corpus import Corpus

__all__ = [
    "KEPT", "LINE_CHARACTERS", "Answer", "age_text", "ask", "brief_line", "brief_text", "choose", "estimated_tokens",
    "fill_in", "inert", "log_recall",
]  # fmt: skip

KEPT = 50
"""Best hits of a recall that are logged though they were not shown; the rest are counted."""


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
    corpus: Corpus | None = None,
) -> Answer:
    """The answer to a question, logged unless told otherwise (then the connection may be read-only).

    `keep` is how many of the best hits are kept though they are not shown; `corpus` is as `search.recall` takes it.
    What was not logged has no uid yet; `log_recall` gives it one later, through another connection if need be.
    Raises: QueryError, InputError, NotFoundError.
    """
    started = time.perf_counter()
    question, findings = redacted(question)
    recalled = recall(db, question, now=now, semantic=semantic, corpus=corpus)
    answer = answer_recalled(
        db, question, recalled, surface=surface, now=now, semantic=semantic, keep=keep, started=started
    )
    answer.findings = findings
    if log:
        log_recall(db, answer, surface=surface, now=now)
    return answer


def answer_recalled(
    db: sqlite3.Connection,
    question: Question,
    recalled: Recalled,
    *,
    surface: str,
    now: datetime,
    semantic: Semantic | None,
    keep: int,
    started: float,
) -> Answer:
    """The answer to a question whose hits are there, not logged; `started` is as `answer_of` takes it."""
    moment = moment_of(recalled.question, now)
    where = replace(question, project_id=recalled.question.project_id)  # the one that the words name, if any
    procedures = procedure_lines(db, where, surface, moment)
    before = tuple(each.text for each in procedures)
    placed = choose(db, recalled, moment, keep, shown_earlier(db, question, surface), before, semantic)
    answer = answer_of(recalled, placed, moment, started, before)
    answer.procedures = procedures
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


def keep_only(answer: Answer, why: str, moment: datetime, is_kept: Callable[[Placement], bool]) -> None:
    """Takes out of a brief that is not logged yet what is not to be kept, with that reason."""
    rank = 0
    for hit in answer.shown:
        if is_kept(hit):
            rank += 1
            hit.rank = rank
        else:
            hit.rank, hit.left_out_reason, hit.shown_reason = None, why, ""
    answer.left_out = count_left_out(answer.placed)
    answer.before, answer.after = (), ()
    answer.text = brief_text(answer.shown, None, moment)
    answer.tokens, answer.abstained = estimated_tokens(answer.text), not rank


def choose(
    db: sqlite3.Connection,
    recalled: Recalled,
    moment: datetime,
    keep: int = KEPT,
    earlier: Mapping[tuple[int | None, int | None], Shown] | None = None,
    before: tuple[str, ...] = (),
    semantic: Semantic | None = None,
) -> list[Placement]:
    """Every hit with its rank or the reason why not; those shown, the best others and all left out by a rule are kept.

    Goes down the order of scores: as many as the limit stand for the budget, which their roles share; where some do
    not fit, those that follow take what room is left. What says the same as a shown hit, or is the entry
    that a shown memory was made from, is passed over with that reason; so is a text that gives an agent orders, for
    whoever wrote a README or a web page must not speak through memory; so is what a person holds back for such
    questions, and what is in `earlier`: versions and entries that this session has read. `before` are lines that the
    budget pays for first.

    Where a model reads it, a hit must bring evidence of its own, of memories that stand against each other the newest
    stands alone, and entries stand only where no memory answers, each as its exchange. Where the first hits together do
    not look like an answer nothing stands but rules that are met and what is named; `semantic` helps to tell.
    """
    question, hits = recalled.question, [Placement(hit) for hit in recalled.hits]
    barred = held_back(db, " ".join((question.query, *recalled.query_features.corrected.values())), moment)
    fill_in(db, hits[: max(keep, 2 * question.limit)], question.filters.as_of)
    if question.is_for_model:
        from memory_db.recall.brief.abstain import weigh  # noqa: PLC0415  # start-up: a person sees every hit

        weigh(db, recalled, hits, semantic)
    pairs = Pairs(db, question, hits) if question.is_for_model and not question.asks_past else NO_PAIRS
    place(db, recalled, hits, moment, barred=barred, pairs=pairs, earlier=earlier, before=before)
    kept = [hit for hit in hits if hit.position <= keep or hit.left_out_reason not in COUNTED_REASONS]
    fill_in(db, [hit for hit in kept if not hit.uid], question.filters.as_of)
    keep_all(db, recalled, kept)
    return hits


def place(
    db: sqlite3.Connection,
    recalled: Recalled,
    hits: Sequence[Placement],
    moment: datetime,
    *,
    barred: Mapping[tuple[str, int], str],
    pairs: Pairs | NoPairs,
    earlier: Mapping[tuple[int | None, int | None], Shown] | None = None,
    before: tuple[str, ...] = (),
) -> None:
    """Gives each hit, in order of score and with its evidence, its rank or the reason why not: see `choose`."""
    question, selector = recalled.question, Selector(db, recalled, moment, earlier or {}, before)
    least = max(recalled.profile.threshold, question.threshold or 0.0)
    why_silent = None
    if question.is_for_model:
        from memory_db.recall.brief.abstain import silencer  # noqa: PLC0415  # start-up: as in `choose`

        why_silent = silencer(recalled, hits, least)
    for hit in in_turn(hits) if question.is_for_model else hits:
        if barred and (why := barred.get((hit.type, hit.memory_version_id or hit.entry_id or 0))):
            hit.left_out_reason = SUPPRESSED.format(why)
        elif hit.memory_version_id in pairs.older:
            hit.left_out_reason = OLDER.format(pairs.older[hit.memory_version_id])
        elif hit.score < least and hit.memory_version_id not in pairs.newer and not (why_silent and hit.is_due):
            hit.left_out_reason = BELOW_THRESHOLD
        elif why_silent and (silent := why_silent(hit)):
            hit.left_out_reason = silent
            selector.rules.note_read(hit)
        else:
            selector.offer(hit)
    selector.settle()
    if question.is_unasked and question.is_for_model:
        from memory_db.recall.brief.standing import keep_outstanding  # noqa: PLC0415  # start-up: as in `choose`

        leave_unbrought(db, recalled, hits)
        keep_outstanding(recalled, hits, is_told_how=bool(before))
    pairs.put_newer_first(hits, selector.line)
    if question.is_for_model and tells_a_matter(question.query):
        from memory_db.recall.brief.conversation import tell_conversation  # noqa: PLC0415  # start-up: few prompts do

        tell_conversation(recalled, hits, selector)


class Selector:
    """Chooses the hits of one brief: they are offered, best first, and it is settled at the end which are shown."""

    def __init__(
        self,
        db: sqlite3.Connection,
        recalled: Recalled,
        moment: datetime,
        earlier: Mapping[tuple[int | None, int | None], Shown],
        before: tuple[str, ...] = (),
    ) -> None:
        question = recalled.question
        self.db, self.question, self.moment = db, question, moment
        self.best_memory, self.asks, self.has_procedure = 0.0, asks(question.query), bool(before)
        self.is_value_known = False
        self.asks_within = asks_within(question.query)
        self.before = before
        frame = estimated_tokens(brief_around(before, UNLOGGED) + "\n")
        self.token_budget = TokenBudget(question.budget_tokens, frame)
        self.standing: list[Placement] = []
        self.waiting: list[Placement] = []
        self.rules = Rules(question, earlier, recalled.query_features, telling_terms(recalled))
        self.left_alone = LeftAlone(db)

    def offer(self, hit: Placement) -> None:
        """Lets a hit stand for the budget while the limit has room; what repeats another one waits for its fate."""
        if len(self.standing) == self.question.limit:
            self.waiting.append(hit)
        elif reason := self.reason_against(hit):
            hit.left_out_reason = reason
            if reason in (*READ_BEFORE, TAKEN_BACK):
                self.note_answer(hit)
        elif self.rules.repeats(hit):
            self.waiting.append(hit)
        else:
            self.standing.append(hit)
            self.rules.remember(hit)
            self.note_answer(hit)

    def note_answer(self, hit: Placement) -> None:
        """Notes how much evidence the best memory brings, which the session reads now or has read.

        A rule says what to keep to, which is no answer to a question, unless that is for a value and the rule has one.
        """
        if hit.type != "memory":
            return
        is_value = has_asked_value(self.question.query, hit.text)
        self.is_value_known = self.is_value_known or is_value
        if is_value or not (hit.is_rule and self.asks):
            self.best_memory = max(self.best_memory, hit.evidence)

    def is_answered(self, hit: Placement) -> bool:
        """Whether a procedure answers in the place of an entry, or a memory with no less evidence than that one has."""
        if hit.type != "entry" or not self.question.is_for_model:
            return False
        return self.has_procedure or self.best_memory >= hit.evidence

    def reason_against(self, hit: Placement) -> str:
        """Why a hit must not be shown whatever the budget, or nothing; one of another project is not even filled in."""
        if self.rules.is_elsewhere(hit):
            return OTHER_PROJECT
        if self.question.is_for_model and self.left_alone.has(hit):
            return LEFT_ALONE
        if self.is_answered(hit):
            return MEMORY_ANSWERS
        if self.question.is_unasked and hit.type == "entry" and not self.asks_within:
            return NOTHING_ASKED
        if not hit.uid:
            fill_in(self.db, [hit], self.question.filters.as_of)
        said = as_said_here(self.db, self.question, hit, self.moment)
        if said is not None and not self.rules.comes_back(hit, said):
            self.rules.remember(hit)
            return SAID_HERE
        if hit.type == "memory" and is_told(hit.text, self.before):
            return PROCEDURE_SAYS
        if self.question.is_for_model and hit.type == "entry" and self.is_value_known and not has_value(hit.text):
            return MEMORY_ANSWERS
        if self.question.is_for_model and hit.type == "entry" and not hit.entry_ids and hit.text.strip():
            from memory_db.recall.brief.exchange import (  # noqa: PLC0415  # start-up: as in `choose`
                WHERE_NOBODY_ASKED,
                exchange_of,
            )

            found = exchange_of(self.db, hit, self.question.query, is_past=self.question.asks_past)
            hit.line, hit.entry_ids = found.text, found.entry_ids
            may_stand = found.reason in WHERE_NOBODY_ASKED and not self.question.is_unasked
            hit.left_out_reason = None if may_stand else found.reason or None
        return self.rules.reason_against(hit) or hit.left_out_reason or ""

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
