"""What backs the word of an agent in what tools were given and gave: a command that passed, an error, what they showed.

In: an action or a reply of the agent, and the words that are quoted of it. Out: the backing, or None. Invariants: pure;
nothing counts as shown but the results of tools that look at files, and none of folders that others fill.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from memory_db.extract.rules.backing import (
    CODE_NAME,
    NAMES,
    RAN,
    RERUN,
    SHOWN,
    STILL_SO,
    WEIGHTS,
    WORD,
    Backing,
    is_rejected,
    is_turned_down,
    rerun_key,
    stands_in,
)
from memory_db.extract.rules.error_fixes import (
    DECISIVE,
    FILE_TOOLS,
    MOST_ACTIONS_BETWEEN,
    SHELL_TOOLS,
    SUMMARY,
    ActionRow,
)
from memory_db.extract.rules.exchanges import AgentWord
from memory_db.text.terms import STOP_WORDS

GUESSES = re.compile(
    r"\b(?:i (?:suppose|think|guess|assume|take it|believe|expect|'d|would|can|could)|in principle|seems?|apparently|"
    r"likely|should|would|might|may|perhaps|maybe|probably|presumably|could|can be|at the moment|"
    r"for (?:this|the) (?:session|moment|time being)|for now|right now|today)\b|\bnow\W*$|\?",
    re.IGNORECASE,
)
"""How an agent tells what it did not look up, or what will not last."""

OBJECTS = re.compile(
    r"^\W*(?:(?:ah|oh|god|hm+|well|uh|ha|erm)\W+)*(?:no\b|nope\b|nah\b|but\b|not\b|instead\b|actually\b|stop\b|wait\b|"
    r"what\b|huh\b|since when\b|are you\b|"
    r"(?:that's |that is |you're |you are )?(?:incorrect|mistaken|outdated|wrong)\b|"
    r"(?:it|that|they|he|she)(?:'s| is| are|'re| does| do| did| was| were)?(?:n't| not)\b)",
    re.IGNORECASE,
)
"""How a message begins that sets right what the agent said."""

TELLS_OTHERWISE = re.compile(
    r"\b(?:was|were|got|been) (?:moved|removed|dropped|replaced)\b|, not \w+\W*$", re.IGNORECASE | re.MULTILINE
)
"""How one goes on that does."""

ANSWER_CHARACTERS = 200
"""How much of the answer to a reply is looked at."""

MOST_SHOWN, SHOWN_CHARACTERS = 12, 20_000
"""Actions before a reply in which is looked for what it tells, and how much of each. Source: ours."""

LOOKS = re.compile(r"(?:cat|head|tail|sed -n|grep|rg|ls|wc|git grep)(?: |$)")
"""A program that shows what stands in files."""

CUTS = re.compile(r"(?:head|tail|sed -n|grep|wc|sort|uniq|cut|nl)(?: |$)")
"""A program behind a pipe that shows less of the same. Any other may fetch or make up what it prints."""

DOES_MORE = re.compile(r"[;&<>$`\n]")
"""Signs by which a command does more than its programs show."""

OTHERS_FILES = re.compile(
    r"(?:^|[\s/'\"])(?:node_modules|site-packages|vendor|third_party|dist|\.venv|venv|\.git|\.cache|Downloads)/|"
    r"(?:^|[\s'\"])/(?:tmp|var/tmp)\b"
)
"""Files that others wrote, or that were fetched."""

FEWEST_SEEN, LEAST_SEEN = 2, 0.5
"""Distinctive words of a quote that a result shows, and which share of them, where it shows no name. Source: ours."""


def backing_of_command(action: ActionRow, quote: str) -> Backing | None:
    """What backs words that are quoted of a command of the agent: that it succeeded."""
    if action.tool not in SHELL_TOOLS or action.is_error is not False:
        return None
    ran = " ".join(action.target.split())
    return Backing(RAN, WEIGHTS[RAN], f"`{ran[:80]}` succeeded") if " ".join(quote.split()) in ran else None


def backing_of_error(actions: Sequence[ActionRow], at: int, quote: str) -> Backing | None:
    """What backs words of an error: that the same command passed later, so that it was understood."""
    failed = actions[at]
    if failed.tool not in SHELL_TOOLS or not failed.is_error or DECISIVE.search(quote) is None or SUMMARY.match(quote):
        return None
    key = rerun_key(failed)
    for action in actions[at + 1 : at + 1 + MOST_ACTIONS_BETWEEN]:
        if action.is_error is False and key is not None and rerun_key(action) == key:
            return Backing(RERUN, WEIGHTS[RERUN], f"`{key}` passed after it had failed so")
    return None


def backing_of_tools(word: AgentWord, quote: str) -> Backing | None:
    """What backs words of a reply that tell what a tool showed: the last action before it that did; None where none.

    Where the agent only thinks so, tells of the moment, or is set right at once, it counts for nothing.
    """
    said = word.next_words.replace("\x00", " ").strip()
    otherwise = TELLS_OTHERWISE.search(said[:ANSWER_CHARACTERS])
    is_set_right = OBJECTS.match(said) or otherwise or is_rejected(word) or is_turned_down(word, quote)
    if not said or is_set_right or GUESSES.search(quote) or STILL_SO.search(quote):
        return None
    for action in reversed(word.done[-MOST_SHOWN:]):
        if looks(action) and is_shown(quote, action.result[:SHOWN_CHARACTERS]):
            return Backing(SHOWN, WEIGHTS[SHOWN], f"{action.tool} {' '.join(action.target.split())[:60]}")
    return None


def looks(action: ActionRow) -> bool:
    """Whether an action only showed what stands in files of one's own."""
    is_look = action.tool in FILE_TOOLS or (action.tool in SHELL_TOOLS and only_shows(action.target))
    return is_look and not action.is_error and OTHERS_FILES.search(action.target) is None


def only_shows(command: str) -> bool:
    """Whether a command shows what stands in files and does nothing else, through each of its pipes."""
    signs = shlex.shlex(command, posix=True, punctuation_chars="|")
    signs.whitespace_split = True
    try:
        words = list(signs)
    except ValueError:  # a quote that does not end
        return False
    first, *others = " ".join(words).split(" | ")
    return (
        DOES_MORE.search(command) is None
        and not any((each.strip("|") == "" and len(each) > 1) or each == "|&" for each in words)
        and LOOKS.match(first) is not None
        and all(CUTS.match(each) for each in others)
    )


def is_shown(quote: str, result: str) -> bool:
    """Whether a result has a name of code that stands in quoted words, or most of their distinctive words."""
    names = {code for code, _ in NAMES.findall(quote) if code} | set(CODE_NAME.findall(quote))
    if any(stands_in(result, name) for name in names):
        return True
    words = {each.lower() for each in WORD.findall(quote)} - STOP_WORDS
    shown = {each.lower() for each in WORD.findall(result)}
    return len(words & shown) >= max(FEWEST_SEEN, LEAST_SEEN * len(words))
