"""What the words of one sentence tell of the sentence beside it: whether they need it, add to it, or turn from it.

In: the words of a sentence. Out: yes or no. Invariant: pure.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.patterns import LEAD, STATIVE
from memory_db.extract.rules.prose import spelt_out
from memory_db.extract.rules.surroundings import IS_TASK
from memory_db.text.terms import STOP_WORDS

BANS_IT = re.compile(
    LEAD + r"(?:(?:please|just) )*(?:don't|do not|never) (?:\w+ ){1,3}(?:it|them|those|these)(?=[,.;:]| (?:and|because|"
    r"since|or|as)\b|\W*$)"
)
"""A ban whose object stands in the sentence before it: "don't just drop it, ..."."""

AGREES_ONLY = re.compile(
    r"^\W*(?:(?:ha|ah|oh|hm+|ok|well|yes|yep|yeah|right|exactly|true)\b\W*)*(?:that|this)(?:'s| is| was) "
    r"(?:exactly |just |really )?(?:it|right|true|the (?:one|thing|reason|cause)|"
    r"what (?:happens|happened|i (?:see|saw|mean|thought)))\b"
)
"""What only agrees to what the agent said: "yes, that is exactly what happens"."""

ASIDE = re.compile(r"^\W*(?:and )?which (?:is|was|are|were|makes|explains|means)\b")
"""How a remark begins on what is shown before it."""

FRAGMENT = re.compile(
    r"^\W*(?:(?:\w+ ){1,2}only\b|(?:and |but )?no (?!need|idea|way|problem|i |we )\w+)(?:[ ,]+[\w-]+){0,4}\W*$"
)
"""A rule without a verb, which goes on with the one before it: "tabs only, no header line"."""

MOST_WORDS_OF_REST = 16
"""Words of the longest such rest. Source: ours."""

VERB = re.compile(
    rf"\b(?:i|you|we|they|he|she|i'm|you're|we're|use|keep|make|put|name|write|let|ask|tell|say|was|were|had|did|will|"
    rf"would|can|could)\b|\b{STATIVE}\b"
)
"""A verb, or who does something: without both words are the rest of another sentence."""

ANOTHER = re.compile(
    r"^\W*(?:(?:and|also|oh|then|next|besides)\W+)+(?:i|we|you|never|always|no|do|don't|please|for|if|when)\b|"
    r"^\W*also\W+(?:leave|stop|skip|spare|cut|drop|omit|keep|stay|hands)\b"
)
"""How somebody goes on to another rule."""

SETS_NUMBER = re.compile(
    r"^\W*(?:(?:ok|so|then|please|no|nah|and|but|rather|better)\W+)*(?:make|take|set|use|put|keep) "
    r"(?:(?:it|that|them) )?(?:(?:to|at) )?[$€£]?\d[\w.,:]*(?: ?[%€$£°])?(?: [a-z]{1,10})?"
    r"(?: then| please| instead| now)*\W*$"
)
"""A value that is set, and nothing of what: "make it 30"."""

AT_THAT_TIME = re.compile(
    r"\b(?:may|can|can't|cannot|must|should|is|are|be|runs?|works?|happens?|allowed|possible|open|closed|free|down|off|"
    r"reachable|available|touched|deployed|stopped)(?: \w+){0,2} then(?=[,.;!]|\W*$| because| or| as)|"
    r"\b(?:may|must|can|should|shall|will|do|does|don't|doesn't|never|not|nothing|nobody|no|is|are|stays?)\b"
    r"[^,.;:]{2,60} then(?=[,.;:!]|\W*$)|"
    r"\b(?:at|during|in|by) (?:that|this|those|the same) (?:time|hours?|days?|minutes?|while|window)\b|"
    r"^\W*(?:during|in|at|within) that (?:time|hour|window|night|week)\b|^\W*meanwhile\b|"
    r"\b(?:until|till|before|by|after) then\b|\bthat day\b"
)
"""Words that point at the time of the sentence before: "nothing that writes may run then"."""

TIME = re.compile(
    r"\b(?:[01]?\d|2[0-3])[:.h]\d\d\b|\b\d{1,2} ?(?:am|pm|h|uhr|o'clock)\b|"
    r"\b(?:nights?|noon|midday|midnight|mornings?|afternoons?|evenings?|weekends?|lunch|hourly|nightly|daily|weekly|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|"
    r"october|november|december|tomorrow|next \w+|while|during|when|(?:at|from|till|until|around|between) \d+|until|"
    r"(?:first|last) (?:day|week) of)\b"
)
"""A time of which something may hold."""

THING = re.compile(r"\d[\d.:,]*\d|\d|[^\W\d_][\w./-]{3,}")
"""A word or a value by which two sentences are told to be of one matter."""

ASKING = frozenset({"question", "asks without a mark", "asks at its end", "asks in other words"})
"""Cues of a question."""

COMPLAINS = re.compile(
    r"^(?:(?:hey|no|whoa|wait|stop|hm+|eh|um|sorry)[,.! ]+)*i (?:didn't|did not|never|hadn't|had not) (?:ask(?:ed)?|"
    r"sa(?:y|id)|t(?:ell|old)|want(?:ed)?|meant?)\b"
    r"(?:\W+\w+){0,8}\W*$|"
    r"^\W*(?:(?:no|nope|nah|uff|oof|ugh|argh|oh|ah|hey|wait|whoa|stop|hm+|eh|please)\b[,.! ]*)*(?:not|don't|never) "
    r"(?:[\w'-]+ ){1,6}?(?:like|as) (?:that|this)\W*$"
)
"""What only complains of what was done: beside it stands what the user wants."""

EXCUSES = re.compile(
    r"^\W*(?:but |though )?(?:it's |that's |all )?(?:ok|okay|fine|good|never ?mind|whatever|no (?:harm|matter|"
    r"problem))\b"
    r"(?!\W+(?:now|next|then|so|the|we|from)\b)"
)
"""How somebody goes on who minds no longer what they just complained of."""


def goes_with_scope(lower: str) -> bool:
    """Whether a sentence behind one that says where a rule holds is the rest of that rule: it has no verb."""
    is_short = len(lower.split()) <= MOST_WORDS_OF_REST
    return is_short and VERB.search(lower) is None and IS_TASK.search(lower) is None and ANOTHER.match(lower) is None


def names_the_same(one: str, other: str) -> bool:
    """Whether two texts share a word that means something, or a value."""
    mine, theirs = (frozenset(THING.findall(text.casefold())) - STOP_WORDS for text in (one, other))
    return not mine.isdisjoint(theirs)


def asks(lower: str) -> bool:
    """Whether a sentence asks, with its mark or without."""
    is_asking = any(cue.pattern.search(lower) for cue in VETOES if cue.name in ASKING)
    return lower.rstrip().endswith("?") or is_asking


def is_excused(quote: str, behind: str) -> bool:
    """Whether words only complain of what was done, and the next ones say that it does not matter."""
    return COMPLAINS.match(spelt_out(quote)) is not None and EXCUSES.match(spelt_out(behind)[:80]) is not None


def is_of_its_time(before: str, lower: str) -> bool:
    """Whether a sentence tells what holds at the time that the one before it tells: "nobody may write then"."""
    return AT_THAT_TIME.search(lower) is not None and TIME.search(before) is not None


COUNTS = re.compile(
    r"\b(?:two|three|four|a few|a couple of|several) (?:more |other |last )?(?:things|points|rules|remarks|notes|"
    r"corrections|facts)\W*$",
    re.IGNORECASE,
)
"""How somebody announces several things: "two things."."""

COMES_NEXT = re.compile(r"^\W*(?:and|also|second(?:ly)?|then|next|the (?:other|second)(?: one)?)\b", re.IGNORECASE)
"""How they come to the next of them."""


def is_next_of_several(before: str, said: str) -> bool:
    """Whether words are the next of several things that were announced right before what stands in front of them."""
    return COMES_NEXT.match(said) is not None and COUNTS.search(before) is not None
