"""Text on its way into the file: secrets out, injected blocks out, attacks and invisible characters named.

Enters any text or JSON value of a transcript; leaves the text that may be stored, with a `Finding` for each change or
suspicion. Invariants: no finding holds a part of what it found; a clean text passes unchanged and without findings;
a text without findings is what came in.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property

from memory_db.records import dataclass, later, replace
from memory_db.redact.checks import CHECKS, MARKER, entropy, is_literal
from memory_db.redact.rules import INJECTED_TAGS, INJECTIONS, INVISIBLE, INVISIBLE_ANY, LAST_GROUP, PRIVATE, RULES, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RULES_VERSION: int = 4
"""Rises with every change of a rule, so that what was stored before can be scanned again."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: `start` and `length` in characters of the clean text; `length` is 0 where a block was removed.

    `category` is secret, personal, private (left out: private sections and injected blocks), injection or invisible.
    """

    rule: str
    category: str
    start: int
    length: int
    hint: str


@dataclass(frozen=True, slots=True)
class _Edit:
    """`text[start:end]` becomes `put`, because of `rule`."""

    start: int
    end: int
    put: str
    rule: str
    category: str

    def finding(self, start: int) -> Finding:
        return Finding(self.rule, self.category, start, len(self.put.strip()), _count(self.end - self.start))


def _count(characters: int) -> str:
    return f"{characters} character{'' if characters == 1 else 's'}"


def _splice(text: str, edits: list[_Edit], findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text with all edits made, and all findings with their places in it; edits are sorted and do not overlap."""
    pieces: list[str] = []
    found: list[Finding] = []
    earlier = sorted(findings, key=lambda finding: finding.start)
    done = length = index = 0
    for edit in edits:
        while index < len(earlier) and earlier[index].start < edit.start:
            found.append(replace(earlier[index], start=earlier[index].start + length - done))
            index += 1
        while index < len(earlier) and earlier[index].start + max(1, earlier[index].length) <= edit.end:
            if not earlier[index].length:  # a removed block stays counted, at the place that swallowed it
                found.append(replace(earlier[index], start=length + edit.start - done))
            index += 1
        pieces += text[done : edit.start], edit.put
        length += edit.start - done
        found.append(edit.finding(length))
        length += len(edit.put)
        done = edit.end
    found += [replace(finding, start=finding.start + length - done) for finding in earlier[index:]]
    return "".join((*pieces, text[done:])), found


# --- finding the places ---------------------------------------------------------------------------------------------

# Characters that are rare in prose and code, the rarest first. A literal is looked for by one of these: an expression
# that begins with one character runs about twenty times as fast as one that begins with a choice.
_RARE = "JAGTSB_-:zkxwb/=f"
_Located = tuple[Rule, int]  # a rule, and how far from the rare character it begins

_SHORT = 4_000  # up to so many characters each literal is looked for by itself; above, one scan is faster


class _Gate:
    """One scan for all literals that share a rare character; group n of `pattern` stands for `rules[n - 1]`."""

    def __init__(self, fold: bool, anchor: str, literals: dict[str, list[Rule]]) -> None:
        self.fold, self.anchor = fold, anchor
        self.literals = dict(sorted(literals.items(), key=lambda item: -len(item[0])))  # the longest first

    def may_match(self, text: str) -> bool:
        """Whether the scan could find anything: most gates of most texts never need their pattern."""
        return self.anchor in text and (len(text) > _SHORT or any(literal in text for literal in self.literals))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        neighbours: set[str] = set()
        choices = []
        for literal in self.literals:
            before, _, after = literal.partition(self.anchor)
            choices.append(f"((?<={re.escape(before + self.anchor)})(?={re.escape(after)}))")
            neighbours.add(before[-1:])
        guard = "" if "" in neighbours else f"(?<=[{re.escape(''.join(neighbours))}]{re.escape(self.anchor)})"
        return re.compile(f"{re.escape(self.anchor)}{guard}(?:{'|'.join(choices)})")

    @cached_property
    def rules(self) -> list[tuple[_Located, ...]]:
        """The rules of each literal, and of those that can stand around the same rare character as well."""
        return [
            tuple(
                (rule, rule.offset - other.index(self.anchor))
                for other, sharing in self.literals.items()
                if self.overlap(literal, other)
                for rule in sharing
            )
            for literal in self.literals
        ]

    def overlap(self, one: str, other: str) -> bool:
        """Whether one text can have both literals around the same rare character, as EZAKIA has EZAK and AKIA."""
        (before, _, after), (ahead, _, behind) = one.partition(self.anchor), other.partition(self.anchor)
        both_before = before.endswith(ahead) or ahead.endswith(before)
        return both_before and (after.startswith(behind) or behind.startswith(after))


def _anchor(literal: str) -> str:
    return next((character for character in _RARE if character in literal), literal[0])


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    """The rule's pattern, compiled when first needed: all of them at once would cost a hook more than its work."""
    return re.compile(rule.pattern, re.I if rule.fold else 0)


@cache
def _secret_gates() -> list[_Gate]:
    return _build_gates(RULES)


@cache
def _injection_gates() -> list[_Gate]:
    return _build_gates(INJECTIONS)


def _build_gates(rules: tuple[Rule, ...]) -> list[_Gate]:
    """A gate for each rare character."""
    groups: dict[tuple[bool, str], dict[str, list[Rule]]] = defaultdict(lambda: defaultdict(list))
    for rule in rules:
        for literal in rule.literals:
            groups[rule.fold, _anchor(literal)][literal].append(rule)
    return [_Gate(fold, anchor, literals) for (fold, anchor), literals in groups.items()]


_SCANS = [(rule.pattern.lstrip("\\")[0], rule) for rule in RULES if not rule.literals]
_RANK = {rule.name: rank for rank, rule in reversed(list(enumerate(RULES)))}


def _matches(text: str, gates: list[_Gate]) -> Iterator[tuple[Rule, re.Match[str]]]:
    # The one letter whose lower case is longer would move every place after it.
    folded = text.replace("İ", "i").lower()
    for gate in gates:
        hay = folded if gate.fold else text
        if not gate.may_match(hay) or not (first := gate.pattern.search(hay)):
            continue
        resume: dict[Rule, int] = {}  # a run that a rule has taken is not tried again from within
        for hit in gate.pattern.finditer(hay, first.start()):
            for rule, offset in gate.rules[(hit.lastindex or 1) - 1]:
                start = hit.start() + offset
                if start >= resume.get(rule, 0) and (match := _compiled(rule).match(text, start)):
                    resume[rule] = match.end()
                    yield rule, match


def _secret_matches(text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    yield from _matches(text, _secret_gates())
    for first, rule in _SCANS:
        if first in text:
            for match in _compiled(rule).finditer(text):
                yield rule, match


def _secrets(text: str) -> list[_Edit]:
    """The places to redact, sorted; where two overlap, one that covers both, named by the first rule of the table."""
    spans = []
    for rule, match in _secret_matches(text):
        start, end = match.span((match.lastindex or 0) if rule.group == LAST_GROUP else rule.group)
        value = text[start:end]
        is_dense = not rule.entropy or entropy(match[0]) >= rule.entropy
        if start < end and is_dense and MARKER.sub("", value) and CHECKS[rule.check](match, value):
            spans.append((start, end, _RANK[rule.name]))
    merged: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, best = merged.pop()
            start, end, rank = first, max(end, last), min(rank, best)
        merged.append((start, end, rank))
    return [_Edit(start, end, f"[redacted:{RULES[rank].name}]", RULES[rank].name, RULES[rank].category)
            for start, end, rank in merged]


_PASSES = 20


def _redact(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    # A marker can give its neighbour an edge that a rule waits for, hence again until nothing more is found.
    for _ in range(_PASSES):
        edits = _secrets(text)
        if not edits:
            break
        text, findings = _splice(text, edits, findings)
    return text, findings


def redact(text: str) -> tuple[str, list[Finding]]:
    """The text with each secret replaced by `[redacted:RULE]`, and what was found, in order.

    Doing it again changes nothing and finds nothing.
    """
    return _redact(text, [])


# --- blocks that are not ours to keep -------------------------------------------------------------------------------

_NAMES = "|".join(re.escape(name).replace(r"\*", r"[\w-]{0,40}") for name in INJECTED_TAGS)
# Attributes stay on the line and hold no bracket, so that neither a removal nor a marker can make a tag.
_TAG = later(
    rf"<(?:(?P<close>/)(?P<closed>{_NAMES})[ \t]{{0,4}}>|(?P<name>{_NAMES})(?:[ \t][^<>\n\[\]]{{0,400}})?>)", re.I
)


def _blocks(text: str) -> list[tuple[int, int | None, str]]:
    """Each opening tag: start, end of its block (None: never closed), name."""
    waiting: dict[str, list[int]] = defaultdict(list)
    ends: dict[int, int] = {}
    last_close: dict[str, tuple[int, int]] = {}
    opened = []
    for match in _TAG.finditer(text):
        if text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1] == "``":
            continue  # a tag named in code marks, not a block
        name = (match["name"] or match["closed"]).lower()
        if match["close"]:
            last_close[name] = match.span()
            if waiting[name]:
                ends[waiting[name].pop()] = match.end()
        else:
            waiting[name].append(match.start())
            opened.append((match.start(), name))
    blocks = []
    for start, name in opened:
        end = ends.get(start)
        if end is None and name != PRIVATE and last_close.get(name, (-1, 0))[0] > start:
            end = last_close[name][1]
        blocks.append((start, end, name))
    return blocks


def _joint(text: str, start: int, end: int) -> str:
    """What stands where a block was: a line end where a half tag waits for its rest, a space between two words."""
    line = text[max(text.rfind("\n", 0, start) + 1, start - 500) : start]
    if line.rfind("<") > line.rfind(">"):
        return "\n"
    return " " if not text[start - 1 : start].isspace() and not text[end : end + 1].isspace() else ""


def _strip(text: str, findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text without private sections, our own briefs and the blocks that other systems inject; and what went.

    Source: `INJECTED_TAGS`. A private section never closed runs to the end; another block never closed does so where
    it begins a line, else it is only a mention. A tag in code marks is a mention as well.
    """
    if "<" not in text:
        return text, findings
    edits: list[_Edit] = []
    done = 0
    blank_since = 0  # the line before this place holds nothing but removed blocks
    for start, end, name in _blocks(text):
        if start < done:
            continue
        line_start = text.rfind("\n", done, start) + 1 or done
        starts_line = not text[line_start:start].strip() and (line_start > done or done == blank_since)
        if end is None and not (name == PRIVATE or starts_line):
            continue  # named in passing
        end = len(text) if end is None else end
        put = _joint(text, start, end) if start > 0 and end < len(text) and start > done else ""
        edits.append(_Edit(start, end, put, name, PRIVATE))
        blank_since = end if starts_line or put == "\n" else -1
        done = end
    return _splice(text, edits, findings)


# --- what is only named ---------------------------------------------------------------------------------------------


def find_injection(text: str) -> list[Finding]:
    """Phrases of prompt injection and exfiltration, and invisible characters, in order; the text stays as it is."""
    found = [
        Finding(rule.name, rule.category, match.start(), len(match[0]), _count(len(match[0])))
        for rule, match in _matches(text, _injection_gates())
    ]
    if not text.isascii() and INVISIBLE_ANY.search(text):
        found += [
            Finding(name, "invisible", match.start(), len(match[0]), _count(len(match[0])))
            for name, pattern in INVISIBLE
            for match in pattern.finditer(text)
        ]
    return sorted(found, key=lambda finding: (finding.start, finding.rule))


# --- the one call that importers use --------------------------------------------------------------------------------

_UNSTORABLE = (("nul-byte", later("\0+")), ("lone-surrogate", later("[\ud800-\udfff]+")))


def _make_storable(text: str) -> tuple[str, list[Finding]]:
    """NUL bytes and lone surrogates become U+FFFD, one for one: SQLite text is valid UTF-8 without NUL."""
    if text.isascii() and "\0" not in text:
        return text, []
    findings = []
    for name, pattern in _UNSTORABLE:
        if runs := pattern.findall(text):
            first = pattern.search(text)
            findings.append(Finding(name, "invisible", first.start() if first else 0, 1, _count(sum(map(len, runs)))))
            text = pattern.sub(lambda run: "\ufffd" * len(run[0]), text)
    return text, findings


def clean(text: str) -> tuple[str, list[Finding]]:
    """The text as it may be stored: valid UTF-8, without injected blocks, without secrets; and what was found."""
    text, unstorable = _make_storable(text)
    text, stripped = _strip(text, unstorable)
    return _redact(text, stripped)


# Names, folded to letters and digits, whose string value is a secret wherever it is not a placeholder.
_SECRET_KEY = later(
    r".*(?:passw(?:or)?d|passphrase|pwd|secret|token"
    r"|(?:api|access|secret|private|auth|account|encryption|signing|master)key)"
)


def _clean_member(key: str | None, text: str) -> tuple[str, list[Finding]]:
    """One string of a JSON value, under its key if it has one."""
    cleaned, findings = clean(text)
    folded = re.sub(r"[^a-z0-9]", "", key.lower()) if key and len(key) <= 100 else ""
    if findings or not text or not _SECRET_KEY.fullmatch(folded):
        return cleaned, findings
    name = "password" if re.search(r"pass|pwd", folded) else "secret"
    if (re.search(r"\s", text) and name == "secret") or not is_literal(name, text, quoted=True):
        return cleaned, findings
    return _splice(text, [_Edit(0, len(text), f"[redacted:{name}]", name, "secret")], [])


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


def _clean_keys(item: dict[Any, Any], findings: list[Finding]) -> list[str]:
    names: dict[str, None] = {}
    for key in item:
        name, found = clean(str(key))
        findings += found
        base, number = name, 1
        while name in names:
            number += 1
            name = f"{base} ({number})"
        names[name] = None
    return list(names)
