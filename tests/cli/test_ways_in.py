"""The demo, the notebooks, the check before a migration, and what is said where an extra is not installed."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from memory_db.cli import extras
from memory_db.cli.file.demo import demo_folder
from memory_db.cli.file.notebooks import LAB_SETTINGS, QUIET_LAB
from memory_db.errors import InputError
from memory_db.extras import how_to_install
from memory_db.pages.web.shelf import NOTEBOOKS
from memory_db.store.connection import SCHEMA_VERSION
from tests.support.command import run
from tests.support.patience import WAIT_S


def test_notebooks_are_copied_once_and_a_changed_one_is_left(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    run("notebook", "copy", str(folder))
    names = {path.name for path in folder.iterdir()}
    assert names == {path.name for path in NOTEBOOKS.iterdir() if path.suffix in (".ipynb", ".py")} and names
    assert "already" in run("notebook", "copy", str(folder)).stdout
    changed = folder / "prepare.py"
    changed.write_text("mine", "utf-8")
    (folder / "01_what_is_remembered.py").unlink()
    refused = run("notebook", "copy", str(folder), code=1)
    assert "prepare.py" in refused.stderr and refused.stderr.count("\n") == 1
    assert changed.read_text("utf-8") == "mine" and not (folder / "01_what_is_remembered.py").exists()


def test_a_file_in_the_place_of_the_folder_is_left(home: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x", "utf-8")
    assert "is not a folder" in run("notebook", "copy", str(tmp_path / "taken"), code=1).stderr


def test_what_to_install_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(extras.EXTRAS, "notebooks", ("no_such_module",))
    with pytest.raises(InputError, match=re.escape(how_to_install("notebooks"))):
        extras.require("notebooks")


def test_jupyterlab_does_not_ask_whether_it_may_tell_news() -> None:
    name = "@jupyterlab/apputils-extension:notification"
    settings = json.loads((LAB_SETTINGS / "overrides.json").read_text("utf-8"))[name]
    assert settings == {"fetchNews": "false", "checkForUpdates": False}
    assert f"--LabApp.app_settings_dir={LAB_SETTINGS}" in QUIET_LAB
    schemas = Path(sys.prefix) / "share/jupyter/lab/schemas/@jupyterlab/apputils-extension/notification.json"
    if not schemas.exists():
        pytest.skip("JupyterLab comes with the extra `notebooks`")
    assert settings.keys() <= json.loads(schemas.read_text("utf-8"))["properties"].keys()


def test_the_demo_keeps_to_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert demo_folder() == tmp_path / "memory-db" / "demo"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert demo_folder() == Path.home() / ".cache" / "memory-db" / "demo"


def test_a_file_in_step_needs_no_upgrade(sample: Path) -> None:
    assert "Nothing to do" in run("-d", str(sample), "file", "upgrade", "--check").stdout


def test_the_check_lists_what_waits_and_changes_nothing(home: Path, tmp_path: Path) -> None:
    older = tmp_path / "older.db"
    kept = max((Path(__file__).parents[1] / "data" / "schemas").glob("*.db.gz"))
    older.write_bytes(gzip.decompress(kept.read_bytes()))
    before = older.read_bytes()
    told = json.loads(run("-d", str(older), "file", "upgrade", "--check", "--json", code=1).stdout)
    assert told["schema"] < told["wanted"] == SCHEMA_VERSION and not told["migrated"]
    assert len(told["migrations"]) == SCHEMA_VERSION - told["schema"] and all(told["migrations"].values())
    assert older.read_bytes() == before and list(tmp_path.glob("older.db?*")) == []
    assert "Done." in run("-d", str(older), "file", "upgrade").stdout
    assert list(tmp_path.glob("older.db.before-schema-*"))
    assert "Nothing to do" in run("-d", str(older), "file", "upgrade", "--check").stdout


@pytest.mark.slow
def test_the_demo_opens_the_pages_and_leaves_its_cache_alone(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-u", "-m", "memory_db", "demo", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as process:
        assert process.stdout is not None
        try:
            link = process.stdout.readline().removeprefix("Open ").strip()
            assert httpx2.get(link, follow_redirects=True, timeout=WAIT_S).status_code == 200
        finally:
            process.terminate()
    assert [path.name for path in tmp_path.iterdir()] == [".cache"]
    assert [path.name for path in (tmp_path / ".cache").iterdir()] == ["memory-db"]
