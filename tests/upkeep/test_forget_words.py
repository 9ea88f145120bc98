"""Words that are forgotten: which rows lose them or go, what stays and why, and which files still have them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memory_db.cli import cli
from memory_db.knowledge.memories import add_memory
from memory_db.recall.brief.select import ask
from memory_db.recall.search import Question
from memory_db.transcripts import importer as importing
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.capitals import in_any_capitals
from memory_db.upkeep.forget.preview import ForgetPreview, preview
from memory_db.upkeep.forget.run import forget

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
WORDS = "the pangolin of the pier"


def remember(db: sqlite3.Connection, text: str, **more: str) -> str:
    return str(add_memory(db, text=text, kind="convention", scope="user", now=NOW, **more))


def seen(db: sqlite3.Connection, path: Path, words: str, *, any_capitals: bool = False) -> ForgetPreview:
    written = in_any_capitals(db, words) if any_capitals else ()
    return preview(db, path, forgetting.by_words(db, words, written=written, even_unsaid=True))


def fates(told: ForgetPreview) -> dict[str, tuple[str, str]]:
    return {fate.uid: (fate.what, fate.why) for fate in told.fates}


@pytest.fixture
def transcript(db: sqlite3.Connection, tmp_path: Path) -> Iterator[Path]:
    """A transcript that was read, with the words in a prompt and in a record that is no entry."""
    path = tmp_path / "history" / "-home-d-quay" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    record = {
        "type": "user", "uuid": "e1", "sessionId": "s1", "cwd": "/home/d/quay", "timestamp": "2026-10-30T10:00:00Z",
        "message": {"role": "user", "content": f"Feed {WORDS} at nine, please."},
    }  # fmt: skip
    path.write_text(json.dumps(record) + "\n")
    importing.import_claude_code(db, [tmp_path / "history"], now=NOW)
    assert db.execute("select 1 from entries where uid = 'e1'").fetchone()
    yield path


def test_the_transcript_is_named_before_and_after(db: sqlite3.Connection, db_path: Path, transcript: Path) -> None:
    told = seen(db, db_path, WORDS)
    assert told.outside == [str(transcript)]
    done = forget(db, db_path, forgetting.by_words(db, WORDS), now=NOW)
    assert done.is_gone and done.outside == [str(transcript)]
    assert seen(db, db_path, WORDS).outside == [str(transcript)], "no entry says it, its bytes do"


def test_a_memory_that_an_entry_repeats_names_its_transcript(
    db: sqlite3.Connection, db_path: Path, transcript: Path
) -> None:
    uid = remember(db, f"Feed {WORDS} at nine, please.")
    assert preview(db, db_path, forgetting.by_uid(db, uid)).outside == [str(transcript)]


def test_a_recall_that_asks_with_the_words_is_a_row_that_goes(db: sqlite3.Connection, db_path: Path) -> None:
    remember(db, f"Always feed {WORDS} at nine.")
    ask(db, Question(f"who feeds {WORDS}?"), surface="cli", now=NOW)
    hits = db.execute("select count(*) from hits").fetchone()[0]
    told = seen(db, db_path, WORDS)
    done = forget(db, db_path, forgetting.by_words(db, WORDS), now=NOW)
    assert done.rows["recalls"] == told.rows["recalls"] == 1 and told.rows["hits"] == hits > 0
    assert done.repetitions == told.places and not any(place.startswith("recalls.") for place in told.places)
    assert told.sharing == done.sharing == {}, "neither the recall nor what loses the words is said to stay"
    assert db.execute("select count(*) from recalls").fetchone()[0] == 0


def test_what_is_left_in_other_capitals_is_told_and_goes_when_asked(db: sqlite3.Connection, db_path: Path) -> None:
    one, other = remember(db, "Ask Maren on mondays."), remember(db, "The rota is kept by maren and MAREN's team.")
    told = seen(db, db_path, "Maren")
    assert fates(told) == {one: ("text redacted", "says it among other words")} and told.sharing == {"memory": [other]}
    told = seen(db, db_path, "Maren", any_capitals=True)
    assert set(fates(told)) == {one, other} and told.sharing == {}
    target = forgetting.by_words(db, "Maren", written=in_any_capitals(db, "Maren"))
    assert forget(db, db_path, target, now=NOW).is_gone and b"maren" not in db_path.read_bytes().lower()


def test_it_is_said_where_a_memory_says_the_words(db: sqlite3.Connection, db_path: Path) -> None:
    own = remember(db, f"{'Long before this there was another sentence here. ' * 3}Then {WORDS} came.")
    around = remember(db, "Only as an override.")
    db.execute("update memories set context = ? where uid = ?", [f"Who feeds {WORDS}?", around])
    told = seen(db, db_path, WORDS)
    assert fates(told)[own] == ("text redacted", "says it among other words")
    assert fates(told)[around][1].startswith("its context says it")
    assert all(WORDS in fate.text[:100] for fate in told.fates), "the words are in sight"


def test_the_command_takes_any_capitals_too(db: sqlite3.Connection, db_path: Path) -> None:
    uid = remember(db, "The rota is kept by maren and her team.")

    def told(*arguments: str) -> str:
        return run(db_path, *arguments, "--dry-run").output

    remember(db, "Ask Maren on mondays.")
    assert f"Not touched, the capitals differ or only a part is the same: memory {uid}" in told("--words", "Maren")
    assert f"text redacted  memory {uid}" in told("--words", "Maren", "--any-capitals")
    assert "Name them with --words" in told(uid, "--any-capitals")


def test_a_memory_whose_title_is_made_anew_has_one_version_more(db: sqlite3.Connection, db_path: Path) -> None:
    uid = remember(db, f"Feed {WORDS} at nine, and again at noon when the keeper is back from the long round of boats.")
    forget(db, db_path, forgetting.by_words(db, WORDS), now=NOW)
    told = "select count(*) from memory_versions v join memories m on m.id = v.memory_id where m.uid = ?"
    assert db.execute(told, [uid]).fetchone()[0] == 2


def run(path: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["-d", str(path), "memory", "forget", *arguments])


def test_digits_that_a_recall_has_by_chance_are_not_still_found(db: sqlite3.Connection, db_path: Path) -> None:
    uid = remember(db, "The door code of the shed is 6364 today.")
    ask(db, Question("alpha oven"), surface="cli", now=NOW)
    db.execute("update recalls set features = json_set(features, '$.chance', 0.5363642551)")
    db.commit()
    done = run(db_path, "--words", "6364", "--yes")
    assert done.exit_code == 0 and "none is left" in done.output and "recalls.features" not in done.output
    assert "[forgotten]" in db.execute("select text from memories where uid = ?", [uid]).fetchone()[0]
    assert db.execute("select features ->> '$.chance' from recalls").fetchone()[0] == 0.5363642551


def test_without_yes_the_figures_are_those_of_what_would_happen(db: sqlite3.Connection, db_path: Path) -> None:
    remember(db, "Santa list is under Zebrafink.")
    assert "cannot be undone (to lose the words: 1 memory)" in run(db_path, "--words", "Zebrafink").output
    remember(db, "Zebrafink")
    told = run(db_path, "--words", "Zebrafink").output
    assert "cannot be undone (to go: 1 memory; to lose the words: 1 memory)" in told


def test_what_is_still_found_is_told_with_a_command_that_helps(db: sqlite3.Connection, db_path: Path) -> None:
    db.execute("create table notes (said text, unique (said))")
    db.execute("create trigger stays before update on notes begin select raise(ignore); end")
    db.execute("insert into notes values (?)", [WORDS])
    db.commit()
    remember(db, f"Feed {WORDS} at nine.")
    told = run(db_path, "--words", WORDS, "--yes")
    assert told.exit_code == 1 and "STILL FOUND in: notes.said row 1" in told.output
    assert "`memory-db memory forget --words TEXT` with what was forgotten for TEXT" in told.output
