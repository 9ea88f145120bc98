"""Writing without spaces: Chinese, Japanese, Korean and Thai as pairs of neighbouring characters.

In: any text. Out: its pairs as full text keeps them (`grams`), and those of a question that tell something
(`asked_grams`). SQLite's tokenizer takes a run of such characters as one word, which no question repeats; a pair is
found wherever it stands. Korean has spaces, but endings grow on to its words.

Invariants: pure; whatever is asked of a text, its own pairs have; the pairs of pairs are the same pairs.

Source: pairs of characters are what Lucene's CJKAnalyzer indexes; Nie, Gao, Zhang and Zhou 2000, On the use of words
and n-grams for Chinese information retrieval, found them as good as words.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from memory_db.records import later

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
HIRAGANA = "\u3041-\u3096\u309d\u309e"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
UNSPACED = HAN + HIRAGANA + KATAKANA + HANGUL + THAI
HALF_WIDTH = "\uff66-\uffdc"
"""Narrow katakana and hangul, as old systems write them: they become ordinary ones."""

HAS_UNSPACED = later(f"[{UNSPACED}{HALF_WIDTH}]")
"""A character of such writing."""

WORD_OR_RUN = later(f"(?:[{UNSPACED}]|[^\\W_])+")
"""A word as the tokenizer cuts it, with the marks that stand over Thai letters."""

RUN_OR_REST = later(f"[{UNSPACED}]+|[^{UNSPACED}]+")

SEGMENT = later(f"[{HAN}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{HANGUL}]+|[{THAI}]+")
"""Characters of one script in a row."""

IS_HAN, IS_KANA, IS_HANGUL = (later(f"[{each}]") for each in (HAN, HIRAGANA + KATAKANA, HANGUL))

IS_HIRAGANA, IS_KATAKANA = (later(f"[{each}]") for each in (HIRAGANA, KATAKANA))

LONGEST_KATAKANA = 6
"""Letters up to which katakana in a row are taken for one word, which is asked whole: a text that has a part of it says
something else. Longer ones may be two words. Source: ours, on the first half of bench/data/languages."""

OTHER_LETTER = later("[\u0370-\u1fff\u2e80-\ufdff]")
"""A letter of another script than the Latin one: from Greek on, without the blocks of signs and pictures between."""

MOST_BYTES_A_CHARACTER = 1.5
"""Bytes a character from which on a text is mostly in another script than the Latin one: those of Latin letters have 1,
Cyrillic ones 2, Chinese ones 3. Source: ours; prose in such scripts has 1.7 to 2.9, with every second word in Latin
letters 1.4 to 1.9; French and Vietnamese 1.1 to 1.4."""

IN_OTHER_SCRIPT = (
    "(length(cast({0} as blob)) > " + str(MOST_BYTES_A_CHARACTER) + " * length({0})"
    " and {0} glob '*[\u0370-\u1fff\u2e80-\ufdff]*')"
)
"""What `mostly_another_script` says, as SQL for a column."""

ENGLISH_MODELS = frozenset(("minilm-int8",))
"""Embedding models that know English alone. Source: the card of all-MiniLM-L6-v2."""

CHINESE_STOP = later(
    "为什么|怎么样|什么时候|的时候|怎么|什么|如何|哪里|哪个|哪些|是否|可以|能否|应该|需要|一下|我们|你们|他们|这个|那个|这里|那里"
    "|多少|几个|多久|多长|时候|之前|以前|之后|以后|还是|或者|因为|所以|但是|如果|已经|没有|不能|现在|今天|老是|总是|还能|不要|要不要"
    "|[的了吗呢吧啊呀么把被就都也很我你他她它这那请]"
)
"""Words of Chinese that say nothing of what a question is about. Source: our own list of function words."""

KOREAN_STOP = frozenset(
    """
    어떻게 어떤 어느 무엇 무엇을 무엇이 뭐 뭐야 뭐가 뭔가 왜 언제 언제야 어디 어디에 어디서 누가 누구 얼마나 얼마
    몇 이 그 저 이것 그것 것 것은 것을 수 때 좀 더 또 및 등 다시 아직 이제 지금 오늘 하는 하면 해서 하고 한다
    하나 하나요 합니까 할까 할까요 해 해요 해야 하지 되나 되나요 되는 된다 돼 돼요 될까 될까요 있는 있나 있나요
    있어 있어요 있다 있을까 없는 없나 없나요 괜찮을까 괜찮나 쓰지 알려줘 알려 주세요 줘 이유가 우리 내 나 저는
    나는
    """.split()
)
"""Words of Korean that say nothing of what a question is about. Source: as above."""

KOREAN_ENDING = later(
    "(?:합니까|합니다|하나요|하는데|되나요|됩니다|인가요|입니까|입니다|에서는|에서|으로|까지|부터|에게|한테|하고|해야|해도|하면|하는"
    "|했던|된다|되는|돼요|이랑|처럼|보다|마다|조차|을|를|이|가|은|는|에|의|로|와|과|도|만|야|요)$"
)
"""Particles and endings that grow on to a Korean word. Source: as above."""


def mostly_another_script(text: str) -> bool:
    """Whether a text is mostly not in Latin letters: vectors that know English alone say nothing of it."""
    return (
        not text.isascii()
        and len(text.encode("utf-8", "replace")) > MOST_BYTES_A_CHARACTER * len(text)
        and OTHER_LETTER.search(text) is not None
    )


def is_gram(term: str) -> bool:
    """Whether a term of a question is of such writing: a pair, or the beginning of one."""
    return not term.isascii() and HAS_UNSPACED.search(term) is not None


def has_unspaced(text: str) -> bool:
    """Whether a text has any character of such writing."""
    return not text.isascii() and HAS_UNSPACED.search(text) is not None


def normal_form(text: str) -> str:
    """A text in small letters, with wide Latin letters and narrow katakana as they are written elsewhere."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def spaced(text: str) -> str:
    """A question with spaces between such writing and what stands at it: `Dockerの設定` as `Docker の設定`."""
    if not has_unspaced(text):
        return text
    return " ".join(RUN_OR_REST.findall(unicodedata.normalize("NFKC", text)))


def grams(text: str) -> str:
    """What full text keeps of a text: its pairs, and the words that stand at them without a space; else ''.

    A character alone is kept as such, and a Chinese one after another script as such too: it may end a text.
    """
    if not has_unspaced(text):
        return ""
    normal = normal_form(text)
    known = set(WORD_OR_RUN.findall(text.casefold())) if normal != text.casefold() else None
    kept: list[str] = []
    for word in WORD_OR_RUN.findall(normal):
        if not HAS_UNSPACED.search(word):
            kept += [word] if known is not None and word not in known else []
            continue
        for part in RUN_OR_REST.findall(word):
            kept += pairs(part) if HAS_UNSPACED.match(part) else [part]
    return " ".join(kept)


def pairs(run: str) -> list[str]:
    """Every two neighbouring characters of a run, or its only one; and each Chinese one that follows another script."""
    if len(run) == 1:
        return [run]
    found: list[str] = []
    for before, after in pairwise(run):
        found += [before + after] + [after] * (IS_HAN.match(after) is not None and not IS_HAN.match(before))
    return found


# ----------------------------------------------------------------- what is asked


def asked_grams(query: str) -> list[str]:
    """The distinctive pairs of a question in order, each once; `値*` asks for a character with whatever follows.

    A word in katakana is asked whole (see `phrase`). Kanji, katakana and hangul tell, hiragana mostly binds; where
    nothing is left, all pairs are asked.
    """
    if not has_unspaced(query):
        return []
    normal = normal_form(query)
    is_japanese = IS_KANA.search(normal) is not None
    runs = [part for word in WORD_OR_RUN.findall(normal) for part in RUN_OR_REST.findall(word) if is_gram(part)]
    found = [gram for run in runs for gram in telling_of(run, is_japanese=is_japanese)]
    return list(dict.fromkeys(found or [pair for run in runs for pair in pairs(run)]))


def telling_of(run: str, *, is_japanese: bool) -> list[str]:
    """The distinctive pairs of one run."""
    end = run[-2:]
    if IS_HANGUL.match(run) and IS_HANGUL.match(run[-1]):
        run = "" if run in KOREAN_STOP else korean_stem(run)
    elif not is_japanese:
        run = CHINESE_STOP.sub(" ", run)
    found: list[str] = []
    for part in SEGMENT.finditer(run):
        segment = part.group()
        if IS_HIRAGANA.match(segment):
            continue
        if IS_KATAKANA.match(segment) and 2 < len(segment) <= LONGEST_KATAKANA:
            found.append(segment)
        elif len(segment) > 1:
            found += [segment[at : at + 2] for at in range(len(segment) - 1)]
        elif IS_HAN.match(segment):
            # Nothing follows the last character: after a Chinese one no pair begins with it.
            is_last = part.end() == len(run) and len(end) > 1 and IS_HAN.match(end)
            found.append(end if is_last else f"{segment}*")
    return found


def phrase(term: str) -> str:
    """A term as its pairs follow each other in full text: `スキーマ` as `スキ キー ーマ`; any other one as it is."""
    return " ".join(pairs(term)) if len(term) > 2 and is_gram(term) else term


def korean_stem(word: str) -> str:
    """A Korean word without the particle or ending at its end, if two characters are left."""
    stem = KOREAN_ENDING.sub("", word)
    return stem if len(stem) > 1 else word
