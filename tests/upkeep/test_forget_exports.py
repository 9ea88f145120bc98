"""Exports that were made and are remembered: forgetting looks into them, tells what they hold, and takes it out."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_db.cli import cli
from memory_db.knowledge.locks import lock
from memory_db.store.connection import connect
from memory_db.store.schema import open_database
from memory_db.text.scrubbing import flat_text
from memory_db.upkeep import exports
from memory_db.upkeep.export import Choice, as_document, as_json, chosen, write_file, write_folder
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.preview import preview
from memory_db.upkeep.forget.run import forget
from tests.upkeep.test_forget_only import LINTER, NOW, REVIEW, cases, empty, exit_code, read_from, remember, said

__all__ = ["empty"]

pytestmark = pytest.mark.slow

FORMS = ("memories.json", "memories.md", "folder")


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), *arguments], standalone_mode=False)


def exported(path: Path, place: Path, form: str, *more: str) -> Path:
    """An export of a file in a form, by the command."""
    target = place / form
    where = ["--folder", str(target)] if form == "folder" else ["--output", str(target)]
    kind = ["--format", "markdown"] if form.endswith(".md") else []
    assert exit_code(run(path, "export", *where, *kind, *more)) == 0
    return target


def words_in(target: Path) -> str:
    """All that a file or the files of a folder say, on one line."""
    return flat_text(" ".join(each.read_text("utf-8") for each in exports.files_of(target)))


@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_named_and_cleaned_when_asked(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path, form: str
) -> None:
    uid, kept = remember(db, LINTER), remember(db, REVIEW)
    target = exported(db_path, tmp_path, form)
    assert str(target) in run(db_path, "memory", "forget", uid, "--dry-run").output
    result = run(db_path, "memory", "forget", uid, "--yes")
    assert exit_code(result) == 1 and "none is left" not in result.output
    (line,) = [line for line in result.output.splitlines() if line.startswith("STILL HELD by exports")]
    assert f"{target} (1 memory; `--exports` takes it out)" in line and LINTER in words_in(target)

    other = remember(db, "Another one that goes.")
    certified = tmp_path / "certificate.json"
    result = run(db_path, "memory", "forget", "--words", LINTER, "--yes", "--exports", "--certificate", str(certified))
    assert exit_code(result) == 0 and f"Taken out of exports: {target}" in result.output
    assert LINTER not in words_in(target) and REVIEW in words_in(target) and kept in words_in(target)
    found = json.loads(certified.read_text())
    assert found["searched"]["exports"] == found["cleaned_exports"] == [str(target)]
    assert found["found_afterwards"]["exports"] == [] and other not in words_in(target)


def test_pages_as_files_are_named_and_left_as_they_are(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasette")
    uid, _ = remember(db, LINTER), remember(db, REVIEW)
    folder = tmp_path / "site"
    assert exit_code(run(db_path, "export", "--site", str(folder), "--yes")) == 0
    before = exports.digest_of(folder)
    result = run(db_path, "memory", "forget", uid, "--yes", "--exports")
    assert exit_code(result) == 1
    (line,) = [line for line in result.output.splitlines() if line.startswith("STILL HELD by exports")]
    assert str(folder) in line and "pages; pages as files: delete them" in line
    assert exports.digest_of(folder) == before
    shutil.rmtree(folder)
    other = remember(db, "Another one that goes.")
    assert exit_code(run(db_path, "memory", "forget", other, "--yes")) == 0


def test_an_encrypted_export_is_cleaned_under_its_key(db: sqlite3.Connection, db_path: Path, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    uid, _ = remember(db, LINTER), remember(db, REVIEW)
    key = tmp_path / "key"
    target = exported(db_path, tmp_path, "memories.json", "--encrypt", "--key-file", str(key))
    assert exit_code(run(db_path, "memory", "forget", uid, "--dry-run")) == 0
    result = run(db_path, "memory", "forget", uid, "--yes")
    assert exit_code(result) == 1 and "cannot be looked into" in result.output, "its key is not known here"
    assert exit_code(run(db_path, "settings", "encryption_key_file", str(key))) == 0
    result = run(db_path, "memory", "forget", "--words", LINTER, "--yes", "--exports")
    assert exit_code(result) == 0
    plain = tmp_path / "plain.json"
    assert exit_code(run(db_path, "file", "decrypt", str(target), str(plain))) == 0
    assert [each["text"] for each in json.loads(plain.read_text())] == [REVIEW]
    with closing(connect(db_path)) as after:
        assert [each.what for each in exports.known(after)] == [exports.MEMORIES, exports.DECRYPTED]


def test_what_was_changed_moved_or_is_a_copy_is_told_and_left(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path
) -> None:
    uid = remember(db, LINTER)
    changed = exported(db_path, tmp_path, "memories.md")
    changed.write_text(changed.read_text() + "\nmy own notes\n")
    moved = exported(db_path, tmp_path, "memories.json")
    moved.rename(tmp_path / "elsewhere.json")
    copied = tmp_path / "copy.db"
    assert exit_code(run(db_path, "file", "backup", str(copied))) == 0
    result = run(db_path, "memory", "forget", uid, "--yes", "--exports")
    assert exit_code(result) == 1
    assert f"{changed} (1 memory; it was changed since it was written" in result.output
    assert f"{copied} (memories 1" in result.output and copied.exists()
    assert "no longer where they were written" in result.output and str(moved) in result.output
    assert "my own notes" in changed.read_text() and LINTER in changed.read_text()


def test_an_export_that_was_not_written_is_not_remembered(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path
) -> None:
    remember(db, LINTER)
    (tmp_path / "there.json").write_text("mine")
    assert run(db_path, "export", "--output", str(tmp_path / "there.json")).exception is not None
    assert exports.known(db) == []
    exported(db_path, tmp_path, "memories.json")
    assert [each.sha256 is not None for each in exports.known(db)] == [True]


def test_a_quote_of_a_forgotten_entry_leaves_the_export_of_a_memory_that_stays(
    db: sqlite3.Connection, db_path: Path, tmp_path: Path
) -> None:
    uid = remember(db, REVIEW)
    for number, words in enumerate(("Bob looks at everything first.", "The key hangs behind the door.")):
        entry_uid, entry_id = said(db, words, session=f"s{number}", at=number)
        read_from(db, uid, entry_id, words)
    target = exported(db_path, tmp_path, "memories.json")
    result = run(db_path, "memory", "forget", entry_uid, "--yes", "--exports")
    assert exit_code(result) == 0, result.output
    (memory,) = json.loads(target.read_text())
    assert [each["quote"] for each in memory["sources"]] == ["Bob looks at everything first."]


@given(cases(), st.booleans(), st.sampled_from(FORMS))
@settings(max_examples=30)  # of what the exports lose; forgetting itself is tried in test_forget_only.py
def test_exports_lose_what_goes_and_nothing_else(
    empty: Path, case: tuple[list[tuple[str, bool]], list[str]], as_words: bool, form: str
) -> None:
    memories, _ = case
    with TemporaryDirectory() as folder:
        path, target = Path(shutil.copy(empty, Path(folder) / "memory.db")), Path(folder) / form
        with closing(open_database(path, now=NOW)) as db:
            uids = {text: remember(db, text) for text, _ in memories}
            for text, is_locked in memories:
                if is_locked:
                    lock(db, uids[text], by="user", reason="asked", now=NOW)
            with exports.remembered(path, target, exports.MEMORIES, now=NOW) as problems:
                write(db, target, form)
            gone = flat_text(memories[0][0])
            wanted = forgetting.by_words(db, gone) if as_words else forgetting.by_uid(db, uids[memories[0][0]])
            expected = preview(db, path, wanted)
            done = forget(db, path, wanted, now=NOW, with_exports=True)
            left = dict(db.execute("select uid, text from memories").fetchall())
            assert not problems and not done.exports and done.is_gone == (not done.locked)
            assert bool(expected.exports) == bool(done.cleaned_exports)
            again = Path(folder) / f"again-{form}"
            write(db, again, form)
        assert words_by_uid(target) == {uid: flat_text(text) for uid, text in left.items()} == words_by_uid(again)


def write(db: sqlite3.Connection, target: Path, form: str) -> None:
    """Writes all memories in a form."""
    everything = chosen(db, Choice(is_all=True))
    if form == "folder":
        write_folder(everything, target)
    else:
        write_file(as_json(everything) if form.endswith(".json") else as_document(everything), target)


def words_by_uid(target: Path) -> dict[str, str]:
    """What an export says of each memory."""
    texts = [each.read_text("utf-8") for each in exports.files_of(target)]
    if target.suffix == ".json":
        return {each["uid"]: flat_text(each["text"]) for each in json.loads(texts[0])}
    if target.suffix == ".md":
        lines = [line for line in texts[0].splitlines() if line.startswith("- ")]
        return {line.rpartition(" [")[2].partition("]")[0]: flat_text(line[2:].rpartition(" [")[0]) for line in lines}
    return {
        text.partition("uid: ")[2].partition("\n")[0]: flat_text(text.split("---\n", 2)[2].partition("\n## Said")[0])
        for text in texts
    }
