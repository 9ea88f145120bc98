"""What a user's words say of what an agent knew: outdated, wrong, still true, or said before.

In: a prompt. Out: its verdicts and whether it corrects. Invariant: pure; a question, a supposition and a word about
some file is no verdict, for a verdict moves a belief.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_db.text.names.citations import uids_in
from memory_db.text.statements import CURLY

READ_CHARACTERS = 1_500
"""What stands further on in a prompt is mostly pasted."""

QUOTED = re.compile(r"```.*?(?:```|\Z)|^\s*>.*$", re.DOTALL | re.MULTILINE)
"""What somebody else said."""

SENTENCE = re.compile(
    r"(?<=[.!?;])\s+|\n+|\s+(?:--|–|—|-)\s+|,\s+(?:but|and|so)\s+|,\s+(?=(?:it|that|this|the|we|i)\b)"
)

QUESTION = re.compile(
    r"\?\W*$|^(?:is|are|isn't|aren't|was|does|do|did|doesn't|can|could|should|would|why|how come|what|which)\b"
)

SUPPOSED = re.compile(
    r"\b(?:if|whether|might|may|maybe|perhaps|probably|possibly|could be|unless|in case|check|verify|make sure|see|"
    r"not sure|wonder|i think|i guess|seems?|looks?|almost|half|partly|until|when|once|before|say|says|said)\b"
)
"""Words of a sentence that only supposes, asks for a look, or tells what somebody else says."""

THING = re.compile(
    r"\b(?:read ?me|docs?|documentation|comments?|change ?log|lock ?files?|snapshots?|branch(?:es)?|tests?|packages?|"
    r"dependenc(?:y|ies)|screenshots?|caches?|builds?|images?|files?|pages?|scripts?|schemas?|fixtures?|tickets?|"
    r"issues?|prs?|code|functions?|config|checkout|copy|plan|diff|patch|output|answer|result|guess|line|test's)\b"
)
"""What may be outdated or wrong as well, and is no memory."""

TASK = re.compile(
    r"(?:^|, |\band |\bthen )(?:please |now |then |so |just )*(?:update|fix|change|delete|remove|rewrite|regenerate|"
    r"bump|edit|correct|clean|redo|install|upgrade|replace|use|run|try|rerun|rebuild|pull|fetch|add|put|make|look|bring)\b"
)
"""How a sentence begins, or goes on, that asks for something to be done: the one before spoke of that thing."""

OPENING = re.compile(r"^\s*(?:(?:no|nope|stop|wait|wrong|hey|again)[,.!:]+\s*)+", re.IGNORECASE)
"""What a correction opens with: it turns nothing round."""

KNOWN = (
    r"(?:(?:that|this|the|your|its) (?:memory|memories|note|notes|rule|information|info|knowledge|fact)"
    r"|what (?:you|memory) (?:remember|remembers|noted|have noted|know|knows|recalled)|memory|your memory of that)"
)
"""What can only mean a memory."""

IT = r"(?:that|this|it|that one|this one)"

LEAD = (
    r"^(?:(?:no|nope|wait|hm+|well|ah|oh|sorry|ok|okay|hold on|careful|actually|yes|yeah|yep|right|exactly|correct|and|"
    r"but|so)[,.!:]*\s+)*"
)

BE = r"(?:'s| is| was| are)"

SO = r"(?:(?:really |actually |now |already |totally |completely |all |simply |just |by now |long )*)"

OVER = (
    r"(?:outdated|out of date|stale|obsolete|old news"
    r"|no longer (?:true|valid|correct|right|accurate|the case|so|current)"
    r"|not (?:true|valid|correct|right|accurate|the case|so|current) (?:any ?more|any longer|now)"
    r"|history(?= now)|superseded)"
)
"""Adjectives of what was true once: nobody says that of a piece of work just done."""

UNTRUE = r"(?:wrong|incorrect|false|not true|not right|not correct|untrue|inaccurate|mistaken)"

ENDED = (
    r"(?:no longer (?:holds?|appl(?:y|ies)|stands?)|(?:doesn't|does not|don't) (?:hold|apply|stand)"
    r"(?: any ?more| any longer)?)"
)

SAYS_OVER = re.compile(
    rf"{LEAD}{IT}(?:{BE} {SO}{OVER}|(?: isn't|'s not) (?:true|valid|the case) any ?(?:more|longer)| {ENDED})\b"
    rf"|{LEAD}{OVER}\b"
)
SAYS_KNOWN_WRONG = re.compile(rf"\b{KNOWN}(?:{BE} {SO}(?:{OVER}|{UNTRUE})| {ENDED}| has changed)\b")
SAYS_UNTRUE = re.compile(rf"{LEAD}{IT}{BE} {SO}{UNTRUE}\b")

SAYS_STILL = re.compile(
    rf"{LEAD}(?:{IT}|{KNOWN})(?:{BE} still (?:true|right|correct|valid|current|accurate|the case|so)"
    r"| still (?:holds?|appl(?:y|ies)|stands?)(?: true)?)\b"
    r"|^(?:yes|exactly|right|correct|yep|yeah)?[,. ]*(?:exactly|just|precisely|right)?[,. ]*"
    r"as (?:noted|you noted|remembered|you remember|in (?:your|the) memory|memory says|the memory says)\b"
)
SAYS_KNOWN_RIGHT = re.compile(rf"\b{KNOWN}{BE} (?:still )?(?:right|correct|true|accurate|valid)\b")
ASSENT = re.compile(r"^(?:yes|yep|yeah|exactly|right|correct|indeed|precisely|true)\b")

NAMED_WRONG = re.compile(rf"\b(?:{OVER}|{UNTRUE}|{ENDED}|no longer|has changed)\b")
NAMED_RIGHT = re.compile(
    r"\b(?:right|correct|true|accurate|valid|confirmed|holds|still (?:true|right|valid|applies|stands|current))\b"
)
TURNED = re.compile(r"\b(?:not|isn't|wasn't|n't|never|hardly|no) (?:\w+ ){0,2}$")
"""Before a verdict it says the reverse."""

OVER_CLAUSE = re.compile(r"\b(?:no longer|any ?more|any longer|used to|outdated|out of date|obsolete)\b")

CORRECTS = re.compile(
    r"\bhow (?:often|many times)\b|\b(?:i|we|i've|we've) (?:already |just |have )*(?:told|said|asked|mentioned)\b"
    r"|\b(?:as|like) i (?:said|told)\b|\bonce more\b|\byet again\b|\bi keep (?:saying|telling)\b|\bagain[,:!]"
    r"|\bsaid (?:it |that |this )?(?:before|already|twice)\b"
    r"|\b(?:please )?remember[,:]? (?:never|always|to|that|we|i)\b"
    r"|\byou (?:forgot|did it again|used|wrote|ran|committed|added|put|installed|ignored)\b"
    r"|^(?:no|nope|stop|wait|wrong|not like that)\b[,.!:]*\s|\bdon't do that\b|\bwhy did you\b"
    r"|\b(?:undo|revert) that\b"
)
"""Words of one who sets right what was just done."""

INSISTS = re.compile(
    r"\bhow (?:often|many times)\b|\b(?:i|we|i've|we've) (?:already |just |have )*(?:told|said|asked|mentioned)\b"
    r"|\bi keep (?:saying|telling)\b"
    r"|\bsaid (?:it |that |this )?(?:before|already|twice)\b"
    r"|\b(?:as|like) i (?:said|told)\b|\byet again\b|\bonce more\b"
)
"""Words of one who says that it was said before."""


@dataclass(slots=True, frozen=True)
class Verdict:
    """One verdict: `kind` is `wrong` or `confirmed`; `way` how it points at what it means.

    Ways: `named` (by `uid`), `known` (that memory), `that` (outdated, still true), `bare` (that's wrong, right), and
    `clause` (the fact itself is said to be over). `is_sure` is False where it supposes or may be about a file.
    """

    kind: str
    way: str
    sentence: str
    is_sure: bool
    uid: str = ""


def plain(text: str) -> str:
    """A prompt in lower case without what it quotes."""
    return QUOTED.sub(" ", text[:READ_CHARACTERS]).translate(CURLY).casefold().replace("`", "")


def sentences(text: str) -> list[str]:
    """The sentences of a plain text."""
    return [part.strip() for part in SENTENCE.split(text) if part and part.strip()]


def verdicts(text: str) -> list[Verdict]:
    """The verdicts of a prompt, in order."""
    parts = sentences(plain(text))
    found = []
    for number, part in enumerate(parts):
        if QUESTION.search(part):
            continue
        next_part = parts[number + 1] if number + 1 < len(parts) else ""
        is_sure = not SUPPOSED.search(part)
        is_task = TASK.search(part) is not None or TASK.match(next_part) is not None
        found += named(part, is_sure) or pointed(part, is_sure, is_task or THING.search(part) is not None)
    return found


def named(part: str, is_sure: bool) -> list[Verdict]:
    """Verdicts on memories that a sentence names by their uid."""
    for kind, pattern in (("wrong", NAMED_WRONG), ("confirmed", NAMED_RIGHT)):
        match = pattern.search(part)
        if match and not TURNED.search(part[: match.start()]):
            return [Verdict(kind, "named", part, is_sure, uid) for uid in uids_in(part)]
    return []


def pointed(part: str, is_sure: bool, about_thing: bool) -> list[Verdict]:
    """The verdict of a sentence on what was just spoken of, if it gives one."""
    for kind, way, pattern in (
        ("wrong", "known", SAYS_KNOWN_WRONG), ("wrong", "that", SAYS_OVER), ("wrong", "bare", SAYS_UNTRUE),
        ("confirmed", "known", SAYS_KNOWN_RIGHT), ("confirmed", "that", SAYS_STILL), ("confirmed", "bare", ASSENT),
        ("wrong", "clause", OVER_CLAUSE),
    ):  # fmt: skip
        match = pattern.search(part)
        if match and not TURNED.search(part[: match.start()]):
            return [Verdict(kind, way, part, is_sure and (way == "known" or not about_thing))]
    return []


def without_opening(text: str) -> str:
    """A prompt without the no that it opens with."""
    return OPENING.sub("", text)


def corrects(text: str) -> bool:
    """Whether a prompt sets right what was just done."""
    return CORRECTS.search(plain(text)) is not None


def insists(text: str) -> bool:
    """Whether a prompt says that this was said before."""
    return INSISTS.search(plain(text)) is not None
