"""The nearest texts of the whole file by meaning, in a millisecond, with the standard library alone.

Full text finds what shares a word with a question; this finds what shares none. A text's signature is the signs of
the first numbers of its static vector. In: a vector. Out: ids of the texts whose signs differ from it least.

Signatures are kept a plane for each number: one long integer with a bit for each text. So some additions of whole
planes count the differing signs of all texts at once.

Invariants: blocks are derived from `static_vectors`, `condition_vectors` and `prompt_vectors` alone, and made again
when what they were made from changed. They choose what is considered; the score comes from the vectors themselves.

Source: signs as a sketch of the angle are Charikar's (2002, "Similarity estimation techniques from rounding
algorithms"); adding bits by planes is the carry-save adder of Harley and Seal.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator

from memory_db.store.connection import transaction
from memory_db.text.static_vectors import DIMENSIONS, MODEL_ID

BLOCK = 16_384
"""Ids of stored vectors that share a block: what is new makes only the last one anew."""

SIGNS = 128
"""Signs compared, of the first numbers of a vector, which vary most.

Source: measured on the sample's labelled questions: the nearest 75 hold .90 of the answers with 128 signs, .91 with all
256, .95 by the vectors themselves; time grows with the number of signs.
"""

STORED = {
    "memories": ("static_vectors", "memory_version_id"),
    "entries": ("static_vectors", "entry_id"),
    "conditions": ("condition_vectors", "memory_version_id"),
    "prompts": ("prompt_vectors", "entry_id"),
}
"""The table that holds the vectors of a sort, and its column that names what a vector belongs to."""

_POSITIVE = bytes(ord("1") if 0 < number < 128 else ord("0") for number in range(256))
"""Turns a number of a vector (a byte, negative from 128) into the digit of its sign."""


def refresh(db: sqlite3.Connection) -> int:
    """Makes the blocks that are missing or out of date, and removes those of nothing: how many there were."""
    changed = 0
    for sort, (table, column) in STORED.items():
        vectors = db.execute(
            f"select (id - 1) / {BLOCK} as block, count(*), sum(id) from {table} where {column} is not null"
            " group by block"
        )
        wanted = {block: (MODEL_ID, count, total) for block, count, total in vectors}
        stored = db.execute("select block, model, vector_count, id_sum from signature_blocks where sort = ?", [sort])
        known = {block: tuple(rest) for block, *rest in stored}
        for block in sorted(wanted.keys() | known.keys()):
            if wanted.get(block) != known.get(block):
                make_block(db, sort, block)
                changed += 1
    return changed


def make_block(db: sqlite3.Connection, sort: str, block: int) -> None:
    """Makes one block from its vectors; where those change meanwhile, its counts tell so to the next refresh."""
    table, column = STORED[sort]
    rows = db.execute(
        f"select id, {column}, vector from {table} where {column} is not null and id > ? and id <= ? order by id",
        [block * BLOCK, (block + 1) * BLOCK],
    ).fetchall()
    ids, planes = packed([(row[1], row[2]) for row in rows if row[2]])
    with transaction(db):
        db.execute("delete from signature_blocks where sort = ? and block = ?", [sort, block])
        if rows:
            db.execute(
                "insert into signature_blocks (sort, block, model, vector_count, id_sum, ids, planes)"
                " values (?, ?, ?, ?, ?, ?, ?)",
                [sort, block, MODEL_ID, len(rows), sum(row[0] for row in rows), ids, planes],
            )


def packed(vectors: list[tuple[int, bytes]]) -> tuple[bytes, bytes]:
    """Ids as 64-bit numbers, and the planes one after the other; filled up to whole bytes with the id 0."""
    missing = -len(vectors) % 8
    ids = array("q", [identifier for identifier, _ in vectors] + [0] * missing)
    joined = b"".join(vector for _, vector in vectors) + bytes(missing * DIMENSIONS)
    size = len(ids) // 8
    planes = [
        int(joined[number::DIMENSIONS].translate(_POSITIVE) or b"0", 2).to_bytes(size, "big") for number in range(SIGNS)
    ]
    return ids.tobytes(), b"".join(planes) if size else b""


def nearest(db: sqlite3.Connection, sort: str, vector: bytes, most: int, newest: int | None = None) -> list[int]:
    """Ids of the texts of that sort whose signs are most like the vector's, at most so many, in no order.

    What must be quick in any file looks at the `newest` blocks only.
    """
    ids, digits, everything = compared(db, sort, vector, newest)
    return [ids[place] for place in places_of(least(digits, everything, most), len(ids))]


def nearest_counted(
    db: sqlite3.Connection, sort: str, vector: bytes, most: int
) -> tuple[list[tuple[int, int]], int]:  # fmt: skip
    """The same, each with the number of signs in which it differs; and the least number of all that are not given.

    So who has this of several files knows what is nearest in all of them.
    """
    ids, digits, everything = compared(db, sort, vector, None)
    chosen = least(digits, everything, most)
    found = []
    for place in places_of(chosen, len(ids)):
        bit = 1 << (len(ids) - 1 - place)
        found.append((ids[place], sum(1 << number for number, digit in enumerate(digits) if digit & bit)))
    return found, lowest(digits, everything & ~chosen)


def compared(
    db: sqlite3.Connection, sort: str, vector: bytes, newest: int | None
) -> tuple[array[int], list[int], int]:  # fmt: skip
    """The ids of the blocks, in how many signs each differs from the vector, as planes of digits; and which are ids."""
    blocks = db.execute(
        "select ids, planes from signature_blocks where sort = ? and model = ? order by block desc limit ?",
        [sort, MODEL_ID, -1 if newest is None else newest],
    ).fetchall()[::-1]
    ids = array("q", b"".join(row[0] for row in blocks))
    every = (1 << len(ids)) - 1
    differing = []
    for number, digit in enumerate(vector[:SIGNS].translate(_POSITIVE)):
        parts = []
        for block_ids, planes in blocks:
            size = len(block_ids) // 64
            parts.append(planes[number * size : (number + 1) * size])
        plane = int.from_bytes(b"".join(parts), "big")
        differing.append(plane ^ every if digit == ord("1") else plane)
    filled_up = sum(1 << (len(ids) - 1 - place) for place in last_places(blocks) if not ids[place])
    return ids, counts(differing), every & ~filled_up


def last_places(blocks: list[sqlite3.Row]) -> Iterator[int]:
    """The last eight places of each block, where it may be filled up."""
    end = 0
    for ids, _ in blocks:
        end += len(ids) // 8
        yield from range(max(0, end - 8), end)


def places_of(chosen: int, length: int) -> list[int]:
    """The places of the bits that are set, the first ones first."""
    places = []
    while chosen:
        last = chosen & -chosen
        places.append(length - last.bit_length())
        chosen ^= last
    return places[::-1]


def lowest(digits: list[int], tied: int) -> int:
    """The least count of these bits; more than any where there are none."""
    if not tied:
        return SIGNS + 1
    value = 0
    for digit in reversed(digits):
        smaller = tied & ~digit
        value, tied = (2 * value, smaller) if smaller else (2 * value + 1, tied)
    return value


def counts(planes: list[int]) -> list[int]:
    """How many of the planes have each bit set, as planes of binary digits, the ones first."""
    waiting: list[list[int]] = [[]]
    for plane in planes:
        carry, digit = plane, 0
        while True:
            if digit == len(waiting):
                waiting.append([])
            same = waiting[digit]
            same.append(carry)
            if len(same) < 3:
                break
            one, two, three = same  # three of the same value are one of it and one of the next
            either = one ^ two
            waiting[digit] = [either ^ three]
            carry, digit = (one & two) | (either & three), digit + 1
    digits, carry = [], 0
    for same in [*waiting, []]:
        total, over = 0, 0
        for plane in (*same, carry):
            over |= total & plane
            total ^= plane
        digits.append(total)
        carry = over
    return digits


def least(digits: list[int], everything: int, most: int) -> int:
    """The bits whose count is least: at most so many, and all of a count or none."""
    chosen, tied = 0, everything
    for digit in reversed(digits):
        smaller = tied & ~digit
        if (chosen | smaller).bit_count() <= most:
            chosen |= smaller
            tied &= digit
        else:
            tied = smaller
    return chosen
