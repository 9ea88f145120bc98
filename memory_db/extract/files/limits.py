"""Limits that a tool's result names: in the body of an error, or as a key of a configuration file.

In: the text of a result, or of a file. Out: `Limit`s. Pure. Invariant: a quote is one line of the text; a line that is
code, or names no number with what it counts, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_CHARACTERS = 240
"""A longer line is a log or a page."""

MOST_LIMITS = 5
"""Of one result. Source: ours; who prints more prints a whole configuration."""

UNIT = (
    r"(?:[kmg]i?b?|bytes?|characters?|chars?|requests?|calls?|items?|rows?|records?|connections?|clients?|files?|keys?|"
    r"points?|parts?|users?|seconds?|secs?|s|ms|milliseconds?|minutes?|mins?|hours?|days?|tokens?|messages?|jobs?|retries|%)"
)
AMOUNT = rf"\d[\d,._]*\s?(?:{UNIT}\b|/\s?\w+|per \w+)"

NAMED = re.compile(
    rf"\b(?:max(?:imum)?(?:imal)?|at most|up to|limit(?:ed|s)?|no more than|not exceed|exceed(?:s|ed|ing)?|"
    rf"larger than|longer than|more than|quota|allowed|capped)\b[^\n]{{0,50}}?{AMOUNT}"
    rf"|{AMOUNT}[^\n]{{0,30}}?\b(?:max(?:imum)?|limit|quota|allowed|at most)\b",
    re.IGNORECASE,
)
"""A number with its unit beside a word for a limit."""

REFUSED = re.compile(
    r"\b(?:too (?:large|many|long|big|deep|fast)|exceed(?:s|ed)?|rate[ -]?limit\w*|limit|quota|throttl\w+|rejected"
    r"|refused|40[03]|413|414|422|429|error|denied|invalid|maximum|max)\b",
    re.IGNORECASE,
)

REFUSED_OUTRIGHT = re.compile(
    r"\b(?:too (?:large|many|long|big)|exceed(?:s|ed)|rate[ -]?limit\w*|429|413|quota|throttled)\b", re.IGNORECASE
)

CODE_LINE = re.compile(
    r"^\s*(?:[+-]?\s*(?:def|class|import|from|return|if|for|while|const|let|var|assert)\b|File \"|at )|[{;]\s*$"
)

CONFIG_FILE = re.compile(
    r"\.(?:ya?ml|toml|ini|conf|cfg|cnf|properties|tf|tfvars|hcl|json)$|(?:^|/)(?:settings|config|conf|gunicorn\.conf)\.py$",
    re.IGNORECASE,
)
OTHERS_FILE = re.compile(
    r"(?:^|/)(?:node_modules|vendor|\.venv|dist|build)/|(?:lock|package)\.(?:json|ya?ml)$|-lock\.", re.IGNORECASE
)

CONFIG_KEY = re.compile(
    r"^\s*(?:-\s+)?[\"']?(?P<key>[A-Za-z][\w.-]*)[\"']?\s*(?::=|=>|[:=]|\s)\s*[\"']?(?P<value>\d[\d_.]*\s?(?:[A-Za-z]{1,3}"
    r"|%|r?/\w{1,6}|/(?:sec|second|min|minute|hour|day))?)[\"']?\s*[,;]?\s*(?:(?:#|//).*)?$"
)
LIMIT_WORD = re.compile(
    r"(?:^|[_.-])(?:max|maximum|limit|limits|quota|timeout|rate|ttl|retention|throttle|burst|concurrency)(?:$|[_.-])"
    r"|(?:^|[a-z])(?:Max|Limit|Timeout|Quota|Rate|Ttl|Retention)(?:$|[A-Z])|^(?:max|limit|timeout)[A-Z]"
)


@dataclass(slots=True, frozen=True)
class Limit:
    """A limit: the line that names it, its number in the text (from 1 on), what it comes to, and its number alone."""

    line: int
    quote: str
    text: str
    number: str


def limits_in_error(text: str, subject: str, *, is_error: bool = True) -> Iterator[Limit]:
    """The limits that an error names; `subject` is the command or the tool that met it.

    Where the command did not fail (`is_error`), the line itself has to say that something was refused.
    """
    refused = REFUSED if is_error else REFUSED_OUTRIGHT
    found: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        words = " ".join(line.split())
        named = NAMED.search(words) if len(words) <= MOST_CHARACTERS else None
        if named is None or not refused.search(words) or CODE_LINE.search(line) or words in found:
            continue
        found.add(words)
        digits = re.search(r"\d[\d,._]*", named[0])
        told = re.sub(r"^(?:error|fatal|remote|warning)?[:\s]*", "", words, flags=re.IGNORECASE).rstrip(" .")
        yield Limit(number, line.strip(), f"Limit met by {subject}: {told}.", digits[0].strip(",._") if digits else "")
        if len(found) == MOST_LIMITS:
            return


def limits_in_file(text: str, path: str) -> Iterator[Limit]:
    """The limits that the keys of a configuration file set."""
    if not CONFIG_FILE.search(path) or OTHERS_FILE.search(path):
        return
    found = 0
    for number, line in enumerate(text.split("\n"), 1):
        key = CONFIG_KEY.match(line)
        if key and LIMIT_WORD.search(key["key"]) and found < MOST_LIMITS:
            found += 1
            value = key["value"].strip()
            yield Limit(
                number, line.strip(), f"`{key['key']}` is {value} in {path}.", re.findall(r"\d[\d_.]*", value)[0]
            )
