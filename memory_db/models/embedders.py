"""Embedding models under one small protocol: the built-in one, and any that llm knows.

In: a model's name, then texts. Out: one float32 row a text. Invariant: no
model, and not llm itself, is imported before it is asked for by name; whatever
goes wrong inside a model is a ModelError.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from memory_db.errors import MemoryDBError, ModelError

if TYPE_CHECKING:
    from memory_db.models.minilm import Tokens

MINILM = "minilm-int8"
"""The built-in model, under the name that `llm_plugin` registers it by."""

MINILM_ALIAS = "minilm"

NO_MODEL = "none"
"""Value of the setting `embedding_model` that turns full embeddings off."""

MAX_CHARS = 8_000
"""How much of a text a model is given. Models cut at their own limit of tokens; this keeps what they must read
before they cut within bounds, and lies above what an 8,192-token model takes of code or prose."""

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """An embedding model under its full name."""

    model_id: str

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, float32, of any length. Raises: ModelError."""


class BuiltInEmbedder:
    """all-MiniLM-L6-v2 without a way through llm, which takes a second to import."""

    model_id = MINILM

    def __init__(self) -> None:
        from memory_db.models.minilm import MiniLM  # noqa: PLC0415  # start-up: onnxruntime takes a third of a second

        # Half the processors read a text; where there are many, two are read at once.
        processors = os.cpu_count() or 1
        self._model = MiniLM(threads=max(1, processors // 2), at_once=min(2, processors))

    def embed(self, texts: Sequence[str]) -> Vector:
        """Unit vectors, shape (len(texts), 384). Raises: ModelError."""
        with errors_of_model(self.model_id):
            return self._model.embed([text[:MAX_CHARS] for text in texts])

    def embed_tokens(self, texts: Sequence[str]) -> tuple[Vector, list[Tokens]]:
        """What `embed` gives, and the tokens of each text, from the same runs of the model. Raises: ModelError."""
        with errors_of_model(self.model_id):
            return self._model.embed_tokens([text[:MAX_CHARS] for text in texts])


class LlmEmbedder:
    """Any embedding model that llm knows, by name or alias."""

    def __init__(self, name: str) -> None:
        import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second or more

        with errors_of_model(name):
            try:
                self._model = llm.get_embedding_model(name)  # type: ignore[no-untyped-call]
            except llm.UnknownModelError as error:
                raise ModelError(
                    f"llm knows no embedding model {name!r}. `llm embed-models` lists those it knows; "
                    f"`memory-db settings embedding_model {MINILM}` goes back to the built-in one."
                ) from error
        self.model_id: str = self._model.model_id

    def embed(self, texts: Sequence[str]) -> Vector:
        """Vectors as the model gives them. Raises: ModelError."""
        with errors_of_model(self.model_id):
            rows = list(self._model.embed_multi([text[:MAX_CHARS] for text in texts]))
            vectors = np.array(rows, dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(f"Model {self.model_id} gave no vector for some texts. Try another embedding_model.")
        return vectors


@contextmanager
def errors_of_model(name: str) -> Iterator[None]:
    """Turns whatever a model raises into ModelError.

    A plugin's exceptions can be of any class, and panics of tokenizers' Rust are not even of class Exception.
    """
    try:
        yield
    except (MemoryDBError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        message = f"Embedding model {name} failed: {reason}. Try again, or set another embedding_model."
        raise ModelError(message) from error


LOADING = threading.Lock()
"""Held while a model is loaded: who asks meanwhile waits for it, instead of loading it once more."""


def load_embedder(name: str) -> Embedder:
    """The model of that name, the same object at each call. Raises: ModelError."""
    with LOADING:
        return loaded(name)


@cache
def loaded(name: str) -> Embedder:
    """The same, by one thread at a time. Raises: ModelError."""
    return BuiltInEmbedder() if name in (MINILM, MINILM_ALIAS) else LlmEmbedder(name)
