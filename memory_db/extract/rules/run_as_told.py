"""Whether a command was run as the user told it, after another one had failed: "run it with --test-threads=1".

In: an exchange and words of its message. Out: yes or no. Invariant: pure; only the command that was run at once and did
not fail counts, and only what the one that failed did not have.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.error_fixes import SHELL_TOOLS
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.prose import NO_CUE

TELLS_HOW = frozenset({NO_CUE, "technical token", "imperative"})
"""Cues that say no more than how something is run, where it is run as told."""

OPTION = re.compile(r"(?<![\w-])--?[a-z][\w=.:-]*\w")
TASK_OF_TOOL = re.compile(
    r"\b(?:make|just|npm run|pnpm|yarn|npx|cargo|mage|gradle|task|rake|invoke|poetry run|uv run|docker compose|"
    r"bundle exec|php artisan|composer|mix) (?!(?:sure|it|that|this|the|a|an|them|one|use|do|up)\b)[\w:./-]*\w"
)
FILE = re.compile(r"(?<![\w/.-])[\w-]+(?:/[\w.-]+)*(?:\.[a-z]{2,4}|/[\w.-]+)\b")
"""What of a command somebody repeats to the letter: an option, a task of a tool, a file."""


def is_run_as_told(exchange: Exchange, text: str) -> bool:
    """Whether the command that was run at once, and passed, has what a text names to the letter, and the one that had
    just failed did not."""
    failed = exchange.action
    if failed is None or failed.tool not in SHELL_TOOLS or not failed.is_error:
        return False
    lower = text.lower()
    named = {match for pattern in (OPTION, TASK_OF_TOOL, FILE) for match in pattern.findall(lower)}
    new = [each for each in named if each not in failed.target.lower()]
    run = next(iter(exchange.followed), None)
    if run is None or run.tool not in SHELL_TOOLS or run.is_error is not False:
        return False
    return any(each in run.target.lower() for each in new)


__all__ = ["TELLS_HOW", "is_run_as_told"]
