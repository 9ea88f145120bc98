"""Whether what an earlier text says may be over by a later one, though nothing proves it: a question for a person.

In: two texts of one place, the later one somebody's own words. Out: why the earlier one may be over, in a few words; ''
where nothing speaks for it. Invariant: pure and bounded; a reason alone never replaces anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memory_db.text.absence import left
from memory_db.text.attribute_values import TELLS_NO_CHANGE
from memory_db.text.change_markers import marks
from memory_db.text.handed_over import handed_over
from memory_db.text.landing import lands_otherwise
from memory_db.text.languages import language_of
from memory_db.text.leave import leave_turned
from memory_db.text.other_values import (
    granted,
    in_place_of,
    measured_otherwise,
    other_value,
    set_otherwise,
    set_together,
)
from memory_db.text.over_in_languages import over_in_language
from memory_db.text.pair_tests import OTHERWISE, TELLS_OF_CHANGE, TURNS_ROUND
from memory_db.text.statements import CHANGING, KNOWN_TEXTS, NEGATIVE, WEAK, answered, own_words, reading, stem
from memory_db.text.taken_out import taken_out
from memory_db.text.taking_back import gives_leave, taking_back, turns_round
from memory_db.text.topics import (
    EDIT,
    LITERAL,
    SAYS_LITTLE,
    UNIT_NAMES,
    WORD,
    flat,
    grammatical_subject,
    key_of,
    names_of_code,
    plain_code,
    raw_words,
    stems_of,
    topic_of,
    values_of,
)
from memory_db.text.until_then import until_then

MOST_SAID = 4
"""Words that a reason names."""

SETS = (
    r"(?:\b(?:to|is|are|at most|of|for|after|every|than|höchstens|mindestens|maximal|auf|bis|nach|alle|au plus|"
    r"après|máximo|"
    r"hasta|massimo|fino a|no máximo|najwyżej|не более|до) |[=:] ?)"
)
"""Before a bare number that is set."""

NOT_ENOUGH = re.compile(
    r"\b(?P<gone>[\w-]+) (?:is not|isn't|isnt|are not|aren't|arent|was not|wasn't|wasnt) (?:really )?"
    r"(?:enough|needed|necessary|possible|allowed|used|right|good|true|the case)\b"
)
"""What is said not to do any more."""

EMPHATIC = re.compile(
    r"(?<=[a-z] )(?:DO|DOES|IS|ARE|CAN|MAY|WILL|SHOULD)(?= [a-z])|\bafter all\b|"
    r"\b(?:shall|should|will|do|does|may|can) (?:now )?(?:really|actually|in fact) (?!not\b)[a-z]"
)
"""How somebody turns round what was said."""

CHANGES = re.compile(
    CHANGING.pattern + r"|\binstead\b|\bback to\b|\bno more\b|\bdropped\b|\bbecomes?\b|\bbecame\b|\bany longer\b"
    r"|\bsince (?:the move|last|yesterday|we (?:moved|switched|went|changed))\b|\bgoes over to\b|\bfor good\b"
    r"|\b(?:we|we're) (?:stay|staying|stick|sticking) with\b|\bback (?:at|in|on|with)\b|\bcalled off\b|\bscrapped\b"
    r"|\b(?:has|have) (?:changed|moved|been (?:cut|raised|lowered|renamed|renumbered|moved|changed|doubled|halved))\b"
    r"|\bas of \d|\bbefore(?: that)?,? (?:it|that) was\b|\bfrom (?:the )?(?:\d|beginning of|first of|next)\b"
    r"|\bnew (?:address|host|number|plan|name|one)\b"
)
"""Words that tell of a change, strictly: `again`, `set` and `change` alone tell of none."""

CHANGES_ELSEWHERE = {
    "de": r"\b(?:ab (?:sofort|jetzt|heute|\d+\.)|von (?:jetzt|nun) an|jetzt|nun|nicht mehr|kein\w* mehr"
    r"|bleiben bei|bleibt (?:es )?bei|doch (?:nicht|kein\w*)|zurück auf|seit|statt(?:dessen)?|inzwischen|"
    r"neuerdings|mittlerweile|umgezogen|umgestellt|gewechselt|abgeschafft|abgelöst"
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


OPENS_ANEW = re.compile(
    r"^\W*(?:ok |so |well |btw |no,? |and )*"
    r"(?!(?:from|as of|right|for|just|by|until|only|even)\b)[\w.-]+ (?:now|these days|nowadays|instead)\b"
)
"""A text that begins with what holds by now: "zsh now"."""

RESERVES = re.compile(
    r"\bleave (?:the |all )?[\w ]{2,30}? to me\b|\bi (?:do|push|merge|deploy|release|commit|apply|"
    r"make) [\w ]{0,20}?(?:myself|my own)\b"
    r"|\b[\w ]{2,20} i (?:do|make|merge|push|apply) (?:it )?myself\b|\bonly (?:by )?(?:me|i)\b|\b(?:is|are|"
    r"stays?) mine\b"
)
"""How somebody keeps a thing for themselves."""

HOLDS_NOW = re.compile(
    r"(?:^|[.,;:] (?:so |and |but |also )?)(?:the |our |my |that )?(?P<what>[\w-]+(?: [\w-]+){0,2}?) (?:is|are|"
    r"has|have|runs?|goes|go|lives?|"
    r"belongs?|takes?|starts?|does) (?=[^.;]{2,80}\b(?:now|these days|nowadays|from now on|again|any ?more|"
    r"no longer)\b)"
)
"""Of what a clause says that it is otherwise by now."""


REVISES = re.compile(
    r"\b(?:changed my mind|(?:was|were) wrong|second thoughts?|take (?:that|it|this|something) back)"
    r" (?:about|on|with|for) (?:the |our |my |that |this )?(?P<what>[\w-]+(?: [\w-]+){0,3})"
)
"""Of what somebody says that they think otherwise by now."""


HEAD = re.compile(r" (?:on|in|for|at|of|from|with) ")
"""Behind what is over, where: "wal on the locker db"."""


REASON = re.compile(r"\b(?:because|so that|due to)\b[^.;!?]*")
"""Why something is as it is, which is not what changes."""

PART = re.compile(r"[,.;:](?:\s|$)")
"""Where a part of a sentence ends."""

SAYS_SO = re.compile(
    r"\bno longer\b|\bany ?more\b|\bany longer\b|\bchanged my mind\b|\bscratch that\b|\bfrom now on\b|\bback to\b"
    r"|\binstead\b|\bas of\b|(?<!is )(?<!are )\bused to\b|\b(?:switched(?! o)|moved|migrated|replaced)\b"
)
"""Words by which nobody means anything but a change."""

MOST_GONE_WORDS = 2
"""Distinctive words of the longest phrase that is called over. Source: ours."""

FEWEST_SHARED = 3
"""Words that both texts share where none of them is a name. Source: ours, on the seen half of the labelled sessions."""

FEWEST_TURNED, LEAST_TURNED = 2, 0.4
"""Words that a sentence which ends something shares with what it ends, and their share of that. Source: ours."""


LEAST_OF_SHORTER = 0.5
"""Share of the distinctive words of the text with fewer of them, from which on two are enough. Source: ours."""


FILES = re.compile(
    r"(?<![\w/.*-])(?:[\w@.*-]{1,60}/){1,9}[\w.*-]{0,60}\w"
    r"|(?<![\w/.*-])[\w*-]{1,60}\.[a-z]{2,5}\b(?![\w(])"
)
"""Files and folders, by a pattern of theirs too."""

OF_ANY_FILE = stems_of("edit edits edited write written hand hands manually touch touched file files folder line lines")
"""What is done with any file, so that two texts which name other ones are of one matter by none of it."""

SENTENCE = re.compile(r"(?<=[.!?;])\s+")

MOST_TELLING_WORDS = 40
"""Words of the longest text of which each word may be of its change; of a longer one only the sentences count that tell
of it. Source: ours, on the seen half of the labelled sessions."""


def perhaps_over(later: str, earlier: str) -> str:
    """Why an earlier text may be over by a later one; '' where nothing speaks for it."""
    return (
        overwritten(later, earlier)
        or plainly_over(later, earlier)
        or over_in_language(later, earlier)
        or measured_otherwise(later, earlier)
        or spoken_over(later, earlier)
        or turned(later, earlier)
        or set_otherwise(later, earlier)
        or set_together(later, earlier)
        or in_place_of(later, earlier)
        or granted(later, earlier)
    )


def plainly_over(later: str, earlier: str) -> str:
    """What of an earlier text is over by a later one, even where that has most of its words."""
    return (
        left(later, earlier)
        or handed_over(later, earlier)
        or until_then(later, earlier)
        or taken_out(later, earlier)
        or lands_otherwise(later, earlier)
    )  # fmt: skip


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
        lost = values_of(old) - values_of(new)
        lost |= {(number, unit) for number, _ in lost for unit in UNIT_NAMES.values() if stem(unit) in key_of(old)}
        for number, unit in sorted(lost):
            if (number, unit) in known.numbers and (named or unit or is_set(number, earlier)):
                return f"an edit overwrote {number} {unit}".rstrip()
        for literal in LITERAL.finditer(old):
            names = {stem(part) for part in WORD.findall(literal["literal"].casefold()) if len(part) > 3}
            if names & known.words - {stem(part) for part in WORD.findall(new.casefold())}:
                return f"an edit overwrote {literal['literal']!r}"
    return ""


def set_anew(later: str, earlier: str) -> str:
    """The setting, by its name, that an edit of the earlier text made and one of the later text made otherwise."""
    held = {plain_code(match["new"]) for match in EDIT.finditer(earlier)}
    for match in EDIT.finditer(later):
        names = key_of(match["old"])
        if names and names == key_of(match["new"]) and plain_code(match["old"]) in held:
            return match["old"]
    return ""


def overwrites_named(later: str, earlier: str) -> str:
    """The number that an edit of the later text overwrote, where the earlier one sets the same thing to it by name.

    For a machine to decide on, so narrower than `overwritten`: by name alone, and not where the earlier text has the
    new number as well.
    """
    known = topic_of(earlier)
    told = {number for number, _ in topic_of(answered(earlier)[1]).numbers}  # what is only asked about sets nothing
    for match in EDIT.finditer(later):
        old, new = ({number for number, _ in values_of(match[side])} for side in ("old", "new"))
        lost = {number for number in (old - new) & told if len(number) > 1}
        if lost and key_of(match["old"]) & known.words and told.isdisjoint(new):
            return min(lost)
    return ""


def spoken_over(later: str, earlier: str) -> str:
    """The later text tells of a change, and both speak of the same."""
    said = answered(flat(later))[1]
    if TELLS_NO_CHANGE.search(said):
        return ""
    new, old = topic_of(later), topic_of(earlier)
    revised = next((match["what"] for match in REVISES.finditer(said)), "")
    if revised and len(stems_of(revised) & old.words) >= min(2, len(stems_of(revised))):
        return f"somebody thinks otherwise about {revised!r} by now"
    phrases = (*marks(said).gone, *(match["gone"] for match in NOT_ENOUGH.finditer(said)))
    for phrase in (each for one in phrases for each in (one, HEAD.split(one)[0])):
        gone = {word.removesuffix("s") for word in WORD.findall(phrase) if word not in WEAK}
        if gone and len(gone) <= MOST_GONE_WORDS and gone <= raw_words(earlier):
            return f"{phrase!r} is over"
    if not tells_change(said):
        return ""
    for match in HOLDS_NOW.finditer(said):
        what = {stem(word) for word in WORD.findall(match["what"]) if word not in SAYS_LITTLE}
        is_told = len(what) > 1 or len(topic_of(said).words & old.words) > 1
        if what and what <= old.words and is_told and names_a_value(earlier):
            return f"{match['what']}{OTHERWISE}"
    named = names_of_code(own_words(answered(later)[1])) & names_of_code(own_words(earlier))
    if named and len(topic_of(said).words & old.words) >= 2:
        return f"{TELLS_OF_CHANGE}name " + ", ".join(sorted(named)[:3])
    about = grammatical_subject(earlier)
    if about and any(SAYS_SO.search(part) and about <= stems_of(part) for part in PART.split(said)):
        return f"{TELLS_OF_CHANGE}speak of " + as_said(about, earlier)
    if len(said.split()) > MOST_TELLING_WORDS:
        new = topic_of(" ".join(each for each in SENTENCE.split(said) if tells_change(each)) or later)
    words = new.words & old.words
    if work_on_other_files(said, flat(earlier)):
        words -= OF_ANY_FILE
    names = (new.names | old.names) & words
    own = words & topic_of(REASON.sub(" ", said)).words
    fewest_said = min(len(topic_of(said).words), len(old.words))
    is_most = len(own) >= 2 and len(own) >= LEAST_OF_SHORTER * fewest_said
    if own and (len(words) >= FEWEST_SHARED or is_most or (names and len(words) >= 2) or OPENS_ANEW.search(said)):
        return f"{TELLS_OF_CHANGE}speak of " + as_said(words, earlier)
    return ""


def work_on_other_files(said: str, before: str) -> bool:
    """Whether two texts in lower case each name files, and none that the other names."""
    new, old = (frozenset(FILES.findall(text)) for text in (said, before))
    return bool(new and old) and new.isdisjoint(old)


def as_said(stems: Iterable[str], text: str) -> str:
    """Up to four of the words that begin with these stems, in the form and order in which a text first has them."""
    wanted = set(stems)
    found: dict[str, str] = {}
    for word in WORD.findall(text.casefold()):
        if (known := stem(word)) in wanted:
            found.setdefault(known, word)
    return ", ".join([*found.values(), *sorted(wanted - found.keys())][:MOST_SAID])


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
    fewest = 1 if gives_leave(flat(said)) else 2 if EMPHATIC.search(said) or turns_round(said) else 0
    if fewest and is_barring(before):
        new, old = topic_of(later), topic_of(earlier)
        words = (new.words | new.hosts) & (old.words | old.hosts)
        denied = [clause.terms & reading(said).terms for clause in reading(before).clauses if clause.is_negative]
        if len(words) >= fewest or (words and max(map(len, denied), default=0) >= fewest):
            return other_value(later, earlier) or TURNS_ROUND + as_said(words, before)
    return ""


def is_barring(before: str) -> bool:
    """Whether words in lower case say that something is not so or not to be done, or is for the speaker to do."""
    return not NEGATIVE.isdisjoint(re.findall(r"[\w']+", before)) or RESERVES.search(before) is not None


def taken_back(later: str, earlier: str) -> str:
    """What a sentence of the later text turns round of what the earlier one bars, where it is most of that one.

    For a machine to decide on, so narrower than `turned`.
    """
    said, before = answered(later)[1], answered(flat(earlier))[1]
    if acts := leave_turned(said, before):
        return acts
    if not is_barring(before):
        return ""
    old = topic_of(before)
    known = old.words | old.hosts
    for sentence, _ in taking_back(said):
        new = topic_of(sentence)
        words = (new.words | new.hosts) & known
        is_most = len(words) >= FEWEST_TURNED and len(words) >= LEAST_TURNED * len(known)
        if is_most and turns_round(sentence) and not bars_it_too(sentence, words):
            return as_said(words, before)
    return ""


def bars_it_too(sentence: str, words: frozenset[str]) -> bool:
    """Whether the clause of a sentence that has most of some words says that it is not so, or not to be done."""
    nearest = max(reading(sentence).clauses, key=lambda clause: len(clause.words & words), default=None)
    return nearest is not None and nearest.is_negative


def names_a_value(text: str) -> bool:
    """Whether a text has a number, a path, a name of code or a name, so that there is something to be otherwise."""
    return bool(re.search(r"\d|`|\w[/._]\w", text) or topic_of(text).names)


def is_set(number: str, earlier: str) -> bool:
    """Whether a text sets something to a number."""
    return len(number) > 1 and re.search(rf"{SETS}{number}\b", earlier.casefold()) is not None
