"""Documents that stand in a user's message: calendars, tables, forms, numbered clauses, code, what a request is about.

In: the stored text of a message. Out: slices of it, which may overlap. Invariants: pure; a few short lines that a user
types one below the other are no document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Slice = tuple[int, int]
"""Where something begins and ends, in characters."""

RECORD = re.compile(r"^(?:BEGIN|END|SUMMARY|DESCRIPTION|DTSTART|VERSION|PRODID|UID|ORGANIZER|ATTENDEE)[;:]")
"""A line of a calendar's entry or of a card."""

HEADING = re.compile(r"^#{1,6} \S")
CLAUSE = re.compile(
    r"^[ \t]*(?:(?:§ ?)?\d{1,2}(?:\.\d{1,2}){0,2}[.)]?|[^\W\d_]{3,12} \d{1,2}[.:]) [^\W\d_][^\n.:]{0,40}[.:] \S"
)
"""A numbered clause: a number, a title, and what it says: "3. Rules. Contractors must ...", "Punto 2. ..."."""

FEWEST_PARTS = 2
"""Headings, clauses or rows from which on a block is a document. Source: ours."""

SEPARATORS = (";", "\t", "|", ",")
FEWEST_ROWS, FEWEST_COLUMNS = 2, 3
"""Rows of as many columns that make a table. Source: ours; prose rarely has the same commas on two lines."""

CODE = re.compile(
    r"^[ \t]*(?://|/\*|\*/|#include|#!|import .{1,80} from |import \{|from [\w.]{1,60} import |package [\w.]{1,60};|"
    r"using [\w.]{1,60};|export (?:default |async |const |function |class |interface |type )|(?:async )?function \w|"
    r"(?:const|let|var) [\w{\[][^\n=]{0,80}= |(?:async )?def \w+\(|class \w+[^\n]{0,80}[:{][ \t]*$|"
    r"(?:public|private|protected|static) [\w<>\[\] ]{1,60}\(|func \w+\(|fn \w+[(<]|[})\]]+;?[ \t]*$|"
    r"return\b[^\n]{0,200};[ \t]*$)"
)
"""A line of a program; a comment in one speaks to whoever reads the program."""

NOTICE = re.compile(r"^[ \t]*【(?:置[顶頂]|公告|通知|重要|注意|お知らせ|공지)[^】\n]{0,20}】")
"""A line of a board that many read."""

OF_THE_USER = re.compile(
    r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(?:the )?user(?:'s)? (?:prefers?|preferences?|confirmed|decided|insists|"
    r"always wants|never wants|"
    r"likes|hates|told|said|asked (?:us|me|you))\b",
    re.IGNORECASE,
)
"""A line of a list that tells of the user what nobody tells of themselves: another program's notes."""

NO_PREFIX = r"(?<!\bfeat)(?<!\bfix)(?<!\bchore)(?<!\brefactor)"
"""Not behind the prefix of a commit, whose colon announces nothing: "ticket first, no feat: in front"."""

HANDED_ON = re.compile(
    r"^[^\n]{0,60}\b(?:transcript|voice ?mail|voice message|e-?mail|mail|letter|message|ticket|notice|memo|post|"
    r"minutes|"
    r"mitschrift|sprachnachricht|nachricht|brief|message vocal|courriel|mensaje|correo|carta|messaggio|mensagem)\b"
    rf"(?:[^\n:.!?]|:(?=\w)){{0,60}}{NO_PREFIX}:(?!\w) ?(?=\S)",
    re.IGNORECASE,
)
"""How somebody else's words are announced on the line on which they stand."""

LONG_REST = 60
"""Characters from which on what stands behind such an announcement is their words, and not a name. Source: ours."""

TREATS = re.compile(
    # English
    r"\b(?:(?:summari[sz]e|sum up|translate|proofread|rephrase|reword|polish|triage)(?= (?:this|that|it|them|these|"
    r"the (?:above|"
    r"text|mail|article|thread|letter|ticket|minutes)|for me|in|into|to|pls|please)\b|\W*$)|tl;?dr|give me the gist|"
    r"the gist|"
    r"typos|draft (?:me )?(?:a|an|the)? ?(?:\w+ )?(?:reply|answer|response)|(?:reply|answer|respond) to (?:this|that|"
    r"it|him|"
    r"her|them)|what do (?:you|we) (?:make|think) of (?:this|that|it)|what does (?:this|that|it) (?:mean|say)|"
    r"is (?:this|that|it|any of (?:this|that|it)) (?:true|right|safe|legit|real|correct|serious)|sort (?:this|that|it|"
    r"them)|"
    r"in (?:one|two|three|a few|your own) (?:sentences?|words|lines))\b|"
    # German
    r"\b(?:fass\w* .{0,30}zusammen|zusammenfass\w*|übersetz\w*|korrekturles\w*|formulier\w* .{0,30}um|"
    r"antworte? (?:ihm|ihr|"
    r"ihnen|darauf|auf)|antwort (?:entwerfen|schreiben)|entwirf .{0,20}antwort|stimmt das|was hältst du davon|"
    r"was meint (?:er|sie)|sortier\w* (?:das|es|sie))\b|"
    # French, Spanish, Italian, Portuguese
    r"\b(?:résum\w+|tradu\w+|reformul\w+|corrig\w+|rédige\w* .{0,20}réponse|réponds?[- ](?:lui|leur)|tu en penses quoi|"
    r"qu'en penses[- ]tu|resum\w+|responde(?:le|les)|qué opinas|ord[eé]na(?:lo|los|las)|riassun\w+|riassumi\w*|"
    r"rispondi(?:gli|le)|cosa ne pensi|o que achas|do que é que (?:eles?|elas?) fala\w*|respond[ea][- ]lhe)\b|"
    # Dutch, Swedish, Polish, Czech, Turkish, Russian, Ukrainian
    r"\b(?:vat .{0,30}samen|samenvatt\w*|vertaal\w*|sammanfatt\w*|översätt\w*|stre(?:ść|szcz)\w*|przetłumacz\w*|"
    r"shrň\w*|"
    r"přelož\w*|özetle\w*|çevir\w*|cevap yaz\w*|резюмир\w*|кратко|перевед\w*|перекажи|переклади|підсумуй|"
    r"ответь (?:ему|ей|им))"
    r"|总结|概括|翻译|靠谱吗|回复他|怎么看|要約|翻訳|訳して|まとめて|返信|요약|번역|답장|अनुवाद|सारांश|لخص|ترجم",
    re.IGNORECASE,
)  # fmt: skip
"""A request that is about a text, and not about what is built: summing up, translating, answering, doubting."""

MOST_REQUEST = 160
"""Characters of the longest request about a text above it. Source: ours."""

SHORT_SUBJECT = 40
"""Characters from which on what stands before such a request is its subject. Source: ours."""

BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")


def documents_in(text: str) -> Iterable[Slice]:
    """All that stands in a message as a document, as far as it shows."""
    for match in BLOCK.finditer(text):
        lines = lines_within(text, match.start(), match.end())
        yield from forms(lines)
        yield from tables(lines)
        yield from code(lines)
        yield from announced_inline(text, match.start(), match.end())
    yield from headed(text)
    yield from treated(text)
    for start, end, line in lines_within(text, 0, len(text)):
        if NOTICE.match(line) or OF_THE_USER.match(line) or RECORD.match(line):
            yield start, end


def lines_within(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """The lines between two places: where each begins and ends, and itself."""
    found = []
    for line in text[start:end].splitlines(keepends=True):
        found.append((start, start + len(line), line.rstrip("\n")))
        start += len(line)
    return found


def forms(lines: Sequence[tuple[int, int, str]]) -> Iterable[Slice]:
    """A block with several numbered clauses, from its head to its end: minutes, a policy, terms."""
    if sum(CLAUSE.match(line) is not None for _, _, line in lines) >= FEWEST_PARTS:
        yield lines[0][0], lines[-1][1]


def tables(lines: Sequence[tuple[int, int, str]]) -> Iterable[Slice]:
    """Rows that have as many columns as the first one."""
    for separator in SEPARATORS:
        counts = [columns(line, separator) for _, _, line in lines]
        run = 0
        for at, count in enumerate([*counts, 0]):
            if run and count != counts[at - 1]:
                if run >= FEWEST_ROWS:
                    yield lines[at - run][0], lines[at - 1][1]
                run = 0
            if count >= FEWEST_COLUMNS:
                run += 1


def columns(line: str, separator: str) -> int:
    """How many columns a line has; a comma or a semicolon that a space follows separates clauses, not columns."""
    spaced = line.count(separator + " ") if separator in ",;" else 0
    return 0 if spaced else line.count(separator) + 1


def code(lines: Sequence[tuple[int, int, str]]) -> Iterable[Slice]:
    """Lines of a program."""
    for start, end, line in lines:
        if CODE.match(line):
            yield start, end


def announced_inline(text: str, start: int, end: int) -> Iterable[Slice]:
    """What stands behind the announcement of somebody's words, on the same line and to the end of the block."""
    announced = HANDED_ON.match(text[start:end])
    if announced is not None and end - start - announced.end() >= LONG_REST:
        yield start + announced.end(), end


def headed(text: str) -> Iterable[Slice]:
    """A form with headings, from the first to the last block that stands under one."""
    blocks = [match.span() for match in BLOCK.finditer(text)]
    heads = [start for start, _, line in lines_within(text, 0, len(text)) if HEADING.match(line)]
    if len(heads) >= FEWEST_PARTS:
        last = next(end for start, end in blocks if start <= heads[-1] < end)
        yield heads[0], last


def treated(text: str) -> Iterable[Slice]:
    """What a last block or a last line asks to be summed up, translated or answered: all that stands before it."""
    whole = text.rstrip()
    for separator in ("\n\n", "\n"):
        before, found, request = whole.rpartition(separator)
        if found and len(request) <= MOST_REQUEST and len(before.strip()) >= SHORT_SUBJECT and TREATS.search(request):
            yield 0, len(before)
            return
