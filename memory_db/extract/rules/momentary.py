"""Whether words are only about the moment: a step of the work, what somebody just did, a wish for what is being built.

In: the words that are quoted of a message. Out: yes or no. Invariants: pure; a word that makes a rule of it ("always",
"because", "instead of") keeps a sentence from it.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.patterns import LEAD, RULE_WORDS
from memory_db.extract.rules.prose import spelt_out
from memory_db.text.sentences import split
from memory_db.text.telling_orders import is_put_off

HOLDS_ON = re.compile(
    rf"\b(?:{RULE_WORDS}|wherever|whatever (?:else|i|we|you)|other projects|(?:let's|let us|we|kindly) (?:keep|"
    rf"stay|stick)\b(?! (?:going|on\b|at it))|"
    r"before (?:anything|any|every|each|you|an?|the (?:fix|change|repair|commit|merge|release|push|deploy))\b|any "
    r"?more|no longer|remember|keep in mind|called|named|stays?|lives?|means|prefer|i like|"
    r"we like|hate|ask|rule|decided|changed my mind|after all|"
    r"from (?:the )?(?:beginning|start|first|next|\d\w*)|as of|starting|(?:raised|lowered|bumped|throttled) (?:us|it|"
    r"them|our))\b"
)
"""Words by which a sentence says more than what goes on now."""

STEP = LEAD + (
    r"(?:(?:now|next|then|first|today|tomorrow)\b(?! (?:we|i|it|that|this|our|my|he|she|they|goes|on)\b)|"
    r"next (?:is|comes|up)\b|"
    r"(?:the |a )?(?:new|last|next|another|other|final|first) (?:toy|task|job|step|feature|plaything):? ?[^:]*$|"
    r"(?:the |a )?(?:new|last|next|another|other|final|first) (?:toy|task|job|step|feature|plaything): |"
    r"(?:a|an|one|some|the|another) (?:[\w-]+ ){0,3}(?:for|too|so|as well|please|with)\b(?!.*\b(?:is|are|has|have|was|"
    r"goes|runs|needs|takes|uses|gives|works|comes|says|can|will)\b)|"
    r"(?:tests?|docs?|docstrings?|readme|changelog|commit|migrations?|chart|button|page|endpoint)\b.{0,40}\bplease\b|"
    r"you (?:may|can) (?:[\w-]+ ){1,4}now\W*$|"
    r"(?:a number of|a lot of|several|some|a few|many) things (?:have|had|has|are|were) (?:moved|changed|happened|"
    r"new|different)\b|"
    r"another thing [\w ]{3,40}: (?:[\w'-]+ ){1,4}[\w'-]+\W*$|"
    r"(?:(?:just )?(?:one|two|three|four|a few|some|a couple of|another|several) (?:more |other |last "
    r")?(?:things?|points?|"
    r"questions?|remarks?|details?|words?)\b(?! (?:is|are|has|have|to (?:know|remember))\b)[^:]*$|"
    r"(?:the|that|those) [\w' -]{2,40}, (?:please )?(?:put|set|make|take|use) (?:the|it|them|that|those|what)\b)|"
    r".{0,60}\b(?:comes?|follows?|happens?|is for) (?:another day|later|tomorrow|next week|some other time)\W*$|"
    r".{0,60}\band (?:run|rerun|commit|push|deploy|restart|flash|check|try) (?:everything|all|it|them|again|that|the "
    r"tests?)\b\W*$)"
)
"""A step of the work: "now reconnect", "next is the feed client", "test for the backoff please"."""

WISH = LEAD + (
    r"(?:(?:(?:i|we)(?:'d)? )?(?:want|need|like|would like) (?:a|an|the|some|to see|another|to have|this|that|it) |"
    r"(?:can|could) (?:you|we) |let's |lets |do that\b|try again\b)"
)
"""A wish for what is being built."""

DEED = LEAD + (
    r"(?:(?:\w+ ){0,4}?i(?:'m| am) (?:off|out|away|back|done|going|leaving|heading|at|in|on|still|home|here|tired)\b|"
    r"(?:\w+ ){0,6}?i(?:'ve)? (?:just |already |also |now )?(?!need|want)[a-z]+ed (?:the|it|my|all|a|an|this|that|"
    r"them)\b|"
    r"i (?:start|run|test|try|look|check|restart) it\b|"
    r".{0,40}\bi(?:'ll| will)? do (?:that |it )?(?:in the (?:afternoon|morning|evening)|tonight|tomorrow|later|"
    r"after lunch)"
    r"\W*$|"
    r"(?:pulled|pushed|restarted|updated|closed|opened|started|stopped|tested|checked|deployed|committed|merged|"
    r"loaded|rebooted|plugged|unplugged|clicked|tried|ran|saw|looked)\b|"
    r"(?:\w+ ){0,2}(?:ok )?(?:it |that |this )?(?:runs|works|passes|builds|answers|loads|crashes|fails)(?: now| again|"
    r" fine| here)?(?:,|\W*$)|"
    r"(?!(?:we|it|they|you|i|this|that|there)\b)(?:[a-z'’-]+ ){0,2}?[a-z'’-]+ (?:asks|asked|wants|wanted|waits|"
    r"is waiting|is asking|complains?|complained|would like|needs) (?:to|for|about|if|whether|when|what|why|how|me|a|"
    r"an|another|one more)\b|"
    r"(?:\w+ ){0,5}(?:sent|forwarded|mailed|gave|handed) (?:this|me (?:this|that)|us (?:this|that))\b|"
    r"(?:ah,? )?now i (?:know|see|get|remember|understand)\b(?: again)?\W*$|"
    r".{0,60}, that was (?:the plan|it|all|my idea)\b|"
    r"(?:(?:ha|ah|oh|hm|ok)\W+)?(?:the|that|this|it|your) (?:[\w-]+ ){0,4}?(?:is|are|looks?|reads?|sounds?) "
    r"(?:really |very |"
    r"quite |so |pretty |rather )?(?:good|nice|neat|great|lovely|perfect|beautiful|better|clever|funny|elegant)\W*$|"
    r"i(?:'ll)? (?:call|phone|ring) (?!(?:it|that|this|them|these|those|you|the|an?|our|my|your|what|all)\b)"
    r"(?:[\w'-]+ ?){1,3}\W*$|"
    r"(?:that(?:'s| is| was) |this is )?(?:a )?(?:much|far|way|even|a lot|so much) (?:better|worse|nicer|cleaner|"
    r"uglier)"
    r"(?: [\w-]+)?(?:\W*$|[.!,]| :|\W+\S+ (?:is|are|was) (?:still )?in it\b)|"
    r"(?:.{0,40}[,;] )?i(?:'ll| will) (?:just |simply |then |quickly |probably )*(?:forward|walk|sleep|frame|fetch|"
    r"phone|"
    r"(?:do|check|look at|take|try|see|tell|ask|mail|call|bring|get|pass) (?:that|this|it|them|her|him)\b)"
    r"(?!.*\b(?:before|after|when|if|first)\b)|"
    r"let(?:'s| us) (?:start|begin|continue|go on|see) with\b|"
    r"(?:the )?(?:[\w-]+ ){1,3}i mean(?:t)?\W*$|"
    r"(?:so )?(?:now )?i can (?:send|go|start|close|leave|forward) (?:it|them|that|now|on)\b|off to \w+\b|good that "
    r"you (?:asked|said)|.{0,60}\bso good that you (?:asked|said)\b)"
)
"""What somebody did, does or is about to do: "I'm off to lunch", "pulled the cable ten times", "Tom asks for it"."""

MOMENTARY = re.compile(f"(?:{STEP})|(?:{WISH})|(?:{DEED})")

VALUE = re.compile(r"(?<![?&\w])\w+ ?=|\b\d+(?:\.\d+)?(?: ?(?:ms|s|min|%|kb|mb|gb|px))?\b.*\b\d|`|\b[A-Z][A-Z_]{3,}\b")
"""Values and names, which a step may leave behind."""

DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")

MOST_CHARACTERS = 400
"""Characters of the longest quote that is looked at: what is longer says more than one thing."""


def is_momentary(quote: str) -> bool:
    """Whether every sentence of a quote is only about the moment."""
    if len(quote) > MOST_CHARACTERS or VALUE.search(DATE.sub("", quote)):
        return False
    lowers = [spelt_out(each.masked) for each in split(quote)]
    return bool(lowers) and all(
        MOMENTARY.match(lower) and not HOLDS_ON.search(lower) and not is_put_off(lower) for lower in lowers
    )
