"""What an agent ran, a simple command at a time: what each was for, its general form, and whether it succeeded.

In: tool calls as they were stored, already redacted. Out: `Step`s in order. Pure. Invariants: a command that was not
run is no step; where a line does not tell which of its commands failed, the outcome is unknown and counts for nothing;
a command with something redacted or forgotten in it is left out, for nobody can type it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory_db.records import later
from memory_db.text.commands.lines import Part, assignments, parts_of, told_anyway
from memory_db.text.commands.purposes import ABOUT_CODE, STARTS_ANOTHER, Use, use_of
from memory_db.text.scrubbing import FORGOTTEN

SUCCEEDED, FAILED, UNKNOWN = "succeeded", "failed", "unknown"
"""What can have come of a command."""

MOST_CHARACTERS = 300
"""Characters of a command that can be shown as how something is done. Source: ours; a longer one is a script."""

WITHOUT = ("[redacted", FORGOTTEN)
"""What stands where something was taken out."""

NOT_RUN = (
    "The user doesn't want", "<tool_use_error>", "[Request interrupted", "Permission to use",
    "Claude requested permission", "This command requires approval", "User rejected",
)  # fmt: skip
"""How the result of a call begins that was not carried out. Source: transcripts of Claude Code."""

SAYS_FAILED = later(
    r"(?im)^FAILED\b|\b[1-9]\d* (?:failed|failures?|errors?)\b|^(?:fatal|error)[:\[ ]|Traceback \(most recent"
    r"|command not found|npm ERR!|ELIFECYCLE|^make: \*\*\*|\bexit (?:code|status)?:? ?[1-9]"
)
"""What a result says where a pipe hid the exit code: `pytest | tail` ends as `tail` does."""

RAN_NO_TEST = later(r"(?im)^Ran 0 tests\b|\bno tests ran\b|\bcollected 0 items\b|^No tests? found")
"""What a result says of a command that found no test, and is content with that. What is said of a package is none."""

SAYS_WRONG = later(
    r"(?i)command not found|No such file or directory|No module named|Missing script|unknown command|not recognized"
    r"|No such command|ERR_PNPM_NO_SCRIPT|executable file not found|No rule to make target"
    r"|Unsupported engine|EBADENGINE"
    r"|externally-managed|unrecognized arguments|invalid choice|Command .* not found"
)
"""What a result says of a command that is wrong, whatever the code that it looks at."""

SETS_UP = frozenset("cd export unset source . set nvm conda pyenv umask".split())
"""Commands that only prepare the shell for those behind them on the same line."""

LOOKS = SETS_UP | frozenset(
    "echo printf true false : pwd ls cat head tail grep rg ag sed awk which type mkdir touch cp mv rm"
    " sleep date env wc sort"
    " uniq tee find diff jq cut tr xargs ps kill pkill lsof ss test [ clear history whoami tree stat"
    " du df file less more"
    " for while read wait bg jobs exit trap chmod ln".split()
)
"""Commands that look, or move files: neither a way to do something nor what is usually done before it."""

GIT_LOOKS = frozenset(
    "status log diff show add branch checkout switch remote stash rev-parse ls-files grep blame"
    " worktree config describe"
    " fetch restore".split()
)

NARROWING = frozenset(
    "-k -t -g -run --run-only --testNamePattern --testPathPattern --grep --filter --count --tests"
    " --only --lf --last-failed"
    " --ff --failed-first --sw --stepwise --pdb --deselect --repeat-each --retries --shard"
    " --durations --nf --changed".split()
)
"""Options with which only some of the tests are run, or some again and again."""

TAKE_VALUE = frozenset(
    "-k -t -g -run --testNamePattern --testPathPattern --grep --filter --count --tests --deselect"
    " --repeat-each --retries"
    " --shard --durations".split()
)

EVERYTHING = frozenset(". ./... ... tests tests/ test test/ spec spec/ all ./ src src/".split())
"""What a test tool is given to run all there is."""

FILE = later(r"::|\.[A-Za-z][A-Za-z0-9]{0,5}(?:$|:)|[*\[]")
"""How a word looks that names files or single tests."""

VERSION = later(r"\bv?\d+\.\d+(?:\.\d+)?(?:[-+.]?(?:a|b|rc|alpha|beta|dev|post)[\w.]*)?|(?<=:)[0-9a-f]{7,40}\b")

MESSAGE = frozenset("-m --message --name -n".split())

QUOTE = later(r"['\"]")

OF_VERSIONS = frozenset(("release", "build", "deploy"))

BY_TOOL = ABOUT_CODE | {"add", "new-migration", "docs", "install"}
"""Purposes of which the tool and its task are the normal form, whatever options and files follow, in any folder."""


STAYS_UP = frozenset(("run", "services"))
"""Purposes of commands that go on running: that they were started is all there is to succeed in."""


@dataclass(slots=True, frozen=True)
class Ran:
    """A line that an agent ran: the action, its session, the line, whether it failed, what it told, and when."""

    action_id: int
    session_id: int
    command: str
    is_error: bool
    excerpt: str
    ran_at: str


@dataclass(slots=True, frozen=True)
class Form:
    """A command without what was special about one use of it.

    `normal_form` is equal for all uses that do the same; `shown` is how it is typed; `is_narrow` says that the use was
    of a part only, so that `shown` was cut; `purpose` is empty for a command that no rule knows.
    """

    purpose: str
    normal_form: str
    shown: str
    is_narrow: bool


@dataclass(slots=True, frozen=True)
class Step:
    """One use of a command: `position` is its place on its line; `is_wrong`: it failed because it is wrong itself."""

    action_id: int
    position: int
    session_id: int
    form: Form
    outcome: str
    ran_at: str
    is_wrong: bool


@dataclass(slots=True, frozen=True)
class Placed:
    """A command on its line: its form, and what its outcome is where the line succeeded, or failed.

    `is_piped`: its output went into another command, whose exit code took the place of its own.
    """

    position: int
    form: Form
    on_success: str
    on_failure: str
    is_piped: bool


def steps_of(runs: Iterable[Ran], roots: Sequence[str]) -> Iterator[Step]:
    """The steps of lines that were run, in their order; `roots` are the folders of the project."""
    known: dict[str, list[Placed]] = {}
    for ran in runs:
        if ran.excerpt.startswith(NOT_RUN):
            continue
        if ran.command not in known:
            known[ran.command] = list(forms_on(ran.command, roots))
        for placed in known[ran.command]:
            outcome = placed.on_failure if ran.is_error else placed.on_success
            if placed.is_piped and outcome == SUCCEEDED and SAYS_FAILED.search(ran.excerpt):
                outcome = FAILED
            if outcome == SUCCEEDED and placed.form.purpose == "test" and RAN_NO_TEST.search(ran.excerpt):
                outcome = UNKNOWN
            is_wrong = outcome == FAILED and bool(SAYS_WRONG.search(ran.excerpt))
            yield Step(ran.action_id, placed.position, ran.session_id, placed.form, outcome, ran.ran_at, is_wrong)


def forms_on(command: str, roots: Sequence[str]) -> Iterator[Placed]:
    """The commands of a line that do something, each with what the line's exit code says of it."""
    parts = parts_of(command)
    before: list[str] = []
    doing: list[tuple[int, Form]] = []
    for position, part in enumerate(parts):
        if part.words[0] in SETS_UP:
            place = part.text if part.words[0] != "cd" else change_of_folder(part, roots)
            if place is None:
                break
            before += [place] if place else []
        elif not only_looks(part):
            doing.append((position, form_of(part.words, before)))
    for position, form in doing:
        if len(form.shown) <= MOST_CHARACTERS and not any(mark in form.shown for mark in WITHOUT):
            operators = [part.after for part in parts[position:]]
            alone = len(doing) == 1 or position == doing[-1][0] >= last_break(parts) > doing[-2][0]
            yield Placed(
                position, form, on_success(operators, form.purpose),
                FAILED if alone and ";" not in operators[:-1] and "||" not in operators else UNKNOWN,
                operators[0] == "|",
            )  # fmt: skip


def last_break(parts: Sequence[Part]) -> int:
    """The place of the command from which on the exit code of a line is told."""
    breaks = [place + 1 for place, part in enumerate(parts[:-1]) if part.after in (";", "&")]
    return breaks[-1] if breaks else 0


def on_success(operators: Sequence[str], purpose: str) -> str:
    """What came of a command on a line that succeeded; `operators` stand behind it and behind those that follow."""
    *between, last = operators
    if last == "&" or "&" in between:
        return SUCCEEDED if purpose in STAYS_UP else UNKNOWN
    return SUCCEEDED if {"&&", "|"}.issuperset(between) else UNKNOWN


def change_of_folder(part: Part, roots: Sequence[str]) -> str | None:
    """A `cd` as seen from the project's folder: empty where it leads there, None where it leads out of the project."""
    target = (part.plain[1] if len(part.words) > 1 else "~").rstrip("/") or "/"
    for root in roots:
        if target == root or (target.startswith("~/") and root.endswith(target[1:])):
            return ""
        if target.startswith(f"{root}/"):
            return f"cd {target[len(root) + 1 :]}"
    return None if target.startswith(("/", "~")) else "" if target == "." else part.text


def only_looks(part: Part) -> bool:
    """Whether a command neither does something for the project nor can be what has to be done before it."""
    words = part.plain[assignments(part.words) :]
    if not words or words[0] in LOOKS:
        return True
    return words[0] == "git" and (len(words) == 1 or words[1] in GIT_LOOKS)


# -------------------------------------------------------------- general forms


def form_of(words: Sequence[str], before: Sequence[str] = ()) -> Form:
    """The general form of a command; `before` are commands on its line that prepare the shell for it."""
    number = assignments(tuple(words))
    given, rest = list(words[:number]), told_anyway(tuple(words[number:]))
    part = Part(rest, "")
    use = use_of(part.plain)
    if use is None:
        return unknown_form(part)
    kept, is_narrow = arguments_of(part, use)
    tool = rest[: use.tool_words]
    shown = " ".join([*given, *tool, *kept])
    normal = " ".join(part.plain[: use.tool_words])
    if use.purpose not in BY_TOOL:
        folders = [f"{each} &&" for each in before if each.startswith("cd ")]
        named = [word for word in kept if not word.startswith("-") and not QUOTE.search(word)]
        normal = " ".join([*folders, normal, *named])
    return Form(use.purpose, normal, " && ".join([*before, shown]), is_narrow)


def unknown_form(part: Part) -> Form:
    """A command that no rule knows, by its first words: what it does, without what it is done to."""
    started = STARTS_ANOTHER.match(part.text)
    number = started[0].count(" ") if started else 0
    words = list(part.plain[:number])
    for place in range(number, min(number + 2, len(part.words))):
        word = part.plain[place]
        if words[number:] and (word.startswith(("-", "/", "$", "<")) or FILE.search(word) or part.words[place] != word):
            break
        words.append(word)
    normal = " ".join(words)
    return Form("", normal, normal + (" …" if len(part.words) > len(words) else ""), False)


def arguments_of(part: Part, use: Use) -> tuple[list[str], bool]:
    """What follows the tool's words in general, and whether something was left out that made the use a narrow one."""
    words = list(part.words[use.tool_words :])
    if use.purpose in ABOUT_CODE:
        return without_files(words, is_test=use.purpose == "test")
    if use.purpose == "add":
        options = [word for word in words if word.startswith("-")]
        return [*options, "<package>"], False
    if use.purpose == "new-migration":
        return with_message(words), False
    if use.purpose in OF_VERSIONS:
        return [VERSION.sub("<version>", word) for word in words], False
    return words, False


def without_files(words: list[str], *, is_test: bool) -> tuple[list[str], bool]:
    """Arguments without single files and tests; of a test tool without folders and names too."""
    kept: list[str] = []
    is_narrow = is_value = False
    for word in words:
        name = word.partition("=")[0]
        if is_value:
            is_value = False
        elif name in NARROWING and is_test:
            is_narrow, is_value = True, name in TAKE_VALUE and "=" not in word
        elif word.startswith("-") or word in EVERYTHING:
            kept.append(word)
        elif is_test and word.startswith("./") and word.endswith("/..."):
            kept, is_narrow = [*kept, "./..."], True
        elif is_test or FILE.search(word):
            is_narrow = True
        else:
            kept.append(word)
    return [word for place, word in enumerate(kept) if word != "--" or place + 1 < len(kept)], is_narrow


def with_message(words: list[str]) -> list[str]:
    """Arguments of what makes a migration, a placeholder for what it is called."""
    kept: list[str] = []
    for word in words:
        name = word.partition("=")[0]
        if kept and kept[-1] in MESSAGE:
            kept.append('"<message>"')
        elif name in MESSAGE and "=" in word:
            kept.append(f'{name}="<message>"')
        elif word.startswith("-"):
            kept.append(word)
        elif not any(each.startswith("<") for each in kept):
            kept.append("<name>")
    return kept
