"""A rule that is said politely as the plain one: "could we keep it short?" is "please keep it short".

In: a sentence of a message. Out: the same sentence without the words that only make it polite. Invariants: pure; what
politely asks for one thing now stays a request.
"""

from __future__ import annotations

import re

from memory_db.extract.rules.patterns import LEAD
from memory_db.extract.rules.task_words import TASKS

KEEPING = (
    r"(?:keep(?! (?:going|on\b|at it|looking|trying|working|an eye)|ing\b)|stay\b(?! (?:here|on (?:it|this)))|"
    r"stick (?:to|with)|avoid|refrain from|agree (?:on|that))"
)
"""Verbs of what lasts, which nobody asks for once."""

WISHED = re.compile(
    LEAD + r"(?:it(?:'d| would) be (?:(?:very|really|so|also) )?(?:nice|kind|good|great|lovely|helpful|useful|better)"
    r"(?: of you)?(?: for me)?,? if (?:you|we)|(?:i(?:'d| would) (?:also )?be|i am|i'm) (?:glad|grateful|happy|happier|"
    r"pleased|thankful) if (?:you|we)|if (?:you|we)(?= (?:could|would) (?:please |kindly |always |never )))"
    r"(?: (?:could|would))?(?: (?:please|kindly|maybe|perhaps|just))* (?=[a-z])"
)
"""How somebody wishes that something is done."""

RATHER = re.compile(LEAD + r"i(?:'d| would) (?:rather|prefer it if) you (?!did not\b|didn't\b)(?P<verb>[a-z]+)\b")
"""How somebody says what they would rather have done."""

FOR_GOOD = (
    r"(?:could|can|would|will) you(?: (?:please|kindly|maybe|perhaps|just))* (?!(?:say|think|expect|guess|"
    r"recommend|mind|"
    r"agree|know|tell|be able|not)\b)(?=[^?]*\b(?:henceforth|from (?:now|here) on|in future|going forward)\b)"
)
"""How somebody asks for what is to be done from then on."""

ASKED = re.compile(
    LEAD + rf"(?:could|can|might|may|shall|should) (?:we|you|i ask you to)(?: (?:please|kindly|maybe|perhaps|just))* "
    rf"(?={KEEPING})|"
    + LEAD
    + r"(?:could|can) (?:we|you) please (?=not [a-z])|"
    + LEAD
    + r"kindly (?=[a-z])|"
    + LEAD
    + rf"{FOR_GOOD}"
)
"""How somebody asks for what lasts."""

ASKED_TO_DO = re.compile(
    LEAD + r"would you mind (?P<verb>[a-z]+)ing\b(?=.*\b(?:always|never|every|each|whenever|from (?:now|here) on|in "
    r"future|when)\b)"
)
"""The same, where what stands behind it says that it lasts."""

PREFERS = re.compile(
    r"\b(?P<what>(?:shorter|longer|fewer|smaller|less|briefer|plainer|simpler) (?:[a-z]+ )?(?:answers?|repl(?:y|ies)|"
    r"summar(?:y|ies)|explanations?|commits?|messages?|diffs?|comments?|steps|functions?|names|tests?|sentences?))"
    r" would be (?:very )?(?:nice|good|great|better|lovely|welcome|helpful|enough|fine)\b"
)
"""How the agent is to talk and work, as a wish."""

IRREGULAR = {
    "left": "leave", "kept": "keep", "wrote": "write", "ran": "run", "told": "tell", "sent": "send", "made": "make",
    "gave": "give", "took": "take", "went": "go", "did": "do", "had": "have", "said": "say", "showed": "show",
    "stuck": "stick", "began": "begin", "chose": "choose", "got": "get", "found": "find", "built": "build",
    "held": "hold", "spoke": "speak", "thought": "think", "let": "let", "put": "put", "set": "set", "were": "be",
    "used": "use", "named": "name", "squashed": "squash",
}  # fmt: skip
"""Verbs as wishes have them, which the ending does not tell."""

ENDS_WITH_E = re.compile(r"(?:[aiou][cdgklmnprstvz]|[clr][es]|[nr][cg]|[lrt]v|[bdgkpt]l|qu|se)$")
"""How the stem of a verb ends that has an `e` behind it: "changed", "handled"."""

DOUBLED = re.compile(r"([bdgmnprt])\1$")

POLITE = re.compile(r"\b(?:would|could|will you|kindly|can we|can you|may i|i'd|if (?:you|we))\b")
"""Some word of each way to be polite; most sentences have none."""

PLEASE = "please kindly "
"""What stands for the polite words: a cue counts it, and a task behind it is one for now all the same."""


def plain(lower: str) -> str:
    """A sentence in lower case without its polite words; as it is where it has none."""
    if POLITE.search(lower) is None:
        return lower
    lower = PREFERS.sub(lambda match: f"i prefer {match['what']}", lower)
    rather = RATHER.match(lower)
    if rather is not None and re.match(TASKS, base(rather["verb"])):
        return f"please {base(rather['verb'])}{lower[rather.end() :]}"
    wished = WISHED.match(lower)
    if wished is not None:
        verb, space, rest = lower[wished.end() :].partition(" ")
        if verb in ("didn't", "did") and (verb == "didn't" or rest.startswith("not ")):
            return f"{PLEASE}don't {rest.removeprefix('not ')}"
        return f"{PLEASE}{base(verb)}{space}{rest}"
    asked = ASKED.match(lower)
    if asked is not None:
        rest = lower[asked.end() :].rstrip("? ")
        return f"{PLEASE}don't {rest[4:]}" if rest.startswith("not ") else PLEASE + rest
    doing = ASKED_TO_DO.match(lower)
    if doing is not None:
        return f"{PLEASE}{without_ending(doing['verb'])}{lower[doing.end() :].rstrip('? ')}"
    return lower


def base(verb: str) -> str:
    """A verb as an order has it: "left" is "leave", "changed" is "change"."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    return without_ending(verb.removesuffix("ed")) if verb.endswith("ed") else verb


def without_ending(stem: str) -> str:
    """A verb from its stem: "chang" is "change", "committ" is "commit"."""
    if DOUBLED.search(stem):
        return stem[:-1]
    return f"{stem}e" if ENDS_WITH_E.search(stem) else stem


SAID = re.compile(
    r"^(?P<lead>\W*(?:(?:and|so|but|also|ok|btw)\W+)*)(?:(?:could|can) (?:we|you)(?: please| kindly)? "
    rf"(?={KEEPING})|{FOR_GOOD})(?P<rest>[^?]+)\?$",
    re.IGNORECASE,
)
"""A rule that is asked for, with its mark."""

SAID_TO_DO = re.compile(
    r"^(?P<lead>\W*(?:(?:and|so|but|also|ok|btw)\W+)*)would you mind "
    r"(?P<verb>\w+)ing\b(?P<rest>[^?]+)\?$",
    re.I,
)


def said_plainly(text: str) -> str:
    """A rule that is asked for as the rule: "Could we keep to one class per file?"."""
    asked, doing = SAID.match(text), SAID_TO_DO.match(text)
    if asked is not None:
        return f"{asked['lead']}{asked['rest']}."
    return f"{doing['lead']}{without_ending(doing['verb'])}{doing['rest']}." if doing is not None else text
