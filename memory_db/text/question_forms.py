"""What sort of answer a question wants: a change with its dates, or a table that is ready.

In: the text of a question. Out: whether it asks when or since when; the ready question of metadata.yml that it asks,
with its parameters. Pure, the standard library alone. Invariant: a whole question must fit a form below; a ready
question is named only where nothing else can be meant, so that what is asked of memory is not answered by a count.
"""

from __future__ import annotations

import re

from memory_db.records import dataclass, field, later

MOST_CHARACTERS = 300
"""How long a question is at most that fits a form. Source: ours; a longer one tells a story."""

WHEN = later(
    r"^(?:(?:and|so|ok|remember|tell me|do you (?:know|remember)|remind me)[, ]+)*"
    r"(?:since when|from when|until when|when (?:did|was|were|have|has|do|does|is|are)\b|how long (?:have|has|did|do)\b"
    r"|what (?:has )?changed (?:about|in|with)\b|did (?:we|i|you|it|that|this) (?:ever )?(?:change|switch|move)"
    r"|has (?:it|that|this|the \w+) (?:ever )?changed|what (?:did we|was it|were we) .*\bbefore\b)"
)
"""How somebody asks what held until when, and what since."""

MINE = r"(?:i|we|the user)"
AGENT = r"(?:the |my |our )?(?:agents?|you|claude)"
MEMORIES = r"(?:memories|notes|facts|rules|things remembered)"
DAY = r"\d{4}-\d\d-\d\d"
PATH = r"[\"'`]?(?P<path>[\w@~.-]*[/.][\w@~./-]*\w)[\"'`]?"
PATH2 = PATH.replace("path", "path2")

FORMS = (
    ("what_did_i_correct_most",
        rf"(?:what|which \w+) (?:did|do|have) {MINE} correct(?:ed)?(?: {AGENT})?(?: most| the"
        rf" most| most often)?|how (?:many|often) (?:corrections )?(?:did|have|do) {MINE} (?:give|given|make"
        rf"|made|correct(?:ed)?)(?: {AGENT})?|how many corrections(?: (?:are|were) there)?"
        r"|which corrections .*(?:most|again)"),
    ("which_errors_keep_coming_back",
        r"(?:which|what|how many) errors (?:keep|kept) (?:coming back|happening|recurring)"
        r"|(?:which|how many) errors (?:come|came) (?:back|again)|what keeps (?:failing|breaking|going wrong)"),
    ("what_fixed_this_error",
        r"what (?:fixed|cured|solved) (?:the |this |that )?(?:error )?[\"'`](?P<error>.{3,120})[\"'`]"
        r"|how (?:was|did we fix) (?:the )?error [\"'`](?P<error2>.{3,120})[\"'`](?: fixed)?"),
    ("where_is_friction",
        r"where is (?:the |our |my )?friction|what goes wrong (?:most|most often)"),
    ("which_files_are_hot",
        r"(?:which|what) files (?:are|were) (?:hot|hottest|(?:edited|touched|changed|read) (?:most"
        rf"|the most|most often))|(?:which|what) files (?:do|did|does) (?:{MINE}|{AGENT}) (?:edit|touch|change|read)"
        r" (?:most|the most|most often)|(?:the )?most (?:edited|touched|changed) files"),
    ("what_contradicts_what",
        rf"what contradicts what|(?:which|how many) (?:{MEMORIES} )?contradict(?:ions)?(?: each"
        r" other)?(?: are (?:there|open))?|how many (?:open )?contradictions(?: are (?:there|open))?"),
    ("what_waits_for_me",
        rf"what waits for (?:me|us)|what (?:do|must|should) {MINE} (?:have to |need to )?(?:decide"
        r"|review)|how (?:much|many(?: \w+)?) (?:waits?|is waiting|are waiting)(?: for (?:me|us))?"),
    ("how_fast_are_hooks",
        r"how (?:fast|slow|quick) (?:are|is) (?:the |our )?hooks?|how long do (?:the |our )?hooks take"),
    ("which_memories_are_junk",
        rf"(?:which|how many) (?:{MEMORIES}) are (?:junk|useless|of no use)|how much junk (?:is"
        r" there|do we have)"),
    ("which_memories_are_stale",
        rf"(?:which|how many) (?:{MEMORIES}) are (?:stale|old|out of date|outdated)"),
    ("what_was_never_recalled",
        rf"(?:which|how many) (?:{MEMORIES}) (?:were|have been|are) never (?:recalled|shown|used)"),
    ("what_was_shown_but_never_cited",
        rf"(?:which|how many) (?:{MEMORIES}) (?:were|are) (?:shown (?:but|and) )?never"
        r" cited"),
    ("is_memory_obeyed",
        rf"is memory obeyed|(?:which|how many) (?:{MEMORIES}) (?:are|were|does \w+) (?:not )?(?:obeyed"
        r"|followed|ignored)|how often is memory (?:obeyed|followed|ignored)"),
    ("does_memory_help",
        r"does (?:the )?memory help(?: at all)?|how much does (?:the )?memory help"),
    ("what_did_each_project_cost",
        r"(?:what|how much) (?:did|does|do|has) (?:each|every|which|a|the) projects? cost"
        r"|which project (?:cost|costs|was) (?:the )?(?:most|dearest|most expensive)|(?:the )?costs? (?:per|by|of each)"
        r" project"),
    ("what_did_memory_save",
        r"(?:what|how much) (?:did|does|has) memory saved?"),
    ("what_cost_far_more_than_usual",
        r"what (?:cost|costs) (?:far |much )?more than usual|which (?:sessions?|days?) (?:cost"
        r"|costs|was|were) (?:the )?(?:most|dearest|most expensive)"),
    ("tokens_by_day",
        r"how many tokens (?:a|per|each|every) day|tokens (?:by|per|a) day"),
    ("which_commands_do_we_run",
        rf"(?:which|what) commands (?:do|did) (?:{MINE}|{AGENT}) (?:run|use)(?: most| the most"
        r"| most often)?"),
    ("what_do_agents_spend_actions_on",
        r"what do agents spend (?:their )?actions on|how many (?:actions|tool calls) (?:did"
        rf"|do|does) (?:{AGENT}) (?:make|do|use)"),
    ("what_touched_this_path",
        rf"(?:what|who|which (?:sessions|actions)) (?:touched|changed|edited|read|wrote) {PATH}"
        rf"|how (?:many times|often) (?:was|did (?:{MINE}|{AGENT}) (?:touch|edit|change)) {PATH2}"
        r"(?: touched| edited| changed)?"),
    ("what_was_known_on_this_day",
        rf"what (?:was known|did (?:{MINE}|memory) know) on (?P<day>{DAY})"),
    ("what_changed_between",
        rf"what (?:has )?changed (?:between (?P<first>{DAY}) and (?P<last>{DAY})|since"
        rf" (?P<first2>{DAY}))"),
    ("what_was_redacted",
        r"what was redacted|how many (?:secrets|passwords|tokens|keys) were (?:redacted|taken out|found)"),
    ("what_could_not_be_read",
        r"(?:what|how many (?:lines|transcripts)) could not be (?:read|parsed|imported)"),
    ("which_profile_answers_best",
        r"which profile (?:answers|is|does) (?:best|better)"),
    ("what_was_known_but_not_shown",
        r"what was known but not shown|how (?:often|many times) (?:did|do|must|have) "
        rf"{MINE} (?:have to |had to )?repeat(?:ed)? (?:myself|ourselves)"),
    ("how_do_we_do_things",
        r"how do we do things(?: here)?|(?:which|how many) procedures (?:are (?:there|known)|do we"
        r" (?:have|know))"),
)  # fmt: skip
"""The ready questions that a question can ask, each with the forms it is asked in; the first that fits answers."""

DONE = later(
    rf"^(?:(?:and|so|ok|tell me|remind me)[, ]+)*(?:what (?:did|has|have|was|were|had) (?:{AGENT}|{MINE})(?: \w+)?"
    r" (?:do|done|doing|work(?:ed|ing)? on|build|built|change[d]?|finish(?:ed)?|get done)\b"
    r"|what (?:was|were|got) (?:done|worked on|built|finished)\b|what happened\b"
    r"|what went on\b|(?:which|what) sessions\b)"
)
"""How somebody asks what was done, which sessions tell and no memory does."""

COMPILED = tuple((name, later(rf"^(?:{pattern})$", re.IGNORECASE)) for name, pattern in FORMS)


@dataclass(slots=True, frozen=True)
class ReadyQuestion:
    """A question of metadata.yml, by its name there, and the values of its parameters."""

    name: str
    parameters: dict[str, str] = field(default_factory=dict)


def asks_when(text: str) -> bool:
    """Whether a question asks when something changed, or since when it holds."""
    return len(text) <= MOST_CHARACTERS and WHEN.match(plain(text)) is not None


def asks_what_was_done(text: str) -> bool:
    """Whether a question asks what was done at some time, and not what is known."""
    return len(text) <= MOST_CHARACTERS and DONE.match(plain(text)) is not None


def ready_question(text: str) -> ReadyQuestion | None:
    """The ready question that a text asks; None for nearly all."""
    if len(text) > MOST_CHARACTERS:
        return None
    line = " ".join(text.split()).strip(" ?!.")
    for name, form in COMPILED:
        if match := form.match(line):
            return ReadyQuestion(name, {key.rstrip("2"): value for key, value in match.groupdict().items() if value})
    return None


def plain(text: str) -> str:
    """A question in lower case on one line, without what ends it."""
    return " ".join(text.casefold().replace("’", "'").split()).strip(" ?!.")
