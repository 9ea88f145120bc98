"""Times of day as a clock of 24 hours shows them: "half past six in the evening" is 18:30, and "9 pm" is 21:00.

In: a text on one line, in lower case. Out: the same with its times as hour and minute. Invariants: pure, linear in the
length of the text; a word is an hour only where what stands beside it says so: "five to nine people" stays. An hour
that may be of the morning or of the evening stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HALF_DAY = 12
"""Hours by which a time may be later that tells no part of the day."""

HOURS = {
    name: hour
    for names in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "une deux trois quatre cinq six sept huit neuf dix onze douze",
        "una dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for hour, name in enumerate(names.split(), start=1)
}
"""Hours in words of English, German, French and Spanish."""

STEPS = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
SURE_STEPS = ("quarter", "half")
"""Minutes past an hour or to it, and those that are never a range: "ten to twelve" may be one."""

NAMES = {"noon": "12:00", "midday": "12:00", "midnight": "0:00"}

HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|1[0-2]|0?[1-9])"

TIME = re.compile(
    r"(?<![\w.:/$€£-])"
    rf"(?:(?:a )?(?P<step>half|quarter|twenty-five|twenty|ten|five) (?P<way>past|to) (?P<stepped>{HOUR})"
    rf"|half (?P<halved>{HOUR})|(?P<hour>{HOUR})(?:[:.](?P<minute>[0-5]\d))?)"
    r"(?:(?![\w:%/-])(?!\.\d)|(?=[ap]m\b))(?P<exact> o'?clock\b)?"
    r"(?P<part> ?(?P<half>[ap])(?:m\b|\.m\b\.?)|,? in the (?P<day>morning|afternoon|evening)\b"
    r"|,? at (?P<night>night)\b|(?= (?P<near>tonight|this (?:morning|afternoon|evening))\b))?"
)
"""A time of day as English says it, or a number that may be one."""

PREPOSITION = r"\b(?:at|by|before|after|until|till?|from|since|around|about)"
AT = re.compile(rf"{PREPOSITION} $")
"""What stands before a time, and not before a range."""

AT_PART = re.compile(rf"(?:^|[,;:(] ?|(?:{PREPOSITION}|\b(?:past|it's|is|was|to|now)) )$")
"""What stands before an hour of which a part of the day is told."""

AT_HOUR = re.compile(
    r"(?:^|(?<!cap )(?<!capped )(?<!stop )(?<!stops )(?<!limit )(?<!stays )(?<!stay )(?<!fixed )(?<!set )(?<!keep ))"
    r"\b(?:at|until|till?) $|days? (?:after|before|from|by) $"
)
"""What stands before an hour in words of which nothing else tells that it is one."""

HOUR_ENDS = re.compile(
    r"\W*$|[.,;:!?)](?:\s|$)| (?:every|each|on|so|because|now|sharp|from now|today|tomorrow|when|instead|and then)\b"
)
"""What stands behind one, so that it counts nothing."""

BEFORE_CHARACTERS = 20
"""How much is read of what stands before an hour. Source: ours; the longest pattern for it is shorter."""

NAMED = re.compile(
    r"(?P<deed>\b(?:i|we|he|she|they) (?:\w{2,20}ed|won|got|had|was|were|came|went|left|ate|met|saw) )?"
    rf"\b(?P<at>at|by|before|after|until|till?|from|since|around|to|and|past) (?P<name>{'|'.join(NAMES)})\b(?! blue\b)"
)
"""A time of day with a name of its own; behind what somebody did it is no time at which anything is to be."""


def on_the_clock(plain: str) -> str:
    """A text with its times of day as a clock of 24 hours shows them."""
    said = NAMED.sub(lambda match: match[0] if match["deed"] else f"{match['at']} {NAMES[match['name']]}", plain)
    said = TIME.sub(as_shown, said)
    return ELSEWHERE.sub(as_shown_elsewhere, said)


def as_shown(match: re.Match[str]) -> str:
    """A time of day in figures; what is none as it stands."""
    before = match.string[max(0, match.start() - BEFORE_CHARACTERS) : match.start()]
    name = match["stepped"] or match["halved"] or match["hour"]
    hour = HOURS.get(name) or int(name)
    if not is_time(match, before, in_words=name in HOURS):
        return match[0]
    minute = STEPS[match["step"]] if match["step"] else 30 if match["halved"] else int(match["minute"] or 0)
    if match["way"] == "to":
        hour, minute = hour - 1, 60 - minute
    part = match["half"] or match["day"] or match["night"] or (match["near"] or "").removeprefix("this ")
    return f"{in_day(hour, part)}:{minute:02d}"


def is_time(match: re.Match[str], before: str, *, in_words: bool) -> bool:
    """Whether a number tells the time of day, by what stands beside it."""
    if match["halved"]:  # how Britain calls the half past an hour
        return before.endswith(("at ", "until ", "till ")) and in_words
    if match["step"]:
        return match["step"] in SURE_STEPS or match["way"] == "past" or AT.search(before) is not None
    if match["exact"] or match["half"]:
        return True
    if match["part"] is not None and (match["day"] or match["night"] or match["near"]):
        return AT_PART.search(before) is not None
    return in_words and AT_HOUR.search(before) is not None and HOUR_ENDS.match(match.string, match.end()) is not None


def in_day(hour: int, part: str) -> int:
    """An hour of twelve as one of 24, by the part of the day; as it is where nothing tells."""
    if part in ("p", "afternoon", "evening", "tonight"):
        return hour % 12 + 12
    if part == "night":
        return hour % 12 + (12 if hour % 12 >= FIRST_OF_EVENING else 0)
    return hour % 12 if part in ("a", "morning") else hour % 24


FIRST_OF_EVENING = 6
"""From which hour on "at night" is before midnight. Source: ours."""

LATE = "p"
PARTS_ELSEWHERE = {
    "abends": LATE, "am abend": LATE, "nachmittags": LATE, "am nachmittag": LATE, "nachts": "night",
    "in der nacht": "night", "morgens": "a", "am morgen": "a", "früh": "a", "in der früh": "a",
    "du soir": LATE, "de l'après-midi": LATE, "du matin": "a",
    "de la tarde": LATE, "de la noche": LATE, "de la mañana": "a",
}  # fmt: skip
"""Parts of the day in German, French and Spanish. Source: ours; grammars of these languages."""

WORDS_ELSEWHERE = "|".join(dict.fromkeys(name for name in HOURS if name not in HOUR.split("|")))
HOUR_ELSEWHERE = rf"(?:{WORDS_ELSEWHERE}|six|2[0-4]|1\d|0?\d)"

ELSEWHERE = re.compile(
    rf"(?<![\w.:-])(?:(?P<de>halb|viertel vor|viertel nach|dreiviertel) (?P<german>{HOUR_ELSEWHERE})(?! ?%)(?: uhr)?"
    rf"|(?P<uhr>{HOUR_ELSEWHERE})(?:[:.](?P<minute>[0-5]\d))? uhr(?: (?P<behind>[0-5]\d))?"
    rf"|(?P<at>(?:à|avant|après|jusqu'à|dès|vers) )(?P<heures>{HOUR_ELSEWHERE})(?: ?h(?: ?(?P<mn>[0-5]\d))?| heures?)"
    r"(?P<fr> et demie| et quart| moins le quart)?"
    rf"|(?P<las>las? )(?P<horas>{HOUR_ELSEWHERE})(?:(?P<es> y media| y cuarto| menos cuarto)|(?= de la (?:ma|ta|no))))"
    rf"(?![\w:])(?: (?P<part>{'|'.join(PARTS_ELSEWHERE)})\b)?"
)
"""A time of day as German, French and Spanish say it."""

SHIFTS = {
    "halb": -30, "viertel vor": -15, "viertel nach": 15, "dreiviertel": -15, " et demie": 30, " et quart": 15,
    " moins le quart": -15, " y media": 30, " y cuarto": 15, " menos cuarto": -15,
}  # fmt: skip
"""Minutes between the hour that is named and the time that is meant."""


def as_shown_elsewhere(match: re.Match[str]) -> str:
    """A time of day of another language in figures."""
    name = match["german"] or match["uhr"] or match["heures"] or match["horas"]
    minute = int(match["minute"] or match["behind"] or match["mn"] or 0)
    shift = SHIFTS.get(match["de"] or match["fr"] or match["es"] or "", 0)
    named = HOURS.get(name) or int(name)
    hour, minute = divmod(named * 60 + minute + shift, 60)
    part = PARTS_ELSEWHERE.get(match["part"] or "", "")
    return f"{match['at'] or match['las'] or ''}{in_day(hour, part if named <= 12 else '')}:{minute:02d}"


def are_other_times(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether no time of day among some may be one of others: "at nine" may be 21:00."""
    return either_half(some).isdisjoint(either_half(others))


def either_half(times: Iterable[str]) -> set[str]:
    """Times of day, and those of the morning's hours twelve hours later too."""
    found = set()
    for time in times:
        hour, _, minute = time.partition(":")
        found.add(f"{hour}:{minute or '00'}")
        if hour.isdigit() and 0 < int(hour) < HALF_DAY:
            found.add(f"{int(hour) + HALF_DAY}:{minute or '00'}")
    return found
