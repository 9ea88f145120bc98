"""What a hit itself brings to a question: whether it may be shown, never where it stands.

    evidence(hit) = 1.00 meaning * (1 + known) / 2
                  + 0.50 words * known
                  + 0.15 literals * known
                  + 0.50 condition  + 0.40 path  + 0.20 entity          (1 at most)
                  + 0.12 value, where it gives what a prompt asks for and the rest is 0.15 at least

Where the hit's tokens were compared with the question's, a third of what is said by meaning is said token by token:

    evidence(hit) = (0.67 meaning + 0.33 interaction) * (1 + known) / 2
                  + 0.33 words * known
                  + 0.10 literals * known
                  + 0.50 condition  + 0.40 path  + 0.20 entity

A score says which hit is better than another: project, recency, neighbours and session lift all of them alike, so a
poor question has high scores too. Here counts only what belongs to this question and this one text. `known` is the
share of the question's distinctive words that the file has. It lifts nothing: it takes off what words that the file
does not know leave open, for whoever shares the one known word of five shares little.

Pure: no database, no clock, no chance.
"""

from __future__ import annotations

from memory_db.recall.scoring import best_for, condition, entity, literal, path, share, unit

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from memory_db.recall.features import HitFeatures, QueryFeatures

WORDS, LITERALS, CONDITION, PATH, ENTITY = 0.5, 0.15, 0.5, 0.4, 0.2
"""How much each counts beside the meaning.

Source: `python -m bench.evidence` gives the area under the curve, answerable questions against those that nothing
answers; with 0.3 to 0.7 for words it changes by less than .01 on the sample and the developer set. What those sets
hardly have (condition, path, entity) has its share by hand: a file that is named, or a condition that is met in full,
is enough by itself; half a path is not.
"""

MEANING, INTERACTION, BESIDE_TOKENS = 0.67, 0.33, 0.67
"""How much meaning and tokens count where both are known, and what is left there of words and literals.

Source: `python -m bench.evidence`: of those that bring most to the questions of the sample, the developer set and
PrecisionMemBench .70 are answers, .67 without tokens; the area is .833 and .827. What stands around a hit
(`context_interaction`) adds nothing to that, and is not the hit's own.
"""

VALUE, LEAST_BESIDE_VALUE = 0.12, 0.15
"""How much it counts that a text gives a value of the sort that is asked for ("how strict are we?", "12 percent"), and
what all the rest brings then at least: it must be about the same thing. Source: ours; on lived days what was about
something else brought less."""

WORDS_ALONE = 1.0
"""How much words count where no vector says the meaning, as of what was stored a moment ago. Source: ours; as much as
the meaning would."""

LEAST = 0.23
"""Evidence from which on a hit is enough by itself where no full model is loaded: a rule is met by it.

Source: `python -m bench.evidence`: the most at which 80 % of the answerable questions of the sample and of the
developer set have such a hit.
"""

LEAST_WITH_MODEL = 0.3
"""The same where a full model gives the meaning: its cosines are higher. Source: as above, by the same rule."""

BESIDE_WITH_MODEL = 0.8
"""The share of that evidence which is enough for a line where the full model was asked; without it all of it is needed.

Source: ours; where the first hits look like an answer by tokens and meaning, one of little evidence may be it: of the
developer's answerable questions .78 are shown something instead of .74, of the sample's .82 instead of .80.
"""

STRONG = 1.5
"""How many times the least evidence is strong: an answer for itself, or worth an interruption later in a session.

Source: ours; without the model three in five answerable questions of the sample have such a hit, of those that nothing
answers one in seven.
"""


def least_needed(least: float | None, for_rules: float | None, *, is_rule: bool, holds_here: bool) -> float | None:
    """The evidence that a hit must bring for a model that reads it, by what a question asks of lines and of rules.

    A rule is met sooner than others; what holds elsewhere binds nobody here, and must bring as much as later in a
    session. None where nothing is asked.
    """
    if not holds_here and least is not None:
        return STRONG * min(for_rules or 1.0, least)
    return for_rules if is_rule else least


def evidence(query: QueryFeatures, hit: HitFeatures, known: float | None = None) -> float:
    """What a hit brings by itself, from 0 to 1: words, meaning, literals, condition, path, entity, value.

    `known` stands for the question's own share of known words where idf says too little (`abstain.known_share_in`).
    """
    return unit(sum(parts(query, hit, known).values()))


def parts(query: QueryFeatures, hit: HitFeatures, known: float | None = None) -> dict[str, float]:
    """What that is made of, by what brings it; their sum may be more than 1, the evidence is not."""
    known = unit(query.known_words if known is None else known)
    cosines = [each for each in (hit.cosine, hit.static_cosine, hit.outdated_cosine) if each is not None]
    meaning, beside = unit(max(cosines, default=0.0)), 1.0
    if hit.interaction is not None:
        meaning, beside = MEANING * meaning + INTERACTION * unit(hit.interaction), BESIDE_TOKENS
    words = share(max(hit.bm25, hit.outdated_bm25 or 0.0), best_for(query, hit))
    found = {
        "meaning": meaning * (1 + known) / 2,
        "words": beside * (WORDS if cosines else WORDS_ALONE) * words * known,
        "literals": beside * LITERALS * literal(query, hit) * known,
        "condition": CONDITION * condition(query, hit),
        "path": PATH * path(query, hit),
        "entity": ENTITY * entity(query, hit),
    }
    return found | ({"value": VALUE} if hit.gives_value and sum(found.values()) >= LEAST_BESIDE_VALUE else {})


def is_named(asked: QueryFeatures, hit: HitFeatures, least: float | None) -> bool:
    """Whether a hit is meant whatever the other words: its file or entity is named, or its condition is met."""
    return least is not None and CONDITION * condition(asked, hit) + by_name(asked, hit) >= least


def by_name(asked: QueryFeatures, hit: HitFeatures) -> float:
    """What a hit brings by its file or an entity that the question names."""
    return PATH * path(asked, hit) + ENTITY * entity(asked, hit)
