"""Whether words only go with what is handed over or wanted once: a log, an approval, a measurement, a feature to build.

In: an exchange and the words that are quoted of it. Out: yes or no. Invariants: pure; an order that lasts ("so never
...") and words that hold for more than this once keep a quote from it.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.carried_out import HOLDS
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.patterns import LEAD
from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.surroundings import brought_in, is_taken_up
from memory_db.extract.rules.values_made import edits_made
from memory_db.text.sentences import split

MATERIAL = (
    r"(?:logs?|output|trace(?:back)?|stack ?trace|errors?|e-?mails?|mails?|thread|messages?|screenshots?|dump|diff|"
    r"snippet|report|ticket|reply|answer|text|paragraph|transcript|csv)"
)

HANDS_OVER = re.compile(
    LEAD
    + r"(?:i(?:'m| am|'ll| will|'ve| have)? (?:just |now )*(?:past(?:e|ed|ing)|attach(?:ed|ing)?|cop(?:y|ied|ying)|"
    r"dump(?:ed|ing)?|send|sent|sending|forward(?:ed|ing)?|put|share|shared|sharing) |(?:sending|pasting|attaching|"
    r"forwarding) |(?:here|below|attached)(?: is| are|'s) )"
    rf"(?:(?:you|it|below|here|in) )*(?:the|a|an|my|our|his|her|their|part of the|half of the) (?:[\w-]+ )?{MATERIAL}\b"
)
"""How somebody hands something over: "i paste you the log of the last try", "below is the whole trace"."""

JUDGES_IT = re.compile(
    LEAD + r"(?:drop it,? )?(?:(?:about |the )?(?:other |first |second )?half|most|much|all|some|none|a lot|part) of "
    r"(?:it|that|this|these|those|them) (?:is|are|was|were|looks?|sounds?|reads?) (?:[\w']+ ){0,2}?(?:wrong|outdated|"
    r"nonsense|stale|rubbish|garbage|noise|correct|true|invented|dreaming|dead)\b"
)
"""What is thought of what was handed over: "half of it is wrong and the other half is outdated"."""

ORDERS_ON = re.compile(
    r"(?:^|[.;:!] |, |\b(?:so|and|but|please) )(?:never|always|don't|do not|only|no \w+s)\b(?! \w+ing\b)|"
    r"\b(?:from now on|in future|whenever|every time|each time)\b"
)
"""An order that outlasts what is handed over."""

JUST_ONE = re.compile(
    LEAD
    + r"(?:just|only) (?:an?|the|one|two|some) [\w -]{2,30}?\W+(?:and |but )?i don't (?:want|need) (?:an?|any|the)\b"
)
"""Little that is wanted once: "just a number, i don't want a page for it"."""

NOT_TO_STAY = re.compile(
    LEAD + r"(?:put|add|set|write|make|leave|print|hack|stub|insert|comment|disable|turn|switch|log|throw) .*\b"
    r"(?:don't|do not|never) (?:commit|push|check in|merge|stage|ship|deploy) (?:it|that|this|them|those)\W*$"
)
"""What is made for the moment alone: "put a print there so i see it, don't commit that"."""

IS_LEAVE = re.compile(
    LEAD + r"(?:(?:the|our|my|her|his) )?[\w-]+(?: [\w-]+)? (?:(?:said|says|say) (?:yes|ok|okay|go|fine)\b|"
    r"(?:gave|have given|has given) (?:us |me )?(?:their|his|her|its|the|an?) (?:ok|okay|go|go-ahead|green light|"
    r"approval|consent)\b|"
    r"(?:has |have )?(?:approved|okayed|signed off)\b)[^.;!?]*"
    r"\b.*\b(?:prepare|open|make|start|create|order|book|send|raise|merge|file|do) (?:the|an?|it|that)\b",
    re.DOTALL,
)
"""Leave that somebody gave for one thing, and what to do with it."""

MEASURED = re.compile(LEAD + r"(?:in|on) (?:production|prod|staging|pre|dev|test) it (?:was|is) [~<>]?\d")
"""What was measured of something that stands elsewhere: "in production it was 0.21 in august"."""

LOOKS = re.compile(
    r"\bi (?:want|wanted|need|would like) that you (?:look|check|see|tell|find|read|try|test|verify|compare|explain|"
    r"search)\b"
)
"""What somebody wants looked at, as speakers of other languages say it."""

NEEDS = re.compile(LEAD + r"(?:the |our |all )?(?:[\w./-]+ ){1,3}?(?:needs?|gets?) (?:(?:an?|another|one) |(?=`))")
"""What a part of the work is to have from now on: "the list needs a second page"."""


SHOWN_WITHIN = 12
"""Characters behind a colon within which something is shown. Source: ours; a line break and what is blanked."""


def is_wanted_once(exchange: Exchange, quote: str) -> bool:
    """Whether words only go with what is handed over, or wanted once."""
    lower = spelt_out(quote)
    if ORDERS_ON.search(lower) is None and (HANDS_OVER.match(lower) or JUDGES_IT.match(lower)):
        return True
    if NOT_TO_STAY.match(lower) and HOLDS.search(lower.rpartition(",")[0]) is None:
        return True
    if HOLDS.search(lower) is not None:
        return False
    return any(each.match(lower) for each in (JUST_ONE, IS_LEAVE, MEASURED)) or (
        LOOKS.search(lower) is not None or is_built_in(exchange, lower)
    )


def is_built_in(exchange: Exchange, lower: str) -> bool:
    """Whether words say what something needs or gets, and the edit that followed brought just that in."""
    needs = NEEDS.match(lower)
    if needs is None or is_taken_up(exchange, lower):
        return False
    wanted = re.findall(r"\w{4,}", "".join(each.text for each in split(lower[needs.end() :])[:1]))
    brought = " ".join(brought_in(action) for action in edits_made(exchange)).lower()
    return any(word in brought for word in wanted)


def is_shown_next(prose: str, end: int) -> bool:
    """Whether words only announce what is shown right behind them: "the report falls over:" before its trace."""
    behind = prose[end - 1 :].lstrip(" ")
    return behind.startswith(":") and "\x00" in behind[:SHOWN_WITHIN] and not behind[1:SHOWN_WITHIN].strip("\x00\n ")
