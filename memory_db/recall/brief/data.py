"""A brief as plain data, for the shell and for programs.

In: the answer that a brief was made of. Out: its text, its lines by role, what each role had and took, and what was
left out. Invariant: the lines are those of the text.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory_db.recall.brief.log import moment_of
from memory_db.recall.brief.roles import BY_NAME, INDEX, heading_tokens, share_of
from memory_db.recall.brief.select import Answer, brief_line


def brief_data(answer: Answer, now: datetime) -> dict[str, Any]:
    """A brief: its lines by role, what each role has and took, and what was left out."""
    budget = answer.question.budget_tokens
    roles = [role_data(answer, role, budget, moment_of(answer.question, now)) for role in (*BY_NAME, INDEX)]
    return {
        "recall": answer.recall_uid,
        "query": answer.question.query,
        "profile": f"{answer.profile.name}@{answer.profile.version}",
        "abstained": answer.abstained,
        "tokens": answer.tokens,
        "budget_tokens": budget,
        "before": list(answer.before),
        "roles": [role for role in roles if role["lines"] or role["budget_tokens"]],
        "after": list(answer.after),
        "left_out": answer.left_out,
        "considered_count": answer.considered_count,
        "text": answer.text,
    }


def role_data(answer: Answer, role: str, budget: int | None, now: datetime) -> dict[str, Any]:
    """One role of a brief: its share of the budget, what it took with its heading, its lines."""
    own = [hit for hit in answer.shown if hit.role == role]
    return {
        "role": role,
        "budget_tokens": None if budget is None else share_of(role, budget),
        "tokens": sum(hit.shown_tokens or 0 for hit in own) + (heading_tokens(role) if own else 0),
        "lines": [
            {
                "uid": hit.uid,
                "type": hit.type,
                "kind": hit.kind,
                "rank": hit.rank,
                "score": hit.score,
                "shown_reason": hit.shown_reason,
                "tokens": hit.shown_tokens,
                "whole_tokens": hit.tokens,
                "contradicted_by": hit.contradicted or None,
                "replaced": hit.replaced or None,
                "line": brief_line(hit, now),
            }
            for hit in own
        ],
    }
