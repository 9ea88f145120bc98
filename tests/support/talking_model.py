"""A model of llm that answers in pieces: what a test lists, or what a function makes of the prompt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llm

from tests.support.patience import WAIT_S


class TalkingModel(llm.Model):
    """Yields the listed pieces; an exception among them is raised, an event is waited for.

    `asked` has (system prompt, prompt, messages as (role, text), earlier responses of llm's conversation, options).
    """

    can_stream = True

    class Options(llm.Options):
        temperature: float | None = None
        max_tokens: int | None = None
        note: str | None = None

    def __init__(
        self,
        pieces: Sequence[str | BaseException | threading.Event] | Callable[[str], str] = ("Fine.",),
        *,
        model_id: str = "talker",
        tokens: tuple[int, int] | None = None,
    ) -> None:
        self.model_id = model_id
        self.pieces = pieces
        self.tokens = tokens
        self.asked: list[tuple[str, str, list[tuple[str, str]], list[tuple[str, str]], dict[str, Any]]] = []

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """One answer."""
        assert stream
        messages = [(each.role, each.parts[0].text) for each in prompt.messages]
        before = [(each.prompt.prompt, each.text()) for each in conversation.responses]
        options = {name: value for name, value in dict(prompt.options).items() if value is not None}
        self.asked.append((prompt.system or "", prompt.prompt, messages, before, options))
        for piece in [self.pieces(prompt.prompt)] if callable(self.pieces) else self.pieces:
            if isinstance(piece, BaseException):
                raise piece
            if isinstance(piece, threading.Event):
                assert piece.wait(WAIT_S)
            else:
                yield piece
        if self.tokens:
            response.set_usage(input=self.tokens[0], output=self.tokens[1])
