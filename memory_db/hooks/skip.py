"""Which prompts need no recall: commands, acknowledgements, notices of the client, what stays with the same topic.

In: the text of a prompt; for the topic also the session's last recall. Out: a reason, or nothing. Pure: no file, no
clock. Invariant: when in doubt a prompt is asked; a recall too many costs milliseconds, a missing one an answer.
"""

from __future__ import annotations

from memory_db.text.acknowledging import is_acknowledgement, is_short_reply, points_back
from memory_db.text.names.literals import literals_in
from memory_db.text.terms import paths_in

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Collection

EMPTY = "an empty prompt"
COMMAND = "a slash command"
NOTICE = "a notice of the client"
ACKNOWLEDGED = "an acknowledgement"
SHORT_REPLY = "a short reply to the turn before"
POINTS_BACK = "no word of its own"

SAME_SHARE = 0.6
"""Share of a prompt's distinctive words that the session's last recall asked for already, from which on it goes on with
it.

Source: `python -m bench.hook_topics`, prompts in a row of the sample history: of those that share nothing .89 of the
hits are new, with a share of .2 to .35 still .60, from .35 on about a quarter; none of them that changes its topic
shares more than .57.
"""


NOTICES = (
    "task-notification", "system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat",
    "command-name", "command-message", "command-args", "command-contents", "bash-input", "bash-stdout", "bash-stderr",
    "user-prompt-submit-hook", "teammate-message", "user-memory-input", "ide_opened_file", "ide_selection", "tick",
)  # fmt: skip
"""Elements that the client writes into prompts. Source: transcripts of Claude Code."""

INTERRUPTED = "[Request interrupted by user"


def without_notices(prompt: str) -> str:
    """What a person wrote of a prompt: without the elements that the client put before or behind it."""
    text = prompt.strip()
    while name := next((each for each in NOTICES if opens(text, each)), ""):
        end = text.find(f"</{name}>")
        text = text[end + len(name) + 3 :].strip() if end >= 0 else ""
    while name := next((each for each in NOTICES if text.endswith(f"</{each}>")), ""):
        start = text.rfind(f"<{name}")
        if start < 0:
            break
        text = text[:start].strip()
    return text


def opens(text: str, name: str) -> bool:
    """Whether a text begins with that element."""
    return text.startswith(f"<{name}") and text[len(name) + 1 : len(name) + 2] in (">", " ", "\n", "/")


def skipped(prompt: str) -> str:
    """Why a prompt needs no recall by itself; empty where it does. Notices are to be taken off before."""
    if not prompt:
        return EMPTY
    if prompt.startswith(INTERRUPTED):
        return NOTICE
    if is_command(prompt):
        return COMMAND
    if is_acknowledgement(prompt):
        return ACKNOWLEDGED
    if points_back(prompt):
        return POINTS_BACK
    return SHORT_REPLY if is_short_reply(prompt) else ""


def is_command(prompt: str) -> bool:
    """Whether a prompt is a slash command, such as `/clear` or `/mem:recall words`; a path is none."""
    name = prompt[1:].split(None, 1)[0] if prompt.startswith("/") and prompt[1:].strip() else ""
    return name[:1].isalpha() and prompt[1] == name[0] and all(each.isalnum() or each in ":_-" for each in name)


def goes_on(prompt: str, terms: Collection[str], last_query: str, last_terms: Collection[str]) -> bool:
    """Whether a prompt stays with what the session's last recall asked; a name that was not in it is a new topic."""
    if not terms or not last_terms:
        return False
    known = set(last_terms)
    if sum(term in known for term in terms) < SAME_SHARE * len(terms):
        return False
    asked = " ".join(last_query.casefold().split())
    said = " ".join("".join([each if each.isalnum() else " " for each in asked]).split())
    return all(path.casefold() in asked for path in paths_in(prompt)) and all(
        literal in said for literal in literals_in(prompt)
    )
