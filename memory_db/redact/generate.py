"""Write `vendors.py` from gitleaks' list of rules: `python -m memory_db.redact.generate gitleaks.toml OF`.

In: that list as TOML with its LICENSE beside it, and of when it is ("July 2026"). Out: the module on standard output,
and on standard error what was left out and why. Kinds that begin with letters of their own are found wherever they
stand, and cost nothing where those letters are absent; the others are found where their vendor's name stands nearby.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from memory_db.redact.rules import RULES
from memory_db.redact.vendors import VENDORS

FEWEST_LETTERS = 4
"""Characters that a kind must begin with. Source: ours: shorter ones stand in many words."""

ENDS = (
    "(?:[\\x60'\"\\s;]|\\\\[nr]|$)", "(?:[\\x60'\"\\s;]|\\\\[nr]|$|\\b)", r"(?:[^\w-]|\z)", r"(?:[^a-zA-Z0-9+/]|\z)",
    r"\b",
)  # fmt: skip
"""What gitleaks wants behind a token."""

LITERAL = re.compile(r"(?:[A-Za-z0-9_~:/@=-]|\\[.\-_~])+")

GENERATED = {row[0] for row in VENDORS}
"""Names of rules that were generated before: only ours are not to be doubled."""

TOO_COMMON = ("http", "https://")
"""Letters that begin nearly every address."""

HEADER = '''"""Tokens of vendors, by their letters or the vendor's name nearby: made by `generate.py`, never edited.

From gitleaks of {version}, config/gitleaks.toml, under the MIT License:

{licence}
"""

# ruff: noqa: E501  # a rule a line, as it was generated

from __future__ import annotations

VENDORS: tuple[tuple[str, str, str, bool, float], ...] = ('''
"""The generated module up to its rows: name, letters that it begins with, pattern, whether case is ignored, the least
entropy in bits a character."""

NEARBY = "NEARBY: tuple[tuple[str, tuple[str, ...], str, float], ...] = ("
"""What rows of the second table begin with: name, the vendor's names in small letters, pattern of the token (case is
ignored), the least entropy."""

BETWEEN = (
    r'''(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}''',
    r'''(?:[ \t\w.-]{0,20})[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}''',
)
"""What stands between a vendor's name and its token in gitleaks' patterns."""

BEFORE = ("(?i)", r"[\w.-]{0,50}?", r"(?i:[\w.-]{0,50}?")
"""What their patterns begin with, before the vendor's name."""

NOT_VENDORS = {"generic-api-key", "hashicorp-tf-password", "sidekiq-secret"}
"""Kinds whose condition is a common word, or no word: rules of ours find them."""

COMMON_WORDS = {"key", "oauth", "token"}
"""What no vendor is called, though it stands where their names do."""


def main(words: list[str]) -> int:
    """Writes the module; 1 with one line where the list cannot be read."""
    if len(words) != 2:
        print("usage: python -m memory_db.redact.generate gitleaks.toml OF", file=sys.stderr)
        return 1
    source = Path(words[0])
    try:
        listed = tomllib.loads(source.read_text("utf-8"))["rules"]
        licence = (source.parent / "LICENSE").read_text("utf-8")
    except (OSError, ValueError, KeyError) as error:
        print(f"{source} and the LICENSE beside it cannot be read: {error}", file=sys.stderr)
        return 1
    print(HEADER.format(version=words[1], licence=licence.strip()))
    rules = sorted(listed, key=lambda each: each["id"])
    rows = {rule["id"]: row_of(rule) for rule in rules}
    near = {rule["id"]: near_of(rule) for rule in rules if rows[rule["id"]][0] is None}
    print("\n".join(line_of(row) for row, _ in rows.values() if row))
    print(")\n")
    print(NEARBY)
    print("\n".join(f"    {row!r}," for row in near.values() if row))
    print(")")
    for name, row in near.items():
        if row is None:
            print(f"{name}: {rows[name][1]}", file=sys.stderr)
    return 0


def near_of(rule: dict[str, Any]) -> tuple[str, tuple[str, ...], str, float] | None:
    """One rule as a row of those that ask for a vendor's name, or None where it names none."""
    head, token = "", ""
    for each in BETWEEN:
        before, _, behind = rule.get("regex", "").partition(each)
        if behind and not token:
            head, token = before, behind
    for each in BEFORE * 2:
        head = head.removeprefix(each)
    pattern, _ = in_python(token)
    names = vendor_names(head)
    if not token or not names or rule["id"] in NOT_VENDORS:
        return None
    pattern = pattern.replace("(?-i:A)", "A")
    re.compile(pattern)
    return rule["id"], names, pattern, float(rule.get("entropy", 0))


def vendor_names(head: str) -> tuple[str, ...]:
    """The names that stand in the first part of a pattern, as small letters without signs."""
    plain = re.sub(r"\(\?(?:-?i)?:", "", head).replace("[_-]?", "").replace(")", "")
    plain = re.sub(r"\[([A-Za-z])[A-Za-z]\]", r"\1", plain)
    found = (re.match(r"[a-z]*", re.sub(r"[-_]", "", each).lower()) for each in plain.split("|"))
    names = dict.fromkeys(each[0] for each in found if each)
    return tuple(each for each in names if len(each) > 2 and each not in COMMON_WORDS)


def row_of(rule: dict[str, Any]) -> tuple[tuple[str, str, str, bool, float] | None, str]:
    """One rule as a row, or None and why it is left out."""
    pattern, fold = in_python(rule.get("regex", ""))
    begins = LITERAL.match(without_group(pattern))
    letters = begins[0].replace("\\", "") if begins else ""
    if begins and without_group(pattern)[begins.end() : begins.end() + 1] in ("?", "*", "{"):
        letters = letters[:-1]
    if len(letters) < FEWEST_LETTERS or letters in TOO_COMMON:
        return None, "does not begin with letters of its own"
    if has_alternatives(pattern):
        return None, "begins in several ways"
    ours = [each for own in RULES if own.name not in GENERATED for each in own.literals]
    if any(letters.startswith(each) or each.startswith(letters) for each in ours):
        return None, "covered by a rule of ours"
    if letters.isalnum():
        pattern = f"(?<![A-Za-z0-9])(?<![A-Za-z0-9+/]{{12}}[+/]){pattern}(?![A-Za-z0-9+/])"
    try:
        re.compile(pattern)
    except re.error as error:
        return None, f"not to be had in Python: {error}"
    return (rule["id"], letters.lower() if fold else letters, pattern, fold, float(rule.get("entropy", 0))), ""


def in_python(pattern: str) -> tuple[str, bool]:
    """A pattern of Go's as Python reads it, and whether it ignores case from its beginning.

    What must stand before and behind it is left out: no surroundings shall hide a token. (`row_of` puts bounds around
    those that begin with letters alone, which stand in hashes and in base64 too.)
    """
    fold = pattern.startswith("(?i)")
    pattern = pattern.removeprefix("(?i)").removeprefix(r"\b")
    for end in ENDS:
        pattern = pattern.removesuffix(end)
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    while "(?i)" in pattern:  # from here to the end of the group that it stands in
        at = pattern.index("(?i)")
        end_at = end_of_group(pattern, at + 4)
        pattern = f"{pattern[:at]}(?i:{pattern[at + 4 : end_at]}){pattern[end_at:]}"
    return pattern, fold


def end_of_group(pattern: str, start: int) -> int:
    """Where the group ends in which `start` stands."""
    depth, at, in_class = 0, start, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif in_class:
            in_class = character != "]"
        elif character == "[":
            in_class = True
        elif character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return len(pattern)


def without_group(pattern: str) -> str:
    """A pattern without the groups that it opens with."""
    return re.sub(r"^(?:\((?:\?i?:)?)+", "", pattern)


def has_alternatives(pattern: str) -> bool:
    """Whether a choice stands in one of the groups with which a pattern opens."""
    rest, start = without_group(pattern), 0
    while (end := end_of_group(rest, start)) < len(rest):
        if "|" in outermost(rest[start:end]):
            return True
        start = end + 1
    return False


def outermost(pattern: str) -> str:
    """The part of a pattern that stands in no class and in no group of it."""
    kept, at = [], 0
    while at < len(pattern):
        if pattern[at] == "(":
            at = end_of_group(pattern, at + 1)
        elif pattern[at] == "[":
            at = pattern.index("]", at + 2)
        elif pattern[at] == "\\":
            at += 1
        else:
            kept.append(pattern[at])
        at += 1
    return "".join(kept)


def line_of(row: tuple[str, str, str, bool, float]) -> str:
    """A row as a line of the module."""
    name, letters, pattern, fold, entropy = row
    return f"    ({name!r}, {letters!r}, {pattern!r}, {fold}, {entropy:g}),"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
