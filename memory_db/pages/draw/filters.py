"""How values are written on a page: text as text, numbers for people.

In: values from the file, which anybody may have written. Out: text for a
template that escapes. Invariant: nothing invisible stays invisible; no text
can steer a terminal, a browser or the direction of a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from memory_db.errors import InputError
from memory_db.recall.explain.reasons import meaning
from memory_db.store.dates import parse_utc
from memory_db.store.money import NANOCENTS_PER_USD, dollars
from memory_db.store.periods import AGENTS
from memory_db.text.sizes import size

ODD = re.compile(r"[^\n\t\x20-\x7e]")
"""Characters that have to be looked at: the others are plain ASCII and stay as they are."""

HEADING = 120
"""Characters that a heading has, unless it is a title."""

TITLE = 200
"""Characters that a title has as a heading: on a page of sixty hits a fifth of its 150 kB, written once each."""


CUT_AFTER_MARK = re.compile(r"[ .,:;]+…$")
"""How a text ends that was cut after a full stop when it was stored: "noon.…" reads as four dots."""

LEAST_KEPT = 0.6
"""The share of what there is room for that a text keeps when it ends with a whole word. Source: ours."""


HALF_A_CENT = NANOCENTS_PER_USD // 200
"""Less is rounded to nothing, in nanocents."""


def visible(text: object) -> str:
    """A text with every control and direction character shown as a sign; newlines and tabs stay."""
    return ODD.sub(lambda found: visible_character(found[0]), str(text))


def visible_character(character: str) -> str:
    """One character as it may be shown."""
    code = ord(character)
    if character in "\n\t" or character.isprintable():
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return f"\u27e8U+{code:04X}\u27e9"
    return character


QUOTED = re.compile(r"`` (.+?) ``|`([^`]+)`")
"""A command in a text, between one or, where it has such a mark itself, two of them."""


def with_code(text: object) -> Markup:
    """A text of one line, with the commands in it as code and not between backticks."""
    parts: list[Markup | str] = []
    end, whole = 0, visible(text)
    for found in QUOTED.finditer(whole):
        parts += [whole[end : found.start()], Markup("<code>{}</code>").format(found[1] or found[2])]
        end = found.end()
    return Markup().join([*parts, whole[end:]])


def marked(text: object, words: str, any_capitals: bool = False) -> Markup:
    """A text of one line, with the words in it marked."""
    whole, sought = visible(text), re.escape(visible(words))
    flags = re.IGNORECASE if any_capitals else re.NOFLAG
    parts = re.split(f"({sought})", whole, flags=flags) if sought else [whole]
    return Markup().join(Markup("<mark>{}</mark>").format(part) if at % 2 else part for at, part in enumerate(parts))


def heading(title: str, text: str) -> str:
    """What to head a text with: the text itself when it is short or its title adds nothing, else the title."""
    stem = title.rstrip("….").casefold()
    if "\n" not in text and (len(text) <= HEADING and text.casefold().startswith(stem)):
        return text
    return shortened(title, TITLE) if title else " ".join(text.split())[: HEADING - 1] + "…"


def shortened(text: object, most: int) -> str:
    """The beginning of a text, up to a whole word where one ends late enough, with a sign for what was left out."""
    whole = CUT_AFTER_MARK.sub("…", str(text))
    if len(whole) <= most:
        return whole
    head = whole[: most - 1]
    blank = head.rfind(" ")
    if whole[most - 1] != " " and blank >= most * LEAST_KEPT:
        head = head[:blank]
    return head.rstrip(" .,:;") + "…"


def asked(query: str) -> str:
    """What a recall was asked: a session's first brief was asked nothing."""
    return query or "the start of a session"


def number(value: float | int | None) -> str:
    """A count with separators; a dash for nothing."""
    return "–" if value is None else f"{value:,.0f}"


def short_number(value: float | int | None) -> str:
    """A count in few characters, such as 12.3k or 4.5M."""
    if value is None:
        return "–"
    for limit, divisor, unit in ((1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= limit:
            return f"{value / divisor:.1f}{unit}"
    return f"{value:,.0f}"


def usd(nanocents: int | None) -> str:
    """Nanocents as US dollars; a dash where no price is known."""
    return "–" if nanocents is None else dollars(nanocents, 2)


def cents(nanocents: int | None) -> str:
    """Nanocents as US dollars and cents; in words what is less than half a cent, for it is not nothing."""
    if not nanocents or abs(nanocents) >= HALF_A_CENT:
        return usd(nanocents)
    return "under $0.01" if nanocents > 0 else "just below $0"


def score(value: float | None) -> str:
    """A score or signal with three decimals."""
    return "–" if value is None else f"{value:.3f}"


def age(days: float | None) -> str:
    """An age in words of one unit."""
    if days is None:
        return ""
    if days < 1:
        hours = days * 24
        return "just now" if hours < 1 else f"{hours:.0f} h old"
    if days < 60:
        return f"{int(days)} d old"
    return f"{int(days / 30)} months old" if days < 730 else f"{days / 365.25:.1f} years old"


def ago(then: str | None, now: datetime) -> str:
    """How long a stored time is past, in whole units: what is not over counts as none."""
    if not then:
        return "never"
    try:
        days = (now - parse_utc(then)).total_seconds() / 86400
    except InputError:
        return then
    if days < 0:
        return "in the future"
    if days < 1 / 1440:
        return "just now"
    if days < 1 / 24:
        return f"{int(days * 1440)} min ago"
    return f"{int(days * 24)} h ago" if days < 1 else f"{int(days)} d ago"


WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""As English has them, whatever the machine speaks."""


def moment(text: str | None) -> str:
    """A stored time to the minute."""
    return (text or "")[:16].replace("T", " ")


def day(text: str | None) -> Markup:
    """A stored time as its day, with the minute on hover; a script writes the day in the reader's zone."""
    return clock(text, "day", 10)


def when(text: str | None) -> Markup:
    """A stored time to the minute in UTC; a script writes it in the reader's zone, with the UTC on hover."""
    return clock(text, "minute", 16)


def when_of_week(text: str | None) -> Markup:
    """The same with the day of the week before it, as one remembers it."""
    return clock(text, "weekday", 16)


def clock(text: str | None, form: str, characters: int) -> Markup:
    """A stored time as an element that a script can read; what is no time stays text."""
    shown = (text or "")[:characters].replace("T", " ")
    try:
        at = parse_utc(text or "")
    except InputError:
        return Markup("{}").format(visible(shown))
    zone = "" if form == "day" else " UTC"
    if form == "weekday":
        shown = f"{WEEKDAYS[at.weekday()]} {shown}"
    return Markup('<time datetime="{}" data-clock="{}" title="{} UTC">{}{}</time>').format(
        at.isoformat(timespec="seconds").replace("+00:00", "Z"), form, f"{at:%Y-%m-%d %H:%M}", shown, zone
    )


def duration(milliseconds: float | None) -> str:
    """How long something took, in its greatest unit and the next."""
    if milliseconds is None:
        return "–"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.0f} s" if seconds >= 1 else f"{milliseconds:.0f} ms"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{round(hours / 24)} d"


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count with its noun."""
    return f"{number(count)} {noun if count == 1 else many or noun + 's'}"


def fields_in_address(kept: Mapping[str, str]) -> str:
    """Fields that a link keeps, to stand behind its first one; those of nothing are left out."""
    fields = {name: value for name, value in kept.items() if value}
    return f"&{urlencode(fields)}" if fields else ""


def by_agent(surface: str) -> bool:
    """Whether an agent or a model read what a surface showed, and not a person."""
    return surface in AGENTS


FILTERS: dict[str, Callable[..., Any]] = {
    "visible": visible,
    "with_code": with_code,
    "marked": marked,
    "asked": asked,
    "by_agent": by_agent,
    "reason_meaning": meaning,
    "shortened": shortened,
    "number": number,
    "short_number": short_number,
    "usd": usd,
    "cents": cents,
    "dollars": dollars,
    "score": score,
    "age": age,
    "moment": moment,
    "day": day,
    "when": when,
    "when_of_week": when_of_week,
    "duration": duration,
    "size": size,
    "plural": plural,
    "fields_in_address": fields_in_address,
}
"""What our templates may call, by name."""
