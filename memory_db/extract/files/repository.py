"""A repository on this disk as facts: which of its files are read, how, and which are passed over and why.

In: a folder. Out: `RepositoryFile`s and, of each, its facts. Invariants: only files of known names are opened; a link
that leads out of the folder, a file that is no text or is too large is never read and is counted with its reason; git
is asked for subjects and trailers alone, with nothing of the repository's own configuration run.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memory_db.extract.files.ci import WORKFLOW, ci_facts
from memory_db.extract.files.commands import (
    fenced_commands,
    just_commands,
    loaded,
    make_commands,
    package_commands,
    pyproject_commands,
)
from memory_db.extract.files.directives import directives
from memory_db.extract.files.facts import FileFact, each_once, line_at, line_of
from memory_db.extract.files.git_log import MOST_COMMITS, PATH, commit_facts, commits_of
from memory_db.extract.files.layout import layout_facts, package_folder
from memory_db.extract.files.prose_words import FOR_AGENTS, FOR_CONTRIBUTORS, FOR_PEOPLE
from memory_db.redact.clean import clean
from memory_db.transcripts.links import LEADS_OUT, link_out

VERSION = "2"
"""Raised when the readers change, so that files that did not change are read again."""

MOST_BYTES = 256 * 1024
"""A larger file is no instruction file. Source: ours: some 60,000 tokens, more than an agent reads at a start."""

DEEPEST = 2
"""How many folders down instruction files and packages are looked for: `packages/web/CLAUDE.md`."""

NOT_OURS = frozenset(
    "node_modules vendor third_party dist build target venv env __pycache__ site-packages coverage tmp fixtures"
    " testdata".split()
)  # fmt: skip
"""Folders that hold what others wrote, or what was made."""

NAMES = re.compile(
    r"(?:claude(?:\.local)?\.md|agents\.md|memory\.md|gemini\.md|\.cursorrules|\.windsurfrules|readme(?:\.(?:md|markdown|rst|txt))?"
    r"|contributing(?:\.(?:md|markdown|rst|txt))?|(?:gnu)?makefile|\.?justfile|package\.json|pyproject\.toml)",
    re.IGNORECASE,
)
NESTED = re.compile(r"(?:claude\.md|agents\.md|package\.json)", re.IGNORECASE)
"""Which of them are read below the top."""

ELSEWHERE = (
    ".claude/CLAUDE.md", ".github/copilot-instructions.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md",
    "docs/DEVELOPMENT.md", "DEVELOPMENT.md",
)  # fmt: skip
GLOBS = (".cursor/rules/*.mdc", ".cursor/rules/*.md", ".github/workflows/*.yml", ".github/workflows/*.yaml")

BINARY, TOO_LARGE = "not a text file", f"larger than {MOST_BYTES // 1024} KiB"

GIT_SECONDS = 10
GIT_OPTIONS = (
    "--no-pager",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
)


@dataclass(slots=True, frozen=True)
class RepositoryFile:
    """A file that may be read: its path as seen from the root, where it is, and why it is passed over, if it is."""

    path: str
    place: Path
    skipped: str = ""


def files_in(root: Path) -> Iterator[RepositoryFile]:
    """The files of a folder that can hold facts, in order, each once, those that are passed over with the reason."""
    seen: set[Path] = set()
    matched = (place for pattern in GLOBS for place in root.glob(pattern))
    for place in sorted({*named_below(root), *(root / name for name in ELSEWHERE), *matched}):
        if not place.is_symlink() and not place.is_file():
            continue
        path = place.relative_to(root).as_posix()
        if link_out(place, root):
            yield RepositoryFile(path, place, LEADS_OUT)
            continue
        real = place.resolve()
        if real in seen or not real.is_file():
            continue
        seen.add(real)
        yield RepositoryFile(path, place, TOO_LARGE if real.stat().st_size > MOST_BYTES else "")


def named_below(root: Path) -> Iterator[Path]:
    """Files of known names at the top, and those of an agent and of packages a few folders down."""
    folders = [root]
    for depth in range(DEEPEST + 1):
        below: list[Path] = []
        for folder in folders:
            for one in sorted(folder.iterdir()) if is_readable(folder) else ():
                if (NAMES if depth == 0 else NESTED).fullmatch(one.name):
                    yield one
                elif not one.name.startswith(".") and one.name not in NOT_OURS and is_folder(one):
                    below.append(one)
        folders = below


def is_folder(path: Path) -> bool:
    """Whether a path is a folder, and not by a link."""
    return path.is_dir() and not path.is_symlink()


def is_readable(folder: Path) -> bool:
    """Whether a folder can be listed: what cannot is passed over."""
    try:
        next(folder.iterdir(), None)
    except OSError:
        return False
    return True


def text_of(data: bytes) -> str | None:
    """The text of a file; None where it is none."""
    if b"\x00" in data[:8192]:
        return None
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text if text.count("�") <= len(text) // 100 else None


def facts_in(text: str, path: str, root: Path | None = None) -> list[FileFact]:
    """The facts of one file's text; `root`, where the project is on this disk, tells what lies beside it."""
    name = path.rpartition("/")[2].casefold()
    found: list[FileFact] = []
    folder = (root / path).parent if root else None
    beside = [each.name for each in folder.iterdir()] if folder and folder.is_dir() else []
    if FOR_AGENTS.search(path) or FOR_PEOPLE.search(path):
        cleaned = clean(text)[0]
        found = [with_line(fact, cleaned, text) for fact in prose_facts(cleaned, path, root)]
    elif name in ("makefile", "gnumakefile"):
        found = list(make_commands(text, path))
    elif name in ("justfile", ".justfile"):
        found = list(just_commands(text, path))
    elif name == "package.json":
        found = list(package_commands(text, path, beside=beside)) if "/" not in path else described(text, path)
    elif name == "pyproject.toml":
        found = list(pyproject_commands(text, path, beside=beside))
    elif WORKFLOW.match(path):
        found = list(ci_facts(text, path))
    return [fact for fact in each_once(found) if all(clean(each)[0] == each for each in (fact.text, fact.quote))]


def prose_facts(text: str, path: str, root: Path | None) -> Iterator[FileFact]:
    """What a file of prose directs, and the folders that it describes."""
    yield from layout_facts(text, path, lambda name: root is None or (root / name).exists())
    yield from directives(text, path)
    if FOR_AGENTS.search(path) or FOR_CONTRIBUTORS.search(path):
        yield from fenced_commands(text, path)


def with_line(fact: FileFact, cleaned: str, text: str) -> FileFact:
    """A fact with its line in the file itself, from which redaction may have taken lines away."""
    if cleaned == text:
        return fact
    first = fact.quote.split("\n")[0].strip()
    before = sum(first in line for line in cleaned.split("\n")[: fact.line - 1])
    lines = [number for number, line in enumerate(text.split("\n"), 1) if first in line]
    return replace(fact, line=lines[before]) if before < len(lines) else fact


def described(text: str, path: str) -> list[FileFact]:
    """The folder of a package below the top, as its metadata describes it."""
    description = loaded(json.loads, text).get("description")
    line = line_of(text, '"description"')
    fact = package_folder(path, line, line_at(text, line), description, ()) if isinstance(description, str) else None
    return [fact] if fact and line else []


# ---------------------------------------------------------------------- git


def git_head(root: Path) -> str:
    """The commit that a repository is at; '' where the folder is the top of none, or git is not there."""
    return run_git(root, "rev-parse", "--verify", "--quiet", "HEAD").strip() if (root / ".git").exists() else ""


def git_facts(root: Path) -> list[FileFact]:
    """How the commits of a repository are written."""
    form = "--format=%s%n%(trailers:only,unfold)"
    log = run_git(root, "log", "-z", "--no-merges", f"--max-count={MOST_COMMITS}", form)
    found = list(commit_facts(commits_of(log)))
    return [fact for fact in found if clean(fact.quote)[0] == fact.quote]


def run_git(root: Path, *arguments: str) -> str:
    """What git says; '' where it says nothing, is not there or takes too long."""
    program = shutil.which("git")
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "-C", str(root), *GIT_OPTIONS, *arguments], capture_output=True, timeout=GIT_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


__all__ = ["PATH", "RepositoryFile", "facts_in", "files_in", "git_facts", "git_head", "text_of"]
