"""A short text as what it claims: clauses with their words, values, polarity and the place where they hold.

In: the text of a memory or candidate. Out: a `Reading`. Invariant: pure (no database, clock or chance), never raises,
and linear in the length of the text, of which READ_CHARACTERS are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from memory_db.text.deeds import tells_deed
from memory_db.text.number_words import ONES, TENS, in_figures
from memory_db.text.open_values import OPEN
from memory_db.text.opposites import GROUP_OF, SAME
from memory_db.text.places import PLACES
from memory_db.text.terms import STOP_WORDS
from memory_db.text.things import is_thing

READ_CHARACTERS = 2_000
"""What stands further on is detail. Source: ours; nine of ten memories are shorter than 400."""

MOST_CLAUSES = 12
"""Pairs of clauses are compared, so their number is bounded."""

KNOWN_TEXTS = 20_000
"""Readings kept in this process: a gate compares each memory with many candidates."""

WEAK = STOP_WORDS | frozenset(
    """always prefer prefers preferred need needs keep keeps set sets simply directly straight fine okay default
    currently project repo repository code want wants like likes write writes put puts listen listens live lives
    serve serves bind binds expose exposes reach via instead rather than should ought ensure sure please remember
    every everything each all any anything allowed okay good new one run runs running uses used using make makes
    makes work works go goes come comes get gets take takes still actually really thing things way lot bit kind
    note rule team everybody everyone anyone somebody expect expects require requires required must shall ever
    find finds found give gives
    exactly stay stays correct right wrong true value current sit sits sitting happen happens done across it's
    belong belongs show shows see choose chose chosen since mean means own enough fine
    within without per between above below among beside besides toward towards onto upon
    that's there's we're they're i'm you're let's onwards onward today hence yet already""".split()
)
"""Words that tell little of what a clause is about, besides those that a question leaves out."""

CURLY = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2011": "-", "\u00a0": " "})

TOKEN = re.compile(
    r"(?P<link>[a-z][a-z0-9+.-]*://[^\s<>\"')\]]+)"
    r"|(?P<path>(?:~|\.{1,2})?(?:/[\w.@{}-]*\w)+/?|(?:[\w.@-]{1,60}/)+[\w.@-]*|"
    r"\.?[\w-]{1,60}(?:\.[\w-]{1,40}){0,4}\.(?:py|js|ts|tsx|jsx|go|rs|rb|java|sql|sh|"
    r"ya?ml|json|toml|ini|cfg|env|lock|md|rst|txt|csv|html|css)\b|(?<!\w)\.[a-z]\w+(?:\.\w+)*)"
    r"|(?P<version>v?\d+(?:\.\d+)+(?:-?(?:alpha|beta|rc|a|b)\.?\d*)?|v\d+)"
    r"|(?P<time>\d{1,2}:\d\d|\d{1,2} ?[ap]m\b)"
    r"|(?P<number>\d[\d_,]*\d|\d)(?P<unit>(?: ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|"
    r"kb|mb|gb|tb|k|m|%|percent|px|spaces?|characters?|columns?|lines?|workers?|threads?|retries|attempts|"
    r"replicas?)\b|%)?)|(?P<flag>--?[a-z][\w-]*)"
    r"|(?P<word>[^\W_]+(?:[._'+#-]+[^\W_]+)*[+#]*|_+\w+)"
)

NUMBERS = {word: str(number) for word, number in (ONES | TENS).items()}

PRONOUN = re.compile(r"\b(?:the|that|this|which|no|any|every|each|an?|new|old|last|first) $")
"""Before `one` where it is no number."""

NEGATIVE = frozenset(
    """never not no avoid avoids avoiding without stop stops forbid forbids forbidden prohibit prohibited disable
    disables disabled disabling off skip skips skipping ban bans banned refuse disallow disallows disallowed cannot
    neither nor hate hates dislike dislikes don't doesn't didn't isn't aren't wasn't won't can't mustn't shouldn't
    dont doesnt cant wont shouldnt nobody nothing none forget forgets reject rejects refrain drop drops omit omits
    unnecessary discouraged deny denied ain't wouldn't needn't haven't hasn't useless pointless unwanted""".split()
)
"""Words that turn a clause round; two of them turn it back."""

BINDING = frozenset("in on at for with to from by of into over than and or because anymore longer more".split())
"""Words behind which stands no more what a negation denies, but where or with what."""

POSITIVE = frozenset("enable enables enabled enabling allow allows allowed permit permitted on do does okay".split())

UNIVERSAL = frozenset("always never every all each any must everything nothing only nobody".split())

PLACE = re.compile(
    r"\b(?:in|on|for|during|under|against|inside|within) (?:(?:the|our|all|a|your|unit|integration|its) ){0,2}"
    r"(?P<place>tests?|testing|production|prod|live|staging|ci|dev|development|windows|"
    r"linux|mac|macos|android|ios|preview|sandbox|demo|qa)\b"
    r"|\b(?P<bare>locally|production|prod|staging|ci|macos|windows|linux|android|ios|qa|sandbox|preview"
    r"|(?:test|dev|development|local)(?= (?:database|db|server|environment|env|cluster|instance|machine|setup|stack)))"
    r"\b"
)

MOMENT = re.compile(
    r"\b(?:when|whenever|if|unless|while|during|once|(?:before|after)(?! \d)|until|except|"
    r"only (?:in|on|for|when|if|during|after))\b"
)

TURNING = frozenset(["before", "after", "unless", "until", "except"])
"""Words that make another condition of the same words."""

CLAUSE = re.compile(
    r"(?<=[.!?])\s+|\n+|;\s*|\s+(?:--|–|—|-)\s+|,?\s+but\s+|,?\s+and\s+(?=(?:never|always|don't|do not|not|avoid|"
    r"please|use|then)\b)|,\s+(?=(?:use|never|always|don't|do not|avoid|prefer|so|we|i|it|he|she|they|which|and|because"
    r"|since|the)"
    r"\b)"
)
"""Where one claim ends and the next begins."""

POSSESSIVES = frozenset({"mine", "your", "yours", "her", "hers", "our", "ours", "their", "theirs"})
"""Words that set nothing aside: whose a thing is not tells nothing of what another text says is mine."""

CONTRAST = re.compile(
    r"(?:,|\band|\bor)?\s*\b(?:instead of|rather than|in place of|as opposed to|over(?= [`\w.-]+(?: for\b|[.,]|$))|"
    r"(?<=, )(?:not|never)(?= (?!(?:when|if|while|because|before|after|until|yet)\b)"
    r"(?:[\w./-]+ ){0,3}[\w./-]+(?:[.!]|$))"
    r"|and not|but not) (?P<rejected>[^,.;:()!]+?)"
    r"(?=,|;|:|\(|!|\.(?:\s|$)| for | to | in | when | because | on | as | everywhere| here|$)"
)
"""What a clause sets aside: "pnpm instead of npm", "pnpm, not npm"."""

APART = re.compile(r"\b(time|set|log|back|front|data|run|file|work)[ -](outs?|up|in|ends?|bases?|time|names?|flows?)\b")
"""Words that are written as one or as two."""


CHANGING = re.compile(
    r"\b(?:from now on|from today|from here on|from (?:this|next) \w+ on|from (?:tonight|tomorrow|\w+day) on|as of "
    r"(?:today|now|this|v?\d|last|yesterday|monday|the)|"
    r"starting (?:now|today|this|next|with)|going forward|effective (?:immediately|today)|no longer|any ?more|used to|"
    r"(?<!not )(?<!\.)now(?!\()|nowadays|these days|correction|scratch that|changed my mind|i was wrong|"
    r"on second thoughts?|update:|switched|migrated|moved|has changed|was changed|have changed|replaced|replaces|"
    r"henceforth|the new rule|new rule|bumped|upgraded|raised|lowered|renamed|we changed|got changed"
    r"|instead of what|after all)\b"
)
"""Words that say that something changed, though not what."""

TAKEN = re.compile(r" \(in `[^`]{1,200}` [^()]{0,600}(?:\([^()]{0,200}\)[^()]{0,300}){0,4}\)\.?$")
"""The edit that took up a value, at the end of a text."""

FEWEST_OWN = 5
"""Words of the shortest text that is read without its edit. Source: ours."""

ANSWERED = re.compile(
    r"\", the user chose |\b(?:the user|they|user) (?:said|answered|replied|chose|corrected)\b[^:]{0,60}:"
)
"""Behind it stands what somebody said or chose, before it what that was the answer to."""

IDLE = re.compile(
    r"\b(?:i(?:'ve| have)? changed my mind|(?:from|starting) (?:now|today|here|this week)(?: on)?|going forward|"
    r"as of (?:now|today)|on second thoughts?|scratch that|correction|i was wrong|effective immediately|"
    r"after all)\b[,:]*"
)
"""What says that something changes and nothing of what."""

BY_ME = re.compile(
    r"^(?:and |so |but )?i(?:'ll|'d| will| always| usually)? (?!want|like|prefer|need|expect|told|said|hate|don't)"
    r"|^(?:and |so |but |please )?leave (?:[\w-]+ ){1,6}(?:to|for) me\b"
)
"""A clause on what its speaker does, or keeps for themself, which orders nobody to do it."""


@dataclass(slots=True, frozen=True)
class Clause:
    """One claim. `words` are stems, `terms` stems and values, `raw` words as they stand; `rejected` what it sets aside.

    `counted` are stems that stand right behind a bare number, `denied` those that stand right behind what negates.
    `unset` are values and names of tools that it only gives as one of several, or as an example. `is_new` where it is
    said to be a change, `is_by_me` where it tells what its speaker does or keeps for themself, `is_deed` where it tells
    what somebody did.
    """

    terms: frozenset[str]
    words: frozenset[str]
    values: frozenset[tuple[str, str]]
    antonyms: frozenset[tuple[str, str]]
    rejected: frozenset[str]
    condition: frozenset[str]
    places: frozenset[str]
    raw: frozenset[str]
    counted: frozenset[str]
    denied: frozenset[str]
    unset: frozenset[str]
    is_negative: bool
    is_universal: bool
    is_new: bool
    is_by_me: bool
    is_deed: bool


@dataclass(slots=True, frozen=True)
class Reading:
    """A text as it is compared: its clauses, and all that they have together; `terms` are stems and values."""

    clauses: tuple[Clause, ...]
    terms: frozenset[str]
    words: frozenset[str]
    values: frozenset[tuple[str, str]]
    places: frozenset[str]

    @property
    def conditions(self) -> frozenset[str]:
        """The words of all its conditions."""
        return frozenset().union(*(clause.condition for clause in self.clauses))

    @property
    def turns(self) -> int:
        """How many clauses say that something is not so, or not to be done."""
        return sum(clause.is_negative for clause in self.clauses)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a word in lower case, by Porter's second stemmer."""
    return str(snowballstemmer.stemmer("english").stemWord(word))  # it keeps its word in itself: one for each call


WEAK_STEMS = frozenset(map(stem, WEAK)) | frozenset(
    "kept made taken took given gone came ran written wrote held".split()
)
"""Weak words in all their forms, which tell nothing of what is denied: "is not needed", "are not kept"."""


@lru_cache(maxsize=KNOWN_TEXTS)
def own_words(text: str) -> str:
    """A text without the edit that took up its value, where it says enough without it: an edit's values are of code."""
    told = TAKEN.sub("", text)
    return told if len(told.split()) >= FEWEST_OWN else text


@lru_cache(maxsize=KNOWN_TEXTS)
def answered(text: str) -> tuple[str, str]:
    """What a text says was asked or done before, '' where it says nothing of the kind, and what was said to it."""
    found = list(ANSWERED.finditer(text))
    if not found or not text[found[-1].end() :].strip():
        return "", text
    return text[: found[-1].start()], text[found[-1].end() :]


@lru_cache(maxsize=KNOWN_TEXTS)
def reading(text: str) -> Reading:
    """What a text claims."""
    plain = in_figures(own_words(text[:READ_CHARACTERS]).translate(CURLY).casefold().replace("`", ""))
    plain = APART.sub(lambda match: "".join(match.groups()), plain)
    parts: list[str] = []
    for part in filter(str.strip, CLAUSE.split(plain)):
        if parts and MOMENT.match(parts[-1].strip()) and parts[-1].strip()[-1] not in ".!?;":
            parts[-1] += ", " + part  # when something is, and what is to be done then, are one claim
        else:
            parts.append(part)
    del parts[MOST_CLAUSES:]
    clauses = claims(parts)
    words = frozenset().union(*(clause.words | clause.condition | clause.rejected for clause in clauses))
    values = frozenset().union(*(clause.values for clause in clauses))
    return Reading(
        clauses=clauses,
        terms=words | {value for _, value in values},
        words=words,
        values=values,
        places=frozenset().union(*(clause.places for clause in clauses)),
    )


def claims(parts: Iterable[str]) -> tuple[Clause, ...]:
    """The claims of the parts that make any; one that only says "from now on" tells that the next one is new."""
    found, is_new = [], False
    for part in parts:
        is_new = is_new or CHANGING.search(part) is not None
        clause = clause_of(IDLE.sub(" ", part).strip(" ,"), is_new)
        if clause.words or clause.values or clause.rejected:
            found.append(clause)
            is_new = False
    return tuple(found)


def clause_of(part: str, is_new: bool) -> Clause:
    """One part of a text, in lower case, as a claim."""
    rejected: set[str] = set()
    for match in CONTRAST.finditer(part):
        rejected |= set(stems(match["rejected"])) - POSSESSIVES
    main = CONTRAST.sub(" ", part)
    moment = MOMENT.search(main)
    condition: frozenset[str] = frozenset()
    if moment:
        end = main.find(",", moment.end())
        stop = end if end >= 0 else len(main)
        word = moment.group().split()[0]
        condition = frozenset([*stems(main[moment.end() : stop]), *([word] if word in TURNING else [])])
        main = main[: moment.start()] + " " + main[stop:]
    rejected -= set(stems(main))  # "local time, not browser time" sets aside the browser's
    places = {PLACES[match["place"] or match["bare"]] for match in PLACE.finditer(part)}
    main = PLACE.sub(" ", main)
    return read_claim(main, part, frozenset(rejected), condition, frozenset(places), is_new)


def read_claim(
    main: str, part: str, rejected: frozenset[str], condition: frozenset[str], places: frozenset[str], is_new: bool
) -> Clause:
    """The claim of a clause without its condition, its place and what it sets aside."""
    words, values, antonyms, raw, counted, negatives = set(), set(), set(), set(), set(), 0
    denied: set[str] = set()
    is_after_number, is_denying = False, False
    for match in TOKEN.finditer(main):
        sort, token = match.lastgroup or "word", match.group()
        is_counted, is_after_number = is_after_number, sort == "number" or token in NUMBERS
        if sort == "unit" or sort == "number":
            value = match["number"].replace(",", "").replace("_", "")
            values.add((unit_of(match["unit"]), value))
        elif sort == "word":
            raw.add(token)
            negates = token in NEGATIVE and not is_thing(token, main, match.start())
            negatives += negates
            is_denying = negates or (is_denying and token not in BINDING)
            if token in NUMBERS and not (token == "one" and PRONOUN.search(main, 0, match.start())):
                values.add(("", NUMBERS[token]))
                continue
            if token in GROUP_OF:
                antonyms.add((GROUP_OF[token], SAME.get(token, token)))
            own = set(map(stem, parts_of(token)))
            words |= own
            if is_denying and own and own.isdisjoint(WEAK_STEMS):
                denied, is_denying = denied | own, False
            counted |= own if is_counted else set()
        else:
            values.add((sort, token.rstrip("/.").lstrip("v") if sort == "version" else token.rstrip("/.")))
    every = set(re.findall(r"[\w']+", part))
    return Clause(
        terms=frozenset(words) | {value for _, value in values},
        words=frozenset(words),
        values=frozenset(values),
        antonyms=frozenset(antonyms),
        rejected=rejected,
        condition=condition,
        places=places,
        raw=frozenset(raw),
        counted=frozenset(counted),
        denied=frozenset(denied),
        unset=unset_in(main),
        is_negative=negatives % 2 == 1,
        is_universal=bool(every & UNIVERSAL),
        is_new=is_new,
        is_by_me=BY_ME.match(part) is not None,
        is_deed=tells_deed(part),
    )


def unset_in(main: str) -> frozenset[str]:
    """The values and names of tools that a clause only gives as one of several, or as an example."""
    spans = [match.span() for match in OPEN.finditer(main)]
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for match in TOKEN.finditer(main) if spans else ():
        is_open = any(start <= match.start() < end for start, end in spans)
        found[is_open].update(stems(match.group()))
    return frozenset(found[True] - found[False])


def parts_of(token: str) -> list[str]:
    """The distinctive words of a token: of one with hyphens its parts, unless it is a name in a group."""
    parts = [token] if token in GROUP_OF or "-" not in token else token.split("-")
    return [part for part in parts if part not in WEAK and part not in NEGATIVE and part not in POSITIVE]


def unit_of(unit: str | None) -> str:
    """A unit in one spelling, '' for a bare number."""
    name = (unit or "").strip()
    return {"sec": "s", "second": "s", "seconds": "s", "minute": "min", "minutes": "min", "hour": "h", "hours": "h",
            "percent": "%"}.get(name, name.rstrip("s") if len(name) > 2 else name)  # fmt: skip


def stems(text: str) -> list[str]:
    """The distinctive words and values of a phrase, in their order."""
    found: list[str] = []
    for match in TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "word":
            if token in NUMBERS:
                found.append(NUMBERS[token])
            elif token not in PLACES:
                found.extend(map(stem, parts_of(token)))
        elif match["number"]:
            found.append(match["number"].replace(",", "").replace("_", ""))
        else:
            found.append(token.rstrip("/."))
    return found


def share(part: Iterable[str], whole: Iterable[str]) -> float:
    """Which share of the first is in the second; 0 where the first is empty."""
    first, second = frozenset(part), frozenset(whole)
    return len(first & second) / len(first) if first else 0.0


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """What both have of what either has, 0 to 1."""
    either = one | other
    return len(one & other) / len(either) if either else 0.0
