"""Encrypting copies and exports, and reading them again.

In: files, a database beside which keys and what is readable for a moment may stand. Out: an encrypted file that was
decrypted again and compared, or what one holds. Invariants: a name is given to a whole file alone; nothing is believed
of an encrypted file before its last byte is known to be authentic.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from memory_db.errors import CorruptError, InputError, MissingFileError
from memory_db.store import backup, encryption, encryption_key
from memory_db.store.encryption import Key

READ_BYTES = 1_048_576


def parts_of(path: Path, digest: hashlib._Hash | None = None) -> Iterator[bytes]:
    """The bytes of a file, in portions, which a digest may take up too. Raises: OSError."""
    with path.open("rb") as handle:
        while part := handle.read(READ_BYTES):
            if digest is not None:
                digest.update(part)
            yield part


def encrypt_copy(key: Key) -> Callable[[Path, Path], None]:
    """What encrypts a file into an empty one and decrypts that again, to compare. It raises: CorruptError; OSError."""

    def does(plain: Path, target: Path) -> None:
        before, after = hashlib.sha256(), hashlib.sha256()
        with target.open("rb+") as handle:
            encryption.encrypt(parts_of(plain, before), handle, key)
        with target.open("rb") as handle:
            for part in encryption.decrypt(handle, target, key):
                after.update(part)
        if before.digest() != after.digest():
            raise CorruptError(f"{target} does not hold what was encrypted. Try again, on another disk if it stays so.")

    return does


def write_encrypted(parts: Iterable[str], target: Path, key: Key) -> None:
    """Writes a text to a new file, encrypted. Raises: InputError if something is there; OSError."""
    with new_file(target) as partial, partial.open("rb+") as handle:
        encryption.encrypt((part.encode(errors="surrogatepass") for part in parts), handle, key)


def decrypt_file(source: Path, target: Path, key: Key) -> int:
    """Writes what is encrypted in a file to a new one, readable by its owner alone; how many bytes.

    Raises: InputError, CorruptError; OSError.
    """
    with new_file(target) as partial, partial.open("wb") as out:
        return decrypt_into(source, out.fileno(), key)


def decrypt_into(source: Path, handle: int, key: Key) -> int:
    """Writes what is encrypted in a file to an open one; how many bytes. Raises: InputError, CorruptError; OSError."""
    length = 0
    with opened(source) as encrypted, os.fdopen(handle, "wb", closefd=False) as out:
        for part in encryption.decrypt(encrypted, source, key):
            length += out.write(part)
    return length


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """An empty private file that takes the name of the target once all is well; else it is gone.

    Raises: InputError if something is there, or nothing can be.
    """
    if target.exists():
        raise InputError(f"There is something at {target} already. Name a new file, or move that one away.")
    partial = target.with_name(target.name + backup.PARTIAL)
    try:
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
    except OSError as error:
        raise InputError(f"Cannot make {partial}: {error.strerror}. Name a place that can be written.") from error
    try:
        yield partial
        backup.write_through(partial)
        partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def opened(source: Path) -> Iterator[BinaryIO]:
    """A file open for reading. Raises: MissingFileError, InputError."""
    try:
        handle = source.open("rb")
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no file {source}. Name one that is there.") from error
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}. Name a file that can.") from error
    with handle:
        yield handle


@contextmanager
def readable(copy: Path, path: Path, named: Path | None) -> Iterator[Path]:
    """A copy itself, or, where it is encrypted, what it holds, for a moment, beside the database.

    Raises: InputError where its key is not here; CorruptError; OSError.
    """
    if not encryption.is_encrypted(backup.head_of(copy)):
        yield copy
        return
    key = key_for(copy, path, named)
    with backup.plain_beside(path) as plain:
        with plain.open("wb") as out:
            decrypt_into(copy, out.fileno(), key)
        yield plain


def key_for(source: Path, path: Path, named: Path | None) -> Key:
    """The key that a file was encrypted with, if it is here. Raises: InputError, CorruptError."""
    with opened(source):
        wanted = encryption.wanted_key(backup.head_of(source), source)
    found = list(encryption_key.keys(path, named))
    for key in found:
        if key.id == wanted:
            return key
    here = f"here is none{looked(path, named)}"
    if found:
        here = f"here is {', '.join(f'{key.id} ({key.where})' for key in found)}"
    line = f"{source} was encrypted with the key {wanted}, and {here}. Name the file that holds it: --key-file."
    raise InputError(line)


def key_to_use(path: Path, named: Path | None) -> Key:
    """The key for what is to be encrypted. Raises: InputError where there is none."""
    for key in encryption_key.keys(path, named):
        return key
    raise InputError(f"There is no key to encrypt with{looked(path, named)}. Make one: `memory-db file key --make`.")


def looked(path: Path, named: Path | None) -> str:
    """Where a key was looked for, in words."""
    if named is not None:
        return f" in {named}"
    keyring = f"in {encryption_key.KEYRING} and " if encryption_key.usable_keyring()[0] is not None else ""
    return f" {keyring}in {encryption_key.beside(path)}"
