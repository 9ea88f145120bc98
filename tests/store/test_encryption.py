"""Encrypted files: what was written comes back, or nothing does."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.errors import CorruptError, InputError
from memory_db.store.encryption import CHUNK, HEAD_BYTES, MAGIC, TAG, Key, decrypt, encrypt, encrypted_bytes

pytest.importorskip("cryptography", reason="the extra `encrypted` is not installed")

KEY, OTHER = Key(bytes(range(32)), "a test"), Key(bytes(32), "another test")

LENGTHS = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 7)


def content(length: int) -> bytes:
    return (b"port 5433, " * (length // 11 + 1))[:length]


def encrypted(plain: bytes, key: Key = KEY) -> bytes:
    target = io.BytesIO()
    assert encrypt([plain[: len(plain) // 3], plain[len(plain) // 3 :]], target, key) == len(plain)
    return target.getvalue()


def decrypted(data: bytes, key: Key = KEY) -> bytes:
    return b"".join(decrypt(io.BytesIO(data), "the copy", key))


@pytest.mark.parametrize("length", LENGTHS)
def test_what_was_written_comes_back(length: int) -> None:
    data = encrypted(content(length))
    assert decrypted(data) == content(length)
    assert len(data) == encrypted_bytes(data[:HEAD_BYTES])
    assert b"5433" not in data and data != encrypted(content(length)), "each file has a salt of its own"


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_it_does_not_matter_in_which_parts_it_comes(parts: list[bytes]) -> None:
    target = io.BytesIO()
    encrypt(parts, target, KEY)
    assert decrypted(target.getvalue()) == b"".join(parts)


@given(st.sampled_from(LENGTHS), st.data())
def test_any_changed_bit_is_noticed(length: int, data: st.DataObject) -> None:
    whole = bytearray(encrypted(content(length)))
    place, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    whole[place] ^= 1 << bit
    with pytest.raises((CorruptError, InputError)) as refused:
        decrypted(bytes(whole))
    assert "\n" not in str(refused.value)


@given(st.sampled_from(LENGTHS), st.data())
def test_what_was_cut_short_is_noticed(length: int, data: st.DataObject) -> None:
    whole = encrypted(content(length))
    at = data.draw(st.one_of(st.integers(len(MAGIC), len(whole) - 1), st.sampled_from(ends(len(whole)))))
    with pytest.raises(CorruptError, match="cut short"):
        decrypted(whole[:at])


def ends(length: int) -> list[int]:
    """Where chunks end, before the end of all."""
    return [at for at in range(HEAD_BYTES, length, CHUNK + TAG) if at < length]


def chunks(data: bytes) -> Iterator[bytes]:
    for at in range(HEAD_BYTES, len(data), CHUNK + TAG):
        yield data[at : at + CHUNK + TAG]


def test_chunks_in_another_order_twice_or_of_another_file_are_noticed() -> None:
    data, other = encrypted(content(3 * CHUNK)), encrypted(content(3 * CHUNK))
    head, (a, b, c) = data[:HEAD_BYTES], chunks(data)
    for parts in ((b, a, c), (a, a, b, c), (a, c), (a, b, c, c), (a, b), (a, list(chunks(other))[1], c)):
        with pytest.raises(CorruptError, match="changed or cut short"):
            decrypted(head + b"".join(parts))
    with pytest.raises(CorruptError):
        decrypted(data + b"\0")
    with pytest.raises(CorruptError):
        decrypted(other[:HEAD_BYTES] + data[HEAD_BYTES:])


def test_another_key_is_named() -> None:
    with pytest.raises(InputError, match=f"{KEY.id}, not with {OTHER.id}"):
        decrypted(encrypted(b"port"), OTHER)
    assert KEY.secret.hex() not in repr(KEY) and repr(KEY.secret) not in repr(KEY)


def test_what_was_not_encrypted_here_is_refused() -> None:
    with pytest.raises(InputError, match="not encrypted by memory-db"):
        decrypted(b"SQLite format 3\0" + bytes(100))
    newer = bytearray(encrypted(b"port"))
    newer[len(MAGIC)] = 2
    with pytest.raises(InputError, match="Upgrade"):
        decrypted(bytes(newer))
