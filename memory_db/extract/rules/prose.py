"""What one entry's prose says that is worth keeping.

In: the text of a prompt or reply, and whether the agent had just acted. Out:
findings, each with the verbatim span it rests on. Invariant: a finding's
points are the sum of the cues it lists; nothing else decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memory_db.extract.rules.fact_cues import FACT_CUES
from memory_db.extract.rules.language_cues import KNOWN_SENTENCES, Tables, tables_for
from memory_db.extract.rules.negative_cues import AGENT_DOUBTS, DOUBTS, VETOES
from memory_db.extract.rules.patterns import Cue, Cues
from memory_db.extract.rules.politeness import plain
from memory_db.extract.rules.rule_cues import RULE_CUES
from memory_db.text.sentences import Sentence, split

ENGLISH = Tables(Cues(RULE_CUES + FACT_CUES), VETOES, Cues(DOUBTS + AGENT_DOUBTS))

THRESHOLD = {"user": 3, "assistant": 5}
"""Points from which a sentence is proposed. An agent's own words must say more.

Source: `bench/extraction.py` on the labelled sentences.
"""

FEWEST_WORDS = 4
MOST_WORDS = 70
MOST_CHARACTERS = 1_000
"""A longer sentence is a paste: nobody states a rule in it, and patterns would take their time over it."""

READ_CHARACTERS = 100_000
"""How much of one entry is read; who says more is pasting a document."""
OPENER = re.compile(
    r"(?:no|nope|nah|stop|wrong|wait|hey|ugh|careful|actually|remember|reminder|note|rule|important|fyi|psa|"
    r"heads[- ]up|again|sorry|hm+|"
    r"no no|not (?:again|quite|that|there|like that|this)|please|for the record|one (?:more |last )?thing|"
    r"looks good|nice|wrong \w+)\W*"
)
"""A sentence of such words alone is read with the one after it."""

AGENT_KINDS = frozenset({"decision", "fix", "environment", "structure", "quirk", "issue", "failure", "domain"})
"""What an agent may state; preferences and conventions are the user's."""

AGENT_CUES = frozenset(
    {"cause or cure", "we decided", "the decision", "did not work", "odd behaviour", "known trouble", "let's go with",
     "port, host or version", "lives in", "checked", "as agreed", "remember", "chosen over"}
)  # fmt: skip
"""A sentence of an agent needs at least one of these: it describes code all day."""

HOLLOW = frozenset(
    {
        "told before",
        "conduct",
        "imperative",
        "states a fact",
        "every or all",
        "only",
        "our",
        "reason",
        "part of the system",
    }
)
"""Cues that, with no others than those of an objection, leave nothing to keep: "no, that is not what I meant"."""

UNPARTED = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")
"""Writing without spaces between words: Chinese and Japanese."""

WAIVED = frozenset(
    {"about a person", "past ways", "it does this now", "happening", "state of now", "report of a failure",
     "object is a pronoun", "wish for the product"}
)  # fmt: skip
"""Doubts that what surrounds a sentence takes away: it says what the sentence is about, and that it is meant."""

DEFAULT_KIND = "convention"
NO_CUE = "what surrounds it"

CORRECTION_LEAD = 5
"""Points by which a correction is preferred as kind once a cue of one was seen: the act counts more than the topic."""


@dataclass(slots=True, frozen=True)
class ProseFinding:
    """A span of an entry that should be remembered, and why."""

    start: int
    end: int
    quote: str
    kind: str
    rule: str
    points: int
    cues: tuple[str, ...]


def read_prose(text: str, *, role: str, after_action: bool) -> list[ProseFinding]:
    """The findings in one entry's text, in order and without overlap."""
    text = text[:READ_CHARACTERS]
    findings: list[ProseFinding] = []
    sentences = joined(split(text), text)
    tables = tables_of_all(sentences)
    for index, sentence in enumerate(sentences):
        finding = judge(sentence, tables[index], role=role, after_action=after_action)
        if finding is None:
            continue
        if index and LEANS_BACK.search(sentence.masked.lower()):
            finding = with_previous(finding, text, sentences[index - 1], sentence)
        findings.append(extended(finding, text, sentences[index + 1 :]))
    if not findings and (finding := judge_as_one(sentences, text, role=role, after_action=after_action)):
        findings = [finding]
    return without_overlap(findings)


def tables_of_all(sentences: Sequence[Sentence]) -> list[Tables]:
    """For each sentence of a message the cues of its own language, else of the message's, else of English."""
    whole = tables_for(" ".join(sentence.masked for sentence in sentences))
    return [tables_for(sentence.masked, is_sure=whole is None) or whole or ENGLISH for sentence in sentences]


def judge_as_one(sentences: Sequence[Sentence], text: str, *, role: str, after_action: bool) -> ProseFinding | None:
    """The finding in a short message in another language than English, none of whose sentences says enough."""
    masked = " ".join(sentence.masked for sentence in sentences)
    whole = tables_for(masked)
    if whole is None or len(sentences) < 2 or sentences[0].paragraph != sentences[-1].paragraph:
        return None
    first, last = sentences[0], sentences[-1]
    joint = Sentence(first.start, last.end, text[first.start : last.end], masked, first.paragraph)
    return judge(joint, whole, role=role, after_action=after_action)


NAMES_MATTER = re.compile(r"^\W*(?:the|that|this|those|these|our|my)\b[^,;:]*\.\.+$", re.IGNORECASE)
"""How the matter of a question is named before it: "the port of the shop.. which one was it?"."""

MOST_WORDS_OF_MATTER = 14
"""Words of the longest such beginning. Source: ours."""


def opens_question(last: Sentence, sentence: Sentence) -> bool:
    """Whether a sentence only names what the question behind it is about."""
    is_short = len(last.text.split()) <= MOST_WORDS_OF_MATTER
    return is_short and sentence.masked.rstrip().endswith("?") and NAMES_MATTER.match(last.masked) is not None


def joined(sentences: list[Sentence], text: str) -> list[Sentence]:
    """Openers of a few words, and what only names a question's matter, put together with the sentence they open."""
    result: list[Sentence] = []
    for sentence in sentences:
        last = result[-1] if result else None
        is_beside = last is not None and last.paragraph == sentence.paragraph
        is_opener = last is not None and OPENER.fullmatch(last.masked.lower()) is not None
        if last and is_beside and (is_opener or opens_question(last, sentence)):
            said = last.masked.rstrip(".!")
            gap = ("," if is_opener else " ").ljust(sentence.start - last.start - len(said))
            whole = text[last.start : sentence.end]
            result[-1] = Sentence(last.start, sentence.end, whole, said + gap + sentence.masked, sentence.paragraph)
        else:
            result.append(sentence)
    return result


def judge(
    sentence: Sentence, tables: Tables, *, role: str, after_action: bool, bonus: int = 0, fewest: int = FEWEST_WORDS
) -> ProseFinding | None:
    """The finding in one sentence, or None when its points do not reach the threshold.

    `bonus` are points for what surrounds the sentence; with them `kind` may rest on no cue at all.
    """
    masked = spelt_out(sentence.masked)
    words = word_count(masked)
    if not fewest <= words <= MOST_WORDS or len(masked) > MOST_CHARACTERS:
        return None
    found = list(matching(tables.cues, masked, role, after_action))
    if sum(cue.points for cue in found) + bonus < THRESHOLD[role] or (not bonus and is_hollow(found, role)):
        return None
    if any(matching(tables.vetoes, masked, role, after_action)):
        return None
    against = list(matching(tables.doubts, masked, role, after_action))
    if bonus:
        against = [cue for cue in against if cue.name not in WAIVED]
    points = bonus + sum(cue.points for cue in found) + sum(cue.points for cue in against)
    if points < THRESHOLD[role]:
        return None
    kind, rule = kind_of(found)
    if kind in OF_THINGS and FORBIDS.match(masked):
        kind = DEFAULT_KIND
    if role == "assistant" and kind not in AGENT_KINDS:
        return None
    names = tuple(cue.name for cue in (*found, *against))
    return ProseFinding(sentence.start, sentence.end, sentence.text, kind, rule, points, names)


OF_THINGS = ("structure", "environment", "domain")
"""Kinds of how things are."""

FORBIDS = re.compile(
    r"^\W*(?:(?:please|pls|and|so|but|oh|ok|no|nope|stop|also)\W+)*(?:hands off|"
    r"(?:keep|stay) (?:off|out of|away from|your hands off)|(?:don't|do not|never) (?:ever )?"
    r"(?:touch|change|edit|delete|remove|rename|restart|stop|move|open|write|put|run|use|push|commit|deploy|merge"
    r"|go near|go into)|leave [\w`./-]+(?: [\w`./-]+){0,2} alone)\b"
)
"""How a sentence begins that forbids something: whatever else it tells of a thing, it is a rule."""


def word_count(masked: str) -> int:
    """How many words a sentence has; where none are parted, two characters count as one."""
    return len(UNPARTED.sub(" ", masked).split()) + len("".join(UNPARTED.findall(masked))) // 2


def is_hollow(found: list[Cue], role: str) -> bool:
    """Whether a sentence only objects, or is an agent's without a cue that an agent's needs."""
    if role == "assistant":
        return not any(cue.name in AGENT_CUES for cue in found)
    objects = any(cue.after_action or cue.name == "told before" for cue in found)
    return objects and all(cue.after_action or cue.name in HOLLOW for cue in found)


@lru_cache(maxsize=KNOWN_SENTENCES)
def spelt_out(masked: str) -> str:
    """A masked sentence as cues expect it: lower case, single spaces, no polite words, all apostrophes."""
    words = " ".join(masked.lower().replace("\x00", " ").split())
    if not SPELLING.keys().isdisjoint(WORDS.findall(words)):
        words = UNMARKED.sub(lambda match: SPELLING[match[0]], words)
    return plain(re.sub(r"\bid (?=prefer|rather)", "i'd ", words))


MARKED = [
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "aren't",
    "wasn't",
    "can't",
    "won't",
    "shouldn't",
    "couldn't",
    "wouldn't",
    "hasn't",
    "haven't",
    "mustn't",
    "i'm",
    "i've",
    "that's",
    "there's",
    "what's",
    "let's",
    "you're",
    "they're",
    "we've",
    "you've",
    "who's",
    "where's",
    "when's",
    "how's",
    "why's",
]
SPELLING = {word.replace("'", ""): word for word in MARKED} | {
    "pls": "please", "plz": "please", "u": "you", "dunno": "don't know", "gotta": "have to",
}  # fmt: skip
WORDS = re.compile(r"[\w']+")
UNMARKED = re.compile(r"(?<![\w'-])(?:" + "|".join(SPELLING) + r")(?![\w'])")
"""Words of SPELLING as they are typed in a hurry."""


def matching(cues: Cues, masked: str, role: str, after_action: bool) -> Iterable[Cue]:
    """The cues that a sentence shows."""
    possible = cues.sieve.possible(masked)
    while possible:
        lowest = possible & -possible
        possible ^= lowest
        cue = cues[lowest.bit_length() - 1]
        if role[0] in cue.roles and (after_action or not cue.after_action) and cue.pattern.search(masked):
            yield cue


def kind_of(found: list[Cue]) -> tuple[str, str]:
    """The kind with the most points, and the strongest cue that speaks for it; the default where there is none."""
    if not found:
        return DEFAULT_KIND, NO_CUE
    votes: dict[str, int] = {}
    for cue in found:
        if cue.kind:
            votes[cue.kind] = votes.get(cue.kind, 0) + cue.votes
    if "correction" in votes:
        votes["correction"] += CORRECTION_LEAD
    if not any(votes.values()):
        strongest = max(found, key=lambda cue: cue.points)
        return strongest.kind or DEFAULT_KIND, strongest.name
    kind = max(votes, key=lambda name: votes[name])
    return kind, max((cue for cue in found if cue.kind == kind), key=lambda cue: (cue.votes, cue.points)).name


CONTINUES = (
    "it ", "it's ", "that ", "that's ", "this ", "they ", "otherwise", "because", "so ", "or else", "reason:",
    "reason is ", "reasons:", "the reason", "them ", "those ", "these ", "which ",
)  # fmt: skip
"""How a sentence begins that leans on the one before it."""


LEANS_BACK = re.compile(
    r"^(?:it|it's|that|that's|this|they|they're|those|these|both|neither|(?:resolved|fixed|solved|caused|cured) by)\b|"
    r"\b(?:fix(?:es|ed)|solve[sd]|cure[sd]|"
    r"resolve[sd]|did|helped|caused) (?:it|that|this)\b|\bthan (?:that|this|those)\b"
)
"""A sentence that cannot be understood without the one before it."""


def with_previous(finding: ProseFinding, text: str, previous: Sentence, sentence: Sentence) -> ProseFinding:
    """The finding with the sentence before it, where both stand in one paragraph."""
    if previous.paragraph != sentence.paragraph or previous.masked.rstrip().endswith("?"):
        return finding
    return replace(finding, start=previous.start, quote=text[previous.start : finding.end])


def extended(finding: ProseFinding, text: str, following: list[Sentence]) -> ProseFinding:
    """The finding with the next sentence, where that one only goes on with it."""
    if not following:
        return finding
    after = following[0]
    lower = after.masked.lower().lstrip("\"'(")
    leans = lower.startswith(CONTINUES) and not lower.rstrip().endswith("?")
    if not leans or text[finding.end : after.start].count("\n") > 0 or len(after.masked.split()) > MOST_WORDS:
        return finding
    return replace(finding, end=after.end, quote=text[finding.start : after.end])


def without_overlap(findings: list[ProseFinding]) -> list[ProseFinding]:
    """Findings whose sentence is already part of the one before are left out."""
    kept: list[ProseFinding] = []
    for finding in findings:
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
    return kept
