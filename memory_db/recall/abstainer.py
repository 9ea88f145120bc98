"""Whether the first hits of a question look as if they answered it: a small logistic model, fitted on labelled ones.

    chance = 1 / (1 + exp(-(bias + sum over numbers of  weight[number] * number)))

Evidence says of each hit what it brings; here five numbers say what the first of them bring together. A question is
met with silence where its chance stays below the least one. There are two sets of weights: without the full model and
with it, for its cosines and likenesses of words are higher.

Pure: no database, no clock, no chance drawn. A hook loads this: the standard library alone.
"""

from __future__ import annotations

import math

from memory_db.records import dataclass
from memory_db.store.abstainer_weights import NUMBERS, SETS, weights_in

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COLD, MODEL = SETS

FIRST_HITS = 10
"""Hits by evidence whose words together are compared with the question's.

Source: `python -m bench.evidence --fit` with this set to 3, 5 and 10: the last tells most of the questions of sets that
weights were not fitted on (.69 of them without the model, .71 with it; .68 and .71 with 3).
"""

NEAREST = 3
"""Hits whose meaning counts, the nearest ones: a text that is near by chance is seldom one of three. Source: as above,
.02 more than the nearest alone."""


MOST_WORDS = 10
"""Distinctive words of a question from which on more of them say nothing. Source: ours; nine in ten have fewer."""

FEWEST, MOST = 30, 999
"""Texts considered that count as the fewest and the most. Source: ours; weights were fitted on files with so many."""


@dataclass(frozen=True, slots=True)
class Abstainer:
    """One set of weights: by name of `NUMBERS`, the bias, and the least chance at which something is shown."""

    weights: Mapping[str, float]
    bias: float
    least: float

    def chance(self, numbers: Mapping[str, float]) -> float:
        """How likely a question of these numbers has an answer among its hits, from 0 to 1."""
        total = self.bias + sum(weight * numbers.get(name, 0.0) for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))

    def as_dict(self) -> dict[str, float]:
        """Everything in one level, as it is stored."""
        return {**self.weights, "bias": self.bias, "least": self.least}


SHIPPED = {
    COLD: Abstainer(
        {"evidence": 1.403, "met": 0.881, "meaning": 2.212, "words": 0.635, "considered": -1.724},
        bias=-0.85,
        least=0.395,
    ),
    MODEL: Abstainer(
        {"evidence": 1.565, "met": 2.429, "meaning": 2.19, "words": 0.622, "considered": -1.824},
        bias=-1.93,
        least=0.397,
    ),
}
"""The weights that hold unless the setting `abstainer` has others.

Source: `python -m bench.evidence --fit [--data DIR]` fits them again; docs/benchmarks.md has what they reach.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of a question's first hits, and what follows."""

    numbers: Mapping[str, float]
    chance: float
    least: float

    @property
    def is_silent(self) -> bool:
        """Whether nothing is to be shown but rules that are met, and what is named."""
        return self.chance < self.least

    def as_dict(self) -> dict[str, float]:
        """As it is logged with a recall."""
        values = {**self.numbers, "chance": self.chance, "least": self.least}
        return {name: round(value, 4) for name, value in values.items()}


def numbers_of(
    evidences: Sequence[float],
    cosines: Sequence[float],
    worth: Mapping[str, float],
    met: Mapping[str, float],
    *,
    words: int,
    considered: int,
) -> dict[str, float]:
    """The numbers of a question's hits.

    `evidence` is the most that any hit brings by itself; `meaning` the mean of the nearest cosines; `met` how well the
    question's words are met in any of the first hits, from 0 to 1 each, counted by their `worth`: a question whose
    rarest word stands nowhere is hardly answered, however well the others are. `words` says how many distinctive words
    it has, of which one text seldom has all; `considered` how many texts were, of which more are near by chance.
    """
    total = sum(worth.values())
    nearest = sorted((max(0.0, each) for each in cosines), reverse=True)[:NEAREST]
    return {
        "evidence": max(evidences, default=0.0),
        "met": sum(value * met.get(word, 0.0) for word, value in worth.items()) / total if total > 0 else 0.0,
        "meaning": sum(nearest) / NEAREST,
        "words": min(words, MOST_WORDS) / MOST_WORDS,
        "considered": math.log10(1 + min(max(considered, FEWEST), MOST)) / math.log10(1 + MOST),
    }


def abstainers_of(text: str) -> dict[str, Abstainer]:
    """Both sets of weights, as the setting `abstainer` has them; those shipped where it holds nothing else."""
    own = weights_in(text) or {}
    return SHIPPED | {
        name: Abstainer({each: values[each] for each in NUMBERS}, values["bias"], values["least"])
        for name, values in own.items()
    }
