"""What an agent asked, and what an answer to it chooses.

In: a reply of the agent, and what the user said next. Out: the question with what it needs to be understood, and the
answer as a statement. Invariant: pure; every word of a statement is the user's or the agent's.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_db.text.sentences import Sentence, split

LONGEST_QUESTION = 420
"""Characters of the longest question that is repeated with what leads to it."""

ASKED_LAST = 3
"""Among how many last sentences of a reply its question stands."""

MOST_BEHIND = 1
"""Sentences at most behind a question that waits for an answer: what two more follow answers itself. Source: ours."""

ONE_OFF = re.compile(
    r"\b(?:shall|should|may|can|could|do you want me to|want me to|would you like me to|ok(?:ay)? to|ready to|"
    r"(?:is it|are you) (?:ok|fine|all right) (?:if|with)|mind if)\b[^?]{0,30}?\b(?:commit|push|run|rerun|ship|merge|"
    r"continue|proceed|start|begin|go (?:on|ahead)|open|show|fix|try|look|check|apply|restart|do (?:it|that|this|so|"
    r"both|the same)|also|ask|install|revert|undo|deploy|release|tag|clean|delete|create|write|add|update|rename|"
    r"remove|convert|implement|correct|repair|mend|adjust|restore|rebuild|rewrite|reword|redo|draft|investigate|"
    r"dig|take|put|send|(?:make|change|drop) (?:it|that|this|them|the))\b",
    re.IGNORECASE,
)
"""A question for leave to do one thing now: what is answered to it is seldom worth keeping."""

OR_NOT = re.compile(
    r",? or (?:(?:to |shall i |should i |do i |would you |rather )*(?:leave|wait|not|hold|stop|keep|skip|look)\b"
    r"|(?:are|is|do|will) (?:you|it|that)\b|later\b)",
    re.IGNORECASE,
)
"""How such a question ends that offers nothing else but to leave it: "commit this, or leave it in the tree?"."""

HOW = re.compile(r"\b(?:how|where|which|what|who|when|why)\b", re.IGNORECASE)
POINTS_BACK = re.compile(
    r"\b(?:it|its|them|they|that|this|these|those|both|either|which|option)\b|\bone\?", re.IGNORECASE
)
"""Words by which a question leans on what was said before it."""

LEANS_ON = re.compile(r"\b(?:it|its|them|they|their|that|those)\b", re.IGNORECASE)
"""Words of a question that stand for what was named before."""

AFFIRMS = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|ya|y|sure|ok(?:ay)?|correct|exactly|right|please do|do (?:it|that)|go)\b", re.I
)
DENIES = re.compile(r"^\W*(?:no|nope|nah|n|don'?t|dont|neither|never|rather not|not)\b", re.I)
OPENING = re.compile(
    r"^(?:\W*(?:yes|yep|yeah|yup|ya|no|nope|nah|ok(?:ay)?|sure|hm+|uh+|oh|ah|oof|ugh|well|right|then|"
    r"please|pls|great|"
    r"good|nice|perfect|fine)\b[\s,.!:;–—-]*)+",
    re.IGNORECASE,
)

LETTERED = re.compile(
    r"(?:^|[\s(])\(?([a-e]|[1-5])[).:]\s+(.+?)(?=[;,]?\s+\(?(?:[a-e]|[1-5])[).:]\s|[;.]?\s*$|\n)", re.I
)
OPTION = re.compile(r"^\W*(?:[a-e]|\d)[.):] ", re.IGNORECASE)
"""The mark with which one of them begins."""

IN_A_ROW = re.compile(
    r"(?:^|[.:;] +)1 (\D[^\n]*?)[,;.] +2 (\D[^\n]*?)(?:[,;.] +(?:or )?3 (\D[^\n]*?))?[.;?]?\s*$", re.MULTILINE
)
"""Options in one line, by number: "1 leave it, 2 take it out"."""

JOINS_OPTIONS = re.compile(r"[;,]?\s+(?:or|and|oder|und|ou(?: bien)?|soit|et|o|e|y|lub|или)$", re.IGNORECASE)
"""What stands between one option and the mark of the next: "(1) by day or (2) by hour"."""

TWO_WAYS = re.compile(
    r"\b(?:ways|options|choices|possibilities|variants|possible)\b[^:.?]{0,20}: (?P<one>[^.?;]+?),? or "
    r"(?P<other>[^.?;]+)[.;] +(?:which|what)\b[^?]*\?",
    re.IGNORECASE,
)
"""Two options in a sentence of their own, before it is asked which: "Two ways: by day, or by hour. Which?"."""

ORDINALS = {"first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "latter": 1, "third": 2, "3rd": 2, "last": -1}
ORDINALS_ELSEWHERE = (
    r"erste[rns]?|ersteres|premi(?:er|ère)|primer[oa]?|prim[oa]|primeir[oa]|pierwsz[aey]|перв(?:ый|ая|ое)|"
    r"第一(?:个|種|种)?|一つ目|最初|첫 ?번째",
    r"zweite[rns]?|letzteres|deuxième|second[eoa]?|segund[oa]|drug[aie]|втор(?:ой|ая|ое)|"
    r"第二(?:个|種|种)?|二つ目|두 ?번째",
    r"dritte[rns]?|troisième|tercer[oa]?|terz[oa]|terceir[oa]|trzeci[ae]?|трет(?:ий|ья|ье)|"
    r"第三(?:个|種|种)?|三つ目|세 ?번째",
)
"""The first, the second and the third in ten languages."""

CHOICES_ELSEWHERE = tuple(
    re.compile(
        r"^\W*(?:(?:ja|oui|sí|si|sim|tak|да|dann|also|nimm|prends|toma|usa|prendi|lieber|plutôt|mejor|meglio|"
        r"wir nehmen|ich nehme)\b\W*)*(?:das|die|der|den|dem|le|la|el|lo|il|o|a|ten|ta|to)? ?"
        rf"(?:{words})(?=\W|$)(?! (?:mal|fois|vez|volta|raz|раз)\b)",
        re.IGNORECASE,
    )
    for words in ORDINALS_ELSEWHERE
)
"""How an answer names an option by its place in other languages: "das zweite, nummer sagt zu wenig"."""
CHOICE = re.compile(
    r"^\W*(?:(?:let'?s |go |do |take |use )*(?:with )?(?:your )?(?:the )?(?:option |variant )?"
    r"(?:(?P<mark>[a-e]|[1-5])|(?P<ordinal>first|1st|former|second|2nd|latter|third|3rd|last))(?: one| option)?)\b"
    r"(?![ -]?(?:s|ms|%|days?|hours?|minutes?|lot|few|bit|new|thing|step|of|commits?)\b)",
    re.IGNORECASE,
)
EITHER = re.compile(
    r"(?:^|[,:;] |\b(?:should|shall|do|does|is|are|want|use|keep|leave|with|in|by|as|be)\b )?"
    r"(?P<one>[\w`'./-]+(?: [\w`'./-]+){0,7}?),? or (?P<other>[\w`'./-]+(?: [\w`'./-]+){0,7})\?",
    re.I,
)

ASKS_LEAVE = re.compile(
    r"^(?:so,? |and |then |or )?(?:shall|should) (?:i|we) |^(?:do you )?want me to |^would you like me to ",
    re.IGNORECASE,
)

OPEN_END = re.compile(
    r"\b(?:anything else|what(?:'s| is)? (?:next|first)|where (?:do|shall|should) we (?:start|begin)|what now|"
    r"what would you like|how can i help|"
    r"what should i (?:do|work on))\b",
    re.I,
)
"""A question after which anything may follow."""

ASKS_STATE = re.compile(
    r"^(?:so,? |and |then |or |but )?(?:is|are|should (?!i\b|we\b)|does|do (?:you|we) (?!want)|did|must|"
    r"may|has|have)\b",
    re.IGNORECASE,
)
"""A question for how something is or is to be, whose bare yes or no tells something."""

ASKS_HOW = re.compile(r"\b(?:how (?:do|does|can|should|is|are|would)|what(?:'s| is) the command|which command)\b", re.I)
ASKS_WHERE = re.compile(r"\bwhere\b|\bwhich (?:file|folder|module|directory|repo)\b", re.IGNORECASE)

COUNTERS = re.compile(
    r"\b(?:i(?:'d| would) (?:rather|prefer|suggest|propose)|(?:it )?would be better|better (?:is|to)|"
    r"(?:what|how) about|instead)\b",
    re.IGNORECASE,
)
"""How an agent proposes something else."""

ASKS_AGREEMENT = re.compile(
    r"^(?:is (?:that|this|it) )?(?:ok(?:ay)?|all right|alright|agreed|fine|good)(?: (?:with|for|by) you| so)?\?$|"
    r"^(?:do you agree|does (?:that|this) (?:work|suit you|sound right)|sounds? (?:good|right)|shall i)\?$",
    re.IGNORECASE,
)
"""How an agent asks whether that is to be so."""

EXCLAIMS = re.compile(r"^\W*(?:(?:ah+|oh+|uh+|um+|aha|ouch|oops|well|hm+)\b[\s,.!]*)+", re.IGNORECASE)
"""How somebody begins before they agree or not."""

UNDERSTOOD = re.compile(
    r"^(?:understood|ok(?:ay)?|done|clear|sure|right|got it|yes|two details|one question|i can|i could)\b[,.:]\s+", re.I
)
"""How a reply begins before it comes to the matter."""

DONE_WORDS = (
    r"(?:done|moved|renamed|removed|added|changed|fixed|tagged|updated|replaced|applied|committed|pushed|merged|built|"
    r"left alone|taken out|clean|green|sorry|good|fine|noted|agreed|all|both|everything|nothing else|it|they|that|this|"
    r"tests?|checks?|files?|rows?|now|again|is|are|was|were|looks?|right|pass(?:ed|es)?|touched|to (?:add|change)|"
    r"\d+|of|one|two|three|four|five|and|so)"
)
STATUS = re.compile(rf"^\W*{DONE_WORDS}(?:\W+{DONE_WORDS})*\W*$", re.IGNORECASE)
"""How a reply says that something is done, which a question behind it needs no word of: "Moved, and green."."""

ANSWER_WORDS = 12
"""Words of the longest first sentence that may be an answer which says nothing without its question."""


OFFERS = re.compile(
    r"^(?:(?:for (?:this|that|it|now)|here|alternatively|so|otherwise|also|then),? )?(?:(?:i|we|you) (?:could|can|"
    r"might)|it could|(?:that|this|it) (?:can|could) (?:be|go|live)|there are (?:two|three|several|\d)|(?:two|three) "
    r"(?:ways|options|places|possibilities)|either|(?:the )?options (?:are|here))\b[^?]*\bor\b[^?]*$",
    re.IGNORECASE,
)
"""How an agent lists what may be done, and leaves the choice to the user: "I could keep it in Redis or in a table."."""

DEFERS = re.compile(
    r"^\W*(?:sec|wait|hm+|haha|hah|lol|dunno|not sure|no idea|idk|maybe|depends|good question|ask me|we'll see|"
    r"(?:let me|i'll|i will|i need to|i have to|i should|gotta) (?:think|sleep|check|ask|see|look)|"
    r"(?:i|we) (?:do not|don't) know)\b"
)
"""How somebody puts off an answer."""

TOLD_BEFORE = re.compile(
    r"\b(?:told|said|asked|telling|saying|explained|explaining) (?:you|it|this|that|so)\b|\bas i said\b|"
    r"^(?:[\w`./-]+, )?(?:always|never)\b|"
    r"^\W*(?:(?:whoa|hey|no|stop|wait|oh)\b[\s,.!]*)*you (?:don't|do not|never|mustn't|must not|may not|shouldn't)\b"
)
"""How somebody repeats a rule instead of answering."""

SAYS_NOTHING = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|ah|oh|ok|right|well|hm+)\b[\s,.!]*)*(?:(?:you(?:'re| are) right|that explains|i see\b|"
    r"i(?:'ve| have) (?:just |already )?(?:asked|checked|looked)|good (?:point|question|catch))\b|"
    r"that(?:'ll| will|'d| would| must| could| might)(?: have)? be(?:en)? (?:it|why|the (?:reason|cause|one|problem|"
    r"bug|"
    r"culprit))\b(?: then| indeed| i guess)?\W*$|"
    r"(?:bugger|damn(?: it)?|shit|crap|fuck|bloody hell|hell|blast|dear|my (?:god|goodness)|no way|of course)\W*$|"
    r"sorry,? (?:that|this|it|i|my|about)\b(?!.*\b(?:only|always|never|nobody|[a-z]+days?|not|no|must|should|means?|"
    r"meant|want|use|is|are|it's|that's)\b)[^\d`:]*$|"
    r"i (?!.*\b(?:only|always|never|nobody|[a-z]+days?|not|no|must|should|means?|meant|want|use|is|are|it's|"
    r"that's)\b)(?:[\w']+ ){0,6}[^\d`:]{0,20}\bforgot(?:ten)?\b[^\d`:]*$)|"
    r"\byou (?:(?:absolute|total|complete|old|clever|sweet) )?(?:poet|hero|genius|star|gem|legend|idiot|fool|angel|"
    r"saint|"
    r"devil|muppet)\b|^[^,;:]* (?:of|the|my|our|and|or)\W*$"
)
"""How somebody takes in what was said before they answer, how they groan or praise, and what breaks off."""


class Asked(NamedTuple):
    """The agent's question: the sentence itself, and all that it needs to be understood.

    `is_offered` where it only names what may be done, so that what follows need not choose.
    """

    question: str
    whole: str
    is_one_off: bool
    is_choice: bool
    is_offered: bool = False


def asked(reply: str) -> Asked | None:
    """What a reply of the agent asks at its end; None where it asks nothing."""
    sentences = split(reply)
    last = len(sentences) - ASKED_LAST
    found = [
        number for number, one in enumerate(sentences) if number >= last and one.text.rstrip("*_`) ").endswith("?")
    ]
    if not found:
        listed = options(reply)
        whole = one_line(UNDERSTOOD.sub("", reply)) if listed else ""
        return Asked(whole, whole, False, True) if listed and len(whole) <= LONGEST_QUESTION else offered(sentences)
    number = found[-1]
    is_rhetorical = number < len(sentences) - MOST_BEHIND - 1 and not options(reply)
    if is_rhetorical or OPEN_END.search(sentences[number].text):
        return None
    first = number
    while first > 0 and first - 1 in found:
        first -= 1
    question = one_line(
        sentences[number].text if first == number else reply[sentences[first].start : sentences[number].end]
    )
    whole = question
    if first and (POINTS_BACK.search(question) or len(question.split()) < 6 or options(reply)):
        whole = one_line(reply[before(sentences, first, reply).start : sentences[number].end])
    whole = UNDERSTOOD.sub("", whole)
    if len(whole) > LONGEST_QUESTION:
        whole = question
    has_or = " or " in OR_NOT.sub("", question.lower())
    is_choice = has_or or bool(HOW.search(question)) or len(options(reply)) > 1
    return Asked(question, whole, ONE_OFF.search(question) is not None and not has_or, is_choice)


def offered(sentences: list[Sentence]) -> Asked | None:
    """What a reply offers to do in one way or another in its last sentence; None where it offers nothing."""
    if not sentences or not OFFERS.match(sentences[-1].text):
        return None
    said = one_line(sentences[-1].text)
    is_open = " or " in OR_NOT.sub("", said.lower()) and len(said) <= LONGEST_QUESTION
    return Asked(said, said, False, True, is_offered=True) if is_open else None


def before(sentences: list[Sentence], number: int, reply: str) -> Sentence:
    """The sentence that a question leans on; where that one leans on others, the first of them that fits."""
    first = max(0, number - 1)
    while first and LEANS_ON.search(sentences[first].masked):
        if len(reply[sentences[first - 1].start : sentences[number].end]) > LONGEST_QUESTION:
            break
        first -= 1
    return sentences[first]


def without_status(whole: str) -> str:
    """A question without what is said to be done before it."""
    sentences = split(whole)
    told = next((one for one in sentences if not STATUS.match(one.text)), sentences[0])
    return whole[told.start :]


def options(reply: str) -> list[tuple[str, str]]:
    """Options that a reply lists, each by its mark."""
    found = [(match[1].lower(), option_alone(match[2])) for match in LETTERED.finditer(reply)]
    row = None if len(found) > 1 else IN_A_ROW.search(reply)
    if row:
        return [(str(number), text) for number, text in enumerate(row.groups(), start=1) if text]
    return found if len(found) > 1 and found[0][0] in ("a", "1") else []


def option_alone(text: str) -> str:
    """What an option says, without the word that leads to the next and what is said after all of them."""
    said = text.strip(" ;,.")
    first = next((one.text for one in split(said)), said)
    return JOINS_OPTIONS.sub("", first.rstrip(" ;,.?"))


def is_option(sentence: str) -> bool:
    """Whether a sentence begins with the mark of an option."""
    return OPTION.match(sentence) is not None


def chosen(reply: str, answer: str) -> str:
    """The option that an answer chooses by its mark or place; '' where it names none."""
    listed = options(reply)
    match = CHOICE.match(OPENING.sub("", answer) or answer)
    if match is not None and match["mark"]:
        return dict(listed).get(match["mark"].lower(), "")
    number = ORDINALS[match["ordinal"].lower()] if match is not None else place_elsewhere(answer)
    if number is None:
        return ""
    told = TWO_WAYS.search(one_line(reply))
    texts = [text for _, text in listed] or list(alternatives(reply)) or (list(told.groups()) if told else [])
    return texts[number] if texts and -len(texts) <= number < len(texts) else ""


def place_elsewhere(answer: str) -> int | None:
    """The place of the option that an answer names in another language than English."""
    return next((number for number, choice in enumerate(CHOICES_ELSEWHERE) if choice.match(answer)), None)


def alternatives(reply: str) -> tuple[str, str] | tuple[()]:
    """The two sides of "this or that?"."""
    found = list(EITHER.finditer(reply[-LONGEST_QUESTION:]))
    return (found[-1]["one"].strip(), found[-1]["other"].strip()) if found else ()


def one_line(text: str) -> str:
    """A text on one line, without marks of emphasis."""
    return " ".join(text.replace("**", "").split())
