"""A model of llm that really reads: it proposes the first words of what users said. The same for the same portion.

Run as a program it is memory-db's command line with that model as `reader`: python reading_model.py ARGUMENTS. The
environment says how long an answer takes (READER_PAUSE_S), which file counts the calls, a letter each (READER_LOG), and
how many calls are answered at once while those after them wait for a file (READER_ANSWERS_FIRST, READER_GATE).
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llm
from llm.plugins import pm

MOST_WORDS, FEWEST_WORDS = 14, 4


class ReadingModel(llm.Model):
    """Proposes a memory for each entry of the user that says enough.

    It fails while `failures` is above 0, or for transcripts with `fails_on`; `at_once` is the most that it was asked at
    the same time.
    """

    can_stream = False
    supports_schema = True

    def __init__(
        self, model_id: str = "reader", *, pause_s: float = 0.0, failures: int = 0, fails_on: str | None = None,
        tokens: tuple[int, int] | None = None, log: str | None = None, gate: Path | None = None, answers_first: int = 0,
    ) -> None:  # fmt: skip
        self.model_id = model_id
        self.pause_s, self.failures, self.fails_on, self.tokens, self.log = pause_s, failures, fails_on, tokens, log
        self.gate, self.answers_first = gate, answers_first
        self.asked, self.under_way, self.at_once = 0, 0, 0
        self.door = threading.Lock()

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """One answer."""
        with self.door:
            self.asked += 1
            waits = self.asked > self.answers_first
            self.under_way += 1
            self.at_once = max(self.at_once, self.under_way)
            fails = self.failures > 0
            self.failures -= fails
        try:
            if self.log:
                with Path(self.log).open("a") as log:
                    log.write("a")
            time.sleep(self.pause_s)
            while waits and self.gate and not self.gate.exists():
                time.sleep(0.005)
            if fails or (self.fails_on and self.fails_on in prompt.prompt):
                raise ConnectionError("the model is out of order")
            if self.tokens:
                response.set_usage(input=self.tokens[0], output=self.tokens[1])
            yield json.dumps(answer_to(prompt.prompt))
        finally:
            with self.door:
                self.under_way -= 1


def answer_to(prompt: str) -> dict[str, Any]:
    """What the model answers: it follows from the prompt alone."""
    memories = [memory_of(said) for said in lines_of(prompt) if said["from"] == "user"]
    found = [memory for memory in memories if memory][:12]
    episode = {"asked": f"{len(found)} things were said.", "learned": "", "done": "", "next": ""}
    return {"memories": found, "episode": episode}


def lines_of(prompt: str) -> Iterator[dict[str, Any]]:
    """The lines of the transcript in a prompt."""
    for line in prompt.splitlines():
        if line.startswith('{"entry": '):
            yield json.loads(line)


def memory_of(said: dict[str, Any]) -> dict[str, Any] | None:
    """One thing to remember of an entry; None where it says too little."""
    line = next((line for line in said["text"].splitlines() if len(line.split()) >= FEWEST_WORDS), "")
    words = line.split()[:MOST_WORDS]
    if not words:
        return None
    quote = " ".join(words)
    return {
        "kind": "convention", "scope": "project", "title": "", "text": f"It was said: {quote}", "quote": quote,
        "entry": said["entry"], "keys": [], "importance": 3, "condition": "", "supersedes": "",
    }  # fmt: skip


class Plugin:
    """Registers models as a plugin of llm does."""

    def __init__(self, *models: llm.Model) -> None:
        self.models = models

    @llm.hookimpl
    def register_models(self, register: Any) -> None:
        """Tells llm of the models."""
        for model in self.models:
            register(model)


@contextmanager
def registered(*models: llm.Model) -> Iterator[None]:
    """llm knows these models for a while."""
    plugin = Plugin(*models)
    pm.register(plugin)
    try:
        yield
    finally:
        pm.unregister(plugin)


if __name__ == "__main__":
    from memory_db.cli import main

    gate = os.environ.get("READER_GATE")
    model = ReadingModel(
        pause_s=float(os.environ.get("READER_PAUSE_S", "0")), log=os.environ.get("READER_LOG"),
        gate=Path(gate) if gate else None, answers_first=int(os.environ.get("READER_ANSWERS_FIRST", "0")),
    )  # fmt: skip
    with registered(model):
        main()
