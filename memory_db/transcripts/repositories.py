"""What the disk says of the git repository around a folder.

In: a folder, or the address of a remote. Out: its top, whether that is a worktree, its remote. Invariant: credentials
of a remote are never kept.
"""

from __future__ import annotations

import re
from pathlib import Path

from memory_db.records import dataclass
from memory_db.redact.clean import clean

REMOTE_URL = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)(?:[^/@]*@)?([^/:]+)(?::\d+)?/+(.+)$", re.IGNORECASE)


REMOTE_SCP = re.compile(r"^(?:[^@/:]+@)?([^/:@]+):(?!//)(.+)$")


@dataclass(slots=True, frozen=True)
class Repository:
    """What the disk says of a folder: the cleaned top of its repository, whether that is a worktree, its remote."""

    root: str
    is_worktree: bool
    remote: str | None


def normal_remote(url: str) -> str | None:
    """A remote as `host/owner/name`, the same for https and ssh and without credentials; None for a local one."""
    url = clean(url)[0].strip()
    match = REMOTE_URL.match(url) or REMOTE_SCP.match(url)
    if match is None or url.startswith(("file:", "/", ".", "~")):
        return None
    path = re.sub(r"(?:\.git)?/*$", "", match[2].partition("?")[0].partition("#")[0])
    return f"{match[1].lower()}/{path}"[:500] if path else None


def repository(path: str) -> Repository | None:
    """The git repository around a folder of this disk; None where the folder is not here or in none."""
    folder = Path(path)
    try:
        if not folder.is_absolute() or not folder.is_dir():
            return None
        for place in (folder, *folder.parents):
            if (place / ".git").exists():
                return repository_at(place)
    except (OSError, ValueError):
        return None
    return None


def repository_at(top: Path) -> Repository:
    """The repository whose `.git` stands in `top`: a folder, or a file that points to that of the main one."""
    marker = top / ".git"
    if marker.is_dir():
        return Repository(clean(str(top))[0], False, remote_in(marker / "config"))
    pointer = marker.read_text("utf-8", "replace").strip().removeprefix("gitdir:").strip()
    git_folder = (top / pointer).resolve()
    common = git_folder / "commondir"
    main = (git_folder / common.read_text("utf-8", "replace").strip()).resolve() if common.is_file() else git_folder
    if main.name == ".git" and main.parent != top:
        return Repository(clean(str(main.parent))[0], True, remote_in(main / "config"))
    return Repository(clean(str(top))[0], False, remote_in(main / "config"))


def remote_in(config: Path) -> str | None:
    """The URL of `origin` in a git configuration."""
    import configparser  # noqa: PLC0415  # start-up: a recall outside a repository needs none

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, interpolation=None)
    try:
        text = config.read_text("utf-8", "replace")
        parser.read_string("\n".join(line.strip() for line in text.splitlines()))
    except (OSError, configparser.Error):
        return None
    url = parser.get('remote "origin"', "url", fallback=None)
    return normal_remote(url) if url else None
