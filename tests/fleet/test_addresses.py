"""Shards that are elsewhere, by addresses of fsspec: fetched, again where they changed, named where they cannot be."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import fsspec
import pytest

from bench.shards import catalogue_of
from memory_db.fleet import Fleet, Question, ask, open_fleet, opened
from memory_db.fleet.catalogue import read_catalogue
from memory_db.fleet.opened import fetched
from tests.support.shards import small_shard

NOW = datetime.fromisoformat("2026-11-01T12:00:00+00:00")

QUESTION = Question("the ferry and the crane", limit=5)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two small files; nothing writes into them."""
    folder = tmp_path_factory.mktemp("addresses")
    return [small_shard(folder / f"shard-{number}.db", number, NOW) for number in range(2)]


@pytest.fixture(autouse=True)
def own_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place of the test's own for what is fetched."""
    (tmp_path / "fetched").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "fetched"))
    yield tmp_path / "fetched"
    opened.close_all()


def scores(fleet: Fleet) -> list[float]:
    found = ask(fleet, QUESTION, now=NOW)
    assert found.missing == ()
    return [hit.score for hit in found.answer.shown]


def catalogue(folder: Path, *addresses: str) -> Path:
    rows = "".join(f'  - {{address: "{address}", person: p{number}}}\n' for number, address in enumerate(addresses))
    path = folder / "elsewhere.yml"
    path.write_text(f"shards:\n{rows}")
    return path


def address_of(sort: str, shard: Path, folder: Path) -> str:
    """Where a copy of a shard lies, put there as that sort of place takes it."""
    if sort == "file":
        return f"file://{shard}"
    if sort == "memory":
        fsspec.filesystem("memory").pipe(f"/team/{shard.name}", shard.read_bytes())
        return f"memory://team/{shard.name}"
    with zipfile.ZipFile(folder / f"{shard.stem}.zip", "w") as archive:
        archive.write(shard, "inner.db")
    return f"zip://inner.db::{folder / shard.stem}.zip"


@pytest.mark.parametrize("sort", ["file", "memory", "zip"])
def test_what_is_elsewhere_answers_as_if_it_were_here(sort: str, shards: list[Path], tmp_path: Path) -> None:
    addresses = [address_of(sort, shard, tmp_path) for shard in shards]
    with open_fleet(catalogue_of(shards, tmp_path / "here.yml"), scheduler="synchronous") as fleet:
        expected = scores(fleet)
    with open_fleet(catalogue(tmp_path, *addresses), scheduler="synchronous") as fleet:
        assert scores(fleet) == expected


def test_another_version_is_fetched_and_the_earlier_one_goes(
    shards: list[Path], tmp_path: Path, own_copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = address_of("memory", shards[0], tmp_path)
    monkeypatch.setattr(opened, "LOOK_S", 0.0)
    with open_fleet(catalogue(tmp_path, address), scheduler="synchronous") as fleet:
        before = scores(fleet)
        fsspec.filesystem("memory").pipe(f"/team/{shards[0].name}", shards[1].read_bytes())
        after = scores(fleet)
    with open_fleet(catalogue_of(shards[1:], tmp_path / "here.yml"), scheduler="synchronous") as fleet:
        assert after == scores(fleet) != before
    copies = [path for path in (own_copies.glob("memory-db-fleet-*/*")) if path.suffix == ".db"]
    assert [path.read_bytes() for path in copies] == [shards[1].read_bytes()]


def test_what_is_fetched_anew_leaves_alone_what_is_open(shards: list[Path], tmp_path: Path) -> None:
    address = address_of("memory", shards[0], tmp_path)
    first = fetched(address)
    with first.open("rb") as held:
        fsspec.filesystem("memory").pipe(f"/team/{shards[0].name}", shards[1].read_bytes())
        second = fetched(address)
        assert first != second and held.read() == shards[0].read_bytes()
    assert second.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://nobody/gone.db", "No file at memory://nobody/gone.db. Bring it back"),
        ("zip://inner.db::{folder}/none.zip", "No file at"),
        ("zip://other.db::{folder}/shard-0.zip", "No file at"),
        ("nosuch://team/x.db", "cannot be fetched: Protocol not known: nosuch. Mend the address"),
        ("sftp://team/x.db", "cannot be fetched: "),
    ],
    ids=["gone", "no archive", "not in the archive", "no such protocol", "a plugin that is not installed"],
)
def test_what_cannot_be_fetched_is_one_line(address: str, said: str, shards: list[Path], tmp_path: Path) -> None:
    address_of("zip", shards[0], tmp_path)
    here = str(shutil.copy(shards[1], tmp_path / "here.db"))
    path = catalogue(tmp_path, address.format(folder=tmp_path), here)
    with open_fleet(path, scheduler="synchronous") as fleet:
        (missing,) = ask(fleet, QUESTION, now=NOW).missing
    assert said in missing.reason and "\n" not in missing.reason
    assert read_catalogue(path)[0].is_local is False
