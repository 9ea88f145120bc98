"""JSON values on their way into the file: every string and key of them clean, as `clean` makes a text.

In: any JSON value of a transcript. Out: the same with secrets out, and a `Finding` for each change. Invariant: what a
key names a secret is redacted as a whole, if it is a literal.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from memory_db.records import later
from memory_db.redact import wanted
from memory_db.redact.checks import is_literal
from memory_db.redact.clean import clean, redact
from memory_db.redact.dense import TELLING, VENDOR_NAMES, words_of
from memory_db.redact.edits import Edit, Finding, splice

# Names, folded to letters and digits, whose string value is a secret wherever it is not a placeholder.
_SECRET_KEY = later(
    r".*(?:passw(?:or)?d|passphrase|pwd|secret|token"
    r"|(?:api|access|secret|private|auth|account|encryption|signing|master)key)"
)


_TELLING_END = later(r"(?:pass|pw|psk|key|auth|access|creds?|salt|cookie|pin)$", re.I)
_LONGEST_VALUE = 400
_SPACE = later(r"\s")


def _clean_member(key: str | None, text: str) -> tuple[str, list[Finding]]:
    """One string of a JSON value, under its key if it has one."""
    cleaned, findings = clean(text)
    folded = re.sub(r"[^a-z0-9]", "", key.lower()) if key and len(key) <= 100 else ""
    if findings or not text or not key:
        return cleaned, findings
    if not _SECRET_KEY.fullmatch(folded):
        return _clean_beside(key, text)
    name = "password" if re.search(r"pass|pwd", folded) else "secret"
    if (re.search(r"\s", text) and name == "secret") or not is_literal(name, text, quoted=True):
        return cleaned, findings
    return splice(text, [Edit(0, len(text), f"[redacted:{name}]", name, "secret")], [])


def _clean_beside(key: str, text: str) -> tuple[str, list[Finding]]:
    """A clean string of a JSON value by what its key says: the name of a vendor, or of what passwords are kept in."""
    if len(key) > 100 or len(text) > _LONGEST_VALUE or _SPACE.search(text):
        return text, []
    if not _TELLING_END.search(key) and (TELLING | VENDOR_NAMES).isdisjoint(words_of(key, "")):
        return text, []
    line, found = redact(f'"{key}": "{text}"')
    if not found or text in line:
        return text, []
    name = found[-1].rule
    return splice(text, [Edit(0, len(text), f"[redacted:{name}]", name, found[-1].category)], [])


def clean_json(value: Any) -> tuple[Any, list[Finding]]:
    """The JSON value with every string and key clean, and what was found; each place counts in its own string.

    A string under a key such as `password`, `token` or `api_key` is redacted as a whole if it is a literal. Two keys
    that become equal are both kept, the later one numbered. Depth costs no stack.
    """
    findings: list[Finding] = []
    result: list[Any] = [None]
    # Each step: the container to fill, where in it, the value, and the key that the value stands under.
    steps: list[tuple[Any, Any, Any, str | None]] = [(result, 0, value, None)]
    while steps:
        target, place, item, key = steps.pop()
        if isinstance(item, str):
            target[place], found = _clean_member(key, item)
            findings += found
        elif isinstance(item, dict):
            target[place] = filled = {}
            names = _clean_keys(item, findings)
            filled.update(dict.fromkeys(names))
            steps += reversed([(filled, name, item[old], name) for name, old in zip(names, item, strict=True)])
        elif isinstance(item, (list, tuple)):
            target[place] = members = [None] * len(item)
            steps += reversed([(members, index, member, key) for index, member in enumerate(item)])
        else:
            target[place] = item
    return result[0], findings


@lru_cache(maxsize=1_000)
def _clean_key(key: str, is_personal: bool) -> tuple[str, list[Finding]]:
    """A short key, which comes back in call after call, cleaned once for each way of cleaning."""
    return clean(key)


def _clean_keys(item: dict[Any, Any], findings: list[Finding]) -> list[str]:
    names: dict[str, None] = {}
    for key in map(str, item):
        name, found = _clean_key(key, wanted.is_on()) if len(key) <= 100 else clean(key)
        findings += found
        base, number = name, 1
        while name in names:
            number += 1
            name = f"{base} ({number})"
        names[name] = None
    return list(names)
