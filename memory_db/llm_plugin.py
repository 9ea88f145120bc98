"""What memory_db adds to llm: memory for its prompts, the offline embedding model, and the commands as `llm memory`.

In: llm's hooks. Out: briefs as fragments `memory:QUERY`, the tools `memory_recall`, `memory_get` and `memory_timeline`,
our prompts as templates `memory:NAME`, the model `minilm-int8`, agents' own programs as models, the small language
model `memory-local` where its packages are installed, and a repair for models of llm-embed-onnx. Invariant: starting
llm loads no weights, and imports no model runtime and no database.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click
import llm
from llm.models import EmbeddingModel

from memory_db.errors import ModelError
from memory_db.models import agent_cli
from memory_db.models import local as local_model
from memory_db.models.embedders import MINILM, MINILM_ALIAS, load_embedder

if TYPE_CHECKING:
    from memory_db.agents.reader.reader import Reader

SURFACE = "llm"
"""How recalls of the fragment and of the tools are named in the log."""

FOREIGN_MODELS = "llm_embed_onnx"
"""Module of a plugin whose models need `accept_key`."""


class UnusableModelError(llm.ModelError, click.ClickException):
    """The model cannot be used: for callers of llm's library, and one line on its command line."""


class LlmMiniLM(EmbeddingModel):
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
    register(LlmMiniLM(), aliases=(MINILM_ALIAS,))
    foreign: ModuleType | None = sys.modules.get(FOREIGN_MODELS)
    if foreign:
        accept_key(foreign.OnnxModel)


@llm.hookimpl
def register_models(register: Callable[..., None]) -> None:
    """Registers agents' own programs, and `memory-local` where the packages of the extra `local` are installed."""
    for model in agent_cli.agent_models():
        register(model)
    if local_model.is_installed():
        register(local_model.LocalModel())


@llm.hookimpl
def register_template_loaders(register: Callable[..., None]) -> None:
    """Adds our prompts as templates: `memory:extract` and `memory:behaviour`."""
    register("memory", shipped_prompt)


def shipped_prompt(name: str) -> llm.Template:
    """extract, behaviour: what models are asked; your own template memory-extract or memory-behaviour goes first"""
    from memory_db.extract.model.prompts import shipped_template  # noqa: PLC0415  # start-up: not every command needs it

    return shipped_template(name)


@llm.hookimpl
def register_fragment_loaders(register: Callable[..., None]) -> None:
    """Adds briefs as fragments: `llm -f 'memory:which port has staging' ...`."""
    register("memory", brief_fragment)


@llm.hookimpl
def register_tools(register: Callable[..., None]) -> None:
    """Adds the tools that ask memory: `llm -T memory_recall`, and those that read on."""
    for tool in (memory_recall, memory_get, memory_timeline):
        register(tool)


def brief_fragment(question: str) -> llm.Fragment:
    """what is remembered on a question, as a brief: memory:QUESTION"""
    from memory_db.agents.llm.fragments import brief_for  # noqa: PLC0415  # start-up: not every command needs it

    text, source = brief_for(reader(), question)
    return llm.Fragment(text, source)  # type: ignore[no-untyped-call]


def memory_recall(query: str, project: str = "", kind: str = "") -> str:
    """Search what earlier sessions decided, learned and said; each line has a uid in brackets.

    kind: decision, fix, preference...; project: another than this folder's.
    """
    return reader().recall(query, project, kind)


def memory_get(uids: list[str], offset: int = 0) -> str:
    """Whole texts by the uids that memory_recall brackets; offset reads on."""
    return reader().get(uids, offset)


def memory_timeline(about: str = "", since: str = "", before: str = "", offset: int = 0) -> str:
    """What came before and after a uid or a topic (about), or between two dates."""
    return reader().timeline(about, since, before, offset=offset)


def reader() -> Reader:
    """The reader of the file that MEMORY_DB names, else of the default one, for whoever works in this folder."""
    from memory_db.agents.reader.reader import Reader  # noqa: PLC0415  # start-up: not every command needs it

    path = Path(os.environ.get("MEMORY_DB") or "~/.memory-db/memory.db").expanduser()
    return Reader(path, Path.cwd(), lambda: datetime.now(UTC), surface=SURFACE)


@llm.hookimpl
def register_commands(cli: click.Group) -> None:
    """Adds all commands of memory-db under `llm memory`."""
    from memory_db.cli import cli as memory_cli  # noqa: PLC0415  # start-up: only llm's command line needs it

    cli.add_command(memory_cli, "memory")
