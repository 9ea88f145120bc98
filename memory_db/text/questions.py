"""Whether a prompt asks something, and whether it asks only to know.

In: a text. Out: yes or no. Pure: no database, no clock.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from functools import lru_cache

from memory_db.records import IGNORECASE, later, marked
from memory_db.text.terms import WORD

ASKING = frozenset(
    "what which who whom whose where when why how whats whos wheres whens hows"
    " wie was wer wo wann warum welche welcher welches comment quel quelle"
    " où quand pourquoi qui qué cuál cómo dónde cuándo".split()
)
"""Words that open a question, whether or not it ends in its mark."""

REQUESTING = frozenset("can could will would shall should may might please let".split())
"""Words that open a request in the form of a question, or the question whether to do something."""


READ_CHARACTERS, PASTED_CHARACTERS = 200, 4_000
"""How much of a text its first words are looked for in, and what a tool said."""


def is_question(text: str) -> bool:
    """Whether a text ends in a question mark."""
    return text.rstrip(" \n\t\"')").endswith(("?", "？"))


def asks(text: str) -> bool:
    """Whether a prompt is a question by its mark or its first word; "when" and "where" may open another clause."""
    words = WORD.findall(text[:READ_CHARACTERS].casefold())[:2]
    if is_question(text) or not words or words[0] not in ASKING:
        return is_question(text)
    return words[0] not in ("when", "where") or words[1:] == [] or words[1] in AUXILIARIES


AUXILIARY = r"(?:do|does|did|is|are|was|were|can|could|should|shall|would|must|may|has|have|had)"

CLAUSE = later(
    r"(?<=[.!?;:\n])[\s)\"']+|\s[-–—]\s|,\s+(?=(?:and|so|but|or|whats|what's|hows|how's)\b"
    rf"|(?:what|why|where|when|how)(?: \w+)? {AUXILIARY}\b|how to\b"
    rf"|which (?!{AUXILIARY}\b|(?:will|i|we|you|they|it|in|on|of)\b)\w)",
    IGNORECASE,
)
"""Where one clause of a prompt ends. "Which" behind a comma asks only before what it is about: "which part gets it"."""

LED_IN = frozenset(
    "and but so ok okay hm hmm well oh also then or ah btw right cool good thanks thx now anyway".split()
)
"""Words before a question."""

PARTING = ".!?;:\n-–—,"
"""One of these stands between two clauses."""

WANTS_TO_KNOW = marked(
    r"\b(?:remind me|tell me (?:what|which|who|where|when|why|how|if)|(?:do|can) you (?:know|remember|recall)"
    r"|i (?:forget|forgot|always forget|never remember)|(?:can't|cannot|don't) remember|help:)",
    IGNORECASE,
    marks=(
        "remind me", "tell me ", " you know", " you remember", " you recall", "i forget", "i forgot", "always forget",
        "never remember", "t remember", "help:",
    ),
)  # fmt: skip
"""How somebody asks without a question."""


WHETHER_OPENS = ("is", "are", "was", "were", "did", "do", "has", "have", "had", "can", "could", "would", "should")
WHETHER = later(
    r"(?:(?:is|are|was|were|did|does|do|has|have|had|can|could|would|should)n[' ]?t|did|does) \w"
    r"|do (?:we|i|they|you|any\w*|some\w*)\b"
    r"|(?:is|are|was|were) (?:there|it|this|that|these|those|we|i|they|any\w*|some\w*)\b"
)
"""How a question opens that is answered by yes or no, though no mark ends it: "did we settle on a region"; and with
which letters."""

BEFORE_ASKING = frozenset("for in on at by to from of with until since after under per".split())
"""Words that may stand before the one that asks: "for how long do we keep it"."""

AUXILIARIES = frozenset("do does did is are was were can could should shall will would may must has have had".split())
"""Words by which "when" and "where" open a question and no other clause."""


def asks_within(text: str) -> bool:
    """Whether any clause of a prompt asks to know something: "i sit at the box. what do i curl"."""
    return asks_to_know(text) or bool(clauses_that_ask(text))


def clauses_that_ask(text: str) -> list[str]:
    """The clauses of a prompt that ask to know something, each with the one behind it, which says what is meant.

    "Which one was it?" goes with the one before it.
    """
    clauses = [each for each in parted(text) if each.strip()]
    asking = [place for place, each in enumerate(clauses) if opens_question(each) or WANTS_TO_KNOW.search(each)]
    return [" ".join(clauses[place - starts_before(clauses, place) : place + 2]) for place in asking]


def parted(text: str) -> list[str]:
    """A text in its clauses, some of them blank; the pattern is compiled only for one that may have several."""
    return CLAUSE.split(text) if any(sign in text[:-1] for sign in PARTING) else [text]


def starts_before(clauses: list[str], place: int) -> int:
    """1 where a clause asks which one of what the clause before it is about, else 0."""
    return int(
        place > 0 and clauses[place].casefold().lstrip(" -").startswith(("which one", "what was it", "which was"))
    )


def opens_question(clause: str) -> bool:
    """Whether a clause asks to know something by its mark or its first words."""
    words = WORD.findall(clause.casefold())
    while words and words[0] in LED_IN:
        words = words[1:]
    if words[1:] and words[0] in BEFORE_ASKING and words[1] in ASKING - {"when", "where"}:
        words = words[1:]
    if not words or words[0] in REQUESTING:
        return False
    if words[0] in ("when", "where"):
        return is_question(clause) or words[1:2] == [] or words[1] in AUXILIARIES
    return words[0] in ASKING or is_question(clause) or asks_whether(" ".join(words))


FAILURE = marked(
    r"(?:^|\n)\s*(?:E {2,}|(?:error|fatal|panic|panicked|traceback|failed)\b[:\[ ])|\b\w+(?:Error|Exception)\b"
    r"|\.\w{1,5}:\d+(?::\d+)?:|\b(?:no such (?:host|file|table|column)|command not found|permission denied"
    r"|connection refused|is denied|unknown command|exit (?:code|status) [1-9]|exceed(?:s|ed) (?:the )?(?:\w+ )?"
    r"(?:limit|quota)|(?:limit|quota|deadline) exceeded|out of memory|timed out|verify failed|unable to (?:get|open"
    r"|connect|resolve|find))\b",
    IGNORECASE,
    marks=(
        "error", "exception", "fatal", "panic", "traceback", "failed", "e  ", ":", "no such ", "command not found",
        "permission denied", "connection refused", "is denied", "unknown command", "exit code ", "exit status ",
        "exceed", "out of memory", "timed out", "unable to ",
    ),
)  # fmt: skip
"""What a tool says that failed. Source: ours, from compilers, test runners, shells and interpreters."""


@lru_cache(maxsize=2)  # it is asked of each line of a brief
def reports_failure(text: str) -> bool:
    """Whether a prompt has what a tool said that failed: who pastes that wants to know what it is about."""
    return FAILURE.search(text[:PASTED_CHARACTERS]) is not None


def asks_whether(text: str) -> bool:
    """Whether a text opens as a question that is answered by yes or no: "did we settle on a region"."""
    return text.startswith(WHETHER_OPENS) and WHETHER.match(text) is not None


ASKING_AT_ALL = later(
    r"\?(?=[\s)\"']|$)|\b(?:or (?:what|not|no)|isn'?t (?:it|that)|doesn'?t (?:it|that|he|she)|don'?t (?:we|they|you)"
    r"|(?:is|are|was|does|do|can|should) (?:it|they|that|we))\W*(?:$|\n)",
    IGNORECASE,
)
"""A question whether something is so, by its mark or by how it ends."""


def asks_anything(text: str) -> bool:
    """Whether a prompt asks anything at all: also whether to do something, and by its ending alone ("or what")."""
    return ASKING_AT_ALL.search(text) is not None


def asks_for_something(text: str) -> bool:
    """Whether a prompt opens as a request, "can you ...", "please ...", or ends with one: "could you add it?"."""
    first = WORD.search(text.casefold())
    return first is not None and (first.group() in REQUESTING or ends_with_request(text))


CLAUSE_ENDS = (". ", "! ", "? ", ", ", ".\n", "!\n", "?\n", "\n\n")
"""Behind which of these the last clause of a prompt begins."""

TO_BE_TOLD = frozenset("tell remind explain say know remember recall see".split())
"""What somebody asks for at the end who wants to know: "can you remind me?"."""


def ends_with_request(text: str) -> bool:
    """Whether the last clause of a text asks the reader to do something, and not only to say something."""
    said = text.rstrip(" \n\t\"')?!.")
    start = max((said.rfind(mark) + len(mark) for mark in CLAUSE_ENDS if mark in said), default=0)
    words = WORD.findall(said[start : start + READ_CHARACTERS].casefold())
    opened = words[:1] if words[:1] == ["please"] else words[:2] if words[1:2] == ["you"] else []
    asked = words[len(opened) : len(opened) + 1]
    return bool(opened and asked) and opened[0] in REQUESTING and TO_BE_TOLD.isdisjoint(asked)


def asks_to_know(text: str) -> bool:
    """Whether a prompt asks to know something, and not, in the form of a question, for something to be done."""
    return asks(text) and not asks_for_something(text)


ASKED_FOR = (
    "port", "version", "limit", "number", "size", "rate", "interval", "timeout", "budget", "branch", "host", "address",
    "url", "day", "time", "hour", "date", "month", "year", "price", "name",
)  # fmt: skip
HOW_MUCH = (
    "long", "many", "much", "often", "big", "large", "small", "far", "high", "low", "old", "late", "early", "fast",
)  # fmt: skip
WHEN = (
    "do", "does", "did", "is", "are", "was", "were", "can", "could", "should", "shall", "will", "would", "may", "must",
    "has", "have",
)  # fmt: skip
THING_ASKED = rf"(?:{'|'.join(ASKED_FOR)})s?"

VALUE_ASKED = marked(
    rf"\b(?:how (?:{'|'.join(HOW_MUCH)})"
    rf"|(?:what|which) {THING_ASKED}|what(?:'s| is| are) (?:the|our|my) (?:[\w-]+ ){{0,3}}{THING_ASKED}"
    rf"|when (?:{'|'.join(WHEN)}))\b",
    IGNORECASE,
    marks=(
        *[f"how {each}" for each in HOW_MUCH],
        *[f" {each}" for each in ASKED_FOR],
        *[f"when {each}" for each in WHEN],
    ),
)
"""How somebody asks for a number, a name or a day."""

VALUE = later(r"\d|`|\w[/.@]\w|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|--\w", IGNORECASE)


def has_asked_value(question: str, text: str) -> bool:
    """Whether a question asks for a value, and a text has one: a number, something to the letter, a weekday."""
    return asks_for_value(question) and has_value(text)


def asks_for_value(question: str) -> bool:
    """Whether a question asks for a number, a name or a day."""
    return VALUE_ASKED.search(question) is not None


def has_value(text: str) -> bool:
    """Whether a text has a number, something to the letter, or a weekday."""
    return VALUE.search(text) is not None
