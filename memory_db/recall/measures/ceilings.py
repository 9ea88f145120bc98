"""What the words of a question could reach in a file: the scale of bm25, and the share of the words that it knows.

In: idf of terms, and counts of texts that have them. Out: numbers. A hook loads this: the standard library alone.
"""

from __future__ import annotations

import math

from memory_db.recall.scoring import share
from memory_db.text.terms import idf

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def best_bm25(idfs: Iterable[float]) -> float:
    """The bm25 that no text can exceed for terms of these idf: each as often as can be, in the shortest text.

    Source: FTS5's bm25 with k1 = 1.2: a term gives at most idf * (k1 + 1), with
    idf = ln((N - n + 0.5) / (n + 0.5)) and never less than 1e-6.
    """
    return sum(term_bm25(each, math.inf) for each in idfs)


def term_bm25(term_idf: float, times: float) -> float:
    """What a term gives to a bm25 that knows no lengths: more each time, towards 2.2 times its idf.

    Source: bm25 with k1 = 1.2 as in FTS5, and b = 0.
    """
    return term_idf * 2.2 / (1 + 1.2 / times) if times > 0 else 0.0


def known_share(document_count: int, documents_with_term: Mapping[str, int]) -> float:
    """The share of terms that stand in any text, each counted by its idf; one that no text has is the rarest of all."""
    weights = {term: idf(document_count, count) for term, count in documents_with_term.items()}
    known = sum(weight for term, weight in weights.items() if documents_with_term[term])
    return share(known, sum(weights.values()))


def worth_of_terms(terms: Iterable[str], *weights: Mapping[str, float]) -> dict[str, float]:
    """The idf of each term, in that full text where it is rarest; 1 of one that none was asked for."""
    return {term: max((each[term] for each in weights if term in each), default=1.0) for term in terms}
