"""What a reason for leaving a hit out means, with the numbers that were compared."""

from __future__ import annotations

from typing import Any

import pytest

from memory_db.recall.brief import allowed
from memory_db.recall.explain.reasons import Compared, meaning, told

CONTEXT = {"limit": 4, "least_evidence": 0.23, "least_for_rules": 0.23, "is_unasked": True}


def compared(score: float = 0.238, *, best: float | None = 0.335, shown: int = 1, **features: Any) -> Compared:
    known = {"is_memory": True, "kind": "domain", "same_project": True, **features}
    return Compared(score, known, CONTEXT, 0.2, has_model=False, best=best, shown=shown)


def test_standing_out_is_told_with_both_scores_and_what_is_needed() -> None:
    said = told(allowed.NO_BETTER, compared(lead=0.001))
    assert "at least 0.030 more than the tenth" in said and "scores 0.237, this one 0.238: 0.001 more" in said
    assert "at least 0.045 more" in told(allowed.NO_BETTER, compared(lead=0.02, lead_needed=0.045))
    assert told(allowed.NO_BETTER, compared()) == meaning(allowed.NO_BETTER), "what was not logged is not told"


def test_the_limit_says_that_memories_go_first_and_that_a_place_stayed_empty() -> None:
    said = told(allowed.OVER_LIMIT, compared(0.339, is_memory=False))
    assert (
        "At most 4 lines" in said and "memories take theirs first" in said and "3 of those lines were taken out" in said
    )
    assert "memories take" not in told(allowed.OVER_LIMIT, compared(shown=4))


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (allowed.BELOW_THRESHOLD, "0.238 is below 0.200"),
        (allowed.LITTLE_EVIDENCE, "Its evidence of its own is 0.14, and 0.23 is needed"),
        (allowed.BEHIND_BEST_LINE, "The best line scores 0.335, this one 0.238"),
        (allowed.SAME_TEXT.format("m1"), "Another hit says the same"),
        ("a reason of tomorrow", ""),
    ],
)
def test_a_reason_is_told_with_its_numbers(reason: str, said: str) -> None:
    found = told(reason, compared(evidence=0.14))
    assert said in found and bool(said) == bool(found)
