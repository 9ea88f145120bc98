"""Encrypted files: AES-256-GCM in chunks, each file under a key of its own that is derived from the user's.

In: bytes and a key. Out: a file whose every byte is authenticated, or the bytes again. Invariants: nothing is held but
a chunk; what was changed, cut short, put in another order or added to is refused, never given in part to who waits
for the end; the same key never meets the same nonce twice, since each file has its salt and counts its chunks.

A file is a head, then chunks of `CHUNK` bytes (the last one shorter, perhaps empty), each with 16 bytes of tag:

    8 bytes   MEMDBENC
    1 byte    the version, 1
    8 bytes   which key: HKDF-SHA256 of it, so that a wrong one is named as such
    16 bytes  salt: the file's key is HKDF-SHA256 of the user's with it
    8 bytes   length of what is encrypted

The nonce of a chunk is its number (11 bytes) and whether it is the last (1 byte). All chunks authenticate the head
without the length, the last one the length too. Source: the STREAM construction of Hoang, Reyhanitabar, Rogaway and
Vizar (2015), as Tink and age use it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from memory_db.errors import CorruptError, InputError
from memory_db.extras import how_to_install

EXTRA = "encrypted"
"""The extra that brings the packages."""

MAGIC, VERSION = b"MEMDBENC", 1

HEAD = struct.Struct(">8sB8s16s")
LENGTH = struct.Struct(">Q")
HEAD_BYTES = HEAD.size + LENGTH.size

CHUNK, TAG = 65_536, 16
"""Bytes of a chunk, and of what authenticates one."""

KEY_BYTES = 32
ID_INFO, FILE_INFO = b"memory-db: which key", b"memory-db: key of a file"
"""What keeps apart what is derived from a key."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key, and where it was found; its bytes are not shown."""

    secret: bytes
    where: str

    def __repr__(self) -> str:
        return f"Key({self.id}, {self.where!r})"

    @property
    def id_bytes(self) -> bytes:
        """What a file says of the key that it wants."""
        return derived(self.secret, b"", ID_INFO)[:8]

    @property
    def id(self) -> str:
        """By what a person tells keys apart."""
        return self.id_bytes.hex()


def primitives() -> tuple[Any, Any, Any, Any]:
    """What the package cryptography gives: AESGCM, HKDF, SHA256 and the error for what is not authentic.

    Raises: InputError where it is not installed.
    """
    try:
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # optional, and slow to load
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"The package cryptography is not installed, which encrypts. Run `{how_to_install(EXTRA)}`."
        ) from error
    return AESGCM, HKDF, SHA256, InvalidTag


def derived(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """A key made of another. Raises: InputError."""
    _, hkdf, sha256, _ = primitives()
    made: bytes = hkdf(sha256(), KEY_BYTES, salt, info).derive(secret)
    return made


def nonce(number: int, is_last: bool) -> bytes:
    """The nonce of a chunk."""
    return number.to_bytes(11) + bytes([is_last])


def encrypt(parts: Iterable[bytes], target: BinaryIO, key: Key) -> int:
    """Writes what the parts say, encrypted, to a file that can be gone back in; how many bytes they were.

    Raises: InputError; OSError.
    """
    aesgcm = primitives()[0]
    salt = os.urandom(16)
    head = HEAD.pack(MAGIC, VERSION, key.id_bytes, salt)
    cipher = aesgcm(derived(key.secret, salt, FILE_INFO))
    target.write(head + LENGTH.pack(0))
    number, length, held = 0, 0, bytearray()
    for part in parts:
        held += part
        length += len(part)
        while len(held) > CHUNK:  # the last chunk is known by the end alone
            target.write(cipher.encrypt(nonce(number, False), bytes(held[:CHUNK]), head))
            del held[:CHUNK]
            number += 1
    target.write(cipher.encrypt(nonce(number, True), bytes(held), head + LENGTH.pack(length)))
    target.seek(HEAD.size)
    target.write(LENGTH.pack(length))
    target.seek(0, os.SEEK_END)
    return length


def decrypt(source: BinaryIO, name: object, key: Key) -> Iterator[bytes]:
    """What is encrypted in a file, chunk by chunk; nobody may believe it before the last one has come.

    Raises: InputError for another key, CorruptError for what is not as it was written; OSError.
    """
    aesgcm, _, _, invalid = primitives()
    head = source.read(HEAD_BYTES)
    wanted = wanted_key(head, name)
    if wanted != key.id:
        raise InputError(f"{name} was encrypted with the key {wanted}, not with {key.id} ({key.where}). Name its own.")
    cipher = aesgcm(derived(key.secret, head[HEAD.size - 16 : HEAD.size], FILE_INFO))
    number, length, chunk = 0, 0, source.read(CHUNK + TAG)
    while True:
        following = source.read(CHUNK + TAG)
        try:
            plain = cipher.decrypt(nonce(number, not following), chunk, head if not following else head[: HEAD.size])
        except (invalid, ValueError) as error:
            raise changed(name) from error
        length += len(plain)
        if not following and length != LENGTH.unpack(head[HEAD.size :])[0]:
            raise changed(name)
        yield plain
        if not following:
            return
        number, chunk = number + 1, following


def changed(name: object) -> CorruptError:
    """That a file is not as it was written."""
    return CorruptError(f"{name} was changed or cut short since it was encrypted: nothing of it is used. Take another.")


def is_encrypted(head: bytes) -> bool:
    """Whether a file begins as encrypted ones do."""
    return head.startswith(MAGIC)


def wanted_key(head: bytes, name: object) -> str:
    """Which key a file wants, by its head. Raises: InputError for what was not encrypted here; CorruptError."""
    if not is_encrypted(head):
        raise InputError(f"{name} was not encrypted by memory-db. Name a file that was.")
    if len(head) < HEAD_BYTES:
        raise changed(name)
    _, version, id_bytes, _ = HEAD.unpack(head[: HEAD.size])
    if version != VERSION:
        raise InputError(f"{name} is encrypted in version {version}, newer than {VERSION}. Upgrade memory-db.")
    return str(id_bytes.hex())


def encrypted_bytes(head: bytes) -> int:
    """How long a file says that it is, by its head; 0 for one without a whole head."""
    if len(head) < HEAD_BYTES:
        return 0
    length = int(LENGTH.unpack(head[HEAD.size : HEAD_BYTES])[0])
    return HEAD_BYTES + length + TAG * max(1, -(-length // CHUNK))
