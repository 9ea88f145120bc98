"""How memory_db ranks: the formula and every signal.

    score(hit) = sum over signals of  weight[signal] * signal(hit)

Every signal is a number from 0 to 1. It looks at the question and at one hit:
never at the other hits, never at the clock (ages are features), never at
chance, and never at a profile. So what was logged can be scored again.

To change a signal, edit its function. To try a new one, add a function: it is
logged from then on, and counts nothing until a profile gives it weight.
`measure.py` makes the raw numbers of a hit, `store/presets.py` has the weights
of shipped profiles, CONTRIBUTING.md the recipe, docs/recall.md the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from memory_db.recall.features import HitFeatures, QueryFeatures

CONDITION_FLOOR = 0.3
"""Cosine up to which a condition is not met: phrases of two or three words are alike by chance.

Source: of the pairs of a developer question and a condition that is not of its answer, 99 % lie below it.
"""

OPEN_WINDOW_DAYS = 30.0
"""How far outside a time with an open end ("since March") a hit counts half. Source: ours, a month."""

SHORTEST_WINDOW_DAYS = 0.25
"""Shorter times count as this long: who says "an hour ago" does not look at a clock. Source: ours."""

LINKED_SCOPE = 0.8
"""How much a memory of a linked project belongs here. Source: ours; what is said in the project itself goes before."""

MEANT_ENTRY_SCOPE = 0.4
"""How much an entry of another project belongs here where the question is about that: half of a memory's at most.

Source: as for the next; an entry repeats the words of a question sooner than it answers it.
"""

ELSEWHERE_SCOPE = 0.3
"""How much a memory of any other project does: a project must not bury what is plainly better by its words.

Source: `python -m bench other_project`: alone, 0.3 gains .07 of recall@5 for questions of the developer set that are
asked from elsewhere, 0.5 .15; at home both lose less than .01 there, on the sample .00 and .02 by default and .02 by
hook.
"""

SISTER_SCOPE = 0.6
"""How much a memory of a sister project does, where a prompt asks for something. Source: ours; between the two above.
"""

FEW_PROMPTS = 0.05
"""How much earlier prompts must be like a question, all together, to tell half of what many would.

Source: `python -m bench association`: with 0.05 recall@5 is .79 at a weight of 0.1, with 0.1 .75, with 0.5 .54.
"""

Signal = Callable[[QueryFeatures, HitFeatures], float]

SIGNALS: dict[str, Signal] = {}
"""Every signal by name, in the order of this file."""


def signal(function: Signal) -> Signal:
    """Registers a signal under its function's name."""
    SIGNALS[function.__name__] = function
    return function


# ---------------------------------------------------------------- the signals


@signal
def keyword(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question in the text: its bm25 as a share of the best that this question could reach."""
    return share(hit.bm25, best_for(query, hit))


@signal
def context_keyword(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question in the text and around it: in neighbours, around a quote, in what it replaces."""
    return share(max(hit.context_bm25, hit.outdated_bm25 or 0.0), best_for(query, hit))


@signal
def session_keyword(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question anywhere in the entry's session: the likelier, the more of its entries have them."""
    return unit(hit.session_keyword)


@signal
def semantic(query: QueryFeatures, hit: HitFeatures) -> float:
    """Similarity in meaning by the full embedding model: the cosine, opposed meanings count 0."""
    return unit(hit.cosine or 0.0)


@signal
def context_semantic(query: QueryFeatures, hit: HitFeatures) -> float:
    """Similarity in meaning around the text: the best cosine of neighbours, a memory's source, what it replaces."""
    return unit(max(hit.context_cosine or 0.0, hit.outdated_cosine or 0.0))


@signal
def session_semantic(query: QueryFeatures, hit: HitFeatures) -> float:
    """Similarity in meaning of the entry's session: the mean cosine of its three nearest entries."""
    return unit(hit.session_cosine or 0.0)


@signal
def interaction(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question met one by one in meaning: the best likeness of each in the text, by rarity."""
    return unit(hit.interaction or 0.0)


@signal
def context_interaction(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question met one by one around the text: the best of neighbours, sources, what it replaces."""
    return unit(hit.context_interaction or 0.0)


@signal
def session_interaction(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question met one by one in the entry's session: the mean of its three best entries."""
    return unit(hit.session_interaction or 0.0)


@signal
def static_semantic(query: QueryFeatures, hit: HitFeatures) -> float:
    """Similarity in meaning by static word vectors, which need no model to load: the cosine, from 0."""
    return unit(hit.static_cosine or 0.0)


@signal
def static_context_semantic(query: QueryFeatures, hit: HitFeatures) -> float:
    """Similarity in meaning around the text by static word vectors: as context_semantic, where no model is loaded."""
    return unit(hit.static_context_cosine or 0.0)


@signal
def static_session_semantic(query: QueryFeatures, hit: HitFeatures) -> float:
    """Similarity in meaning of the entry's session by static word vectors: as session_semantic, where no model is."""
    return unit(hit.static_session_cosine or 0.0)


@signal
def static_interaction(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question met one by one by static word vectors: the best likeness of each in the text, by rarity."""
    return unit(hit.static_interaction or 0.0)


@signal
def static_session_interaction(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words of the question met so in the entry's session: the mean of its three best entries."""
    return unit(hit.static_session_interaction or 0.0)


@signal
def condition(query: QueryFeatures, hit: HitFeatures) -> float:
    """Task or moment that a memory is for: how well the question meets it, by words or meaning; 0 without one."""
    meaning = unit(((hit.condition_cosine or 0.0) - CONDITION_FLOOR) / (1 - CONDITION_FLOOR))
    return max(share(hit.condition_bm25 or 0.0, query.best_bm25_memories), meaning)


@signal
def known_words(query: QueryFeatures, hit: HitFeatures) -> float:
    """The share of the question's distinctive words that the file has: the same for every hit, low where to abstain."""
    return unit(query.known_words)


@signal
def recency(query: QueryFeatures, hit: HitFeatures) -> float:
    """Freshness: halves with each half-life of the hit's kind."""
    return half(hit.age_days, hit.half_life_days)


@signal
def time_window(query: QueryFeatures, hit: HitFeatures) -> float:
    """Time named in the question: 1 inside it, halving with each length of it outside; 0 where none is named."""
    if hit.days_outside_window is None:
        return 0.0
    length = OPEN_WINDOW_DAYS if query.window_days is None else max(query.window_days, SHORTEST_WINDOW_DAYS)
    return half(hit.days_outside_window, length)


@signal
def usage(query: QueryFeatures, hit: HitFeatures) -> float:
    """How often it was cited or used after it was shown: 0, then a half at 3, towards 1."""
    return hit.times_used / (hit.times_used + 3.0)


@signal
def importance(query: QueryFeatures, hit: HitFeatures) -> float:
    """Importance from 1 to 5, as 0 to 1; an entry has none."""
    return unit(((hit.importance or 1) - 1) / 4)


@signal
def confidence(query: QueryFeatures, hit: HitFeatures) -> float:
    """The memory's confidence, alpha / (alpha + beta); an entry has none."""
    if hit.alpha is None or hit.beta is None or hit.alpha + hit.beta <= 0:
        return 0.0
    return unit(hit.alpha / (hit.alpha + hit.beta))


@signal
def scope(query: QueryFeatures, hit: HitFeatures) -> float:
    """Whether it belongs here: 1 here, of the user, or where it is meant; 0.8 linked, 0.6 a sister, 0.3 elsewhere."""
    if not hit.holds_here():
        if hit.is_memory:
            return 1.0 if hit.meant_project else SISTER_SCOPE if hit.sister_project else ELSEWHERE_SCOPE
        return MEANT_ENTRY_SCOPE if hit.meant_project else 0.0
    return LINKED_SCOPE if hit.linked_project and not hit.user_scope else 1.0


@signal
def path(query: QueryFeatures, hit: HitFeatures) -> float:
    """Files in play: 1 when it names one of them, a half for the same name elsewhere or the same folder."""
    return unit(hit.path_match)


@signal
def graph(query: QueryFeatures, hit: HitFeatures) -> float:
    """Edges to what is in play: the strength of the best one to a memory of this session or of the files in play."""
    return unit(hit.edge_strength or 0.0)


@signal
def literal(query: QueryFeatures, hit: HitFeatures) -> float:
    """Words to the letter (names, paths, flags, codes, quotes): the share of the question's in the text, by rarity."""
    return unit(hit.literal_share or 0.0)


@signal
def entity(query: QueryFeatures, hit: HitFeatures) -> float:
    """Files, commands, packages, symbols and hosts that the question names: the share that the memory names too."""
    return unit(hit.entity_share or 0.0)


@signal
def association(query: QueryFeatures, hit: HitFeatures) -> float:
    """What earlier prompts like this one came to: the share of them that leads to files, commands, uses of it."""
    return share(hit.association or 0.0, query.alike_prompts + FEW_PROMPTS)


@signal
def lock(query: QueryFeatures, hit: HitFeatures) -> float:
    """Locked by the user: 1; promoted by evidence: a half."""
    return {"user": 1.0, "promoted": 0.5}.get(hit.lock_level, 0.0)


@signal
def memory(query: QueryFeatures, hit: HitFeatures) -> float:
    """Knowledge rather than talk: 1 for a memory, 0 for an entry."""
    return 1.0 if hit.is_memory else 0.0


@signal
def recency_memem(query: QueryFeatures, hit: HitFeatures) -> float:
    """Freshness as memem documents it: 0.995 for each hour.

    Source: memem's README, multi-signal recall scoring.
    """
    return math.pow(0.995, max(0.0, hit.age_days) * 24)


@signal
def usage_memem(query: QueryFeatures, hit: HitFeatures) -> float:
    """How often it was shown, on a logarithmic scale that is full at 20, as memem counts access.

    Source: memem's README names the term; its damping knee of 20 is from its code.
    """
    return unit(math.log1p(hit.times_shown) / math.log1p(20))


@signal
def recency_memlayer(query: QueryFeatures, hit: HitFeatures) -> float:
    """Freshness as MemLayer documents it: halves every 30 days.

    Source: MemLayer's README, composite retrieval.
    """
    return half(hit.age_days, 30.0)


@signal
def recency_agentmemory(query: QueryFeatures, hit: HitFeatures) -> float:
    """Freshness as agentmemory boosts it: halves every 24 hours.

    Source: agentmemory's factor 1 + 0.5^(hours / 24), of which this is the moving part.
    """
    return half(hit.age_days, 1.0)


@signal
def type_agentmemory(query: QueryFeatures, hit: HitFeatures) -> float:
    """Weight of the kind in agentmemory's table, as a share of its greatest (2.5).

    Source: agentmemory's type weights: requirement 2.5, correction 2, preference 1.8, causal 1.3,
    procedural 1.2, else 1; our kinds are put beside the nearest of its types.
    """
    weights = {"convention": 2.5, "correction": 2.0, "preference": 1.8, "fix": 1.3, "failure": 1.3, "behaviour": 1.2}
    return weights.get(hit.kind, 1.0) / 2.5


@signal
def source_agentmemory(query: QueryFeatures, hit: HitFeatures) -> float:
    """Weight of who said it in agentmemory's table, as a share of its greatest (1.5).

    Source: agentmemory's source weights: user corrected 1.5, user stated 1.3, else 1.
    """
    if hit.stated_by_user:
        return 1.0 if hit.kind == "correction" else 1.3 / 1.5
    return 1.0 / 1.5


def needs_model(name: str) -> bool:
    """Whether a signal is 0 unless the full embedding model is loaded."""
    return needs_tokens(name) or (name.endswith("semantic") and not name.startswith("static_"))


def needs_tokens(name: str) -> bool:
    """Whether a signal compares token by token, which it can where a file has bits of its texts' tokens."""
    return name.endswith("interaction") and not name.startswith("static_")


# ---------------------------------------------------------------- the formula


def signals(query: QueryFeatures, hit: HitFeatures) -> dict[str, float]:
    """Every signal of one hit, by name, each from 0 to 1."""
    return {name: function(query, hit) for name, function in SIGNALS.items()}


def score_of(weights: Mapping[str, float], query: QueryFeatures, hit: HitFeatures) -> float:
    """The score of one hit without the signals that weigh nothing: the same sum, for ranking hundreds of hits."""
    total = 0.0
    for name, weight in weights.items():
        total += weight * SIGNALS[name](query, hit)
    return total


def score(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    """The score of one hit: the sum of its signals, each times its weight. From 0 to 1."""
    total = 0.0
    for name, weight in weights.items():
        total += weight * values.get(name, 0.0)
    return total


def best_for(query: QueryFeatures, hit: HitFeatures) -> float:
    """The best bm25 in the full text that this hit comes from."""
    return query.best_bm25_memories if hit.is_memory else query.best_bm25_entries


def share(value: float, best: float) -> float:
    """A part of what could be reached, from 0 to 1."""
    return unit(value / best) if best > 0 else 0.0


def half(age_days: float, half_life_days: float) -> float:
    """Exponential decay from 1: a half after one half-life. An age below 0 counts as 0."""
    return math.pow(0.5, max(0.0, age_days) / half_life_days) if half_life_days > 0 else 0.0


def unit(value: float) -> float:
    """The value, held between 0 and 1."""
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else value
