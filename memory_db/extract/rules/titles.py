"""Titles: the matter of a text in a few of its own words.

In: the text of a candidate. Out: a noun phrase or an imperative of three to ten words where the text has as many.
Invariant: pure; at most TITLE_CHARACTERS, and words in the order of the text.
"""

from __future__ import annotations

import re

TITLE_CHARACTERS = 80
MOST_WORDS = 8
MOST_WORDS_OF_A_CLAUSE = 10
"""Words of a clause that is taken whole: two words more are less than a matter that breaks off. Source: ours."""

FEWEST_WORDS = 3

FRAME = re.compile(
    r'^(?:Asked (?:"(?P<question>[^"]*)"|whether to (?P<wish>[^,]*(?:,[^,]*)*?)), the user (?:said|chose):? '
    r"|(?:(?:On|After) \"[^\"]*\",|When the agent .{3,300}?,|Asked \"[^\"]*\", the agent said \"[^\"]*\" and) "
    r"the user said: |Asked \"[^\"]*\", the agent found: )(?P<said>.*)$",
    re.DOTALL,
)
"""What stands before the user's words in a text that says what they answer."""

ENDS = re.compile(
    r"[,;:]\s|[(—–]|[.!?](?:\s|$)|\s(?:because|since|so that|so|which|where|when|if|unless|until|while|"
    r"and then|otherwise|but|"
    r"although|even)\s"
)
"""Where the matter of a sentence ends."""

OPENS = re.compile(
    r"^(?:(?:the|a|an|our|please|also|and|but|so|just|that|then|k|yep|yeah|right|lol)\s+"
    r"|(?:(?:no|wait|what|hey|stop|nope|whoa|ok|hm+|yeah|damn|oh)\b[\s,]*){1,4}[.,!?]+\s+(?=\S+ \S+))",
    re.IGNORECASE,
)
LEADS = re.compile(
    r"^(?:with|since|given|because|although|as|reasons?|better|from now on|"
    r"while (?:you're|we're|you are|we are))\b[^,.;:]{0,60}[,:] (?=\w+ \w+ \w)",
    re.IGNORECASE,
)
"""A clause that leads to the matter: "With that much room, keep staging logs 14 days"."""

SCENE = re.compile(
    r"^(?:excuse me|(?:i'm )?sorry|one more(?: thing)?|another thing|last one|ouch|"
    r"(?:now )?i (?:see|understand)(?: it)?|"
    r"(?:a |the )?(?:mail|call|letter|note|message|word|news) from [^,.;:]{1,40}|"
    r"(?:(?!if\b|when\b|whoever\b|never\b|always\b)[\w'/.-]+ ){0,4}?(?:(?:have|has|had|just|also|already) ){0,3}"
    r"(?:called|phoned|telephoned|e?-?mailed|wrote|asked|answered|replied|walked in|was on the phone|"
    r"had a (?:\w+ ){0,2}(?:talk|call|chat|meeting))\b"
    r"[^,.;:]{0,60}?)(?:[,.;:!]+| that) (?:and |but |so )?(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
"""How it came to be said, before the matter: "Marit just called, the import takes tabs only"."""

ANNOUNCED = re.compile(r"^[^:,.;`\d\"]{1,40} [^:,.;`\d\"]{1,40}: (?=\S+ \S+ \S)")
"""Words that announce the matter: "The rule of our office is: every number ..."; one word alone is a topic."""

LEAST_LAST = frozenset(
    "a an the of to in on at by for from with and or is are be as into than not no our my its via per this that we i "
    "you it has have was were can must should will after before would get".split()
)
"""Words with which no title ends."""

LEAST_LAST_CUT = LEAST_LAST | frozenset(
    "these those there dont don't doesn't isn't aren't won't arent than about till until also even every each any only "
    "still just very so too more less always never because where which".split()
)
"""The same for one that breaks off within its clause."""

TAKEN_UP = re.compile(r"\(in `[^`]+` .*(?:became|added) `([^`]+)`\)\.$")
"""The edit that took up a value, at the end of a text."""

LEADING = (OPENS, LEADS, SCENE, ANNOUNCED)
"""What may stand before the matter, taken off until nothing of it is left."""

RELATIVE = frozenset({"that", "who", "whose", "whom"})

COPULA = re.compile(r"^((?:[\w`./'-]+ ){1,4})(?:is|are) (?=(?:in|on|at|under|from|for|behind|with|only)\b)")


def titled(text: str) -> str:
    """A title for a text."""
    frame = FRAME.match(text)
    if frame is None:
        told, taken = phrase(text), TAKEN_UP.search(text)
        return fitted(taken[1]) if taken and len(told.split("(")[0].split()) <= FEWEST_WORDS else told
    said, asked = frame["said"].strip(), frame["question"] or frame["wish"] or ""
    told = phrase(said)
    if len(told.split()) >= FEWEST_WORDS or not asked:
        return told
    return fitted(f"{phrase(asked.rstrip('? ').split('. ')[-1], most=5)}: {told[:1].lower()}{told[1:]}")


def phrase(text: str, most: int = MOST_WORDS) -> str:
    """The matter of the first sentence, in at most so many words."""
    line = " ".join(text.replace("**", "").split())
    while lead := next((each for each in LEADING if each.match(line)), None):
        line = lead.sub("", line, count=1)
    end = next(
        (match.start() for match in ENDS.finditer(line) if len(line[: match.start()].split()) >= FEWEST_WORDS), None
    )
    words = COPULA.sub(r"\1", line[:end].strip()).split()
    is_cut = len(words) > (MOST_WORDS_OF_A_CLAUSE if most == MOST_WORDS else most)
    if is_cut:
        words = words[: next((at for at in range(FEWEST_WORDS, most) if words[at].lower() in RELATIVE), most)]
    while len(words) > 2 and words[-1].lower().strip(".,") in (LEAST_LAST_CUT if is_cut else LEAST_LAST):
        words.pop()
    return fitted(" ".join(words))


def fitted(title: str) -> str:
    """A title without marks at its end, whole words only, beginning with a capital where that changes no name."""
    while len(title) > TITLE_CHARACTERS and " " in title:
        title = title.rsplit(" ", 1)[0]
    title = title[:TITLE_CHARACTERS].rstrip(" .,;:!-–—(")
    title = title.replace('"', "") if title.count('"') % 2 else title
    first = title.split(" ", 1)[0]
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() else title
