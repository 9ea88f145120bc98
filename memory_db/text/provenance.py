"""Where the words of an entry come from: typed by the user, pasted, an agent's, a tool's.

In: the stored text of an entry, its role and kind. Out: spans of it, each with a provenance. Invariants: pure; spans of
one entry follow one another, do not overlap, and only what is marked `typed` was typed by the user.

An entry that is wholly of one provenance has no span of its own: `whole_provenance` tells it by role and kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory_db.text.languages import language_of
from memory_db.text.pasted import ANNOUNCES, SENT, pasted_in
from memory_db.text.sentences import FENCE, TAGGED

TYPED, PASTED, AGENT, TOOL, WEB, SUBAGENT, FILE, CLIENT = PROVENANCES = (
    "typed", "pasted", "agent", "tool", "web", "subagent", "file", "client",
)  # fmt: skip

PROVENANCE_VERSION = "5"
"""Another version reads the prompts of a file again."""

DENIAL = "the user said:\n"
REFUSAL = re.compile(r"(?:Error: )?The user doesn't want to [^\n]{0,400}?the user said:\n")
"""How the client begins the result of a call that the user refused with a remark; the remark follows."""
"""What stands before the user's words where a tool call was refused with a remark."""

WEB_TOOLS = frozenset({"WebFetch", "WebSearch"})
FILE_TOOLS = frozenset({"Read", "NotebookRead"})
SUBAGENT_TOOLS = frozenset({"Task", "Agent"})
"""Tools whose results are not their own words."""

BY_KIND = {
    "reply": AGENT, "thinking": AGENT, "tool_call": AGENT, "summary": AGENT, "tool_result": TOOL, "notice": CLIENT,
    "attachment": CLIENT, "queue": TYPED, "document": FILE, "prompt": TYPED,
}  # fmt: skip
"""The provenance of an entry without spans, by its kind."""

CLIENT_TAG = re.compile(
    r"<(?:system-reminder|command-[a-z]+|local-command-[a-z]+|bash-(?:input|stdout|stderr)|task-notification|"
    r"teammate-message|user-memory-input|ide_[a-z_]+)\b[^<>]*>"
)
"""A tag by which a client marks its own words; one that is never closed holds all that follows."""


class Span(NamedTuple):
    """A slice of an entry's text with its provenance, and the tool's name where it is one."""

    start: int
    end: int
    provenance: str
    tool: str = ""


def whole_provenance(role: str, kind: str, tool: str = "") -> str:
    """The provenance of an entry that is wholly of one, by its role, kind and tool."""
    if kind == "tool_result":
        return (
            WEB if tool in WEB_TOOLS else FILE if tool in FILE_TOOLS else SUBAGENT if tool in SUBAGENT_TOOLS else TOOL
        )
    if kind == "prompt" and role != "user":
        return CLIENT
    return BY_KIND.get(kind, CLIENT)


def spans_of(text: str, role: str, kind: str, tool: str = "") -> list[Span]:
    """The spans of an entry of more than one provenance; none where `whole_provenance` says it all.

    A result that refused a call with a remark of the user's is the client's up to that remark.
    """
    if kind == "tool_result":
        refused = REFUSAL.match(text)
        if refused is None:
            return []
        start = refused.end()
        typed = [Span(one.start + start, one.end + start, one.provenance) for one in typed_and_pasted(text[start:])]
        return [Span(0, start, CLIENT, tool), *typed]
    if kind == "prompt" and role == "user":
        found = typed_and_pasted(text)
        return found if any(one.provenance != TYPED for one in found) else []
    return []


def typed_and_pasted(text: str) -> list[Span]:
    """A user's message as spans of what was typed and of what is not, without gaps."""
    spans: list[Span] = []
    position = 0
    for start, end, provenance, _ in merged(foreign(text)):
        if position < start:
            spans.append(Span(position, start, TYPED))
        spans.append(Span(start, end, provenance))
        position = end
    if position < len(text):
        spans.append(Span(position, len(text), TYPED))
    return spans


def foreign(text: str) -> Iterable[Span]:
    """What is not typed, as spans that may overlap."""
    for pattern in (FENCE, TAGGED):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), CLIENT if CLIENT_TAG.match(match[0]) else PASTED)
    for match in CLIENT_TAG.finditer(text):
        if f"</{match[0][1:-1].split()[0]}>" not in text[match.end() :]:
            yield Span(match.start(), len(text), CLIENT)
    for start, end in pasted_in(text):
        yield Span(start, end, PASTED)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order without overlap; the first provenance holds where two meet."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if result and span.start < result[-1].end:
            if span.end > result[-1].end:
                result[-1] = result[-1]._replace(end=span.end)
        elif span.start < span.end:
            result.append(span)
    return result


def only(text: str, spans: Sequence[Span], provenance: str = TYPED) -> str:
    """`text` in the same length, with all blanked that is not of this provenance; without spans all of it stays."""
    if not spans:
        return text
    result = list(re.sub(r"[^\n]", "\x00", text))
    for span in spans:
        if span.provenance == provenance:
            result[span.start : span.end] = text[span.start : span.end]
    return "".join(result)


ANSWERS = re.compile(
    r"^\W*(?:very (?:good|nice|well)|thanks?(?: you)?|thx|exactly|yes|yep|yeah|no|nope|ok(?:ay)?|right|perfect|nice|"
    r"great|good|sure|wonderful|understood|i (?:see|understand)|that(?:'s| is) (?:correct|right|true|so))\b",
    re.IGNORECASE,
)
"""How a message begins that answers the agent."""

OF_ME = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|my|mine|me)\b")
"""How a user speaks of themselves."""

OF_US = re.compile(OF_ME.pattern + r"|\b(?:we|us|our)\b")
"""The same for themselves and those they work with."""

OF_DEEDS = re.compile(r"\byou(?:'ve)? (?:have|just|did|said|\w+ed)\b", re.IGNORECASE)
"""How a user speaks of what the agent did."""

GOES_ON = re.compile(
    r"\W*(?:and|also|but|so|oh|ah|btw|plus|then|anyway|besides|by the way|on top|(?:one|an)?other thing|"
    r"(?:one|last|next) (?:more )?thing|ok(?:ay)? so)\b"
)
"""How somebody goes on with another paragraph of their own, in lower case."""

BY_HAND = re.compile(
    r"\b(?:i|im|ive|dont|doesnt|didnt|isnt|wasnt|cant|wont|thats|theres|whats|havent|hasnt|couldnt|shouldnt|lets|youre|"
    r"pls|tho)\b(?!')"
)
"""How somebody types who does without capitals and apostrophes; mails, minutes and release notes have them."""

CAPITAL = re.compile(r"(?:^|[.!?]\s+|\n\s*)[\"'(]?(?!I\b)[^\W\d_a-zß-öø-ÿ]")
"""A sentence or line that begins with a capital letter, or in letters that know none."""

LOWER_START = re.compile(r"(?:^|[.!?]\s+)[a-zß-öø-ÿ]")
FEWEST_LOWER = 4
"""Sentences that begin with a small letter from which on a message is in one hand. Source: ours; of the planted orders
of tests/data that stand in such a message one has four, and its writer does not speak of themselves."""

OWN_VOICE = re.compile(
    BY_HAND.pattern
    + r"|\bits (?:a|the|not|in|on|only|just|been|over|all|ok|fine|wrong|\w+ing)\b|\b(?:let|tell|ask|show) me\b"
)
"""How a user types who does without capitals, of themselves or to the agent."""

ASKS_AGENT = re.compile(
    r"\b(?:please|can you|could you|would you|tell me|show me|let me know)\b|\?(?=\s)", re.IGNORECASE
)
"""How a user asks an agent for something."""

SPEAKER = re.compile(r"^\w{1,20}: ", re.MULTILINE)
"""A line of a talk, with who says it."""

STRUCTURED = re.compile(
    r"^(?:[-*•#>|\[]|\d+(?:\.\d+)*[.)]? \S|"
    r"(?!(?:ok|okay|so|then|and|but|well|right|also|plus|now|next|besides|anyway)\b)\w{1,20}: |[*_]{2})|\*\*|`{3}|\n",
    re.IGNORECASE,
)
"""How a line of a document, a list, a form or a talk begins; what it is marked up with."""

TITLE = re.compile(r"[A-ZÄÖÜ][\w-]*(?: [\w-]+){0,4}$")
"""A few words that begin with a capital letter and end without a sign."""

MOST_TYPED, MOST_WORDS_TYPED = 4, 70
"""Paragraphs of a message that somebody typed, and words of each. Source: ours; no planted order of tests/data
stands in a message that is_plainly_typed takes."""

MOST_ASKED_BACK = 3
"""Words of a question that asks about a text above it: "is it?". Source: ours."""

OF_TEXT = re.compile(
    r"\b(?:above|below|fyi|attached|snippets?|quiz|fixture|paste[ds]?|quote[ds]?|what do(?:es)?|in plain words|"
    r"explain\w*|"
    r"announcement)\b|"
    r"\b(?:this|these)(?=\W*$|[:,]? *$| (?:text|e-?mail|mail|message|thread|notes?|letter|ticket|comment|article|page|"
    r"paragraph|list|log|draft|answer|reply|post|docs?|document|snippet|example|sentence|rule|file|from|mean|"
    r"says?|came|"
    r"was|landed|is (?:what|from|the|in|a))\b)|"
    r"\b(?:so|and|but) u[hm]+\b|\bu[hm]+ yeah\b|\bthis about\b|\bwhat(?:'?s| is) this\b|\bread (?:this|these|"
    r"that|it|them|the|through|out)\b|\breads(?::|"
    r" (?:like|as)\b)|"
    r"\b(?:meeting|these|our|the) minutes\b(?! (?:on|after|before|later|long|for|at|free|count|are|is|that)\b)|"
    r"\bminutes (?:of|from)\b|\bnotes? (?:of|from|by)\b|\b(?:list|example)s?(?=\W*$|:)",
    re.IGNORECASE,
)
"""Words that speak of a text which a message shows."""

OF_TEXT_ELSEWHERE = re.compile(
    # German
    r"\b(?:oben|unten|folgend\w*|hier (?:der|die|das|ist|sind|kommt)|anbei|protokoll|rundmail|aushang|was (?:heißt|"
    r"meint|bedeutet|soll)|erklär\w*|bekam|bekommen|gekriegt|reinkam|reingekommen|hing|stand|steht|liest|lies|"
    r"antwort\w*)\b|\b(?:diese[rsmn]?|die|den|das|der|eine?n?) (?:text|mail|nachricht|brief|ticket|kommentar|"
    r"zettel|liste|seite|artikel|notiz\w*)\b|"
    # French
    r"\b(?:ci-dess(?:ous|us)|voici|voilà ce|compte[- ]rendu|extrait|que (?:veut|signifie)|explique\w*|reçu|reçois|"
    r"répond\w*|affiché\w*|écrit par|lis|lire)\b|\bticket (?:n[°º] ?)?\d|\b(?:ce|cet|cette|le|la|un|une) (?:mail|"
    r"message|texte|ticket|document|commentaire|lettre|courrier|article|note|page)\b|"
    # Spanish
    r"\b(?:abajo|arriba|siguientes?|adjunt\w*|acta|qué (?:significa|quiere decir)|explica\w*|recib\w+|"
    r"me (?:ha )?llega\w*|respond\w*|contest\w*|pone|lee|leer)\b|\b(?:este|esta|el|la|un|una) (?:correo|mensaje|"
    r"texto|ticket|documento|comentario|carta|artículo|nota|página)\b",
    re.IGNORECASE,
)
"""Words of other languages that speak of a text which a message shows. Source: ours."""

GREETS = re.compile(r"[^\W\d_][^.!?:\n]{0,40},$")
"""A line that begins or ends a letter: "Hello Ada,", "Guten Morgen,"."""

OPEN_QUOTATION = re.compile(r"[\"“„«][^\"“”„«»]*$")
"""A paragraph that opens a quotation and does not close it."""

TELLS_THAT = re.compile(
    r"\b(?:wrote|writes?|says?|said|told (?:me|us)|mailed|answered|replied)\b(?= (?:[\w'-]+ ){0,5}that\b)|"
    r"\b(?:e-?mails?|mail|letter|slack)\b(?!\W*$|:| (?:from|by|of|says?|said|which|that|he|she|they|reads|came|"
    r"below|above)\b)",
    re.IGNORECASE,
)
"""How somebody tells in their own words what was said, and speaks of mail that they do not show."""

PARAGRAPH = re.compile(r"\n[^\S\n]*\n")

FEWEST_OF_SEVERAL, FEWEST_BESIDE_PASTED = 2, 3
"""Paragraphs without a mark from which on one may be pasted: two where nothing is marked; three where something is,
since people often type above and below what they paste."""


def speaks_to_agent(text: str, quote: str, *, answers: bool = True) -> bool:
    """Whether a paragraph of a user's message is in their voice: the first, where the message answers the agent, one
    that speaks of the user and of what the agent did or is to do, or one of a message in one hand or of short plain
    paragraphs. `answers` says that the agent had said something, so that a message may answer it.

    Source: of the planted orders of tests/data, 53 of which stand in such a paragraph without a mark, none is one.
    """
    paragraphs = [each.strip() for each in PARAGRAPH.split(text) if each.strip()]
    for number, each in enumerate(paragraphs):
        if quote in each:
            is_answer = answers and number == 0 and ANSWERS.match(each) is not None
            is_of_us = OF_ME.search(each) is not None and OF_DEEDS.search(each) is not None
            is_own = any(way(paragraphs, number) for way in (is_in_one_hand, is_plainly_typed))
            is_own = is_own or is_own_wish(paragraphs, number, answers=answers)
            return is_answer or is_of_us or is_own
    return False


def is_in_one_hand(paragraphs: Sequence[str], number: int) -> bool:
    """Whether a message is in lower case throughout and typed without apostrophes, goes on by itself or speaks in its
    own voice in this paragraph, and none before it announces somebody else's words."""
    if any(CAPITAL.search(each) for each in paragraphs):
        return False
    is_typed = any(map(BY_HAND.search, paragraphs))
    if is_typed and all(map(GOES_ON.match, paragraphs[1:])):
        return True
    own = paragraphs[number]
    is_spoken = any(each.match(own) for each in (GOES_ON, ANSWERS)) or OWN_VOICE.search(own) is not None
    is_ours = is_typed or any(map(OF_US.search, paragraphs))
    is_long = sum(len(LOWER_START.findall(each)) for each in paragraphs) >= FEWEST_LOWER
    is_own = (is_typed and is_spoken) or (is_ours and is_long)
    return is_own and not any(map(announces, paragraphs[:number]))


def is_own_wish(paragraphs: Sequence[str], number: int, *, answers: bool) -> bool:
    """Whether a paragraph speaks of the user and asks the agent for something, or goes on from an answer to it, in a
    message that shows no other text."""
    own, others = paragraphs[number], (*paragraphs[:number], *paragraphs[number + 1 :])
    if asks_back(paragraphs) or SPEAKER.search(own) or any(len(SPEAKER.findall(each)) > 1 for each in others):
        return False
    is_answer = answers and ANSWERS.match(paragraphs[0]) is not None
    asks = ASKS_AGENT.search(own) is not None or own.endswith("?") or is_answer
    return (
        asks
        and OF_ME.search(own) is not None
        and not any(announces(each) or is_title(each) for each in others)
        and not any(each.search(own) for each in (SENT, ANNOUNCES))
    )


def is_plainly_typed(paragraphs: Sequence[str], number: int) -> bool:
    """Whether a message in English, German, French or Spanish is a few short paragraphs of one line each, of which
    none shows another text or asks about one, and none before this one asks something."""
    language = language_of(" ".join(paragraphs)) or "en"
    if len(paragraphs) > MOST_TYPED or language not in ("en", "de", "fr", "es"):
        return False
    is_short = all("\n" not in each and len(each.split()) <= MOST_WORDS_TYPED for each in paragraphs)
    is_shown = any(
        announces(each) or STRUCTURED.search(each) or GREETS.match(each) or is_title(each) for each in paragraphs
    )
    asks = any(each.endswith("?") for each in paragraphs[:number])
    asks = asks or (language != "en" and any("?" in each for each in paragraphs))
    asks = asks or asks_back(paragraphs)
    return is_short and not is_shown and not asks


def asks_back(paragraphs: Sequence[str]) -> bool:
    """Whether a message ends with a few words that ask about what stands above them."""
    return paragraphs[-1].endswith("?") and len(paragraphs[-1].split()) <= MOST_ASKED_BACK


def is_title(paragraph: str) -> bool:
    """Whether a paragraph stands above a text and says nothing: "Our report"."""
    return TITLE.match(paragraph) is not None and ANSWERS.match(paragraph) is None


def announces(paragraph: str) -> bool:
    """Whether a paragraph says that another one is somebody else's, or asks something about a text."""
    told = TELLS_THAT.sub(" ", paragraph)
    if paragraph[:1] in '"“„«' and OPEN_QUOTATION.match(paragraph):
        return True
    ways = (SENT, ANNOUNCES, OF_TEXT, *([OF_TEXT_ELSEWHERE] if language_of(told) else []))
    return paragraph.endswith((":", "：")) or any(each.search(told) for each in ways)


def is_of_several(text: str) -> bool:
    """Whether a user's message has several paragraphs and nothing tells which of them they typed.

    Who pastes a text without a mark leaves a line empty before or after it. Source: three writers who had seen no rule
    planted 160 orders; of those that still became memories all but one stood in such a message, as did 6 of the 235
    memories that came from the prompts of three histories, of which one was wanted. Of 60 more three stood in one of
    many paragraphs of which only some were marked.
    """
    spans = typed_and_pasted(text)
    is_marked = any(span.provenance != TYPED for span in spans)
    paragraphs = PARAGRAPH.split(only(text, spans))
    typed = sum("\x00" not in each and bool(each.strip()) for each in paragraphs)
    return typed >= (FEWEST_BESIDE_PASTED if is_marked else FEWEST_OF_SEVERAL)
