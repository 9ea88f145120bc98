"""Where the key is: made once, kept private, never written over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_db.errors import InputError
from memory_db.redact.clean import clean
from memory_db.store import encryption_key
from memory_db.store.encryption_key import KEYRING, beside, in_file, key_of, keys, make, named_file, text_of

pytest.importorskip("cryptography", reason="the extra `encrypted` is not installed")


@pytest.fixture
def ring() -> Iterator[Any]:
    """A keyring that keeps what it is given for as long as a test lasts."""
    keyring = pytest.importorskip("keyring", reason="the extra `encrypted` is not installed")

    class Ring(keyring.backend.KeyringBackend):  # type: ignore[misc, name-defined]
        priority = 1
        is_locked = False

        def __init__(self) -> None:
            super().__init__()
            self.kept: dict[tuple[str, str], str] = {}

        def get_password(self, service: str, username: str) -> str | None:
            if self.is_locked:
                raise keyring.errors.KeyringLocked("The keyring\nis locked")
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.get_password(service, username)
            self.kept[service, username] = password

    before, made = keyring.get_keyring(), Ring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a keyring, whatever this one has."""
    keyring = pytest.importorskip("keyring", reason="the extra `encrypted` is not installed")
    fail = pytest.importorskip("keyring.backends.fail")
    monkeypatch.setattr(keyring.core, "_keyring_backend", fail.Keyring())


def test_a_key_in_a_file_is_private_and_never_written_over(db_path: Path, tmp_path: Path) -> None:
    place = tmp_path / "my.key"
    made = make(db_path, place)
    assert place.stat().st_mode & 0o777 == 0o600 and made.where == str(place)
    assert [each.secret for each in keys(db_path, place)] == [made.secret]
    with pytest.raises(InputError, match="cannot be kept"):
        make(db_path, place)
    assert in_file(place) == made


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o622])
def test_a_file_that_others_may_read_is_refused(db_path: Path, tmp_path: Path, mode: int) -> None:
    place = tmp_path / "my.key"
    make(db_path, place)
    place.chmod(mode)
    with pytest.raises(InputError, match=f"mode is {mode:o}. Run `chmod 600") as refused:
        list(keys(db_path, place))
    assert "\n" not in str(refused.value)


def test_the_keyring_comes_before_the_file_beside(db_path: Path, ring: Any) -> None:
    in_ring = make(db_path, None)
    assert in_ring.where == KEYRING and list(ring.kept.values()) == [text_of(in_ring)]
    encryption_key.write(beside(db_path), text_of(key_of("mdb_key_" + "A" * 43, "x")))
    assert [each.where for each in keys(db_path, None)] == [KEYRING, str(beside(db_path))]
    ring.is_locked = True
    assert [each.where for each in keys(db_path, None)] == [str(beside(db_path))]
    beside(db_path).unlink()
    with pytest.raises(InputError, match="does not keep a key: The keyring is locked"):
        make(db_path, None)


def test_without_a_keyring_the_key_stands_beside_the_file(db_path: Path, no_ring: None) -> None:
    assert list(keys(db_path, None)) == []
    made = make(db_path, None)
    assert made.where == f"{db_path}.key" and list(keys(db_path, None)) == [made]


def test_a_named_file_is_the_only_place(db_path: Path, tmp_path: Path) -> None:
    make(db_path, beside(db_path))
    assert list(keys(db_path, tmp_path / "none.key")) == []
    assert named_file(None, "none") is None and named_file(None, "/a/key") == Path("/a/key")
    assert named_file(Path("b"), "/a/key") == Path("b")


@pytest.mark.parametrize(
    "text", ["", "mdb_key_", "mdb_key_" + "A" * 42, "mdb_key_" + "A" * 44, "A" * 43, "mdb_" + "!" * 43]
)
def test_what_is_no_key_is_refused(db_path: Path, tmp_path: Path, text: str) -> None:
    place = tmp_path / "my.key"
    encryption_key.write(place, text)
    with pytest.raises(InputError, match="holds no key"):
        list(keys(db_path, place))


def test_a_key_in_a_text_is_taken_out(db_path: Path, tmp_path: Path) -> None:
    text = text_of(make(db_path, tmp_path / "my.key"))
    assert text not in clean(f"I wrote it down: {text}, and closed the safe.")[0]
    assert key_of(f" {text}\n", "a note").secret == key_of(text, "a note").secret
