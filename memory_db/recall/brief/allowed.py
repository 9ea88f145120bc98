"""What may be shown: the reasons why a hit is left out, and the rules that hold wherever a brief is made.

In: hits that are filled in, best first. Out: for each the reason why it may not be shown, or none. Invariants: a rule
looks at one hit, at what it brings by itself, and at what was let through before it, never at scores; what was let
through is forgotten only where it did not fit.
"""

from __future__ import annotations

from collections import Counter

from memory_db.knowledge.suppressions import SUPPRESSED
from memory_db.recall.brief.passing import is_report
from memory_db.recall.brief.same_saying import forbids, stem, subject
from memory_db.recall.brief.taken_back import is_taken_back
from memory_db.recall.brief.trust import (
    DISGUISED,
    GIVES_ORDERS,
    NAMES_ADDRESS,
    NAMES_COMMAND,
    OTHERS_WORDS,
    SPEAKS_AS_USER,
    asks_for,
)
from memory_db.recall.evidence_of_hit import STRONG, is_named
from memory_db.records import dataclass
from memory_db.redact.clean import find_injection
from memory_db.text.places import served_in
from memory_db.text.questions import asks_to_know

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memory_db.recall.brief.placement import Placement
    from memory_db.recall.features import QueryFeatures
    from memory_db.recall.search import Question

OVER_LIMIT = "beyond the limit"
BELOW_THRESHOLD = "below the threshold"
FOREIGN = "unrelated to the question"
OVER_BUDGET = "over the token budget"
SAME_TEXT = "same text as {}"
SOURCE_OF = "source of {}"
OTHER_PROJECT = "of another project"
LEFT_ALONE = "of an ignored project"
SHOWN_EARLIER = "shown earlier in this session"
SAID_HERE = "said in this session"
NOT_BROUGHT = "nothing in the prompt leads to it"
STEERS = "tries to steer an agent ({})"
NO_TEXT = "nothing to read"
LITTLE_EVIDENCE = "little evidence of its own"
NO_ANSWER = "the first hits do not answer"
FAR_BEHIND_BEST = "far behind the best evidence"
NO_BETTER = "scores no better than the rest"
BEHIND_BEST_LINE = "well behind the best line"
BESIDE_QUESTION = "does not give what is asked for"
KNOWN_HERE = "of a sister project, and this one has something on it"
MEMORY_ANSWERS = "a memory answers"
PROCEDURE_SAYS = "a procedure says the same command"
SAME_EXCHANGE = "same exchange as {}"
SAME_SAYING = "says the same as {}"
OF_THEN = "about a moment that is over"
NOT_CONFIRMED = "neither said nor confirmed by the user"
OLDER = "older than {}, which says otherwise"
SAME_TOPIC = "the same topic as the last recall"
LATER_PROMPT = "not the first prompt of the session"
SAYS_NOTHING = "no words of its own"
BARE_CALL = "a call whose result says nothing"
REJECTED = "turned down by the user, without a correction"
SAID_EARLIER = "the same prompt, said earlier"
UNANSWERED = "a question without its answer"
NOTHING_ASKED = "only said, and the prompt asks for nothing"
SAID_ALONE = "words without what came of them"
TOOLS_WORDS = "what a tool said, for which nobody asked"
RESTS_ON = "rests on {}, which no longer holds"
TAKEN_BACK = "the prompt takes it back"
CONVERSATION_SAYS = "said by the prompt, or by what sums its conversation up"

ONLY_RULES = (SAME_TOPIC, LATER_PROMPT)
"""Reasons why a prompt is told rules alone."""

READ_BEFORE = (SHOWN_EARLIER, SAID_HERE)
"""Reasons of what the agent has before it already."""

COUNTED_REASONS = (
    OVER_LIMIT, BELOW_THRESHOLD, FOREIGN, OTHER_PROJECT, LEFT_ALONE, SHOWN_EARLIER, SAID_HERE, NO_TEXT,
    LITTLE_EVIDENCE, NO_ANSWER, FAR_BEHIND_BEST, NO_BETTER, BEHIND_BEST_LINE, BESIDE_QUESTION, KNOWN_HERE,
    MEMORY_ANSWERS, SAYS_NOTHING, BARE_CALL, REJECTED, NOTHING_ASKED, SAID_EARLIER, UNANSWERED, SAID_ALONE,
    TOOLS_WORDS, GIVES_ORDERS, NAMES_ADDRESS, NAMES_COMMAND, OTHERS_WORDS, SPEAKS_AS_USER, DISGUISED,
)  # fmt: skip
"""Reasons that may hold for hundreds of hits: only the best of those are kept as rows."""

BY_SCORE = (BELOW_THRESHOLD, OVER_LIMIT)
"""Reasons that a page works out anew while weights are tried.

`NO_BETTER` and `BEHIND_BEST_LINE` rest on scores too, but on those of hits that a page may not have: they stay as they
are until the question is asked with the new weights.
"""


FORGOTTEN_TOKENS = 32_000
"""Tokens that a session has had since, from which on what it was shown may be told again.

Source: Hsieh et al. 2024, RULER: of models that claim 32,000 tokens or more only half use all of 32,000 well.
"""

TRANSCRIPT_BYTES_PER_TOKEN = 12
"""Bytes of a transcript to a token of its texts. Source: 10 to 12 in transcripts of Claude Code; a hook cannot read one
whole, its size it can ask for."""


@dataclass(slots=True, frozen=True)
class Shown:
    """How something was shown earlier: with how much evidence, and how long the transcript was then, if known.

    `is_at_start`: the session began with it, when nothing was asked, or said it itself.
    """

    evidence: float = 0.0
    session_bytes: int | None = None
    is_at_start: bool = False


FEWEST_OF_BAN = 2
"""Distinctive words that a prompt shares with what a rule forbids, to be about it. Source: ours; one is said by chance.
"""


MOST_OF_EXCHANGE = 0.5
"""Share of an exchange's distinctive words which a memory has that says it. Source: ours."""


def is_about_ban(prompt: str, text: str, telling: Collection[str] | None = None) -> bool:
    """Whether a prompt is about what a rule forbids: "put a retry around the flaky one".

    Of the words that both have one must be `telling`, where those are given: "go" and "look" are said all the time.
    """
    shared = subject(text) & subject(prompt)
    is_telling = telling is None or any(stem(term) in shared for term in telling)
    return forbids(text) and len(shared) >= FEWEST_OF_BAN and is_telling


class Rules:
    """The rules of one brief, and the texts that they let through so far.

    `asked` are the numbers of its question, `telling` those of its words that tell what it is about.
    """

    def __init__(
        self,
        question: Question,
        earlier: Mapping[tuple[int | None, int | None], Shown],
        asked: QueryFeatures | None = None,
        telling: Collection[str] | None = None,
    ) -> None:
        self.question, self.earlier, self.asked, self.telling = question, earlier, asked, telling
        self.texts: dict[str, str] = {}
        self.sources: dict[int, str] = {}
        self.exchanges: dict[int, str] = {}
        self.read: dict[int, list[Placement]] = {}

    def reason_against(self, hit: Placement, *, shows_title: bool = False) -> str:
        """Why a hit must not be shown whatever its score, or nothing; what was read before is not said again.

        `shows_title` says that its title may be shown too, which must not steer an agent either.
        """
        if self.is_elsewhere(hit):
            return OTHER_PROJECT
        shown = self.earlier.get((hit.memory_version_id, hit.entry_id))
        if shown is not None and not self.comes_back(hit, shown):
            self.remember(hit)
            return SHOWN_EARLIER
        if self.is_taken_back(hit):
            self.remember(hit)
            return TAKEN_BACK
        if self.question.is_unasked and is_report(hit):
            return OF_THEN
        if not hit.text.strip():
            return NO_TEXT
        is_agents = hit.type == "memory" and not hit.is_trusted
        reads = is_agents and (self.question.is_for_model or self.question.is_unasked)
        if reads and (reason := asks_for(hit.text, by_agent=True)):
            return reason
        beside = hit.title if shows_title else hit.line
        steering = find_injection(f"{beside}\n{hit.text}" if beside and beside != hit.text else hit.text)
        return STEERS.format(steering[0].rule) if steering else ""

    def is_taken_back(self, hit: Placement) -> bool:
        """Whether the prompt says that a memory no longer holds; what is locked holds until a person unlocks it."""
        is_asked = self.question.is_unasked and hit.type == "memory" and hit.features.lock_level != "user"
        return is_asked and is_taken_back(self.question.query, hit.text)

    def comes_back(self, hit: Placement, shown: Shown) -> bool:
        """Whether what the session had before is told again: a rule that is met, always; else once it is needed more.

        That is, where it now has strong evidence and had not, or where the session has gone on for so long that it is
        no longer in mind. What the session began with is before the agent whole: of that a rule comes back where it is
        locked, where it is met by strong evidence or by its moment, file or name, where the prompt is about what it
        forbids, or wants something done in a place that it speaks of; what is no rule does not for what is asked.
        """
        least = self.question.least_for_rules
        if least is None or hit.is_exceeded:
            return hit.is_exceeded
        if shown.is_at_start:
            is_locked = hit.features.lock_level == "user"
            is_met = self.asked is not None and is_named(self.asked, hit.features, least)
            is_banned = is_about_ban(self.question.query, hit.text, self.telling)
            is_clear = hit.evidence >= STRONG * least
            is_needed = hit.is_rule and (is_locked or is_met or is_clear or is_banned or self.is_of_place(hit))
        else:
            is_needed = hit.is_rule or shown.evidence < STRONG * least <= hit.evidence
        if is_needed:
            return True
        if shown.session_bytes is None:
            return False
        since = (self.question.session_bytes or 0) - shown.session_bytes
        return since >= FORGOTTEN_TOKENS * TRANSCRIPT_BYTES_PER_TOKEN

    def is_of_place(self, hit: Placement) -> bool:
        """Whether a prompt wants something done in a place that a rule speaks of: "push it to production"."""
        query = self.question.query
        return not asks_to_know(query) and bool(served_in(query) & served_in(hit.text))

    def is_elsewhere(self, hit: Placement) -> bool:
        """Whether a hit is of a project that this question may not be told of: it holds elsewhere and is not asked for.

        Of a project that the words point to, and of a sister where something is asked, knowledge may be told, talk may
        not.
        """
        features = hit.features
        is_meant = features.is_memory and (features.meant_project or features.sister_project)
        return not self.question.filters.other_projects and not features.holds_here() and not is_meant

    def repeats(self, hit: Placement) -> str:
        """Why a hit says nothing new, or nothing."""
        if (text := normal_text(hit)) in self.texts:
            return SAME_TEXT.format(self.texts[text])
        for entry_id in sorted(hit.entry_ids | {hit.entry_id or 0}):
            if entry_id in self.sources:
                return SOURCE_OF.format(self.sources[entry_id])
            if entry_id in self.exchanges:
                return SAME_EXCHANGE.format(self.exchanges[entry_id])
        read = self.says_what_was_read(hit) if hit.type == "entry" and self.read else ""
        return SOURCE_OF.format(read) if read else ""

    def note_read(self, hit: Placement) -> None:
        """Keeps what the session has read, though this prompt does not meet it, against an exchange that says it."""
        if hit.type == "memory" and (hit.memory_version_id, hit.entry_id) in self.earlier:
            for entry_id in hit.source_entry_ids:
                self.read.setdefault(entry_id, []).append(hit)

    def says_what_was_read(self, hit: Placement) -> str:
        """The uid of a memory that the session has read and that has most of an exchange's words, or nothing."""
        words = subject(hit.line or hit.text)
        read = [
            each for entry_id in sorted(hit.entry_ids | {hit.entry_id or 0}) for each in self.read.get(entry_id, ())
        ]
        return next((each.uid for each in read if len(words & subject(each.text)) >= MOST_OF_EXCHANGE * len(words)), "")

    def remember(self, hit: Placement) -> None:
        """From now on, what says the same and what it was made from repeat this hit."""
        self.texts[normal_text(hit)] = hit.uid
        for entry_id in hit.source_entry_ids:
            self.sources.setdefault(entry_id, hit.uid)
        for entry_id in hit.entry_ids:
            self.exchanges.setdefault(entry_id, hit.uid)

    def forget(self, hit: Placement) -> None:
        """A hit that did not fit: what repeats it may be shown."""
        self.texts = {text: uid for text, uid in self.texts.items() if uid != hit.uid}
        self.sources = {entry: uid for entry, uid in self.sources.items() if uid != hit.uid}
        self.exchanges = {entry: uid for entry, uid in self.exchanges.items() if uid != hit.uid}


def normal_text(hit: Placement) -> str:
    """A hit's words, by which it is known that two say the same."""
    return " ".join(hit.text.casefold().split())


def repeated_uid(reason: str | None) -> str:
    """The uid of the hit that one was left out for, because it says the same; empty for any other reason."""
    for template in (SAME_TEXT, SOURCE_OF, SAME_EXCHANGE):
        if reason and reason.startswith(start := template.format("")):
            return reason.removeprefix(start)
    return ""


def count_left_out(hits: Iterable[Placement]) -> dict[str, int]:
    """How many hits were left out, by reason; a reason that names a uid is counted without it."""
    counts: Counter[str] = Counter()
    for reason, count in Counter(hit.left_out_reason for hit in hits if hit.left_out_reason).items():
        counts[reason_class(reason)] += count
    return dict(sorted(counts.items()))


def reason_class(reason: str | None) -> str:
    """A reason without the uid it may name, for counting."""
    for template, meant in (
        (SAME_TEXT, "a shown hit"), (SOURCE_OF, "a shown hit"), (SAME_EXCHANGE, "a shown hit"),
        (SAME_SAYING, "a shown hit"),
        (RESTS_ON, "what no longer holds"), (OLDER, "what says otherwise"),
    ):  # fmt: skip
        start = template.partition("{")[0]
        if reason and reason.startswith(start):
            return start + meant
    for template, mark in ((STEERS, " ("), (SUPPRESSED, ":")):
        start = template.partition(mark)[0]
        if reason and reason.startswith(start):
            return start
    return reason or ""
