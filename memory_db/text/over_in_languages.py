"""What an earlier text says and a later one calls over, in other languages than English, and by times of day in any.

In: two texts of one place, the later one somebody's own words. Out: why the earlier one may be over, in a few words; ''
where nothing says so. Invariant: pure, and linear in the length of the texts; only what the earlier text names counts.
"""

from __future__ import annotations

import re

from memory_db.text.clock_words import are_other_times, on_the_clock
from memory_db.text.languages import function_words, language_of
from memory_db.text.statements import CURLY, READ_CHARACTERS, WEAK, answered
from memory_db.text.terms import STOP_WORDS

WHO = r"(?P<who>[^\W\d_][\w-]{2,})"
THE = {
    "de": r"(?:der |die |das |den |dem |frau |herr |herrn )?", "fr": r"(?:le |la |les |l')?",
    "es": r"(?:el |la |los |las )?", "pt": r"(?:o |a |os |as )?", "it": r"(?:il |lo |la |i |gli |le |l')?", "pl": "",
    "ru": "",
}  # fmt: skip

GONE = {
    "de": (
        rf"\b{WHO} (?:ist|sind|war) (?:[\w-]+ ){{0,4}}?(?:im ruhestand|in rente|in elternzeit|weg|raus|rausgeflogen|"
        r"abgeschafft|abgelöst|gegangen|begraben|tot|geschichte|nicht mehr (?:da|bei uns|im haus))\b",
        rf"\b{WHO} (?:fliegt|flog|fällt|fiel) (?:\w+ )?(?:raus|weg)\b",
        rf"\b(?:kein|keine|keinen) {WHO} mehr\b",
        rf"\bdas mit (?:dem |der |den |die )?{WHO} [^.;!?]{{0,60}}?(?:kannst(?:e| du)?|können wir|könnt ihr) "
        r"(?:\w+ ){0,2}vergessen\b",
        rf"\b{WHO} (?:gibt(?:'?s| es)|haben wir|benutzen wir|nehmen wir|brauchen wir) nicht mehr\b",
        rf"\b(?:statt|anstelle von|an stelle von) {THE['de']}{WHO}\b",
    ),
    "fr": (
        rf"\b{WHO} (?:est|sont) (?:\w+ )?(?:à la poubelle|parti\w*|supprimé\w*|mort\w*|abandonné\w*|à la retraite|"
        r"en congé)\b",
        rf"\b(?:plus (?:de|d')|fini|adieu|au lieu (?:de|d'|du)|à la place (?:de|d'|du)) ?{THE['fr']}{WHO}\b",
        rf"\bj'ai (?:viré|supprimé|enlevé|retiré|abandonné) {THE['fr']}{WHO}\b",
        rf"\b{WHO} ne (?:s'\w+ |\w+ )?plus\b",
    ),
    "es": (
        rf"\b{WHO} (?:ya no (?:está|trabaja|sigue)|se (?:ha ido|fue|ha jubilado|jubiló)|está de baja)\b",
        rf"\b(?:quité|quitamos|he quitado|hemos quitado|eliminé|hemos eliminado|adiós a|fuera) {THE['es']}{WHO}\b",
        rf"\bya no (?:\w+ ){{1,2}}(?:de|con|a) {THE['es']}{WHO}\b",
        rf"\bya no (?:usamos|uso|hay|tenemos|va|van) {THE['es']}{WHO}\b",
        rf"\ben (?:vez|lugar) (?:de|del) {THE['es']}{WHO}\b",
    ),
    "pt": (
        rf"\b{WHO} (?:já não (?:está|trabalha)|saiu|foi embora|está de licença)\b",
        rf"\b(?:tirei|tiramos|removi|removemos|adeus a|em vez d[eoa]) {THE['pt']}{WHO}\b",
    ),
    "it": (
        rf"\b{WHO} (?:non (?:c'è|lavora) più|è andat\w+ via|è in (?:pensione|congedo))\b",
        rf"\b(?:ho tolto|abbiamo tolto|ho eliminato|abbiamo eliminato|addio a|niente più|"
        rf"invece d[ei]l?) {THE['it']}{WHO}\b",
    ),
    "pl": (rf"\b(?:zamiast|bez|żegnaj) {WHO}\b", rf"\b{WHO} (?:już nie|odszedł|odeszła|wyleciał\w*)\b"),
    "ru": (rf"\bвместо {WHO}\b", rf"\b{WHO} (?:больше не|уш(?:ёл|ел|ла)|уволил\w+)\b"),
}
"""How somebody tells that a thing or a person is no more. Source: ours; grammars of each language, and sessions of
writers in German, French and Spanish."""

CALLED_OVER = {language: tuple(map(re.compile, ways)) for language, ways in GONE.items()}

TIME = re.compile(
    r"(?<![\d:.,])(?P<hour>[01]?\d|2[0-3])(?:(?::|h| h )(?P<minute>[0-5]\d)|(?P<whole> ?h(?!\w)| uhr\b|"
    r" o'clock\b))(?![\d:])"
)
"""A time of day, as several languages write it: 04:15, 4h15, 4 h 15, 4 h, 4 uhr."""

SETS_TIME = re.compile(
    r"\b(?:muss|soll|jetzt|nun|ab|auf|verlegt|verschoben|mets|mettez|passe|passer|décale\w*|désormais|maintenant|pon|"
    r"ponlo|pasa|pasamos|ahora|mover|now|moved?|moves|goes|go|to|make it|set|instead|from|since|agora|passa|adesso|"
    r"sposta\w*|teraz|теперь|на)\b"
)
"""Words by which a time is set anew."""

RAISES = (
    r"(?:descend\w*|baiss\w*|mont\w*|pass\w*|augment\w*|rédui\w*|senk\w*|erhöh\w*|geh\w*|jetzt|nur noch|baj\w*|sub\w*|"
    r"pas\w*|cambi\w*|ahora|désormais|maintenant|alz\w*|abbass\w*|port\w*|agora|adesso)"
)
VALUE = re.compile(r"(?<![\d.,:])(?P<number>\d+(?:[.,]\d+)?) ?(?P<unit>%|€|[a-zäöüß]{1,9}\b)?")
SET_ANEW = re.compile(
    rf"\b{RAISES}\b[^.;!?]{{0,40}}? (?:à|a|auf|de|los|le|la|el|su|para|noch)? ?"
    r"(?P<number>\d+(?:[.,]\d+)?) ?(?P<unit>%|€|[a-zäöüß]{1,9}\b)?"
)
"""A value, and one that is raised, lowered or set anew: "je descends la tolérance à 3 cm", "el divisor pasa a 4000"."""

MOVES_TO = re.compile(
    r"\b(?:move|shift|push|put|set|start|begin|bring)(?:ed|s)? (?:the |our |my )?(?P<what>[a-z][\w-]{3,})"
    r" (?:over |back |up |forward |on )?(?:to|at|for|until) $"
)
MOST_BEFORE = 40
"""What is moved to a time that stands right behind it, and how much is read for it. Source: ours."""

MOST_OF_ONE_MATTER = 25
"""Words up to which a text is taken to be of one matter; a longer one has to share two of them. Source: ours."""

WORD = re.compile(r"[^\W\d_]{3,}")
"""A word of three letters and more; a shorter one names nothing."""


def over_in_language(later: str, earlier: str) -> str:
    """What the earlier text names and the later one calls over or sets to another time of day; '' for nothing."""
    said, before = (
        on_the_clock(answered(each[:READ_CHARACTERS].translate(CURLY))[1].casefold()) for each in (later, earlier)
    )
    language = language_of(said) or ""
    known = set(re.findall(r"[\w-]+", earlier[:READ_CHARACTERS].casefold()))
    for way in CALLED_OVER.get(language, ()):
        for match in way.finditer(said):
            who = match["who"]
            if who in known and who not in WEAK and who not in function_words(language):
                return f"{who!r} is over"
    return timed_otherwise(said, before) or (
        valued_otherwise(said, earlier[:READ_CHARACTERS].casefold()) if language else ""
    )


def timed_otherwise(said: str, before: str) -> str:
    """Another time of day for what both texts speak of, where the later one sets it, or names the earlier one's too."""
    was, now = times_of(before), times_of(said)
    if len(was) != 1 or not are_other_times(was, now - was) or not now - was:
        return ""
    new = [match for match in TIME.finditer(said) if time_of(match) not in was]
    is_set = any(SETS_TIME.search(said[max(0, match.start() - 24) : match.start()]) for match in new)
    shared = matter_of(said) & matter_of(before)
    is_long = max(len(said.split()), len(before.split())) > MOST_OF_ONE_MATTER
    is_moved = any(
        match["what"] in before
        for each in new
        for match in MOVES_TO.finditer(said[max(0, each.start() - MOST_BEFORE) : each.start()])
    )
    if is_set and len(now - was) == 1 and (was & now or len(shared) > is_long or is_moved):
        return f"{(now - was).pop()} in the place of {was.pop()}"
    return ""


def valued_otherwise(said: str, before: str) -> str:
    """Another number for what both texts speak of, with the same unit or the same noun before it."""
    match = SET_ANEW.search(said)
    if match is None or TIME.match(said, match.start("number")):
        return ""
    number, unit = match["number"], match["unit"] or ""
    common = matter_of(said) & matter_of(before)
    for old in VALUE.finditer(before):
        noun = re.findall(r"[^\W\d_]{4,}", before[: old.start()])[-1:]
        is_same = (unit and unit == old["unit"] and unit not in WEAK) or (len(number) > 1 and set(noun) & common)
        is_kept = not unit and old["number"] in said
        if is_same and common - {unit} and old["number"] != number and not is_kept:
            return f"{number} {unit}".rstrip() + f" in the place of {old[0].strip() if unit else old['number']}"
    return ""


def times_of(text: str) -> set[str]:
    """The times of day in a text, as 4:15."""
    return {time_of(match) for match in TIME.finditer(text)}


def time_of(match: re.Match[str]) -> str:
    """One time of day."""
    return f"{int(match['hour'])}:{match['minute'] or '00'}"


def matter_of(text: str) -> frozenset[str]:
    """The words of a text that say what it is about."""
    language = language_of(text)
    idle = STOP_WORDS | function_words(language)
    return frozenset(WORD.findall(text)) - idle
