"""A past brief under other weights: what its logged hits would have come to, rules and budget included.

In: the row of a logged recall, a profile. Out: every logged hit with the rank or the reason that it would have had.
Invariants: nothing is asked again and nothing is written, so that what was learnt afterwards counts for nothing; what
does not depend on weights (evidence, the verdict on the first hits, suppressions, which of two memories was the older
one) stands as it was logged; everything else is decided by `select.place`, as for a brief of today. What the log did
not keep cannot come.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from memory_db.knowledge.suppressions import SUPPRESSED
from memory_db.recall import scoring
from memory_db.recall.abstainer import Verdict
from memory_db.recall.brief.abstain import least_score
from memory_db.recall.brief.allowed import OLDER, ONLY_RULES
from memory_db.recall.brief.fill import fill_in
from memory_db.recall.brief.for_model import HOOK
from memory_db.recall.brief.log import shown_earlier
from memory_db.recall.brief.pairs import NoPairs
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.procedures import shown_lines
from memory_db.recall.brief.select import place
from memory_db.recall.explain.asked_again import asked_again
from memory_db.recall.features import HitFeatures, QueryFeatures, logged_as
from memory_db.recall.hits import Hit, in_order
from memory_db.recall.search import Profile, Question, Recalled, load_profile
from memory_db.records import dataclass, replace
from memory_db.store.dates import parse_utc

PAST_BRIEFS = """
select r.*, p.name as profile, p.version, p.threshold, p.weights
from recalls r join profiles p on p.id = r.profile_id where {which}
"""
"""Rows that `read_log` takes."""

LOGGED_HITS = """
select memory_version_id, entry_id, rank, left_out_reason, features, signals, shown_tokens from hits
where recall_id = ? order by position
"""

OLDER_PREFIX, SUPPRESSED_PREFIX = (each.partition("{}")[0] for each in (OLDER, SUPPRESSED))

Key = tuple[int | None, int | None]
"""Version of a memory and entry, one of which is None."""


@dataclass(slots=True, frozen=True)
class LoggedHit:
    """A hit as its log has it, read."""

    key: Key
    hit: Hit
    signals: Mapping[str, float]
    evidence: float
    rank: int | None
    reason: str | None
    shown_tokens: int | None


@dataclass(slots=True, frozen=True)
class LoggedBrief:
    """A logged recall, read: what was asked, under which profile, and its hits.

    `only_rules` says why a prompt was told no more than the rules it met, if so.
    """

    id: int
    question: Question
    profile: Profile
    asked: QueryFeatures
    verdict: Verdict | None
    hits: tuple[LoggedHit, ...]
    only_rules: str
    surface: str
    asked_at: str
    moment: str
    semantic_model: str | None


def read_log(db: sqlite3.Connection, row: sqlite3.Row) -> LoggedBrief:
    """A row of `PAST_BRIEFS` with its hits."""
    features: dict[str, Any] = json.loads(row["features"])
    hits = tuple(logged_hit(each) for each in db.execute(LOGGED_HITS, [row["id"]]))
    only_rules = next((each.reason for each in hits if each.reason in ONLY_RULES), "")
    profile = Profile(row["profile_id"], row["profile"], row["version"], json.loads(row["weights"]), row["threshold"])
    return LoggedBrief(
        row["id"], asked_again(row), profile, QueryFeatures(**logged_as(QueryFeatures, features)),
        verdict_in(features.get("first_hits")), hits, only_rules, row["surface"], row["asked_at"],
        row["as_of"] or row["asked_at"], row["semantic_model"],
    )  # fmt: skip


def logged_hit(row: sqlite3.Row) -> LoggedHit:
    """One row of `LOGGED_HITS`."""
    features: dict[str, Any] = json.loads(row["features"])
    key = (row["memory_version_id"], row["entry_id"])
    hit = Hit(*key, HitFeatures(**logged_as(HitFeatures, features)), (), 0.0, 0)
    evidence = float(features.get("evidence", 0.0))
    signals = json.loads(row["signals"])
    return LoggedHit(key, hit, signals, evidence, row["rank"], row["left_out_reason"], row["shown_tokens"])


def verdict_in(logged: Mapping[str, float] | None) -> Verdict | None:
    """The verdict on the first hits as it was logged: it rests on their evidence, on no weight."""
    if not logged:
        return None
    numbers = {name: value for name, value in logged.items() if name not in ("chance", "least")}
    return Verdict(numbers, logged["chance"], logged["least"])


def reweighted(db: sqlite3.Connection, brief: LoggedBrief, profile: Profile) -> list[Placement]:
    """The logged hits by their score under a profile, each with its rank or the reason why not.

    What the session had read before is what it had really read: each brief is looked at by itself.
    """
    question = brief.question if profile.id == brief.profile.id else bounded(db, brief, profile)
    evidence = {each.key: each.evidence for each in brief.hits}
    reasons = {each.key: each.reason or "" for each in brief.hits}
    scored = sorted(((scoring.score(profile.weights, each.signals), each.hit) for each in brief.hits), key=in_order)
    hits = [replace(hit, score=score, position=place) for place, (score, hit) in enumerate(scored, start=1)]
    recalled = Recalled(question, profile, brief.asked, hits, brief.semantic_model, verdict=brief.verdict)
    placed = [Placement(hit, evidence=evidence[hit.memory_version_id, hit.entry_id]) for hit in hits]
    fill_in(db, placed, question.filters.as_of)
    free: list[Placement] = []
    for each in placed:
        reason = reasons[each.memory_version_id, each.entry_id]
        if reason.startswith((OLDER_PREFIX, SUPPRESSED_PREFIX)):
            each.left_out_reason = reason
        else:
            free.append(each)
    earlier = shown_earlier(db, question, brief.surface, before=(brief.id, brief.asked_at))
    place(db, recalled, free, parse_utc(brief.moment), barred={}, pairs=newer_than(placed), earlier=earlier,
          before=shown_lines(db, brief.id))  # fmt: skip
    if brief.only_rules:
        for each in placed:
            if each.rank is not None and not each.is_rule:
                each.rank, each.left_out_reason = None, brief.only_rules
    return placed


def bounded(db: sqlite3.Connection, brief: LoggedBrief, profile: Profile) -> Question:
    """The question with the score that a hit of another profile must reach: that of hooks, on the profile's scale."""
    if not brief.question.is_for_model:
        return brief.question
    has_tokens = any(each.hit.features.interaction is not None for each in brief.hits)
    least = least_score(
        profile, load_profile(db, HOOK).threshold, has_model=brief.semantic_model is not None,
        has_window=brief.question.window is not None, has_tokens=has_tokens,
    )  # fmt: skip
    return replace(brief.question, threshold=least)


def newer_than(placed: list[Placement]) -> NoPairs:
    """The versions that stand for an older one, as the log says: they need not reach the threshold.

    Each stands out as the better of both does, as `pairs.Pairs` has it.
    """
    pairs, newer = NoPairs(), set()
    for older in placed:
        reason = older.left_out_reason or ""
        for each in placed if reason.startswith(OLDER_PREFIX) else ():
            if each.uid and each.uid in reason:
                newer.add(each.memory_version_id)
                each.older_score = max(each.older_score, older.score)
    pairs.newer = frozenset(newer)
    return pairs
