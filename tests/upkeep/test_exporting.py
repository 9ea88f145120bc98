"""Memories in files: complete, readable by others, and never over what is there."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.upkeep import export as exporting
from memory_db.upkeep.export import Choice, as_json, as_markdown, chosen, file_name

KILLED = """
import os, signal, sqlite3, sys
from pathlib import Path
from memory_db.store.connection import connect
from memory_db.upkeep.export import Choice, chosen, write_folder

folder, moment, touched = Path(sys.argv[2]), int(sys.argv[3]), 0

def kill_at_the_moment(event, arguments):
    global touched
    if event in ("open", "os.mkdir", "os.rename", "os.rmdir") and str(folder.parent) in str(arguments[0]):
        touched += 1
        if touched == moment:
            os.kill(os.getpid(), signal.SIGKILL)

db = connect(Path(sys.argv[1]))
sys.addaudithook(kill_at_the_moment)
write_folder(chosen(db, Choice()), folder)
print(touched)
"""
"""Exports into a folder, and is killed at the nth thing that it does to the file system there."""

SEED = 20_261_122


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), "export", *arguments], standalone_mode=False)


def test_json_has_every_memory_with_what_belongs_to_it(sample_db: sqlite3.Connection) -> None:
    found = json.loads("".join(as_json(chosen(sample_db, Choice(is_all=True)))))
    stored = {row[0]: row[1] for row in sample_db.execute("select uid, text from memories")}
    assert {each["uid"]: each["text"] for each in found} == stored
    for table, name in (("memory_sources", "sources"), ("evidence", "evidence")):
        rows = sample_db.execute(f"select count(*) from {table}").fetchone()[0]
        assert sum(len(each[name]) for each in found) == rows > 0
    successors = {each["uid"]: each["replaced_by"] for each in found if each["status"] == "superseded"}
    assert successors and all(successors.values())


def test_an_empty_file_gives_an_empty_list(db: sqlite3.Connection) -> None:
    assert json.loads("".join(as_json(chosen(db, Choice())))) == []


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["--project", "tidepool"], "m.project_id = (select id from projects where name = 'tidepool')"),
        (["--kind", "fix", "--kind", "issue"], "m.kind in ('fix', 'issue')"),
        (["--tag", "database"], "m.id in (select memory_id from tags where tag = 'database')"),
        (["--since", "2026-10-01"], "m.valid_from >= '2026-10-01'"),
        (["--before", "2026-09-01"], "m.valid_from < '2026-09-01'"),
        (["--since", "2026-09-05", "--before", "2026-09-15"], "m.valid_from between '2026-09-05' and '2026-09-15'"),
    ],
)
def test_options_choose(sample_db: sqlite3.Connection, sample_path: Path, arguments: list[str], where: str) -> None:
    wanted = {row[0] for row in sample_db.execute(f"select uid from memories m where status = 'active' and {where}")}
    found = {each["uid"] for each in json.loads(run(sample_path, *arguments).output)}
    assert found == wanted and wanted


@pytest.mark.slow
def test_a_markdown_file_has_its_head_its_text_and_its_quotes(sample_db: sqlite3.Connection) -> None:
    for memory in chosen(sample_db, Choice(is_all=True)):
        _, head, body = as_markdown(memory).split("---\n", 2)
        found = yaml.safe_load(head)
        assert found["uid"] == memory["uid"] and found["kind"] == memory["kind"]
        assert found.get("tags", []) == memory["tags"]
        assert memory["text"].strip() in body
        assert body.count("- “") >= len(memory["sources"])


def test_a_folder_gets_a_file_for_each(sample_db: sqlite3.Connection, sample_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run(sample_path, "--folder", str(folder))
    names = {str(path.relative_to(folder)) for path in folder.rglob("*.md")}
    assert names == {file_name(memory) for memory in chosen(sample_db, Choice())}
    again = run(sample_path, "--folder", str(folder))
    assert "not an empty folder" in str(again.exception)


def export_killed_at(moment: int, path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", KILLED, str(path), str(folder), str(moment)]
    return subprocess.run(words, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [False, True], ids=["new", "empty"])
def test_a_killed_export_leaves_no_half_of_a_folder(sample_path: Path, tmp_path: Path, is_there: bool) -> None:
    whole = tmp_path / "whole" / "out"
    shown = export_killed_at(0, sample_path, whole)
    files = {path.relative_to(whole): path.read_bytes() for path in whole.rglob("*.md")}
    touched = int(shown.stdout)
    chance = random.Random(SEED)
    ends = []
    for moment in (*chance.sample(range(2, touched - 3), 4), *range(touched - 3, touched + 1)):
        folder = tmp_path / f"killed-{moment}" / "out"
        folder.parent.mkdir()
        if is_there:
            folder.mkdir(mode=0o750)
        assert export_killed_at(moment, sample_path, folder).returncode == -signal.SIGKILL
        found = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert found in ({}, files) and (found or folder.exists() == is_there)
        ends.append(bool(found))
        if not found:
            assert run(sample_path, "--folder", str(folder)).exception is None
            assert {path.relative_to(folder) for path in folder.rglob("*.md")} == set(files)
        if is_there:
            assert folder.stat().st_mode & 0o777 == 0o750
    assert set(ends) == {True, False}, "killed before and after the folder was there"


@pytest.mark.slow
def test_a_folder_that_cannot_be_put_in_place_is_left_as_it_was(
    sample_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert "the folder that you are in" in str(run(sample_path, "--folder", ".").exception)
    assert list(here.iterdir()) == []
    assert run(sample_path, "--folder", "below/it").exception is None and list((here / "below" / "it").iterdir())
    linked = tmp_path / "linked"
    (tmp_path / "goal").mkdir()
    linked.symlink_to(tmp_path / "goal")
    assert run(sample_path, "--folder", str(linked)).exception is None
    assert linked.is_symlink() and list((tmp_path / "goal").iterdir())
    assert run(sample_path, "--folder", str(tmp_path / "none"), "--before", "1999-01-01").exception is None
    assert not (tmp_path / "none").exists() and not [path.name for path in tmp_path.rglob(".*")]


def test_no_name_leads_out_of_the_folder() -> None:
    name = file_name({"title": "../../etc/passwd\n", "uid": "m1", "project": "../..//x"})
    assert name == "x/m1-etc-passwd.md"
    assert file_name({"title": "日本", "uid": "m2", "project": None}) == "everywhere/m2.md"


def test_a_file_is_written_whole_and_never_over_another(sample_path: Path, tmp_path: Path) -> None:
    target = tmp_path / "memories.json"
    run(sample_path, "--output", str(target))
    assert len(json.loads(target.read_text("utf-8"))) > 50 and target.stat().st_mode & 0o077 == 0
    before = target.read_bytes()
    assert "already" in str(run(sample_path, "--output", str(target)).exception)
    assert "no folder" in str(run(sample_path, "--output", str(tmp_path / "no" / "x.json")).exception)
    assert target.read_bytes() == before and [each.name for each in tmp_path.glob(".*")] == []


def test_a_list_names_projects_and_uids(sample_db: sqlite3.Connection, sample_path: Path) -> None:
    text = run(sample_path, "--format", "markdown").output
    assert {"# Everywhere", "# tidepool", "# quayside", "# lanternfish"} <= set(text.splitlines())
    assert all(f"[{memory['uid']}]" in text for memory in chosen(sample_db, Choice()))


def test_what_is_unknown_is_refused(sample_path: Path) -> None:
    assert "No kind 'nonsense'" in str(run(sample_path, "--kind", "nonsense").exception)
    assert "nowhere" in str(run(sample_path, "--project", "nowhere").exception)
    assert run(sample_path, "--since", "soon").exception is not None
    assert exporting.FIELDS[0] == "uid"
