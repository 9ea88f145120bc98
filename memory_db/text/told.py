"""What a person tells of others' words and wishes, or asks about: words that stand in their message and are not theirs.

In: a sentence of a message. Out: the reason in a few words, '' where the writer speaks for themselves. Invariant: pure,
and linear in the length of the sentence.
"""

# ruff: noqa: E501  # a pattern a line

from __future__ import annotations

import re

from memory_db.text.asked_about import is_asked_about

TOLD_OF_OTHERS, ASKED_ABOUT = "what somebody else is said to want or say", "asked about, not said"

OTHERS = (
    # English: somebody wants, asks, says that; what was heard or read
    r"(?<!\bi )(?<!\bwe )(?<!\byou )\b(?:wants|wanted|asks|asked|begs|begged|urges|urged)"
    r" (?:us|me|that we|that i|if we|whether we|for us|everybody|everyone)\b"
    r"|\b(?:they|people|some|customers|users|clients) (?:want|would like|ask|beg|urge) (?:us|me|that we|for us)\b"
    r"|\b(?:he|she|they|somebody|someone|the (?:customer|client|vendor|auditor|maker|manufacturer|landlord|board|boss|"
    r"consultant|agency|supplier|tenant|other team))(?:s|'s)? (?:\w+ )?(?:says?|said|claims?|claimed|wrote|writes?|"
    r"insists?|insisted|demands?|demanded|suggests?|suggested|thinks?|swears?|recommends?|recommended|tells?|told)\b"
    r"|\b(?:got back|was told|were told|been told|i(?:'ve)? (?:heard|read)|word is|rumou?r has it) (?:somewhere )?that\b"
    r"|\bgot (?:the )?(?:answer|reply) (?:back )?that\b",
    # German
    r"\b(?:er|sie|der \w+|die \w+|das \w+|kunde|kundin|chef|chefin|kollege|kollegin) (?:\w+ ){0,2}?(?:hätte gern|möchte|"
    r"wünscht sich|verlangt|fordert|bittet|meint|meinte|sagt|sagte|behauptet|schreibt|schrieb|besteht darauf|schlägt vor|"
    r"will|wollte)[^.!?\n]{0,30}\b(?:dass|ob|wir)\b|\bangeblich\b",
    # French
    r"\b(?:il|elle|ils|elles|on m'a|on nous a|l[ea] \w+|les \w+) (?:\w+ )?(?:veut|veulent|voudrai(?:t|ent)|aimerai(?:t|ent)|"
    r"demande(?:nt)?|dit|disent|exige(?:nt)?|prétend(?:ent)?|propose(?:nt)?|raconte|réclame|souhaite(?:nt)?)"
    r"[^.!?\n]{0,30}\bqu(?:e\b|')",
    # Spanish, Portuguese, Italian
    r"\b(?:dice|dicen|dijo|dijeron|pide|piden|pidió|quiere|quieren|quería|exige|propone|sugiere|cuenta|insiste en|pretende)"
    r"(?: [\wáéíóúñ]+){0,4} que\b|\b(?:diz|dizem|disse|disseram|pede|pedem|pediu|quer|querem|queria|exige|propõe|"
    r"sugere|conta|insiste em)(?: [\wáéíóúãõç]+){0,4} que\b|\b(?:dice|dicono|ha detto|chiede|chiedono|ha chiesto|vuole|"
    r"vogliono|vorrebbe|vorrebbero|pretende|sostiene|suggerisce)(?: [\wàèéìòù]+){0,4} (?:che|di)\b",
    # Polish, Russian
    r"\b(?:mówi|mówią|powiedział\w*|chce|chcą|prosi|prosił\w*|twierdzi|twierdzą|sugeruje|żąda),? (?:\w+ )?(?:że|żeby|aby)\b"
    r"|\b(?:мол|дескать|якобы)\b|\b(?:говорит|говорят|сказал\w*|просит|просят|попросил\w*|хочет|хотят|требует|требуют|"
    r"предлагает|утверждает|пишет|написал\w*|настаивает)[^.!?\n]{0,25}\b(?:чтобы|чтоб|что)\b",
    # Chinese, Japanese, Korean
    r"(?:他|她|他们|她们|对方|客户|甲方|老板|领导|供应商|房东|审计)[^,。,！？\n]{0,8}(?:想让|想要|希望|要求|要我们|让我们|建议|说|觉得)"
    r"|(?:听说|据说)"
    r"|(?:さん|様|側|客|先方|上司|彼|彼女)[^。！？\n]{0,60}(?:と言って|って言って|と言われ|って言われ|と頼まれ|と書いて|てほしいと|て欲しいと|"
    r"てほしいって|とのこと|だそう)"
    r"|(?:라고|다고|달라고|자고) (?:했|하더|말했|말하|요청|부탁)",
)
"""How somebody tells what others say or want, by language. Source: ours; grammars of each language."""

TOLD_BY_TEXT = re.compile(
    r"\b(?:the|their|its|this|that|a|some) (?:\w+ )?(?:docs?|documentation|readme|article|blog(?: post)?|ticket|mail|"
    r"email|customer|vendor|manual|guide|changelog|wiki|forum|tweet|talk|tutorial|error|log|page) "
    r"(?:\w+ )?(?:says?|said|claims?|states?|reads?|tells?|recommends?|suggests?|mentions?|asks?|wants?)\b"
    r"|\baccording to\b|(?<!, )\b(?:he|she|they|somebody|someone|my (?:boss|friend|colleague)) (?:\w+ )?(?:says?|said"
    r"|claims?|"
    r"claimed|thinks?|wrote|suggested|asked|swears?)\b"
)
"""What a text, or in English a person, is said to say: of a model's quotation this alone is asked."""

TOLD = re.compile("|".join(OTHERS), re.IGNORECASE)


def of_others(sentence: str) -> str:
    """Why the words of a sentence may be somebody else's: told as theirs, or only asked about; '' where neither."""
    if is_asked_about(sentence):
        return ASKED_ABOUT
    return TOLD_OF_OTHERS if TOLD.search(sentence) else ""
