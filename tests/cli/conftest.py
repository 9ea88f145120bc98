"""A home folder of its own for each test of commands, and a copy of the sample's file in it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and no database named by the surroundings."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("MEMORY_DB", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sample(sample_path: Path, home: Path) -> Path:
    """A copy of the sample's file, with a home folder of its own."""
    return sample_path
