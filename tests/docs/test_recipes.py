"""The recipes: they are what their programs read, and what they start does what is said of it."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from datasette.cli import cli as datasette_cli

from memory_db.cli import cli
from memory_db.sample.file import write_sample
from tests.conftest import NOW
from tests.support.patience import WAIT_S

RECIPES = Path(__file__).parents[2] / "recipes"


def read(name: str) -> str:
    return (RECIPES / name).read_text("utf-8")


def container_command() -> list[str]:
    """What the container starts."""
    found: list[str] = json.loads(re.search(r"^CMD (.+)$", read("Dockerfile"), re.M)[1])  # type: ignore[index]
    return found


def test_our_command_knows_what_the_services_start() -> None:
    unit = re.search(r"^ExecStart=%h/\.local/bin/memory-db (.+)$", read("memory-db-serve.service"), re.M)
    plist = plistlib.loads((RECIPES / "org.memory-db.serve.plist").read_bytes())["ProgramArguments"]
    assert unit is not None and shlex.split(unit[1]) == plist[1:]
    assert CliRunner().invoke(cli, [*plist[1:], "--help"]).exit_code == 0


def test_datasette_knows_what_the_container_starts() -> None:
    command = container_command()
    known = CliRunner().invoke(datasette_cli, ["serve", "--help"]).output
    assert command[:2] == ["datasette", "serve"]
    assert not [word for word in command if word.startswith("--") and word not in known]
    service = yaml.safe_load(read("compose.yml"))["services"]["memory-db"]
    assert service["volumes"] == ["./data:/data"] and command[2].startswith("/data/")
    copied = re.search(r"^COPY (\S+) (\S+yml)$", read("Dockerfile"), re.M)
    assert copied is not None and copied[2] in command and (RECIPES / copied[1]).is_file()
    assert yaml.safe_load(read("shared.yml"))["plugins"]["memory-db"]["allowed_hosts"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_service(tmp_path: Path) -> None:
    unit = tmp_path / "memory-db-serve.service"
    unit.write_text(read(unit.name).replace("%h/.local/bin/memory-db", sys.executable), "utf-8")
    words = ["systemd-analyze", "verify", "--user", str(unit)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_the_action_builds_a_file_of_a_repositorys_logs(tmp_path: Path) -> None:
    """Its steps but the installation, in a repository with the sample's transcripts."""
    (tmp_path / "agent-logs").symlink_to(write_sample(tmp_path / "other" / "sample.db", now=NOW))
    steps = [
        step["run"] for step in yaml.safe_load(read("build-memory.yml"))["jobs"]["build"]["steps"] if "run" in step
    ]
    assert "pip install" in steps[0] and len(steps) > 2
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.defpath}", "HOME": str(tmp_path)}
    for step in steps[1:]:
        words = ["bash", "-e", "-c", step]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"
    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        assert db.execute("select count(*) from sessions").fetchone()[0] > 20
        assert db.execute("select count(*) from memories").fetchone()[0] > 50
