"""What a text itself says is over: "moved from X to Y", "no longer", "instead of X".

In: a text in lower case. Out: the phrases that it calls gone, and whether it says that something changed at all.
Invariant: pure and bounded; a phrase is a slice of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory_db.text.number_words import in_figures
from memory_db.text.statements import CHANGING, CURLY, READ_CHARACTERS
from memory_db.text.taking_back import INSTEAD

END = (
    r"(?=,|;|:|\(|\.(?:\s|$)|!| because | since | so | after | when | for | in favou?r | this | last | as of |"
    r" and (?:now|we|it|the|use)|$)"
)
CHANGED = (
    r"(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|chang(?:e|ed|ing)|went|going|go|upgrad(?:e|ed|ing)|"
    r"renamed?|convert(?:ed)?|transition(?:ed)?|bump(?:ed)?|downgraded?|raised|lowered|relocated)"
)
OVER = (
    r"(?:gone|removed|dropped|deprecated|retired|dead|obsolete|decommissioned|shut down|replaced|superseded|history|"
    r"abandoned|deleted|phased out|switched off|turned off|no more|finished(?! (?:by|with|in|at|on)\b)|over(?! (?:\d|"
    r"(?:the|a|all|to)\b))|closed)"
)
SUFFERED = "".join(
    rf"(?<!\b{word} )" for word in ("be", "been", "being", "is", "are", "was", "were", "get", "gets", "got")
)
"""Not before what is done to something: of "can be deleted now" the words behind it are not what is over."""

ENDED = (
    rf"(?:{SUFFERED}(?:dropped|removed|retired|ditched|abandoned|stopped|deleted|threw out|scrapped|killed|"
    r"decommissioned|phased out)|got rid of|getting rid of|done with|finished with|dropping)"
)
OF_ITSELF = r"(?:used|needed|necessary|required|supported|maintained|available|valid|in use|exists?|there|around)\b"
"""What follows "no longer" where its subject itself is over."""

LAPSED_WORDS = (
    rf"^(?P<gone>(?:[\w'/.-]+ ){{1,8}}?)no longer\b(?: {OF_ITSELF}|"
    r"(?!(?: (?!(?:because|since|so|after|when|until|as of)\b)[^ ,;:(]+){1,12}?[^\w] ?v?\d)(?P<does>[^,;:(]*))"
)
"""Of "no longer listens on port 8080" only that value is over, so its subject is not taken."""

BEHIND = (
    r"(?:now|here|there|since|because|as|so|and|but|for|in|on|at|to|than|when|if|we|it|they|i|that|this|from|either|"
    r"please|thanks)\b"
)
"""What goes on behind "any more"; any other word is what there is no more of: "no more afternoons"."""

NAMED = r"(?P<gone>(?!(?:it|that|this|them|an?|all|the|those|these)\b)[\w@/.-]*[\w@/-])"
"""One thing by its name, as a tool is called."""

SAID_OF = (
    r"\b(?:forget|scratch|scrap|ignore|disregard) (?:what i (?:said|told you) (?:about|on)|the rule about|that about)"
)
"""How a rule is over that may say what is not to be done: "forget what i said about migrations"."""

GONE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{CHANGED}\b(?: [\w'/.-]+){{0,5}}? (?:away )?from (?P<gone>[^,;]+?) (?:to|onto|over to|towards) ",
        rf"\b{CHANGED} (?:off|away from|off of|out of) (?P<gone>[^,;]+?){END}",
        r"\b(?:replac(?:e|ed|es|ing)|swapp?(?:ed|ing)?|traded) (?P<gone>[^,;]+?) (?:with|by|for) ",
        r"\bin (?:the )?place of (?P<gone>[^,;.]+)",
        r"(?:^|[.,;] ?|\bthe |\bour )(?P<gone>(?:[\w'/.-]+ ){1,6}?)"
        rf"(?:is|are|was|were|has been|have been|got|gets) (?:now )?{OVER}\b",
        r"(?:^|[.,;] ?|\bthe |\bour )(?P<gone>(?:[\w'/.-]+ ){1,6}?)(?:is|are|was|were|has been|have been|got|gets) "
        r"(?:now )?(?:renamed|moved|changed|switched|migrated|converted|bumped|upgraded|lowered|raised) (?:in)?to\b",
        rf"(?<!\ba )(?<!\ban )(?<!\bthe )\b{ENDED}(?: using| the use of)? (?P<gone>[^,;]+?){END}",
        r"\b(?P<gone>[\w./-]+) becomes (?=[\w./-]+(?: |[.,;]|$))",
        rf"\b(?:we|they|i)(?: have|'ve)? (?:left|quit) (?P<gone>[^,;]+?)(?: an? | in |{END})",
        r"\b(?:threw|kicked|took|ripped|pulled) (?P<gone>[^,;.]+?) out\b",
        r"(?:^|[.,;:] ?)(?:(?:ok|okay|so|then|and|but|no|please|let's|we),? )*"
        rf"(?:throw|kick|rip|toss) (?:the )?{NAMED} out\b(?! (?:if|when|of|after|while|with|in|from|before|"
        rf"until|on|as)\b)",
        rf"\bget rid of (?:the )?{NAMED}(?=,| and (?:take|use|go)\b|\.(?:\s|$)|$)",
        r"(?:^|[.,;:] ?)(?:(?:ok|okay|so|then|and|but|no),? )*(?:the |our |that )?(?P<gone>(?:[\w'/.-]+ ){1,4}?)"
        rf"(?:is|are) off{INSTEAD}",
        r"(?:^|[.,;:] ?)(?:(?:ok|okay|so|then|and|but|no),? )*(?:the |our )?(?P<gone>(?:[\w'/.-]+ ){1,4}?)(?:is|are) "
        r"(?:now )?out(?= then\b| now\b| again\b|[.,;!]|$)",
        r"(?:^|[.,;:] ?)(?:(?:ok|okay|so|then|and|but|no|please|let's),? )*"
        rf"(?:drop|ditch|scrap|forget(?: about)?)(?: the| our)? (?P<gone>(?!it\b|that\b|this\b|what\b)[^,;]+?){END}",
        rf"\bstop (?P<gone>\w+ing\b[^,;]*?){END}",
        r"\b(?:no longer|not any longer) (?P<gone>(?:[^;.]|\.(?=\d))+?)(?=,|;|\.(?:\s|$)|$)",
        rf"^(?P<gone>[^.;]+?) (?:any ?more(?! (?!{BEHIND})\w)|any longer)\b",
        rf"\bno more (?P<gone>[^,;]+?){END}",
        rf"\bused to (?:be |have |use |run |live |do )?(?P<gone>[^,;]+?){END}",
        rf"\b(?:instead of|rather than|as opposed to) (?P<gone>[^,;]+?){END}",
        r"\b(?:previously|formerly|until now|originally)[,:]? (?P<gone>[^,;).]+)",
        rf"{SAID_OF} (?P<gone>[^,;.]+)",
        r"\b(?:forget|scratch|scrap|ignore|disregard) (?:the old|about) (?P<gone>[^,;.]+)",
        LAPSED_WORDS,
        r"\b(?:from (?:now|today|here|this \w+|next \w+) on|now|nowadays|these days|as of \w+),? (?:and )?"
        rf"not (?:on |at |in |with |by |to )?(?P<gone>(?!yet\b|only\b|just\b|that\b|sure\b)[^,;]+?){END}",
        rf"\d[^.;]{{0,80}}?[ ,]not (?:at )?(?P<gone>\d+(?:[.,]\d+)*(?: [a-z]{{1,12}})?){END}",
    )
)
"""Ways of saying that something is over; `gone` is what."""

RULED = re.compile(SAID_OF)
"""The way by which what was said of a thing is over, and not the thing."""

LAPSED = re.compile(LAPSED_WORDS)
"""The way by which a thing no longer does something."""

DEED = re.compile(
    r"(?:no longer|not any longer|stop(?:ped)?(?= (?:using )?\w+ing\b)) |"
    r"(?:we|they|i|you|nobody)\b.* any (?:more|longer)\b"
)
"""The ways by which something is no longer done, so that what it was done to may go on."""

ONCE_A_TIME = re.compile(
    r"^ (?:every|each|daily|weekly|nightly|monthly|when|whenever|before|if|on (?:every|each|(?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)days)|automatically)\b"
    r"|^ (?:by|with) [^,;.]{1,40} (?:before|when|whenever|while|during|every|each)\b"
)
"""What follows on "is replaced" and the like where that is done time and again, or as a step."""

UNDER = re.compile(
    r"\b(?:before|when|whenever|if|unless|while|once|until|as soon as)(?: (?:the|an?|its|our|any|every))?$"
)
"""What stands before where it is only said when something else happens."""

OR_ELSE = re.compile(r"^[^,;.]{0,30}? (?:otherwise|or else)\b")
"""What follows where it is only told what would happen: "her trees are gone otherwise"."""

PRESENT = re.compile(r" (?:is|are) (?:now )?\w+(?: \w+)?$")

INTO = r"(?:in|into|on|onto|to|by|with|as|via|through|at|from)"

NOT_THERE = (
    re.compile(
        rf"\bnot (?:[\w'-]+ ){{0,4}}?{INTO} (?:an? |the |our )?(?P<gone>[\w-]+)(?: [^,;.]{{1,60}})? after all\b"
    ),
    re.compile(rf"\bafter all\b[^;.]{{0,120}}?,? (?:and )?not {INTO} (?:an? |the |our )?(?P<gone>[\w-]+){END}"),
    re.compile(rf"\bnot {INTO} (?:an? |the |our )?(?P<gone>[\w-]+),? but {INTO} [^;.]{{1,80}} after all\b"),
)
"""Ways of saying that something does not go where it went: `gone` is where."""

OF = re.compile(rf"{CHANGED}\b|no longer |not any longer ")
"""How a way begins before which stands what it is told of: "sessions moved off Redis"."""

SORT = re.compile(
    r" (?:rule|list|limit|thing|idea|habit|business|convention|requirement|restriction|policy|plan|ban|stuff|part|bit"
    r"|rounding|setting|format)$"
)
"""What sort of thing is over, which whoever tells of it need not say: "forget the two reviewers rule"."""

TURN = re.compile(r"[,;:.]\s| (?:since|because|as|so|and|but|when|that) ")

SENTENCE = re.compile(r"(?<=[.!?;]) +")
SENTENCE_CHARACTERS = 300
"""Of a longer sentence the first words are read, so that no text takes long."""


@dataclass(slots=True, frozen=True)
class Marks:
    """What a text says is over, `of` what where it says so, and whether it says that anything changed.

    `left` is where something no longer goes: of it alone nothing is over, only of what goes there. `does` is what of a
    thing is over, where the thing itself may go on: "the worker no longer polls". `deeds` are those that are only no
    longer done, `ruled` those of which what was said is over, whichever way it was.
    """

    gone: tuple[str, ...]
    left: frozenset[str]
    of: dict[str, str]
    does: dict[str, str]
    deeds: frozenset[str]
    ruled: frozenset[str]
    is_changing: bool


@lru_cache(maxsize=20_000)
def marks(text: str) -> Marks:
    """The marks of a text."""
    plain = in_figures(" ".join(text[:READ_CHARACTERS].translate(CURLY).casefold().replace("`", "").split()))
    parts = [part[:SENTENCE_CHARACTERS] for part in SENTENCE.split(plain)]
    matches = [(match, part) for part in parts for way in GONE for match in way.finditer(part)]
    matches = [(match, part) for match, part in matches if not is_at_times(match, part) and not is_shut(match)]
    found = [thing_of(match) for match, _ in matches]
    found += [phrase.partition(" and ")[0] for phrase in found]
    found += [thing for phrase in found if (thing := SORT.sub("", phrase)) and thing != phrase]
    of = {match["gone"].strip(): TURN.split(part[: match.start()])[-1] for match, part in matches if OF.match(match[0])}
    of |= {phrase.partition(" and ")[0]: subject for phrase, subject in of.items()}
    places = [match["gone"].strip() for part in parts for way in NOT_THERE for match in way.finditer(part)]
    gone = tuple(phrase for phrase in dict.fromkeys([*places, *found]) if is_thing(phrase))
    does = {match["gone"].strip(): match["does"] for match, _ in matches if match.re is LAPSED and match["does"]}
    done = [match["gone"].strip() for match, _ in matches if DEED.match(match[0])]
    deeds = frozenset((*done, *(phrase.partition(" and ")[0] for phrase in done)))
    ruled = frozenset(match["gone"].strip() for match, _ in matches if RULED.match(match[0]))
    return Marks(gone, frozenset(places), of, does, deeds, ruled, CHANGING.search(plain) is not None)


NOT_AT_ALL = re.compile(r"^not (?!all\b|only\b|just\b|every)")
"""What stands before a name where that is said to be over twice: "not Wim any more"."""

OF_ONE = re.compile(r" ?(?:is|was|has been|gets|got)\b")
LONG_CLAUSE = 3
"""Words from which on what stands before "and ... is gone" is a clause of its own. Source: ours."""


def thing_of(match: re.Match[str]) -> str:
    """What a way calls over: of "takes three minutes and your change is gone" the change alone."""
    gone = NOT_AT_ALL.sub("", match["gone"].strip())
    before, _, last = gone.rpartition(" and ")
    is_of_one = OF_ONE.match(match.string, match.end("gone")) or OF_ONE.match(match.string, match.end("gone") - 1)
    return last if is_of_one and len(before.split()) >= LONG_CLAUSE else gone


def is_thing(phrase: str) -> bool:
    """Whether a phrase names something that can be over; "nothing recorded" does not."""
    return bool(phrase) and NOTHING.search(phrase) is None and not is_cut_code(phrase)


NOTHING = re.compile(r"\bnothing \w+$")


SHUT = re.compile(
    r"\b(?:locks?|doors?|gates?|valves?|sockets?|tickets?|issues?|prs?|requests?|files?|connections?|shops?|stores?|"
    r"windows?|tags?|brackets?|sessions?|rides?|orders?|bookings?|accounts?|it|they)$"
)
"""What is closed and is there all the same."""


def is_shut(match: re.Match[str]) -> bool:
    """Whether a way only tells that a thing is closed, as a door is."""
    return match[0].rstrip(" .,;!").endswith("closed") and SHUT.search(match["gone"].strip()) is not None


def is_at_times(match: re.Match[str], part: str) -> bool:
    """Whether a way tells of what is done time and again, or under a condition: "before the comma is replaced"."""
    if PRESENT.search(match[0]) is None:
        return False
    before = part[: match.start("gone")].rstrip()
    return (
        OR_ELSE.search(part[match.end() :]) is not None
        or ONCE_A_TIME.search(part[match.end() :]) is not None
        or UNDER.search(before) is not None
        or UNDER.match(match["gone"].partition(" ")[0]) is not None
    )


def is_cut_code(phrase: str) -> bool:
    """Whether a bracket is opened that is not closed: a piece of code, as of `{ name: "x" }`, which is no thing."""
    return any(phrase.count(opens) > phrase.count(closes) for opens, closes in ("{}", "[]", "()"))
