"""Putting memory-db into Claude Code and taking it out: one folder, and nothing else of the person's."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import tomllib
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.agents.claude_code import files as installed_files
from memory_db.agents.claude_code import plugin as claude_plugin
from memory_db.agents.claude_code import snippets
from memory_db.agents.claude_code.files import plan
from memory_db.agents.claude_code.install import (
    InstallTarget,
    checked,
    hooks_of,
    install,
    missing_of,
    other_memory_hooks,
    plan_install,
)
from memory_db.agents.claude_code.plugin import COMMAND_EVENT, EVENTS, Places, plugin_files
from memory_db.cli import cli
from memory_db.errors import InstallError
from memory_db.hooks.run import EVENT_NAMES
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.upkeep.doctor import doctor
from tests.support.real_clients import give_time

OTHERS = (
    '\ufeff{\r\n\t// mine\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},\r\n}\r\n'
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, whose path has characters that a shell would read."""
    folder = tmp_path / "ho me $HOME 'q' \"d\" `c` é"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return folder


@pytest.fixture
def db_file(home: Path, now: datetime) -> Path:
    path = home / "memory.db"
    open_database(path, now=now).close()
    return path


def command(path: Path, *words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["-d", str(path), *words])
    assert result.exit_code == code, result.output
    return result


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder, with bytes and modes."""
    return {
        f"{path.relative_to(folder)} {path.lstat().st_mode:o}": path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith("memory.db")
    }


def rows(path: Path) -> list[sqlite3.Row]:
    with closing(connect(path)) as db:
        return db.execute("select * from installations order by id").fetchall()


def hook_commands(folder: Path) -> dict[str, list[str]]:
    """The command line of each hook, by its event."""
    return {hook.event: [hook.command, *hook.args] for hook in hooks_of(folder / "hooks" / "hooks.json")}


def test_install_and_uninstall_leave_everything_as_it_was(home: Path, db_file: Path) -> None:
    settings_file = home / ".claude" / "settings.json"
    settings_file.parent.mkdir()
    settings_file.write_bytes(OTHERS.encode())
    settings_file.chmod(0o600)
    (home / ".claude" / "skills" / "mine").mkdir(parents=True)
    (home / ".claude" / "skills" / "mine" / "SKILL.md").write_text("mine")
    before = tree(home)
    output = command(db_file, "install", "claude-code").output
    assert "+++ " not in output and "hooks/hooks.json" in output and len(output.splitlines()) <= 10
    assert {**tree(home), **before} == tree(home), "a file that was there is another now"
    assert command(db_file, "install", "claude-code").output.startswith("Nothing to do")
    command(db_file, "uninstall", "claude-code")
    assert tree(home) == before
    assert command(db_file, "uninstall", "claude-code").output.startswith("Nothing to do")
    [row] = rows(db_file)
    assert (row["client"], row["scope"], row["hash_before"]) == ("claude-code", "user", None)
    assert row["removed_at"] and row["backup_path"] is None


def test_folders_that_were_made_go_again(home: Path, db_file: Path) -> None:
    command(db_file, "install", "claude-code")
    assert (home / ".claude" / "skills" / "mem").is_dir()
    command(db_file, "uninstall", "claude-code")
    assert not (home / ".claude").exists()


def test_dry_run_writes_nothing(home: Path) -> None:
    path = home / "new" / "memory.db"
    output = command(path, "install", "claude-code", "--dry-run", "--diff").output
    assert "+++ " in output and '+    "UserPromptSubmit": [' in output and "dry run" in output
    assert "+++ " not in command(path, "install", "claude-code", "--dry-run").output
    assert tree(home) == {}
    assert not path.exists()


def test_a_missing_database_is_made_and_what_to_do_next_is_said(home: Path) -> None:
    path = home / "memory.db"
    assert "`memory-db run`" in command(path, "install", "claude-code").output
    assert len(rows(path)) == 1


def test_hooks_start_the_interpreter_directly(home: Path, db_file: Path) -> None:
    command(db_file, "install", "claude-code")
    folder = home / ".claude" / "skills" / "mem"
    found = hook_commands(folder)
    assert set(found) == set(EVENT_NAMES.values()) - {"PreToolUse"} | {COMMAND_EVENT}
    assert missing_of(folder) == []
    for event, words in found.items():
        if event != COMMAND_EVENT:
            assert words[:3] == [str(Path(sys.executable).absolute()), "-I", "-S"]
            assert EVENT_NAMES[words[4]] == event
            assert words[5:] == ["-d", str(db_file)]
    server = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["memory"]
    assert server["args"] == ["-I", "-m", "memory_db", "mcp", "-d", str(db_file)]
    assert {event: name for name, event in EVENT_NAMES.items()} == EVENTS


def test_tool_calls_are_looked_at_once_asked_for_until_asked_not_to(home: Path, db_file: Path) -> None:
    folder = home / ".claude" / "skills" / "mem"
    command(db_file, "install", "claude-code", "--pre-tool-use")
    assert "PreToolUse" in hook_commands(folder)
    assert command(db_file, "install", "claude-code").output.startswith("Nothing to do")
    command(db_file, "install", "claude-code", "--no-pre-tool-use")
    assert "PreToolUse" not in hook_commands(folder)
    assert [bool(row["removed_at"]) for row in rows(db_file)] == [True, False]


def test_an_upgrade_replaces_our_own_entries(home: Path, db: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    target = InstallTarget("user", home / ".claude")
    old = Places(Path("/old/python"), Path("/old/memory_db"), db_path)
    new = Places(Path("/new/python"), Path("/new/memory_db"), db_path)
    for places in (old, new):
        install(db, plan_install(target, places, pre_tool_use=None, now=now), now=now)
    found = "".join(path.read_text() for path in target.folder.rglob("*.json"))
    assert "/new/python" in found and "/old/" not in found
    assert not list(target.folder.rglob("*.before-*")), "what nobody changed needs no copy"
    first, second = db.execute("select * from installations order by id").fetchall()
    assert first["removed_at"] and not second["removed_at"]
    assert second["hash_before"] == first["hash_after"] != second["hash_after"]


def test_what_a_person_changed_is_copied_before_it_is_replaced_and_kept_when_it_goes(home: Path, db_file: Path) -> None:
    command(db_file, "install", "claude-code")
    folder = home / ".claude" / "skills" / "mem"
    lock, why = folder / "commands" / "lock.md", folder / "commands" / "why.md"
    lock.write_bytes(b"my own\r\n")
    assert "You had changed" in command(db_file, "install", "claude-code").output
    [copy] = lock.parent.glob("lock.md.before-*")
    assert copy.read_bytes() == b"my own\r\n"
    assert rows(db_file)[-1]["backup_path"] == str(copy)
    why.write_bytes(b"mine too")
    assert f"Kept, because you changed it: {why}" in command(db_file, "uninstall", "claude-code").output
    assert {path for path in folder.rglob("*") if path.is_file()} == {copy, why}
    assert why.read_bytes() == b"mine too"


@pytest.mark.parametrize("there", ["file", "plugin", "link to itself", "damaged list", "list of other folders"])
def test_what_is_not_ours_is_left_alone(home: Path, db_file: Path, there: str) -> None:
    folder = home / ".claude" / "skills" / "mem"
    folder.parent.mkdir(parents=True)
    if there == "file":
        folder.write_text("notes")
    elif there == "link to itself":
        folder.symlink_to(folder)
    else:
        folder.mkdir()
        place, text = {
            "plugin": ("SKILL.md", "somebody's"), "damaged list": ("installed.json", '{"files": 5'),
            "list of other folders": ("installed.json", '{"files": {"../../x": "1"}, "folders_above": 0}'),
        }[there]  # fmt: skip
        (folder / place).write_text(text)
    before = tree(home)
    output = command(db_file, "install", "claude-code", code=1).output
    assert str(folder) in output and "Traceback" not in output
    assert len(output.strip().splitlines()) == 1
    assert tree(home) == before
    assert rows(db_file) == []


def test_a_file_in_the_place_of_a_folder(home: Path, db_file: Path) -> None:
    (home / ".claude").write_text("notes")
    output = command(db_file, "install", "claude-code", code=1).output
    assert output.startswith(f"Error: Cannot write {home / '.claude'}") and len(output.splitlines()) == 1
    assert (home / ".claude").read_text() == "notes"
    assert command(db_file, "uninstall", "claude-code").output.startswith("Nothing to do")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(home: Path, db_file: Path) -> None:
    (home / ".claude").mkdir(mode=0o500)
    assert "Cannot write" in command(db_file, "install", "claude-code", code=1).output


def test_linked_folders_stay_links(home: Path, db_file: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (home / ".claude").symlink_to(dotfiles)
    command(db_file, "install", "claude-code")
    linked = home / ".claude" / "skills" / "mem" / "hooks" / "hooks.json"
    moved = tmp_path / "hooks.json"
    linked.rename(moved)
    linked.symlink_to(moved)
    moved.chmod(0o640)
    command(db_file, "install", "claude-code", "--pre-tool-use")
    assert linked.is_symlink() and "PreToolUse" in moved.read_text()
    assert moved.stat().st_mode & 0o777 == 0o640
    command(db_file, "uninstall", "claude-code")
    assert dotfiles.is_dir() and list(dotfiles.iterdir()) == []


def test_it_goes_without_its_database(home: Path, db_file: Path) -> None:
    command(db_file, "install", "claude-code")
    for path in home.glob("memory.db*"):
        path.unlink()
    command(db_file, "uninstall", "claude-code")
    assert list(home.iterdir()) == [], "the database is not made to be told that it is gone"


def test_a_folder_that_is_not_there_is_not_made(home: Path, db_file: Path, tmp_path: Path) -> None:
    for option in ((), ("--dry-run",)):
        words = ["install", "claude-code", "--project", "--folder", str(tmp_path / "shpo"), *option]
        assert "There is no folder" in command(db_file, *words, code=1).output
    assert not (tmp_path / "shpo").exists()


def test_a_project_of_its_own(home: Path, db_file: Path, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    shown = json.loads(
        command(db_file, "install", "claude-code", "--project", "--folder", str(project), "--json").output
    )
    folder = project / ".claude" / "skills" / "mem"
    assert (shown["scope"], shown["folder"], shown["dry_run"]) == ("project", str(folder), False)
    assert {change["change"] for change in shown["changes"]} == {"add"}
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*", "paths of one machine are not for others"
    assert not (home / ".claude").exists()
    command(db_file, "uninstall", "claude-code", "--project", "--folder", str(project))
    assert list(project.iterdir()) == []


def test_the_agents_own_folder_may_be_elsewhere(
    home: Path, db_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    command(db_file, "install", "claude-code")
    assert (tmp_path / "config" / "skills" / "mem" / "hooks").is_dir()


def test_another_memory_in_the_settings_is_named_and_left_alone(home: Path, db_file: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    entry = {"type": "command", "command": "python", "args": ["-m", "memem", "recall"]}
    path.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [entry]}], "Stop": [7], "X": 5}}))
    before = path.read_bytes()
    output = command(db_file, "install", "claude-code").output
    assert "at UserPromptSubmit: python -m memem recall" in output
    assert path.read_bytes() == before
    path.write_text(OTHERS)
    assert other_memory_hooks(InstallTarget("user", home / ".claude")) == [], (
        "a broken file is the agent's to complain about"
    )


def by_name(claude_folder: Path, *, project: Path | None = None, enabled: bool = True) -> None:
    """What Claude Code writes when it installs the plugin from the marketplace. Source: 2.1.330."""
    entry = {"scope": "project", "projectPath": str(project)} if project else {"scope": "user"}
    where = project / ".claude" if project else claude_folder
    for path, value in (
        (claude_folder / "plugins" / "installed_plugins.json", {"version": 2, "plugins": {"mem@memory-db": [entry]}}),
        (where / "settings.json", {"enabledPlugins": {"mem@memory-db": enabled}}),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))


def test_a_plugin_of_the_marketplace_is_named(home: Path, db_file: Path, tmp_path: Path) -> None:
    said = command(db_file, "install", "claude-code", "--dry-run")
    assert "mem@memory-db" not in said.stderr
    elsewhere = tmp_path / "elsewhere"
    by_name(home / ".claude", project=elsewhere)
    assert command(db_file, "install", "claude-code", "--dry-run").stderr == ""
    assert (
        "mem@memory-db"
        in command(db_file, "install", "claude-code", "--dry-run", "--project", "--folder", str(elsewhere)).stderr
    )
    by_name(home / ".claude")
    said = command(db_file, "install", "claude-code")
    assert "`claude plugin uninstall mem@memory-db` or `memory-db uninstall claude-code`" in said.stderr
    assert "It works from" not in said.stdout
    data = json.loads(command(db_file, "install", "claude-code", "--json").stdout)
    assert data["marketplace_plugin"] == "mem@memory-db"


@pytest.mark.parametrize("broken", ["[]", "{", '{"plugins": {"mem@memory-db": ["x"]}}', '{"plugins": []}'])
def test_notes_of_claude_code_that_say_nothing_are_no_hindrance(home: Path, db_file: Path, broken: str) -> None:
    by_name(home / ".claude")
    (home / ".claude" / "plugins" / "installed_plugins.json").write_text(broken)
    assert command(db_file, "install", "claude-code", "--dry-run").stderr == ""


def test_doctor_sees_a_plugin_of_the_marketplace(
    home: Path, db_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said() -> str:
        return CliRunner().invoke(cli, ["-d", str(db_file), "doctor"]).stdout

    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    by_name(home / ".claude", enabled=False)
    assert "Installed but disabled: mem@memory-db" in said()
    by_name(home / ".claude")
    assert "`memory-db-hook`, which it starts, is not on the path" in said()
    (programs / "memory-db-hook").write_text("#!/bin/sh\n")
    (programs / "memory-db-hook").chmod(0o755)
    text = said()
    assert "Installed: mem@memory-db of the marketplace, in Claude Code (user)" in text
    assert "Not installed in Claude Code" not in text
    command(db_file, "install", "claude-code")
    assert "skills/mem is not loaded: Claude Code has mem@memory-db" in said()


def test_killed_between_files_a_second_install_ends_it(
    home: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / ".claude" / "skills" / "mem"
    wanted = plugin_files(Places(Path("/p"), Path("/m"), Path("/d")), pre_tool_use=False)
    usual, written = installed_files.write, []

    def write(path: Path, data: bytes) -> None:
        if len(written) == 4:
            raise KeyboardInterrupt
        written.append(path)
        usual(path, data)

    monkeypatch.setattr(installed_files, "write", write)
    with pytest.raises(KeyboardInterrupt):
        installed_files.apply(folder, wanted, plan(folder, wanted, now=now))
    monkeypatch.setattr(installed_files, "write", usual)
    assert not (folder / claude_plugin.MANIFEST).exists(), "half a plugin is not loaded"
    installed_files.apply(folder, wanted, plan(folder, wanted, now=now))
    assert plan(folder, wanted, now=now) == []
    installed_files.take_out(folder, installed_files.plan_removal(folder))
    assert list(home.iterdir()) == []


def test_a_missing_part_is_reported_before_anything_is_written(home: Path, db_file: Path) -> None:
    command(db_file, "install", "claude-code")
    folder = home / ".claude" / "skills" / "mem"
    for path in home.glob("memory.db*"):
        path.rename(path.with_name(path.name.replace("memory", "moved")))
    assert missing_of(folder) == [str(db_file)]


def doctor_lines(path: Path, now: datetime) -> dict[str, str]:
    """What the doctor says of what was installed: level by line."""
    return {
        f"{line.what} -> {line.fix}": line.level
        for line in doctor(path, now=now, transcripts=()).lines
        if ("Claude Code" in line.what or "hook of a memory" in line.what) and "on the path" not in line.what
    }


@pytest.mark.slow
def test_doctor_says_where_it_is_installed_and_what_is_missing(
    home: Path, db_file: Path, now: datetime, tmp_path: Path
) -> None:
    assert doctor_lines(db_file, now) == {
        "Not installed in Claude Code -> Run `memory-db install claude-code`.": "note"
    }
    project = tmp_path / "a shop"
    project.mkdir()
    command(db_file, "install", "claude-code")
    command(db_file, "install", "claude-code", "--project", "--folder", str(project))
    found = doctor_lines(db_file, now)
    assert list(found.values()) == ["fine", "fine"]
    assert [("(user)" in line, "(project)" in line) for line in found] == [(True, False), (False, True)]
    folder = home / ".claude" / "skills" / "mem"
    hooks_file = folder / "hooks" / "hooks.json"
    hooks_file.write_text(hooks_file.read_text().replace(sys.executable, "/gone/python"))
    (project / ".claude" / "skills" / "mem" / "installed.json").unlink()
    (home / ".claude" / "settings.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "memem stop"}]}]}})
    )
    found = doctor_lines(db_file, now)
    assert list(found.values()) == ["warning", "note", "warning"]
    first, _, third = found
    assert "/gone/python" in first and first.endswith("Run `memory-db install claude-code` again.")
    assert f"`memory-db uninstall claude-code --project --folder '{project}'`" in third
    command(db_file, "uninstall", "claude-code", "--project", "--folder", str(project))
    assert len(doctor_lines(db_file, now)) == 2


@pytest.mark.slow
def test_commands_of_an_earlier_version_are_reported_and_renewed(home: Path, db_file: Path, now: datetime) -> None:
    command(db_file, "install", "claude-code")
    folder = home / ".claude" / "skills" / "mem"
    text, listed = folder / "commands" / "lock.md", folder / "installed.json"
    before, known = text.read_text(), json.loads(listed.read_text())
    assert "`memory-db memory lock`" in before
    text.write_text(before.replace("memory-db memory lock", "memory-db lock"))
    assert list(doctor_lines(db_file, now).values()) == ["fine"], "a person changed it"
    known["files"]["commands/lock.md"] = hashlib.sha256(text.read_bytes()).hexdigest()
    listed.write_text(json.dumps(known))
    ((line, level),) = doctor_lines(db_file, now).items()
    assert level == "note" and "has commands of an earlier version -> Run `memory-db install claude-code`" in line
    command(db_file, "install", "claude-code")
    assert text.read_text() == before
    assert list(doctor_lines(db_file, now).values()) == ["fine"]


FILES = st.dictionaries(
    st.sampled_from(["a", "b/c", "b/d", "e.json"]), st.text(st.characters(codec="utf-8"), max_size=20), max_size=4
)


@settings(max_examples=60)
@given(first=FILES, second=FILES, edited=st.none() | st.text(st.characters(codec="utf-8"), max_size=5))
@pytest.mark.slow
def test_any_two_sets_of_files(
    tmp_path_factory: pytest.TempPathFactory, first: dict[str, str], second: dict[str, str], edited: str | None
) -> None:
    root = tmp_path_factory.mktemp("files")
    folder, now = root / "above" / "plugin", datetime(2026, 11, 1, tzinfo=UTC)
    installed_files.apply(folder, first, plan(folder, first, now=now))
    if edited is not None and "a" in first:
        (folder / "a").write_bytes(edited.encode())
    installed_files.apply(folder, second, plan(folder, second, now=now + timedelta(seconds=1)))
    assert plan(folder, second, now=now) == []
    assert all((folder / place).read_bytes() == text.encode() for place, text in second.items())
    installed_files.take_out(folder, installed_files.plan_removal(folder))
    left = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    assert all(path.read_bytes() == (edited or "").encode() for path in left), "only a person's words may be left"
    assert left or not folder.parent.exists()


# ------------------------------------------------------------------ other agents


@pytest.mark.parametrize("client", [name for name in snippets.CLIENTS if name not in ("codex", "instructions")])
def test_other_agents_get_the_same_server(home: Path, db_file: Path, client: str) -> None:
    values = json.loads(CliRunner().invoke(cli, ["-d", str(db_file), "install", "--print", "--client", client]).stdout)
    [servers] = values.values()
    assert servers["memory"]["args"] == ["-I", "-m", "memory_db", "mcp", "-d", str(db_file)]


def test_codex_gets_toml_and_others_words(home: Path, db_file: Path) -> None:
    output = CliRunner().invoke(cli, ["-d", str(db_file), "install", "--print", "--client", "codex"]).stdout
    assert tomllib.loads(output)["mcp_servers"]["memory"]["args"][-1] == str(db_file)
    words = CliRunner().invoke(cli, ["-d", str(db_file), "install", "--print", "--client", "instructions"]).stdout
    assert "`recall`" in words
    assert tree(home) == {}


def test_a_package_that_is_gone_is_no_place_to_point_to(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match=r"hook\.py is missing"):
        checked(Places(Path(sys.executable), tmp_path, tmp_path / "m.db"))


def test_what_a_killed_install_left_unfinished_is_no_hindrance(home: Path, db_file: Path, now: datetime) -> None:
    folder = home / ".claude" / "skills" / "mem"
    (folder / "commands").mkdir(parents=True)
    left = (folder / ".installed.json.a1b2c3_d", folder / "commands" / ".why.md.x7frkctd")
    for path in left:
        path.write_text("{")
    (folder / "commands" / ".why.md.before").write_text("a person's")
    runner = CliRunner()
    refused = runner.invoke(cli, ["-d", str(db_file), "install", "claude-code"])
    assert refused.exit_code == 1 and "belongs to something else" in refused.stderr
    (folder / "commands" / ".why.md.before").unlink()
    assert runner.invoke(cli, ["-d", str(db_file), "install", "claude-code"]).exit_code == 0
    assert not any(path.exists() for path in left)
    left[1].write_text("{")
    assert runner.invoke(cli, ["-d", str(db_file), "uninstall", "claude-code"]).exit_code == 0
    assert not folder.exists()


TELEMETRY = "select (select count(*) from hook_runs), (select count(*) from recalls), (select count(*) from jobs)"


@pytest.mark.slow
def test_the_doctor_tries_the_hooks_and_leaves_no_trace(home: Path, db_file: Path, now: datetime) -> None:
    command(db_file, "add", "Run the tests with make check here.", "--kind", "convention", "--user")
    command(db_file, "memory", "lock", uid_of(db_file))
    command(db_file, "install", "claude-code")
    give_time(home / ".claude" / "skills" / "mem")
    with closing(connect(db_file)) as db:
        before = tuple(db.execute(TELEMETRY).fetchone())
    [said] = [
        line.what for line in doctor(db_file, now=now, transcripts=()).lines if line.what.startswith("Hooks tried")
    ]
    assert "a session would begin with 1 line" in said and "would get nothing" not in said
    with closing(connect(db_file)) as db:
        assert tuple(db.execute(TELEMETRY).fetchone()) == before
    assert not list(db_file.parent.glob("*.spool*"))


def test_a_hook_that_fails_is_told(home: Path, db_file: Path, now: datetime) -> None:
    command(db_file, "install", "claude-code")
    hooks_file = home / ".claude" / "skills" / "mem" / "hooks" / "hooks.json"
    hooks_file.write_text(hooks_file.read_text().replace("session-start", "session-end-of-all"))
    report = doctor(db_file, now=now, transcripts=())
    [said] = [line for line in report.lines if line.what.startswith("The hook of SessionStart fails")]
    assert said.level == "failure" and "No hook 'session-end-of-all'" in said.what


def test_a_hook_that_is_too_slow_is_told(home: Path, db_file: Path, now: datetime) -> None:
    command(db_file, "install", "claude-code")
    give_time(home / ".claude" / "skills" / "mem", milliseconds=1)
    report = doctor(db_file, now=now, transcripts=())
    said = {line.what: line.level for line in report.lines if "too slow" in line.what}
    late = "was too slow just now: it gave up at its deadline of 1 ms, so nothing would be told"
    assert said == {f"The hook of {event} {late}": "warning" for event in ("SessionStart", "UserPromptSubmit")}
    assert not list(db_file.parent.glob("*.spool*"))


def uid_of(path: Path) -> str:
    with closing(connect(path)) as db:
        return str(db.execute("select uid from memories").fetchone()[0])
