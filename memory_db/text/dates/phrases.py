"""Where a question names a time: the words of it, found strictly.

In: the text of a question. Out: `Phrase`s in order, each with its place, what it is, and the plain form in which a
date library reads it. Invariant: words that merely look like a time (a version, a port, "may" as a verb, a weekday in
a rule) give no phrase; a phrase missed costs little, a wrong one misleads. What a phrase means is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MOST_CHARACTERS = 1_000
"""How much of a question is looked through. Source: ours; what is longer is pasted, and its dates are not asked for."""

FULL_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
SHORT_MONTHS = "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
MONTH = rf"(?P<month>(?:{FULL_MONTHS}|(?:{SHORT_MONTHS})\.?)(?![a-z]))"
YEAR = r"(?P<year>(?:19[7-9]|20\d)\d)(?![\w%]|[.:/-]\w)"
LEFT = r"(?:(?<![\w/.'-])|(?<=mid-)|(?<=late-)|(?<=early-))"
DAY = r"(?<![\w.,:/#$-])(?P<day>3[01]|[12]\d|0?[1-9])(?P<ordinal>st|nd|rd|th)?(?![\d%]|[.:/-]\d)"
COUNT = (
    r"(?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half an?"
    r"|a couple(?: of)?|a few|several)"
)
UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"

WORDS_LIKE_MONTHS = frozenset("march april may june august mar dec".split())
"""Months that are also verbs, names or other words: they need more than themselves to be read as a time."""

NOT_AFTER_MAY = frozenset(
    """also always be become break can cause change contain depend differ do does end even fail get give go happen have
    help i it lead lose make mean need never not of on only or return run see seem still take the they this through to
    use want we work you""".split()
)
"""Words that follow "may" and "march" as verbs."""

DOING = frozenset("joined said left wrote asked merged told thinks says wants has does reviewed approved".split())
"""What a person does: "before June joined" names a colleague."""

COUNTED = frozenset(
    "bits bytes chars characters connections entries errors files items lines ms mb gb px records requests rows s"
    " seconds times tokens users words".split()
)
"""What is counted: "in 2048 bytes" names no year."""

PAST = re.compile(
    r"\b(?:did|was|were|had|been|broke|said|wrote|went|made|came|got|ran|began|fell|built|sent|left|found|told|chose"
    r"|(?!(?:need|speed|feed|seed|embed|exceed|proceed|bleed|indeed|shed|red|bed|scheduled|used|allowed|supposed)\b)"
    r"[a-z]{2,}ed)\b"
)
"""What says that a question is about something past, where a weekday or "today" may as well stand in a rule."""

IN = re.compile(
    r"\b(?:in|during|since|before|after|until|till|by|from|between|and|to|through|last|of|early|late|mid|around|about"
    r"|prior to|end of|start of|beginning of|middle of)[\s-]+(?:the\s+)?$"
)
ON = re.compile(r"\b(?:on|since|before|after|until|till|by|from|between|to|and|of|around)\s+(?:the\s+)?$")
QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|(?<![\w/])(?!\d\d?/\d\d?/\d{4}(?![\w/]))[\w.~-]*/[\w./-]*", re.DOTALL
)
"""Code and addresses: what stands there is not asked."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name a time: where they stand, their sort, and their plain form ("7 may 2023", "3 week").

    `has_year` says that it names its year and so stands on its own.
    """

    start: int
    end: int
    sort: str
    plain: str
    has_year: bool = False


Reader = Callable[["re.Match[str]", str, str], str | None]
"""From a match, the whole text as written and in lower case: the plain form, or None where it is no time."""


def find_phrases(text: str) -> list[Phrase]:
    """The times named in a text, in order; none overlaps another, the longest of those that begin together counts."""
    text = QUOTED.sub(lambda match: "\x00" * len(match.group()), text[:MOST_CHARACTERS])
    lower = lowered(text)
    found = []
    for sort, pattern, reader in PATTERNS:
        for match in pattern.finditer(lower):
            plain = reader(match, text, lower)
            if plain is not None:
                has_year = bool(match.groupdict().get("year"))
                start = match.start("named_at") if "named_at" in match.groupdict() else match.start()
                found.append(Phrase(start, match.end(), sort, plain, has_year))
    found.sort(key=lambda phrase: (phrase.start, -phrase.end))
    phrases: list[Phrase] = []
    for phrase in found:
        if not phrases or phrase.start >= phrases[-1].end:
            phrases.append(phrase)
    return phrases


def lowered(text: str) -> str:
    """The text in lower case, as long as it was: a letter whose lower case is longer stays, for places must hold."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


# ------------------------------------------------------------------ the readers


def read_iso(match: re.Match[str], text: str, lower: str) -> str | None:
    """A date as ISO writes it; one that a clock time follows is the stamp of a pasted line."""
    return match.group()


def read_iso_month(match: re.Match[str], text: str, lower: str) -> str | None:
    """A month as ISO writes it, after a word of time: elsewhere it may be anything."""
    return f"{FULL_MONTHS.split('|')[int(match['named_at'][-2:]) - 1]} {match['year']}"


def read_days(match: re.Match[str], text: str, lower: str) -> str | None:
    """Days of one month, as "3 to 7 may 2023"."""
    month = " ".join(filter(None, (plain_month(match["month"]), match["year"])))
    return f"{match['first']} to {match['day']} {month}"


def read_day(match: re.Match[str], text: str, lower: str) -> str | None:
    """A day with its month, and perhaps its year."""
    day, month, year = match["day"], plain_month(match["month"]), match["year"]
    is_sure = year or match["ordinal"] or month not in WORDS_LIKE_MONTHS
    if not is_sure and not ON.search(lower[: match.start()]):
        return None
    if not year and next_word(lower, match.end()) in COUNTED:
        return None
    return " ".join(filter(None, (day, month, year)))


def read_numbers(match: re.Match[str], text: str, lower: str) -> str | None:
    """A date in numbers where only one order is possible: 24/12/2025, or with dots, which put the day first."""
    first, second = int(match["first"]), int(match["second"])
    if match["mark"] == "/" and first <= 12 and second <= 12 and first != second:
        return None
    day, month = (first, second) if match["mark"] == "." or first > 12 else (second, first)
    return f"{match['year']}-{month:02}-{day:02}" if month <= 12 and day <= 31 else None


def read_month_and_year(match: re.Match[str], text: str, lower: str) -> str | None:
    """A month with its year."""
    written = text[match.start("month") : match.end("month")]
    before = lower[: match.start()]
    if re.search(r"\d\s*$", before) or (written == "may" and not IN.search(before)):
        return None
    return f"{plain_month(match['month'])} {match['year']}"


def read_month(match: re.Match[str], text: str, lower: str) -> str | None:
    """A month alone: after a word of time, or one that can be nothing else."""
    written, name = text[match.start("month") : match.end("month")], plain_month(match["month"])
    before, follows = lower[: match.start()], next_word(lower, match.end())
    is_short = name in SHORT_MONTHS.split("|") or name in ("sep", "sept")
    if re.search(r"\d\s*$", before):
        return None
    after_time = IN.search(before)
    if not after_time:
        return name if not is_short and name not in WORDS_LIKE_MONTHS and not re.search(r"\bnext\s+$", before) else None
    if is_short and not written[0].isupper():
        return None
    if name in WORDS_LIKE_MONTHS:
        word = after_time.group().split()[0].rstrip("-")
        loose = word in ("and", "to", "by", "through", "of", "about", "around", "from", "between", "after", "before")
        if follows in DOING:
            return None
        is_verb = name in ("may", "march") and follows in NOT_AFTER_MAY - {"to"}
        if is_verb and word not in ("in", "during", "last") and not (word == "from" and follows == "on"):
            return None
        if name == "may" and not written[0].isupper() and loose:
            return None
        if word in ("and", "to", "through") and not re.search(r"\b(?:between|from)\b", before):
            return None
        if word in ("about", "of"):
            return None
    return f"last {name}" if re.search(r"\blast\s+$", before) else name


def read_weekday(match: re.Match[str], text: str, lower: str) -> str | None:
    """A day of the week: after last or since, or in a question about the past; "no deploys on Friday" is a rule."""
    before = lower[: match.start()]
    if re.search(r"\b(?:next|every|each|any|per|black|good|casual)\s+$", before):
        return None
    if re.search(r"\b(?:last|since|this|past|between|from|and|to|until)\s+$", before) or PAST.search(lower):
        return match["weekday"]
    return None


def read_relative_day(match: re.Match[str], text: str, lower: str) -> str | None:
    """Yesterday and its like; "today" only about the past, for "what do we use today" means now."""
    plain = " ".join(match.group().split())
    if plain.removeprefix("earlier ") in ("today", "tonight"):
        return "today" if plain.startswith("earlier") or PAST.search(lower) else None
    return plain.removeprefix("earlier ").replace("today ", "this ")


def read_ago(match: re.Match[str], text: str, lower: str) -> str | None:
    """So many units ago, as "3 week"."""
    return f"{plain_count(match['count'])} {match['unit']}"


def read_rolling(match: re.Match[str], text: str, lower: str) -> str | None:
    """The last so many units up to now, as "3 day"; "keep logs for the last 30 days" is a rule."""
    before = lower[: match.start()]
    if re.search(r"\b(?:keep|retain|store|for|of|every|each|first|per)\s+$", before) and not PAST.search(lower):
        return None
    return f"{plain_count(match['count'] or 'one')} {match['unit']}"


def read_named(match: re.Match[str], text: str, lower: str) -> str | None:
    """This or last week, weekend, month, quarter or year."""
    if next_word(lower, match.end()) in ("of", "column", "field", "column's", "row", "button", "view", "digit"):
        return None
    return f"{'this' if match['which'] == 'this' else 'last'} {match['named']}"


def read_quarter(match: re.Match[str], text: str, lower: str) -> str | None:
    """A quarter, with its year or after a word of time; Q4 is also a way to shrink models."""
    follows = next_word(lower, match.end())
    if follows.startswith(("quant", "gguf", "weight", "model", "bit", "int")):
        return None
    if match["year"] is None and not IN.search(lower[: match.start()]):
        return None
    return f"q{match['quarter']} {match['year'] or ''}".strip()


def read_year(match: re.Match[str], text: str, lower: str) -> str | None:
    """A year after a word of time."""
    follows = next_word(lower, match.end())
    is_plural = follows.endswith("s") and follows not in ("was", "is", "as", "this", "has", "does", "us")
    return None if follows in COUNTED or is_plural else match["year"]


def plain_month(name: str) -> str:
    """A month's name without its dot."""
    return name.rstrip(".")


def plain_count(count: str) -> str:
    """A number in words that the library knows: a couple is 2; a few stays, for it is no number."""
    words = count.split()
    if words[0] in ("half", "several") or words[-1] == "few":
        return "half" if words[0] == "half" else "few"
    return "2" if "couple" in words else "1" if count in ("a", "an") else count


def next_word(lower: str, end: int) -> str:
    """The word right after a place, empty where something else than spaces parts it."""
    match = re.match(r"[ \t]+([a-z']+)", lower[end:])
    return match.group(1) if match else ""


PATTERNS: tuple[tuple[str, re.Pattern[str], Reader], ...] = tuple(
    (sort, re.compile(pattern), reader)
    for sort, pattern, reader in (
        ("date", r"(?<![\w/.:-])(?P<year>(?:19[7-9]|20\d)\d)-[01]\d-[0-3]\d(?![\w/:-]|\.\w|[t ]\d\d?:\d\d)", read_iso),
        ("days", rf"(?<![\w.,:/#$-])(?P<first>\d\d?)\s*(?:to|and|-|–)\s*(?P<day>\d\d?)(?:\s+of)?\s+{MONTH}"
         rf"(?:,?\s+{YEAR})?(?![\w/:-])", read_days),
        ("days", rf"(?<![\w/.-]){MONTH}\s+(?P<first>\d\d?)\s*(?:to|and|-|–)\s*(?P<day>\d\d?)(?:,?\s+{YEAR})?"
         r"(?![\w%/:-]|[.]\d)", read_days),
        ("date", rf"{DAY}(?:\s+of)?\s+{MONTH}(?:,?\s+(?:of\s+)?{YEAR})?(?![\w/-]|:\d)", read_day),
        ("date", rf"(?<![\w/.-]){MONTH}\s+(?:the\s+)?{DAY}(?:(?:\s*,\s*|\s+){YEAR})?(?![\w/-]|:\d)", read_day),
        ("date", r"(?<![\w/.:-])(?P<first>\d\d|\d(?=/))(?P<mark>[./])(?P<second>\d\d|\d(?=/))(?P=mark)(?P<year>20\d\d)"
         r"(?![\w/.-])", read_numbers),
        ("month", rf"{LEFT}{MONTH},?(?:\s+of)?\s+{YEAR}", read_month_and_year),
        ("month", rf"{LEFT}{MONTH}(?![\w/(=-]|\.\w)", read_month),
        ("month", r"\b(?:in|since|before|after|until|during|by)\s+(?P<named_at>(?P<year>20\d\d)-(?:0[1-9]|1[0-2]))"
         r"(?![\w/:-]|\.\w)", read_iso_month),
        ("weekday", r"(?<![\w/.-])(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?![\w/-]|\.\w)",
         read_weekday),
        ("relative", r"(?<![\w/.-])(?:the day before yesterday|(?:yesterday|today|this|late yesterday)\s+"
         r"(?:morning|afternoon|evening)|last night|yesterday|(?:earlier )?today|tonight)(?![\w/-])",
         read_relative_day),
        ("ago", rf"(?<![\w.-]){COUNT}\s+{UNIT}\s+ago\b", read_ago),
        ("rolling", rf"\b(?:the\s+)?(?:last|past|previous)\s+{COUNT}\s+{UNIT}\b", read_rolling),
        ("rolling", rf"\b(?:in|over|during|within)\s+(?:the\s+)?(?:last|past)\s+(?P<count>){UNIT[:-2]}\b",
         read_rolling),
        ("rolling", r"\bthe\s+past\s+(?P<count>)(?P<unit>hour|day|week|month|year)\b", read_rolling),
        ("named", r"\b(?P<which>last|this|previous)\s+(?P<named>week(?:end)?|month|quarter|year)\b(?!-)", read_named),
        ("quarter", rf"(?<![\w/.-])q(?P<quarter>[1-4])(?:\s+(?:of\s+)?{YEAR})?(?![\w/(=.-]\w|[\w(=])", read_quarter),
        ("year", r"\b(?:in|since|before|after|until|during|early|late|mid|end of|start of|beginning of|by)[\s-]+"
         rf"(?P<named_at>{YEAR})(?!\s*[-–]\s*\d)", read_year),
    )
)  # fmt: skip
"""Every way to name a time: its sort, what it looks like, and what makes sure of it."""
