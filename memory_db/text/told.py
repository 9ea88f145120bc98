"""What a person tells of others' words and wishes, or asks about: words that stand in their message and are not theirs.

In: a line of a message. Out: the reason in a few words, '' where the writer speaks for themselves. Invariant: pure,
and linear in the length of the line.

A hook loads this: the standard library alone.
"""

# ruff: noqa: E501  # a pattern a line

from __future__ import annotations

import re

from memory_db.records import later
from memory_db.text.asked_about import is_asked_about

TOLD_OF_OTHERS, ASKED_ABOUT = "what somebody else is said to want or say", "asked about, not said"
TOLD_OF_ELSEWHERE, NOT_MEANT = "how it was done elsewhere", "perhaps not meant"

OTHERS = (
    # English: somebody wants, asks, says that; what was heard or read
    r"(?<!\bi )(?<!\bwe )(?<!\byou )\b(?:wants|wanted|asks|asked|begs|begged|urges|urged)"
    r" (?:us|me|that we|that i|if we|whether we|for us|everybody|everyone)\b(?! (?:\w+ )?(?:whether|why|when|how|where|who)\b)"
    r"|\b(?:they|people|some|customers|users|clients) (?:want|would like|ask|beg|urge) (?:us|me|that we|for us)\b"
    r"|(?<!\bas )(?<!\bif )(?<!\bwhen )(?<!\bunless )(?<!\buntil )(?<!\bwhatever )"
    r"\b(?:he|she|they|somebody|someone|the (?:\w+'s )?(?:customer|client|vendor|auditor|maker|manufacturer|landlord|"
    r"board(?!s\b)|boss|consultant|agency|supplier|tenant|other team|support|hotline|salesman|sales rep))(?:s|'s)? (?:\w+ )?(?:says?|said|claims?|claimed|wrote|writes?|"
    r"insists?|insisted|demands?|demanded|suggests?|suggested|thinks?|swears?|recommends?|recommended|tells?|told|answers?|"
    r"answered|repl(?:y|ies|ied))\b"
    r"|\b(?:got back|was told|were told|been told|i(?:'ve)? (?:heard|read)|word is|rumou?r has it) (?:somewhere )?that\b"
    r"|\bgot (?:the )?(?:answer|reply) (?:back )?that\b",
    # German
    r"\b(?:er|sie|der \w+|die \w+|das \w+|kunde|kundin|chef|chefin|kollege|kollegin) (?:\w+ ){0,2}?(?:hätte gern|möchte|"
    r"wünscht sich|verlangt|fordert|bittet|meint|meinte|sagt|sagte|behauptet|schreibt|schrieb|besteht darauf|schlägt vor|"
    r"will|wollte)[^.!?\n]{0,30}\b(?:dass|ob|wir)\b|\bangeblich\b"
    r"|\b(?:schreibt|schrieb|meint|meinte|sagt|sagte|behauptet|postet|twittert) (?:da )?(?:einer|eine|jemand|irgendwer|irgendein\w*)\b"
    r"|\b(?:mein|dein|sein|ihr|unser)e? \w+ (?:behauptet|meint|schwört|glaubt)\b",
    # French
    r"\b(?:il|elle|ils|elles|on m'a|on nous a|l[ea] \w+|les \w+) (?:\w+ )?(?:veut|veulent|voudrai(?:t|ent)|aimerai(?:t|ent)|"
    r"demande(?:nt)?|dit|disent|exige(?:nt)?|prétend(?:ent)?|propose(?:nt)?|raconte|réclame|souhaite(?:nt)?)"
    r"[^.!?\n]{0,30}\bqu(?:e\b|')|\b(?!on\b|qui\b)\w+ (?:veut|voudrait|aimerait|exige|réclame|demande) qu(?:e\b|')",
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

ELSEWHERE = (
    r"\b(?:at|in|with|from) (?:my|our) (?:old|last|former|previous|ex) (?:place|jobs?|company|employer|team|gig|shop|firm|"
    r"boss|office|school|lab)\b|\bmy (?:former|previous|old|last|ex) ?-?(?:employer|boss|company|team|firm)\b|"
    r"\b(?:when|where) (?:i|we) (?:used to work|worked before)\b",
    r"\b(?:bei|in) mein(?:em|er) (?:alten|letzten|früheren|vorigen|ehemaligen|ex-?) ?(?:arbeitgeber|firma|job|stelle|team|"
    r"chef|bude|laden|schule)\b|\bmein (?:alter|früherer|voriger|ehemaliger) (?:arbeitgeber|chef)\b",
    r"\b(?:dans|chez) (?:mon|ma) (?:ancien(?:ne)?|dernier|dernière|précédente?|ex-?) ?(?:boîte|boulot|job|employeur|équipe|"
    r"entreprise|poste|chef|école)\b",
    r"\ben mi (?:antigu[oa]|anterior|último|última|ex-?) ?(?:trabajo|empresa|empleo|equipo|curro|jefe)\b",
    r"\b(?:no meu|na minha) (?:antig[oa]|último|última|anterior|ex-?) ?(?:emprego|trabalho|empresa|equipe|equipa|firma)\b",
    r"\b(?:nel mio|nella mia|dal mio) (?:vecchi[oa]|precedente|ultim[oa]|ex-?) ?(?:lavoro|azienda|ditta|posto|team|capo)\b",
    r"\bw (?:mojej|moim|poprzedni\w+|star\w+) (?:star\w+ |poprzedni\w+ |były\w* )?(?:firmie|pracy|robocie|zespole)\b",
    r"\bна (?:прошлой|старой|прежней|предыдущей) работе\b|\bв (?:прошлой|старой|прежней|предыдущей) (?:компании|фирме|команде)\b",
    r"(?:我|我们)?(?:以前|之前|原来|上一家|上家|前)(?:的)?(?:那家)?(?:公司|单位|团队|东家)|(?:前の|以前の|前に勤めていた)(?:会社|職場|チーム|勤め先)|前職"
    r"|(?:전|예전|지난) ?(?:직장|회사|팀)에서",
)
"""How somebody tells what the rule was where they worked before, by language. Source: ours."""

IRONY = (
    r"\blet'?s make (?:it|that|this) a rule!|\bwhat could (?:possibly )?go wrong\b|\bsaid (?:nobody|no one) ever\b|"
    r"\bnever (?:trust|ask|underestimate|argue with) an? [a-z]+ (?:with|who|that|before|without)\b|"
    r"\byeah,? right\b|(?:^|[.!?…] )(?:brilliant|genius|priceless)\.|(?:^|\s)/s(?:\s|$)",
    r"\bwas soll (?:da )?schon schief ?gehen\b|\bhat noch nie jemand gesagt\b|\bqu'est-ce qui pourrait mal tourner\b",
    r"\bqu[ée] pod(?:ría|ria|eria) (?:salir mal|dar errado)\b|\bo que poderia dar errado\b|\bcosa potrebbe andare storto\b",
    r"\bcóż (?:mogłoby|może) pójść nie tak\b|\bчто может пойти не так\b|\bага,? щас\b",
)
"""Words beside which a rule is perhaps a joke, by language. Source: ours; irony has no words of its own, so most of it is
not found."""

TOLD_BY_TEXT = later(
    r"\b(?:the|their|its|this|that|a|some) (?:\w+ )?(?:docs?|documentation|readme|article|blog(?: post)?|ticket|mail|"
    r"email|customer|vendor|manual|guide|changelog|wiki|forum|tweet|talk|tutorial|error|log|page) "
    r"(?:\w+ )?(?:says?|said|claims?|states?|reads?|tells?|recommends?|suggests?|mentions?|asks?|wants?)\b"
    r"|\baccording to\b|(?<!, )\b(?:he|she|they|somebody|someone|my (?:boss|friend|colleague)) (?:\w+ )?(?:says?|said"
    r"|claims?|"
    r"claimed|thinks?|wrote|suggested|asked|swears?)\b"
)
"""What a text, or in English a person, is said to say: of a model's quotation this alone is asked."""

TOLD, PAST, JOKE = (later("|".join(each), re.IGNORECASE) for each in (OTHERS, ELSEWHERE, IRONY))


CASES = later(r"(?:^|(?<=[.!?])) (?:if|when|whenever|in case) [^.!?\n]*", re.IGNORECASE)
"""A sentence of what somebody does in a case that may come."""


def without_cases(behind: str) -> str:
    """What stands behind some words, without what others would say in a case that may come: no word about those."""
    return CASES.sub("", behind)


def of_others(sentence: str) -> str:
    """Why the words of a sentence may not be the writer's own: told as another's, or of elsewhere, asked about, a joke.

    '' where nothing says so.
    """
    if is_asked_about(sentence):
        return ASKED_ABOUT
    if TOLD.search(sentence):
        return TOLD_OF_OTHERS
    if PAST.search(sentence):
        return TOLD_OF_ELSEWHERE
    return NOT_MEANT if JOKE.search(sentence) else ""
