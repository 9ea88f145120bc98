"""What instruction files and READMEs direct: one bullet is one fact, its heading the condition under which it holds.

In: the text of a file and its path. Out: `FileFact`s in order. Pure. Invariants: a quote is verbatim lines of the file;
a text stands alone, with its heading where it names its subject nowhere; what sells, thanks, licenses, or installs
somebody else's tools is no fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from memory_db.extract.files.facts import MOST_CHARACTERS, FileFact
from memory_db.extract.files.markdown import MarkdownItem, items
from memory_db.extract.files.prose_words import (
    FACTS,
    FEWEST_WORDS,
    FOR_AGENTS,
    FOR_CONTRIBUTORS,
    FOR_PEOPLE,
    GENERIC,
    INSTALLS_OTHERS,
    LEAVE_OUT,
    LEAVE_OUT_FOR_AGENTS,
    LICENSES,
    PLACE,
    QUIRK_HEADING,
    QUIRKS,
    REFERS,
    RULE_WORDS,
    SAYS_SOMETHING,
    SELLS,
    VERBS,
    WORKING,
)
from memory_db.extract.rules.phrasing import paths_of, tidied
from memory_db.text.conditions import condition_of
from memory_db.text.sentences import split
from memory_db.text.terms import PATH

MOST_HEADING_WORDS = 6
MOST_LEANING_WORDS = 9
"""Up to so many words an item leans on its heading; a longer one names what it is about."""

POINTS = re.compile(r"^(?:\S+\s+){0,3}(?:it|its|this|that|them|these|those|one|each is|they|such)\b", re.IGNORECASE)
"""Sentences of a paragraph whose subject stands in another one."""

MOST_FACTS = 120
"""Of one file. Source: ours; a longer file is a handbook, whose first rules are the ones that matter."""

TITLE_CHARACTERS = 60

CLAUSE_END = re.compile(
    r"(?<=\w{3})[.;!](?=\s|$)|\s[-–—]\s|\s\(|:\s|,\s(?=(?:so|because|since|not|never|and|but|which|unless)\b)"
    r"|\b(?:because|since|so that|otherwise|unless)\b"
)


def directives(text: str, path: str) -> list[FileFact]:
    """The facts of a file of prose, in order; nothing of a file that is for neither agents nor people."""
    is_agents, is_whole = FOR_AGENTS.search(path) is not None, FOR_CONTRIBUTORS.search(path) is not None
    if not is_agents and not FOR_PEOPLE.search(path):
        return []
    found: list[FileFact] = []
    name = project_heading(text)
    for item in items(text):
        if not is_left_out(item, is_agents, is_whole):
            found += facts_of(item, path, name, for_agents=is_agents or is_whole)
    return found[:MOST_FACTS]


def project_heading(text: str) -> str:
    """The one heading of the first level, which names the project or the file and no task."""
    found = [line[2:].strip() for line in text.split("\n") if line.startswith("# ")]
    return found[0] if found else ""


def is_left_out(item: MarkdownItem, for_agents: bool, is_whole: bool) -> bool:
    """Whether an item stands where nothing is directed. `is_whole`: all of the file is about working on the project."""
    if item.is_task:
        return True
    leaving = LEAVE_OUT_FOR_AGENTS if for_agents or is_whole else LEAVE_OUT
    if any(leaving.match(heading.strip(" .:!")) for heading in item.headings):
        return True
    return not (for_agents or is_whole) and not any(WORKING.search(each) for each in item.headings[1:])


def facts_of(item: MarkdownItem, path: str, name: str, *, for_agents: bool) -> Iterator[FileFact]:
    """What one item says: a bullet as a whole, of a paragraph the sentences that direct."""
    if item.is_bullet:
        text = item.text
        if len(text) > MOST_CHARACTERS:
            text = shortened(text)
        if is_fact(text, item, for_agents=for_agents):
            yield fact_of(item, item.quote, text, item.line, path, name)
        return
    if item.text.endswith(":"):
        return
    for sentence in split(item.quote):
        text = " ".join(sentence.text.split())
        if len(text) > MOST_CHARACTERS or POINTS.match(text):
            continue
        told = directs(" ".join(sentence.masked.split())) or (
            FOR_AGENTS.search(path) and (PATH.search(text) or is_setting(text))
        )
        if told and is_fact(text, item, for_agents=for_agents):
            line = item.line + item.quote[: sentence.start].count("\n")
            yield fact_of(item, sentence.text, text, line, path, name)


def shortened(text: str) -> str:
    """The first sentences of a text that fit."""
    kept = ""
    for sentence in split(text):
        longer = text[: sentence.start + len(sentence.text)].strip()
        if len(longer) > MOST_CHARACTERS:
            break
        kept = longer
    return kept


def is_fact(text: str, item: MarkdownItem, *, for_agents: bool) -> bool:
    """Whether a text says something that is worth knowing before work on the project."""
    words = re.findall(r"[\w'`/.-]*\w[\w'`/.-]*", text)
    fewest = 2 if item.under or "`" in text else 3 if directs(text) else FEWEST_WORDS
    if len(words) < fewest:
        return False
    if text.endswith(("?", ":")) or LICENSES.search(text) or INSTALLS_OTHERS.search(text):
        return False
    if SELLS.search(text) and not directs(text):
        return False
    if REFERS.match(text) and not re.search(r"(?i)\bbefore\b|\bwhen\b", text):
        return False
    if for_agents:
        says = SAYS_SOMETHING.search(text) is not None or ("`" in text and len(words) > FEWEST_WORDS)
        return directs(text) or bool(item.under) or says
    return directs(text) or PLACE.match(text) is not None or is_setting(text)


def is_setting(text: str) -> bool:
    """Whether a text names something with its version, port or place."""
    return FACTS.search(text) is not None and re.search(r"\d|`", text) is not None


def directs(text: str) -> bool:
    """Whether a text tells what to do or not to do."""
    first = re.match(r"(?:[A-Z][\w /&-]{1,40}:\s+)?\W*([A-Za-z][\w'-]*)", text)
    if re.match(r"(?i)(?:no|nothing|none|every|each|all)\b", text):
        return True
    return RULE_WORDS.search(text) is not None or (first is not None and first[1].lower() in VERBS)


def fact_of(item: MarkdownItem, quote: str, text: str, line: int, path: str, name: str) -> FileFact:
    """An item as a fact."""
    heading = heading_for(item, name)
    own = condition_of(text, "convention")
    alone = standing_alone(text, item.under, "" if own else heading)
    kind = kind_of(text, is_convention=FOR_CONTRIBUTORS.search(path) is not None)
    if any(QUIRK_HEADING.search(heading) for heading in item.headings) and kind != "structure":
        kind = "quirk"
    folder = str(PurePosixPath(path).parent)
    around = () if folder in (".", ".claude", ".github", "docs") or folder.startswith(".cursor") else (f"{folder}/",)
    return FileFact(
        path=path,
        line=line,
        quote=quote,
        text=alone,
        kind=kind,
        sort="directive" if directs(text) else "statement",
        title=title_of(text, item.under or heading),
        condition=own
        or (f"{heading[0].lower() if heading[1:2].islower() else heading[0]}{heading[1:]}" if heading else ""),
        paths=tuple(dict.fromkeys([*around, *(found.rstrip(".") for found in named_paths(text))])),
        importance=4 if re.search(r"\b(?:never|always|must)\b|\bdo not\b|\bdon't\b", text, re.IGNORECASE) else 3,
    )


def named_paths(text: str) -> list[str]:
    """Files and folders that a text names."""
    place = PLACE.match(text)
    found = [*([place["path"].strip("`*")] if place else []), *paths_of(text, None)]
    return [path for path in dict.fromkeys(found) if not re.fullmatch(r"[A-Z]\w*\.js", path)]


def heading_for(item: MarkdownItem, name: str) -> str:
    """The nearest heading that names a task or a subject; '' for none."""
    for heading in reversed(item.headings):
        words = heading.strip(" .:!")
        if heading == name or words.casefold() == name.casefold():
            continue
        if words and not GENERIC.match(words) and len(words.split()) <= MOST_HEADING_WORDS:
            return words
    return ""


def standing_alone(text: str, under: str, heading: str) -> str:
    """A text that can be read without what stood above it."""
    before = under or heading
    is_short = bool(under) or len(text.split()) <= MOST_LEANING_WORDS
    if before and is_short and (under or not shares_word(before, text)) and not PLACE.match(text):
        lower = text[0].lower() + text[1:] if re.match(r"[A-Z][a-z]+(?:'t)?\b", text) and first_is_plain(text) else text
        text = f"{before}: {lower}"
    return tidied(text)


def first_is_plain(text: str) -> bool:
    """Whether a text begins with an ordinary word, which need not keep its capital."""
    word = re.match(r"[A-Za-z']+", text)
    return word is not None and word[0].lower() in VERBS | {
        "the",
        "a",
        "an",
        "all",
        "each",
        "every",
        "no",
        "this",
        "if",
        "when",
    }


def shares_word(one: str, other: str) -> bool:
    """Whether a text has a word of the other, whatever its ending."""
    stems = {word[:4] for word in re.findall(r"[^\W\d_]{3,}", one.casefold())}
    return any(word[:4] in stems for word in re.findall(r"[^\W\d_]{3,}", other.casefold()))


def kind_of(text: str, *, is_convention: bool) -> str:
    """What sort of knowledge a text is; `is_convention`: all of its file says how to work on the project."""
    if PLACE.match(text):
        return "structure"
    if QUIRKS.search(text):
        return "quirk"
    if is_convention or directs(text):
        return "convention"
    if FACTS.search(text):
        return "environment"
    return "structure" if PATH.search(text) else "domain"


def title_of(text: str, before: str) -> str:
    """A short title: the first clause of a text, with what it is about where that stood above it."""
    label = re.match(r"([A-Z][\w /&`.-]{2,40}):\s", text)
    clause = CLAUSE_END.split(text, maxsplit=1)[0].strip(" .,;:")
    first = label[1] if label and len(clause.split()) < 2 else clause
    told = f"{before}: {first}" if before and not shares_word(before, first) else first
    if len(told) > TITLE_CHARACTERS:
        told = first if len(first) <= TITLE_CHARACTERS else " ".join(first[:TITLE_CHARACTERS].split()[:-1])
    return told.rstrip(" ,;:")
