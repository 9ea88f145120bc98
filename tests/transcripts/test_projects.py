"""Whose session it is follows from the folder and the remote."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import InputError, NotFoundError
from memory_db.transcripts.projects import merge_projects, normal_path, resolve_project, settle_paths
from memory_db.transcripts.repositories import Repository, normal_remote, repository
from tests.support.transcript_rows import rows


def make_repository(top: Path, url: str | None = None) -> Path:
    (top / ".git").mkdir(parents=True)
    remote = f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*\n' if url else ""
    (top / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    return top


def make_worktree(main: Path, tree: Path) -> Path:
    inner = main / ".git" / "worktrees" / tree.name
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    tree.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {inner}\n")
    return tree


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("https://github.com/ada/loom.git", "github.com/ada/loom"),
        ("https://ada:tok3n@GitHub.com/ada/loom", "github.com/ada/loom"),
        ("https://ada:a/b@github.com/ada/loom", None),
        ("git@github.com:ada/loom.git", "github.com/ada/loom"),
        ("ssh://git@github.com:22/ada/loom.git/", "github.com/ada/loom"),
        ("github.com:ada/loom", "github.com/ada/loom"),
        ("https://example.com/x?access_token=abc", "example.com/x"),
        ("/srv/git/loom.git", None),
        ("../loom", None),
        ("file:///srv/loom", None),
        ("", None),
    ],
)
def test_remotes(url: str, remote: str | None) -> None:
    assert normal_remote(url) == remote


@given(st.text(max_size=30))
def test_any_remote_is_read(text: str) -> None:
    found = normal_remote(text)
    assert found is None or "/" in found


@pytest.mark.parametrize(
    ("text", "path"),
    [("/a/b/", "/a/b"), ("/a/./b/../c", "/a/c"), ("/", "/"), ("C:\\Users\\ada\\x\\", "C:\\Users\\ada\\x"), ("a", "a")],
)
def test_paths(text: str, path: str) -> None:
    assert normal_path(text) == path


@pytest.mark.parametrize("text", ["", "  "])
def test_no_path(text: str) -> None:
    with pytest.raises(InputError, match="no folder"):
        normal_path(text)


def test_the_same_folder_is_the_same_project(db: sqlite3.Connection, now: datetime) -> None:
    first = resolve_project(db, "/home/ada/loom", now=now)
    assert resolve_project(db, "/home/ada/loom/", now=now) == first
    assert resolve_project(db, "/home/ada/other", now=now) != first
    assert [row["name"] for row in rows(db, "projects")["projects"]] == ["loom", "other"]


def test_a_subfolder_belongs_to_the_root(db: sqlite3.Connection, now: datetime) -> None:
    root = resolve_project(db, "/home/ada/loom", now=now)
    assert resolve_project(db, "/home/ada/loom/packages/weft", now=now) == root
    assert rows(db, "aliases")["aliases"][0]["reason"] == "cwd"


@pytest.mark.parametrize("holder", ["/", "/tmp", "/home/ada", "/Users/ada", "/home/ada/code", "C:\\Users\\ada"])
def test_folders_that_only_hold_projects(db: sqlite3.Connection, now: datetime, holder: str) -> None:
    outer = resolve_project(db, holder, now=now)
    inner = resolve_project(db, f"{holder.rstrip('/')}{chr(92) if ':' in holder else '/'}loom", now=now)
    assert outer != inner


def test_two_folders_with_one_remote(db: sqlite3.Connection, now: datetime) -> None:
    old = resolve_project(db, "/home/ada/loom-old", "git@git.example.com:ada/loom.git", now=now)
    assert resolve_project(db, "/srv/loom", "https://git.example.com/ada/loom", now=now) == old
    assert rows(db, "aliases")["aliases"] == [
        {"path": "/srv/loom", "canonical_path": "/home/ada/loom-old", "reason": "git remote"}
    ]


def test_a_remote_learnt_later_joins_two_projects(db: sqlite3.Connection, now: datetime) -> None:
    old = resolve_project(db, "/home/ada/old", "https://git.example.com/ada/loom", now=now)
    new = resolve_project(db, "/home/ada/new", now=now)
    db.execute("insert into sessions (uid, format, project_id) values ('s', 'claude-code', ?)", [new])
    assert resolve_project(db, "/home/ada/new", "https://git.example.com/ada/loom", now=now) == old
    assert db.execute("select project_id from sessions").fetchone()[0] == old
    assert len(rows(db, "projects")["projects"]) == 1


def test_another_remote_does_not_replace_the_first(db: sqlite3.Connection, now: datetime) -> None:
    own = resolve_project(db, "/home/ada/x", "https://git.example.com/ada/x", now=now)
    assert resolve_project(db, "/home/ada/x", "https://git.example.com/fork/x", now=now) == own
    assert rows(db, "projects")["projects"][0]["git_remote"] == "git.example.com/ada/x"


def test_a_repository_on_disk(db: sqlite3.Connection, now: datetime, tmp_path: Path) -> None:
    top = make_repository(tmp_path / "loom", "https://ada:s3cr3t@git.example.com/ada/loom.git")
    (top / "deep" / "er").mkdir(parents=True)
    project = resolve_project(db, str(top / "deep" / "er"), now=now)
    assert rows(db, "projects")["projects"] == [
        {"name": "loom", "canonical_path": str(top), "git_remote": "git.example.com/ada/loom"}
    ]
    assert resolve_project(db, str(top), now=now) == project
    inner = make_repository(top / "vendored")
    assert resolve_project(db, str(inner), now=now) != project


def test_a_worktree_on_disk(db: sqlite3.Connection, now: datetime, tmp_path: Path) -> None:
    top = make_repository(tmp_path / "loom")
    tree = make_worktree(top, tmp_path / "loom-alerts")
    assert repository(str(tree)) == Repository(str(top), True, None)
    project = resolve_project(db, str(tree), now=now)
    assert resolve_project(db, str(top), now=now) == project
    assert rows(db, "aliases")["aliases"] == [{"path": str(tree), "canonical_path": str(top), "reason": "worktree"}]


def test_a_worktree_of_the_agent_that_is_gone(db: sqlite3.Connection, now: datetime) -> None:
    tree = resolve_project(db, "/home/ada/loom/.claude/worktrees/brave-cat/src", now=now)
    assert resolve_project(db, "/home/ada/loom", now=now) == tree
    assert rows(db, "projects")["projects"][0]["canonical_path"] == "/home/ada/loom"


def test_a_moved_folder(db: sqlite3.Connection, now: datetime, tmp_path: Path) -> None:
    top = make_repository(tmp_path / "old", "https://git.example.com/ada/loom")
    project = resolve_project(db, str(top), now=now)
    moved = top.rename(tmp_path / "new")
    assert resolve_project(db, str(moved), now=now) == project
    assert rows(db, "aliases")["aliases"][0]["reason"] == "moved"


def test_broken_git_folders_are_no_trouble(db: sqlite3.Connection, now: datetime, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".git").write_bytes(b"\xff\x00gitdir")
    (tmp_path / "b" / ".git").mkdir(parents=True)
    (tmp_path / "b" / ".git" / "config").write_text("no section\n[broken")
    for name in ("a", "b", "c"):
        assert resolve_project(db, str(tmp_path / name), now=now) > 0
    assert resolve_project(db, "/home/ada/\x00nul", now=now) > 0


def test_merging(db: sqlite3.Connection, now: datetime) -> None:
    one, two = (resolve_project(db, f"/p/{name}", now=now) for name in ("one", "two"))
    resolve_project(db, "/p/two/sub", now=now)
    merge_projects(db, one, two)
    assert rows(db, "projects")["projects"][0]["canonical_path"] == "/p/one"
    assert {row["path"]: row["reason"] for row in rows(db, "aliases")["aliases"]} == {
        "/p/two": "user", "/p/two/sub": "cwd",
    }  # fmt: skip
    assert resolve_project(db, "/p/two", now=now) == one
    assert db.execute("pragma foreign_key_check").fetchall() == []
    with pytest.raises(NotFoundError, match=f"No project {two}"):
        merge_projects(db, one, two)
    with pytest.raises(InputError, match="into itself"):
        merge_projects(db, one, one)


def test_a_moved_project_is_named_after_where_it_is_now(sample_db: sqlite3.Connection) -> None:
    row = sample_db.execute("select * from projects where git_remote like '%/quayside'").fetchone()
    assert (row["name"], row["canonical_path"]) == ("quayside", "/home/sam/work/quayside")
    aliases = sample_db.execute("select path, reason from project_aliases where project_id = ?", [row["id"]]).fetchall()
    assert ("/home/sam/code/quayside-old", "moved") in [tuple(alias) for alias in aliases]
    assert settle_paths(sample_db) == 0
