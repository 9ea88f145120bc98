"""Texts that only say yes, no, thanks or go on, and short replies that say little by themselves.

In: a text. Out: whether it is one. Pure: no file, no clock.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from functools import lru_cache

from memory_db.text.terms import STOP_WORDS, WORD

MOST_ACKNOWLEDGED = 10
"""Words of the longest acknowledgement."""

REPLY_CHARACTERS, REPLY_WORDS = 80, 8
"""The longest reply that is read only with the turn before it."""

POINTING_CHARACTERS = 120
"""The longest prompt without a word of its own."""

REPLY_TELLING = 1
"""Other words than those of an acknowledgement in such a reply: "yes, webhook then" has one, "ok, use pnpm" two."""

LEAST_TELLING = 2
"""Distinctive words from which on a text says something by itself."""

AROUND_WORDS = ".,;:!?()[]{}…\"'*"
"""What may stand around a plain word."""

OPENING = frozenset(
    """
    hm hmm haha hahaha lol great good nice cool perfect thanks thx ok okay k kk yes yep yeah yup ya no nope nah sure
    right alright agreed ja jep nein doch gut klar oui non sí si sì sim não nee tak nie да нет так ні evet hayır 好
    好的 是 是的 对 不 はい いいえ 네 예 아니요
    """.split()
)
"""Words that answer the turn before, or comment on it."""

GENERIC = frozenset(
    """passed passes pass passing failed fails fail failing error errors warning warnings success successful
    successfully added updated changed fixed created deleted removed committed saved written file files test tests check
    checks everything nothing something running run runs finished complete completed output exit code result results
    welcome sorry sec min s ms seconds minutes true false null none noted""".split()
)
"""Words by which a tool or an agent reports that something went well or not, whatever it was."""


ACKNOWLEDGING = frozenset(
    """
    ok okay k kk yes yep yeah yup ya y no nope nah n sure thanks thank you thx ty cheers great good nice cool perfect
    fine awesome excellent wonderful amazing brilliant please continue proceed resume go on ahead keep going do it that
    this now then next lgtm done right correct exactly agreed alright sounds looks well very much so and a lot ack
    understood got cheers wow yay hi hello hey works worked s thats its is for today tomorrow tonight morning afternoon
    evening night day all enough stop here bye goodbye see you later
    hm hmm mhm haha hahaha hehe lol ah oh aha uh um ha makes sense to me one ones us my friend mate brb ttyl
    afk back soon fair enough totally absolutely definitely indeed of course no problem worries cya dude
    your time rush hurry
    ja jo jep nein danke dank schön super gut sehr weiter mach bitte genau passt prima klar einverstanden gerne vielen
    alles los richtig
    oui non merci beaucoup bien très parfait continue continuez vas y allez d accord bon super s il te vous plaît
    sí si gracias muchas muy bien perfecto vale claro continúa sigue adelante por favor dale bueno de acuerdo
    sì grazie mille bene perfetto va continua avanti prego certo
    sim não obrigado obrigada muito bem perfeito claro continua pode ser beleza isso
    nee bedankt goed prima doorgaan graag akkoord verder
    tak nie dziękuję dzięki dobrze świetnie dalej proszę super
    tack bra fortsätt kör takk bra fortsett tak kiitos hyvä jatka
    да нет спасибо хорошо отлично продолжай продолжайте дальше понял ладно давай пожалуйста
    так ні дякую добре далі
    evet hayır teşekkürler tamam devam et güzel
    好 好的 是 是的 对 不 谢谢 谢谢你 继续 可以 没问题 行 嗯
    はい いいえ ありがとう ありがとうございます 続けて 続けてください 了解 お願いします いいね
    네 예 아니요 감사합니다 고마워 계속 계속해 좋아 좋아요
    """.split()
)
"""Words of which an acknowledgement is made, and nothing else: English, German, French, Spanish, Italian, Portuguese,
Dutch, Polish, Scandinavian, Finnish, Russian, Ukrainian, Turkish, Chinese, Japanese, Korean. Source: our own list."""

PICKING = frozenset(
    "the first second third fourth last former latter both neither other option number a b c d 1 2 3 4".split()
)
"""Words by which one of what was offered is chosen."""

KNOWN_PROMPTS = 1_000
"""Short texts that are remembered: words of sentences are asked about one by one."""


def is_acknowledgement(prompt: str) -> bool:
    """Whether a prompt only says yes, no, thanks or go on."""
    return len(prompt) <= 100 and _acknowledges(prompt)


@lru_cache(maxsize=KNOWN_PROMPTS)
def _acknowledges(prompt: str) -> bool:
    if prompt.isascii() and prompt.isalnum():
        return prompt.lower() in ACKNOWLEDGING
    words = "".join([each if each.isalnum() else " " for each in prompt.casefold()]).split()
    return bool(words) and len(words) <= MOST_ACKNOWLEDGED and ACKNOWLEDGING.issuperset(words)


def points_back(prompt: str) -> bool:
    """Whether a prompt has no word of its own, only such as point to what was said: "and what was it before that"."""
    if len(prompt) > POINTING_CHARACTERS or names_something(prompt):
        return False
    words = WORD.findall(prompt.casefold())
    return bool(words) and all(word in STOP_WORDS or word in ACKNOWLEDGING for word in words)


def is_short_reply(prompt: str) -> bool:
    """Whether a prompt answers the turn before in a few words, or picks of what that offered: read alone it asks for
    nothing."""
    if len(prompt) > REPLY_CHARACTERS or names_something(prompt):
        return False
    words = WORD.findall(prompt.casefold())
    if not 0 < len(words) <= REPLY_WORDS:
        return False
    if all(word in PICKING or word in ACKNOWLEDGING for word in words):
        return True
    if words[0] not in OPENING:
        return False
    return sum(word not in ACKNOWLEDGING for word in words) == REPLY_TELLING


def names_something(text: str) -> bool:
    """Whether a text has a name to the letter: code, a path, a word with digits, a number of three digits or more.

    As `literals.literals_in` tells them, without its patterns, which a hook would have to compile.
    """
    if "`" in text:
        return True
    for word in text.split():
        inner = word.strip(AROUND_WORDS)
        if inner[:1].isdigit():  # a duration or a share is none
            if (inner.isdigit() and len(inner) > 2) or inner.count(".") > 1:
                return True
        elif any(each in "_/\\.=" for each in inner) or (not inner.isalpha() and any(map(str.isdigit, inner))):
            return True
    return False


def says_something(text: str) -> bool:
    """Whether a text has words of its own: neither an acknowledgement nor only the report that all went well."""
    return telling_count(text) >= LEAST_TELLING


def telling_count(text: str) -> int:
    """How many different words of a text tell of anything, up to those that are enough.

    A name to the letter counts twice, as do two characters of a script that parts no words; a number alone counts none.
    """
    if names_something(text[:400]):
        return LEAST_TELLING
    count = 0
    for word in dict.fromkeys(WORD.findall(text[:2_000].casefold())):
        if word in ACKNOWLEDGING or word in STOP_WORDS or word in GENERIC or word[0].isdigit():
            continue
        count += 1 if word.isascii() or len(word) < 4 else 2 if ord(word[0]) > 0x2E80 else 1
        if count >= LEAST_TELLING:
            break
    return count
