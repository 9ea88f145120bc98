"""An answer as plain data: the one shape that the command line, pages and programs get.

In: an answer. Out: dicts that JSON can hold, each described below, where docs/json-api.md takes its tables from.
Invariants: the lines of roles are those of the text; a brief, which goes to a model, names nothing that was left out.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from memory_db.recall.brief.log import moment_of
from memory_db.recall.brief.placement import Placement
from memory_db.recall.brief.render import brief_line
from memory_db.recall.brief.roles import BY_NAME, INDEX, SETTLED, heading_tokens, share_of
from memory_db.recall.brief.select import Answer
from memory_db.recall.question_dates import read_as


class ProfileData(TypedDict):
    """The weights that an answer was scored by."""

    name: str
    """Its name"""
    version: int
    """Its version: weights that change are a new one"""
    weights: dict[str, float]
    """Weight by signal"""
    threshold: float
    """The score under which nothing is shown"""


class HitData(TypedDict):
    """One memory or entry that was considered."""

    type: str
    """`memory` or `entry`"""
    uid: str
    """Its uid"""
    title: str
    """Its title; of an entry who said it"""
    text: str
    """All of its text"""
    kind: str
    """Its kind"""
    project: str | None
    """The name of its project"""
    session_uid: str | None
    """The session that it comes from"""
    entry_id: int | None
    """Its row, of an entry"""
    memory_version_id: int | None
    """Its version's row, of a memory"""
    created_at: str
    """When it was said, or from when on it holds"""
    valid_to: str | None
    """Until when it held"""
    age_days: float
    """How old it is"""
    tokens: int
    """What its whole text costs"""
    position: int
    """Its place by score, from 1"""
    rank: int | None
    """Its place among the hits shown"""
    left_out_reason: str | None
    """Why it was not shown"""
    shown_reason: str | None
    """Why it was shown"""
    role: str | None
    """The part of a brief that it belongs to"""
    shown_tokens: int | None
    """What its line costs in a brief"""
    replaced: str | None
    """What it replaced, where that was found in its place"""
    contradicted_by: str | None
    """The uid of a memory that says the opposite, where nobody has decided yet"""
    score: float
    """The sum of weights and signals"""
    signals: dict[str, float]
    """Signals from 0 to 1, see [recall.md](recall.md)"""
    features: dict[str, Any]
    """The raw numbers that signals are made of"""
    earlier_prompts: list[dict[str, Any]]
    """Prompts like this one that came to what it is bound to: `uid`, `session_uid`, `created_at`, `text`, `through`"""


class LineData(TypedDict):
    """One line of a brief."""

    uid: str
    """The hit that it shows; `hits` has the rest of it"""
    rank: int | None
    """The hit's rank"""
    tokens: int | None
    """What the line costs"""
    line: str
    """The line, as it stands in `text`"""


class RoleData(TypedDict):
    """One part of a brief."""

    role: str
    """Its name, and the heading above its lines"""
    budget_tokens: int | None
    """Its share of the budget, if there is one"""
    tokens: int
    """What it took, with its heading"""
    lines: list[LineData]
    """Its lines, best first"""


class ProcedureData(TypedDict):
    """How something is done, as a brief tells it first."""

    uid: str
    """Its uid; `memory-db memory get` lists the actions behind it"""
    purpose: str
    """What it is for, such as `test` or `migrate`"""
    command: str
    """The command, as it was typed"""
    line: str
    """The line, as it stands in `text`"""
    tokens: int
    """What the line costs"""
    reason: str
    """Which words of the question asked for it"""


class AnswerData(TypedDict):
    """What one question, or a session's start, brought."""

    recall_uid: str | None
    """The recall's uid, which a citation names; null where it is not logged"""
    recall_id: int | None
    """The recall's row, once it is written"""
    recall: str | None
    """As `recall_uid`; the next version leaves it out"""
    query: str
    """What was asked, redacted; empty for a session's start"""
    profile: ProfileData
    """The weights"""
    window: dict[str, Any] | None
    """The span of time that the question names: `start`, `end`, `words`, and `read_as` in words"""
    abstained: bool
    """Whether nothing is shown"""
    text: str
    """The brief, as an agent reads it"""
    tokens: int
    """What it costs"""
    budget_tokens: int | None
    """What it may cost"""
    before: list[str]
    """Lines of the text before the roles"""
    procedures: list[ProcedureData]
    """How something is done, where the question asks that; their lines are the first of `before`"""
    roles: list[RoleData]
    """The parts of the text, in order"""
    after: list[str]
    """Lines of the text after the roles"""
    hits: list[HitData]
    """What is shown, best first"""
    others: list[HitData]
    """The best of what was left out; none in a brief"""
    left_out: dict[str, int]
    """How many were left out, by reason"""
    considered_count: int
    """How many were considered"""
    duration_ms: float
    """How long it took"""


def answer_data(answer: Answer, now: datetime) -> AnswerData:
    """An answer with everything that was kept of it, shown or not."""
    question, profile = answer.question, answer.profile
    moment = moment_of(question, now)
    roles = [role_data(answer, role, moment) for role in (SETTLED, *BY_NAME, INDEX)]
    return {
        "recall_uid": answer.recall_uid,
        "recall_id": answer.recall_id,
        "recall": answer.recall_uid,
        "query": question.query,
        "profile": {
            "name": profile.name,
            "version": profile.version,
            "weights": dict(profile.weights),
            "threshold": profile.threshold,
        },
        "window": window.as_dict() | {"read_as": read_as(window)} if (window := question.window) else None,
        "abstained": bool(answer.abstained),
        "text": answer.text,
        "tokens": answer.tokens,
        "budget_tokens": question.budget_tokens,
        "before": list(answer.before),
        "procedures": [
            {
                "uid": told.uid,
                "purpose": told.purpose,
                "command": told.command,
                "line": told.text,
                "tokens": told.tokens,
                "reason": told.reason,
            }
            for told in answer.procedures
        ],
        "roles": [role for role in roles if role["lines"] or role["budget_tokens"]],
        "after": list(answer.after),
        "hits": [hit_data(hit) for hit in answer.shown],
        "others": [hit_data(hit) for hit in answer.hits if hit.rank is None],
        "left_out": dict(answer.left_out),
        "considered_count": answer.considered_count,
        "duration_ms": round(answer.duration_ms, 2),
    }


def brief_data(answer: Answer, now: datetime) -> AnswerData:
    """An answer that goes to a model: what a rule kept from it, such as other projects' texts, is only counted."""
    return {**answer_data(answer, now), "others": []}


def role_data(answer: Answer, role: str, moment: datetime) -> RoleData:
    """One role of a brief: its share of the budget, what it took with its heading, its lines."""
    budget = answer.question.budget_tokens
    own = [hit for hit in answer.shown if hit.role == role]
    return {
        "role": role,
        "budget_tokens": None if budget is None else share_of(role, budget),
        "tokens": sum(hit.shown_tokens or 0 for hit in own) + (heading_tokens(role) if own else 0),
        "lines": [
            {"uid": hit.uid, "rank": hit.rank, "tokens": hit.shown_tokens, "line": brief_line(hit, moment)}
            for hit in own
        ],
    }


def hit_data(hit: Placement) -> HitData:
    """One hit, shown or not."""
    return {
        "type": hit.type,
        "uid": hit.uid,
        "title": hit.title,
        "text": hit.text,
        "kind": hit.kind,
        "project": hit.project,
        "session_uid": hit.session_uid,
        "entry_id": hit.entry_id,
        "memory_version_id": hit.memory_version_id,
        "created_at": hit.created_at,
        "valid_to": hit.valid_to,
        "age_days": hit.features.age_days,
        "tokens": hit.tokens,
        "position": hit.position,
        "rank": hit.rank,
        "left_out_reason": hit.left_out_reason,
        "shown_reason": hit.shown_reason or None,
        "role": hit.role or None,
        "shown_tokens": hit.shown_tokens if hit.rank is not None else None,
        "replaced": hit.replaced or None,
        "contradicted_by": hit.contradicted or None,
        "score": hit.score,
        "signals": dict(hit.signals),
        "features": hit.features.as_dict(),
        "earlier_prompts": [dict(each) for each in hit.earlier_prompts],
    }
