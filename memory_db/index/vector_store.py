"""Hundreds of thousands of vectors in memory, small, and the nearest of them in milliseconds.

In: ids and vectors. Out: cosines by id. A vector is kept as one signed byte a number with one scale a row (`codes`),
and as one bit a number (`sign_bits`). The bits of all rows choose candidates; the bytes of those give the cosines.

Invariants: a block never changes once made, so threads may read while another adds; a cosine belongs to the question
and one vector, whatever else is kept; the same rows in the same order give the same answers.

Source: signs as a sketch of the angle are Charikar's (2002, "Similarity estimation techniques from rounding
algorithms"). What both steps lose is measured by `python -m bench embedding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

Portion = tuple[NDArray[np.int64], NDArray[np.int8], Vector]
"""Ids with their rows, as `coded` gives them."""

BLOCK = 32_768
"""Rows of a block. What is added makes only the last block anew, a few hundredths of a second's work."""

LEAST_CANDIDATES = 2_000
"""Rows whose cosines are computed for the nearest: all where there are no more.

Source: of 4,430 vectors of chats and notes it holds .999 of the nearest 75 and all of the nearest 10.
"""

CANDIDATE_SHARE = 50
"""Of many rows every fiftieth is a candidate, so that a growing file loses no more than a small one."""

LARGEST_CODE = 127

AT_ONCE = 2_048
"""Rows turned into floats at once: 3 MB of them, which a processor's cache holds."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some of the rows: `order` sorts `ids`; a row is `codes * scales`; `sign_bits` has a column of 64-bit words a
    row."""

    ids: NDArray[np.int64]
    order: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: Vector
    sign_bits: NDArray[np.uint64]

    def places(self, sorted_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of those of the ids that are here."""
        low, high = self.ids[self.order[0]], self.ids[self.order[-1]]
        wanted = sorted_ids[np.searchsorted(sorted_ids, low) : np.searchsorted(sorted_ids, high, "right")]
        if not len(wanted):
            return np.zeros(0, dtype=np.int64)
        places = np.searchsorted(self.ids, wanted, sorter=self.order)
        found: NDArray[np.int64] = self.order[np.minimum(places, len(self.ids) - 1)]
        return found[np.equal(self.ids[found], wanted)]

    def cosines(self, vector: Vector, places: NDArray[np.int64]) -> Vector:
        """The cosines of some rows."""
        with np.errstate(invalid="ignore"):  # short rows: BLAS may raise the flag for a register's unused part
            # Row by row: a product of matrices adds up in another order where there are other rows beside.
            found: Vector = np.einsum("ij,j->i", self.codes[places].astype(np.float32), vector) * self.scales[places]
        return found

    def differing(self, sign_bits: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """For each row how many signs differ from those given."""
        total = np.zeros(len(self.ids), dtype=np.uint16)
        for word, wanted in zip(self.sign_bits, sign_bits, strict=True):
            total += np.bitwise_count(word ^ wanted)
        return total


@dataclass(frozen=True, slots=True)
class Matrix:
    """All rows, all of one length. `centre` is what signs are taken around: the mean of the first block."""

    dimensions: int = 0
    centre: Vector | None = None
    blocks: tuple[Block, ...] = ()

    def __len__(self) -> int:
        return sum(len(block.ids) for block in self.blocks)

    @property
    def size_bytes(self) -> int:
        """How much memory the rows take."""
        return sum(getattr(block, name).nbytes for block in self.blocks for name in Block.__slots__)

    def add(self, portions: Sequence[Portion]) -> Matrix:
        """These rows with further ones of the same length. Ids must be new."""
        blocks, centre = list(self.blocks), self.centre
        parts = list(portions)
        if parts and blocks and len(blocks[-1].ids) < BLOCK:
            last = blocks.pop()
            parts.insert(0, (last.ids, last.codes, last.scales))
        for ids, codes, scales in in_blocks(parts):
            if not blocks or centre is None:
                centre = (scales @ codes.astype(np.float32)) / np.float32(len(ids))
            blocks.append(make_block(ids, codes, scales, centre))
        return Matrix(blocks[0].codes.shape[1] if blocks else 0, centre, tuple(blocks))

    def cosines(self, vector: Vector, ids: Sequence[int], nearest: int) -> dict[int, float]:
        """Cosine by id: of the ids given that are here, and of the `nearest` best. The vector must be as long as 1."""
        if self.dimensions != len(vector) or not self.blocks:
            return {}
        wanted = np.unique(np.asarray(ids, dtype=np.int64))
        keys, values = self.at([block.places(wanted) for block in self.blocks] if len(wanted) else [], vector)
        found = dict(zip(keys.tolist(), values.tolist(), strict=True))
        if nearest > 0:
            keys, values = self.at(self.candidates(vector), vector)
            if nearest < len(keys):
                best = np.argpartition(values, -nearest)[-nearest:]
                keys, values = keys[best], values[best]
            found.update(zip(keys.tolist(), values.tolist(), strict=True))
        return found

    def at(self, places: Sequence[NDArray[np.int64]], vector: Vector) -> tuple[NDArray[np.int64], Vector]:
        """Ids and cosines of some rows of each block."""
        chosen = [(block, rows) for block, rows in zip(self.blocks, places, strict=False) if len(rows)]
        if not chosen:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        return (
            np.concatenate([block.ids[rows] for block, rows in chosen]),
            np.concatenate([block.cosines(vector, rows) for block, rows in chosen]),
        )

    def candidates(self, vector: Vector) -> list[NDArray[np.int64]]:
        """Rows of each block that may be the nearest: those whose signs are most like the vector's."""
        most = max(LEAST_CANDIDATES, len(self) // CANDIDATE_SHARE)
        if len(self) <= most or self.centre is None:
            return [np.arange(len(block.ids)) for block in self.blocks]
        sign_bits = sign_bits_of((vector - self.centre)[None, :])[:, 0]
        differing = [block.differing(sign_bits) for block in self.blocks]
        counts = np.zeros(self.dimensions + 1, dtype=np.int64)
        for each in differing:
            counts += np.bincount(each, minlength=self.dimensions + 1)
        limit = int(np.searchsorted(np.cumsum(counts), most))  # the rows of one more difference are all taken
        return [np.flatnonzero(each <= limit) for each in differing]


def in_blocks(portions: Sequence[Portion]) -> Iterator[Portion]:
    """Portions of rows joined and cut into those of a block, in their order."""
    waiting: list[Portion] = []
    for portion in portions:
        waiting.append(portion)
        while sum(len(ids) for ids, _, _ in waiting) >= BLOCK:
            joined = join(waiting)
            yield joined[0][:BLOCK], joined[1][:BLOCK], joined[2][:BLOCK]
            waiting = [(joined[0][BLOCK:], joined[1][BLOCK:], joined[2][BLOCK:])]
    if waiting and len((joined := join(waiting))[0]):
        yield joined


def join(portions: Sequence[Portion]) -> Portion:
    """Portions of rows as one."""
    ids, codes, scales = (np.concatenate(column) for column in zip(*portions, strict=True))
    return ids, codes, scales


def make_block(ids: NDArray[np.int64], codes: NDArray[np.int8], scales: Vector, centre: Vector) -> Block:
    """A block, its signs taken from its codes, so that they are the same however it grew."""
    slices = [slice(start, start + AT_ONCE) for start in range(0, len(ids), AT_ONCE)]
    sign_bits = [sign_bits_of(codes[part] * scales[part, None] - centre) for part in slices]
    return Block(ids, np.argsort(ids), codes, scales, np.concatenate(sign_bits, axis=1))


def coded(vectors: Vector) -> tuple[NDArray[np.int8], Vector]:
    """Unit rows as bytes, and what a byte of each row is worth. A vector of zeros stays one."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    steps = np.where(largest > 0, largest / LARGEST_CODE, 1).astype(np.float32)
    codes = np.rint(vectors / steps[:, None]).astype(np.int8)
    return codes, (steps / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def sign_bits_of(rows: Vector) -> NDArray[np.uint64]:
    """Which numbers are above 0, as 64-bit words: one column a row."""
    packed = np.packbits(rows > 0, axis=1)
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(padded.view(np.uint64).T)
