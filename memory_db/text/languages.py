"""Languages that people write to an agent besides English: which one a text is in, its stop words, its stems.

In: a text. Out: a code of ISO 639-1, or None for English and for what is not known; words as full text is asked for
them. A stem is asked as the beginning of a word (`verbind*` finds Verbindung and verbinden, and compounds), so that the
index need not know the language of any text.

Invariants: pure; a text with more English function words than others is English.

Source: the endings are those of light stemmers, which find about as much as full ones (Savoy 2006, Light stemming
approaches for the French, Portuguese, German and Hungarian languages); `python -m bench languages` measures them.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory_db.records import later
from memory_db.text.scripts import HANGUL, HIRAGANA, KATAKANA, THAI, has_unspaced

WORD = later(r"[^\W\d_]+")

CYRILLIC = later("[\u0400-\u04ff]{2,}")

KANA, KOREAN, SIAMESE = (later(f"[{each}]") for each in (HIRAGANA + KATAKANA, HANGUL, THAI))

READ_CHARACTERS = 2_000
"""How much of a text tells its language."""

FEWEST_WORDS = 2
"""Function words of a language that a text must have. Source: ours; names and loan words bring single ones."""

ENGLISH = frozenset(
    """a about after all am an and any are as at be because been before but by can could did do does for from get had
    has have he her here his how i if in into is it its just me my no not now of off on one only or our out over please
    she should so some than that the their them then there these they this to too under up us use was we were what when
    where which while who why will with would yes you your""".split()
)

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "de": """
            aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist bitte da
            dabei dafür damit danach dann daran darauf darf darin das dass dein deine dem den denn der des dessen
            deshalb die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines
            einfach er erst es etwas euch für gegen geht gibt hab habe haben hat hatte hier hin ich ihm ihn ihr ihre im
            immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine können man mehr mein meine
            mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seit sich sie
            sind so soll sollen sollte sondern über um und uns unser unsere unter vom von vor wann war warum was weil
            welche welchem welchen welcher welches wenn wer werden wie wieder wieso will wir wird wo woher wohin wurde
            zu zum zur zwischen
        """,
        "fr": """
            a afin ai alors après au aucun aussi autre aux avant avec avez avoir avons c ça car ce cela celle celui ces
            cet cette ceux chez comme comment d dans de depuis des deux doit donc dont du elle elles en encore est et
            être eu fait faire faut fois ici il ils j je jusque l la là le les leur leurs lors lui m ma mais me même mes
            moi mon n ne ni nos notre nous on ont ou où par parce pas pendant peut peux plus pour pourquoi près puis qu
            quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton
            toujours tous tout toute toutes tu un une vers vos votre vous y
        """,
        "es": """
            a al algo alguna alguno antes aquí así aún aunque cada como cómo con contra cual cuál cuando cuándo cuánto
            cuánta cuántos cuántas de debe debemos debo del desde después donde dónde dos el él ella ellos en entre era
            es esa ese eso esta está están estar este esto estos fue ha hace hacemos hacer hacia hasta hay he la las le
            les lo los más me mi mientras mis muy nada ni no nos nosotros nuestra nuestro o os otra otro para pero poco
            por porque puede puedo pues que qué quien quién se sea ser si sí sido siempre sin sobre solo sólo son soy su
            sus también tan te tiene tienen tengo toda todo todos tu tus un una unas uno unos usted va vamos veo y ya yo
        """,
        "pt": """
            a acontece ainda além alguma algum antes ao aos após aquela aquele aqui as às até cada com como da das de
            debaixo depois desde deve devemos devo do dois dos e é ela ele eles em então entre era essa esse esta está
            estão estar este eu faz fazer foi há isso isto já la lhe mais mas me mesmo meu meus minha muito na não nas
            nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos pode podemos por porque posso
            preciso quais qual quando quanto quantas quantos que quê quem se sem ser será seu seus só sobre sua suas
            também te tem temos tenho toda todo todos tu tua um uma vai você vocês
        """,
        "it": """
            a abbiamo ad agli ai al alla alle allo altra altro anche ancora che chi ci ciò col come con cosa così cui da
            dagli dai dal dalla dalle dei del della delle dello deve devo di dopo dove due e è ed era essere fa fare fra
            già gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mio molto ne negli nei nel nella
            nelle noi non nostra nostro o ogni oppure per perché più poi possiamo posso prima può qual quale quali
            quando quanti quanto quella quello questa questo qui se sei senza si sia solo sono sta su sua sue sugli sui
            sul sulla suo te tra troppo tu tua tutti tutto un una uno va viene vengono voi
        """,
        "nl": """
            aan achter al alle alleen als altijd ben bij dan dat de deze die dit doen door dus een eens elk en er geen
            had heb hebben heeft hem het hier hij hoe hun ik in is ja je jij jouw kan kunnen maar me meer men met mij
            mijn moet moeten na naar niet niets nog nu of om omdat onder ons ook op over te tegen toch toen tot u uit uw
            van veel voor waar waarom wanneer waren was wat we wel welk welke wie wij wil worden wordt zal ze zelf zich
            zij zijn zo zonder zou
        """,
        "pl": """
            a aby albo ale ani bardzo bez bo bym był była było były być będzie będą ci co coś czy dla dlaczego do gdy
            gdzie go i ich ile im inaczej ja jak jakie jako jakby jego jej jest jestem jeszcze jeśli jeżeli już każda
            każde każdy kiedy kto który która które których lub ma mają mam mamy masz mi mnie może można mu my na nam
            nas nasz nawet nic nie nigdy niż o od oraz po pod potem przed przez przy raz się są ta tak taki takie tam te
            tego tej ten też to tu tutaj tylko tym tych u w we wiesz więc wszystko wtedy z za zamiast zawsze ze że żeby
            żaden
        """,
        "ru": """
            а без более больше будет бы был была были было быть в вам вас во вот все всё вы где да даже для до если есть
            ещё еще же за зачем здесь и из или им их к как какая какие какой какую когда кого ко кто куда ли лучше между
            меня мне может можно мой моя мы на над надо нам нас наш не него нет ни но ну нужно о об он она они оно от
            откуда очень по под после потом потому почему при про с сам сейчас со так такой там то тогда того тоже
            только тут ты у уже чего чем через что чтобы эта эти это этот я
        """,
    }.items()
}  # fmt: skip
"""Words that say nothing of what a question is about. Source: our own lists of function words."""

NO_SIGN = frozenset(
    """a ad afin ai al am an and as at bin car come con da den die do dos due e era es eu even far fin first for
    fra had has he i in is it link list lo log male man me mi more my na ne no non o of on op or os ou par per plus
    point post pour pure s ser set si sin so son sole sub sur t te test toe tu u unit use van vas via vs war was we
    wel will y""".split()
)
"""Words of other languages that English texts about software have too: they do not tell a language."""

ENDINGS: dict[str, tuple[str, ...]] = {
    language: tuple(sorted(words.split(), key=len, reverse=True))
    for language, words in {
        "de": """
            ungen ung heiten heit keiten keit ischen ische isch lichen liche lich ern em er en es e s n st
        """,
        "fr": """
            issements issement ements ement ations ation ateurs ateur ences ence ances ance ités ité euses euse eurs eur
            ures ure ives ive ifs if iques ique ées ée és é er ez ent ait aient ons ant ions ion es s e x
        """,
        "es": """
            aciones ación amientos amiento imientos imiento adores adoras ador adora mente idades idad ando iendo aron
            ieron ados adas ado ada idos idas ido ida emos amos imos ciones ción iones ión ores or ar er ir es os as an
            en a o e s
        """,
        "pt": """
            ações ação amentos amento imentos imento adores adora ador mente idades idade ando endo indo aram eram iram
            ados adas ado ada idos idas ido ida amos emos imos ões ão ais eis ar er ir es os as am em a o e s
        """,
        "it": """
            azioni azione amenti amento imenti imento mente atori atore ità ando endo ati ate ato ata uti ute uto uta
            iti ite ito ita ioni ione iamo ire are ere ano ono i e a o
        """,
        "nl": """
            heden heid ingen ing lijke lijk eren en e s t
        """,
        "ru": """
            иями ями ами иях ях ах ией ей ой ий ый ая яя ое ее ие ые ого его ому ему ыми ими ых их ым им ом ем ую юю ов
            ев аться яться иться еться ать ять ить еть уть ется ются ится ятся ет ут ют ит ат ят али яли или ели ала яла
            ила ения ение ению ением ании ания ание ку ка ки ке ок ла ло ли а я о е ы и у ю ь й
        """,
    }.items()
}  # fmt: skip
"""Endings of forms and of words made from others, the longest first."""

SHORTEST_STEM = 4
"""Letters that a stem keeps: shorter beginnings stand in too many words."""

PASSES = {"ru": 2}
"""Endings taken off a word, where it is not one: in Russian that of a form and that of a word made from another."""


def likely_language(text: str) -> str | None:
    """The same as `language_of`, where one function word is enough if none is English: of a short message in prose."""
    return language_of(text, fewest_words=1)


def language_of(text: str, fewest_words: int = FEWEST_WORDS) -> str | None:
    """The language of a text, by its script and its function words; None for English, and where nothing tells it."""
    text = text[:READ_CHARACTERS]
    if not text.isascii():
        if has_unspaced(text):
            return (
                "ja" if KANA.search(text) else "ko" if KOREAN.search(text) else "th" if SIAMESE.search(text) else "zh"
            )
        if CYRILLIC.search(text):
            return "ru"
    said = set(WORD.findall(text.casefold()))
    telling = said - NO_SIGN - ENGLISH
    signs = {language: found for language, words in STOP_WORDS.items() if (found := telling & words)}
    votes = {language: len(found) for language, found in signs.items()}
    strange = {word for word in said if not word.isascii()}.difference(*signs.values())
    english, accents = len(said & ENGLISH), sum(text.count(mark) for mark in "¿¡") + len(strange)
    if not votes:
        return None
    best = max(sorted(votes), key=votes.__getitem__)
    has_enough = votes[best] + bool(accents) >= fewest_words and votes[best] + bool(accents) > english
    return best if has_enough else None


def function_words(language: str | None) -> frozenset[str]:
    """The words of a language that say nothing of what a text is about; none for English and unknown ones."""
    return STOP_WORDS.get(language or "", frozenset())


def stem(word: str, language: str) -> str:
    """A word in small letters without its endings, at least four letters of it."""
    for _ in range(PASSES.get(language, 1)):
        for ending in ENDINGS.get(language, ()):
            if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
                word = word.removesuffix(ending)
                break
        else:
            break
    return word


def term_of(word: str, language: str | None) -> str:
    """How full text is asked for a word of that language: by the beginning of all its forms, or as it is."""
    if language not in ENDINGS or len(word) <= SHORTEST_STEM or not word.isalpha():
        return word
    if language == "ru" and word.isascii():
        return word
    return f"{stem(word, language)}*"


def telling_terms(words: Iterable[str], language: str | None) -> dict[str, str]:
    """The words that are none of the language's stop words, each with how full text is asked for it."""
    silent = function_words(language)
    return {word: term_of(word, language) for word in words if word not in silent}
