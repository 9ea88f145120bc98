"""Whether a clause tells what somebody did: neither a rule nor how things go on.

In: a clause in lower case. Out: yes or no. Invariant: pure, linear in the length of the clause. What somebody decided,
allowed or wants tells of a rule and is no deed.
"""

from __future__ import annotations

import re

ONLY_PAST = (
    "gave|took|wrote|went|came|saw|did|knew|threw|grew|drew|forgot|fell|ate|began|broke|drove|flew|spoke|stole|shook"
)
"""Past forms that are no participle, so that they tell of a deed behind any word. Source: English grammar."""

ALSO_PARTICIPLE = (
    "sent|had|found|lost|met|paid|sold|thought|bought|caught|brought|left|built|ran|told|said|got|made|kept"
)
"""Past forms that are participles too, so that they need a word for a person before them. Source: English grammar."""

DECIDES = r"(?:decid|agre|settl|want|need|lik|prefer|allow|plann|promis|us)\w*\b"
"""Verbs of which the past tells how things are to be."""

OFTEN = r"(?:just |already |once |even |also |then |never |recently |finally )?"

DEED = re.compile(
    r"(?:and |so |but |because |since )?"
    rf"(?:(?:i|we|you|he|she|they|somebody|someone) {OFTEN}(?!{DECIDES})"
    rf"(?:[a-z]{{2,}}(?<!e)ed|{ONLY_PAST}|{ALSO_PARTICIPLE})"
    rf"|(?!(?:please|never|always|don't|do|not|no|to)\b)[a-z][\w'-]* {OFTEN}(?:{ONLY_PAST}))\b"
)
"""How a clause begins that tells what somebody did."""


def tells_deed(clause: str) -> bool:
    """Whether a clause tells what somebody did."""
    return DEED.match(clause.strip()) is not None
