"""What a reply of the agent says that is worth keeping.

In: a reply with what was done around it and what the user said next. Out: findings, each with the verbatim span it
rests on. Invariants: pure; what the user's next words reject gives none; what is backed needs to say less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory_db.extract.rules.backing import (
    ACCEPTED,
    BUILT_ON,
    EDIT,
    MOST_SINCE_FAILURE,
    RERUN,
    backing_of,
    is_rejected,
)
from memory_db.extract.rules.error_fixes import EDITING_TOOLS, SHELL_TOOLS, ActionRow, changed_lines
from memory_db.extract.rules.exchanges import AgentWord
from memory_db.extract.rules.frames import MISSES
from memory_db.extract.rules.language_cues import Tables
from memory_db.extract.rules.mended import has_edit
from memory_db.extract.rules.negative_cues import VETOES
from memory_db.extract.rules.prose import (
    ENGLISH,
    LEANS_BACK,
    READ_CHARACTERS,
    THRESHOLD,
    ProseFinding,
    joined,
    judge,
    matching,
    spelt_out,
    tables_of_all,
    without_overlap,
    word_count,
)
from memory_db.extract.rules.questions import is_option, options
from memory_db.extract.rules.surroundings import MOST_JOINED_WORDS, TELLS_LITTLE
from memory_db.text.sentences import Sentence, split

BONUS = {RERUN: 2, ACCEPTED: 2, BUILT_ON: 2, EDIT: 0}
"""Points of a reply by what backs it.

Source: ours, by eye, on the sessions of the sample and the seen half of bench/data/sessions.
"""

OF_THE_WORK = re.compile(
    r"^(?:(?:corrected|mended|repaired|restored|replaced|renamed|removed|moved|rewritten|changed|built|done)[:,]|"
    r"(?:sorted|grouped|split|cut|stored|written|printed|shown|kept|named|converted|rounded|limited) "
    r"(?:by|to|in|at|with|from|as|into|after) (?!.*\b(?:is|are|must|should)\b)|"
    r"i\b|i'd\b|my\b|then\b|gone\b|fixed\b|merged\b|committed\b|pushed\b|staged\b|"
    r"resolved\b|back to\b|added\b|better\b|last time\b|docs\b|the readme\b|"
    r"presumably\b|first\b|two\b|three\b|option|we (?:can|could|would)|with \d+ .{1,20} we\b|"
    r"(?:second|third|fourth|lastly|finally), |`?[\w./-]+`?: (?:an?|one|two|use|add|drop|move|write)\b|"
    r"every miss|the (?:layout )?test still|the last (?:failure|one)|the (?:page|image|dry run|default)\b)|"
    r"^(?:it|that|this) (?:crashed|failed|broke|hung|stopped|threw|died)\b|"
    r"\bi (?:reproduced|verified|tested|tried|checked|confirmed|could reproduce)\b|"
    r"\bi (?:ignore|change|update|correct|format|put|add|made|leave|would|can|could|read|take|keep)\b|"
    r"\b(?:is|are) (?:now )?out of the (?!box\b|question\b|ordinary\b|way\b)\w+|\bnothing (?:in (?:this|"
    r"the) [\w-]+ )?used "
    r"(?:it|them|that)\b|"
    r"\b(?:is|are) (?:taken|gone|built|untouched|green|done|back|ready|fine|in place|"
    r"in(?=\W*$|, )|the cleanest|enough)\b|"
    r"\b(?:first|best|my) guess\b|\bnow[.!]?$|\.\.\.[.]?$|\bworks now\b|\bnew image\b|\bread fails\b|"
    r"^\d+ \w+ (?:on|in|and|loaded|skipped)\b|^(?:taken back|made anew|put back|undone|reverted|noted)\b|^\S+ (?:is|"
    r"are) there\b|\bin both\b|\bcould still\b|"
    r"\b(?:is|are|stays?) as (?:it|they) (?:was|were)\b|\bin your (?:log|trace|output|paste|message|example)s?\b|"
    r"\bnow has\b|\b(?:is|are) .{1,30} now\b|\bcan't slip\b|\bwhat works\b"
)
"""How an agent speaks of the work under way, and not of how things are."""

PASSES = re.compile(
    r"\b(?:all|tests?|everything|suite|checks?)\b[^.\n]{0,30}\b(?:green|pass(?:es|ed)?)\b"
    r"(?! (?:by|for|only|if|when|because|even|in|on|through|to|as|with|into|along|without|an?|the)\b)",
    re.IGNORECASE,
)
"""How a reply reports that a piece of work is done, whose sentences tell what was made in it."""

OF_A_CAUSE = "cause or cure"
"""The cue of a cause, which is worth knowing beside that too."""

IN_GENERAL = re.compile(r"\b(?:any|every|each|always|never|must|whenever|because)\b", re.IGNORECASE)
"""Words by which a sentence of such a reply tells more than what was made."""

PREAMBLE = re.compile(
    r"^(?:as for [^:]{1,40}: |one (?:question|thing|detail)[,:] |gone,? (?:and )?|done[.,]? |"
    r"(?:found it|(?:the )?(?:root )?cause(?: found)?|that's it|got it|gefunden|(?:die )?ursache|"
    r"ihr verdacht stimmt|trouvé|"
    r"la cause|encontrado|la causa|trovato)[:,;]? (?!(?:is|was|lies|ist|liegt|est|es|è)\b)(?=\S)|"
    r"note (?:that )?|also,? |so,? |"
    r"(?:(?:yes|right|exactly|indeed|correct)[,.:;] )?your (?:feeling|suspicion|guess|hunch|"
    r"hypothesis) (?:is|was) (?:right|correct|true)[:,;.] |you(?:'re| are) right[:,;.] )",
    re.IGNORECASE,
)
"""What stands before the matter in a reply, and is no part of the text."""

COMMAND = re.compile(
    r"^[a-z][\w.-]* (?:[^.!?]|[.!?](?=\S))*?(?: -{1,2}\w|\.py\b|\.db\b|\.sh\b)(?:[^.!?]|[.!?](?=\S))*$"
)
"""A command on a line of its own, without the marks of code."""

OF_A_RUN = re.compile(
    r"\b\d+ (?:tests?|failures?|errors?|warnings?|changes?|rows?|files?|lines?|jumps?|loaded|skipped|rejected|passed|"
    r"failed|crashes|to (?:add|change|destroy))\b|"
    r"^after \d+ [\w-]+,? (?:the|it|there|an?|this|they)\b|\b\d+ (?:drops?|rolls?|cases?|times?|runs?|tries|"
    r"chances?) (?:in|out of) \d+\b|"
    r"\b(?:is|are) (?:left|missing|empty|running|up|open|merged|pushed|there)\b|\b(?:this|that) (?:run|time|"
    r"session|week|one|shell|machine)\b|"
    r"\bwas\b.{1,40}\b(?:until|before|till)\b|"
    r"\b(?:nothing|none|no|not one|all|everything) (?:[\w-]+ ){0,3}(?:left|changed|destroyed|failed?|missing)\b|"
    r"\b(?:an?|the) (?:mean|average|total|sum|median) of \d|"
    r"^\d[\d.,]* ?(?:%|percent|(?:out )?of \d[\d.,]*)(?=\W)|"
    r"^(?:still|between|so far|by the|in principle|hm+|ich|je|yo|io|eu|ja|я)\b"
)
"""How an agent tells the outcome of one run, or what stands at the moment."""

SO_BY_NOW = re.compile(
    r"^\S+ (?:[\w`'./-]+ ){0,3}?(?:is|are|writes?|reads?|goes|go|uses?|takes?|creates?|sorts?|counts?|keeps?|has|have|"
    r"gets?|opens?|shows?|prints?|listens?|runs?|leaves?|stays?) (?:[\w`'./-]+ ){0,6}?now\b(?=\W*$|[,.;:]| and\b)"
)
"""How an agent reports what its edit made so: "the export writes to `bins` now, and ..."."""

LESSON = re.compile(
    r"\b(?:general|random|unrelated|quick|dumb|silly|stupid|side|"
    r"git|sql|sqlite|python|bash|shell|css|html|regex|linux|vim|docker|http|"
    r"rust|javascript|typescript|excel|maths?|english) (?:q|question)\b|\b(?:just|only) curious\b|"
    r"\bout of (?:pure |mere )?curiosity\b|\b(?:i )?(?:can never|never can|always) (?:remember|forget|mix)\b|"
    r"\bnothing to do with (?:this|it)\b|\bwhat(?:'s|s| is| was) (?:the )?(?:difference|[\w -]{2,40} (?:vs|"
    r"versus) [\w -]{2,40} again)\b|"
    r"\b(?:question|thing) (?:about|on) (?:python|go|rust|typescript|javascript|sql|git)\b|"
    r"\bin (?:plain words|dev terms|general)\b|\bsound clever\b",
    re.IGNORECASE,
)
"""How somebody asks for what everybody may know, and not for how things are here."""

TO_COME = re.compile(
    r"\b(?:will|shall|would|could|should|might|may|either|option|presumably|probably|würde\w*|wäre\w*|könnte\w*|"
    r"sollte\w*|vermutlich|wohl|serait|pourrait|sería|podría|sarebbe|potrebbe|byłoby|mógłby|было бы)\b"
)
"""A plan, an offer or a guess."""

VOWS = re.compile(
    r"\b(?:i|i'll|i've|you|your|je|j'\w+|vous|tu|ich|du|sie|yo|tú|usted|eu|você|io|ja|ty|pan|я|ты|вы|from now on|"
    r"henceforth|désormais|"
    r"dorénavant|ab (?:jetzt|sofort)|künftig|de ahora|a partir de|d'ora in|agora em diante|od teraz|отныне|теперь)\b"
    r"|我|您|你|私|あなた|저는|제가"
)
"""How an agent speaks of itself and of the user: what it takes on, which nobody found."""

OF_CODE = frozenset({"states a fact", "lives in", "is kept so"})
"""Signs of a sentence that only says how the code stands, which the code itself says better and longer.

Source: the seen half of bench/data/sessions: of 17 such sentences of agents readers found one of use, of the others 16
of 30.
"""

SAYS_WHY = re.compile(
    r"\b(?:because|since|so that|otherwise|cause[sd]?|reason|due to|which is why|unless|"
    r"until|must|cannot|can't|never|only|without|would|instead|rather)\b"
)
"""Words by which a sentence says more than what the code does."""

CREATING_TOOL = "Write"
"""The tool that writes a whole file."""

GIVES_REASON = re.compile(r"\b(?:because|since|otherwise|so that|due to|which is why|cause[sd]?|reason)\b")
"""Words by which a sentence on a file that was just made says more than what it does."""

FEWEST_EXPLAINING = 8
"""Words of the shortest sentence that explains.

Source: ours, on the sessions of the seen half of bench/data/sessions.
"""

FEWEST_UNNAMED = 14
"""The same of one that names nothing exactly. Source: ours."""

EXPLAINS = "explains what was seen"

NUMBER = re.compile(r"(?<![\w.:/-])\d[\d.,]*(?![\w:/-])")
FEWEST_VALUES = 3
"""Numbers of a sentence from which on it lists what a run gave. Source: ours."""

MOST_SUBJECT_WORDS = 6
"""Words at the beginning of a sentence within which stands what it is about. Source: ours."""

CODE_OF = re.compile(r"(?<=`)[A-Za-z_][\w.]{2,}(?=[`(])|\b[a-z]+_\w+\b")
"""Names of code."""

EXACT_NAME = re.compile(r"`|\d|\w[._/]\w|\w\(\)|\b[a-z]+[A-Z]\w|\b[A-Z]{2,}\b|(?<=[\w,] )[A-Z][a-z]+")
"""What names something exactly: a backed sentence without it has to say as much as one that is not backed."""


def read_reply(word: AgentWord) -> list[ProseFinding]:
    """The findings in a reply of the agent, in order and without overlap."""
    if is_rejected(word) or is_lesson(word):
        return []
    backing = backing_of(word)
    bonus = BONUS[backing.kind] if backing else 0
    text = word.entry["text"][:READ_CHARACTERS]
    sentences = joined(split(text), text)
    judged = []
    offers = bool(options(text))
    for one, table in zip(sentences, tables_of_all(sentences), strict=True):
        lower = PREAMBLE.sub("", spelt_out(one.masked))
        points = bonus if EXACT_NAME.search(one.text) else 0
        finding = None
        is_of_work = OF_THE_WORK.search(lower) is not None or COMMAND.match(one.text) is not None
        is_offered = offers and is_option(one.text)  # what is chosen of them is kept as the answer
        if not is_of_work and not is_offered and not options(one.text):
            finding = judge(one, table, role="assistant", after_action=False, bonus=points)
            is_of_code = finding is not None and finding.rule in OF_CODE
            if is_of_code or restates(word, one, lower) or lists_values(word, lower):
                finding = None
            elif finding is None and backing is not None and word.has_acted and explains(one, lower, table):
                finding = explained(word, one)
        judged.append(finding)
    findings = []
    for number, finding in enumerate(judged):
        if finding is not None:
            findings.append(grouped(finding, text, sentences, judged, number))
    if PASSES.search(text):
        findings = [one for one in findings if one.rule == OF_A_CAUSE or IN_GENERAL.search(one.quote)]
    return without_overlap(findings)


def is_lesson(word: AgentWord) -> bool:
    """Whether a reply explains what anybody may know, and names no file that the agent looked at for it."""
    if LESSON.search(word.request) is None:
        return False
    seen = {one.target.split("\n")[0].rsplit("/", 1)[-1] for one in word.acted if one.tool not in SHELL_TOOLS}
    return not any(name and name in word.entry["text"] for name in seen)


def restates(word: AgentWord, sentence: Sentence, lower: str) -> bool:
    """Whether a sentence only says what the code does that the agent wrote in the same turn."""
    subject = " ".join(sentence.text.split()[:MOST_SUBJECT_WORDS])
    if GIVES_REASON.search(lower) is None and any(
        one.tool == CREATING_TOOL and one.is_error is False and names_file(sentence.text.split()[:2], one)
        for one in word.acted
    ):
        return True
    if SAYS_WHY.search(lower):
        return False
    edited = [one for one in word.acted if one.tool in EDITING_TOOLS and one.is_error is False]
    if has_edit(word.acted) and SO_BY_NOW.match(lower):
        return True
    return any(names(subject, one) for one in edited)


def lists_values(word: AgentWord, lower: str) -> bool:
    """Whether a sentence only tells what a command just gave: several numbers, and nothing of why."""
    has_run = any(one.tool in SHELL_TOOLS and one.is_error is False for one in word.acted)
    return has_run and len(NUMBER.findall(lower)) >= FEWEST_VALUES and SAYS_WHY.search(lower) is None


def names_file(words: Sequence[str], edit: ActionRow) -> bool:
    """Whether one of some words is the file that an edit wrote, perhaps with its folder."""
    target = edit.target.split("\n")[0]
    return any(("." in each or "/" in each) and target.endswith(each) for each in (one.strip("`*,:") for one in words))


def names(text: str, edit: ActionRow) -> bool:
    """Whether a text names the file of an edit, or a name of code that the edit brought in."""
    name = edit.target.split("\n")[0].rsplit("/", 1)[-1]
    if name and name in text:
        return True
    _, after = changed_lines(edit.input)
    return any(code in line for code in CODE_OF.findall(text) for line in after)


def explains(sentence: Sentence, lower: str, table: Tables) -> bool:
    """Whether a sentence of a reply states how something is that it names exactly, and nothing speaks against it."""
    fewest = FEWEST_EXPLAINING if EXACT_NAME.search(sentence.text) else FEWEST_UNNAMED
    if word_count(lower) < fewest or OF_A_RUN.search(lower):
        return False
    if lower.rstrip("*_`). ").endswith(("?", ":", " or", " and")) or TO_COME.search(lower) or VOWS.search(lower):
        return False
    against = (*matching(table.vetoes, lower, "assistant", False), *matching(table.doubts, lower, "assistant", False))
    return all(cue.name == "it does this now" and lower.startswith("there") for cue in against)


def explained(word: AgentWord, sentence: Sentence) -> ProseFinding:
    """What an agent tells of how something is, once it has looked: a cause where something had failed."""
    has_failed = any(action.is_error for action in word.done[-MOST_SINCE_FAILURE:])
    kind = "fix" if has_failed else "quirk"
    return ProseFinding(
        sentence.start, sentence.end, sentence.text, kind, EXPLAINS, THRESHOLD["assistant"], (EXPLAINS,)
    )


def grouped(
    finding: ProseFinding, text: str, sentences: list[Sentence], judged: list[ProseFinding | None], number: int
) -> ProseFinding:
    """A finding with the sentence that it leans on, and with those behind it that go on with it."""
    start, end = finding.start, finding.end
    lower = spelt_out(sentences[number].masked)
    if number and (LEANS_BACK.search(lower) or MISSES.search(lower)) and is_beside(text, sentences, number - 1):
        start = sentences[number - 1].start
    following = number + 1
    while following < len(sentences) and is_beside(text, sentences, following - 1):
        is_short = len(text[start : sentences[following].end].split()) <= MOST_JOINED_WORDS
        if not is_short or (judged[following] is None and not may_follow(sentences[following])):
            break
        end = sentences[following].end
        following += 1
    best = max((one for one in judged[number:following] if one is not None), key=lambda one: one.points)
    kind = "quirk" if best.kind == "structure" and best.rule in TELLS_LITTLE else best.kind
    return replace(best, start=start, end=end, quote=text[start:end], kind=kind)


def is_beside(text: str, sentences: list[Sentence], number: int) -> bool:
    """Whether a sentence and the next one stand in one paragraph, and neither asks."""
    one, other = sentences[number], sentences[number + 1]
    is_question = one.masked.rstrip().endswith("?") or other.masked.rstrip().endswith("?")
    return "\n" not in text[one.end : other.start] and not is_question


def may_follow(sentence: Sentence) -> bool:
    """Whether a sentence goes on with the finding before it, rather than with the work."""
    lower = spelt_out(sentence.masked)
    if any(pattern.search(lower) for pattern in (OF_THE_WORK, OF_A_RUN, TO_COME)):
        return False
    if any(matching(VETOES, lower, "assistant", False)):
        return False
    return not any(matching(ENGLISH.doubts, lower, "assistant", False)) and len(lower.split()) <= 30
