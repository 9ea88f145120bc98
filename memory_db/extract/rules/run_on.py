"""Runs of clauses within a sentence that says several things at once.

In: a sentence of a message. Out: runs of its clauses as sentences of their own, the longest first. Invariants: pure; a
run is a slice of its sentence, and begins with no clause that only goes on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from memory_db.extract.rules.surroundings import IS_TASK
from memory_db.text.quoting import LAUGH
from memory_db.text.sentences import Sentence
from memory_db.text.told import of_others

LOCAL_VETOES = frozenset(
    {"question", "asks for it", "asks without a mark", "idiom", "for this step",
     "until this is told", "turn of speech", "request"}
)  # fmt: skip
"""What ends the matter for its own clause, and not for the one beside it: a greeting, a question at the end."""

LOCAL_DOUBTS = frozenset(
    {"one-off task", "a change all over", "object is a pronoun", "asks for a fix", "points at something",
     "what just happened", "an order at its end", "state of now", "there is nothing to keep", "off the subject",
     "remember to do", "announces a step", "a task for me or us", "past ways", "report of a failure", "only now",
     "for now", "a grumble", "likes what is shown", "wish for the product", "it does this now", "about a person",
     "happening", "hypothetical"}
)  # fmt: skip
"""What speaks against its own clause alone; what guesses or quotes speaks against the whole sentence."""

BREAK = re.compile(
    r"[,;]\s+|\s[–—-]{1,2}\s+|(?<=\w)\s*[(]|"
    r":\s+(?=(?:if|when|whenever|before|after|never|always|please|don't|do not|tell|show|ask|conventional|all|every|"
    r"one|no|keep|use)\b)",
    re.IGNORECASE,
)

GOES_ON = re.compile(
    r"^\W*(?:and |but |und |aber )?(?:which|who|whose|whom|where|that|than|as|or|nor|not|though|if|when|unless|until|"
    r"while|because|so|it|its|it's|that's|this|they|them|these|those|he|she|him|her|there|then|too|please|instead|"
    r"otherwise|except|including|like|such|e\.g|i\.e|"
    r"oder|wenn|falls|weil|damit|dass|sodass|obwohl|denn|sondern|wie|wo|was|er|sie|es|sonst|"
    r"ou|si|quand|parce|car|qui|que|dont|où|o|cuando|porque|quien|se|quando|perché|che|bo|że|żeby|który|która|"
    r"если|когда|потому|что|который|которая|или)\b",
    re.IGNORECASE,
)
"""How a clause begins that cannot stand without the one before it."""

ASKING = frozenset({"question", "asks for it", "asks without a mark", "request"})
ASKS = re.compile(
    r"^\W*(?:(?:and|so|but|or|also|please|und|also|aber|et|y|e|i)\W+)*(?:should|shall|would|could|can|will|do|does|"
    r"did|is|are|was|has|have|what|how|why|when|where|which|who|any|mind|"
    r"kannst|könntest|können|könnten|sollen|sollten|soll|magst|würdest|gibt|ist|sind|hast|was|wie|warum|wieso|wann|wo|"
    r"peux|pourrais|pouvez|est|puedes|podrías|hay|puoi|potresti|możesz|czy|можешь|можно)\b",
    re.IGNORECASE,
)
"""How a clause begins that asks."""

STANDS_FOR_IT = re.compile(
    r"\b(?:which|what|who|where) (?:\w+ )?(?:is|are|was|were) (?:they|it|that|those|he|she)\b", re.I
)
"""A question of what was named before it: "and the two that failed, which ones are they?"."""

LAUGHS = re.compile(rf"\b{LAUGH}\b|😂", re.IGNORECASE)
"""How a clause is laughed about."""

OWN_STEP = re.compile(
    r"^\W*(?:(?:ok|so|and|then)\W+)*(?:i'll|i will|i'm|i am|let me|ich (?:bin|geh|mach)\w*)\b", re.IGNORECASE
)
"""How somebody begins to tell what they do next: what they add is of that."""

TAKES_BACK = re.compile(
    r"\b(?:never ?mind(?! (?:which|what|where|whose|in which)\b)|"
    r"forget (?:it|that)|scratch that|egal|laisse tomber|déjalo|lascia stare)\b",
    re.IGNORECASE,
)
ACTS_ON_IT = re.compile(
    r"^\W*(?:and |then |please )*(?!(?:keep|leave|call|make|set|put|use|is|was|if)\b)[a-z]+ (?:it|them)\b"
)
"""How a run begins that only says what to do with something named before it: "chop it down and break one"."""

OWN_STORY = re.compile(r"^\W*i (?:just |already )?(?:found|got|saw|did|was|had|went|\w{3,}ed)\b", re.IGNORECASE)
"""What somebody did, at the beginning of a run."""

FEWEST_WORDS = 4
MOST_LEFT_OUT = 8
"""Words of the longest beginning that is left out: a longer one tells whose words the rest is. Source: ours."""

MOST_ANNOUNCING = 16
"""The same of one that ends with a colon behind "that's how i like it" or "btw". Source: ours."""

ANNOUNCES = re.compile(
    r"\b(?:btw|by the way|how (?:i|we) (?:like|want|do|prefer) (?:it|that|things)|in general|the rule|as a rule|"
    r"from now on|for next time|for the future|(?:commit|push|merge)(?: it| that| this)?,? (?:please|pls))\W*:?\W*$",
    re.IGNORECASE,
)
"""How somebody announces a rule, at the end of what stands before its colon."""

PASSING = re.compile(
    r"\b(?:this time|this once|for once|only now|just now|today|tonight|this morning|this afternoon|right now)\b",
    re.IGNORECASE,
)
"""What holds for now alone."""

MOST_PASSING_WORDS = 4
"""Words of the longest clause of that kind which is passed over: "STK-118 this time". Source: ours."""

MOST_CLAUSES = 10
"""Clauses of the longest sentence that is looked into. Source: ours; a longer one is a list."""


def may_be_cut(sentence: Sentence, vetoes: Set[str], doubts: Set[str]) -> bool:
    """Whether something speaks against one clause of a sentence, and nothing against all of it.

    What asks may only be its last clause.
    """
    spans = clauses(sentence)
    first, last = (sentence.masked[slice(*span)] for span in (spans[0], spans[-1]))
    if "sarcasm" in vetoes and LAUGHS.search(last) and not LAUGHS.search(sentence.masked[: spans[-1][0]]):
        vetoes = vetoes - {"sarcasm"}
    elif not vetoes | doubts:
        return False
    is_governed = (
        (":" in first and IS_TASK.search(first.lower()) is not None)
        or TAKES_BACK.search(sentence.masked)
        or OWN_STEP.match(first)
        or LAUGHS.search(first)
        or of_others(sentence.text)
    )
    if is_governed or not vetoes <= LOCAL_VETOES or not doubts <= LOCAL_DOUBTS:
        return False
    if not vetoes & ASKING:
        return True
    if STANDS_FOR_IT.search(last):
        return False
    return len(spans) > 1 and len(last.split()) >= FEWEST_WORDS and bool(ASKS.match(last)) and not ASKS.match(first)


def runs(sentence: Sentence) -> Iterator[Sentence]:
    """The runs of clauses of a sentence but for the whole of it, the longest first, then the latest."""
    spans = clauses(sentence)
    if not 1 < len(spans) <= MOST_CLAUSES:
        return
    for length in range(len(spans) - 1, 0, -1):
        for first in range(len(spans) - length, -1, -1):
            start, end = spans[first][0], spans[first + length - 1][1]
            masked = sentence.masked[start:end]
            left_out = sentence.masked[:start].split()
            is_announced = ANNOUNCES.search(sentence.masked, 0, start) is not None
            most = MOST_ANNOUNCING if is_announced else MOST_LEFT_OUT
            may_begin = is_announced or not (GOES_ON.match(masked) or ACTS_ON_IT.match(masked))
            is_own = not left_out or (len(left_out) <= most and may_begin)
            if (
                is_own
                and masked.count("(") == masked.count(")")
                and not OWN_STORY.match(masked)
                and not GOES_ON_BEHIND.match(sentence.masked[end:])
                and len(masked.split()) >= FEWEST_WORDS
            ):
                text = sentence.text[start:end]
                yield Sentence(sentence.start + start, sentence.start + end, text, masked, sentence.paragraph)


GOES_ON_BEHIND = re.compile(r"^\s*\([^()]*\)\s+\w")
"""A bracket behind which a clause goes on, so that it does not end before it: "and somebody (not me) once did"."""

CONCLUDES = re.compile(
    r"^[,;]? ?(?:and )?(?:so|therefore|hence|which means)\b.*(?:\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:only|never|always|must|no)\b)|^ ?\((?!.*\b(?:lol|haha|hehe)).*(?:\d|[\w-]/[\w-]|`).*\)\W*$",
    re.IGNORECASE,
)
"""What follows from the clauses before it, with a value, a day or a rule; and what stands in brackets with a value."""


def concludes_behind(sentence: Sentence, run: Sentence) -> bool:
    """Whether a run of clauses leaves out what follows from it: "from now on, so they come on thursdays"."""
    return CONCLUDES.match(sentence.masked[run.end - sentence.start :]) is not None


def without_passing(sentence: Sentence) -> Sentence | None:
    """A sentence with the short clauses blanked that hold for now alone; None where it has none, or nothing else."""
    spans = clauses(sentence)
    passing = [
        span for span in spans[1:]
        if len(sentence.masked[slice(*span)].split()) <= MOST_PASSING_WORDS
        and PASSING.search(sentence.masked[slice(*span)])
    ]  # fmt: skip
    if not passing or len(passing) + 1 >= len(spans):
        return None
    masked = sentence.masked
    for start, end in passing:
        masked = masked[:start] + " " * (end - start) + masked[end:]
    return sentence._replace(masked=masked)


def clauses(sentence: Sentence) -> list[tuple[int, int]]:
    """Where the clauses of a sentence begin and end in it."""
    found, start = [], 0
    for match in BREAK.finditer(sentence.masked):
        found.append((start, match.start()))
        start = match.end()
    found.append((start, len(sentence.masked)))
    return [span for span in found if span[0] < span[1]]
