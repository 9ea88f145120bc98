"""Profiles, copies, sums, checks, and what happens where there is no file yet."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run, scalar


def test_profiles_are_versions(sample: Path) -> None:
    assert run("-d", str(sample), "profile", "save", "mine", "--set", "keyword=0.9").stdout == "mine@1\n"
    assert run("-d", str(sample), "profile", "save", "mine", "--set", "recency=0.3").stdout == "mine@2\n"
    weights = json.loads(run("-d", str(sample), "profile", "show", "mine", "--json").stdout)
    assert sum(weights.values()) == pytest.approx(1)
    assert "Profile mine@1" in run("-d", str(sample), "recall", "port", "--profile", "mine@1", "--explain").stdout
    assert "mine" in run("-d", str(sample), "profile", "list").stdout


@pytest.mark.slow
def test_a_backup_is_a_whole_private_file(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    assert "verified" in run("-d", str(sample), "file", "backup", str(copy)).stdout
    assert scalar(copy, "select count(*) from memories") == scalar(sample, "select count(*) from memories")
    assert copy.stat().st_mode & 0o777 == 0o600


def test_costs_add_up(sample: Path) -> None:
    for by in ("project", "day", "model"):
        rows = json.loads(run("-d", str(sample), "cost", "--by", by, "--json").stdout)
        assert sum(row["calls"] for row in rows) == scalar(sample, "select count(*) from api_calls")


@pytest.mark.slow
def test_check_finds_nothing_and_doctor_is_well(sample: Path) -> None:
    assert run("-d", str(sample), "file", "check").stdout == "Everything agrees.\n"
    assert run("-d", str(sample), "doctor").stdout.splitlines()[-1] in ("HEALTHY", "DEGRADED")


def test_doctor_tells_what_to_do_about_a_missing_file(home: Path) -> None:
    said = run("doctor", code=1).stdout
    assert "failure" in said
    assert "->" in said
    assert list(home.iterdir()) == []


def test_without_transcripts_nothing_is_made(home: Path) -> None:
    result = run("run", code=1)
    assert (
        result.stderr == "Error: No transcripts at ~/.claude/projects. Name their folder with --dir, or try --sample.\n"
    )
    assert not (home / ".memory-db").exists()


def test_ones_own_transcripts_never_enter_the_sample(sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own" / "p"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_text('{"type": "summary", "summary": "mine", "leafUuid": "x"}\n')
    before = sample.read_bytes()
    assert "holds the sample history" in run("-d", str(sample), "run", "--dir", str(folder.parent), code=1).stderr
    assert sample.read_bytes() == before


def test_a_folder_becomes_a_project_when_something_is_remembered_of_it(sample: Path, home: Path) -> None:
    uid = run("-d", str(sample), "add", "The zeppelin lands at gate nine").stdout.strip()
    found = json.loads(run("-d", str(sample), "memory", "get", uid, "--json").stdout)
    assert found["project"] == home.name
    best = json.loads(run("-d", str(sample), "recall", "zeppelin gate", "--json").stdout)["hits"][0]
    assert best["uid"] == uid and best["features"]["cosine"] > 0.3
