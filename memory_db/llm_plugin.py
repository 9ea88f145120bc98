"""What memory_db adds to llm: the offline embedding model, our prompts, and the commands as `llm memory`.

In: llm's hooks. Out: the model `minilm-int8` for every llm command and
library call, our prompts as templates `memory:NAME`, the small language model
`memory-local` where its packages are installed, and a repair for models of llm-embed-onnx. Invariant: starting
llm loads no weights, and imports no model runtime.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import click
import llm
from llm.models import EmbeddingModel

from memory_db import local_model
from memory_db.embedders import MINILM, MINILM_ALIAS, load_embedder
from memory_db.errors import ModelError

FOREIGN_MODELS = "llm_embed_onnx"
"""Module of a plugin whose models need `accept_key`."""


class UnusableModelError(llm.ModelError, click.ClickException):
    """The model cannot be used: for callers of llm's library, and one line on its command line."""


class MiniLM(EmbeddingModel):
    """all-MiniLM-L6-v2 in int8, offline: 384 numbers a text, English, cut at 256 tokens."""

    model_id = MINILM
    batch_size = 32

    def embed_batch(self, items: Iterable[str | bytes], key: str | None = None) -> Iterator[list[float]]:
        """One unit vector an item, in order. Raises: UnusableModelError."""
        texts = [item if isinstance(item, str) else item.decode("utf-8", "replace") for item in items]
        try:
            vectors = load_embedder(MINILM).embed(texts)
        except ModelError as error:
            raise UnusableModelError(str(error)) from error
        yield from vectors.tolist()


def accept_key(model_class: type[EmbeddingModel]) -> None:
    """Lets `embed_batch` of a class take `key`, unless it does already.

    A model that does not take it has its attribute `key` replaced by llm with an API key for the time of the call.
    The models of llm-embed-onnx keep the name of their weights in that attribute and would no longer find them.
    """
    embed_batch: Callable[..., Any] = model_class.embed_batch
    if "key" in inspect.signature(embed_batch).parameters:
        return

    def embed_batch_with_key(self: EmbeddingModel, items: Iterable[str | bytes], key: str | None = None) -> Any:
        return embed_batch(self, items)

    model_class.embed_batch = embed_batch_with_key  # type: ignore[method-assign]


@llm.hookimpl
def register_embedding_models(register: Callable[..., None]) -> None:
    """Registers `minilm-int8`, and mends llm-embed-onnx if llm has loaded it."""
    register(MiniLM(), aliases=(MINILM_ALIAS,))
    foreign: ModuleType | None = sys.modules.get(FOREIGN_MODELS)
    if foreign:
        accept_key(foreign.OnnxModel)


@llm.hookimpl
def register_models(register: Callable[..., None]) -> None:
    """Registers `memory-local`, where the packages of the extra `local` are installed."""
    if local_model.is_installed():
        register(local_model.LocalModel())


@llm.hookimpl
def register_template_loaders(register: Callable[..., None]) -> None:
    """Adds our prompts as templates: `memory:extract` and `memory:behaviour`."""
    register("memory", shipped_prompt)


def shipped_prompt(name: str) -> llm.Template:
    """extract, behaviour: what models are asked; your own template memory-extract or memory-behaviour goes first"""
    from memory_db.extract.prompting import shipped_template  # noqa: PLC0415  # start-up: not every command needs it

    return shipped_template(name)


@llm.hookimpl
def register_commands(cli: click.Group) -> None:
    """Adds all commands of memory-db under `llm memory`."""
    from memory_db.cli import cli as memory_cli  # noqa: PLC0415  # start-up: only llm's command line needs it

    cli.add_command(memory_cli, "memory")
