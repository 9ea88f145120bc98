"""Who has a duty or a say, and whether it is somebody else by now: "petra approves them until omar is back".

In: two texts of one place. Out: the duty and who has it by the later text, in a few words; '' where nothing says so.
Invariant: pure, and linear in the length of the texts; that somebody has a duty takes none from another one unless the
text says that this is so by now, or for a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memory_db.text.attribute_values import TELLS_NO_CHANGE, settings_of
from memory_db.text.changed_attributes import qualified_otherwise
from memory_db.text.opposites import GROUP_OF
from memory_db.text.places import PLACES
from memory_db.text.statements import KNOWN_TEXTS, NEGATIVE, WEAK, answered, stem
from memory_db.text.topics import LETTER, WORD, flat, stems_of

NAME = rf"(?P<who>{LETTER}(?:{LETTER}|-){{1,19}})"

DONE = (
    r"(?:decided|set|approved|reviewed|signed|owned|handled|managed|maintained|done|made|checked|written|ordered|"
    r"planned|merged|released|deployed|picked|chosen|confirmed|signed off|looked after|taken care of)"
)
DOES = (
    r"(?:decides|approves|reviews|signs(?: off)?|owns|handles|manages|maintains|sets|looks after|takes care of|"
    r"uploads|merges|releases|deploys|picks|chooses|confirms|orders|plans|checks|does|keeps|"
    r"is (?:now )?(?:responsible|in charge)|has the (?:say|last word)|says (?:\w+ ){0,4}?(?:what|which|when|who|how))"
)
SAY = r"(?:call|decision|job|business|duty|turf|department|responsibility)"
MYSELF = r"(?:myself|by hand|on my own|by myself)"
YOURSELF = r"(?:(?<!for )(?<!to )yourself|by yourself|on your own)"

HAS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:is|are|get|gets) (?:now |all |only )*{DONE} (?:only |alone )?by {NAME}\b",
        rf"(?<!\bthe )(?<!\ba )(?<!\bour )(?<!\bthis )(?<!\bthat )(?<!\beach )(?<!\bevery )\b{NAME}"
        rf"(?: now| alone| only| also)? {DOES}\b",
        rf"\b{NAME}(?:'s|s) (?:own )?{SAY}\b",
        rf"\b(?:is|are) (?:all |now )*{NAME}'s(?= (?:alone|only|now|from|until|till|as of|again|for the time|these)\b"
        r"|[.,;:!]|$)",
        rf"\bis (?P<who>{LETTER}{{3,18}})s (?=from now on\b|from \w+ on\b|these days\b|for the time being\b)",
        rf"\b(?:go|goes|come|comes) (?:all |now )*(?:past|through|over|to|via) {NAME}\b",
        rf"\b(?:asks?|ping|check with) {NAME}(?= (?:if|when|before|about|for|first|on|in|now|from)\b|[.,;!:]|$)",
        rf"\b(?:nobody|no one) (?:but|except|other than) {NAME}\b",
        rf"\b{NAME},? and (?:by )?nobody else\b",
        rf"\b(?:belongs? to|(?:is|are|lies?|stays?) with|(?:is|are) up to|in the hands of) {NAME}\b",
    )
)
"""How a clause says who has a duty or a say."""

APPOSED = re.compile(rf"(?<={LETTER}), [^.,;:!?]{{2,30}}, (?:(?:she|he) )?(?={DOES}\b)")
"""What stands between a name and what its bearer does: "ada, from sales, approves ..."."""

FOR_WHOM = re.compile(
    rf"\W*(?:(?:no|nope|not any ?more|yes|ah|oh)\W+)*(?:(?:it's |that's )?(?:for|to|by|with|ask) {NAME}"
    rf"(?=(?: (?:now|these days|from now on|by now|instead))?[.,;:!]))"
)
"""How an answer begins that names somebody else than the question does: "for ada. all that is hers now"."""

POINTS_BACK = re.compile(r"\b(?:it|them|that|those|this|these)[.!]?$")
"""How a sentence ends that says of what stands before it who does it."""

MINE = re.compile(
    rf"\b(?:is|are|stays?) (?:all |now )*(?:mine|my {SAY}|for me(?: only)?|up to me|with me)\b"
    r"|\bleave \b[^.;!?]{1,60} (?:to|for) me\b"
    r"|\bi (?:do|run|make|write|handle|bump|apply|cut|start|edit|set|send|upload|prepare)\b"
    rf"[^.;!?,]{{1,60}} {MYSELF}\b"
)
"""How somebody keeps a duty for themselves."""

YOURS = re.compile(
    rf"\b(?:is|are) (?:all |now )*(?:yours|your {SAY}|up to you)\b|\bleave \b[^.;!?]{{1,60}} to you\b"
    rf"|\b(?:you|do|run|make|write|handle|bump|apply|cut|start|edit|set|send|upload|prepare|migrate|push|commit)\b"
    rf"[^.;!?,]{{0,80}} {YOURSELF}\b"
)
"""How a duty is left to the agent."""

OWNERS = (("the user", MINE), ("the agent", YOURS))

BY_NOW = re.compile(
    r"\bnow\b|\bfrom \w+(?: \w+)? on\b|\bas of \w|\bthese days\b|\bnowadays\b|\bhenceforth\b|\b(?:un)?til\b|\btill\b"
    r"|\bas long as\b|\bfor the time being\b|\bin (?:that|the mean) ?time\b|\bmeanwhile\b|\binstead\b|\bany ?more\b"
    r"|\bno longer\b|\bin future\b|\bgoing forward\b|\bfrom (?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december|monday|tomorrow|next)\b"
)
"""How a text says that it is so by now, or for a time."""

NO_NAMES = (
    WEAK
    | GROUP_OF.keys()
    | PLACES.keys()
    | frozenset(
        "prod production staging stage live dev test main master end next version customer customers user users "
        "everybody everyone anybody somebody someone nobody nothing something everything anything sleep bed hell waste "
        "hand default mistake accident design law far name date id mail email post phone day night week month hour "
        "both either each all one two three me you us him her them it itself himself herself myself yourself mine "
        "yours agent agents it's that's which what who whoever only also always never usually still disk file files "
        "script scripts server servers page pages cell cells row rows column columns line lines field fields value "
        "values test tests build builds job jobs there then this that these those".split()
    )
)
"""Words that are nobody's name. Source: ours."""

FILLERS = frozenset(
    map(
        stem,
        "call job business duty turf department look after take takes care responsible charge say says set sets decide "
        "decides decision question questions ask ping nobody else yourself myself mine hand own run runs start send "
        "let leave time change changes everything anything thing things person people until done already again back "
        "every touch keep keeps does henceforth past through over".split(),
    )
)
"""Words that tell nothing of which duty it is."""

OF_DUTIES = FILLERS | frozenset(
    map(
        stem,
        "approve approves approval review reviews reviewed sign signs signed handle handles manage manages maintain "
        "maintains upload uploads merge merges release releases deploy deploys pick picks choose chooses confirm "
        "confirms order orders check checks bump write writes edit apply prepare".split(),
    )
)
"""Words that are said of many duties, and tell which it is where a text says no more of it."""

ACTS = {
    stem(word): act
    for act, words in (
        ("migrat", "alembic flyway liquibase migration migrate"), ("push", "push"), ("bump", "bump"),
        ("commit", "commit"),
    )
    for word in words.split()
}  # fmt: skip
"""What is done to a repository or a database, by the stems of its words and of the tools for it. Source: ours."""

NONE: frozenset[str] = frozenset()

FEWEST_SHARED = 2
"""Words that two duties share, of which one alone may be of many. Source: ours."""

REASON = re.compile(r"\b(?:because|so that|now that|due to)\b[^,;.]*")
"""Why somebody has a duty by now, which is not what the duty is."""

SENTENCE = re.compile(r"(?<=[.;!?]) |, (?:and|so|but) ")

NAMED = re.compile(r"[\w-]+")
"""A word that may be a name."""


@dataclass(slots=True, frozen=True)
class Duty:
    """Who has what: the stems of the sentence that says so, and the sentence."""

    who: str
    what: frozenset[str]
    said: str


def duty_moved(later: str, earlier: str) -> str:
    """The duty that the earlier text says somebody has, and who has it by the later one; '' where it says nothing."""
    moved, instead = moved_in(later), named_instead(later)
    before = duties(answered(earlier)[1]) if moved or instead else ()
    if not before:
        return ""
    asked, other = instead or (NONE, "")
    for old in before:
        if old.who in asked and old.who != other and len(old.what) > 1:
            return with_whom(as_said(old.what - FILLERS, old.said), other)
    known = frozenset(NAMED.findall(flat(answered(earlier)[1]))) | {each.who for each in before}
    for now in moved:
        for old in before if now.who not in known else ():
            if shared := of_one(now, old):
                return with_whom(as_said(shared, old.said), now.who)
    return ""


def named_instead(later: str) -> tuple[frozenset[str], str] | None:
    """The words of a question, of which one may be a name, and who its answer names first."""
    asked, said = answered(later)
    match = FOR_WHOM.match(flat(said)) if asked else None
    return None if match is None or match["who"] in NO_NAMES else (frozenset(NAMED.findall(flat(asked))), match["who"])


def with_whom(things: Sequence[str], who: str) -> str:
    """Who has some things by now, in words."""
    return f"{', '.join(things)} {'is' if len(things) == 1 else 'are'} with {who} by now"


@lru_cache(maxsize=KNOWN_TEXTS)
def moved_in(text: str) -> tuple[Duty, ...]:
    """Who has what by now, by a text that is no question and no thought."""
    said = answered(text)[1]
    found = tuple(each for each in duties(said) if BY_NOW.search(each.said))
    return () if found and TELLS_NO_CHANGE.search(flat(said)) else found


def tells_duty(text: str) -> bool:
    """Whether a text says who has a duty by now."""
    return bool(moved_in(text))


@lru_cache(maxsize=KNOWN_TEXTS)
def duties(text: str) -> tuple[Duty, ...]:
    """Who has what, by a text."""
    sentences = ["", *SENTENCE.split(flat(text))]
    return tuple(each for before, said in pairwise(sentences) for each in duties_of(said, before))


def duties_of(sentence: str, before: str = "") -> Iterator[Duty]:
    """Who has what, by one sentence on one line in lower case; `before` is the one that it may point back to."""
    sentence = APPOSED.sub(" ", sentence)
    acts = frozenset(ACTS[known] for word in WORD.findall(sentence) if (known := stem(word)) in ACTS)
    told = f"{before} {sentence}" if POINTS_BACK.search(sentence) else sentence
    words = (stems_of(BY_NOW.sub(" ", REASON.sub(" ", told))) - ACTS.keys()) | acts
    for way in HAS:
        for match in way.finditer(sentence):
            who = match["who"]
            if who not in NO_NAMES and not is_denied(sentence[: match.start()]):
                yield Duty(who, words - stems_of(who), sentence)
    for who, way in OWNERS:
        kept = way.search(sentence)
        if kept is not None and not is_denied(sentence[: kept.end()]):
            yield Duty(who, words, sentence)


def is_denied(before: str) -> bool:
    """Whether the words before who has something say that they have it not."""
    last = re.split(r"[,:]", before)[-1]
    return not NEGATIVE.isdisjoint(re.findall(r"[\w']+", last))


def of_one(now: Duty, old: Duty) -> frozenset[str]:
    """The stems by which two duties are one; none where they are not.

    One word alone makes them one only where one of them says no more, and where it stands behind no other word.
    """
    mine, theirs = now.what - stems_of(old.who), old.what - stems_of(now.who)
    shared = (mine & theirs) - FILLERS
    telling = shared - OF_DUTIES
    others, known = mine - OF_DUTIES - telling, theirs - OF_DUTIES - telling
    if not shared or (not telling and others and known) or (len(telling) == 1 and others and known):
        return NONE
    new, was = settings_of(now.said), settings_of(old.said)
    if len(telling) < FEWEST_SHARED and qualified_otherwise(new, was, telling & new.subject & was.subject):
        return NONE
    return telling or shared


def as_said(stems: frozenset[str], text: str) -> list[str]:
    """The words of a text that have some stems, each once."""
    found: dict[str, str] = {}
    for word in WORD.findall(text):
        known = ACTS.get(stem(word), stem(word))
        if known in stems:
            found.setdefault(known, word)
    return list(found.values())[:3] or sorted(stems)
