"""Keys: other words by which a memory is found."""

import json
import sqlite3
from datetime import datetime
from pathlib import Path

from memory_db.evaluation.datasets import loading, read_dataset
from memory_db.knowledge.memories import MOST_KEYS, add_keys, add_memory
from memory_db.recall.brief import select as brief
from memory_db.recall.search import Question


def test_a_memory_is_found_by_a_key_that_its_text_lacks(db: sqlite3.Connection, now: datetime) -> None:
    text = "The service answers on port 5433."
    uid = add_memory(db, text=text, kind="environment", scope="user", keys=["postgres"], now=now)
    assert [hit.uid for hit in brief.ask(db, Question("postgres"), surface="test", now=now).shown] == [uid]


def test_keys_of_what_is_said_again_are_gathered_once(db: sqlite3.Connection, now: datetime) -> None:
    uid = add_memory(db, text="Deploys wait for Monday.", kind="convention", scope="user", keys=["release"], now=now)
    memory_id = db.execute("select id from memories where uid = ?", [uid]).fetchone()[0]

    def keys() -> list[str]:
        return list(json.loads(db.execute("select keys from memories where id = ?", [memory_id]).fetchone()[0]))

    def versions() -> int:
        return int(db.execute("select count(*) from memory_versions where memory_id = ?", [memory_id]).fetchone()[0])

    add_keys(db, memory_id, ["ship", "Release"], "gate", now=now)
    assert [key.casefold() for key in keys()] == ["release", "ship"]
    assert versions() == 2
    add_keys(db, memory_id, ["ship"], "gate", now=now)
    assert versions() == 2
    add_keys(db, memory_id, [f"word {number}" for number in range(30)], "gate", now=now)
    assert len(keys()) == MOST_KEYS
    db.execute("update memories set lock_level = 'user' where id = ?", [memory_id])
    before = keys()
    add_keys(db, memory_id, ["another"], "gate", now=now)
    assert keys() == before
    assert [hit.uid for hit in brief.ask(db, Question("ship"), surface="test", now=now).shown] == [uid]


def test_notes_of_a_data_set_carry_keys(tmp_path: Path, now: datetime) -> None:
    note = {"id": "n1", "kind": "environment", "text": "It answers on 5433.", "created_at": "2026-03-01T00:00:00Z"}
    (tmp_path / "corpus.jsonl").write_text(json.dumps(note | {"keys": ["postgres"]}) + "\n")
    query = {"id": "q1", "query": "postgres", "relevant": ["n1"]}
    (tmp_path / "queries.jsonl").write_text(json.dumps(query) + "\n")
    (part,) = read_dataset(tmp_path, "jsonl").parts
    loaded = loading.load(part, tmp_path / "part.db", model="none", now=now)
    (asked,) = loaded.questions(with_model=False)
    loaded.db.close()
    assert asked.relevant().any()
