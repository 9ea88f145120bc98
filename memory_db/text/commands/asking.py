"""Whether somebody asks how something is done in a project, or says that it shall be done now, and what it is.

In: the text of a question or prompt. Out: purposes, in the order in which they are asked for, each with the words that
say so. Pure, the standard library alone. Invariants: a sentence is asked about doing only in the forms below; how long,
how often, why, what came of it, and what is to be written or changed are other questions.

    how do we run the migrations? | what's the command for the linter? | deploy command? | run the tests on staging
"""

from __future__ import annotations

from memory_db.records import later

MOST_CHARACTERS = 2_000
"""How much of a prompt is looked at: longer ones are tasks, logs or code."""

MOST_WORDS = 24
"""Words of a sentence that asks how. Source: ours; a longer one tells what to make."""

MOST_TOLD = 14
"""Words of a sentence that says what to do now."""

WHAT = r"(?:(?:the|our|all|all the|my|your|its|these|those|any|some|a|an|this|that)\s+)?"
KIND = (
    r"(?:(?:whole|full|entire|single|one|unit|integration|e2e|end[- ]to[- ]end|browser|playwright"
    r"|python|frontend|backend|front[- ]end|back[- ]end|database|db|schema|alembic|django|pending"
    r"|latest|new|local|dev|development|docker|js|api|web|static|type|pytest|vitest|go|slow|fast"
    r"|ui)\s+)*"
)
RUN = r"(?:run|re-?run|execute|launch|start|kick off|do|invoke|trigger|fire off|call)"
THING = (
    r"(?:(?:this|that|the)(?: whole)? (?:thing|lot)|it|this|that|everything|things"
    r"|the (?:\w+ )?(?:app|application|project|code|codebase|repo"
    r"|package|image|binary|site|website|bundle|frontend|backend|service|services|server|stack|cli"
    r"|tool|api|infra|infrastructure|wheel|library|crate|dashboard|extension|plugin)"
    r"|a (?:new )?(?:binary|wheel|image|bundle))"
)

ACTS = {
    "new-migration": rf"(?:create|make|add|write|generate|start|autogenerate) (?:(?:a|another"
        rf"|the)\s+)?(?:new\s+)?{KIND}(?:migration|revision)(?: file)?\b",
    "migrate": rf"(?:(?:{RUN}|apply|deploy) {WHAT}{KIND}migrations?\b|migrate(?: {WHAT}{KIND}(?:database|db|schema"
        rf"|tables|prod\w*|staging|dev)\b|(?= ?(?:$|locally|on |in |to (?:head|the latest)|now)))"
    rf"|upgrade {WHAT}{KIND}(?:database|db|schema)\b|run alembic|alembic upgrade)",
    "plan": rf"(?:{RUN} {WHAT}(?:terraform |tofu |deploy )?(?:plan|dry[- ]run)\b|(?:see|check|preview"
        rf"|show) what (?:a |the )?(?:deploy\w*|apply|terraform) (?:would|will) (?:change|do)"
        rf"|terraform plan|plan {WHAT}(?:infra\w*|terraform))",
    "deploy": rf"(?:deploy(?: (?:{THING}|to \S+|[\w.-]+ to \S+|[\w.-]+ on \S+)|(?= ?(?:$|on |in |from |now|again"
        rf"|by hand|manually|with)))|roll (?:it |this )?out (?:to|on) \S+|(?:{RUN}|make"
        rf"|trigger) {WHAT}(?:deploy(?:ment)?|rollout)\b|push (?:it |this )?to (?:prod\w*|staging)"
        rf"|run terraform apply|terraform apply)",
    "release": rf"(?:(?:{RUN}|make|cut|create|do|publish|tag|ship) {WHAT}(?:new )?(?:release|version)\b"
        rf"|release (?:{THING}|a (?:new )?version|to \S+|(?:[\w-]+ )?v?\d+\.\S+)"
        rf"|release(?= ?(?:$|now))|publish (?:{THING}"
        rf"|to (?:npm|pypi|\S+)|(?:the|a) (?:new )?(?:\w+ )?(?:package|release|version|image))"
        rf"|publish(?= ?$))",
    "typecheck": rf"(?:type-?check\w*(?: {THING})?(?= ?(?:$|now|locally|with|again))"
        rf"|type check(?: {THING})?(?= ?(?:$|now|locally|with|again))|(?:{RUN} {WHAT}(?:type ?-?check(?:er"
        rf"|ing|s)?|mypy|tsc|pyright)\b)|check {WHAT}types\b)",
    "format": rf"(?:format (?:{THING}|everything|{WHAT}(?:code|files|sources?)\b)|format(?= ?$)"
        rf"|{RUN} {WHAT}{KIND}(?:formatter|formatting|prettier|black|ruff format|gofmt|auto-?format\w*))",
    "lint": rf"(?:lint(?: {THING}|(?= ?(?:$|now|locally|with|again)))|{RUN} {WHAT}{KIND}(?:linter?s?|linting"
        rf"|lints?|ruff|eslint|flake8|pylint|golangci-lint|pre-?commit(?: hooks)?)\b)",
    "test": rf"(?:{RUN} {WHAT}{KIND}(?:tests?(?: ?suites?)?|test suite|specs?|suite|pytest|vitest|jest"
        rf"|checks)\b|test (?:{THING})(?= ?(?:$|locally|now|again|on |in ))|test(?= ?$))",
    "docs": rf"(?:build|generate|render|serve|make|publish) {WHAT}(?:\w+ )?(?:docs|documentation)\b",
    "build": rf"(?:build (?:{THING}|for (?:production|release|\S+)|everything)|(?:build|compile)(?= ?(?:$"
        rf"|locally|now))|compile {THING}|{RUN} {WHAT}(?:\w+ )?(?:build|compiler|bundler)\b|(?:build"
        rf"|make) {WHAT}(?:docker |container |release |production |prod )+(?:images?|builds?|binar(?:y|ies)"
        rf"|bundle|containers?))",
    "add": rf"(?:add|install|pull in) (?:a|another|new|an? extra|{WHAT}new) (?:\w+ )?(?:dependency"
        rf"|dependencies|package|library|lib|module)\b",
    "install": rf"(?:(?:install {WHAT}(?:\w+ )?(?:dependencies|deps|requirements|packages|modules|everything|it"
        rf"|project)|(?:get|fetch) {WHAT}(?:\w+ )?(?:dependencies|deps|requirements))\b"
        rf"|(?:set ?up|bootstrap) {WHAT}(?:\w+ )?(?:project|repo|environment|env|dev environment"
        rf"|virtualenv|venv|workspace|machine)\b|sync {WHAT}(?:dependencies|deps|environment|venv))",
    "services": rf"(?:start|bring up|spin up|run|launch|boot|get) {WHAT}{KIND}(?:database|db|postgres\w*|redis"
        rf"|rabbitmq|kafka|containers?|docker(?: compose)?|compose|services|stack|dependencies)(?: up"
        rf"| running)?(?= ?(?:$|\W|locally|up|for |on |in ))",
    "run": rf"(?:(?:{RUN}|serve|boot) (?:{THING}|{WHAT}{KIND}(?:dev|development|web|api|app|local"
        rf"|preview)? ?(?:server|app|site|api|frontend|backend|dashboard|project|ui)\b)|run(?= ?(?:$"
        rf"|locally)))",
}  # fmt: skip
"""What somebody does, by purpose, in the words in which it is asked for; tried in this order."""

NOUNS = {
    "new-migration": r"(?:new )(?:migration|revision)s?|makemigrations",
    "migrate": r"migrations?|migrat(?:e|ing)(?: the (?:db|database|schema))?",
    "plan": r"(?:terraform )?plan|dry[- ]run",
    "deploy": r"deploy(?:ment|ing|s)?(?: to \S+)?|rollout",
    "release": r"releas(?:e|es|ing)|publish(?:ing)?",
    "typecheck": r"type-?check(?:s|er|ing)?|type check(?:s|er|ing)?|types",
    "format": r"format(?:ter|ting)?",
    "lint": r"lint(?:er|ers|ing)?",
    "test": r"(?:unit |e2e |integration |browser |slow |fast )?test(?:s|ing| suite|[- ]runner)?",
    "docs": r"docs|documentation",
    "build": r"builds?|building|compil(?:e|ing)",
    "add": r"(?:adding|add) (?:a )?(?:dependency|dependencies|package)",
    "install": r"install(?:ing|ation)?(?: (?:the )?(?:deps|dependencies))?|setup",
    "services": r"(?:start(?:ing)? )?(?:the )?(?:services|containers|database|docker compose|compose|stack)",
    "run": r"(?:dev ?server|start(?:ing)?|run(?:ning)? (?:it|the (?:app|server|project)))",
}  # fmt: skip
"""What somebody calls it: "the command for the migrations", "lint command?"."""

SENTENCE_SIGNS = "?!\n.;:"
SENTENCE = later(r"(?:[?!\n]+|\.(?=\s|$)|[;:]\s)")

ASIDE = later(r",\s+(?=(?:how|what|whats|what's|which|where|can't|cant|cannot|don't)\b)")
"""Where a sentence goes on to ask: "fresh checkout, how do I install the dependencies"."""

POLITE = (
    r"(?:(?:ok(?:ay)?|so|and|then|now|well|hey|hi|please|pls|again|first|next|also|alright|right|great"
    r"|good|thanks|perfect|yes|yep|sure|remind me|tell me|btw|quick question)[,:]?\s+)*"
)

HOW = later(
    rf"^{POLITE}(?:(?:can|could|would) you (?:please )?(?:tell|show|remind) me |do you (?:know"
    rf"|remember) |i (?:forgot|forget|don'?t (?:know|remember)) |(?:i )?(?:can'?t|cannot) (?:recall|remember) "
    rf"|(?:i have |i've )?no idea |(?:i'm |i am )?not sure |what(?:'s| is| was) (?:again )?|and )?"
    r"how (?:(?:do|can|should|would|shall|must|could|does|am|are|is) (?:i|we|you|one|people|they|it"
    r"|somebody|someone|a dev\w*)(?: (?:supposed|meant|going|usually|normally|again|actually|best|even"
    r"|currently|then|correctly|properly|locally|just))*(?: to)? |to (?:best |properly )?)"
    r"(?:go about )?(?P<act>.+)$"
)

PASSIVE = later(
    rf"^{POLITE}how (?:is|are|do|does|can|should) (?P<noun>.+?) (?:be )?(?:(?:get )?(?:done|run"
    rf"|executed|applied|made|launched|performed)|(?:get )?(?P<verb>started|built|deployed|migrated"
    rf"|linted|formatted|tested|released|published|installed))(?: (?:here|locally|in this (?:repo"
    rf"|project)|on \w+|to \w+))?$"
)
PASSIVE_MARKS = (
    "done", "run", "executed", "applied", "made", "launched", "performed", "started", "built", "deployed", "migrated",
    "linted", "formatted", "tested", "released", "published", "installed",
)  # fmt: skip

DONE = {
    "started": "run", "built": "build", "deployed": "deploy", "migrated": "migrate", "linted": "lint",
    "formatted": "format", "tested": "test", "released": "release", "published": "release", "installed": "install",
}  # fmt: skip
"""What a verb says was done: "how is it deployed?"."""

COMMAND = later(
    rf"^{POLITE}(?:(?:what(?:'s|s| is| was| are)|which(?: is| are)?|where is|give me|show me|i need"
    rf"|remind me of)\s+)?(?:the |our |a )?(?:right |exact |correct |full |usual |shell )?"
    r"(?:(?:command|commands|cmd|command line|invocation|incantation|way|make target"
    r"|script|drill|routine|recipe|procedure|steps)\s+(?:again )?"
    r"(?:is |do (?:i|we) (?:use|run|need|type) |to use |we use )?(?:to|for|that|which|of)\s+"
    r"(?:run(?:ning)? |starting |do(?:ing)? )?(?P<about>.+)"
    r"|(?P<before>.+?)[ -](?:command|commands|cmd|invocation|command line)(?: again| here| please)?)$"
)

TYPED = later(
    rf"^{POLITE}(?:what|which command|which) (?:do|should|must|can) (?:i|we|you) (?:type|run|use"
    rf"|execute|enter|call) (?:to|for|when i want to) (?P<act>.+)$"
)

TYPING = frozenset("type run use execute enter call".split())

ASKED_TO = (
    "can you please", "could you please", "would you please", "can you", "could you", "would you", "will you",
    "please", "let's", "let us", "go ahead and", "i want you to", "i'd like you to", "you can", "try to", "we should",
    "we need to", "we must", "we have to", "time to", "ok", "okay", "so", "and", "then", "now", "well", "hey", "hi",
    "pls", "again", "first", "next", "also", "alright", "right", "great", "good", "thanks", "perfect", "yes", "yep",
    "sure", "btw",
)  # fmt: skip
"""What may stand before what somebody is told to do."""

VERBS = frozenset(
    """
    alembic apply autogenerate bootstrap boot bring build check compile create cut deploy do execute fetch fire format
    generate get install invoke kick launch lint make migrate plan preview publish pull push re-run release render rerun
    roll run see serve set setup ship show spin start sync tag terraform test trigger type type-check typecheck upgrade
    write call add
    """.split()
)
"""Words with which an act begins."""

TELLING = {
    "new-migration": "migration revision", "migrate": "migrat alembic database schema db", "plan": "plan dry deploy",
    "deploy": "deploy roll push apply", "release": "release version publish tag", "typecheck": "type mypy tsc pyright",
    "format": "format prettier black gofmt", "lint": "lint ruff eslint flake8 pre-commit precommit",
    "test": "test spec suite checks jest", "docs": "docs documentation", "build": "build compil bundler make",
    "add": "dependenc package librar lib module", "install": "install set bootstrap sync depend deps require",
    "services": "database db postgres redis rabbitmq kafka container docker compose services stack dependencies",
    "run": "run start serve boot launch execute",
}  # fmt: skip
"""Parts of words of which an act must have one. A hook has no time to compile patterns that cannot fit."""

COMMAND_WORDS = frozenset(
    "command commands cmd invocation incantation way target script line drill routine recipe procedure steps".split()
)

SCHEMA = later(r"^(?:a |the |any |our )?(?:database |db )?schema (?:change|update)s?$")
"""What is a revision first, and then its way into the database."""

ENDED = (
    r"(?:\s+(?:again|now|first|please|pls|then|locally|here|too|once|twice|once more|one more time|properly|yourself"
    r"|there|today|before (?:you )?(?:commit|push)\w*|before (?:we|i|you) \w+(?: \w+)?"
    r"|(?:on|in|to|against|for|from|with) (?:the |our |this |that )?(?:\w+ )?[\w./:-]+|and (?:show"
    r"|tell|report|see|check|fix|make|let)\b.*|to (?:see|check|make sure|be sure|verify)\b.*|if .*"
    r"|until .*|after .*|when .*|while .*|so .*))*$"
)
"""What may follow what is to be done, and leaves it the same."""

ACT = {purpose: later(rf"^(?:{pattern})(?P<rest>.*)$") for purpose, pattern in ACTS.items()}

NOUN = {purpose: later(rf"^(?:the |our |all |a )?(?:{pattern})(?P<rest>.*)$") for purpose, pattern in NOUNS.items()}

AFTER = later(rf"^[,)]?{ENDED}")

CIRCUMSTANCE = later(r"^,?\s+(?:(?:here|there|locally)\s+)?(?:with|without|the (?:\w+ )?way|as|like)\b")
"""How a question goes on that says under which circumstances something is done, and asks how it is all the same."""

AND = later(r"^,? (?:and|then|and then|,|&) ")

OTHER_QUESTION = later(
    r"^(?:\s+)(?:that|which|who|whether|why|because|fail\w*|broke\w*|return\w*|take\w*|of|look\w*"
    r"|like we|differently|faster|in parallel|only|less|more)\b"
)
"""What makes of the same words another question: "run tests that need a clock", "build the page of ..."."""


def asked_for(text: str) -> dict[str, str]:
    """The purposes that a question or prompt is about, in order, each with the words that say so; mostly none."""
    found: dict[str, str] = {}
    said = text[:MOST_CHARACTERS].casefold().replace("’", "'")
    for sentence in SENTENCE.split(said) if any(sign in said for sign in SENTENCE_SIGNS) else [said]:
        for clause in clauses_of(sentence):
            words = clause.split()
            if not words or len(words) > MOST_WORDS or "`" in sentence:
                continue
            line = " ".join(words).strip(" ,.:")
            for purpose in purposes_in(line, len(words)):
                found.setdefault(purpose, line)
    return found


def clauses_of(sentence: str) -> list[str]:
    """A sentence by the places where it goes on to ask."""
    return ASIDE.split(sentence) if ", " in sentence else [sentence]


def purposes_in(line: str, words: int) -> list[str]:
    """The purposes that one sentence is about."""
    there = set(line.replace(",", " ").replace("-", " ").split())
    if "how" in there:
        has_verb = not VERBS.isdisjoint([word.rstrip(",") for word in line.split()])  # else no act is asked for
        if has_verb and (match := HOW.match(line)) and (found := acts_in(match["act"], is_question=True)):
            return found
        if any(each in line for each in PASSIVE_MARKS) and (match := PASSIVE.match(line)):
            return [DONE[match["verb"]]] if match["verb"] else nouns_in(match["noun"])
        return []
    if there & {"what", "which"} and there & TYPING and (match := TYPED.match(line)):
        return acts_in(match["act"], is_question=True) or nouns_in(match["act"])
    if there & COMMAND_WORDS and (match := COMMAND.match(line)):
        about = match["about"] or match["before"]
        return acts_in(about, is_question=True) or nouns_in(about)
    return acts_in(without_asking(line), is_question=False) if words <= MOST_TOLD else []


def without_asking(line: str) -> str:
    """What somebody is told to do, without the words in which they are asked."""
    while start := next((each for each in ASKED_TO if line.startswith(each) and line[len(each) :][:1] in " ,"), ""):
        line = line[len(start) :].lstrip(" ,")
    return line


def acts_in(text: str, *, is_question: bool) -> list[str]:
    """What is done first, and what is done after an "and". What is told must say all that follows."""
    if text.partition(" ")[0].rstrip(",") not in VERBS:
        return []
    for purpose, parts in TELLING.items():
        if not (any(part in text for part in parts.split()) and (match := ACT[purpose].match(text))):
            continue
        rest = match["rest"]
        if not rest:  # and no pattern is compiled for it
            return [purpose]
        if joined := AND.match(rest):
            more = acts_in(rest[joined.end() :], is_question=is_question) or nouns_in(rest[joined.end() :])
            if more or is_question:
                return [purpose, *more]
        if OTHER_QUESTION.match(rest):
            return []
        is_all = AFTER.match(rest) or (is_question and (not rest.strip() or CIRCUMSTANCE.match(rest)))
        return [purpose] if is_all else []
    return []


def nouns_in(text: str) -> list[str]:
    """What a noun stands for, as in "the command for the migrations"."""
    if "schema" in text and SCHEMA.match(text):
        return ["new-migration", "migrate"]
    for purpose, pattern in NOUN.items():
        if (match := pattern.match(text)) and AFTER.match(match["rest"]):
            return [purpose]
    return []
