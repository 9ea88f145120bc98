"""Why what was said is not to be kept, as its exchange shows: for the rules and for the candidates of a model alike.

In: an exchange and the words that are quoted of it. Out: the reason in a few words, '' where there is none. Invariant:
pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memory_db.extract.rules.carried_out import is_carried_out
from memory_db.extract.rules.ends_soon import ends_soon
from memory_db.extract.rules.exchanges import Exchange
from memory_db.extract.rules.mended import has_edit, is_mended
from memory_db.extract.rules.momentary import is_momentary
from memory_db.extract.rules.passing import is_over_with_it
from memory_db.extract.rules.patterns import RULE_WORDS
from memory_db.extract.rules.prose import READ_CHARACTERS, spelt_out
from memory_db.extract.rules.run_as_told import is_run_as_told
from memory_db.extract.rules.surroundings import IS_TASK, SENDS, is_taken_up
from memory_db.extract.rules.task_words import FORM
from memory_db.extract.rules.wanted_once import is_wanted_once
from memory_db.extract.rules.where import ONLY_SCOPE
from memory_db.text.attribute_values import settings_of
from memory_db.text.how_long import LASTS_FROM
from memory_db.text.quoting import JOKE, JOKES, LAUGH, PASTED, TEST, WHAT_IF, is_supposed, tries_input
from memory_db.text.statements import CHANGING
from memory_db.text.taking_back import revokes
from memory_db.text.telling_orders import is_put_off, tells_failure

TASK_FOR_NOW, DROPPED = "a task for now, not knowledge", "dropped in the next message"
FOR_THE_MOMENT = "about the moment, not about how things are"
MENDED = "a fault that was mended since"
INCOMPLETE = "a part of a sentence, without what it says"

CLAUSE = re.compile(
    r"^\W*(?:(?:and|but|so) )?(?:before|after|when|while|until|once|if|as soon as) (?:we|you|i|they|it|that|this|"
    r"anyone|anything)\b[^,:;–—-]{0,40}$"
)
"""A clause of time or condition alone: "before we change anything"."""

WITHOUT_MATTER = re.compile(
    r"^\W*(?:(?:no|hmm*|well|oh|thanks),? )*i(?:'d| would) rather not(?: (?:yet|now|today))?\W*$|"
    r"^\W*such an? (?:[\w-]+ ){1,2}(?:should|must|has to|is to)\b|"
    r"^.{0,40}\b(?:do|have|make|keep|want|like|see|get) (?:it|that|this|them) (?:in )?the same(?: way)?"
    r"(?: here| there| too| as well| again)*\W*$"
)
"""What says of something that stands elsewhere: "such a slip should be noticed", "i want it the same way here"."""

RETRACTS = re.compile(
    r"^\W*(?:(?:no|nah|hm+|ok|oh|ah|wait|well|good|ha|haha|actually)\b[\s,.!]*)*(?:forget (?:it|that|what i)|"
    r"never ?mind|scra(?:p|tch) that|on second thoughts?|ignore what i|changed my mind|drop (?:it|"
    r"that)|(?:it was |that was |only |just )?(?:a )?(?:joke|kidding|joking)|i was (?:only |"
    r"just )?(?:kidding|joking|being "
    r"nosy|curious|dreaming)|not this year|not now|ignore that|i take that back|disregard|undo that)"
    r"(?=\s*(?:[.,;:!?)\n–—-]|$))",
    re.IGNORECASE,
)
"""How the user takes back in the next message what they said."""

RULES_ON = re.compile(
    rf"\b(?:{RULE_WORDS}|all|any|everything|anything|nothing|nobody|henceforth|when (?:i|we|you)|before|after|"
    r"because|otherwise|elsewhere|spare me|save yourself|your (?:answers|replies|messages))\b|, which\b"
)
"""Words by which an imperative is more than a task for now."""

SETS_VALUE = re.compile(r"^\W*(?:set|raise|lower|bump) \w.* to [\w.]*\d")
"""An order that leaves a value behind: "set pool size to 20"."""

SETS_FORM = re.compile(r"(?:^|[.!?] )\W*(?:(?:please|kindly|and|so|but) )*" + FORM)
"""An order that says how something is written from then on."""

INSTEAD = re.compile(r"^\W*(?:no,? )?instead,? ")
"""What is done in the place of something else, which makes no rule of a task: "instead write me a helper"."""

ONLY_THAT = re.compile(
    r",? (?:and )?(?:nothing else|nothing more|that's it|thats it|and be done)\b|\ball (?:\d+|of them)\b"
)
"""How the size of a task is told, which makes no rule of it: "all 6 places, nothing else"."""

LAUGHS_FIRST = re.compile(rf"^\W*{LAUGH}\b(?!.*\b{LAUGH}\b)", re.IGNORECASE | re.DOTALL)
"""A laugh before what is told: "lol, ops moved it again, it's wednesdays from now on"."""

OBJECTS_TO = re.compile(
    r"\b(?:i(?:'d| would) (?:rather not|leave|not)|i (?:have )?left (?:it|that|this|them)\b|"
    r"i (?:have not|haven't|did not|didn't|won't|will not)|"
    r"rather not|(?:is|are) not (?:yours|ours|mine) to|would (?:break|refuse|overwrite|lose)|please not|better not)\b",
    re.IGNORECASE,
)
"""How an agent objects to what it is asked for."""

ONE_COMMIT = re.compile(
    r"^\W*(?:(?:ok|okay|good|great|fine|now|then|and|please|yes|so|looks good)\b\W*)*"
    r"(?:(?:commit|push|tag|merge) (?:(?:as|it|that|this|them|and|under)\b .*)?(?:\b[a-z]{2,8}-\d+\b|"
    r"\bv?\d+\.\d+\.\d+\b)|"
    r"(?:one|two|three|\d) (?:separate )?commits?\b(?!.*\b(?:per|most|max|limit)\b).*\b[a-z]{2,8}-\d+\b|"
    r"(?:this|that|it|the [\w/.-]+(?: [\w/.-]+)?) in (?:its|an) own commit\b)"
)
"""How something is to be committed this time: by its ticket, in so many commits."""

LOOKS_UP = re.compile(
    r"^\W*(?:kubectl|docker|git|curl|cat|grep|ps|ls|journalctl|aws|gcloud|psql|tail|find|du|df|ss|lsof|helm) [^;!?]*"
    r"\| ?(?:grep|wc|awk|sed|head|tail|jq|sort|uniq|less|xargs)\b"
)
"""A command line that looks something up."""

OPTIONS = re.compile(r"(?<!\S)--?\w\S*")
"""The options of a command line, whose words say nothing."""

PASSING_FILE = re.compile(
    r"\b(?:is|are|it's|put (?:it|them)|see|open|take|from) (?:in |at |under |from )?"
    r"(?:~|/home/[\w.-]+|/users/[\w.-]+)/(?:downloads|desktop)/[\w.-]+\.\w+\W*$",
    re.IGNORECASE,
)
"""A file that was put where nobody keeps one."""

ONLY_PLACES = re.compile(
    r"^\W*(?:(?:only|not|and|but|on|in|at|the|also|just|never|even|nor|or|here|there|prod|production|staging|dev|test|"
    r"local|locally|live)\b\W*)+$"
)
"""Where something is so or not, without what: "not on staging, not here"."""

ASKED_CHARACTERS = 400
"""Of what the agent said last, how much of its end may ask what the user answers."""

HESITATES = re.compile(
    r"\b(?:but|though|however|rather not|better not|not (?:ours|yours|mine)|i'd leave|one thing)\b", re.IGNORECASE
)
"""How a reply goes on that objects after all."""

AGREES = re.compile(
    r"^\W*(?:understood|noted|got it|agreed|okay|ok|sure|of course|right|will do|done|fixed|yes|clear|my mistake|"
    r"sorry)\b",
    re.IGNORECASE,
)
"""How an agent's reply begins that does what it was told, whatever it says of the rest."""

CONCEDES = re.compile(
    r"^\W*(?:(?:oh|ah|ha|hm+|ok|okay|argh|damn|yes|yep|right|shit|oops)\W+)*(?:well (?:caught|spotted|seen)|"
    r"good (?:catch|point|call|thing|eye|you (?:said|asked))|(?:that is|that's|you're|you are|quite|of course) "
    r"(?:right|true|fair)|true\b|fair\b|then not\b|leave it\b|better not\b|(?:oh )?right\b|of course\b|my bad\b|"
    r"glad (?:you|one of us)|thanks? (?:god|for (?:stopping|catching)))"
)
"""How somebody gives in to an objection."""

WISHES = re.compile(
    r"\b(?:will you|would you|can you|could you|please|pls|(?:they|he|she|we|i) (?:wants?|need|would like|'d like)|"
    r"(?:flip|change|set|move|switch|put|make|drop|delete|remove|raise|lower|bump|add|swap) )"
)
"""How a message asks for something, in its own name or another's."""

LAUGHS_BEFORE = re.compile(rf"\b{LAUGH}\s+[–—-]\s+\S+ \S+ \S", re.IGNORECASE)
"""A laugh about what stands before it, and then what is told: "it's written nowhere lol - it is port 8091"."""

FEWEST_SHARED = 0.7
"""Share of a quote's words that stand in what the user typed, from which on it was typed. Source: ours."""

WORDS = re.compile(r"\w+")


def unfit(exchange: Exchange, quote: str) -> str:
    """Why words of the user are not to be kept; '' where nothing speaks against it."""
    if not is_typed(exchange, quote):
        return PASTED
    said = exchange.message.prose[:READ_CHARACTERS].replace("\x00", " ")
    lower = spelt_out(quote)
    places = () if "?" in exchange.said_before[-ASKED_CHARACTERS:] else (ONLY_PLACES,)
    alone = (CLAUSE, ONLY_SCOPE, WITHOUT_MATTER, *places)
    if not exchange.message.is_remark and any(each.match(lower) for each in alone):
        return INCOMPLETE
    if tries_input(said, quote) and not RULES_ON.search(lower):
        return TEST
    if is_supposed(said, quote):
        return WHAT_IF
    if JOKES.search(quote) and not LAUGHS_BEFORE.search(quote) and not is_meant(quote, lower):
        return JOKE
    if is_dropped(exchange):
        return DROPPED
    if is_refused(exchange, lower):
        return DROPPED
    is_rule = RULES_ON.search(OPTIONS.sub("", lower)) is not None
    if not is_rule and (ONE_COMMIT.match(lower) or PASSING_FILE.search(quote) or LOOKS_UP.match(lower)):
        return TASK_FOR_NOW
    if is_plain_task(exchange, lower) or is_carried_out(exchange, quote) or is_over_with_it(exchange, quote):
        return TASK_FOR_NOW
    if ends_soon(quote) or is_wanted_once(exchange, quote):
        return FOR_THE_MOMENT
    if not exchange.message.is_remark and not is_taken_up(exchange, lower) and is_momentary(quote):
        return FOR_THE_MOMENT
    return MENDED if is_mended(exchange, quote) else ""


def is_meant(quote: str, lower: str) -> bool:
    """Whether somebody who laughs means it: they tell of a change behind it, or of what lasts before it."""
    says_so = CHANGING if LAUGHS_FIRST.match(quote) else LASTS_FROM
    return "kidding" not in lower and "joking" not in lower and says_so.search(lower) is not None


def is_refused(exchange: Exchange, lower: str) -> bool:
    """Whether the agent objected to what a message asks for, did nothing, and the user agreed: "well caught"."""
    reply = "" if exchange.reply is None else str(exchange.reply["text"])
    agrees = AGREES.match(reply) is not None and HESITATES.search(reply[:ASKED_CHARACTERS]) is None
    if exchange.message.is_remark or has_edit(exchange.followed) or agrees:
        return False
    if OBJECTS_TO.search(reply[:READ_CHARACTERS]) is None:
        return False
    return (
        CONCEDES.match(exchange.next_words.replace("\x00", " ").lower()) is not None
        and WISHES.search(lower) is not None
    )


def is_dropped(exchange: Exchange) -> bool:
    """Whether the user takes back in the next message what this one says."""
    return not exchange.message.is_remark and RETRACTS.match(exchange.next_words.replace("\x00", " ")) is not None


def is_typed(exchange: Exchange, quote: str) -> bool:
    """Whether the user typed the words that are quoted."""
    quoted = WORDS.findall(quote.lower())
    typed, stored = (share(quoted, text) for text in (exchange.message.prose, exchange.message.entry["text"]))
    return typed >= FEWEST_SHARED or stored < FEWEST_SHARED


@lru_cache(maxsize=8)
def words_of(text: str) -> frozenset[str]:
    """The words of a text, remembered: each finding in a long message asks for the same."""
    return frozenset(WORDS.findall(text.lower()))


def share(words: list[str], text: str) -> float:
    """The share of words that stand in a text; 1 of no words."""
    found = words_of(text)
    return sum(word in found for word in words) / len(words) if words else 1.0


def is_plain_task(exchange: Exchange, lower: str) -> bool:
    """Whether words only tell what to do now: an imperative without a rule, a reason or a value of something named."""
    lower = ONLY_THAT.sub("", INSTEAD.sub("", lower))
    if SENDS.search(lower) and RULES_ON.search(lower) is None:
        return True
    if revokes(lower) or SETS_FORM.search(lower) or tells_failure(lower) or is_put_off(lower):
        return False
    if SETS_VALUE.match(lower) or settings_of(lower).values.keys() - {"path", "number", "version"}:
        return False
    if exchange.message.is_remark or is_taken_up(exchange, lower) or is_run_as_told(exchange, lower):
        return False
    return IS_TASK.search(lower) is not None and RULES_ON.search(lower) is None
