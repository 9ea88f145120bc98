"""Whether what an earlier text says may be over by a later one, though nothing proves it: a question for a person.

In: two texts of one place, the later one somebody's own words. Out: why the earlier one may be over, in a few words; ''
where nothing speaks for it. Invariant: pure and bounded; a reason alone never replaces anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory_db.text.attribute_values import IDLE, TELLS_NO_CHANGE, UNITS
from memory_db.text.change_markers import marks
from memory_db.text.languages import STOP_WORDS, language_of
from memory_db.text.statements import CHANGING, CURLY, KNOWN_TEXTS, NEGATIVE, READ_CHARACTERS, WEAK, answered, stem

EDIT = re.compile(r"`(?P<old>[^`]{1,200})` became `(?P<new>[^`]{1,200})`")
"""How the text of a memory tells what an edit did."""

CODE = re.compile(r"`[^`]{1,300}`|(?<![\w/.-])(?:[\w@-]{1,60}[./]){1,9}[\w/-]{1,60}")
"""Commands, files and hosts, whose words tell little of what is spoken of."""

NUMBER = re.compile(r"(?<![\w.])(?P<number>\d[\d_,]*)(?: ?(?P<unit>[a-z%]{1,8}))?(?![\d.]*\d)")
UNIT_NAMES = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "hr": "hour", "d": "day"}
LITERAL = re.compile(r"[\"'](?P<literal>[^\"']{3,80})[\"']")
WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]{3,}")
"""A word; of Chinese and Japanese, which part none, only the names in other letters are compared."""

NAME = re.compile(r"(?<=[\w,;] )[A-Z][\w-]+|(?<![.!?] )(?<!^)(?<![\"'] )\b[A-Z][\w-]+")

SETS = r"(?:\b(?:to|is|are|at most|of|for|after|every|than) |[=:] ?)"
"""Before a bare number that is set."""

LEAVES = re.compile(
    r"\b(?P<who>[A-Z][\w-]+)(?:'s| is| has| was)? (?:(?:now|just|finally|also) )?(?:left\b|gone to\b|gone\b"
    r"|leaving\b|moved (?:on|to|over)\b|went to\b|retired\b|quit\b|stepped down\b|gave up\b|handed over\b"
    r"|on (?:\w+ )?leave\b|no longer\b|doesn't work\b|not with us\b|replaced by\b)"
)
"""Somebody who is no more where they were."""

NOT_ENOUGH = re.compile(
    r"\b(?P<gone>[\w-]+) (?:is not|isn't|isnt|are not|aren't|arent|was not|wasn't|wasnt) (?:really )?"
    r"(?:enough|needed|necessary|possible|allowed|used|right|good|true|the case)\b"
)
"""What is said not to do any more."""

EMPHATIC = re.compile(r"(?<=[a-z] )(?:DO|DOES|IS|ARE|CAN|MAY|WILL|SHOULD)(?= [a-z])|\bafter all\b")
"""How somebody turns round what was said."""

CHANGES = re.compile(
    CHANGING.pattern + r"|\binstead\b|\bback to\b|\bno more\b|\bdropped\b|\bbecomes?\b|\bbecame\b|\bany longer\b"
    r"|\bsince (?:the move|last|yesterday|we (?:moved|switched|went|changed))\b|\bgoes over to\b|\bfor good\b"
    r"|\b(?:has|have) (?:changed|moved|been (?:cut|raised|lowered|renamed|renumbered|moved|changed|doubled|halved))\b"
    r"|\bas of \d|\bfrom (?:the )?(?:\d|beginning of|first of|next)\b|\bnew (?:address|host|number|plan|name|one)\b"
)
"""Words that tell of a change, strictly: `again`, `set` and `change` alone tell of none."""

CHANGES_ELSEWHERE = {
    "de": r"\b(?:ab (?:sofort|jetzt|heute|\d+\.)|von (?:jetzt|nun) an|jetzt|nun|nicht mehr|kein\w* mehr"
    r"|statt(?:dessen)?|inzwischen|neuerdings|mittlerweile|umgezogen|umgestellt|gewechselt|abgeschafft|abgelöst"
    r"|wieder zurück)\b",
    "fr": r"\b(?:désormais|dorénavant|maintenant|à partir (?:de|du)|ne \w+ plus|n'\w+ plus|au lieu d[eu']|à la place"
    r"|(?:on|nous) (?:est|sommes|avons|a) (?:passés?|changé|migré|déménagé)|remplacé\w*)\b",
    "es": r"\b(?:ahora|ya no|a partir de|desde (?:hoy|ahora|el)|en (?:vez|lugar) de|cambiamos|pasamos a|migramos"
    r"|reemplaz\w+|de vuelta a)\b",
    "pt": r"\b(?:agora|já não|não \w+ mais|a partir de|de agora em diante|em (?:vez|lugar) de|mudamos|passamos a"
    r"|migramos|substitu\w+)\b",
    "it": r"\b(?:adesso|ora|ormai|non \w+ più|d'ora in (?:poi|avanti)|da (?:oggi|adesso)|invece di|al posto d\w+"
    r"|siamo passati|abbiamo cambiato|sostitui\w+)\b",
    "pl": r"\b(?:teraz|od (?:teraz|dziś|dzisiaj|jutra)|już nie|zamiast|przenieśliśmy|przeszliśmy|zmieniliśmy|wracamy"
    r"|zastąpi\w+)\b",
    "ru": r"\b(?:теперь|больше не|отныне|с (?:сегодняшнего|этого) \w+|вместо|перешли|переехал\w*|сменили|заменили)\b",
    "zh": r"现在|不再|从现在|从今|今后|改成|改为|改用|换成|换到|搬到|迁移到|取代",
    "ja": r"今後|これから|今は|もう[^。]{0,20}(?:ない|ません)|"
    r"代わりに|に変更|に移行|に移っ|に切り替え|やめて",
    "ko": r"이제|앞으로|더 ?이상|대신|변경|바꿨|바꾸|옮겼|이전했|전환",
}
"""Words that tell of a change in other languages. Source: ours; no reader of these languages has seen them."""

ELSEWHERE = {language: re.compile(pattern) for language, pattern in CHANGES_ELSEWHERE.items()}

SAYS_LITTLE = WEAK | IDLE
"""Words that tell nothing of what a text is about."""

FRAME = frozenset("asked user said agent ran when whether what found became other others never ever".split())
"""Words by which the text of a memory tells who spoke."""

OPENS_ANEW = re.compile(
    r"^\W*(?:ok |so |well |btw |no,? |and )*"
    r"(?!(?:from|as of|right|for|just|by|until|only|even)\b)[\w.-]+ (?:now|these days|nowadays|instead)\b"
)
"""A text that begins with what holds by now: "zsh now"."""

PERMITS = re.compile(r"\byou (?:may|can|could|are allowed to)\b[^.;!?]{0,80}?\b(?:now|from now on|these days)\b")
"""How leave is given that was not given before."""

MOST_GONE_WORDS = 2
"""Distinctive words of the longest phrase that is called over. Source: ours."""

FEWEST_SHARED = 3
"""Words that both texts share where none of them is a name. Source: ours, on the seen half of the labelled sessions."""


@dataclass(slots=True, frozen=True)
class Topic:
    """What a text gives to compare: stems of what it speaks of, names among them, values of its numbers."""

    words: frozenset[str]
    names: frozenset[str]
    hosts: frozenset[str]
    numbers: frozenset[tuple[str, str]]


def perhaps_over(later: str, earlier: str) -> str:
    """Why an earlier text may be over by a later one; '' where nothing speaks for it."""
    return overwritten(later, earlier) or left(later, earlier) or spoken_over(later, earlier) or turned(later, earlier)


def overwritten(later: str, earlier: str) -> str:
    """An edit overwrote a value that the earlier text names, of the same thing by its name or its unit."""
    known = topic_of(earlier)
    held = {plain_code(match["new"]) for match in EDIT.finditer(earlier)}
    was = {plain_code(match["old"]) for match in EDIT.finditer(earlier)}
    for match in EDIT.finditer(later):
        old, new = match["old"], match["new"]
        if plain_code(old) in was:
            continue
        if plain_code(old) in held:
            return f"an edit overwrote {old!r}, which it tells of"
        named = key_of(old) & known.words
        for number, unit in values_of(old) - values_of(new):
            if (number, unit) in known.numbers and (named or unit or is_set(number, earlier)):
                return f"an edit overwrote {number} {unit}".rstrip()
        for literal in LITERAL.finditer(old):
            names = {stem(part) for part in WORD.findall(literal["literal"].casefold()) if len(part) > 3}
            if names & known.words - {stem(part) for part in WORD.findall(new.casefold())}:
                return f"an edit overwrote {literal['literal']!r}"
    return ""


def left(later: str, earlier: str) -> str:
    """Somebody left or handed over, and the earlier text names them."""
    for match in LEAVES.finditer(later.translate(CURLY)):
        who = match["who"]
        if who.casefold() not in WEAK and re.search(rf"\b{re.escape(who)}(?:\b|s\b)", earlier):
            return f"{who} is no more where they were"
    return ""


def spoken_over(later: str, earlier: str) -> str:
    """The later text tells of a change, and both speak of the same."""
    said = answered(flat(later))[1]
    if TELLS_NO_CHANGE.search(said):
        return ""
    new, old = topic_of(later), topic_of(earlier)
    phrases = (*marks(said).gone, *(match["gone"] for match in NOT_ENOUGH.finditer(said)))
    for phrase in phrases:
        gone = {word.removesuffix("s") for word in WORD.findall(phrase) if word not in WEAK}
        if gone and len(gone) <= MOST_GONE_WORDS and gone <= raw_words(earlier):
            return f"{phrase!r} is over"
    if not tells_change(said):
        return ""
    words = new.words & old.words
    names = (new.names | old.names) & words
    own = words & topic_of(said).words
    if own and (len(words) >= FEWEST_SHARED or (names and len(words) >= 2) or OPENS_ANEW.search(said)):
        return "tells of a change, and both speak of " + ", ".join(sorted(words)[:4])
    return ""


@lru_cache(maxsize=KNOWN_TEXTS)
def tells_change(said: str) -> bool:
    """Whether words in lower case tell of a change, in any language that is known."""
    if CHANGES.search(said):
        return True
    language = language_of(said)
    way = ELSEWHERE.get(language or "")
    return way is not None and way.search(said) is not None


def turned(later: str, earlier: str) -> str:
    """The later text turns round what the earlier one says not to be so."""
    said, before = answered(later)[1], answered(flat(earlier))[1]
    fewest = 2 if EMPHATIC.search(said) else 1 if PERMITS.search(flat(said)) else 0
    if fewest and not NEGATIVE.isdisjoint(re.findall(r"[\w']+", before)):
        new, old = topic_of(later), topic_of(earlier)
        words = (new.words | new.hosts) & (old.words | old.hosts)
        if len(words) >= fewest:
            return "turns round what is said of " + ", ".join(sorted(words)[:4])
    return ""


def is_set(number: str, earlier: str) -> bool:
    """Whether a text sets something to a number."""
    return len(number) > 1 and re.search(rf"{SETS}{number}\b", earlier.casefold()) is not None


@lru_cache(maxsize=KNOWN_TEXTS)
def topic_of(text: str) -> Topic:
    """What a text gives to compare."""
    text = text[:READ_CHARACTERS].translate(CURLY)
    bare = CODE.sub(" ", text)
    words = stems_of(bare)
    names = frozenset(stem(part) for name in NAME.findall(bare) for part in WORD.findall(name.casefold()))
    hosts = stems_of(" ".join(CODE.findall(EDIT.sub(" ", text))))
    return Topic(words, names & words, hosts, frozenset(values_of(EDIT.sub(" ", text))))


def stems_of(text: str) -> frozenset[str]:
    """The stems of words that say what a text is about."""
    language = language_of(text)
    idle = STOP_WORDS.get(language or "", frozenset())
    parts = (part for part in WORD.findall(text.casefold()) if part not in SAYS_LITTLE and part not in FRAME)
    return frozenset(part if language else stem(part) for part in parts if part not in idle)


def raw_words(text: str) -> frozenset[str]:
    """The words of a text, those of hosts and paths too, without the s of a plural."""
    return frozenset(word.removesuffix("s") for word in WORD.findall(text[:READ_CHARACTERS].casefold()))


def values_of(text: str) -> set[tuple[str, str]]:
    """The numbers of a text with their units in one spelling, '' for none."""
    found = set()
    for match in NUMBER.finditer(text.casefold()):
        unit = match["unit"] or ""
        unit = UNIT_NAMES.get(unit, unit.rstrip("s") if len(unit) > 2 else unit)
        is_unit = unit in UNITS or unit in UNIT_NAMES.values()
        found.add((match["number"].replace("_", "").replace(",", ""), unit if is_unit else ""))
    return found


def key_of(code: str) -> frozenset[str]:
    """The words of the names in a line of code."""
    found = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", LITERAL.sub(" ", code))
    return frozenset(stem(part.casefold()) for part in found if len(part) > 2)


def plain_code(code: str) -> str:
    """Code without spaces."""
    return "".join(code.split())


def flat(text: str) -> str:
    """A text on one line in lower case."""
    return " ".join(text[:READ_CHARACTERS].translate(CURLY).casefold().replace("`", "").split())
