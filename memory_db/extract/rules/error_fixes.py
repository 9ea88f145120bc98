"""Errors and what cured them, read from the actions of a session.

In: the actions of one session in order. Out: for each command that failed and
passed later, the error's distinctive line and what was changed in between.
Invariant: only what lies between the failure and the pass is looked at, so a
session that grows later gives the same pairs again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

EDITING_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
SHELL_TOOLS = frozenset({"Bash", "shell", "run_shell_command", "exec_command"})
FILE_TOOLS = frozenset({"Read", "Grep", "Glob", "LS", "read_file", "search_file_content", "glob", "list_directory"})
"""Tools that show what stands in files, by the names that the agents give them."""

LOOKS_ONLY = re.compile(
    r"^(?:ls|cat|head|tail|grep|rg|find|pwd|echo|which|wc|less|sed -n|tree|stat|file|ps|ss|lsof|netstat|env|"
    r"printenv|type|du|df|date|fuser|lsusb|lspci|dmesg|journalctl|uname|whoami|hostname|id|top|free|uptime|nproc|"
    r"nslookup|host|traceroute|nm|objdump|readelf|ldd|md5sum|sha256sum|jq|"
    r"sleep|true|cd|curl|dig|ping|psql|sqlite3|diff|"
    r"git (?:status|diff|log|show|blame|branch|fetch|remote|rev-parse|ls-files|describe|reflog)|"
    r"(?:[\w./-]+ ){1,3}(?:ps|logs?|list|show|status|heads|history|current|describe|get|version|validate|plan|"
    r"info|inspect|check|diff)|"
    r"(?:[\w./-]+ )*?(?:--version|--help))\b(?!.*(?:\s>\s|&&|sed -i|\btee\b))"
)
"""Commands that change nothing; they neither cure an error nor are worth a pair."""

CHECKS = re.compile(
    r"^(?:\w+=\S+ )*(?:(?:uv run|npx|pnpm|npm run|npm|yarn|poetry run|python3? -m|bundle exec|just|make) )*"
    r"(?:pytest|vitest|jest|rspec|ruff|mypy|tsc|eslint|test|lint|typecheck|go (?:test|vet|build)|cargo (?:test|"
    r"check|build|clippy))\b"
)
"""Commands that only test; they fail and pass, but cure nothing."""

NAMED_ERROR = re.compile(r"\b\w+(?:Error|Exception)\b: \S|^(?:\w+ )?(?:error|fatal)(?:\[\w+\])?: \S", re.IGNORECASE)
"""A line that names an error and says more of it."""

FRAMED = re.compile(r"^(?:E\s+|FAILED \S+ - |\[?ERROR\]?:?\s+(?=\w+ ))")
"""What a test runner puts before the error itself."""

DECISIVE = re.compile(
    r"error|exception|fail|not found|no such|denied|refused|cannot|can't|unable|undefined|missing|invalid|"
    r"unexpected|timed? ?out|"
    r"mismatch|conflict|already in use|panic|fatal|unknown|unresolved|not installed|does not",
    re.IGNORECASE,
)
"""Words of a line that says what went wrong."""

NOISE = re.compile(
    r"^(?:exit code \d+|make(?:\[\d+\])?: \*\*\*|npm err(?:or|!) (?:code|errno|a complete log|lifecycle)|=+.*=+$|-+$|"
    r"\*\*\* \[|(?:--- )?fail:? \S+ \(?\d[\d.]*m?s\)?$|fail\s+\S+\s+[\d.]+m?s$|fail$|exit status \d|"
    r"\d+ (?:failed|passed|errors?)\b|"
    r"traceback|file \"|at |\^+|~+|during handling|short test summary|process exited|command failed with exit|"
    r"error: script|elifecycle|"
    r"the user doesn't want|\[request interrupted)",
    re.IGNORECASE,
)
"""Lines that only frame an error."""

REFUSED = re.compile(
    r"doesn't want to (?:proceed|take this action)|request interrupted|permission to use|haven't granted|"
    r"requested permissions",
    re.IGNORECASE,
)
"""What is said where the user stopped an action: nothing failed."""

SUMMARY = re.compile(
    r"^(?:summary\b|fail(?:ed)?:? [\w./-]+(?: |$)|\d+ tests?,? \d+ fail|.{0,40}\btests? (?:run|failed)\b|"
    r"label \w+ =|double line|"
    r"\s*\w+ p\d\d\b|assert(?:ionerror)?\b|assertion failed|nameerror|e?\s*assert )",
    re.IGNORECASE,
)
"""Lines that say that a check failed, and nothing of why."""

COUNTS = re.compile(r"\s*tests?:?\s+\d+ failed\b[\w |(),]*$", re.IGNORECASE)
"""A line that says how many tests failed, and nothing else."""

OUTCOME = re.compile(
    r"\bexpected\b(?! here)|\b(?:got|received):? ['\"]?\d|\b\w+=\d+[ ,]+\w+=\d+|\[build failed\]", re.IGNORECASE
)
"""What a check expected and what came, and how its run ended: it says so again whenever it is so."""

NAMES_TROUBLE = re.compile(
    rf"{DECISIVE.pattern}|exceed|too many|limit|\bbad\b|\bnot\b|\bno\b|fault|killed|expired|locked|must|required|"
    r"unsupported|closed|deadlock|out of|illegal|aborted|corrupt|warning|rejected|forbidden|only",
    re.IGNORECASE,
)
"""Words of a line that names what is wrong, and does not only show some output."""

THROW_AWAY = re.compile(
    r"^(?:\w+=\S+ )*(?:(?:uv|poetry|npx) (?:run )?)?(?:python3?|node|bash|sh|ruby|perl|tsx|bun) (?:-\S+ )*"
    r"(?:\S*/)?(?:tmp|temp|scratch)[_./-]",
    re.IGNORECASE,
)
"""A command that runs a script which nobody keeps."""

OWN_NAME = re.compile(
    r"(?:nameerror: name|has no attribute|cannot find (?:name|symbol|function|value)|undefined:|property|"
    r"unresolved name) ['\"`]?(?P<name>\w+)|(?P<missing>\w+) is not (?:defined|a function)\b",
    re.IGNORECASE,
)
"""How an error names what the code does not know."""

TEST_FILE = re.compile(r"^edited `(?:test_|[^`]*[._](?:test|spec)\.)")
"""A changed test is named after what it tests: it is seldom the cure."""

PREAMBLE = re.compile(r"import\b|from\b|use\b|package\b|#|//|/\*|\"\"\"|--")
"""Lines at the head of a file."""

AS_MEANT = re.compile(
    r"\bas (?:it should|they should|expected|intended|wanted|planned|meant|designed|hoped)\b|"
    r"\b(?:still|rightly|correctly|properly|duly) "
    r"(?:stops|dies|exits|refuses|rejects|fails|complains|is (?:refused|rejected|caught|turned down|stopped))\b",
    re.IGNORECASE,
)
"""How an agent tells that a command fails where it is to fail: "without a folder it still stops"."""

MOST_CHANGES = 3
MOST_ACTIONS_BETWEEN = 40
LINE_CHARACTERS = 200
CHANGE_CHARACTERS = 90


@dataclass(slots=True, frozen=True)
class ActionRow:
    """One action as the rules read it; `result` is the stored text of its result."""

    entry_id: int
    result_entry_id: int | None
    tool: str
    target: str
    input: str
    is_error: bool | None
    result: str


@dataclass(slots=True, frozen=True)
class ErrorFix:
    """A command that failed, how, and what was changed until it passed."""

    failed: ActionRow
    passed: ActionRow
    error_line: str
    changes: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def text(self) -> str:
        """The pair in one sentence or two."""
        command, cure = shortened(self.failed.target), "; ".join(self.changes)
        return f"`{command}` failed with: {self.error_line.rstrip('.')}. What cured it: {cure}."


def error_fixes(actions: Sequence[ActionRow]) -> Iterator[ErrorFix]:
    """Each command that failed and later passed after something had been changed; one pair for one failure."""
    open_failures: dict[str, int] = {}
    for index, action in enumerate(actions):
        key = command_key(action)
        if key is None or action.is_error is None:
            continue
        if action.is_error:
            if not REFUSED.search(action.result) and decisive_line(action.result):
                open_failures[key] = index
            continue
        for cured in [failed for failed in open_failures if key.startswith(failed) or failed.startswith(key)]:
            failed_at = open_failures.pop(cured)
            pair = paired(actions, failed_at, index)
            if pair is not None and index - failed_at <= MOST_ACTIONS_BETWEEN:
                yield pair


def paired(actions: Sequence[ActionRow], failed_at: int, passed_at: int) -> ErrorFix | None:
    """The pair of a failure and a pass, or None where nothing was changed between them."""
    failed = actions[failed_at]
    described, paths = [], []
    for action in actions[failed_at + 1 : passed_at]:
        if action.is_error:
            continue
        change = change_of(action)
        if change and change not in described:
            described.append(change)
            if action.tool in EDITING_TOOLS:
                paths.append(action.target)
    if not described:
        return None
    line = decisive_line(failed.result)
    if THROW_AWAY.search(failed.target) or is_slip(line, actions[:passed_at]):
        return None
    described.sort(key=lambda change: bool(TEST_FILE.search(change)))
    return ErrorFix(failed, actions[passed_at], line, tuple(described[:MOST_CHANGES]), tuple(dict.fromkeys(paths)))


def is_slip(line: str, actions: Sequence[ActionRow]) -> bool:
    """Whether an error tells only how a check ended, names no trouble, or names what an edit of the session changed."""
    is_outcome = OUTCOME.search(line) is not None and NAMED_ERROR.search(line) is None
    if COUNTS.match(line) or is_outcome or NAMES_TROUBLE.search(line) is None:
        return True
    found = OWN_NAME.search(line)
    name = (found["name"] or found["missing"]) if found else ""
    edits = (one.input.replace("\\n", "\n") for one in actions if one.tool in EDITING_TOOLS and not one.is_error)
    return bool(name) and any(re.search(rf"\b{re.escape(name)}\b", each) for each in edits)


def is_meant(fix: ErrorFix, actions: Sequence[ActionRow], words: Iterable[tuple[int, str, str]]) -> bool:
    """Whether a command was run to see that it fails, as the agent says between the failure and the first change.

    `words` are what was said, each with the id of its entry and who said it.
    """
    end = next(
        (one.entry_id for one in actions if one.entry_id > fix.failed.entry_id and not one.is_error and change_of(one)),
        fix.passed.entry_id,
    )
    said = [text for number, role, text in words if role == "assistant" and fix.failed.entry_id < number < end]
    is_question = bool(said) and said[-1].rstrip("*_`) \n").endswith("?")
    return not is_question and any(AS_MEANT.search(text) for text in said)


def command_key(action: ActionRow) -> str | None:
    """What makes two runs the same command: its programs and words, without flags and redirections."""
    if action.tool not in SHELL_TOOLS:
        return None
    command = re.sub(r"\d?>(?:&\d|\S+)|\|\s*(?:head|tail|tee|grep|cat)\b.*$|2>&1", " ", action.target)
    last = re.split(r"&&|;|\n", command)[-1].strip() or command
    words = [word for word in re.sub(r"^(?:\w+=\S+\s+)+", "", last).split() if not word.startswith("-")]
    if not words or LOOKS_ONLY.match(" ".join(words)):
        return None
    return " ".join(words[:4])


def decisive_line(result: str) -> str:
    """The last line that says what went wrong, else the last that says anything; empty when none does."""
    lines = [line.strip() for line in result.splitlines()]
    lines = [line for line in lines if line and not NOISE.match(line) and any(map(str.isalpha, line))]
    named = [line for line in lines if NAMED_ERROR.search(line)]
    decisive = named or [line for line in lines if DECISIVE.search(line)]
    chosen = decisive[-1] if decisive else (lines[-1] if lines else "")
    return FRAMED.sub("", chosen)[:LINE_CHARACTERS]


def subject_of(action: ActionRow) -> str:
    """What an action is about, in a word or two: its command, or the name of its file."""
    key = command_key(action)
    if key is not None:
        return " ".join(key.split()[:3])
    return PurePosixPath(action.target.split("\n")[0]).name if action.tool in EDITING_TOOLS else action.tool


def change_of(action: ActionRow) -> str | None:
    """What an action changed, in a few words; None where it only looked."""
    if action.tool in EDITING_TOOLS:
        name = PurePosixPath(action.target).name or action.target
        return f"edited `{name}`{edit_detail(action.input)}"
    command = re.sub(r"^cd \S+ (?:&&|;) ", "", action.target.strip())
    if action.tool in SHELL_TOOLS and command and not LOOKS_ONLY.match(command) and not CHECKS.match(command):
        return f"ran `{shortened(action.target)}`"
    return None


def edit_detail(raw: str) -> str:
    """What an edit put in the place of what, where its input still says so."""
    before, after = (shortened(first_decisive(lines)) for lines in changed_lines(raw))
    if before and after:
        return f" (`{before}` became `{after}`)"
    return f" (added `{after}`)" if after else f" (removed `{before}`)" if before else ""


def changed_lines(raw: str) -> tuple[list[str], list[str]]:
    """The lines that only the old text of an edit has, and those that only the new one has."""
    try:
        given = json.loads(raw)
    except ValueError:
        return [], []
    if not isinstance(given, dict):
        return [], []
    old, new = given.get("old_string", ""), given.get("new_string", given.get("content"))
    if not isinstance(old, str) or not isinstance(new, str):
        return [], []
    old_lines = [line.strip() for line in old.splitlines()]
    new_lines = [line.strip() for line in new.splitlines()]
    before = [line for line in old_lines if line and line not in new_lines]
    after = [line for line in new_lines if line and line not in old_lines]
    return before, after


def first_decisive(lines: list[str]) -> str:
    """The first line that is not an import or a comment, else the first."""
    return next((line for line in lines if not PREAMBLE.match(line)), lines[0] if lines else "")


def shortened(text: str) -> str:
    """One line of at most CHANGE_CHARACTERS, without code marks."""
    line = " ".join(text.replace("`", "'").split())
    return line if len(line) <= CHANGE_CHARACTERS else line[: CHANGE_CHARACTERS - 1].rstrip() + "…"
