"""What a text is about, told before it or behind it where it does not say so itself.

In: a text and its exchange. Out: the text that stands alone, '' where nothing says what it is about. Invariant: pure;
every word of it is the user's, the agent's, or says who said it.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.aside_cues import COMMAND_FIRST
from memory_db.extract.rules.error_fixes import EDITING_TOOLS, SHELL_TOOLS, ActionRow, edit_detail, subject_of
from memory_db.extract.rules.exchanges import AgentWord, Exchange
from memory_db.extract.rules.mended import has_edit
from memory_db.extract.rules.patterns import STATIVE
from memory_db.extract.rules.prose import FEWEST_WORDS, spelt_out
from memory_db.extract.rules.questions import (
    AFFIRMS,
    COUNTERS,
    DENIES,
    EXCLAIMS,
    OPENING,
    POINTS_BACK,
    asked,
    one_line,
)
from memory_db.extract.rules.run_as_told import is_run_as_told
from memory_db.extract.rules.surroundings import (
    ELLIPTIC,
    EXPLAINS,
    IS_TASK,
    OBJECTS,
    SENDS,
    SUBJECTLESS,
    VALUE_ALONE,
    content,
    is_in_edit,
    is_taken_up,
    misses_noun,
    taken_up_by,
)
from memory_db.text.sentences import Sentence, split
from memory_db.text.terms import PATH

NOUN = r" (?!(?:and|or|in|on|to|for|with|before|after|when|always|again|now|then|too|one|as|by|from)\b)[a-z]{3,}"
"""What stands behind "this" where that names a thing."""

POINTS_AT = re.compile(
    r"(?:^|[.!?] )\W*(?:[\w']+,? ){0,3}?(?:make|set|leave|keep|do|put|use|bump|raise|lower) "
    rf"(?:it|them|(?:that|this)(?!{NOUN}))\b|"
    r"^\W*(?:[\w.]+ ){0,2}?[\w.]+(?: it is)? then\b|^\W*(?:[\w-]+ ){1,2}(?:yes|no|ok),? but\b"
)
"""What sets something that it does not name."""

MISSES = re.compile(
    r"^(?:the |a |an )?(?:[\w`.-]+ ){1,3}?(?:reads?|uses?|needs?|has|does|calls?|imports?|sets?|writes?|loads?|knows?|"
    r"ignores?) "
    r"(?:it|them|that|this)\b"
)
"""What says of something that it does not name."""

POINTS_OUT = re.compile(
    r"\blike (?:that|this)\b|\b(?:that|this|the (?:other|old|new|first|second|last|same)) (?:one|thing|way)\b|"
    r"\b(?:in|on|use|do|put|keep|skip|drop|not) (?:there|that|this|it|them|those|these)(?=[.,;!]|$)|"
    r"\b(?:kill|get rid of|phase out|retire|dissolve|deprecate) (?:that|this) [a-z]+|"
    r"\b(?:have|got|there's|there is|there are) [^.;]{3,60} for (?:that|this|it|them|those|these)(?=[.,;!]|$)|"
    r"\bstill [a-z]+ (?:on )?(?:that|this|it|them|those|these)\b"
)
"""Words that point at something which a short text does not name."""

NEXT_TIME = re.compile(r"(?:for )?(?:the )?next time\b")
"""How somebody tells what is to be done otherwise than it just was."""

OF_BEFORE = re.compile(
    r"\bthe (?:version|variant|plan|proposal|draft|one|way) (?:from|of) (?:before|yesterday|last \w+|\w+day)\b"
)
"""What goes back to something that stands in no message beside it: "go with the version from tuesday"."""

TOPIC = re.compile(r"(?:and |also )?(?:the|our|my|those|that) [\w' -]{3,40}, ", re.IGNORECASE)
"""What a sentence is about, told before it: "the trailer, you can drop that"."""

MOST_POINTING_WORDS = 12
"""Words of the longest text for which such words stand for something outside of it. Source: ours."""

CHOSEN = re.compile(r"(?:^|[.,;!] )(?:[\w:]+ ){1,3}then\W*$")
"""What chooses otherwise than was proposed."""

LACKS_SUBJECT = re.compile(
    r"(?:^|, )(?:[\w.]+ ){1,3}(?:is|are) (?:plenty|enough|fine|ok|okay|too \w+)\b|"
    r"(?:^|[,.] )(?:[\w.]+ ){1,4}for (?:all|both|each|every \w+)\W*$|"
    r", \d[\d.]*\?|\baccordingly\b|"
    r"\b(?:has|have|took|takes|got) (?:it|them|that) (?:now|over)?\W*|, [^,]{2,20} (?:has|does|keeps) it\b"
)
"""A value for something that is not named: "90 is plenty", "half an hour for all"."""

NUMBER_ALONE = re.compile(r"\d[\d.]* ?\w{0,8}(?: it is)?(?: then)?\W*$")

GOES_AHEAD = re.compile(r"^\W*(?:yes|yep|yeah|ok|okay|sure|go on|go ahead|right|fine)\b[\s,.!]+(?:\S+\W*){1,4}$")
"""How a proposal is taken up with no more than its value."""

MOST_OBJECTING_WORDS = 3
"""Words of the longest sentence that is only an objection. Source: ours."""

PASSES = re.compile(r",? (?:and|so) (?:all |the )?(?:\d+ )?(?:tests? )?(?:now )?pass(?:es)?(?: again| now)?(?=\.$)")
"""That checks pass now, at the end of what was found."""

PRONOUN = re.compile(r"(?:^|(?<=[.!?] ))(?:(?:He|She)\b|(?P<own>His|Her) (?=[a-z]))")
PERSON = re.compile(
    r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b(?! [A-Z])|"
    r"(?:^|(?<=[.!?] ))[A-Z][a-z]{2,}"
    r"(?= (?:(?:just|has|had) )*(?:called|phoned|wrote|written|mailed|told|asked|came)\b)"
)
"""A name within a sentence, or of somebody who called or wrote."""

PERSON_TOLD = re.compile(
    r"(?:^|[,;:.] )(?:(?:and|so|but) )?(?:he|she) (?:told|said|says|wants|has|is|does|comes|gets|moved)\b"
)
OF_PERSON = re.compile(
    r"\b([A-Z][a-z]{2,}) (?:has|had|is|was|takes|wants|carries|copies|comes|gets|brings|does|says|said|sends)\b"
)
"""Somebody told of by no name, and a name of whom somebody tells something."""

VERBS = re.compile(rf"\b(?:i|you|we|they|use|keep|make|put|name|write|do|don't|push|commit|ask)\b|\b{STATIVE}\b")
OF_COMMITS = re.compile(r"\b(?:commits?|messages?|push\w*|pull requests?|prs?|tests?)\b")
OF_WORDING = re.compile(
    r"\b(?:lines?|sentences?|words?|prefix\w*|suffix\w*|case|body|dots?|period|full stop|english|imperative|tense|"
    r"colons?|"
    r"characters|chars|emojis?|subject|jargon|capitals?|titles?|tickets?|brackets?|feat|fix)\b"
)
"""Verbs; what a sentence names that says that it is about commits; and what tells how a text is worded."""

FEWEST_OF_WORD, MOST_OF_WORD = 4, 6
"""Letters of the shortest word by which two texts are of one thing, and how many of it are compared: "plates" and
"plate" are one. Source: ours."""

THAT_FILE = re.compile(r"\b[Tt](?:hat|his) (?:file|script)\b")

MOST_QUOTED = 300
"""Characters of the longest words of somebody else that are quoted before a text. Source: ours; two sentences fit."""

MOST_ASKED = 140
"""Characters of the longest request that is quoted before what was found. Source: ours; one sentence fits."""

ASKS = re.compile(
    r"\?|^\W*(?:and |so |but )?(?:does|do|did|is|are|can|could|has|have|will|should|any)\b", re.IGNORECASE
)


def alone(exchange: Exchange, text: str, lower: str, *, is_enough: bool, is_opening: bool = True) -> str:
    """A text with what it is about, where it does not say so itself; '' where nothing does.

    `is_opening` where nothing stands before it in its message that it may be about.
    """
    bare = re.sub(r"^(?:and|but|so|also) ", "", OPENING.sub("", lower).strip())
    told = content(text)
    if OF_BEFORE.search(text.lower()) and len(told) <= MOST_POINTING_WORDS // 2:
        return ""
    is_command = COMMAND_FIRST.match(lower) is not None
    points_at = POINTS_AT.search(bare) is not None or POINTS_AT.search(text.lower()) is not None
    is_small = len(text.split()) <= MOST_POINTING_WORDS and TOPIC.match(text) is None
    points_at = points_at or (is_small and POINTS_OUT.search(text.lower()) is not None)
    points_at = points_at or is_objection(lower) or CHOSEN.search(text.lower()) is not None
    points_at = points_at or NEXT_TIME.match(bare) is not None or GOES_AHEAD.match(lower) is not None or is_command
    is_short = not (is_enough or is_command) and (len(told) < 3 or len(text.split()) < FEWEST_WORDS)
    is_short = is_short or (not is_enough and exchange.message.is_remark and len(content(lower)) < 3)
    is_short = is_short or (len(told) < 2 and NUMBER_ALONE.match(bare) is not None)
    leans = SUBJECTLESS.match(bare or lower) is not None
    is_elliptic = misses_noun(bare or lower) or ELLIPTIC.match(lower) is not None
    points_at = points_at or (is_opening and names_by_pronoun(exchange, text))
    is_of_commit = follows_commit(exchange) and is_wording(lower) and OF_COMMITS.search(text.lower()) is None
    is_run = is_run_as_told(exchange, lower)
    needs_more = is_short or leans or points_at or is_elliptic or is_of_commit or is_run
    taken = taken_up_by(exchange, text) if needs_more or LACKS_SUBJECT.search(text.lower()) else ""
    if not taken and ("became" in (change := taken_up_by(exchange, text)) and is_in_edit(exchange, lower)):
        taken = change
    whole = f"{text.rstrip('.')} ({taken})." if taken else text
    if not needs_more:
        return whole
    before = what_was_before(exchange, f"{lower} {text.lower()}", is_short=is_short)
    points = leans or points_at or is_elliptic
    if before and (is_of_commit or is_run or is_about_it(exchange, lower, text, is_opening=is_opening, points=points)):
        return f"{before.removesuffix(' and')}{' and' if before.endswith(' and') else ','} the user said: {whole}"
    if taken or (points_at and not is_short and not leans):
        return whole
    return "" if is_short or is_elliptic or re.match(r"(?:it|that|this|they)\b", bare) else text


def names_by_pronoun(exchange: Exchange, text: str) -> bool:
    """Whether a text tells of "he" or "she", whom it does not name, and the agent just named one person."""
    subject = PERSON_TOLD.search(text.lower())
    return (
        subject is not None and PERSON.search(text) is None and len(set(OF_PERSON.findall(exchange.said_before))) == 1
    )


def follows_commit(exchange: Exchange) -> bool:
    """Whether the agent has just committed, and said so."""
    has_committed = exchange.action is not None and "git commit" in exchange.action.target
    return has_committed and "ommitted" in exchange.said_before


def is_wording(lower: str) -> bool:
    """Whether a sentence begins with how something is worded, and does not say what: "one line, all lower case"."""
    first = re.split(r", (?:and|so|because) ", lower, maxsplit=1)[0]
    return OF_WORDING.search(first) is not None and VERBS.search(first) is None


def shares_a_word(exchange: Exchange, text: str) -> bool:
    """Whether a text names something that the agent named or did right before."""
    about = exchange.said_before + " " + (exchange.action.target if exchange.action else "")
    return not named_in(text).isdisjoint(named_in(about))


def named_in(text: str) -> set[str]:
    """The words of a text that mean something, cut to how they begin, and its numbers."""
    return {word[:MOST_OF_WORD] for word in content(text) if len(word) >= FEWEST_OF_WORD or word[0].isdigit()}


def is_about_it(exchange: Exchange, lower: str, text: str, *, is_opening: bool, points: bool) -> bool:
    """Whether a text has to do with what the agent said or did right before it, rather than with the words before it.

    It names the same or agrees; at the beginning of its message also where it objects, explains, sets a value or
    `points` at something, and where it follows a question or the user's own words.
    """
    said = EXCLAIMS.sub("", lower)
    if exchange.message.is_remark or AFFIRMS.match(said) or shares_a_word(exchange, text):
        return True
    if not is_opening:
        return False
    is_reply = OBJECTS.search(lower) or DENIES.match(said) or EXPLAINS.match(lower) or is_taken_up(exchange, lower)
    is_asked = exchange.statement is None or exchange.said_before.rstrip("*_`) \n").endswith("?")
    return bool(points or is_reply or is_asked or VALUE_ALONE.search(lower))


def with_name(text: str, before: str) -> str:
    """A text about "he" or "she" with the name of the one person whom the words before it name."""
    pronoun = PRONOUN.search(text)
    names: set[str] = set(PERSON.findall(before[-MOST_QUOTED:])) if pronoun else set()
    if pronoun is None or len(names) != 1 or PERSON.search(text[: pronoun.start()]):
        return text
    return text[: pronoun.start()] + names.pop() + ("'s " if pronoun["own"] else "") + text[pronoun.end() :]


def with_file(text: str, before: str) -> str:
    """A text about "that file" with the one file that the words before it name.

    Not with one of the agent's words: what the user has in mind may be what that file opens.
    """
    if THAT_FILE.search(text) is None or PATH.search(text):
        return text
    named = set(PATH.findall(before))
    name = named.pop().rstrip(".") if len(named) == 1 else ""
    return THAT_FILE.sub(lambda _: name, text, count=1) if name else text


def what_was_before(exchange: Exchange, lower: str, *, is_short: bool) -> str:
    """What a message answers, as the beginning of a sentence; '' where it answers nothing."""
    is_last = exchange.statement is None or (
        exchange.action is not None and exchange.action.entry_id > exchange.statement["id"]
    )
    if exchange.action is not None and (
        exchange.message.is_remark or (is_last and (is_short or exchange.action.is_error or OBJECTS.search(lower)))
    ):
        return done_before(exchange.action)
    said = last_words(exchange.said_before)
    asked = last_words(exchange.earlier_words) if (AFFIRMS.match(said) or DENIES.match(said)) else ""
    if said and ASKS.search(asked) and len(asked) <= MOST_ASKED:
        return f'Asked "{asked}", the agent said "{said}" and'
    if said:
        return f'On "{said}"'
    own = last_words(exchange.earlier_words) if exchange.statement is None else ""
    return f'After "{own}"' if own else ""


def is_objection(lower: str) -> bool:
    """Whether a sentence is no more than an objection: "no maybe"."""
    return re.match(r"\W*(?:no|not|never|stop)\b", lower) is not None and len(lower.split()) <= MOST_OBJECTING_WORDS


def found_alone(word: AgentWord, text: str) -> str:
    """What an agent found, with what it was asked where it does not say itself what it is about; '' if nothing does."""
    text = PASSES.sub("", text)
    lower = spelt_out(text)
    is_subjectless = SUBJECTLESS.match(lower) is not None
    if not is_subjectless and MISSES.search(lower) is None:
        return text
    asked = last_request(word.request)
    is_report = is_subjectless and has_edit(word.acted) and ASKS.search(asked) is None
    if asked and not is_report:
        return f'Asked "{asked}", the agent found: {text}'
    return "" if is_subjectless else text


def last_request(said: str) -> str:
    """The last sentence of a message, where it asks for something and is short enough to be told again."""
    sentences = [one for one in split(said.replace("\x00", " ")) if len(content(one.masked)) > 2]
    if not sentences or len(sentences[-1].text) > MOST_ASKED:
        return ""
    lower = spelt_out(sentences[-1].masked)
    does_ask = ASKS.search(lower) or IS_TASK.search(lower) or SENDS.search(lower)
    return one_line(sentences[-1].text).replace('"', "'") if does_ask else ""


def done_before(action: ActionRow) -> str:
    """What the agent did, as the beginning of a sentence."""
    if action.tool in EDITING_TOOLS:
        name = action.target.split("\n")[0].rsplit("/", 1)[-1]
        return f"When the agent edited `{name}`{edit_detail(action.input)}"
    if action.tool in SHELL_TOOLS:
        command = one_line(action.target.replace("`", "'"))
        return f"When the agent ran `{command if len(command) <= 90 else command[:89].rstrip() + '…'}`"
    return f"When the agent used {subject_of(action)}"


def last_words(said: str) -> str:
    """The last sentence that says something, with the one before it where both fit or it leans on that."""
    sentences = split(said.replace("\x00", " "))
    while sentences and len(content(sentences[-1].masked)) < 2:
        sentences.pop()
    if not sentences or len(sentences[-1].text) > MOST_QUOTED:
        return ""
    first = last = len(sentences) - 1
    is_question = sentences[last].masked.rstrip().endswith("?")
    while first and ((first == last and not is_question) or says_too_little(sentences[first])):
        is_told = len(content(sentences[first - 1].masked)) > 1
        if not is_told or len(said[sentences[first - 1].start : sentences[last].end]) > MOST_QUOTED:
            break
        first -= 1
    return one_line(said[sentences[first].start : sentences[-1].end]).replace('"', "'")


def says_too_little(sentence: Sentence) -> bool:
    """Whether a sentence needs the one before it."""
    lower = spelt_out(sentence.masked)
    return len(lower.split()) < 6 or SUBJECTLESS.match(lower) is not None or POINTS_BACK.search(lower) is not None


PROPOSED = re.compile(r"\b(?:would|could|might|maybe|perhaps|i'd|we'd|what about|how about|i like to|id like)\b")
"""How somebody proposes something, which the agent may have a better way for."""


def is_replaced(exchange: Exchange, quote: str) -> bool:
    """Whether the agent proposed something else for what the user proposed, and they agreed."""
    reply = "" if exchange.reply is None else str(exchange.reply["text"])
    question = asked(reply)
    if question is None or COUNTERS.search(reply) is None or not reply.rstrip("*_`) \n").endswith("?"):
        return False
    agrees = AFFIRMS.match(EXCLAIMS.sub("", exchange.next_words)) is not None
    return agrees and PROPOSED.search(spelt_out(quote)) is not None and not named_in(quote).isdisjoint(named_in(reply))
