"""When a rule applies: the task or moment that a text names for itself.

In: the text of a rule or of any other finding. Out: a short phrase of that text ("before you push the release"), or ''
where it names none. Invariant: pure; all but its first letter is a slice of the text on one line.
"""

from __future__ import annotations

import re

from memory_db.text.sentences import Sentence, split
from memory_db.text.terms import STOP_WORDS

FEWEST_WORDS = 2
MOST_WORDS = 10
"""A longer clause is cut there: its first words name the task."""

READ_CHARACTERS = 2_000
"""How much of a text is looked through: a rule says at its beginning when it applies."""

APPLYING = frozenset({"convention", "correction", "preference", "behaviour", "decision", "failure"})
"""Kinds that tell what to do or not to do; in the others such a clause only tells how something behaves."""

MOMENT = (
    r"before|after|when(?:ever)?|while|once|as soon as|if|in case|"
    r"(?:every|each|any|the next|next) ?time(?: that)?|anytime"
)
"""Words that open a clause of time or condition. `until` and `unless` are none: they say when a rule ends."""

RULES = frozenset({"convention", "correction", "preference"})
"""Kinds that bind an agent."""

TELLING = frozenset({"domain", "environment", "structure"})
"""Kinds that tell how something is; who says it of all that there is makes a rule of it."""

PERIOD = r"(?:\d+ |other |few )?(?:second|minute|hour|day|night|week|month|year|morning|evening|\w+day)s?"
"""How often something happens, which makes no rule of it: "every second"."""

BINDS_ALL = re.compile(rf"\b(?:never|always|every(?! {PERIOD}\b)|everywhere|anything)\b")
"""Words by which a text of another kind is a rule all the same."""

BINDS = re.compile(
    r"\b(?:never|always|don't|dont|do not|no|not|only|must|first|unless|mine|myself|each|every|everywhere|anything|"
    r"i (?:do|make))\b"
)
"""Words by which a text is a rule."""

FORM_OF_COMMITS = re.compile(
    r"^\W*(?:(?!(?:the|that|this|those|these|my|your|last|first)\b)[\w-]+ ){0,2}"
    r"(?:commits|commit messages?|pull requests|prs|branch(?:es| names?))\b"
)
"""How a rule begins that says what commits are to look like: "conventional commits, ticket at the end"."""

ACTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:commits?|committing|commit messages?|co-authored|git add|staging area)\b"),
        "at a commit"),
    (re.compile(r"\b(?:push(?:es|ing)?|force-push|pull requests?|prs?|squash merge|merges?|merging)\b"),
        "at a push or merge"),
    (re.compile(r"\bmigrations?\b"), "at a migration, a column of the schema"),
    (re.compile(r"\b(?:deploy(?:s|ing|ment)?|release(?:s|d)?|releasing|ship(?:s|ping)?|"
        r"prod(?:uction)?(?:'s)? (?:is|are|belongs?|stays?|isn't)|(?:off|out of) prod(?:uction)?|"
        r"prod(?:uction)? (?:box(?:es)?|servers?|machines?) (?:is|are|belongs?))\b"),
        "at a deploy or release"),
    (re.compile(r"\b(?:dependenc(?:y|ies)|deps(?! folder)|libs(?! folder)|(?:new|another|extra|any) (?:dep|lib)|"
        r"packages|librar(?:y|ies)|stdlib|standard library)\b"),
        "at a dependency, a package or a library"),
    (re.compile(r"\b(?:i18n|locales?|translat\w+|wording|ui (?:texts?|strings?)|address (?:people|users|customers)|"
        r"(?:customers?|users?|people|visitors?|members?|managers?|readers?) (?:sees?|reads?)|gettext|"
        r"(?:every|all|each|literal|no) (?:literal )?texts?|the texts?|says? (?:du|sie|tu|vous|je|u)\b|"
        r"in (?:english|german|dutch|french|spanish|portuguese|polish|finnish|swedish|danish|italian))\b"),
        "at any wording"),
    (re.compile(r"\b(?:money|amounts?|prices?|currenc(?:y|ies)|cents)\b"), "at money"),
    (re.compile(r"\b(?:docs|documents?|documentation|readme)\b"), "at documentation"),
    (re.compile(r"\bdelet(?:e|es|ing|ion)\b"), "at a deletion"),
    (re.compile(r"\b(?:fixtures?|test data|sample data|made-up|anonymi[sz]e\w*|real (?:names?|data|logs?|customers?|"
        r"mails?|\w+ names)|into the repo)\b"), "at a fixture"),
    (re.compile(r"\b(?:secrets?|passwords?|tokens?(?!\.\w)|api keys?|credentials|keyring|vault|"
        r"sops)\b"), "at a secret"),
    (re.compile(r"\b(?:utc|time ?zones?|timestamps?|timestamptz|local time|naive (?:dates?|datetimes?|timestamps?)|"
        r"wall clock|summer time|dst|dayjs|luxon|moment\.?js|date-fns|localdate)\b"),
        "at a timestamp"),
    (re.compile(r"\b(?:endpoints?|payloads?|pydantic|http edge|status codes?)\b"), "at an endpoint"),
    (re.compile(r"\b(?:components?|default exports?|named exports?|css|tailwind|stylesheets?|emojis?|"
        r"colou?rs?|hex|px)\b"),
        "at a component"),
    (re.compile(r"\b(?:mocks?|mocking|mockk|mockito|fakes?|stubs?|testify|assertions?|"
        r"(?:write|name|names for|each|every|new|all|unit|give|please) (?:the )?tests?|"
        r"tests? (?:names?|go|stay|lives?|need))\b"),
        "at a mock, a fake or an assertion"),
    (re.compile(r"\b(?:logs?|logged|logging|slog)\b"), "at a line of logging"),
    (re.compile(r"\b(?:alerts?|a page|pagers?|runbooks?|metrics?|cardinality)\b"), "at an alert or a metric"),
    (re.compile(r"\b(?:feature flags?|flags|toggles?|kill switch)\b"), "at a toggle"),
    (re.compile(r"\b(?:terraform|pulumi|ansible|kubectl|helm|(?:never|not|don't) apply|apply(?:ing)? plans?)\b"),
        "at infrastructure"),
    (re.compile(r"\b(?:malloc|alloc\w*|heap|static buffers?)\b"), "at an allocation"),
    (re.compile(r"\b(?:summar(?:y|ies|i[sz]e)|recap|report at the end|retelling)\b"), "at a summary"),
)  # fmt: skip
"""Acts that agents are asked for, and when a rule about them applies. Source: ours; what developers say about each in
bench/data and in the sample is of the first five most often, and of the others where a task is asked for whose rule
shares no word with it."""

BY_SCHEDULE = "at a deploy or release, by its schedule"
"""When a text applies that says on which day something goes out: also where somebody asks when others will have it."""

WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

SCHEDULED = (
    re.compile(
        r"\b(?:deploy(?:s|ed|ing|ments?)?|releas(?:es?|ed|ing)|roll(?:s|ed)? ?-?outs?|roll(?:s|ed) (?:\w+ )?out|"
        r"ship(?:s|ped|ping)?|go(?:es)? (?:out|up|live|to (?:prod|production|the (?:server|box|site|customers?)))|"
        r"going live|is live|takes? (?:the |our )?(?:builds?|tags?|versions?|site)|new versions?|"
        r"(?:update|maintenance) windows?|(?:release|code|feature) freeze|the freeze|"
        r"(?:brings?|puts?|uploads?) \S+ (?:to|on|onto) \S+)\b"
    ),
    re.compile(
        r"\b(?:on|every|each|only|till|until|to|from|by|and|or|before)(?: the)?(?: (?:first|second|last))? "
        rf"{WEEKDAY}s?\b|\b{WEEKDAY}s\b|\b{WEEKDAY} (?:morning|noon|afternoon|evening|night)s?\b|"
        r"\b(?:every|each) (?:night|week|month|other week|sprint)\b"
    ),
)
"""What goes out, and the day on which things do again and again: a text that has both is a schedule of it.

Source: ours, from how developers say it on days that readers wrote.
"""

SAID_UPON = re.compile(r"^When the agent .{3,300}?, the user said: ", re.DOTALL)
"""What stands before words that were said upon an act: it tells when they were said, not when they apply."""

OPENING = re.compile(
    r"^(?:(?:and|but|so|also|please|always|never|remember|note|no|rule|reminder|from now on)[,:]? +)*"
    rf"(?P<clause>(?:just |right |immediately |shortly )?(?:{MOMENT}) [^,;:]{{3,200}}?)(?=,|:|;| then | - | – | — )",
    re.IGNORECASE,
)
"""A clause at the beginning of a sentence, up to what is to be done then."""

PURPOSE = re.compile(
    r"^(?P<clause>(?:to (?!be |keep |make |avoid |sum |me |us )(?=[a-z])|for (?:each|every|any|all|new|a new) |"
    r"on (?:each|every|any) |in every |with (?:each|every) )[^,;:.]{3,120}?)(?=,|:| - | – | — )",
    re.IGNORECASE,
)
"""What is to be done, or with what, at the beginning of a sentence: "to add a migration, run ..."."""

DOING = r"(?!during\b|anything\b|everything\b|nothing\b|something\b|being\b|having\b|thing\b)[a-z-]+ing\b"
ACTOR = r"(?:you|we|someone|somebody|anyone|the agent)(?:'re| are)? (?!have to\b|don't\b|'d\b)[a-z]"
THING = r"(?:a|an|the|any|every|each|new|our|your) [a-z]"

LATER = re.compile(
    rf"(?<![\w'-])(?P<clause>(?:before|after) (?:{DOING}|{ACTOR}|{THING}|commits?\b|merges?\b|releases?\b|deploys?\b)|"
    rf"(?:when(?:ever)?|once|as soon as|while|if|in case|(?:every|each|any) ?time) (?:{DOING}|{ACTOR}|"
    r"(?:a|an|any|new) [a-z])|(?:for|on|with|in) (?:every|each) (?:new |single )?[a-z]|for new [a-z])",
    re.IGNORECASE,
)
"""Where such a clause begins further on in a sentence: with what is done, who does it, or what it is done to."""

ENDS = re.compile(
    r"[,;:!?()\n]|\.(?=\s|$)| [-–—] | (?:because|otherwise|but|even|not|then|unless|until|instead|although|though|so|"
    r"to)\b| or else\b| rather than\b| since (?!when)| and (?=(?:never|always|do|don't|use|run|tell|ask|let|please)\b)|"
    r"(?<! a)(?<! an)(?<! any)(?<! the)(?<! new)(?<! our)(?<! each)(?<! every)(?<!ing) (?:run|use|add|make|call|check|"
    r"ask|set|tell|update|bump|tag|name|delete|remove|write|watch|wait|look|read|verify|rebuild|regenerate|restart|"
    r"please|never|always|don't)\b| there (?:is|are|stands|sits)\b|"
    r" i (?:want|need|have|am|prefer)\b|"
    r" (?:drives|sends|makes|gives|costs|brings|takes) (?:me|him|her|us|them|its|his|their|everybody)\b"
)
"""Where a clause ends that no comma closes."""

NOT_YET = re.compile(r"\b(?:never|not|no|only|cannot|\w+n't|nothing|nobody)\b", re.IGNORECASE)
"""With such a word, what stands after `before` or `after` is what must be done first: "never commit before testing"."""

ASKING = re.compile(
    r"\b(?:see|check|checks|checked|ask|asks|asked|know|knows|wonder|verify|test|tell|tells|decide|sure|determine|"
    r"assert|find out|figure out|matter|cares?|say|says|remember|since|from|as|even|what|only|clear|mention|"
    r"guess|doubt|"
    r"shows?)$",
    re.IGNORECASE,
)
"""Words after which `if` or `when` opens no condition: "check if", "even if", "since when"."""

EMPTY = re.compile(
    r"^(?:(?:if|when|where|as)(?:ever)? (?:so|not|possible|needed|necessary|required|in doubt|unsure|any|at all|"
    r"ever|applicable|relevant|i (?:remember|recall|am|'m|understand|may|can)|i'm|you (?:like|want|wish|prefer|will|"
    r"don't mind|ask me|must|can|could|really)|that (?:is|was|'s)|that's|asked|nothing|anything|something)\b"
    r"|in case (?:you|i|anybody|anyone|somebody|it) (?:wish|want|like|wonder|wonders|care|need|ask|asks|matters|"
    r"helps)\b"
    r"|after (?:(?:a|an|the|my|our|some|many|that|last) )?(?:(?:long|short|little|big|few|endless|last|heated) )*"
    r"(?:discussions?|meetings?|calls?|talks?|chats?|debates?|weekend|holidays?|lunch|weeks?|days?|months?|years?)\b"
    r"|(?:after|before) (?:all\b|long\b|that\b|this\b|which\b|now\b|then\b|noon\b|anything else|\d)"
    r"|once (?:again|more|in a|a|per|every|upon|and)\b|while (?:i'm|we're|you're)? ?(?:at it|there)\b"
    r"|(?:if|when) (?:i|he|she) "
    r"|(?:with|for|in|on) (?:every|each|all|any) (?:one|of|other|projects?|repos?|repository|file|table|language)\b)",
    re.IGNORECASE,
)
"""Clauses that name no task: figures of speech, dates, what was only thought."""

PAST = re.compile(
    r"^(?:just |right )?(?:before|after|when|while|once|if|the next time) "
    r"(?:(?:the|a|an|our|my|this|that|these|those|his|her|their) )?(?:[\w`'.-]+ ){1,3}?"
    r"(?:was|were|had|did|didn't|went|saw|found|got|broke|took|came|gave|ran|lost|left|said|told|made|wrote|kept|"
    r"(?<!is )(?<!are )(?<!be )(?<!been )(?<!has )(?<!have )(?:mov|switch|chang|add|remov|us|fail|upgrad|migrat|crash|"
    r"tr|start|stopp|deploy|merg|push|notic|discover|introduc|replac|dropp|happen|ask|decid|agre|turn)(?:ed|ied))\b",
    re.IGNORECASE,
)
"""Clauses that tell what happened once."""


def condition_of(text: str, kind: str) -> str:
    """The phrase in which a text says when it applies, beginning in lower case; '' where it does not say.

    A clause that opens a sentence comes first, then what a sentence is to achieve, then a clause further on; of a rule
    about an act that agents are asked for, such as a commit, that act, else what it begins with; of a day on which
    something goes out that.
    """
    if kind not in APPLYING:
        found = act_of(text[:READ_CHARACTERS], BINDS_ALL) if kind in TELLING else ""
        return BY_SCHEDULE if is_schedule(text) else found
    sentences = split(SAID_UPON.sub("", text[:READ_CHARACTERS]))
    for search in (opening, purpose, later):
        for sentence in sentences:
            found = search(sentence)
            if found:
                return found
    if is_schedule(text):
        return BY_SCHEDULE
    binding = FORM_OF_COMMITS if FORM_OF_COMMITS.match(text.casefold()) else BINDS
    return act_of(text[:READ_CHARACTERS], binding) or condition_of_subject(text) if kind in RULES else ""


OF_SUBJECT = re.compile(
    r"^\W*(?:(?:and|but|also|so|please|the|all|our|new|yes|no),? )*"
    r"(?P<what>(?!(?:it|that|this|they|we|you|he|she|i|there|these|those|everything|nothing|anything|nobody|everybody|"
    r"errors?|code|data|things?|changes?|values?|files?|names?|users?|rule|ones?|just|then|here|now|not|never|always|"
    r"only|from|for|with|when|if|on|in|at|to|do|don't|keep|use|make|put|write|run|leave|ask|thanks|besides|sometimes|"
    r"perhaps|commits)\b)"
    r"[a-z][a-z-]{2,}[a-rt-z]s)"
    r" (?:(?:is|are|gets?|goes|go|comes?|have|has|needs?|takes?|stays?|runs?|lives?) (?:\w+ )?)?"
    r"(?:always|never|only|must|may only|has to|have to|every ?where)\b"
)
"""A rule by what it begins with: "silences always with a ticket", "invoices must ..."."""


def condition_of_subject(text: str) -> str:
    """What a rule is about that begins with it, as the act at which it applies; '' for any other."""
    match = OF_SUBJECT.match(text[:READ_CHARACTERS].casefold())
    return f"at {match['what']}" if match else ""


BESIDE = (
    (re.compile(r"\bgit (?:\S+ )*commit\b"), re.compile(
        r"\b(?:lower ?case|upper ?case|capital\w*|one line|single line|no body|with a body|subjects?|prefix\w*|"
        r"imperative|past tense|present tense|trailers?|sign(?:ed)?[- ]?off|squash\w*|amend\w*)\b"
    ), 1, "at a commit"),
    (re.compile(r"(?:^|[\s/])migrations?/|(?:^|/)alembic/|\bmigrate\b|\bgoose\b"), re.compile(
        r"\b(?:downs?|forwards?|roll(?:s|ed|ing)? ?(?:back|forward)|lock\w*|columns?|tables?|index(?:es)?|concurrently|"
        r"constraints?|nullable|backfill\w*)\b"
    ), 2, "at a migration, a column of the schema"),
)  # fmt: skip
"""Acts that a rule need not name, since it is said upon one: what was done, the words that are
of it, how many of them it takes, and the act."""


def condition_upon(done: str, text: str, kind: str) -> str:
    """The act upon which a rule was said, where its words are of that: "no down, and lock_timeout on top" upon a
    migration. `done` is what the agent did last: a command, or the path of a file."""
    if kind not in RULES:
        return ""
    lower = text[:READ_CHARACTERS].casefold()
    of_done = ((act, set(of_it.findall(lower)), fewest) for upon, of_it, fewest, act in BESIDE if upon.search(done))
    return next((act for act, words, fewest in of_done if len(words) >= fewest), "")


def is_schedule(text: str) -> bool:
    """Whether one sentence of a text says on which day something goes out again and again."""
    lower = text[:READ_CHARACTERS].casefold()
    if "day" not in lower and "every" not in lower and "each" not in lower:
        return False
    out, day = SCHEDULED
    return any(out.search(each) and day.search(each) for each in re.split(r"[.!?\n]+(?:\s|$)", lower))


def act_of(text: str, binding: re.Pattern[str]) -> str:
    """The act that a rule is about, as it is asked for: the first beside the word that binds, else behind it.

    '' for any other.
    """
    lower = text.casefold()
    if (bound := binding.search(lower)) is None:
        return ""
    found = [(match.start(), number) for number, (pattern, _) in enumerate(ACTS) if (match := pattern.search(lower))]
    start = max((lower.rfind(mark, 0, bound.start()) for mark in ",;.:"), default=-1)
    ends = (end for mark in ",;.:" if (end := lower.find(mark, bound.end())) >= 0)
    end = min(ends, default=len(lower))
    beside = [each for each in found if start < each[0] < end]
    behind = [each for each in found if each[0] >= bound.start()]
    return ACTS[min(beside or behind or found)[1]][1] if found else ""


def opening(sentence: Sentence) -> str:
    """The clause that opens a sentence, or ''."""
    match = OPENING.match(sentence.masked)
    return phrase(sentence, *match.span("clause")) if match else ""


def purpose(sentence: Sentence) -> str:
    """What a sentence says is to be done, or ''."""
    match = PURPOSE.match(sentence.masked)
    return phrase(sentence, *match.span("clause")) if match else ""


def later(sentence: Sentence) -> str:
    """The first clause further on in a sentence that says when, or ''."""
    for match in LATER.finditer(sentence.masked):
        said = sentence.masked[: match.start()].rstrip()
        is_order = match["clause"].lower().startswith(("before", "after"))
        if ASKING.search(said) or (is_order and NOT_YET.search(said)):
            continue
        end = ENDS.search(sentence.masked, first_word_end(sentence.masked, match))
        found = phrase(sentence, match.start(), end.start() if end else len(sentence.masked))
        if found:
            return found
    return ""


def first_word_end(masked: str, match: re.Match[str]) -> int:
    """Where the word ends in which a clause was recognised: "before you run" does not end before its verb."""
    end = match.end()
    while end < len(masked) and (masked[end].isalnum() or masked[end] in "'_-"):
        end += 1
    return end


def phrase(sentence: Sentence, start: int, end: int) -> str:
    """A part of a sentence as a condition, or '' where it names no task."""
    words = sentence.text[start:end].replace("\x00", " ").split()[:MOST_WORDS]
    found = " ".join(words).rstrip(" .,;:-–—(")
    plain = " ".join(sentence.masked[start:end].split())
    if len(words) < FEWEST_WORDS or EMPTY.match(plain) or PAST.match(plain):
        return ""
    distinctive = [word for word in re.findall(r"[^\W_]+", found.casefold())[1:] if word not in STOP_WORDS]
    return found[0].lower() + found[1:] if distinctive else ""
