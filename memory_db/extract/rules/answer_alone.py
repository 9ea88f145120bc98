"""An answer that needs no question: one that says all by itself, and one whose value the question names the thing of.

In: a question of the agent and the sentences of its answer. Out: the text that stands alone, '' where the answer needs
its question. Invariant: pure; every word of it is the user's or the agent's, but for "the ... of ... is".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.phrasing import stated
from memory_db.extract.rules.prose import judge, spelt_out, tables_of_all
from memory_db.extract.rules.questions import AFFIRMS, ASKS_AGREEMENT, ASKS_LEAVE, DENIES, OPENING, Asked, one_line
from memory_db.extract.rules.surroundings import IS_TASK, content, leans_back, misses_noun
from memory_db.text.sentences import Sentence

ENOUGH = 5
"""Points from which an answer says all by itself. Source: ours, by eye, on the seen half of bench/data/sessions."""

FEWEST_OF_RULE = 2
"""Words that mean something in the shortest rule that is told without its question. Source: ours."""

MOST_LITTLE_WORDS = 4
"""Words of the longest remark before an answer that is left out: "ah, my typo". Source: ours."""

CHANGES = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|ok|okay|sure|fine|agreed|right|good|please|it does|do (?:it|that)|go ahead)\b[,.! ]*)+"
    r"(?:but )?(?:with (?:one|a|this|the following|two|a small) (?:\w+ )?(?:change|exception|difference|condition)s?)"
    r"[:,] (?P<rule>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""How somebody agrees but for one thing, which is told behind it."""

BANS = re.compile(
    r"^\W*(?:no+|nope|nah|stop|whoa|hey)\b[,.! ]+(?P<rule>(?:hands off|never|don'?t|do not|keep|leave|stay)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""How somebody answers with what may not be touched at all: "no, hands off samples/"."""

WHO_MAY = re.compile(
    r"^\W*(?:(?:no+|nope|nah|stop|whoa|hey|oh|ah|please)\b[,.! ]+)*(?P<rule>(?:(?:i|you|u) (?:do|make|run|write|apply|"
    r"plan|commit|push|merge|deploy|release|tag|send|post)\b(?! (?:it|that|this|them|so|not)\b)[^,.;!?]*[,.;!] ?"
    r"(?:and |but )?(?:you|u|i)\b.*|(?:you|u) (?:never|always|only)\b.*|one \w+ at a time\b.*))$",
    re.IGNORECASE | re.DOTALL,
)
"""How somebody answers with who does what, or how they are to be asked: "you plan, i apply. never apply yourself"."""

NAMED = re.compile(r"(?<!\w)[\w.-]*/[\w./-]*|`[^`\n]+`|\b[\w-]+\.[a-z]{1,5}\b")
"""A file, a folder or a name in code."""

OF_WHAT = (
    re.compile(
        r"^(?:and |so )?(?:what|which) (?:is|was|are) the (?P<what>[\w-]+(?: [\w-]+)?) (?:of|for) "
        r"(?P<thing>[^?,;]{2,50})\?$",
        re.I,
    ),
    re.compile(
        r"^(?:and |so )?(?:what|which) (?P<what>port|address|host|name|version|limit|timeout|size|user|branch|path|"
        r"folder|colou?r|number|rate|schedule|time|day|length|width|format) (?:should|shall|must|does|do|will) "
        r"(?P<thing>[^?,;]{2,50}?) (?:have|use|get|run on|listen on|be on|take|wear)\?$",
        re.I,
    ),
)
"""Questions for the value of something that they name."""

ELLIPTIC = re.compile(r"^\W*(?:on|in|at|by|with|via|from|for|to|under|behind|after|before|not|only|both|neither)\b")
"""How an answer begins whose subject and verb stand in the question."""

BARE = re.compile(r"^\W*[\w.:%-]+\W*$")
"""One word or value."""

STANDS_FOR = re.compile(r"\b(?:it|its|this|that|these|those|them|they|one|i|we|you|he|she|us|me)\b", re.IGNORECASE)
VALUE = re.compile(r"^[\w.:/@%€$-]*\d[\w.:/@%€$-]*(?: [a-z%€$]{1,10})?$|^[A-Za-z][\w-]*(?:[./:@_-][\w-]+)+$")
"""A number with its unit, or a name to the letter."""


VALUE_LAST = re.compile(
    r"^(?P<why>.*\w.*?)[.!]\s+(?P<value>(?:(?:so|then|rather|better|make|take|use|set|put|it|that|to|at|let's|lets|"
    r"say)\b[ ,]*)*"
    r"[$€£]?\d[\w.,:]*(?: ?[%€$£°]| (?!is\b|are\b|was\b)[a-z]{1,10})??(?:,? (?:for (?:good|all|ever|both)|then|please|"
    r"pls|everywhere|always|from now on))*)[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
"""An answer that says why before it ends with its value: "seven is a joke, people ask 2 weeks after. 21"."""


def value_first(said: str) -> str:
    """An answer with its value before what it says of why, so that the new one is read and not the one it refuses."""
    match = VALUE_LAST.match(said)
    if match is None or (match["why"].lstrip()[:1].isdigit() and BARE.match(match["why"])):
        return said
    return f"{match['value'].rstrip(' ,;')} ({match['why'].strip(' ,;')})"


def told_alone(question: Asked, quote: str, sentences: Sequence[Sentence]) -> str:
    """The text of an answer that needs no question; '' where it does. `sentences` are those of `quote`, in order."""
    changed = CHANGES.match(one_line(quote))
    if changed is not None and len(content(changed["rule"])) >= ENOUGH:
        return stated(changed["rule"])
    value = value_of(question, quote)
    if value:
        return value
    banned = BANS.match(one_line(quote))
    named = NAMED.search(banned["rule"]) if banned else None
    if banned and named and named[0].strip("`") not in question.question:
        return stated(banned["rule"])
    who = WHO_MAY.match(one_line(quote))
    if who is not None and len(content(who["rule"])) >= FEWEST_OF_RULE:
        return stated(who["rule"])
    if ASKS_AGREEMENT.match(question.question) or ASKS_LEAVE.match(question.question):
        return ""
    for number, one in enumerate(sentences):
        if says_all(one):
            return stated(quote[one.start - sentences[0].start :])
        if not says_little(one) or number + 1 == len(sentences):
            return ""
    return ""


def says_all(sentence: Sentence) -> bool:
    """Whether a sentence states something of what it names, and is no yes or no."""
    lower = spelt_out(OPENING.sub("", sentence.masked))
    if AFFIRMS.match(sentence.masked) or DENIES.match(sentence.masked) or IS_TASK.search(lower):
        return False
    first = " ".join(lower.split()[:3])
    if (
        ELLIPTIC.match(lower)
        or leans_back(sentence)
        or misses_noun(lower)
        or STANDS_FOR.search(first)
        or not re.search(rf"\b{STATIVE}\b", lower)
    ):
        return False
    found = judge(sentence, tables_of_all([sentence])[0], role="user", after_action=False)
    return found is not None and found.points >= ENOUGH


def says_little(sentence: Sentence) -> bool:
    """Whether a sentence is a remark before the answer: no yes, no no and no value."""
    is_yes_or_no = AFFIRMS.match(sentence.masked) or DENIES.match(sentence.masked)
    is_short = len(sentence.text.split()) <= MOST_LITTLE_WORDS
    return is_short and not is_yes_or_no and re.search(r"\d|`", sentence.text) is None


def value_of(question: Asked, quote: str) -> str:
    """The statement that a bare value makes with its question: "The port of staging is 8010."."""
    body = re.sub(r",? (?:please|then|thanks|thx|of course)$", "", OPENING.sub("", one_line(quote)).strip(" .!"))
    asked = next(filter(None, (each.match(question.question) for each in OF_WHAT)), None)
    if asked is None or VALUE.match(body) is None or STANDS_FOR.search(asked["thing"]):
        return ""
    return f"The {asked['what']} of {asked['thing'].strip()} is {body}."
