"""What stands out: of a brief that nobody asked for, the lines that score clearly more than all else considered.

    lead(hit) = score(hit) - score(tenth best hit)

where a memory that is told in the place of an older one has the better of both scores.

Scope, freshness and kind lift every hit of a question alike, and so do words that a project says everywhere: where
nothing answers, the first hits score hardly more than the tenth. In: the hits of a recall, each with its rank or the
reason why not. Out: the same, with those taken out that do not stand out. Invariants: no score and no order changes;
what was asked for, by whomever, is not touched; what is locked or named, a rule that is clearly met, and the best of
another project that the prompt names, stay.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.recall.brief.allowed import BEHIND_BEST_LINE, BESIDE_QUESTION, NO_BETTER, SHOWN_EARLIER
from memory_db.recall.evidence_of_hit import CONDITION, STRONG, is_named
from memory_db.recall.scoring import condition
from memory_db.text.questions import asks_to_know

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.search import Recalled

FIELD = 10
"""The hit by score that stands for all that was considered; with fewer of them nothing is compared.

Source: the first half of `python -m bench brief_quality` and the questions of the sample and of the developer set, the
lines of hooks: with the fifth an answer that is told several times is not above itself, with the twentieth less noise
goes for as many answers.
"""

LEAST_LEAD, LEAST_LEAD_WITH_MODEL = 0.03, 0.04
"""How far above that a line must score, without and with the full model.

Source: as above. With the next it takes the noise of the three sets from .60, .70 and .66 of the lines to .46, .57 and
.54 without the model, and from .58, .71 and .70 to .37, .50 and .47 with it; of the prompts that were shown an answer
.86, .92 and .97 still are, and .73, .89 and .87. A least score in its place takes twice as many answers of the
developer set, whose scores are lower, for the same.
"""

ENTRY = 1.5
"""How many times as far an entry must lead: what was only said is more often beside the point than what was kept.

Source: as above; with the model it takes off 13 of the 18 lines of noise among entries, and 3 of their 19 answers.
"""

BESIDE_BEST = 0.85
"""Share of the best line's score under which a line has nothing to add. Source: as above."""


OF_CONDITION = 0.5
"""Share of the least evidence that what a rule is for must bring, where the rest of its evidence is not strong.
Source: ours; half of it is a word that the prompt and the condition share, of four."""

TOGETHER = 0.75
"""The same for a memory of the best line's session: a rule, and how it is kept to. Source: ours."""


def keep_outstanding(recalled: Recalled, placed: Sequence[Placement]) -> None:
    """Takes lines out of a brief that nobody asked for: those that do not stand out, or stay well behind the best."""
    question, field = recalled.question, recalled.hits[FIELD - 1].score if len(recalled.hits) >= FIELD else None
    shown = sorted((hit for hit in placed if hit.rank is not None), key=lambda hit: hit.rank or 0)
    if not (question.is_unasked and question.is_for_model and shown):
        return
    least = LEAST_LEAD_WITH_MODEL if recalled.semantic_model else LEAST_LEAD
    best, rank = max(shown, key=lambda hit: hit.standing_score), 0
    giving = best_that_gives(placed)
    is_answered = asks_to_know(question.query) and any(is_read(hit) and hit.features.is_for_it() for hit in placed)
    for hit in shown:
        hit.lead = None if field is None else hit.standing_score - field
        if stays_whatever(recalled, hit) or (hit is best and hit.features.is_of_named()) or hit is giving:
            reason = ""
        elif is_answered:
            reason = BESIDE_QUESTION
        elif hit.lead is not None and hit.lead < least * (ENTRY if hit.type == "entry" else 1.0):
            reason = NO_BETTER
        else:
            share = TOGETHER if hit.is_beside(best) else BESIDE_BEST
            reason = BEHIND_BEST_LINE if hit.standing_score < share * best.standing_score else ""
        if reason:
            hit.rank, hit.shown_reason, hit.left_out_reason = None, "", reason
        else:
            hit.rank = rank = rank + 1


def best_that_gives(placed: Sequence[Placement]) -> Placement | None:
    """The memory with the most evidence, where it gives a value of the sort that is asked for and is shown."""
    best = max((hit for hit in placed if hit.type == "memory"), key=lambda hit: hit.evidence, default=None)
    return best if best and best.rank is not None and best.features.gives_value else None


def is_read(hit: Placement) -> bool:
    """Whether the session reads a hit now, or has read it."""
    return hit.rank is not None or hit.left_out_reason == SHOWN_EARLIER


def stays_whatever(recalled: Recalled, hit: Placement) -> bool:
    """Whether a line stays whatever else scores: it is locked, the prompt names it, or it is a rule clearly met."""
    question = recalled.question
    if hit.features.lock_level == "user" or is_strong_rule(recalled, hit):
        return True
    return is_named(recalled.query_features, hit.features, question.least_for_rules)


def is_strong_rule(recalled: Recalled, hit: Placement) -> bool:
    """Whether a hit binds the agent, and the prompt clearly meets it: by strong evidence, or by what it is for.

    Who only wants to know something does nothing that a rule is for.
    """
    least = recalled.question.least_for_rules
    if not hit.is_rule or least is None:
        return False
    is_asked = asks_to_know(recalled.question.query)
    by_condition = 0.0 if is_asked else CONDITION * condition(recalled.query_features, hit.features)
    return hit.evidence >= STRONG * least or (hit.evidence >= least and by_condition >= OF_CONDITION * least)
