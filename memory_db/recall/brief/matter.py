"""Whether a prompt tells a matter, such as trouble or a task, so that all that was settled on it is of use.

In: a prompt. Out: yes or no. Pure. Invariant: who asks something of their own wants that answered, and not the matter.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.recall.brief.same_saying import subject
from memory_db.records import IGNORECASE, later
from memory_db.text.questions import clauses_that_ask, opens_question, parted, reports_failure

FEWEST_WORDS = 14
"""Distinctive words of a prompt from which on it tells a matter, and not a line's worth.

Source: SDE-bench's reports have 18 to 42; of the 300 prompts of `python -m bench brief_quality`, most of which want one
line, eleven have 12 or more.
"""

MOST_OF_ASIDE = 2
"""Distinctive words of a question that asks nothing of its own: "What is broken where?". Source: ours."""

HOW = later(r"\bhow\b", IGNORECASE)


def tells_a_matter(query: str) -> bool:
    """Whether a prompt tells a matter at length, so that all that was settled on it is of use.

    Who asks something of their own, or pastes what a tool said that failed, wants that answered; "what is wrong there?"
    behind a report asks nothing of its own.
    """
    told, is_asked = query, any(opens_question(parted(line)[0]) for line in query.splitlines() if line.strip())
    for clause in clauses_that_ask(query):
        told = told.replace(clause, " ")
        is_asked = is_asked or len(subject(clause)) > MOST_OF_ASIDE or HOW.search(clause) is not None
    return not is_asked and not reports_failure(query) and len(subject(told)) >= FEWEST_WORDS
