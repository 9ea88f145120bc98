"""What a short text sets, and of what: a port, a version, a tool, a schedule, a limit, a name, a place, on or off.

In: a text. Out: `Settings`: values by their sort, the words that say of what, and whether it tells of a change.
Invariant: pure (no database, clock or chance), never raises, and linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory_db.text.number_words import in_figures
from memory_db.text.open_values import without_open
from memory_db.text.opposites import GROUP_OF, SAME
from memory_db.text.places import PLACES
from memory_db.text.statements import (
    CHANGING,
    CURLY,
    KNOWN_TEXTS,
    MOMENT,
    READ_CHARACTERS,
    TOKEN,
    WEAK,
    answered,
    own_words,
    stem,
)

UNITS = {
    "ms": "duration", "s": "duration", "sec": "duration", "second": "duration", "min": "duration",
    "minute": "duration", "h": "duration", "hour": "duration", "day": "duration", "week": "duration",
    "month": "duration", "year": "duration", "kb": "size", "mb": "size", "gb": "size", "tb": "size", "k": "count",
    "gi": "size", "mi": "size", "gib": "size", "mib": "size",
    "m": "count", "%": "share", "percent": "share",
}  # fmt: skip
"""Sorts of values by their unit in the singular; another unit is a sort by itself, as are threads."""

SPELT_OUT = {"s": "second", "sec": "second", "min": "minute", "h": "hour"}
"""Units of one name: 40 min are 40 minutes."""

SCHEDULE = re.compile(
    r"\bevery (?P<count>\d+|two|three|four|five|six|eight|ten|twelve|other|second)? ?"
    r"(?P<span>sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|nights?|weeks?|months?|quarters?|years?|mornings?|evenings?)\b"
    r"|\b(?P<often>hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|fortnightly|biweekly)\b"
    r"|\bonce (?:an?|per) (?P<once>hour|day|night|week|month|quarter|year)\b"
)
OFTEN = {"hour": "hourly", "day": "daily", "night": "daily", "nightly": "daily", "morning": "daily",
         "evening": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly", "year": "yearly",
         "annually": "yearly", "biweekly": "fortnightly"}  # fmt: skip

A_SPAN = re.compile(
    r"(?<!once )(?<!per )\b(?P<one>(?:make it|for|after|last|lasts|within|of|to|is|are) )an? "
    r"(?P<unit>second|minute|hour|day|week|month|year)\b"
    r"|(?<!once )(?<!twice )(?<!times )(?<!per )\ban? (?P<before>minute|hour|day|week|month|year) "
    r"(?:before|ahead|in advance)\b"
)
"""One of a unit, written out: "sessions last an hour", "a week before the sale"."""

CLOCK = re.compile(
    r"\b(?:at|from|until) (?P<hour>[01]?\d|2[0-4])"
    r"(?= ?(?:$|[.,;](?!\d)|now\b|utc\b|from now|o'clock|every|each|in the))"
)
"""An hour of the day without minutes."""

NAME = re.compile(r"(?<![\w#])#[a-z][\w-]*|\b(?:eu|us|ap|sa|ca|af|me)-(?:north|south|east|west|central)\w*(?:-\d)?\b"
                  r"|(?<![\w.-])[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){1,8}\.[a-z]{2,24}\b"
                  r"|(?<![\w.@-])[a-z0-9][\w-]{1,62}\.(?:com|net|org|eu|example|local|internal|lan)\b(?![\w.(-])"
                  r"|(?<![\w.-])[\w.-]{1,64}@[\w-]{1,63}\.[\w.-]{1,120}\w\b")  # fmt: skip
"""A channel, a region, a host, an address; none begins within another, so that long runs are read once."""

PAGE = re.compile(rf"(?P<name>{NAME.pattern})(?P<port>:\d{{2,5}}\b)?(?P<page>/[\w./%~-]*\w)?")
"""A name with what stands behind it in an address, of which the path is no path of a file."""

RENAMED_SORT = (("#", "channel"), ("@", "address"))

MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
DAY_OF_MONTH = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?= (?:of )?{MONTHS}\b)|(?<=\b){MONTHS} \d{{1,2}}(?:st|nd|rd|th)?\b"
)
"""A day by its month, whose number counts nothing."""

OFF = re.compile(
    r"(?<!kick )(?<!kicks )(?<!kicked )(?<!sign )(?<!log )(?<!fall )(?<!falls )(?<!fell )(?<!take )(?<!takes )"
    r"(?<!took )(?<!taken )(?<!went )(?<!go )(?<!goes )(?<!gone )(?<!going )"
    r"(?<!cut )(?<!cuts )(?<!i am )(?<!i'm )(?<!im )(?<!he's )(?<!she's )(?<!we're )(?<!they're )"
    r"\b(?:off|disabled?|disables|disabling|deactivated?)\b(?! the (?:main|master|develop)|-"
    r"| to\b| of\b| sick\b| by (?:an?|one|two|three|\d)| for (?:(?:an?|the|one|two|three|\d+) (?:day|week|month)s?\b))"
    r"|\bno (?:longer|more) (?:on|enabled|active)\b|\bnot (?:on|enabled)\b"
)
ON = re.compile(
    r"\b(?:enabled?|enables|enabling|activated?|(?:back|again|stays?|stay|keep \w+|leave \w+|is|are|be|turn\w*"
    r"|switch\w*) (?:\w+ ){0,3}?(?<!going )(?<!so )(?<!later )(?<!early )(?<!work )(?<!working )(?<!depends )"
    r"(?<!relies )(?<!based )on)\b(?= ?(?:$|[.,;:!]|again|for|in|by|now|from now|everywhere|here|until|while))"
)
FROM_ON = re.compile(r" ?\b(?:from|starting) (?:[\w-]+ ){1,3}?on\b")
"""From when something holds, which switches nothing on."""


PAST_VALUE = re.compile(
    r"\bno longer (?:[a-z'-]+ ){1,5}?(?P<lapsed>v?\d[\w.:]*\b(?: (?:seconds?|minutes?|hours?|days?|weeks?|months?))?)"
    r"|(?:n't|\bnot) (?:[a-z'-]+ ){1,5}?(?P<ended>v?\d[\w.:]*\b(?: [a-z]+)?)(?= any ?(?:more|longer)\b)"
    r"|\b(?:instead of|rather than|not|from(?=[^,;.]{1,30} to )|no longer|used to (?:be|have|use)|previously"
    r"|formerly|was|were|had been|"
    r"in place of|moved off|off of|away from|dropped?|drops|killed?|replaced?|replaces) "
    r"(?:the |our |on |at |in |with )?"
    r"(?P<gone>(?!now\b)[\w#@./:-]+(?: (?:ms|s|sec|seconds?|min|minutes?|hours?|days?|weeks?|months?|mb|gb|kb))?)"
    r"|(?<![\w#@./:-])(?P<left>[\w#@./:]{1,120})(?= (?:->|→|=>) )"
    r"|(?<![\w#@./:-])"
    r"(?P<before>[\w#@./:-]{1,120}(?: (?:ms|s|seconds?|minutes?|hours?|days?|weeks?|months?|mb|gb|kb))?) "
    r"(?:was|were|had been|is too|are too|choked|broke|killed|kept failing"
    r"|did not|didn't|doesn't(?! (?:[a-z'-]+ ){1,5}?v?\d[^,;]{0,20} any ?(?:more|longer)\b)|is gone|is dead"
    r"|(?:\w{2,}ed|lost|cost|cut|ate|hid|left|made|took) (?:us|them|me|it|the|our|my|half|everybody|people)"
    r"|clash(?:ed|es)? with|clashed|collid(?:ed|es?) with|got in the way)\b"
)
"""A value that the text itself calls over or unfit."""

COUNTED = re.compile(r"(?<![\w.:/-])(?P<number>\d{1,6}) (?:[a-z]{3,12} )?(?P<noun>[a-z]{3,20}(?<!s)s)\b")
"""A bare number, and the plural of what it counts."""

DECIMAL = re.compile(
    rf"(?<![\w.])(?P<number>\d{{1,6}}\.\d{{1,4}}) ?(?P<unit>{'|'.join(sorted(UNITS, key=len, reverse=True))})s?\b"
)
"""A number with a decimal point and a unit, which is no version."""

RATE = re.compile(
    r"(?<![\w.:/-])(?P<number>\d{1,6}) ?(?:[a-z]{3,12} )?(?:an?|per|/) ?"
    r"(?P<unit>second|minute|hour|day|night|week|month|year)\b"
)
"""How much there is of something in a time: "120 a minute", "30 requests per hour"."""

CODE = re.compile(r"(?<![\w./#-])(?P<kind>[a-z]{1,6})-\d{2,6}\b(?!\.?[\w/-])")
"""What a number with letters before it names: a cost centre, a room, a form."""

REASON = re.compile(r",? \b(?:because|as (?:the|we|it|they)|since (?:the|we|it|they) (?!move\b))\b")
"""Where the reason of a change begins, whose values are not what is set."""

CONCLUDES = re.compile(
    r"(?:[.,;]? (?:and )?so,?|[.,;] (?:hence|therefore|consequently),?) "
    r"(?=(?:it's|it is|that's|from now on|let's|make (?:it|that|this)|we'll|we (?:now|go|use"
    r"|have|keep|take|want)|i want|i'd like|please)\b)"
)
"""Where a text comes to what it sets."""

TOLD_OF = re.compile(
    r"\b(?:we|i|they|it|he|she|the (?:\w+ )?\w+) (?:has |have )?(?:\w{2,}ed|ran|had|took|saw|got|came|went"
    r"|gone|lost|broke|kept)\b"
)
"""What happened, and where it leads: "we watched ten minutes and the leak showed after 20. so it's half an hour"."""

ANAPHORIC = re.compile(
    r"\b(?:that|it|this|those|they) (?:has |have |had )?(?:all )?(?:changed|moved)\b|\b(?:new|old) (?:one"
    r"|address|host|url|"
    r"account|bucket|server|domain|channel|number|place)\b"
    r"|\b(?:that|it|this)(?:'s|s| is) (?:stale|outdated|out of date|obsolete)\b"
    r"|^\W*(?:ok |so |well |btw )*(?:it's |i'm on |we're on )?[\w.-]+ "
    r"(?:now|then|instead|these days|it is)\b"
)
"""Words on a change of what was spoken of before: "that changed", "new address", "zsh now"."""

STATE = re.compile(r"\b(?:is|are|was|were|be|being|stays?|been) (?:switched|turned) (?:on|off)\b")
"""How something stands, which tells of no change."""

OF_PEOPLE = re.compile(r"\b(?:qa|prod|production|staging|dev|test) (?=(?:guys?|team|people|folks|person|lead)\b)")
"""A name of a place that tells only of which people."""

NEXT = re.compile(r"^\W*(?:ok(?:ay)? |so |and )?now,? (?:to |for |on to )?(?:the|our|my|let's)\b")
"""How somebody goes on to the next thing, which is no change: "now the queue"."""

MOST_ELLIPTIC_WORDS = 12
"""Words of the longest text whose number may count what another one names: "make it 30". Source: ours."""

MARKED = re.compile(
    CHANGING.pattern + r"|\binstead\b|\bback (?:to|on|off)\b|\bagain\b|\bfinally\b"
    r"|\b(?:that|it|this) (?:has |all )?changed\b|\b(?:stale|outdated|out of date|obsolete)\b"
    r"|\b(?:went|moved|shifted) (?:over )?to \w+days?\b|\bmake (?:it|that|this|them|the)\b|\bno more\b"
    r"|^(?:and )?so,? (?:it's|it is|that's)\b"
    r"|\bsince (?:the move|last|yesterday|today|this|we (?:moved|switched))\b"
    r"|\bsince (?:the |\w+day\b)[\w ]{0,20}(?=[.,;]|$)"
    r"|(?<!be )\b(?:shift|extend|reduc|increas|shorten|doubl|halv|swapp|chang|relax|tighten|renumber|renam)ed\b"
    r"|\btoo (?:short|long|low|high|small|big|"
    r"slow|large|much|many|few|little|often|rarely)\b|\bdropped\b|\b(?:turn|switch|bump|raise|lower|change|move"
    r"|set|reduce|"
    r"increase|shorten|extend|cut|double|halve)\b|\bgoes over to\b|\bfrom here on\b|\bfor good\b"
)
"""Words that say that something is other than it was. `now` is among them: it tells what holds by now."""

TELLS_NO_CHANGE = re.compile(
    r"\?[\s\"')]*$|^(?:can|could|should|shall|would|do|does|did|is|are|was) (?:we|you|i|it|the|that|this|there"
    r"|they)\b"
    r"|\bwhat if\b|\bsuppos(?:e|ing)\b|\bimagine\b|\bhypothetical"
    r"|\bat my (?:last|old|previous|former)\b|\bback (?:then|in the day)\b|\byears? ago\b|\bif (?:we|you|i) (?:ever|"
    r"were|moved|switched|went)\b|\bmaybe\b|\bperhaps\b|\bmight\b|\bfor (?:this|the) (?:run|test|demo)\b"
    r"|\bjust this once\b"
)
"""A question, a story of another time, a thought, a thing for once."""

IDLE = frozenset(
    """moved move moves moving switch switched switches switching change changed changes bump bumped raise raised lower
    lowered increase increased reduce reduced shorten extend extended migrate migrated relocated renamed went gone
    finally got again back instead too short long low high small big slow asked ask asks user said says answered whether
    what which replied chose make making since last week today yesterday no more longer dropped drop turn turned off
    enable enabled disable disabled switching on be been over through day days version use used pin pinned host hosted
    hour hours minute minutes second seconds month months year years here these nowadays ok yes nope yeah old about just
    later earlier early late limit them then so still much many often once than land lands called named number port
    shifted extended doubled halved swapped bumps raises shifts every cap capped max maximum min minimum default value
    setting currently anymore cut cuts renumbered any good better only
    we've i've they've you've he's she's we're they're""".split()
)
"""Words that say that there is a value or a change, and not of what."""


SHORT_FORMS = {"db": "database", "env": "environment", "repo": "repository", "config": "configuration"}
"""Words that are written in short more often than not."""

QUALIFIERS = frozenset(
    ("ordinal", "often", "length", "role", "language written", "language spoken", "month", "numbers")
)
"""Groups whose words mostly say which thing is meant: the French texts are not the German ones."""


@dataclass(slots=True, frozen=True)
class Settings:
    """What a text sets. `values` by sort, `unset` those of them that are one of several or an example; `subject` the
    stems of what it is about, `before` the word that stands before each of them; `counted` the stem of what a bare
    number counts, by the number; `places` where it holds; `gone` values that it calls over; `is_marked` where it says
    that something changed; `is_anaphoric` where of what stands elsewhere; `is_conditional` where it holds at times;
    `is_short` where it has so few words that what its number counts may stand elsewhere; `tells_change` where its own
    words are marked, and not only what they answer.
    """

    values: dict[str, frozenset[str]]
    unset: dict[str, frozenset[str]]
    subject: frozenset[str]
    before: dict[str, str]
    places: frozenset[str]
    counted: dict[str, str]
    gone: dict[str, frozenset[str]]
    is_marked: bool
    is_anaphoric: bool
    is_conditional: bool
    is_short: bool
    is_statement: bool
    tells_change: bool


@lru_cache(maxsize=KNOWN_TEXTS)
def settings_of(text: str) -> Settings:
    """What a text sets, and of what."""
    plain = " ".join(own_words(text[:READ_CHARACTERS]).translate(CURLY).casefold().replace("`", "").split())
    plain = in_figures(plain)
    asked, answer = answered(plain)
    whole, answer = answer, conclusion(answer)
    subject, before, places = subject_of(OF_PEOPLE.sub(" ", f"{asked} . {answer}" if asked else plain))
    stated = PAST_VALUE.sub(forgotten, answer)
    values = values_in(REASON.split(stated)[0]) or values_in(stated)
    sure = values_in(without_open(stated))
    unset = {sort: open_ for sort, found in values.items() if (open_ := found - sure.get(sort, frozenset()))}
    tells_change = answer != whole or MARKED.search(STATE.sub(" ", NEXT.sub(" ", answer))) is not None
    gone = values_in(" , ".join(over_in(match) for match in PAST_VALUE.finditer(whole)))
    return Settings(
        values=values,
        unset=unset,
        counted={match["number"]: stem(match["noun"]) for match in COUNTED.finditer(stated) if is_noun(match["noun"])},
        gone=gone,
        subject=subject,
        before=before,
        places=places,
        is_marked=bool(asked) or tells_change,
        is_anaphoric=ANAPHORIC.search(answer.strip()) is not None,
        is_conditional=MOMENT.search(answer) is not None,
        is_short=len(answer.split()) <= MOST_ELLIPTIC_WORDS,
        is_statement=TELLS_NO_CHANGE.search(answer.strip()) is None,
        tells_change=tells_change,
    )


def conclusion(answer: str) -> str:
    """What a text comes to, where it first tells what happened; else all of it."""
    found = list(CONCLUDES.finditer(answer))
    return answer[found[-1].end() :] if found and TOLD_OF.search(answer, 0, found[-1].start()) else answer


def is_noun(word: str) -> bool:
    """Whether a plural word may be what is counted."""
    return word not in WEAK and word not in IDLE


def over_in(match: re.Match[str]) -> str:
    """The value that a phrase calls over."""
    return next((value for value in match.groupdict().values() if value), "")


def forgotten(match: re.Match[str]) -> str:
    """A phrase without the value that it calls over; one that calls no value over stays as it is."""
    gone = over_in(match)
    is_value = any(character.isdigit() or character in "#/@." for character in gone) or gone in GROUP_OF
    return match.group().replace(gone, " ") if is_value else match.group()


def values_in(plain: str) -> dict[str, frozenset[str]]:
    """The values of a text in lower case, by sort."""
    found: dict[str, set[str]] = {}

    def keep(sort: str, value: str) -> None:
        if value:  # of "./" nothing is left
            found.setdefault(sort, set()).add(value)

    for match in SCHEDULE.finditer(plain):
        span = (match["span"] or match["once"] or "").rstrip("s")
        often = match["often"] or span
        count = match["count"] or ""
        keep("schedule", f"{count} {SPELT_OUT.get(span, span)}" if count else OFTEN.get(often, often))
    for match in CLOCK.finditer(plain):
        keep("time", match["hour"].lstrip("0") or "0")
    for match in PAGE.finditer(plain):
        name = match["name"]
        sort = next((sort for sign, sort in RENAMED_SORT if sign in name), "")
        keep(sort or ("region" if "." not in name else "host"), name)
        keep("page", match["page"] or "")
    for match in DECIMAL.finditer(plain):
        keep(*numbered(match["number"], match["unit"], ""))
    for match in RATE.finditer(plain):
        keep("rate", f"{match['number']} a {match['unit']}")
    for match in CODE.finditer(plain):
        keep(f"code of {match['kind']}", match[0])
    plain = CODE.sub(" ", RATE.sub(" ", DECIMAL.sub(" ", plain)))
    plain = DAY_OF_MONTH.sub(" ", PAGE.sub(r" \g<port> ", CLOCK.sub(" ", SCHEDULE.sub(" ", plain))))
    for match in A_SPAN.finditer(plain):
        keep("duration", f"1 {match['unit'] or match['before']}")
    is_off, is_on = OFF.search(plain) is not None, ON.search(FROM_ON.sub("", plain)) is not None
    if is_off != is_on:
        keep("switch", "off" if is_off else "on")
    previous, end = "", 0
    for match in TOKEN.finditer(plain):
        sort, token = match.lastgroup or "word", match.group()
        previous = previous if plain[end : match.start()].isspace() else ""
        end = match.end()
        if match["number"]:
            number = match["number"].replace(",", "").replace("_", "")
            unit = (match["unit"] or "").strip()
            unit = unit if len(unit) < 3 else unit.rstrip("s")
            keep(*numbered(number, unit, previous))
        elif sort == "word":
            if token in GROUP_OF and GROUP_OF[token] not in QUALIFIERS:
                keep(GROUP_OF[token], SAME.get(token, token.removesuffix("s") if token.endswith("days") else token))
        elif sort == "version":
            keep(f"version of {previous}" if previous else "version", token.lstrip("v"))
        elif sort == "time":
            keep("time", token.removesuffix(":00").lstrip("0") or "0")
        elif sort in ("path", "link"):
            keep(sort, token.rstrip("/."))
        previous = token if sort == "word" and token not in WEAK and token not in IDLE else ""
    counted = {value.split()[0] for sort, values in found.items() if sort != "number" for value in values}
    found["number"] = found.get("number", set()) - counted  # "every 2 minutes if they have data every 2"
    return {sort: frozenset(values) for sort, values in found.items() if values}


def numbered(number: str, unit: str, previous: str) -> tuple[str, str]:
    """The sort and the value of a number: by its unit, by the name before it, or as a port or a plain number."""
    if unit:
        return UNITS.get(unit, unit), f"{number} {SPELT_OUT.get(unit, unit)}"
    if previous and previous.isalpha() and len(number) <= 2:
        return f"version of {previous}", number
    return "number", number


def subject_of(plain: str) -> tuple[frozenset[str], dict[str, str], frozenset[str]]:
    """The stems of what a text is about, the word that stands before each, and the places that it names."""
    subject: set[str] = set()
    before: dict[str, str] = {}
    places: set[str] = set()
    previous, end = "", 0
    plain = CODE.sub(" ", RATE.sub(" ", PAGE.sub(r" \g<port> ", SCHEDULE.sub(" ", plain))))
    for match in TOKEN.finditer(plain):
        token = match.group()
        previous = previous if plain[end : match.start()].isspace() else ""
        end = match.end()
        if match.lastgroup != "word":
            previous = ""
            continue
        if token in PLACES:
            places.add(PLACES[token])
            continue
        is_value = token in GROUP_OF and GROUP_OF[token] not in QUALIFIERS
        if is_value or token in IDLE or token in WEAK:
            if token not in WEAK or token in ("and", "or", "for", "of"):
                previous = ""
            continue
        for part in token.removesuffix("'s").split("-"):
            if part and part not in WEAK and part not in IDLE:
                name = stem(SHORT_FORMS.get(part, part))
                subject.add(name)
                before.setdefault(name, previous)
                previous = name
    return frozenset(subject), before, frozenset(places)
