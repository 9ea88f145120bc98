"""What a file of one day's work tells to prompts that only go on or chat: nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bench import brief_quality

PROMPTS = (
    "thanks, looks good", "ok go on", "yes please", "continue", "hi, ready for today?", "perfect, next",
    "haha nice one", "no worries, take your time", "good morning", "carry on where you left off",
)  # fmt: skip


@pytest.fixture(scope="module")
def young(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, datetime]:
    """A file of five sessions, and the morning after."""
    folder = tmp_path_factory.mktemp("young")
    dialogues = sorted((brief_quality.SET / "young" / "sessions").glob("*.yaml"))
    path = folder / "memory.db"
    return path, brief_quality.taken_in(path, folder / "history", dialogues)


@pytest.mark.parametrize("way", [brief_quality.COLD, brief_quality.WARM])
def test_small_talk_is_met_with_silence_in_a_young_file(young: tuple[Path, datetime], way: str) -> None:
    path, morning = young
    for number, text in enumerate(PROMPTS):
        for project in ("/home/roz/work/pannier", "/home/roz/src/hivescale"):
            thread = f"{way} {number} {project}"
            prompt = brief_quality.Prompt(thread, "all", project, "small-talk", text, "", thread)
            told = brief_quality.briefed(path, prompt, morning + timedelta(minutes=number), way)
            assert not told.lines, (text, project)
