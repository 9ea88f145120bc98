"""Prose as sentences, each knowing where it stands.

In: the stored text of an entry. Out: spans of prose. Invariant: a sentence's
text is the verbatim slice of the input; `masked` has the same length, with the
insides of inline code, links and longer quotations blanked, so that a cue never
fires on words which the writer only shows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_db.text.documents import NO_PREFIX

FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
TAGGED = re.compile(r"<([a-z][\w-]*)(?: [^<>]*)?>.{0,5000}?</\1>", re.DOTALL)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\b[a-z][a-z0-9+.-]{0,30}://[^\s<>\"')\]]+")
QUOTATION = re.compile(r"[\"“„«「『]([^\"“”„«»「」『』\n]*)[\"”“»」』]")

NOT_PROSE = re.compile(
    r"^(?!export [A-Z_]+=\S+[.,;] [a-z])"
    r"(?:>|\||[0-9a-f]{7,12} |(?:const|let|var|def|class|import|function|return|public|private|static|export|"
    r"func|fn|SELECT|INSERT|UPDATE|CREATE) .*[;{}():=]|.*[;{]\s*(?://.*|#.*)?$|//|/\*|<!--|\t| {4,}(?![-*\d])|"
    r"\$ |#!|@@ |\+\+\+|---|={3,}|Traceback |\s*File \"|\s*at [\w.$<>]+ ?\("
    r"|\s*\d* \| |\s*-->|\s*\^{2,}|\s*= (?:note|help): |(?:error|warning)\[\w+\]: |"
    r"\[(?:error|warn(?:ing)?|info|debug|fatal)\] "
    r"|\d{4}-\d\d-\d\d[T ]\d\d:|\[\d|[A-Z]+(?:Error|Exception|Warning)?: "
    r"|(?:Apply|Destroy) complete! |[A-Z][\w ]{2,20}: +\d+ [a-z]+, \d+ [a-z]+)"
)
"""Lines that are quoted, tables, indented code, diffs, logs or stack traces."""

BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6})\s+")

NUMBERED = re.compile(r"^[ \t]*\d{1,2}[.)]\s", re.MULTILINE)

ABBREVIATIONS = frozenset(
    ["e.g", "i.e", "etc", "vs", "cf", "approx", "ca", "resp", "incl", "dr", "mr", "mrs", "st", "fig", "eq"]
)

DATE = re.compile(r"\b(?:[Aa]m|vom|zum|bis|[Aa]b|[Ss]eit|der|den|dem) [0-3]?\d\.[01]?\d\.\Z")
"""A day with its month as German writes it, "am 26.10.": the dot behind it ends no sentence."""

DATE_CHARACTERS = 14

LEFT_OUT = re.compile(r"\s(?:\.{3}|…)\Z")
"""Dots within a sentence that stand for what is left out: "r1 r10 r2 ... r9 and the next"."""

SYMBOL = re.compile(r"\s[\"'(]?(?:\?\.|\?\?|!!|!)[\"')]?\Z")
"""A sign of a language by itself, which ends no sentence where it goes on in lower case: "a ?. or a ?? in there"."""

IN_BRACKETS = re.compile(r"[(\[{]\s*(?:\.{3}|…)\Z")
"""Dots that stand for whatever is in brackets: "no fix(...) label in front"."""

SAD = r"(?<=\s[:=]\()(?=\s+\w)|(?<=\s[:=]-\()(?=\s+\w)"
"""A sad face ends what is lamented as a dot does: "it broke again :( for next time: ..."; a glad one may go on."""

BREAK = re.compile(rf"(?<=[.!?…])[\"')\]*_]*(?=\s+\S)|\s+(?:--|–|—)\s+(?=[A-Z])|(?<=[。！？])(?=\S)|{SAD}")

WRAPPED_CHARS = 60
"""A line at least this long that goes on in lower case is one wrapped by an editor."""

SINGLE_QUOTED = re.compile(r"(?<!\w)'(?=[^\s'])((?:[^'\n]|(?<=\w)'(?=\w)){1,400})'(?!\w)")

SHOWS = re.compile(
    r"(?:^|(?<=[.!?:]\s))[^.?!:\n]*\b(?:docs?|readme|ticket|e-?mail|message|copy|text|says?|said|wrote|writes|"
    r"logs?|output|error|prompt|"
    r"comment|snippet|slack|post|tweet|headline|title|subject|translate|draft|write|reads?|pasted?|here's|"
    r"here is|quote|spec|sentence|"
    r"paragraph|banner|placeholder|tooltip|string|changelog|article|blog|print(?:s|ed)?|told me|rephrase|"
    r"proofread|release notes?|got this|test (?:data|case|string))\b"
    rf"(?:[^.?!:\n]|:(?=\w)){{0,60}}{NO_PREFIX}:(?!//|\w)[ \t]*(?:\n+)?(?=\S)",
    re.IGNORECASE,
)
"""What announces a text that is only shown: all of its paragraph after the colon is somebody's words.

Not the colon within a name or a time ("test:int", "6:30"), nor that of a commit's prefix ("no feat: in front").
"""

COMMENTS_ON = re.compile(
    r"\byour (?:[\w-]+ ){0,2}(?:output|message|comment|text|title|draft|list|table|log)s?\b|"
    r"\byou(?:'ll| will| may| might| can)? (?:see|find|meet) (?:\w+ ){1,4}in\b|"
    r"\b(?:as it should be|how it should be|the (?:reason|rule|point|trick|idea|problem) is|(?:which|"
    r"that) is right)\s*:",
    re.IGNORECASE,
)
"""What speaks of a text that the agent has before it: behind the colon stands what the writer says of it."""

RELAYS = re.compile(
    r"(?:^\(?|[,;] |\b(?:and|but|oh|btw) )(?:my |our |the )?[^\W\d_]{2,20} (?:has |have |had )?just (?:said|says|"
    r"wrote|told me|called|"
    r"mailed|texted|phoned)(?: me| us)?(?:, [^:]{3,60})?:[ \t]*\Z|"
    r"\b(?:he|she|they) told me (?:[\w']+ ){1,4}[\w']+:[ \t]*\Z",
    re.IGNORECASE,
)
"""How somebody tells in their own words what they just heard: "ada just wrote: the price is off"."""

IN_MARKS = re.compile(r"[^\"“„«\n]{0,24}[\"“„«][^\"“”„«»\n]*[\"”“»]")
"""Such a text in quotation marks is shown as far as they go: 'look at the output: it says "Ran 0 tests", so ...'."""

SHOWN_WORDS = 3
"""A quotation of more words than this is somebody's text, not a term."""


BARE_VALUE = re.compile(r"(?:[$€£] ?)?\d[\d.,:]*(?: ?[%€$£°])?[.!]*")
"""A number with its mark that is all a sentence says."""


class Sentence(NamedTuple):
    """A slice of an entry's text."""

    start: int
    end: int
    text: str
    masked: str
    paragraph: int


def split(text: str, *, with_values: bool = False) -> list[Sentence]:
    """The sentences of the prose in `text`, in order; code, quoted lines, tables and logs are left out.

    A number alone is one too `with_values`: "seven is a joke. 21".
    """
    masked = mask(text)
    sentences = []
    for number, (start, end) in enumerate(paragraphs(text, masked)):
        for first, last in breaks(masked, start, end):
            first, last = trimmed(text, first, last)
            is_value = with_values and BARE_VALUE.fullmatch(masked, first, last) is not None
            if is_value or any(character.isalpha() for character in masked[first:last]):
                sentences.append(Sentence(first, last, text[first:last], masked[first:last], number))
    return sentences


def mask(text: str) -> str:
    """`text` in the same length, with what is only shown blanked; a pattern is tried where its marks stand."""
    masked = text.replace("’", "'").replace("‘", "'").replace("\x00", " ")
    if "```" in masked or "~~~" in masked:
        masked = FENCE.sub(blank, masked)
    if "</" in masked:
        masked = TAGGED.sub(blank, masked)
    if "`" in masked:
        masked = INLINE_CODE.sub(lambda match: "`" + "x" * len(match[1]) + "`", masked)
    if "://" in masked:
        masked = LINK.sub(lambda match: "x" * len(match[0]), masked)
    masked = QUOTATION.sub(blank_quotation, masked)
    if masked.count("'") > 1:
        masked = SINGLE_QUOTED.sub(blank_quotation, masked)
    for match in SHOWS.finditer(masked) if ":" in masked else ():
        if "\n" not in match[0] and (COMMENTS_ON.search(match[0]) or RELAYS.search(match[0])):
            continue
        end = masked.find("\n", match.end())
        end = len(masked) if end < 0 else end
        quoted = IN_MARKS.match(masked, match.end(), end)
        end = quoted.end() if quoted else end
        masked = masked[: match.end()] + "\x00" * (end - match.end()) + masked[end:]
    return masked


def blank(match: re.Match[str]) -> str:
    """A passage of blank lines of the same length."""
    return re.sub(r"[^\n]", "\x00", match[0])


def blank_quotation(match: re.Match[str]) -> str:
    """A long quotation as one blank word; a quoted term as it is."""
    if len(match[1].split()) <= SHOWN_WORDS:
        return match[0]
    return match[0][0] + "x" * len(match[1]) + match[0][-1]


def paragraphs(text: str, masked: str) -> list[tuple[int, int]]:
    """Spans of lines that read on: one a list item, one a run of wrapped lines."""
    spans: list[tuple[int, int]] = []
    position, goes_on = 0, False
    for line in masked.splitlines(keepends=True):
        start, end = position, position + len(line)
        position = end
        body = line.rstrip("\r\n")
        if not body.strip("\x00 \t") or NOT_PROSE.match(text[start:end]):
            goes_on = False
            continue
        bullet = BULLET.match(body)
        if bullet and is_value(bullet[0], masked):
            bullet = None
        if goes_on and not bullet and body.lstrip()[:1].islower():
            spans[-1] = (spans[-1][0], start + len(body))
        else:
            spans.append((start + (bullet.end() if bullet else 0), start + len(body)))
        goes_on = len(body) >= WRAPPED_CHARS and body.rstrip()[-1:] not in ".!?:"
    return spans


def is_value(mark: str, text: str) -> bool:
    """Whether a number at the beginning of a line is a value and counts no list: "30. she decides that"."""
    number = mark.strip(" \t.)")
    return number.isdigit() and int(number) > 1 and len(NUMBERED.findall(text)) == 1


def breaks(masked: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where one paragraph falls into sentences; abbreviations and single initials do not end one."""
    spans, first = [], start
    for match in BREAK.finditer(masked, start, end):
        words = masked[first : match.start()].rstrip(".").rsplit(None, 1)
        last_word = words[-1].lower().lstrip("(") if words else ""
        is_dot = masked[match.start() - 1] == "."
        is_date = DATE.search(masked, max(first, match.start() - DATE_CHARACTERS), match.start()) is not None
        is_left_out = LEFT_OUT.search(masked, max(0, match.start() - 4), match.start()) is not None
        is_left_out = is_left_out or SYMBOL.search(masked, max(0, match.start() - 4), match.end()) is not None
        if is_left_out and masked[match.end() :].lstrip()[:1].islower():
            continue
        if IN_BRACKETS.search(masked, max(0, match.start() - 6), match.start()):
            continue
        if masked.count('"', first, match.end()) % 2 and '"' in masked[match.end() : end]:
            continue
        if is_dot and (is_date or last_word in ABBREVIATIONS or re.fullmatch(r"[a-z]", last_word)):
            continue
        spans.append((first, match.end()))
        first = match.end()
    spans.append((first, end))
    return spans


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space, list marks and emphasis at its ends."""
    whole = text[start:end].strip()
    marks = "*_" if whole.startswith("_") and whole.endswith("_") else "*"  # "_R" is a name
    while start < end and text[start] in f" \t\r\n–—-{marks}":
        start += 1
    while end > start and text[end - 1] in f" \t\r\n{marks}":
        end -= 1
    return start, end
