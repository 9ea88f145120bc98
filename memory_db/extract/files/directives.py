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
from memory_db.extract.rules.phrasing import paths_of, tidied
from memory_db.text.conditions import condition_of
from memory_db.text.sentences import split
from memory_db.text.terms import PATH

FOR_AGENTS = re.compile(
    r"(?:^|/)(?:claude(?:\.local)?\.md|agents\.md|memory\.md|gemini\.md|\.cursorrules|copilot-instructions\.md"
    r"|\.cursor/rules/[^/]+\.mdc?)$",
    re.IGNORECASE,
)
"""Files written for an agent: each of their items is meant to be known."""

FOR_PEOPLE = re.compile(
    r"(?:^|/)(?:readme|contributing|development|hacking)(?:\.(?:md|markdown|rst|txt))?$", re.IGNORECASE
)
"""Files written for people: only what directs whoever works on the project is meant here."""

VERBS = frozenset(
    """
    accept add adhere adopt always annotate append apply ask assert assume attach avoid base be begin build bump call
    capture catch check choose clean close co-locate colocate commit compare compose configure confirm consider consult
    convert copy cover create declare default define delete deploy describe disable do document don't drop edit enable
    encode end ensure escape exclude explain export expose extend extract fail fetch fix follow format generate give
    go group guard handle hide hold implement import include inherit initialize inject insert install invoke isolate
    keep label leave let limit link lint list load log look lowercase maintain make mark match measure merge migrate
    minimize mirror mock move name never note omit only open order organize pass pin place point prefer prefix preserve
    print propagate provide publish push put raise read rebase recreate refactor refer regenerate reject release rely
    remove rename render replace report request require reset resolve respect rest restart return reuse review revert
    round run save scope send separate serve set share ship show sign skip sort specify split squash start state stay
    stick stop store strip structure submit suffix sync tag take target test think throw touch track translate treat
    trim try type uninstall update upgrade use validate verify version wait warn watch work wrap write
    """.split()
)
"""Verbs that open an order. Source: the first words of rules in published instruction files."""

RULE_WORDS = re.compile(
    r"\b(?:must(?:n't)?|should(?:n't)?|shall|never|always|do not|don't|cannot|may not|only|required?|forbidden"
    r"|prohibited|not allowed|prefer(?:red)?|avoid|no longer|instead of|rather than|make sure|ensure|please|at most|at least"
    r"|by hand|mandatory|we use|we don't|is expected|are expected)\b",
    re.IGNORECASE,
)

LEAVE_OUT = re.compile(
    r"^(?:(?:un)?install(?:ation|ing)?|requirements|prerequisites?|quick ?start|getting started|set ?up|usage|"
    r"examples?|features?|highlights?|why\b.*|what is\b.*|about|overview|introduction|motivation|comparison.*|"
    r"screenshots?|demo|roadmap|to-?do.*|change ?log|releases?|history|licen[cs]e.*|copyright|credits?|authors?|"
    r"maintainers?|contributors?|acknowledge?ments?|thanks.*|sponsors?.*|backers|support(?: us)?|community|contact|"
    r"citing|citation|badges?|table of contents|contents|toc|links|resources|references|further reading|"
    r"see also|faq|frequently asked.*|star history|code of conduct|security policy|disclaimer|getting help|"
    r"(?:report(?:ing)?|file|filing) (?:an? )?(?:bugs?|issues?).*|download.*|documentation)$",
    re.IGNORECASE,
)
"""Headings of files for people under which nothing directs somebody who works on the project."""

LEAVE_OUT_FOR_AGENTS = re.compile(
    r"^(?:licen[cs]e.*|copyright|credits?|authors?|maintainers?|contributors?|acknowledge?ments?|thanks.*|sponsors?.*|"
    r"table of contents|contents|toc|badges?|star history|change ?log|roadmap|to-?dos?|further reading|see also|links"
    r"|resources|references)$",
    re.IGNORECASE,
)

WORKING = re.compile(
    r"\b(?:develop\w*|contribut\w*|convention\w*|style|guidelines?|rules?|test\w*|lint\w*|format\w*|commit\w*|branch\w*|"
    r"pull requests?|prs?|review\w*|releas\w*|deploy\w*|migrat\w*|architecture|structure|layout|organi[sz]ation|"
    r"workflow|coding|code|naming|debugg?\w*|troubleshoot\w*|environment|config\w*|database|ci\b|continuous|docs?\b|"
    r"documenting|translations?|dependenc\w+|version\w*|principles|invariants?|gotchas?|caveats?|notes?)\b",
    re.IGNORECASE,
)
"""Headings of files for people that are about working on the project."""

GENERIC = re.compile(
    r"^(?:(?:the |our |your |my |project |general |common |key |important |core |basic |other |misc\w* |some |more |"
    r"development |coding |code |repository |agent |working |house )*"
    r"(?:rules?|guidelines?|conventions?|notes?|instructions?|guide|principles|practices|best practices|standards?|"
    r"reminders?|tips|do|don'?ts?|dos and don'?ts|information|info|overview|introduction|about|memory|memories|readme|"
    r"contributing|contributions?|context|project|general|misc\w*|miscellaneous|requirements|preferences|gotchas?|"
    r"caveats?|development|facts|style|claude|agents?|cursor(?: ?rules)?|commands?|house|important|summary|key points|"
    r"critical|must|always|never|quick reference|(?:the )?usual (?:round|way)|workflow|how we work|"
    r"basics|essentials|how to contribute|contributing guide|"
    r"(?:project |repository |directory |folder |code )*(?:structure|layout|organi[sz]ation|architecture)))"
    r"(?: for \w+| to \w+(?: \w+)?)?[.:!]?$",
    re.IGNORECASE,
)
"""Headings that name no task."""

SELLS = re.compile(
    r"\b(?:blazing(?:ly)?|lightning[- ]fast|super[- ]?fast|ultra[- ]?fast|beautiful\w*|elegant\w*|powerful|seamless\w*|"
    r"effortless\w*|cutting[- ]edge|state[- ]of[- ]the[- ]art|world[- ]class|best[- ]in[- ]class|battle[- ]tested|"
    r"production[- ]ready|easy[- ]to[- ]use|user[- ]friendly|feature[- ]rich|next[- ]gen\w*|modern|lightweight|"
    r"developer experience|out of the box|zero[- ]config\w*|loved by|trusted by|join (?:us|our)|star (?:us|this)|"
    r"give (?:it|us) a star|sponsor|donate|thank(?:s| you)|welcome|happy (?:coding|hacking)|open[- ]source|enjoy)\b",
    re.IGNORECASE,
)

LICENSES = re.compile(
    r"\b(?:licen[cs]ed? under|copyright|all rights reserved|warrant(?:y|ies)|MIT license|Apache License|GPL|BSD license"
    r"|contributor license agreement|liable|without limitation)\b|©",
    re.IGNORECASE,
)

INSTALLS_OTHERS = re.compile(
    r"\b(?:brew|apt|apt-get|dnf|yum|pacman|apk|choco|winget|scoop|snap|port|nix-env|asdf|mise|nvm|pyenv|rustup|sdk)"
    r" (?:install|add|use|toolchain|cask)\b|\bpipx? install (?!-e|-r|\.)|\bgem install\b"
    r"|\bgo install\b|\bcargo install\b|\bnpm (?:i|install) (?:-g|--global)\b|\b(?:download|install)\b[^.]{0,40}\b(?:from|docker|node(?:\.js)?|python|"
    r"git|homebrew|xcode|rust|go|java|postgres\w*|redis|visual studio|vs ?code|extension|plugin)\b"
    r"|^(?:clone|fork|star) (?:the|this|our) repo",
    re.IGNORECASE,
)

SAYS_SOMETHING = re.compile(
    r"\b(?:is|are|isn't|aren't|was|were|has|have|had|lives?|holds?|contains?|runs?|uses?|needs?|takes?|gives?|returns?|"
    r"stores?|keeps?|goes|go|comes?|stands?|belongs?|means?|depends?|expects?|requires?|handles?|serves?|reads?|writes?|"
    r"calls?|does|doesn't|do|don't|can|can't|cannot|will|won't|must|should|may|breaks?|fails?|hangs?|ignores?|listens?|"
    r"expires?|defaults?|maps?|wraps?|owns?|provides?|supports?|defines?|follows?|builds?|creates?|generates?|starts?|"
    r"includes?|describes?|implements?|exposes?)\b|\s(?:[-–—]|->|→|=)\s|:\s",
    re.IGNORECASE,
)
"""What makes a sentence of words: a verb, or a mark between a thing and what it is."""

PLACE = re.compile(r"^`?(?P<path>(?:\.?[\w@.-]+/)+[\w@.*-]*|\.?[\w-]+\.(?:py|ts|tsx|js|go|rs|rb|toml|ya?ml|json|md|sql|sh))"
                   r"`?\s*(?:[-–—:=]|->|→|is\b|holds\b|contains\b)+\s*(?P<what>\S.*)$")  # fmt: skip
"""A file or folder and what it is."""

FACTS = re.compile(
    r"\b(?:port|version|python|node|postgres\w*|redis|localhost|host|timezone|region|bucket|env(?:ironment)? var\w*|"
    r"staging|production|url|runs? on|listens)\b",
    re.IGNORECASE,
)

QUIRKS = re.compile(
    r"\b(?:gotcha|beware|careful|caveat|flaky|known (?:issue|bug)|silently|surprising\w*|quirk|workaround|hangs?|"
    r"breaks? (?:if|when|on)|fails? (?:if|when|on|silently))\b",
    re.IGNORECASE,
)

FOR_CONTRIBUTORS = re.compile(r"(?:^|/)(?:contributing|development|hacking)\.?\w*$", re.IGNORECASE)
"""Of the files for people those that are wholly about working on the project."""

FEWEST_WORDS = 4
MOST_HEADING_WORDS = 6
MOST_LEANING_WORDS = 9
"""Up to so many words an item leans on its heading; a longer one names what it is about."""

POINTS = re.compile(r"^(?:\S+\s+){0,3}(?:it|its|this|that|them|these|those|one|each is|they|such)\b", re.IGNORECASE)
"""Sentences of a paragraph whose subject stands in another one."""

MOST_FACTS = 120
"""Of one file. Source: ours; a longer file is a handbook, whose first rules are the ones that matter."""

TITLE_CHARACTERS = 60

CLAUSE_END = re.compile(
    r"(?<=\w{3})[.;!](?=\s|$)|\s[-–—(]\s?|:\s|,\s(?=(?:so|because|since|not|never|and|but|which|unless)\b)"
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
    leaving = LEAVE_OUT_FOR_AGENTS if for_agents else LEAVE_OUT
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
        if directs(" ".join(sentence.masked.split())) and is_fact(text, item, for_agents=for_agents):
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
    if len(words) < (FEWEST_WORDS if not item.under else 2) and not ("`" in text and len(words) >= 2):
        return False
    if text.endswith(("?", ":")) or LICENSES.search(text) or INSTALLS_OTHERS.search(text):
        return False
    if SELLS.search(text) and not directs(text):
        return False
    if re.match(r"(?i)(?:see|read|check out|refer to|visit)\b", text) and not re.search(
        r"(?i)\bbefore\b|\bwhen\b", text
    ):
        return False
    if for_agents:
        return directs(text) or bool(item.under) or SAYS_SOMETHING.search(text) is not None
    return directs(text) or PLACE.match(text) is not None


def directs(text: str) -> bool:
    """Whether a text tells what to do or not to do."""
    first = re.match(r"(?:[A-Z][\w /&-]{1,40}:\s+)?\W*([A-Za-z][\w'-]*)", text)
    if re.match(r"(?i)(?:no|nothing|none|every|each|all)\b", text):
        return True
    return RULE_WORDS.search(text) is not None or (first is not None and first[1].lower() in VERBS)


def fact_of(item: MarkdownItem, quote: str, text: str, line: int, path: str, name: str) -> FileFact:
    """An item as a fact."""
    heading = heading_for(item, name)
    alone = standing_alone(text, item.under, heading)
    kind = kind_of(text, is_convention=FOR_CONTRIBUTORS.search(path) is not None)
    folder = str(PurePosixPath(path).parent)
    around = () if folder in (".", ".claude", ".github", "docs") or folder.startswith(".cursor") else (f"{folder}/",)
    own = condition_of(alone, kind)
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
    return list(dict.fromkeys([*([place["path"].strip("`*")] if place else []), *paths_of(text, None)]))


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
    if before and is_short and not shares_word(before, text) and not PLACE.match(text):
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
