"""Titles: the matter of a text in a few of its own words.

In: the text of a candidate. Out: a noun phrase or an imperative of three to twelve words where the text has as many.
Invariants: pure; at most TITLE_CHARACTERS, and words in the order of the text. What breaks off within a clause, or
before a condition or an exception without which it says something else ("Never apply" of "Never apply, ..., until I say
apply"), ends with an ellipsis.
"""

from __future__ import annotations

import re

from memory_db.text.acknowledging import says_something

TITLE_CHARACTERS = 80
MOST_WORDS = 8
MOST_WORDS_OF_A_CLAUSE = 12
"""Words of a clause that is taken whole: some words more are less than a matter that breaks off. Source: ours."""

FEWEST_WORDS = 3
MOST_ELLIPTIC = 4

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
    r"^(?:(?:the|a|an|our|please|also|and|but|so(?! that\b)|just|that|then|k|yep|yeah|right|lol)\s+"
    r"|(?:yes|yep|yeah|right|correct)\b,? (?:exactly|that(?:'s|s| is) (?:it|right|so|the (?:cause|reason)))[,.:;] "
    r"(?=\S+ \S+)"
    r"|(?:(?:no|wait|what|hey|stop|nope|whoa|ok|hm+|yeah|damn|oh)\b[\s,]*){1,4}[.,!?]+\s+(?=\S+ \S+))",
    re.IGNORECASE,
)
LEADS = re.compile(
    r"^(?:(?:with|since|given|because|although|as|reasons?|better|from now on|rules? (?:for|of))\b[^,.;:]{0,60}[,:] |"
    r"while (?:you're|we're|you are|we are)(?: \w+){0,2}(?:[,:]| -) )(?=\w+ \w+ \w)",
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

ANNOUNCED = re.compile(
    r"^(?!(?i:no|not|never|without|don't|dont)\b)[^:,.;`\d\"]{1,40} [^:,.;`\d\"]{1,40}: (?=\S+ \S+ \S)"
)
"""Words that announce the matter: "The rule of our office is: every number ..."; one word alone is a topic."""

LEAST_LAST = frozenset(
    "a an the of to in on at by for from with and or is are be as into than not no our my its via per this that we i "
    "you it has have was were can must should will after before would get".split()
)
"""Words with which no title ends."""

BREAKS_OFF = (":", "(", "[", "—", "–")
"""Marks before which a clause stops in its middle: "The ports are: ..."; before others it may end as it likes."""

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


BEFORE_THE_MATTER = re.compile(r"(?:when|whenever|if|once|after|before|until|unless)\b[^,]*", re.IGNORECASE)
"""A clause that says when or for what, and nothing yet: "When I merge this"."""

LIMITED = re.compile(r"^(?:but|except|apart|until|unless|if)\b", re.IGNORECASE)
"""What takes something back of the clause before it."""

RULE_LIMITED = re.compile(r"^(?:when|while|even|without|otherwise)\b|\b(?:until|unless|except|only if|but not)\b", re.I)
"""The same of a clause that rules something out, also further on in the sentence."""

RULES_OUT = re.compile(r"^(?:never|don't|do not|no|not|only|always)\b", re.IGNORECASE)

ENUMERATED = re.compile(r"^[\w'`-]+(?:, [\w'`-]+){0,4},? (?:and|or) [\w'`-]+(?=[,.;:!?]|$| (?:and|but|so)\b)")
"""The further members of an enumeration behind its first comma: "paid, cancelled and collected"."""

COUNTS = re.compile(r"^\d[\w.]* [\w%-]+(?:,| and\b|$)")
COUNTED = re.compile(r"\d[\w.]* [\w%-]+$")
"""The next of several numbers, and the one before it: "Keep 7 daily, 5 weekly and 12 monthly"."""

ELLIPTIC = re.compile(
    r"^(?:not (?:with|on|in|like|that|there|here)|(?:oh )?(?:right|yes|yep|ok|okay|sure|exactly|no|correct)),?\b", re.I
)
"""Words that answer what was asked or done, and name nothing of it."""

NUMBER = re.compile(r"\d[\d._]*\d|\d")
"""A number, as code writes it."""

ASKS_WHAT = re.compile(
    r"^(?:so |and |but )?(?:how|when|where|whose|who|what|which|from where|since when)\b"
    r"(?! (?:one|ones|of (?:them|these|those|the two)|(?:would|do|should|shall) (?:you|i|we)|about)\b)",
    re.IGNORECASE,
)
"""A question that is answered by a value, a name or a way, which says little without it; not what to pick."""

MOST_WORDS_OF_AN_ANSWER, MOST_WORDS_OF_A_QUESTION = 6, 8

SAYS_NOTHING = re.compile(
    r"^(?:to explain (?:it|them|that|this)\b|(?:i see,? )?(?:then )?(?:they|he|she) (?:have|has) (?:already )?done\b|"
    r"(?:good|nice) (?:to know|that you\b|with\b)|one (?:more )?thing\b|(?:ah |oh |yes |of )*(?:of course|sorry)\b|"
    r"(?:it|that) (?:is|isn't)(?: not)?$|(?:no,? )?it's not$|that'?s (?:it|right|so|that|an? (?:nice|good)\b)|"
    r"(?:ok |yes )?that is the reason|we had that once|i can do that\b|i do like\b|(?:wait )?i only see\b|"
    r"out with that|not (?:so|at all)\b|make it \S+$)",
    re.IGNORECASE,
)
"""A clause that takes up what was said and tells nothing of its own."""

BETWEEN_CLAUSES = re.compile(
    r"^[\s,;:(—–.!?-]*(?:(?:because|since|so that|so|where|and then|otherwise|but|although|even|"
    r"and)\s+)*",
    re.IGNORECASE,
)

RAN = re.compile(r"^When the agent ran `(?P<command>[^`]+)`, the user said: ")
MOST_WORDS_OF_A_COMMAND = 5


def titled(text: str) -> str:
    """A title for a text: its matter, with the value that an edit gave it where the matter does not name it."""
    matter, taken = matter_of(text), TAKEN_UP.search(text)
    set_to = taken[1].strip().rstrip(",;") if taken else ""
    values = NUMBER.findall(set_to)
    if not values or any(each in NUMBER.findall(matter) for each in values) or set_to in matter:
        return matter
    with_value = f"{matter} (`{set_to}`)"
    return with_value if len(with_value) <= TITLE_CHARACTERS else matter


def matter_of(text: str) -> str:
    """The matter of a text in a few words."""
    frame = FRAME.match(text)
    if frame is None:
        told, taken = told_of(text, phrase(text)), TAKEN_UP.search(text)
        return fitted(taken[1]) if taken and len(told.split("(")[0].split()) <= FEWEST_WORDS else told
    said, asked = frame["said"].strip(), frame["question"] or frame["wish"] or ""
    told = phrase(said)
    words = len(told.split())
    is_elliptic = words < FEWEST_WORDS or (words <= MOST_ELLIPTIC and ELLIPTIC.match(said))
    if is_elliptic and (ran := RAN.match(text)):
        return fitted(f"`{shortened(ran['command'])}`: {within(told)}")
    asked = asked.rstrip("? ").split(". ")[-1].split(": ")[-1]
    if asked and words <= MOST_WORDS_OF_AN_ANSWER and ASKS_WHAT.match(asked):
        return fitted(f"{phrase(asked, most=MOST_WORDS_OF_A_QUESTION)}: {within(told)}")
    if is_elliptic and asked:
        return fitted(f"{phrase(asked, most=5)}: {within(told)}")
    return told_of(said, told)


def within(told: str) -> str:
    """A phrase as it stands within a title: names and abbreviations keep their capitals."""
    return told if told[1:2].isupper() or told[1:2].isdigit() else f"{told[:1].lower()}{told[1:]}"


def told_of(said: str, first: str) -> str:
    """The first clause of what was said, or the next that says something, where the first tells nothing of its own."""
    if not SAYS_NOTHING.match(first):
        return first
    line = " ".join(said.split())
    for end in ENDS.finditer(line):
        told = phrase(BETWEEN_CLAUSES.sub("", line[end.start() :]))
        if len(told.split()) >= FEWEST_WORDS and says_something(told) and not SAYS_NOTHING.match(told):
            return told
    return first


def shortened(command: str) -> str:
    """The first words of a command."""
    words = command.split()
    return " ".join(words[:MOST_WORDS_OF_A_COMMAND]) + "…" * (len(words) > MOST_WORDS_OF_A_COMMAND)


def phrase(text: str, most: int = MOST_WORDS) -> str:
    """The matter of the first sentence, in at most so many words, or a few more where a clause is whole then."""
    line = " ".join(text.replace("**", "").split())
    while lead := next((each for each in LEADING if each.match(line)), None):
        line = lead.sub("", line, count=1)
    most_whole = MOST_WORDS_OF_A_CLAUSE if most == MOST_WORDS else most
    end, says_all = clause_end(line, most_whole)
    words = COPULA.sub(r"\1", line[:end].strip()).split()
    is_cut = len(words) > most_whole or len(" ".join(words)) > TITLE_CHARACTERS
    if is_cut:
        words = words[
            : next((at for at in range(FEWEST_WORDS, min(most, len(words))) if words[at].lower() in RELATIVE), most)
        ]
    least_last = LEAST_LAST_CUT if is_cut else LEAST_LAST if line[end:].lstrip().startswith(BREAKS_OFF) else ()
    while len(words) > 2 and words[-1].lower().strip(".,") in least_last and words[-2].lower() != "now":
        words.pop()
    title = fitted(" ".join(words))
    return title if (says_all and not is_cut) or not title else f"{title[: TITLE_CHARACTERS - 1]}…"


def clause_end(line: str, most: int) -> tuple[int, bool]:
    """Where the first clause that says something ends, and whether it says the same without what follows it.

    A clause that says something else alone goes on to the end of its sentence, or to where its condition ends, as far
    as there is room.
    """
    ends = [match for match in ENDS.finditer(line) if len(line[: match.start()].split()) >= FEWEST_WORDS]
    if not ends:
        return len(line), True
    stop = next((each.start() for each in ends if each[0].strip()[:1] in ".!?;:(—–"), len(line))
    first, clause = ends[0].start(), line[: ends[0].start()].strip()
    is_list = ends[0][0][0] == ","
    rest = line[first:stop].strip(" ,")
    is_scene = is_list and BEFORE_THE_MATTER.fullmatch(clause) is not None
    is_count = is_list and COUNTED.search(clause) is not None and COUNTS.match(rest) is not None
    if is_list and (members := ENUMERATED.match(rest)):
        end = line.index(rest, first) + members.end()
        return (end, True) if len(line[:end].split()) <= most else (first, False)
    if not (is_scene or is_count or is_limited(clause, rest)):
        return first, True
    for end in (stop, *(each.start() for each in reversed(ends[1:]) if each.start() < stop)):
        told = line[:end].strip(" ,")
        if len(told.split()) <= most and len(told) <= TITLE_CHARACTERS and (end == stop or is_scene):
            return end, not is_limited(told, line[end:stop].strip(" ,"))
    return first, False


def is_limited(clause: str, rest: str) -> bool:
    """Whether the rest of a sentence takes something back of a clause."""
    if not rest:
        return False
    return LIMITED.match(rest) is not None or (
        RULES_OUT.match(clause) is not None and RULE_LIMITED.search(rest) is not None
    )


def fitted(title: str) -> str:
    """A title without marks at its end, whole words only, beginning with a capital where that changes no name."""
    while len(title) > TITLE_CHARACTERS and " " in title:
        title = title.rsplit(" ", 1)[0]
    title = title[:TITLE_CHARACTERS].rstrip(" .,;:!-–—(")
    title = title.replace('"', "") if title.count('"') % 2 else title
    first = title.split(" ", 1)[0]
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() else title
