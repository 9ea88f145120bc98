"""What stands in a user's message that they did not type: letters, chats, logs, diffs, tables, passages of others.

In: the stored text of a message. Out: slices of it, which may overlap. Invariants: pure, linear in the length of the
text but for its lines; marks that a client or Markdown sets (fences, tags) are told elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_db.text.documents import Slice, documents_in

MAIL_HEADER = re.compile(r"^[ \t]*(?:from|to|cc|subject|date|sent|reply-to|message-id|von|an|betreff|datum): \S", re.I)
MAIL_BEGINS = re.compile(r"^[ \t]*(?:-{3,} ?(?:original|forwarded) message ?-*|on .{5,80} wrote:)[ \t]*$", re.I)
FEWEST_HEADERS = 2

DIFF_BEGINS = re.compile(r"^(?:diff --git |@@ -\d|--- a/|\+\+\+ b/)")
DIFF_LINE = re.compile(r"^(?:[+\-@\\ ]|diff --git |index [0-9a-f]{6,}|$)")
"""How a diff begins, and how its lines go on."""

CHAT_LINE = re.compile(
    r"^[ \t]*(?:\[?(?:\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?,? )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]?[ \t]+"
    r"(?:- )?<?[^\W\d][\w.@ -]{0,30}>?:?(?:[ \t].*)?|"
    r"@?[^\W\d][\w.-]{0,30}(?: [\w.-]{1,20}){0,2}[ \t]+(?:\(?|\[)\d{1,2}:\d\d(?: ?[AP]M)?(?:\)|\])?:?(?:[ \t].*)?)$",
    re.IGNORECASE,
)
"""How a message of a chat begins: who said it and when."""

FEWEST_CHAT_LINES = 2

PICTURE = re.compile(r"!\[[^\]\n]{0,600}\]\([^)\n]{0,600}\)")

GREETING = re.compile(
    r"^[ \t]*(?:hi|hello|hey|dear|good (?:morning|day|afternoon)|hallo|liebe[rs]?|sehr geehrte[rs]?|moin|servus"
    r"|guten (?:tag|morgen)|bonjour|salut|ch[eè]re?|hola|buenos d[ií]as|estimad[oa]s?|ciao|buongiorno|gentile|ol[áa]"
    r"|prezad[oa]s?|cześć|dzień dobry|привет|здравствуйте|добрый день|уважаем\w+|您好|你好|こんにちは"
    r"|お世話になって|안녕하세요|coucou)"
    r"(?:[ \t,，]+[\w.' -]{1,40})?[ \t]*[,!，、：:]?[ \t]*$|^[ \t]*\w{1,8}好[,，：:!]?[ \t]*$",
    re.IGNORECASE,
)
"""The first line of a letter, alone on its line."""

GREETS_MANY = re.compile(
    r"^[ \t]*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon)|morning),?[ \t]+(?:all|everyone|everybody|team|folks"
    r"|guys|colleagues|there,? team|both)|(?:all|team|folks|everyone),(?=[ \t])|(?:hallo|hi|moin|guten (?:morgen|tag)|"
    r"servus)[ \t]+(?:zusammen|alle|allerseits|ihr (?:alle|lieben)|team)|liebe (?:kolleg\w+|alle|leute)|liebes team"
    r"|(?:bonjour|salut|coucou)[ \t]+(?:à )?(?:tou(?:s|tes)|l['’]équipe|la team)|chers? coll[èe]gues"
    r"|(?:hola|buenas|buenos d[ií]as)[ \t,]+(?:a )?(?:todos|todas|equipo|gente|chicos)|(?:estimad[oa]s|querid[oa]s) \w+"
    r"|(?:ol[áa]|oi|bom dia|boa tarde)[ \t,]+(?:a )?(?:todos|todas|pessoal|time|equipe|gente)|prezad[oa]s \w+"
    r"|(?:ciao|buongiorno|salve)[ \t]+(?:a )?(?:tutti|tutte|ragazzi|team)|cześć wszystkim|(?:drodzy|szanowni)\b"
    r"|(?:ребят\w*|коллеги|друзья)(?=[ \t,!.])|(?:всем|ребят\w*, всем)[ \t]+(?:привет|доброе|добрый)"
    r"|(?:привет|добрый день|доброе утро)[ \t,]+(?:всем|коллеги|ребят\w*)|大家好|各位|同事们|皆さん|皆様|みなさん"
    r"|お疲れ(?:さま|様)|여러분|안녕하세요 여러분)",
    re.IGNORECASE,
)
"""How a letter or message to several people begins, whatever follows on its line; nobody greets one agent so."""

SIGN_OFF = re.compile(
    r"^[ \t]*(?:(?:kind|best|warm|many)?[ \t]*(?:regards|wishes|greetings)|cheers|best|thanks|thank you|sincerely|yours"
    r"|(?:viele|liebe|beste|mit freundlichen|schöne) grüße?n?|gruß|mfg|lg|vg|cordialement|bien à vous|amicalement"
    r"|saludos|un saludo|atentamente|cordiali saluti|saluti|atenciosamente|abraços|pozdrawiam|с уважением|всего доброго"
    r"|un abrazo|abrazos|besos|bises|bisous|à bientôt|bis bald|ciao|hugs|yours \w+|此致|敬礼|谢谢|祝好|祝\w{1,4}"
    r"|よろしくお願い\w*|敬具|감사합니다)[ \t]*[,!.，。]?[ \t]*$",
    re.IGNORECASE,
)
"""The line with which a letter ends; a name follows."""

SIGNED = re.compile(
    r"^[ \t]*[^\W\d_][^\n.!?;]{1,30},[ \t]*\n[ \t]*[A-ZÄÖÜÉÈÁÍÓÚÑЀ-Я][\w.'-]{1,20}(?: [\w.'-]{1,20}){0,2}[ \t]*$"
)
"""A block of two short lines: the last words of a letter and a name, in whatever language."""

MOST_WORDS_OF_NAME = 4

QUOTATION = re.compile(r"(?:(?<!\w)\"|[“„«「『])(?P<words>(?:[^\"“”„«»「」『』\n]|\n(?!\n)){1,600})[\"”“»」』]")
"""Words in quotation marks, short ones too: a mark that ends one begins no other."""

LONG_QUOTATION = 30
"""Characters from which on words in quotation marks are a passage and no name; of Chinese or Japanese a third of that.

Source: ours; the titles, errors and commit subjects that people quote in the sample are shorter.
"""

SEVERAL_SENTENCES = re.compile(r"[.!?] +\S.*[.!?]?|[。！？].+", re.DOTALL)
"""A passage: words in quotation marks of more than one sentence are nobody's own, whoever is named before them."""

SAYS = re.compile(
    r"\b(?:says?|said|states?|reads?|writes?|wrote|claims?|tells?|asks?|answered|replied|according to|mail|ticket"
    r"|issue|readme|docs?|page|article|comment|message|sagt|schreibt|steht|meint|behauptet|antwortet|dit|écrit|répond|"
    r"affirme|explique|raconte|dice|escribe|responde|afirma"
    r"|scrive|risponde|diz|escreve|zegt|schrijft|säger|skriver|mówi|pisze|říká|píše|diyor|yazıyor|пишет|написано|"
    r"говорит"
    r"|отвечает|пише|каже)\b"
    r"[^\"\n]{0,60}$|(?:说|写道|写着|書い|書か|と言)[^\"\n]{0,30}$",
    re.IGNORECASE,
)
"""How somebody else's words are introduced."""

QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\|.*\|[ \t]*$)")
MACHINE_LINE = re.compile(
    r"^(?:\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|\s*\[?\d\d:\d\d:\d\d|diff --git |index [0-9a-f]{6,}|@@ |\+\+\+ |--- \S+/|"
    r"Traceback \(|\s+File \"|\s+at [\w.$<>]+ ?\(|\w*(?:Error|Exception): |\[[A-Z]{3,9}\] |"
    r"[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \S|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)[ :\[]|[+-]\s{0,8}\S.*[;{}()=]\s*$|E   \S|npm (?:ERR|error)|\$ \S)"
)
"""Lines of logs, diffs and stack traces."""

GAP = re.compile(r"\S(?: {2,}|\t+)(?=\S)")
FEWEST_GAPS, FEWEST_ROWS = 2, 2
"""Gaps of a line and lines in succession from which on they are columns that a program printed. Source: ours; `df` of
one disk."""

MOST_BETWEEN = 4
"""Lines between two of a log or trace, without an empty one, from which on they may be the user's. Source: ours."""

ANNOUNCES = re.compile(
    r":\s*$|\b(?:(?:sent|gave|posted|wrote|mailed|got|found|says?|pasted?) (?:me |us )?(?:this|the following)|"
    r"here(?:'s| is| are)|see below|(?:it|the \w+) says|forwarded|copied from|this is (?:from|what))\b",
    re.IGNORECASE,
)
"""How a paragraph ends, or what it says, after which somebody else's words stand."""

LONG_LINES, LONG_CHARACTERS = 6, 700
"""A block of so many lines, or of so many characters, below other words is taken for pasted.

Source: ours; of the sample's and the benchmark's prompts no typed block is as long.
"""

ANNOUNCED_LINES, ANNOUNCED_CHARACTERS = 3, 240
"""So is a shorter one that the paragraph before it announces."""


ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
"""How the line of a list begins."""

SENT = re.compile(
    r"\b(?:sent|posted|wrote|writes|mailed|forwarded|answered|replied|messaged|pinged|"
    r"(?<!as he )(?<!as she )says|said|told (?:me|us)"
    r"|translate|proofread|summari[sz]e|rephrase|reword|polish|übersetz\w*|traduis\w*|traduire|traduce\w*|tradu[zc]\w*"
    r"|переведи\w*|kommt (?:aus|von)|vient de|viene de|got (?:this|a)|thread|slack|e-?mails?|mail|letter"
    r"|from (?:the )?(?:customer|client|vendor|boss)|schickt\w*|schrieb\w*|schreibt|envoyé|écrit|mandó|escribió"
    r"|прислал\w*|написал\w*|forum|blog|reddit|stack ?overflow|saw (?:this|that|on)|read (?:this|that|on)"
    r"|found (?:this|on)|notes (?:from|of)|vu sur|leí|gelesen|im netz|прочитал\w*)\b"
    r"|看到|论坛|网上|帖子|見た|見つけ|봤|发来|写信|写给"
    r"|翻译|润色|总结|送って|連絡|訳し|翻訳|まとめて",
    re.IGNORECASE,
)
"""Words that tell that somebody else's words follow, however few."""

OTHERS = re.compile(
    r"\b(?:sent|posted|wrote|writes|mail(?:ed|s)?|e-?mail|ticket|issue|readme|docs?|documentation|page|article|slack|"
    r"forwarded|copied|pasted|customer|client|vendor|says|log|output|spec)\b",
    re.IGNORECASE,
)
"""Words that speak of somebody else's text."""


def pasted_in(text: str) -> Iterable[Slice]:
    """All that was pasted into a message, as far as it shows."""
    yield from quoted_lines(text)
    yield from pictures(text)
    yield from columns(text)
    yield from diffs(text)
    yield from chats(text)
    yield from letters(text)
    yield from to_many(text)
    yield from quotations(text)
    yield from long_blocks(text)
    yield from documents_in(text)


def pictures(text: str) -> Iterable[Slice]:
    """Pictures in Markdown, whose alternative text nobody types to an agent."""
    for match in PICTURE.finditer(text):
        yield match.span()


def quoted_lines(text: str) -> Iterable[Slice]:
    """Quoted lines, tables, logs, diffs and traces, with what stands between two of their lines; a mail from its
    headers on."""
    position, headers, first_header, machine_end, since = 0, 0, 0, 0, MOST_BETWEEN
    for line in text.splitlines(keepends=True):
        if MAIL_HEADER.match(line):
            first_header = position if not headers else first_header
            headers += 1
        elif headers < FEWEST_HEADERS:
            headers = 0
        if headers >= FEWEST_HEADERS or MAIL_BEGINS.match(line):
            yield first_header if headers else position, len(text)
            return
        is_machine = MACHINE_LINE.match(line) is not None
        if is_machine or QUOTED_LINE.match(line):
            yield machine_end if is_machine and since < MOST_BETWEEN else position, position + len(line)
        machine_end, since = (position + len(line), 0) if is_machine else (machine_end, since + 1)
        since = since if line.strip() else MOST_BETWEEN
        position += len(line)


def columns(text: str) -> Iterable[Slice]:
    """Lines in columns, as programs print them: nobody types two gaps into each of some lines."""
    rows: list[Slice] = []
    for position, line in [*lines_of(text), (len(text), "")]:
        if len(GAP.findall(line)) >= FEWEST_GAPS:
            rows.append((position, position + len(line)))
            continue
        if len(rows) >= FEWEST_ROWS:
            yield rows[0][0], rows[-1][1]
        rows = []


def lines_of(text: str) -> list[tuple[int, str]]:
    """The lines of a text, each with the place where it begins."""
    found, position = [], 0
    for line in text.splitlines(keepends=True):
        found.append((position, line))
        position += len(line)
    return found


def diffs(text: str) -> Iterable[Slice]:
    """Diffs whole: from their heads as long as lines look like one."""
    start, end = -1, 0
    for position, line in lines_of(text):
        if start >= 0 and not DIFF_LINE.match(line):
            yield start, end
            start = -1
        if start < 0 and DIFF_BEGINS.match(line):
            start = position
        end = position + len(line)
    if start >= 0:
        yield start, end


def chats(text: str) -> Iterable[Slice]:
    """A thread of a chat: from its first message to the end of the block in which the last one stands."""
    heads = [position for position, line in lines_of(text) if CHAT_LINE.match(line.rstrip("\n"))]
    if len(heads) >= FEWEST_CHAT_LINES:
        blank = text.find("\n\n", heads[-1])
        yield heads[0], len(text) if blank < 0 else blank


def letters(text: str) -> Iterable[Slice]:
    """A letter without headers: from its greeting to who signs it or to the end; unsigned, a message may begin so."""
    lines = lines_of(text)
    signed = signature(text, lines)
    greeted = next((at for at, (_, line) in enumerate(lines) if GREETING.match(line.rstrip("\n"))), None)
    if greeted == 0 and (signed is None or lines[1][1].strip()):
        greeted = next((at for at, (_, line) in enumerate(lines) if at and GREETING.match(line.rstrip("\n"))), None)
    if greeted is None and signed is None:
        return
    start = lines[greeted][0] if greeted is not None else first_block_end(text)
    end = signed if signed is not None and signed > start else len(text)
    yield start, end


def to_many(text: str) -> Iterable[Slice]:
    """Paragraphs in which several people are greeted, from that line on."""
    for start, end in blocks(text):
        for position, line in lines_of(text[start:end]):
            if GREETS_MANY.match(line):
                yield start + position, end
                break


def signature(text: str, lines: list[tuple[int, str]]) -> int | None:
    """Where a letter ends: behind a farewell and the name below it; None where nobody signs."""
    for at, (_, line) in enumerate(lines[:-1]):
        name_at, name = lines[at + 1]
        if at and SIGN_OFF.match(line.rstrip("\n")) and 0 < len(name.split()) <= MOST_WORDS_OF_NAME:
            return name_at + len(name)
    for start, end in blocks(text)[1:]:
        if SIGNED.match(text[start:end]):
            return end
    return None


def first_block_end(text: str) -> int:
    """Where the words end that stand before the first empty line, or the first line where there is none."""
    blank = text.find("\n\n")
    return blank if blank >= 0 else text.find("\n")


def quotations(text: str) -> Iterable[Slice]:
    """Passages in quotation marks that somebody else is said to have said."""
    for match in QUOTATION.finditer(text):
        words = match["words"]
        is_long = len(words) >= LONG_QUOTATION or (not words.isascii() and 3 * len(words) >= LONG_QUOTATION)
        is_passage = SEVERAL_SENTENCES.search(words) is not None
        if is_long and (is_passage or SAYS.search(text[max(0, match.start() - 80) : match.start()])):
            yield match.start(), match.end()


def long_blocks(text: str) -> Iterable[Slice]:
    """Blocks below other words that are too long to have been typed, or that those words announce.

    What is announced goes on over empty lines, up to a last block of one line.
    """
    parts = blocks(text)
    announced = False
    for number, (start, end) in enumerate(parts):
        block = text[start:end]
        lines = block.count("\n") + 1
        is_last_word = number == len(parts) - 1 and lines == 1 and number > 0 and len(block) < ANNOUNCED_CHARACTERS
        if number and announced_by_others(paragraph_before(text, parts[number - 1][1]), is_last=is_last_word):
            yield start, end
            announced = lines >= ANNOUNCED_LINES
            continue
        is_long = lines >= LONG_LINES or len(block) >= LONG_CHARACTERS
        is_shown = announced and (lines >= ANNOUNCED_LINES or len(block) >= ANNOUNCED_CHARACTERS)
        if number and not is_last_word and (is_long or is_shown) and not is_own_list(block, text[:start]):
            yield start, end
            announced = True
        elif number == 0:
            yield from head_and_rest(text, start, end)
            announced = ANNOUNCES.search(block) is not None
        else:
            announced = (announced and lines < ANNOUNCED_LINES and not is_last_word) or ANNOUNCES.search(
                block
            ) is not None


def paragraph_before(text: str, end: int) -> str:
    """What stands before a place, from the last empty line on."""
    blank = text.rfind("\n\n", 0, end)
    return text[blank + 2 if blank >= 0 else 0 : end]


def announced_by_others(paragraph: str, *, is_last: bool) -> bool:
    """Whether the paragraph before a block says that somebody else's words follow; before a last word by a colon."""
    ends = paragraph.rstrip().endswith((":", "："))
    announces = ends or (not is_last and ANNOUNCES.search(paragraph) is not None)
    return announces and SENT.search(paragraph) is not None


def is_own_list(block: str, before: str) -> bool:
    """Whether a block is a list that the user typed: nothing but items, and nobody else is named before it."""
    return all(ITEM.match(line) for line in block.splitlines()) and OTHERS.search(before[-240:]) is None


def head_and_rest(text: str, start: int, end: int) -> Iterable[Slice]:
    """What a first line announces and what follows it without an empty line; a last line that asks is the user's."""
    first, _, rest = text[start:end].partition("\n")
    if not rest:
        return
    is_long = rest.count("\n") + 1 >= ANNOUNCED_LINES or len(rest) >= ANNOUNCED_CHARACTERS
    ends = first.rstrip().endswith((":", "："))
    is_sent = ends and SENT.search(first) is not None and not QUOTED_LINE.match(rest)
    if (is_sent or (is_long and ANNOUNCES.search(first))) and not ITEM.match(rest):
        words, newline, last = rest.rpartition("\n")
        asks = newline and last.rstrip().endswith(("?", "？"))
        yield start + len(first) + 1, start + len(first) + 1 + len(words) + 1 if asks else end


def blocks(text: str) -> list[tuple[int, int]]:
    """Spans between empty lines."""
    return [(match.start(), match.end()) for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text) if match[0].strip()]
