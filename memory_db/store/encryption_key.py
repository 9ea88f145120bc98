"""Where the user's key is: in the keyring of the system, or in a file that only its owner may read.

In: where to look. Out: keys, each with where it was found. Invariants: a key is made only where somebody asks for it,
and none that is there is written over; a file that others may read is refused, not used.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_db.errors import InputError
from memory_db.store.encryption import KEY_BYTES, Key

PREFIX = "mdb_key_"
"""What a key begins with as text. Redaction takes it out, as it does tokens, which begin with `mdb_`."""

SERVICE, NAME = "memory-db", "encryption key"
"""Under what the key stands in the keyring: one for each user, whichever file is encrypted."""

KEYRING = "the keyring of the system"

ENDING = ".key"
"""What the name of a file's own key file ends in, where there is no keyring."""

NO_FILE = "none"
"""As a setting: no key file is named."""

MOST_BYTES = 1_000
"""Of a key file: more is something else."""


def beside(path: Path) -> Path:
    """The key file of a database where there is no keyring and none is named."""
    return path.with_name(path.name + ENDING)


def named_file(option: Path | None, setting: str) -> Path | None:
    """The key file that an option or else a setting names."""
    return option or (None if setting == NO_FILE else Path(setting).expanduser())


def keys(path: Path, named: Path | None) -> Iterator[Key]:
    """The keys that are here for a database: of the named file alone, else of the keyring, else of the file beside.

    Raises: InputError for a key file that cannot be used.
    """
    if named is not None:
        if found := in_file(named):
            yield found
        return
    if found := in_keyring():
        yield found
    if found := in_file(beside(path)):
        yield found


def make(path: Path, named: Path | None) -> Key:
    """A new key, where it will be looked for: the named file, else the keyring, else the file beside the database.

    Raises: InputError where it cannot be kept.
    """
    text = PREFIX + base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).rstrip(b"=").decode()
    place = KEYRING
    backend, errors = usable_keyring()
    if named is not None or backend is None:
        place = str(write(named or beside(path), text))
    else:
        try:
            backend.set_password(SERVICE, NAME, text)
        except errors as error:
            raise InputError(f"{KEYRING} does not keep a key: {first_line(error)}. Name a file: --key-file.") from error
    return key_of(text, place)


def text_of(key: Key) -> str:
    """A key as text, to be written down."""
    return PREFIX + base64.urlsafe_b64encode(key.secret).rstrip(b"=").decode()


def key_of(text: str, where: str) -> Key:
    """The key that a text says. Raises: InputError."""
    stripped = text.strip()
    try:
        secret = base64.b64decode(stripped.removeprefix(PREFIX) + "=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        secret = b""
    if not stripped.startswith(PREFIX) or len(secret) != KEY_BYTES:
        raise InputError(f"{where} holds no key: that is one line, {PREFIX} and 43 characters. Name another.")
    return Key(secret, where)


# ----------------------------------------------------------------------- file


def in_file(path: Path) -> Key | None:
    """The key of a file; None where there is no file. Raises: InputError."""
    try:
        with path.open("rb") as handle:
            state = os.fstat(handle.fileno())
            mode = stat.S_IMODE(state.st_mode)
            if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise InputError(f"Others may read the key {path}: its mode is {mode:o}. Run `chmod 600 {path}`.")
            content = handle.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"The key {path} cannot be read: {error.strerror}. Name another file: --key-file.") from error
    return key_of(content.decode("ascii", "replace"), str(path))


def write(path: Path, text: str) -> Path:
    """Writes a key to a new file of mode 0600. Raises: InputError."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        line = f"The key cannot be kept in {path}: {error.strerror}. Name a new file: --key-file."
        raise InputError(line) from error
    return path


# -------------------------------------------------------------------- keyring


def usable_keyring() -> tuple[Any, tuple[type[Exception], ...]]:
    """The keyring that keeps passwords here, and the errors that it raises; None where there is none."""
    try:
        import keyring  # noqa: PLC0415  # optional, and slow to load
        from keyring.errors import KeyringError  # noqa: PLC0415
    except ImportError:
        return None, ()
    # A backend speaks with another process: its own errors come as they are there.
    errors = (KeyringError, RuntimeError, OSError)
    try:
        backend = keyring.get_keyring()
        return (backend, errors) if backend.priority > 0 else (None, errors)
    except errors:
        return None, errors


def in_keyring() -> Key | None:
    """The key of the keyring; None where there is none, or it does not answer. Raises: InputError."""
    backend, errors = usable_keyring()
    if backend is None:
        return None
    try:
        text = backend.get_password(SERVICE, NAME)
    except errors:
        return None
    return key_of(text, KEYRING) if text else None


def first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__
