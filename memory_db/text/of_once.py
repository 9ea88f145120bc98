"""Whether a statement tells what happened once, or what is still to be done, and nothing that holds.

In: one statement, as a model words it. Out: whether it is of either sort. Pure, linear in the length of the text.
Invariant: what tells a cause, a rule, or how something is, is neither.
"""

from __future__ import annotations

import re

OF_ONCE = "tells what happened once, or what is still to be done"

IN_THE_PAST = (
    r"(?:was|were|had|did|took|made|built|wrote|woke|came|went|got|gave|found|saw|ran|sent|bought|lost|thought"
    r"|kept|met|broke|fell|stood|paid|began|forgot|drew|slept|ate|drove|spent|hung|hit|[a-z]{2,20}(?<!ne)(?<!spe)ed)"
)
"""Verbs of a story."""

HAPPENED = re.compile(
    r"^(?:(?:on|in|at|after|before|during|last|for|once|one|yesterday)\b[^,;.]{0,60}?,? )?[^,;.:]{1,60}? "
    rf"(?<!\ba )(?<!\ban )(?<!\bthe )(?<!\bwhat )(?<!\bthat )(?<!\bwhich )(?<!\bwho ){IN_THE_PAST}\b",
    re.IGNORECASE,
)
"""How a statement begins that tells a story: "after the launch two people wrote ..."."""

HOLDS = re.compile(
    r"\b(?:is|are|has|have|does|do|must|may|can|cannot|can't|should|will|not|never|always|only|instead|now|until"
    r"|needs?|uses?|runs?|stays?|goes|gets|holds?|keeps?|takes?|wants?|starts?|tells?|reads?|counts?|says?|means?|works?"
    r"|lists?|writes?|sends?|gives?|shows?|belongs?|comes?|makes?|expects?|returns?|allows?"
    r"|because|so|since|due to|caused?|cure[ds]?|fail(?:s|ed|ures?)?|errors?|wrong|broken|red herring"
    r"|replaced|moved|switched|renamed|decided|agreed|chosen|chose|refused|dropped|removed|deleted|raised|lowered|left"
    r"|became|turned out|came from|led to|no longer|for good"
    r"|said|told|asked|wanted|preferred|required|requested|wished|picked)\b",
    re.IGNORECASE,
)
"""Words with which a statement tells a cause, a decision or how something is, though it begins as a story does."""

TO_BE_DONE = re.compile(
    r"\b(?:is|are) (?:still )?to be (?:added|done|repaired|made|written|mended|fixed|looked (?:at|into))\b"
    r"(?! (?:in|by|before|with|as|like)\b)|"
    r"\b(?:has|have|needs?) to be (?:repaired|mended|fixed|added|written|looked (?:at|into))\b"
    r"(?! (?:in|by|before|with)\b)|"
    r"\b(?:is|are) (?:being )?(?:considered|thought about)\b|\bshould (?:still )?get an? \b|\b(?:is|are) planned for\b",
    re.IGNORECASE,
)
"""How a statement tells work that is open, or only thought of."""

LASTS = re.compile(r"\b(?:because|must|always|never|every|whenever|each|any)\b", re.IGNORECASE)
"""Words with which it tells a rule all the same."""


def tells_of_once(statement: str) -> str:
    """Why a statement lasts no longer than the work it was said in; '' where it may."""
    return OF_ONCE if happened_once(statement) or is_to_be_done(statement) else ""


def happened_once(statement: str) -> bool:
    """Whether a statement tells a story, and nothing of how things are since."""
    return HAPPENED.match(statement) is not None and HOLDS.search(statement) is None


def is_to_be_done(statement: str) -> bool:
    """Whether a statement tells work that is open, and no rule for such work."""
    return TO_BE_DONE.search(statement) is not None and LASTS.search(statement) is None
