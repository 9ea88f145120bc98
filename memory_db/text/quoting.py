"""How words stand in the message that they are quoted from: meant by its writer, or pasted, supposed, asked, for now.

In: a message, words of it, and who wrote it. Out: why the words are no statement of the writer's, or ''. Invariant:
pure (no database, clock or chance), never raises, and linear in the length of the message.
"""

from __future__ import annotations

import re

from memory_db.text.attribute_values import settings_of
from memory_db.text.how_long import FOR_NOW, LASTING, LASTS_FROM
from memory_db.text.statements import CURLY
from memory_db.text.telling_orders import is_put_off, tells_failure
from memory_db.text.told import TOLD_BY_TEXT

PASTED = "it was pasted, not typed"
IN_MARKS, TOLD = "stands in quotation marks: somebody else's words", "somebody else's words"
TEST, WHAT_IF, JOKE = "a test of the input", "supposed, not said to be so", "a joke"

OFFERED = "a plan or an offer of the agent"

LEFT_OPEN = (PASTED, IN_MARKS, TOLD)
"""The reasons that leave open whether it holds: somebody else said so."""

LONGEST_TYPED = 1_200
"""A paragraph that is longer is pasted, not typed. Source: ours; typed ones of the sample are below 700 characters."""

FENCE = re.compile(r"^\s{0,3}(?:```|~~~)", re.MULTILINE)

QUOTED_LINE = re.compile(r"^\s{0,3}(?:>|\|)")

HEADER = re.compile(r"^(?:from|to|cc|subject|sent|date|re|fwd?|betreff|von|an|gesendet): ?\S", re.IGNORECASE)
"""A line at the head of a mail."""

DOCUMENT_LINE = re.compile(
    r"^\s*(?:#{1,4} \S|\[(?:firing|resolved|alert\w*)\b|[-*] \[[ x]\] |\d{4}-\d\d-\d\d[ T]\d\d:|\[?(?:info|warn|"
    r"warning|error|debug)\b[\]: ]"
    r"|at \w[\w.$]*\(|"
    r"traceback|diff --git|@@ |\+\+\+ |--- |\{$|<\w+[ >]|dear |hi \w+,$|hello \w+,$|(?:kind |best |warm )?regards|"
    r"cheers,$|-- $)",
    re.IGNORECASE,
)
"""A line that nobody types to an agent: a heading, a log, a stack, a mail's first and last words."""

INTRODUCED = re.compile(r":\s*$")
"""The end of a line that what follows is pasted behind."""

PASTES = re.compile(
    r"\b(?:mails?|email|ticket|issue|readme|docs?|documentation|logs?|errors?|trace|message|writes?|wrote|says?"
    r"|said|got|"
    r"from|slack|chat|output|paste[ds]?|below|here|this|these|spec|article|page|text|customer|vendor|report\w*)\b"
)
"""What somebody says before a paste."""

SHORT = 300
"""Characters of what is typed below a paste at most."""

SPEAKS_OF = re.compile(
    r"\b(?:docs?|documentation|readme|article|blog|post|ticket|issue|mail|email|message|customer|client|vendor|spec|"
    r"manual|guide|changelog|wiki|page|slack|thread|comment|legal|contract|policy|banner|label|text|string|title|"
    r"placeholder|he|she|they|someone|somebody|boss|colleague|support|reviewer|says?|said|writes?|wrote|reads?"
    r"|claims?|"
    r"called|like|quote|quoting|according)\b[^\"]{0,60}$"
)
"""What stands before words in quotation marks that are somebody else's."""

MOST_TRIED = 8
"""Words of the longest message that is typed to see whether it arrives."""

TRIES_INPUT = re.compile(
    r"^\W*(?:just )?(?:testing|test)\b(?! (?:files?|data|suite|names?|runs?|cases?|against|with)\b).{0,60}"
    r"(?:special|characters?|unicode|emoji|umlauts?|accents?|encoding|input|prompt|123|one two|hello|[^\x00-\x7f])|"
    r"^\W*(?:test|testing|foo|hello world|asdf\w*)\W*$",
    re.IGNORECASE,
)
"""A text typed to see whether it arrives."""

SUPPOSES = re.compile(
    r"\bwhat if\b|\bif we (?:ever"
    r"(?! (?:touch|come|look|need|have to|get)\b)|were|had|did|could|wanted)\b|(?<!\bi )(?<!\bto )\bsuppose\b|"
    r"(?<!\bi )(?<!\bcan )\bimagine\b|\bjust (?:dreaming|"
    r"wondering|curious|"
    r"thinking (?:aloud|out loud))\b|\bhypothetically\b|\bone day we\b|\bin an ideal world\b|"
    r"\bwould it be (?:quicker|"
    r"faster|better|hard)\b",
    re.IGNORECASE,
)
"""Words of somebody who only plays with a thought."""

LAUGH = r"(?:lol|lmao|haha\w*|hehe)"
"""How somebody laughs in writing, as a pattern."""

JOKES = re.compile(rf"\b(?:{LAUGH}|rofl|just kidding|jk|joking)\b|😂|🤣|😜|(?<!\S);-?\)(?=\s|$)", re.IGNORECASE)
"""Words of somebody who is not serious."""

MAY_SUPPOSE = re.compile(
    r"\bwhat if\b|(?<!\bi )\bsuppos(?:e|ing)\b(?! to)|(?<!\bi )(?<!\bcan )\bimagine\b|"
    r"\blet's say\b|\bsay we\b|\bhypothetical\w*|\bin theory\b|"
    r"\bif (?:we|i|you|they|it) (?:ever(?! (?:touch|come|look|need|have to|get)\b)|were|had|did|moved|switched|went"
    r"|dropped|decided|wanted|used|could|would)\b|"
    r"\bthought experiment\b|\bfor the sake of argument\b|\bpretend\b|\bwondering\b|\btoying\b|"
    r"(?:^|\b(?:i|we|just|only|always|do) )wonder\b"
    r"|\bthinking (?:about|of)\b"
    r"|\bsome ?day\b|\bone day\b(?= (?:we|i|you|it|they|he|she|someone)\b)|"
    r"\bin an ideal\b|\b(?:we|i|you) (?:might|could) (?:also |just |maybe )?\w+|"
    r"\bwould (?:it|we|that|be)\b|"
    r"\bwould you (?:ever|rather|say|think|consider)\b|"
    r"\bmaybe\b|\bperhaps\b|\bi wish\b|\btempted\b|\bnot sure (?:if|whether|yet)\b"
)

SO_IF = re.compile(
    r"[,;] (?:so|and|but) (?:don't \w+ )?(?:if|when|in case) (?:you|we|i|they|it|somebody|someone|anybody|anyone)\b"
)
"""What somebody goes on with from what is so: "they stay for seven years, so if you ever move them, careful"."""

MAY_JOKE = re.compile(r"\bkidding\b|/s(?:\s|$)|😅|;-?\)|\bxd\b")
"""Further signs, which a value outweighs: "120 requests/s" is none."""

TEST_STRING = re.compile(
    r"\btest(?:ing)? (?:special|unicode|message|string|input|prompt|one two|1 2|123)\b|\blorem ipsum\b|\basdf\w*\b|"
    r"\bfoo ?bar baz\b|\bhello,? world\b|\bthis is (?:just )?a test\b|\bignore this\b"
)

TASK = re.compile(
    r"^(?:(?:ok|okay|now|then|also|and|next|first|great|thanks|perfect|cool|good|nice|yes|yep|just|please|pls"
    r"|can you|"
    r"could you|would you|go ahead and|let's|lets|i need you to|i want you to|so|hey|hi|morning)[,:.!]* +)*"
    r"(?:use (?:a|the|your) (?:sub-?agents?|agents?|tool|search|web\w*|todo\w*|plan)|inspect|add|fix|rename"
    r"|write|update|"
    r"create|remove|delete|refactor|implement|change|check|look|show|run|rerun|re-run|find|open|build|push"
    r"|commit|merge|"
    r"revert|try|explain|list|print|generate|give|tell|bump|port|review|investigate|debug|split|extract|convert"
    r"|clean|"
    r"finish|continue|start|read|draft|install|undo|replace|log|double-check|compare|summari[sz]e|reproduce"
    r"|bisect|do|"
    r"get|grab|apply|tidy|wire|restart|reset|rebuild|kill|ship|ping|send|sort|scan|search|dig|profile|measure|sketch|"
    r"rewrite|simplify|swap|cherry-pick|describe|walk|help|take|make (?:a|the|me|an|it|that|this))\b(?!\.\w)"
)
"""The beginning of an order for now."""

AS_FORM = re.compile(
    r"^(?:(?:please|pls|kindly|and|so|but)[,:]? +)*(?:show|print|write|display|format|spell|mark|label|name) "
    r"(?:it|them|these|those|(?:the |all )?[\w-]+s) (?:as (?!well\b)|with |without |in )"
)
"""An order that says how something is written from then on: "show them as 7,50"."""

PLAN = re.compile(
    r"\b(?:i'll|i will|i would|i'd|let me|i'm going to|i can|i could|shall i|should i|want me to|would you like"
    r"|do you want|"
    r"happy to|we could|you could|you might want|next i)\b"
)
"""An agent's plan or offer."""

ASKS_FOR_GOOD = re.compile(
    r"\b(?:always|never|from now on|please|pls|henceforth|in (?:the )?future|going forward|every time|whenever"
    r"|no longer|any ?more|any longer)\b"
)
"""Words that make a question an order."""

OPENS_QUESTION = re.compile(
    r"^\W*(?:(?:and|so|but|or|also|ok|please)\W+)*(?:should|shall|would|could|can|will|do|does|did|is|are|was|were|has"
    r"|have|am|may|might|what|how|why|when|where|which|who|any)\b(?! i (?:say|said|mean|want)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that asks whatever stands at its end."""

HABIT = re.compile(
    r"\b(?!(?:i|you|we|it|that|this|there)\b)[\w'-]+ (?:doesn't|does not|hates to|refuses to|won't|never) "
    r"(?:like|want|take|read|accept|turn|go|allow|open|use|need|work|answer|drive|come)\b"
)
"""What somebody else never does, which is no joke though it is told with a laugh."""

TAGGED = re.compile(r"(?:,? (?:and|so|but|because|since) [^?]{1,80})?[,;] (?:right|no|ok|okay|yes|correct)\s*\?")
"""What follows on a statement whose sentence ends with a tag: "we bill whole days and a half is none, right?" """

ASKED_BESIDE = re.compile(r"\s*[,;:]?\s*(?:so|and|then|hence)?,?\s*(?:would|could|can|will) (?:you|we)\b")
"""What follows on a statement that gives the reason for a request: "the port is 8010 now, so would you ...?" """

MOST_ADDED = 6
"""Words of the longest sentence that only says how the one before it is meant: "just thinking aloud". Source: ours."""

CLAUSE = re.compile(r".+?(?:[,;:()–—]\s+|\s-\s|\s(?=\()|$)", re.DOTALL)
"""A sentence in clauses, as its marks part it."""

MOST_BESIDE = 4
"""Words of the longest clause that only tells of the one beside it when it is: "just for the demo". Source: ours."""

SOMEBODY = re.compile(r"\b(?:i|we|he|she|they)\b")

SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")


def unmeant(message: str, words: str, *, role: str = "user", is_typed: bool = False) -> str:
    """Why words of a message are no lasting statement of who wrote it, in a few words; '' where they may be one.

    `role` is who wrote the message: user, or assistant. What `is_typed` for certain is no paste, however it looks.
    """
    start = message.find(words)
    if start < 0 or not words.strip():
        return ""
    sentence = sentence_around(message, start, start + len(words)).translate(CURLY).casefold()
    if role == "assistant":
        if sentence.rstrip("\"') ").endswith("?"):
            return "a question of the agent"
        return OFFERED if PLAN.search(sentence) else ""
    if not is_typed and is_pasted(message, start):
        return PASTED
    if is_in_quotation_marks(message, start, start + len(words)):
        return IN_MARKS
    return of_sentence(sentence, words.translate(CURLY).casefold())


def of_sentence(sentence: str, words: str) -> str:
    """Why a typed sentence, in lower case, states nothing that lasts; '' where it may."""
    lasts = LASTING.search(words) is not None or LASTS_FROM.search(words) is not None
    values = settings_of(words).values
    before = until_so_if(sentence, words)
    for pattern, text, reason in (
        (TEST_STRING, sentence, TEST),
        (SUPPOSES, before, WHAT_IF),
        (MAY_SUPPOSE, before, WHAT_IF),
        (TOLD_BY_TEXT, sentence, TOLD),
    ):
        if pattern.search(text):
            return reason
    if (JOKES.search(sentence) or MAY_JOKE.search(sentence)) and not values and not is_meant(words):
        return JOKE
    if sentence.rstrip("\"') ").endswith("?") and not (ASKS_FOR_GOOD.search(sentence) or is_reason(sentence, words)):
        return "a question"
    if FOR_NOW.search(part_of(sentence, words)) and "from now on" not in sentence and not LASTS_FROM.search(words):
        return "holds for now alone"
    order = words.strip()
    holds_on = lasts or AS_FORM.match(order) or LASTS_FROM.search(sentence) or tells_failure(order) or is_put_off(order)
    is_order = TASK.match(order) is not None and TASK.match(begins_with(sentence, words)) is not None
    if is_order and not holds_on and not (values.keys() - {"path", "number", "version"}):
        return "a thing to do now"
    return ""


def until_so_if(sentence: str, words: str) -> str:
    """A sentence without what it goes on with behind some words of it: "..., so if you ever move them, careful"."""
    start = sentence.find(words.strip())
    goes_on = SO_IF.search(sentence, start + len(words.strip())) if start >= 0 else None
    return sentence if goes_on is None else sentence[: goes_on.start()]


def part_of(sentence: str, words: str) -> str:
    """The clauses of a sentence that hold some words of it, with what is too short beside them to be one of its own.

    "I'm off for today, and the pump listens on 4711" says of the pump nothing that is for now alone.
    """
    start = sentence.find(words.strip())
    if start < 0:
        return sentence
    end = start + len(words.strip())
    clauses = CLAUSE.findall(sentence)
    places, at = [], 0
    for clause in clauses:
        places.append((at, at + len(clause)))
        at += len(clause)
    own = [number for number, (begin, stop) in enumerate(places) if begin < end and stop > start]
    if not own:
        return sentence
    first, last = own[0], own[-1]
    for beside in (first - 1, last + 1):
        if 0 <= beside < len(clauses) and is_added(clauses[beside]):
            first, last = min(first, beside), max(last, beside)
    return "".join(clauses[first : last + 1])


def is_added(clause: str) -> bool:
    """Whether a clause says nothing by itself: it is short, and nobody does anything in it."""
    return len(clause.split()) <= MOST_BESIDE and SOMEBODY.search(clause) is None


def begins_with(sentence: str, words: str) -> str:
    """A sentence from its last colon before some words on: what an order is a part of is judged as a whole."""
    at = sentence.find(words.strip())
    return sentence[sentence.rfind(": ", 0, at) + 1 :].strip() if at > 0 else sentence


def is_meant(words: str) -> bool:
    """Whether words that somebody laughs about say how long something holds, or what somebody never does."""
    return any(each.search(words) for each in (LASTS_FROM, HABIT))


def is_reason(sentence: str, words: str) -> bool:
    """Whether words of a sentence state what a request behind them rests on."""
    _, found, behind = sentence.partition(words.strip())
    is_told = TAGGED.match(behind) is not None and OPENS_QUESTION.match(sentence) is None
    return bool(found) and (is_told or ASKED_BESIDE.match(behind) is not None)


def tries_input(message: str, words: str) -> bool:
    """Whether a short message is typed only to see whether it arrives."""
    return TRIES_INPUT.search(words) is not None and len(message.split(None, MOST_TRIED + 1)) <= MOST_TRIED


def line_from(message: str, words: str) -> str:
    """What a message says from the beginning of the words' sentence to the end of their line; the words if they do not
    stand in it."""
    at = message.find(words)
    if at < 0:
        return words
    start, end = message.rfind("\n", 0, at) + 1, message.find("\n", at + len(words))
    before = max(start, *(message.rfind(mark, 0, at) + 1 for mark in ".!?"))
    return message[before : len(message) if end < 0 else end][: len(words) + 200 + at - before]


def is_supposed(message: str, words: str) -> bool:
    """Whether words only suppose something: in their sentence, or in a short one behind it on their line."""
    line = line_from(message, words)
    at = line.find(words)
    ended = SENTENCE_END.search(line, max(0, at) + len(words.rstrip(".!?")))
    if ended is None:
        return SUPPOSES.search(line) is not None
    behind = SENTENCE_END.split(line[ended.end() :], maxsplit=1)[0]
    is_of_it = len(behind.split()) <= MOST_ADDED
    return SUPPOSES.search(line[: ended.end() + len(behind)] if is_of_it else line[: ended.start()]) is not None


def sentence_of(message: str, words: str) -> str:
    """The sentences of a message that hold some words of it; the words themselves if they do not stand in it."""
    start = message.find(words)
    return sentence_around(message, start, start + len(words)) if start >= 0 else words


def sentence_around(message: str, start: int, end: int) -> str:
    """The sentences of a message that hold a span of it."""
    begin, stop = 0, len(message)
    for match in SENTENCE_END.finditer(message):
        if match.end() <= start:
            begin = match.end()
        elif match.start() >= end:
            stop = match.start()
            break
    return message[begin:stop].strip().rstrip(";")


def is_pasted(message: str, start: int) -> bool:
    """Whether a place in a message lies in a fence, a quotation, a mail, a log, or another paste."""
    if len(FENCE.findall(message[:start])) % 2:
        return True
    line = message[message.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    if QUOTED_LINE.match(line) or DOCUMENT_LINE.match(line) or HEADER.match(line):
        return True
    paragraphs = message.split("\n\n")
    offset, is_introduced, mail = 0, False, False
    for paragraph in paragraphs:
        lines = paragraph.split("\n")
        headers = sum(HEADER.match(each.strip()) is not None for each in lines)
        mail = mail or headers >= 2
        if offset <= start <= offset + len(paragraph):
            said = paragraph[: start - offset].split("\n")
            looks = headers >= 1 or any(DOCUMENT_LINE.match(each) for each in said)
            marked = any(QUOTED_LINE.match(each) for each in message[:start].split("\n")) or FENCE.search(
                message[:start]
            )
            if marked or is_closing(paragraphs, paragraph):  # what is quoted line by line, or in a fence, ends there
                return len(paragraph) > LONGEST_TYPED
            inner = introduced_at(paragraph)
            behind = inner is not None and start >= offset + inner
            return mail or is_introduced or looks or behind or len(paragraph) > LONGEST_TYPED
        is_last = INTRODUCED.search(paragraph) is not None and PASTES.search(paragraph.casefold()) is not None
        is_introduced = is_introduced or is_last or introduced_at(paragraph) is not None
        offset += len(paragraph) + 2
    return False


def is_closing(paragraphs: list[str], paragraph: str) -> bool:
    """Whether a paragraph is what somebody types below a paste: the last one, short, and begun without a capital."""
    text = paragraph.strip()
    return len(paragraphs) > 1 and paragraph is paragraphs[-1] and len(text) <= SHORT and text[:1].islower()


def introduced_at(paragraph: str) -> int | None:
    """Where in a paragraph a paste begins, behind a line that ends with a colon and speaks of one; None if nowhere."""
    place = 0
    for line in paragraph.split("\n"):
        if INTRODUCED.search(line) and PASTES.search(line.casefold()) and place + len(line) < len(paragraph):
            return place + len(line) + 1
        place += len(line) + 1
    return None


def is_in_quotation_marks(message: str, start: int, end: int) -> bool:
    """Whether a span of a message lies within quotation marks, of somebody else's words."""
    line_start = message.rfind("\n", 0, start) + 1
    line_end = message.find("\n", end)
    line = message[line_start : line_end if line_end >= 0 else len(message)].translate(CURLY)
    before, inside = line[: start - line_start], line[start - line_start : end - line_start]
    after = line[end - line_start :]
    opened = before.count('"') % 2 == 1 and '"' in after
    is_whole = inside.startswith('"') and inside.rstrip(".,!").endswith('"') and inside.count('"') == 2
    if not opened and not is_whole:
        return False
    lead = before[: before.rfind('"')] if opened else before
    return len(inside.split()) >= 4 and (SPEAKS_OF.search(lead.casefold()) is not None or is_whole or opened)
