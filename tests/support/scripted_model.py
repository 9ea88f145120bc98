"""A model of llm whose answers a test lists."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import llm


class ScriptedModel(llm.Model):
    """Gives the listed answers in turn: a text, an object as JSON, an error to raise, or an event to wait for.

    What it was asked is in `asked`, as (system prompt, prompt, schema). After the last answer it gives that again.
    """

    can_stream = False

    def __init__(
        self,
        answers: Sequence[str | dict[str, Any] | BaseException | threading.Event],
        *,
        model_id: str = "scripted",
        tokens: tuple[int, int] | None = None,
        supports_schema: bool = True,
        portion_tokens: int | None = None,
    ) -> None:
        self.model_id = model_id
        self.answers = list(answers)
        self.tokens = tokens
        self.supports_schema = supports_schema
        self.asked: list[tuple[str, str, dict[str, Any] | None]] = []
        if portion_tokens is not None:
            self.portion_tokens = portion_tokens

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """One answer."""
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append((prompt.system or "", prompt.prompt, prompt.schema))
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, threading.Event):
            answer.wait()
            answer = ""
        if self.tokens:
            response.set_usage(input=self.tokens[0], output=self.tokens[1])
        yield answer if isinstance(answer, str) else json.dumps(answer)


def memory(quote: str, entry: int = 1, **other: Any) -> dict[str, Any]:
    """A proposal as a model writes it."""
    return {
        "kind": "convention",
        "scope": "project",
        "title": "",
        "text": f"It was said: {quote}",
        "quote": quote,
        "entry": entry,
        "keys": [],
        "prompts": [],
        "importance": 3,
        "condition": "",
        "supersedes": "",
        "project": "",
    } | other


def answer(*memories: dict[str, Any], **episode: str) -> dict[str, Any]:
    """An answer with these proposals."""
    found = {"asked": "A question.", "learned": "", "done": "", "next": ""} | episode
    return {"memories": list(memories), "episode": found}
