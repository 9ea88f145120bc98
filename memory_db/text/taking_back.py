"""How somebody takes back what was agreed: the sentences of a message by which a rule or a plan ends.

In: a message. Out: the sentences that take something back or set a new rule, each with what it leans on; whether one
only gives leave. Invariants: pure, bounded; a question takes nothing back, nor does trouble ("it no longer starts").

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from memory_db.records import IGNORECASE, later, marked
from memory_db.text.languages import language_of
from memory_db.text.terms import STOP_WORDS, WORD

READ_CHARACTERS = 2_000
"""How much of a message is read."""

REVOKES = (
    r"(?<!n't )(?<!not )(?<!dont )(?<!never )forget (?:about )?(?:the|what|my|our|those|all)\b"
    r"|(?:drop|lift|scrap|ditch|loosen|relax|abandon)(?:s|ped|ted|ing)? (?:the|that|this|our|my) (?:[\w-]+ ){0,4}?"
    r"(?:rule|limit|idea|habit|convention|requirement|restriction|policy|plan|ban)\b"
)

REVOKED = later(rf"\b(?:{REVOKES})", IGNORECASE)
"""How somebody tells an agent what no longer holds."""

INSTEAD = r"(?=,? (?:(?:and|so) )?(?:he|she|they|we|i)(?:'d| would| now)? (?:wants?|needs?|like|prefers?)\b)"
"""Behind what is off: what somebody wants in its place."""

ENDS = (
    r"\b(?:(?:take|taking) (?:\w+ ){1,3}back\b|changed my mind|scratch that|second thoughts?|after all\b"
    r"|(?:was|were) wrong (?:about|on|with)\b|(?:had|have|has) enough of (?!it\b|this\b|that\b|them\b)|overruled\b"
    rf"|[\w-]+ (?:is|are) off{INSTEAD}"
    rf"|{REVOKES}"
    r"|(?:the|that|this|our|my) (?:[\w.-]+ ){1,4}?can (?:go|retire)(?: again| now| away| too)?(?=[.,;!]|$)"
    r"|(?:rule|limit|ban|plan|convention|policy|restriction|requirement) (?:is|was|has been) (?:now )?(?:gone|over|"
    r"off|lifted|dropped|history|obsolete|outdated|no more)\b"
    r"|(?:we|you|they|i|one|people) (?:no longer|don't|do not|dont|won't|needn't|need not|mustn't|must not) "
    r"[^.;!?]{2,80}\b(?:any ?more|any longer)\b|\b(?:we|you|they|i|one|people) no longer\b"
    r"|(?:let's|lets) not\b[^.;!?]{2,80}\b(?:any ?more|any longer)\b"
    r"|(?:is|are) (?:no longer|not) (?:\w+ly )?(?:needed|used|valid|true|required|necessary|the case|so|wanted)"
    r"(?= any|[.,;!]|$)"
    r"|(?:no longer|does not|doesn't|do not|don't) (?:holds?|appl(?:y|ies)|counts?|matters?)\b(?: any ?more)?"
)
BEGINS = (
    r"from (?:now|today|here|this \w+|next \w+|\w+day) on\b|as of (?:today|now|next|this|tomorrow|\w+day)\b"
    r"|starting (?:today|now|next|tomorrow)\b|going forward\b|henceforth\b|in future\b"
)

END_MARKS = (
    " back", "changed my mind", "scratch that", "second thought", "after all", "wrong about", "wrong on", "wrong with",
    "enough of ", "overruled", " off", "forget ", "drop", "lift", "scrap", "ditch", "loosen", "relax", "abandon",
    " can go", " can retire", "gone", " over", "history", "obsolete", "outdated", "no more", "any more", "anymore",
    "any longer", "no longer", "is not ", "are not ", "hold", "appl", " count", " matter",
)  # fmt: skip
"""One of these stands in each that ends."""

ENDED = marked(f"{ENDS})", IGNORECASE, marks=END_MARKS)
"""How a decision ends, in English."""

BEGIN_MARKS = (
    "from now ", "from today ", "from here ", "from this ", "from next ", "day on", "as of ", "starting ",
    "going forward", "henceforth", "in future",
)  # fmt: skip

WITHDRAWS = marked(f"{ENDS}|{BEGINS})", IGNORECASE, marks=END_MARKS + BEGIN_MARKS)
"""How one ends, or a new one begins."""

WITHDRAWS_ELSEWHERE = {
    "de": r"\b(?:ab (?:sofort|jetzt|heute|morgen|\w+tag)|von (?:jetzt|nun|heute) an|künftig|in zukunft|anders überlegt"
    r"|doch (?:nicht|kein\w*|wieder)|gilt nicht mehr|gelten nicht mehr|nicht mehr (?:nötig|gültig)|vergiss (?:das|die|"
    r"den|was)|das mit .{2,60} kannst(?:e| du) (?:\w+ )?vergessen|nehme .{1,30} zurück|hinfällig|überholt)\b",
    "fr": r"\b(?:désormais|dorénavant|à partir (?:de maintenant|d'aujourd'hui|de demain)|changé d'avis|oublie[zs]? (?:"
    r"la|le|les|ce)|ne s'applique(?:nt)? plus|plus besoin de)\b",
    "es": r"\b(?:a partir de (?:ahora|hoy|mañana)|de ahora en adelante|cambiado de (?:idea|opinión)|olvida (?:lo|la|el|"
    r"los|las)|ya no (?:hace falta|vale|se aplica))\b",
    "pt": r"\b(?:a partir de (?:agora|hoje|amanhã)|de agora em diante|mudei de (?:ideia|opinião)|esquece (?:o|a|os|as)"
    r"|já não (?:vale|é preciso))\b",
    "it": r"\b(?:d'ora in (?:poi|avanti)|da (?:oggi|adesso|domani) in poi|cambiato idea|lascia perdere|non vale più)\b",
    "pl": r"\b(?:od (?:teraz|dziś|dzisiaj|jutra)|zmieni(?:łem|łam) zdanie|nie obowiązuje już|już nie obowiązuje)\b",
    "ru": r"\b(?:отныне|с (?:сегодняшнего|завтрашнего) дня|передумал\w*|больше не (?:нужно|действует|надо))\b",
    "zh": r"从现在(?:起|开始)|从今(?:天|以后)|改主意|不再需要|作废",
    "ja": r"今後は|これからは|考え直し|気が変わ|もう必要(?:ない|ありません)",
    "ko": r"이제부터|앞으로는|생각이 바뀌|더 ?이상 필요",
}
"""The same in other languages. Source: ours; no reader of these languages has seen them."""

ELSEWHERE = {language: later(pattern, IGNORECASE) for language, pattern in WITHDRAWS_ELSEWHERE.items()}

ANNOUNCES = later(
    r"\b(?:take|taking) (?:\w+ ){1,3}back\b|\bchanged my mind\b|\bscratch that\b|\bsecond thoughts?\b", IGNORECASE
)
"""What says that something is taken back, and comes before what that is."""

NOW = later(r"\b(?:now|from now on|again|these days|nowadays|after all)\b", IGNORECASE)
"""What makes of leave one that was not given before."""

LEAVE_MARKS = (" may", " allowed to", "you can", "you could", " now", " again")

PERMITS = marked(
    r"\b(?:you|it|they|he|she|we|everybody|anybody|agents?|the [\w-]+) (?:may|(?:is|are) (?:now )?allowed to)\b"
    r"(?! (?:be|have|go on(?= now|\W*$)|go ahead|continue|proceed|start|stop|begin)\b)[^.;!?]{1,80}"
    r"|\byou (?:can|could)\b[^.;!?]{1,60}\b(?:now|from now on|again|these days|yourself)\b"
    r"|\b(?:is|are) (?:now )?(?:allowed|permitted|fine|ok|okay|legal|possible|safe)(?: now| from now on| again)\b",
    IGNORECASE,
    marks=LEAVE_MARKS,
)
"""How leave is given for what was not allowed."""

MARKS = END_MARKS + BEGIN_MARKS + LEAVE_MARKS

SENTENCE = later(r"[^.!?;\n。！？]+(?:\.(?=\S)[^.!?;\n]+)*[.!?。！？]*")


def taking_back(text: str) -> list[tuple[str, bool]]:
    """The sentences that take something back, each with those it leans on, and whether it only gives leave."""
    said = text[:READ_CHARACTERS].replace("’", "'")
    language = language_of(said)
    if language not in ELSEWHERE and not any(mark in said.casefold() for mark in MARKS):
        return []  # most prompts have none
    sentences = [sentence for match in SENTENCE.finditer(said) if (sentence := match[0].strip())]
    way = ELSEWHERE.get(language or "")
    found: list[tuple[str, bool]] = []
    for place, sentence in enumerate(sentences):
        if sentence.endswith(("?", "\uff1f")):
            continue
        if WITHDRAWS.search(sentence) or (way is not None and way.search(sentence)):
            found.append((leaning(sentences, place), False))
        elif (given := PERMITS.search(sentence)) is not None:
            found.append((sentence, not given[0].casefold().endswith("again")))
    return found


def turns_round(sentence: str) -> bool:
    """Whether one sentence ends something that was agreed, or gives leave that was not given before."""
    said = sentence[:READ_CHARACTERS].replace("’", "'")
    if said.rstrip().endswith(("?", "\uff1f")):
        return False
    if ENDED.search(said):
        return not STOP_WORDS.issuperset(WORD.findall(ANNOUNCES.sub(" ", said).casefold()))
    return gives_leave(said)


def revokes(sentence: str) -> bool:
    """Whether a sentence, worded as a thing to do, is about a rule or a plan: "drop the two reviewers rule"."""
    return REVOKED.search(sentence) is not None


def gives_leave(said: str) -> bool:
    """Whether words give leave that was not given before."""
    return PERMITS.search(said) is not None and NOW.search(said) is not None


def leaning(sentences: list[str], place: int) -> str:
    """A sentence with the one that says what it is about: what follows an announcement, else what stands before."""
    sentence = sentences[place]
    if ANNOUNCES.search(sentence):
        return " ".join(sentences[place : place + 3])
    return " ".join(sentences[max(place - 1, 0) : place + 1])
