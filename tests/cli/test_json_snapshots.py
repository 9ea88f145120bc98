"""What commands print with --json on the sample, so that a field that goes, comes or changes is seen as a diff.

`make snapshots` writes them again after a change that is meant.
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from datetime import datetime, tzinfo
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from memory_db.cli import common
from memory_db.store.connection import connect
from tests.conftest import NOW
from tests.support.command import printed
from tests.support.snapshots import OneFileASnapshot, json_text

QUESTION = "how do we run the tests"

COMMANDS: dict[str, tuple[str, ...]] = {
    "recall": ("recall", QUESTION, "--limit", "2", "--no-log"),
    "brief": ("brief", QUESTION, "--project", "quayside", "--no-log"),
    "brief-start": ("brief", "--start", "--project", "quayside", "--no-log"),
    "why": ("why", "1"),
    "cost": ("cost",),
    "memory-get": ("memory", "get", "UID"),
    "memory-history": ("memory", "history", "UID"),
    "memory-timeline": ("memory", "timeline", "UID"),
    "memory-diff": ("memory", "diff", "2026-10-01", "2026-11-01"),
    "memory-retire": ("memory", "retire", "UID", "--dry-run"),
    "memory-forget": ("memory", "forget", "UID", "--dry-run"),
    "memory-neighbours": ("memory", "graph", "neighbours", "UID"),
    "memory-graph-stats": ("memory", "graph", "stats"),
    "memory-contradictions": ("memory", "contradictions", "--dry-run"),
    "memory-junk": ("memory", "junk", "--dry-run"),
    "review-show": ("review", "show", "x2"),
    "review-lately": ("review", "lately"),
    "project-list": ("project", "list"),
    "profile-list": ("profile", "list"),
    "profile-show": ("profile", "show", "default"),
    "hook-rule-list": ("hook", "rule", "list"),
    "model-savings": ("model", "savings"),
    "file-check": ("file", "check"),
    "settings": ("settings",),
}
"""Commands by the name of their snapshot; UID is the memory with the most versions."""

MOST_VERSIONS = """
select m.uid from memories m join memory_versions v on v.memory_id = m.id group by m.id order by count(*) desc, m.id
"""


class AtNow(datetime):
    """The clock of the command line, which stands."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return NOW.astimezone(tz)


@pytest.fixture(scope="module")
def file(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy of the sample for all commands here, which change nothing."""
    return Path(shutil.copy(sample_file, tmp_path_factory.mktemp("snapshots") / "sample.db"))


@pytest.fixture(scope="module")
def uid(file: Path) -> str:
    """The memory with the most versions."""
    with closing(connect(file)) as db:
        return str(db.execute(MOST_VERSIONS).fetchone()["uid"])


@pytest.mark.parametrize("name", COMMANDS)
def test_json(name: str, file: Path, uid: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "datetime", AtNow)
    words = [uid if word == "UID" else word for word in COMMANDS[name]]
    assert json_text(json.loads(printed(file, *words, "--json"))) == snapshot(extension_class=OneFileASnapshot)
