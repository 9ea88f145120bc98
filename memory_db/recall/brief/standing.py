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

from memory_db.recall.brief.allowed import BEHIND_BEST_LINE, BESIDE_QUESTION, KNOWN_HERE, NO_BETTER, READ_BEFORE
from memory_db.recall.brief.brought import is_met
from memory_db.recall.evidence_of_hit import CONDITION, LEAST, STRONG, by_name, is_named
from memory_db.recall.scoring import condition
from memory_db.text.questions import asks_to_know, asks_within, reports_failure

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.search import Question, Recalled

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

ENTRY, ENTRY_WITH_MODEL = 3.5, 1.75
"""How many times as far an entry must lead: what was only said is more often beside the point than what was kept.

Source: as above. Without the model one of 13 entries that lead by .045 tells something, and that one by .138; with it
two of three that lead by .06 do, by .074 and .104.
"""

RESEMBLES, RULE_BESIDE = 1.75, 2.25
"""The same for a memory that a task merely resembles, and for a rule that is not the best memory on a question: who
gives a task is told what it is for or names, and a rule is seldom an answer.

Source: as above; with the model it takes off 9 of 10 such lines of noise, and none that tells something.
"""

FAR_OUT, FAR_OUT_WITH_MODEL = 0.1, 0.09
"""How far above it a memory stands out by that alone, though it shares few words and though the first hits together do
not look like an answer. Source: as above; of the memories with such a
lead that were silenced, readers had labelled four: three of them tell something."""

CLEAR, CLEAR_EVIDENCE = 0.03, 4 / 3
"""How far above the next memory the best one scores, and how many times the least evidence it brings, so that it stands
whatever else was considered: what was only said may be as near without being an answer.

Source: `python -m bench days`, the days that were seen, prompts alone: with it seven more lines are wanted and two more
are noise.
"""

OF_LEAST = 0.75
"""Share of the least evidence that such a memory must bring all the same. Source: ours; less is the project alone."""

AS_MUCH = 0.9
"""Share of the most evidence that counts as as much: what is between says nothing. Source: ours."""

BESIDE_BEST = 0.85
"""Share of the best line's score under which a line has nothing to add. Source: as above."""


OF_CONDITION = 0.5
"""Share of the least evidence that what a rule is for must bring, where the rest of its evidence is not strong.
Source: ours; half of it is a word that the prompt and the condition share, of four."""

TOGETHER = 0.75
"""The same for a memory of the best line's session: a rule, and how it is kept to. Source: ours."""


def keep_outstanding(recalled: Recalled, placed: Sequence[Placement], *, is_told_how: bool = False) -> None:
    """Takes lines out of a brief that nobody asked for: those that do not stand out, or stay well behind the best.

    `is_told_how` says that a procedure stands before them, which answers the question.
    """
    question, field = recalled.question, recalled.hits[FIELD - 1].score if len(recalled.hits) >= FIELD else None
    shown = sorted((hit for hit in placed if hit.rank is not None), key=lambda hit: hit.rank or 0)
    if not (question.is_unasked and question.is_for_model and shown):
        return
    best, rank = max(shown, key=lambda hit: hit.standing_score), 0
    giving, of_sister = best_that_gives(placed), best_of_sister(question, placed)
    needed = LeadNeeded(recalled, placed, is_told_how=is_told_how)
    clear = best_alone(question, placed)
    is_answered = asks_to_know(question.query) and any(is_read(hit) and hit.features.is_for_it() for hit in placed)
    for hit in shown:
        if field is not None:
            hit.lead, hit.lead_needed = hit.standing_score - field, needed.by(hit)
        is_best = hit is best and hit.features.is_of_named()
        if is_told_how and hit.is_of_sister:
            reason = KNOWN_HERE
        elif stays_whatever(recalled, hit) or is_best or hit is giving or hit is of_sister:
            reason = ""
        elif is_answered or (giving is not None and not hit.features.gives_value and hit.evidence < giving.evidence):
            reason = BESIDE_QUESTION
        elif hit.lead is not None and hit.lead < (hit.lead_needed or 0.0) and hit is not clear:
            reason = NO_BETTER
        else:
            share = TOGETHER if hit.is_beside(best) else BESIDE_BEST
            reason = BEHIND_BEST_LINE if hit.standing_score < share * best.standing_score else ""
        if reason:
            hit.rank, hit.shown_reason, hit.left_out_reason = None, "", reason
        else:
            hit.rank = rank = rank + 1


class LeadNeeded:
    """How far above the rest a line must score, by what it is and what the prompt wants."""

    def __init__(self, recalled: Recalled, placed: Sequence[Placement], *, is_told_how: bool) -> None:
        has_model = recalled.semantic_model is not None
        query = recalled.question.query
        self.asked, self.is_asked = recalled.query_features, asks_within(query) or reports_failure(query)
        self.is_asked = self.is_asked and not is_told_how
        self.least = LEAST_LEAD_WITH_MODEL if has_model else LEAST_LEAD
        self.of_entry = self.least * (ENTRY_WITH_MODEL if has_model else ENTRY)
        self.best = max((hit for hit in placed if hit.type == "memory"), key=lambda hit: hit.evidence, default=None)

    def by(self, hit: Placement) -> float:
        """The lead that a line needs; half is enough for what a tool named that failed."""
        if hit.type == "entry":
            return self.of_entry
        named = by_name(self.asked, hit.features)
        if self.is_asked and hit.is_rule and hit is not self.best and not hit.features.gives_value:
            return self.least * RULE_BESIDE
        if not self.is_asked and not is_met(self.asked, hit):
            return self.least * RESEMBLES
        return self.least / 2 if named >= LEAST else self.least


def is_far_out(recalled: Recalled, hit: Placement) -> bool:
    """Whether a memory that holds here scores far above all else, and has something of the prompt."""
    if hit.type != "memory" or not hit.features.holds_here() or len(recalled.hits) < FIELD:
        return False
    far_out = FAR_OUT_WITH_MODEL if recalled.semantic_model else FAR_OUT
    lead = hit.standing_score - recalled.hits[FIELD - 1].score
    return lead >= far_out and hit.evidence >= OF_LEAST * LEAST


def best_alone(question: Question, placed: Sequence[Placement]) -> Placement | None:
    """The best memory of this place, where it brings much evidence and scores clearly more than any other one.

    A rule is no answer to who only wants to know something.
    """
    here = [hit for hit in placed if hit.type == "memory" and hit.features.holds_here()]
    if len(here) < 2:
        return None
    first, second = sorted(here, key=lambda hit: -hit.standing_score)[:2]
    least = CLEAR_EVIDENCE * (question.least_for_rules or 1.0)
    if first.evidence < least or first.standing_score - second.standing_score < CLEAR:
        return None
    return None if first.is_rule and asks_to_know(question.query) else first


def best_that_gives(placed: Sequence[Placement]) -> Placement | None:
    """The memory that gives a value of the sort that is asked for, of those with nearly the most evidence the one with
    the best score; none where it is not shown."""
    most = max((hit.evidence for hit in placed if hit.type == "memory"), default=0.0)
    giving = (hit for hit in placed if hit.features.gives_value and hit.evidence >= AS_MUCH * most)
    best = max(giving, key=lambda hit: hit.standing_score, default=None)
    return best if best and best.rank is not None else None


def best_of_sister(question: Question, placed: Sequence[Placement]) -> Placement | None:
    """The memory with the most evidence, where it is of a sister, shown, and that evidence is strong.

    It scores lower for being of elsewhere, among words that the own project says all the time.
    """
    memories = (hit for hit in placed if hit.type == "memory")
    best = max(memories, key=lambda hit: (hit.evidence, hit.rank is not None), default=None)
    is_strong = best is not None and best.evidence >= STRONG * (question.least_for_rules or 1.0)
    return best if best is not None and best.rank is not None and best.is_of_sister and is_strong else None


def is_read(hit: Placement) -> bool:
    """Whether the session reads a hit now, or has read it."""
    return hit.rank is not None or hit.left_out_reason in READ_BEFORE


def stays_whatever(recalled: Recalled, hit: Placement) -> bool:
    """Whether a line stays whatever else scores: it is locked, exceeded or named, or a rule clearly met.

    What a tool named that failed, the user did not name.
    """
    question, asked = recalled.question, recalled.query_features
    if hit.features.lock_level == "user" or hit.is_exceeded or is_strong_rule(recalled, hit):
        return True
    by_user = condition(asked, hit.features) > 0 or not reports_failure(question.query)
    return by_user and is_named(asked, hit.features, question.least_for_rules)


def is_strong_rule(recalled: Recalled, hit: Placement) -> bool:
    """Whether a hit binds the agent, and the prompt clearly meets it: by strong evidence, or by what it is for.

    Who asks something does nothing that a rule is for, unless it is for that very act.
    """
    least = recalled.question.least_for_rules
    if not hit.is_rule or least is None:
        return False
    query = recalled.question.query
    by_condition = 0.0 if asks_to_know(query) else CONDITION * condition(recalled.query_features, hit.features)
    is_met = by_condition >= OF_CONDITION * least
    if asks_within(query) and not is_met:
        return False
    return hit.evidence >= STRONG * least or (hit.evidence >= least and is_met)
