"""Whether words only tell what happened once, of one thing among many, or how somebody takes it: a caller, order 4711,
a worked example, a state of things, amazement.

In: the words that are quoted of a message. Out: yes or no. Invariants: pure; a word that makes a rule of it ("never",
"must", "from monday on") keeps all of it.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.patterns import LEAD, STATIVE
from memory_db.extract.rules.prose import spelt_out
from memory_db.text.sentences import split

DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

HOLDS = re.compile(
    r"\b(?:always|never|must(?:n't)?|no longer|any ?more|not allowed|may (?:not|only|never)|whenever|by default|"
    rf"from (?:now|here|today|tomorrow|next|the first|this|{DAY})\b|as of|these days|henceforth|because|so that|means|"
    r"prefer|instead of|everywhere|anywhere|everybody|nobody|otherwise|moved to|changed to|switched|new address|"
    r"in future|rule)\b|(?:^|[.,;:!] )\W*(?:and |but |so |please )*(?:no|don't|do not|dont) "
    r"(?!i\b|you\b|it\b|that\b)[a-z]"
)
"""Words by which it is more than that."""

PARTICULAR = (
    r"(?:order|ticket|invoice|lift|station|box|door|row|spot|case|customer|bike|record|entry|booking|bus|train|device|"
    r"sensor|patient|member|parcel|car|room|payment|shipment|loan|sample|reader|animal|plot|hive)"
)
"""Things of which there are many, each with its number."""

SOMEBODY = (
    r"(?:somebody|someone|one of them|an?(?: [\w-]+)? (?:man|woman|customer|guest|tourist|user|reader|visitor|"
    r"caller|colleague|driver|student|member|patient))"
)

OF_ONE = (
    rf"^\W*(?:(?!if\b|when\b|for\b|on\b|in\b)[\w'-]+,? ){{0,9}}?{PARTICULAR} (?:no\.? ?|number |#)?\d{{2,}}\b"
    r"(?! (?:to|and up|or more|of|(?:second|minute|hour|day|week|month|year|euro|cent)s?)\b| is (?:the|our|my|an?)\b)|"
    r"^\W*(?:[\w']+,? ){0,4}#?0\d{2,} (?:is|was|has|stands|sits|went|came)\b"
)
"""What is told of one of them: "order 4711 stands there twice"."""

CALLED = (
    rf"\b{SOMEBODY} (?:has |had |just )?(?:phoned|called|rang|complained|took an? (?:picture|photo)|lost|"
    r"noticed|found)\b|\b(?:has |have |had )(?:already )?(?:called|rung|phoned|texted) (?:me|us)\b|"
    rf"\b[a-z]+ (?:rang|phoned|called) [a-z]+ (?:because|about)\b|\b(?:ran out|expired|went down|fell over|died|went "
    rf"dark) "
    rf"(?:at (?:\d|midnight|noon|night|lunch)|on (?:{DAY}|the \d)|last|this|yesterday)|"
    r"\b(?:there(?:'s| is| was)|(?:i|we) (?:have|got|had)) (?:an?|another) (?:angry |new )?(?:complaint|bug report|"
    r"angry (?:mail|customer|call))\b|"
    r"\bi(?:'ve| have)? (?:got )?an? (?:photo|picture|screenshot|video) (?:of it|but|somewhere|here|for you)\b|"
    r"\b(?:is|are|was|were|comes? out|came out) (?:short|off|over|too (?:high|low)) by \d"
)
"""Who called or complained, and what broke when."""

TAKES_IT = (
    r"\bi(?:'m| am) (?:\w+ )?(?:shocked|surprised|relieved|amazed|ashamed|delighted|jealous|speechless|proud)\b|"
    r"\bi (?:really |do |quite )?like it\W*$|\bi(?:'m| am)? only (?:say|saying|mention|mentioning|tell|telling) (?:it|"
    r"that|this)\b|\b(?:that|this|which) answers (?:the|my) [a-z]+ ?(?:question)?\b|"
    r"\byou (?:don't|won't|wouldn't) believe (?:it|this|what)\b|\bi know,? i know\b|"
    r"\bi should (?:have|get|hand in|lose) my [a-z]+(?: (?:taken away|revoked))?\W*$|"
    r"^\W*the (?:[a-z]+ )?(?:man|woman|guy|lady|girl|boy|kid|couple|dog|baby) (?:opposite|next to|behind|beside|across "
    r"from|in front of) (?:me|us)\b|"
    r"\b(?:is|are|looks?|seems?|feels?) (?:somehow|kind of|kinda|a bit|totally|completely) (?:drunk|broken|wrong|off|"
    r"weird|"
    r"strange|odd|mad|crazy|nuts)\b|"
    r"^\W*(?:explains|confirms|proves) (?:the|why|that|how|my|a lot|it)\b"
)
"""How somebody takes it."""

WEIGHS = (
    r"^\W*(?:but |well |yes )?we(?:'ve)? (?:had|seen) (?:that|this|it) (?:once|before|already)\b|"
    r"^\W*(?:prob|probably|presumably|my guess)\b|^\W*[\d.,:]*\d (?:becomes|would be|would become|gives|makes) "
    r"[\d.,:]*\d\b(?!\S*,)|"
    r"^\W*(?:one|two|three|four|five|six|ten|twelve) (?:weeks|days|months|hours|years) (?:is|are|makes?) \d"
)
"""How somebody weighs, guesses or works through an example."""

STANDS = (
    r"^\W*v?\d+\.\d+[\d.]* (?:is|has been|was|came|went) (?:out|released|tagged|live)\b|"
    r"^\W*(?:the |my |our )?(?:capture|dump|screenshot|trace|recording|photo|picture) is "
    r"(?:(?:in|at|under) )?[\w./-]*[/.][\w/-]+\W*$"
)
"""How it stands just now, and where what is looked at lies."""

ORDERED = (
    r"\bwrite (?:it|this|that|them) (?:down|up) for me\b|"
    r"^\W*make it (?:more [a-z]+|[a-z]+(?:er|able|ible))\W*$|"
    r"[,;] (?:is|are|was|does|has|have|can) (?:it|that|they|he|she|there)\W*$|"
    r"^\W*(?:(?:and|so|then) )*i (?:need|want) (?:a |the )?[\w-]*[/.][\w./-]+(?=[:, ])|"
    + LEAD
    + r"(?:[a-z]+: )?(?:(?:the|our|my) )?(?!we\b|i\b|you\b|it\b|that\b|who\b)[\w'-]+(?: [\w'-]+)? wants? to (?:see|"
    r"know|try|show|look|hear|check|watch) |\b(?:before|after|for) (?:today|tonight|tomorrow)'s\b|"
    r"\b(?:until|till) i(?:'ve| have)? (?:tried|seen|tested|checked|read) (?:it|them|that)\W*$|"
    r"[,;.] (?:and |so |but )?(?:what(?:'s|s| is) the (?:move|plan|trick|fix|best way)|how come|any ideas?|what "
    r"(?:now|then|do "
    r"we do)|where would i|what gives)\W*$|"
    r"^\W*(?:first|second|third|fourth|next|then|last)(?:ly)?[:,] (?:the|our|my|that|this) "
    + rf"(?!.*\b{STATIVE}\b)(?:[\w-]+ ?){{1,5}}\W*$|"
    + r"\b(?:and|or)\W*$"
)
"""What is to be done now or asked, or is only begun to be told."""

ONCE = re.compile("|".join(f"(?:{each})" for each in (OF_ONE, CALLED, TAKES_IT, WEIGHS, STANDS, ORDERED)))


def happened(quote: str) -> bool:
    """Whether one of the sentences shows that the words are of what happened once, and none that they hold."""
    lowers = [spelt_out(each.masked) for each in split(quote)]
    return any(map(ONCE.search, lowers)) and not any(map(HOLDS.search, lowers))
