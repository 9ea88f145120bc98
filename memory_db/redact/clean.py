"""Text on its way into the file: secrets out, injected blocks out, attacks and invisible characters named.

Enters any text of a transcript; leaves the text that may be stored, with a `Finding` for each change or suspicion.
Invariants: no finding holds a part of what it found; a clean text passes unchanged and without findings; a text without
findings is what came in.
"""

from __future__ import annotations

from functools import cache

from memory_db.records import later
from memory_db.redact import wanted
from memory_db.redact.attacks import INJECTIONS, INVISIBLE, INVISIBLE_ANY
from memory_db.redact.blocks import strip
from memory_db.redact.edits import Finding as Finding
from memory_db.redact.edits import count
from memory_db.redact.gates import Gate
from memory_db.redact.plain import is_plain

RULES_VERSION: int = 8
"""Rises with every change of a rule, so that what was stored before can be scanned again."""


def redact(text: str) -> tuple[str, list[Finding]]:
    """The text with each secret replaced by `[redacted:RULE]`, and what was found, in order.

    Doing it again changes nothing and finds nothing.
    """
    return _take_out(text, [])


def _take_out(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text without secrets, and what was found, with what was found before."""
    if is_plain(text) and not wanted.is_on():
        return text, findings
    from memory_db.redact.engine import take_out  # noqa: PLC0415  # start-up: the rules, which a plain prompt needs not

    return take_out(text, findings)


@cache
def _injections() -> Gate:
    return Gate(INJECTIONS)


def find_injection(text: str) -> list[Finding]:
    """Phrases of prompt injection and exfiltration, and invisible characters, in order; the text stays as it is."""
    found = [
        Finding(rule.name, rule.category, match.start(), len(match[0]), count(len(match[0])))
        for rule, match in _injections().matches(text)
    ]
    if not text.isascii() and INVISIBLE_ANY.search(text):
        found += [
            Finding(name, "invisible", match.start(), len(match[0]), count(len(match[0])))
            for name, pattern in INVISIBLE
            for match in pattern.finditer(text)
        ]
    return sorted(found, key=lambda finding: (finding.start, finding.rule))


_UNSTORABLE = (("nul-byte", later("\0+")), ("lone-surrogate", later("[\ud800-\udfff]+")))


def _make_storable(text: str) -> tuple[str, list[Finding]]:
    """NUL bytes and lone surrogates become U+FFFD, one for one: SQLite text is valid UTF-8 without NUL."""
    if text.isascii() and "\0" not in text:
        return text, []
    findings = []
    for name, pattern in _UNSTORABLE:
        if runs := pattern.findall(text):
            first = pattern.search(text)
            findings.append(Finding(name, "invisible", first.start() if first else 0, 1, count(sum(map(len, runs)))))
            text = pattern.sub(lambda run: "\ufffd" * len(run[0]), text)
    return text, findings


def clean(text: str) -> tuple[str, list[Finding]]:
    """The text as it may be stored: valid UTF-8, without injected blocks, without secrets; and what was found."""
    text, unstorable = _make_storable(text)
    text, stripped = strip(text, unstorable)
    return _take_out(text, stripped)
