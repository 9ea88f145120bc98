"""Words and patterns by which files of prose are read: which files, which headings, what orders, what sells.

In: nothing. Out: tables. To teach the readers a word, add it to its table.
"""

from __future__ import annotations

import re

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
    r"|prohibited|not allowed|prefer(?:red)?|avoid|no longer|instead of|rather than|make sure|ensure|please|at most"
    r"|at least|by hand|mandatory|we use|we don't|is expected|are expected)\b",
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
    r"community|contact|getting help|support|code of conduct|(?:report(?:ing)?|filing) .*(?:bugs?|issues?)"
    r"|security policy|table of contents|contents|toc|badges?|star history|change ?log|roadmap|to-?dos?|further reading"
    r"|see also|links|resources|references)$",
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
    r" (?:install|add|use|toolchain|cask)\b|\bpipx? install (?!-e|-r|\.)|\b(?:gem|go|cargo) install\b"
    r"|\bnpm (?:i|install) (?:-g|--global)\b|\b(?:download|install)\b[^.]{0,40}\b(?:from|docker|node(?:\.js)?|python"
    r"|git|homebrew|xcode|rust|go|java|postgres\w*|redis|visual studio|vs ?code|extension|plugin)\b"
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

PLACE = re.compile(
    r"^`?(?P<path>(?:\.?[\w@.-]+/)+[\w@.*-]*|\.?[\w-]+\.(?:py|tsx?|js|go|rs|rb|toml|ya?ml|json|md|sql|sh))"
    r"`?\s*(?:[-–—:=]|->|→|is\b|holds\b|contains\b)+\s*(?P<what>\S.*)$"
)
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

REFERS = re.compile(
    r"(?:see|read|visit|check out|refer to)\b.*(?:\.(?:md|rst|txt|html)\b|\b(?:docs?|documentation|guide|wiki|page"
    r"|section|below|above|website)\b|://)",
    re.IGNORECASE,
)
"""A text that only says where more stands."""

QUIRK_HEADING = re.compile(
    r"\b(?:gotchas?|quirks?|caveats?|pitfalls?|known (?:issues?|problems?)|traps?)\b", re.IGNORECASE
)

FEWEST_WORDS = 4
