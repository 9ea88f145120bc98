"""What an edit made of a value that somebody sets in relation to the old one: "two seconds longer than now".

In: an exchange and what was said in it. Out: the edits that were made, and the old and the new line of the one that
changed a number. Invariant: pure; every word of it is the user's or the agent's.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from memory_db.extract.rules.error_fixes import EDITING_TOOLS, ActionRow, changed_lines, shortened
from memory_db.extract.rules.exchanges import Exchange
from memory_db.text.sentences import split

NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w]*[-/]\d)")

MORE = (
    r"(?:more|less|fewer|longer|shorter|later|earlier|higher|lower|bigger|smaller|larger|wider|narrower|faster|slower)"
)
AMOUNT = (
    r"(?:a (?:bit|little|tad|second|minute|day|week)|an hour|\d[\d.]*|one|two|three|four|five|six|ten|twenty|"
    r"half an hour|half a \w+|twice|double)"
)
NOW = r"(?:(?:it|that|they|we) (?:is|are|has|have|takes|do|does) )?(?:now|today|currently|at (?:present|the moment))"

RELATIVE = re.compile(
    rf"\b{MORE} (?:\w+ ){{0,2}}than {NOW}\b|"
    rf"\b(?:twice|double|half|triple)(?: \w+){{0,4}} (?:as|than|what) (?:\w+ )?{NOW}\b|"
    rf"^\W*(?:(?:ok|so|please|then|and|but|no|yes)\W+)*(?:(?:make|set|keep|let|give) (?:it|them|that|this) )?"
    rf"(?:(?:wait|hold|stay|last|be|stays) )?{AMOUNT}(?: \w+)? {MORE}(?:[,.;!]|\W*$| please| then| if| for|"
    r" because| is)|"
    r"^\W*(?:(?:ok|so|please|then|and|but|no|yes)\W+)*(?:double|halve|triple) (?:it|them|that|the \w+)\b"
)
"""How a new value is told by the old one alone."""

THAN_NOW = re.compile(r"\b(than|as|what)((?: it is| that is| we have| it has)?) (?:now|today|currently|at present)\b")
"""The time of the old value, which is past once the new one is set."""

BECOMES = re.compile(
    r"\d[\w.]*(?: [a-z%]+)? (?:becomes?|became|(?:is|are|was|were) (?:raised|lowered|changed|set) to|goes to|to|→|"
    r"->|=>) [`\"]?\d"
)
"""How an agent tells an old value with the new one."""

MOST_TOLD = 120
"""Characters of the longest sentence of an agent that is told as such. Source: ours; one sentence fits."""


SMALLER = {
    "min": (60,), "minute": (60,), "h": (60, 3_600), "hr": (60, 3_600), "hour": (60, 3_600), "day": (24, 1_440, 86_400),
    "week": (7, 168, 604_800), "kb": (1_024,), "mb": (1_024, 1_048_576), "gb": (1_024, 1_073_741_824),
}  # fmt: skip
WITH_UNIT = re.compile(r"(?<![\w.])(\d+) ?(min(?:ute)?s?|h|hrs?|hours?|days?|weeks?|kb|mb|gb)\b")
"""Amounts that code may write in a smaller unit, and how many of those they are; thousands differ by zeros alone."""


def in_smaller(lower: str, numbers: Collection[str] | None = None) -> list[str]:
    """The spans of time and sizes of a text in smaller units, of 8 minutes 480; of some of its numbers alone."""
    found = [(int(number), unit) for number, unit in WITH_UNIT.findall(lower) if numbers is None or number in numbers]
    return [str(number * factor) for number, unit in found for factor in SMALLER[unit.removesuffix("s") or unit]]


def numbers_in(lines: list[str]) -> set[str]:
    """The numbers of some lines."""
    return {number for line in lines for number in NUMBER.findall(line)}


def was_made(exchange: Exchange, action: ActionRow) -> bool:
    """Whether an edit was made: it did not fail, or the agent ends its turn with the number that it brings in.

    One that failed is mostly tried again in another way, as a command.
    """
    if not action.is_error or action.tool not in EDITING_TOOLS or exchange.closing is None:
        return not action.is_error
    before, after = (numbers_in(lines) for lines in changed_lines(action.input))
    return not (after - before).isdisjoint(NUMBER.findall(str(exchange.closing["text"])))


def edits_made(exchange: Exchange) -> list[ActionRow]:
    """The edits that were made upon a message."""
    return [each for each in exchange.followed if each.tool in EDITING_TOOLS and was_made(exchange, each)]


def changed_number(exchange: Exchange) -> str:
    """The one edit upon a message that put another number in a line: "in `a.json` `x: 4` became `x: 6`"; '' if none."""
    found = {}
    for action in edits_made(exchange):
        before, after = changed_lines(action.input)
        same = len(before) == len(after) == 1 and NUMBER.sub("0", before[0]) == NUMBER.sub("0", after[0])
        if same:
            name = action.target.split("\n")[0].rsplit("/", 1)[-1]
            found[after[0]] = f"in `{name}` `{shortened(before[0])}` became `{shortened(after[0])}`"
    return next(iter(found.values())) if len(found) == 1 else ""


def told_change(exchange: Exchange) -> str:
    """What the agent ends its turn with, where that tells an old number with the new one; '' if it does not."""
    said = "" if exchange.closing is None else str(exchange.closing["text"])
    one = next((each.text for each in split(said) if BECOMES.search(each.text)), "")
    return one.replace('"', "'").rstrip(".") if one and len(one) <= MOST_TOLD else ""


def is_made_of(exchange: Exchange, lower: str) -> bool:
    """Whether words tell a new value by the old one, and it was set."""
    return RELATIVE.search(lower) is not None and bool(changed_number(exchange) or told_change(exchange))


def with_new_value(exchange: Exchange, text: str) -> str:
    """A text that tells a new value by the old one with both values: the next reader must not change it once more."""
    if not text or " became `" in text or RELATIVE.search(text.lower()) is None:
        return text
    change = changed_number(exchange)
    told = "" if change else told_change(exchange)
    if not change and not told:
        return text
    whole = THAN_NOW.sub(r"\1\2 before", text)
    return f"{whole.rstrip('.')} ({change})." if change else f'{whole.rstrip(".")} (the agent: "{told}").'
