"""What `recall` prints of an answer.

In: an answer. Out: lines of text. A plain recall loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.recall.brief.allowed import BELOW_THRESHOLD
from memory_db.recall.evidence_of_hit import LEAST, evidence
from memory_db.text.one_line import printable

TYPE_CHECKING = False  # as in typing, which need not be loaded
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.brief.select import Answer


def answer_lines(answer: Answer, details: Callable[[Placement], Iterable[str]] | None = None) -> Iterator[str]:
    """How it is done, if that is asked; the hits, best first, each with its details where they are wanted; and why
    there are none if there are none."""
    for procedure in answer.procedures:
        yield f"    {printable(procedure.text, 400)}"
    if not answer.shown:
        yield f"Nothing {'else ' if answer.procedures else ''}shown: {why_nothing(answer)}"
    elif is_nothing_near(answer):
        yield NOTHING_NEAR
    for hit in answer.shown:
        yield f"{hit.rank:>2}. {hit.score:.4f}  {hit.uid}  {printable(hit.text, 160)}"
        replaced = printable(hit.replaced, 100)
        found_by = f"found by {hit.features.found_by}" if hit.features.found_by else ""
        until = f"until {hit.valid_to[:10]}" if hit.valid_to else ""
        where = [hit.type, hit.kind, hit.project, hit.created_at[:10], until, replaced, found_by]
        yield f"    {' · '.join(filter(None, where))}"
        if details:
            yield from details(hit)


NOTHING_NEAR = "Perhaps nothing here answers: none of these has much to do with it, by its words or its meaning."


def is_nothing_near(answer: Answer) -> bool:
    """Whether no hit brings enough by itself: a score can be high where project and date lift all hits alike.

    On the sample that is so of 9 of the 19 questions that nothing answers and of 13 of the 127 others, with the full
    model of 5 and of 4.
    """
    asked = answer.recalled.query_features
    is_answered = answer.procedures or any(evidence(asked, hit.features) >= LEAST for hit in answer.shown)
    return not is_answered


def how_to_explain(answer: Answer) -> str:
    """What is said on stderr below an answer that has a name."""
    return f"Explained by: memory-db why {answer.recall_uid}"


def why_nothing(answer: Answer) -> str:
    """Why an answer shows nothing, in words."""
    if not answer.considered_count and answer.question.filters.as_of:
        return (
            f"of what was recorded by {answer.question.filters.as_of[:10]}, nothing shares a word or a meaning with the"
            " question (as-of goes by when a memory was recorded here, --before by when it was said)."
        )
    if not answer.considered_count:
        return "no memory or entry shares a word or a meaning with the question, or the filters leave none."
    from memory_db.recall.brief.for_model import nearest_to, why_silent  # noqa: PLC0415  # start-up: seldom asked

    counts = ", ".join(f"{reason} ({count:,})" for reason, count in answer.left_out.items())
    if why := why_silent(answer):
        nearest = f" Nearest: {printable(near, 200)}." if (near := nearest_to(answer)) else ""
        return f"{why}.{nearest} {answer.considered_count:,} were considered: {counts}. `memory-db recall` shows them."
    if BELOW_THRESHOLD in answer.left_out:
        reason = f"nothing reached the threshold of {answer.profile.name}, {answer.profile.threshold:g}"
        return f"{answer.considered_count:,} were considered, but {reason}: {counts}."
    return f"{answer.considered_count:,} were considered: {counts}."
