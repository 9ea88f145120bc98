"""What a following day is told: memories that readers want, by the start of a session or by its prompt."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml

from bench import days
from bench.brief_quality import COLD

ALWAYS = "We always run the migrations through make migrate, never by hand."
PORT = "The staging server of tern listens on port 8443."
TURNS = [{"user": ALWAYS}, {"say": "Understood."}, {"user": PORT}, {"say": "Noted."}]
PROMPTS = [
    {
        "project": "tern",
        "sort": "answerable",
        "prompt": "which port does the staging server listen on",
        "wants": "8443",
    },
    {"project": "tern", "sort": "small-talk", "prompt": "good morning", "wants": "nothing"},
]


@pytest.fixture
def ida(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set with one person's morning and two prompts, of which a reader has seen one memory."""
    own = tmp_path / "ida"
    own.mkdir()
    head = {"cwd": "/home/ida/code/tern", "branch": "main", "version": "2.1.330", "model": "sonnet", "turns": TURNS}
    text = yaml.safe_dump(head, sort_keys=False) + "start: 2026-09-01T08:00:00\n"
    (own / "01-talk.yaml").write_text(text, "utf-8")
    (own / "prompts.yaml").write_text(yaml.safe_dump(PROMPTS), "utf-8")
    row = {"person": "ida", "memory": PORT, "useful": [0], "harmless": []}
    (tmp_path / "labels.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    monkeypatch.setattr(days, "SET", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_what_is_wanted_is_told_at_the_start_or_by_the_prompt(ida: Path) -> None:
    asked = days.day_of("ida", COLD, days.labels())
    first, second = asked
    port = next(uid for uid, text in first.texts.items() if text == PORT)
    assert first.wanted == {port} and port in first.start and port in first.alone and port not in first.behind
    assert not second.wanted and not second.behind and not second.alone
    found = days.figures(asked)
    assert found["prompts that want something"] == 1 and found["told all they want"] == 1.0
    assert found["at the start, something"] == found["by the prompt alone, something"] == 1.0
    assert found["lines of a start"] == 2 and found["lines of a start that are ever wanted"] == 0.5
    assert found["silent where nothing is wanted"] == 1.0 and found["memories that no reader has seen"] == 1
    assert found["lines at prompts"] == len(first.behind)


@pytest.mark.slow
def test_memories_wait_for_a_reader_and_what_one_says_is_kept(
    ida: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = ida / "waiting.yaml"
    monkeypatch.setattr(sys, "argv", ["days", "--unread", str(waiting), "--way", COLD])
    days.main()
    (of_ida,) = yaml.safe_load(waiting.read_text("utf-8"))
    assert [each["memory"] for each in of_ida["memories"]] == [ALWAYS]
    assert of_ida["prompts"][1] == "tern: good morning"
    of_ida["memories"][0]["useful"] = [7]
    waiting.write_text(yaml.safe_dump([of_ida]), "utf-8")
    with pytest.raises(ValueError, match="ida: there is no prompt 7"):
        days.read_labels(waiting)
    of_ida["memories"][0] |= {"useful": [], "harmless": [1]}
    waiting.write_text(yaml.safe_dump([of_ida]), "utf-8")
    monkeypatch.setattr(sys, "argv", ["days", "--take", str(waiting)])
    days.main()
    assert days.labels()["ida", ALWAYS].harmless == {1} and days.labels()["ida", PORT].useful == {0}
    monkeypatch.setattr(sys, "argv", ["days", "--show", "--person", "ida", "--way", COLD])
    days.main()
    assert f"wanted   start    {PORT}" in capsys.readouterr().out


def test_labels_are_of_prompts_that_there_are() -> None:
    """Each person has four sessions, and a label names prompts by numbers that exist."""
    people = days.people()
    counts = {person: len(yaml.safe_load((days.SET / person / "prompts.yaml").read_text("utf-8"))) for person in people}
    assert people and all(len(list((days.SET / person).glob("0*.yaml"))) == 4 for person in people)
    assert set(people) >= days.UNSEEN
    for (person, _), said in days.labels().items():
        assert max(said.useful | said.harmless, default=0) < counts[person]
        assert said.useful.isdisjoint(said.harmless)
