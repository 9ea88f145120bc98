"""Full text over pairs of characters: what is found by it, and that it goes with its texts."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from memory_db.evaluation.datasets.loading import add_turns
from memory_db.evaluation.datasets.records import Part, Turn
from memory_db.index import build as index
from memory_db.index import grams
from memory_db.index.texts import MEMORIES
from memory_db.knowledge.memories import add_memory
from memory_db.models.embedders import MINILM
from memory_db.recall.brief.select import ask
from memory_db.recall.explain.why_not import why_not
from memory_db.recall.search import HOOK_EFFORT, Question, recall
from memory_db.store import settings
from memory_db.store.connection import connect, transaction
from memory_db.store.schema import open_database
from memory_db.text.scripts import ENGLISH_MODELS, has_unspaced
from memory_db.upkeep.check import check
from memory_db.upkeep.forget import target as forgetting
from memory_db.upkeep.forget.run import forget
from tests.support.hook_process import answered

NOTES = {
    "マイグレーション": "本番データベースのマイグレーションは必ず手動で承認してから実行する。",
    "画像の上限": "画像アップロードの上限は5MB。超えるとuploadServiceが413エラーを返す。",
    "连接池": "数据库连接池上限设为二十，再高会把PgBouncer打满。",
    "배포 시간": "배포는 평일 오전 10시에서 오후 4시 사이에만 한다.",
    "Port of the database": "The database listens on port 5433.",
}
SAID = ["本番の設定はどこにありますか", "Vaultにあります。Dockerの環境変数で渡します。", "thanks", "ok, 明日やります"]


@pytest.fixture
def filled(db: sqlite3.Connection, now: datetime) -> sqlite3.Connection:
    """Notes and a chat in several languages, indexed without a model."""
    settings.put(db, "embedding_model", "none", now=now)
    for title, text in NOTES.items():
        add_memory(db, title=title, text=text, kind="environment", scope="user", now=now)
    turns = tuple(Turn(f"t{at}", "chat", text, now.isoformat()) for at, text in enumerate(SAID))
    with transaction(db):
        project = db.execute(
            "insert into projects (name, canonical_path, created_at) values ('chat', '/chat', ?)", [now.isoformat()]
        ).lastrowid
    add_turns(db, Part("chat", (), turns=turns), {"chat": project or 0})
    index.run(db, now=now)
    return db


def kept(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Everything that both full texts over pairs have, and how far was looked."""
    tables = ("entry_gram_fts", "memory_gram_fts", "gram_progress")
    return {
        table: [tuple(row) for row in db.execute(f"select rowid, * from {table} order by rowid")] for table in tables
    }


def first(db: sqlite3.Connection, query: str, now: datetime, scope: str = "memories") -> str:
    """The first hit for a question: its title, or what was said."""
    hits = recall(db, Question(query, scope=scope), now=now).hits
    if not hits or not hits[0].features.bm25:
        return ""
    table, key = ("entries", hits[0].entry_id) if scope == "entries" else ("memory_versions", hits[0].memory_version_id)
    column = "text" if scope == "entries" else "title"
    return str(db.execute(f"select {column} from {table} where id = ?", [key]).fetchone()[0])


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("マイグレーションに承認は要りますか？", "マイグレーション"),
        ("画像の大きさに制限はある？", "画像の上限"),
        ("uploadServiceのエラー", "画像の上限"),
        ("PgBouncer limit", "连接池"),
        ("数据库最多能开多少个连接", "连接池"),
        ("오후에 배포해도 되나요", "배포 시간"),
        ("database port", "Port of the database"),
    ],
)
def test_a_question_finds_its_note(filled: sqlite3.Connection, query: str, title: str, now: datetime) -> None:
    assert first(filled, query, now) == title


def test_entries_are_found_by_pairs_and_by_words_that_stand_at_them(filled: sqlite3.Connection, now: datetime) -> None:
    assert first(filled, "設定ファイルはどこ？", now, "entries") == SAID[0]
    assert first(filled, "docker vault", now, "entries") == SAID[1]
    assert first(filled, "明日", now, "entries") == SAID[3]


def test_only_texts_with_such_characters_are_kept(filled: sqlite3.Connection) -> None:
    titles = {row[0] for row in filled.execute(
        "select v.title from memory_gram_fts g join memory_versions v on v.id = g.rowid")}  # fmt: skip
    assert titles == {title for title in NOTES if has_unspaced(title)}
    assert filled.execute("select count(*) from entry_gram_fts").fetchone()[0] == 3


def test_a_second_run_changes_nothing(filled: sqlite3.Connection, now: datetime) -> None:
    before = kept(filled)
    changes = filled.total_changes
    assert grams.fill(filled) == {"grams_of_memories": 0, "grams_of_entries": 0}
    assert filled.total_changes == changes and kept(filled) == before and check(filled) == []


def test_a_run_that_was_killed_goes_on_where_it_stopped(
    filled: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = kept(filled)
    filled.execute("update gram_progress set version = 0")
    monkeypatch.setattr(grams, "BATCH", 2)

    def stop(what: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grams.fill(filled, stop)
    assert 0 < filled.execute("select count(*) from memory_gram_fts").fetchone()[0] < len(whole["memory_gram_fts"])
    assert check(filled) == []
    grams.fill(filled)
    assert kept(filled) == whole


def test_what_changes_or_goes_takes_its_pairs_along(filled: sqlite3.Connection, now: datetime) -> None:
    filled.execute("update entries set text = '秘密鍵を交換した' where uid = 't0'")
    assert (
        filled.execute("select count(*) from entry_gram_fts where entry_gram_fts match '\"設定\"'").fetchone()[0] == 0
    )
    grams.fill(filled)
    assert first(filled, "秘密鍵", now, "entries") == "秘密鍵を交換した"
    filled.execute("delete from session_entries")
    filled.execute("delete from entries where uid in ('t2', 't3')")
    assert filled.execute("select count(*) from entry_gram_fts").fetchone()[0] == 2
    # Its number is given again: the new text is looked at though the number was.
    filled.execute(
        "insert into entries (uid, session_id, role, kind, text, created_at)"
        " select 't9', id, 'user', 'prompt', '監視の通知先', '2026-10-01T10:00:00.000Z' from sessions limit 1"
    )
    grams.fill(filled)
    assert first(filled, "通知はどこへ", now, "entries") == "監視の通知先"
    assert [each for each in check(filled) if "full text" in each.what] == []


def test_the_check_sees_pairs_that_are_not_of_their_text(filled: sqlite3.Connection) -> None:
    filled.execute("update memory_gram_fts set text = '別の 本文' where rowid = 1")
    filled.execute("delete from entry_gram_fts where rowid = 1")
    found = {each.where: each.detail for each in check(filled)}
    assert "not of the text" in found["memory_gram_fts 1"] and "--only index" in found["entry_texts 1"]


def test_a_few_notes_among_many_are_told_apart(filled: sqlite3.Connection, now: datetime) -> None:
    for number in range(40):
        add_memory(filled, text=f"The service number {number} is restarted.", kind="environment", scope="user", now=now)
    index.run(filled, now=now)
    asked = recall(filled, Question("画像の上限"), now=now)
    assert asked.query_features.best_bm25_memories > 10
    assert first(filled, "画像の上限", now) == "画像の上限"


def test_another_script_has_no_likeness_by_vectors(filled: sqlite3.Connection, now: datetime) -> None:
    asked = recall(filled, Question("数据库连接", profile="hook", effort=HOOK_EFFORT), now=now)
    assert asked.static_vector is None and all(hit.features.static_cosine is None for hit in asked.hits)
    sql = "select count(*) from static_vectors where length(vector) = 0 and memory_version_id is not null"
    assert filled.execute(sql).fetchone()[0] == len(NOTES) - 1


def test_the_model_that_knows_english_alone_embeds_no_other_script(filled: sqlite3.Connection) -> None:
    assert MINILM in ENGLISH_MODELS
    assert len(index.pending(filled, MEMORIES, MINILM)) == 1
    assert len(index.pending(filled, MEMORIES, "a-multilingual-model")) == len(NOTES)


@pytest.mark.slow
def test_a_forgotten_text_is_in_no_pair(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    filled.execute("update memories set text = text || ' 秘密の合言葉は鯨。' where id = 1")
    grams.fill(filled)
    uid = filled.execute("select uid from memories where id = 1").fetchone()[0]
    assert "合言 言葉".encode() in db_path.read_bytes() + db_path.with_name("memory.db-wal").read_bytes()
    done = forget(filled, db_path, forgetting.by_uid(filled, uid), now=now)
    assert done.left == [] and done.is_gone
    wal = db_path.with_name("memory.db-wal")
    left = db_path.read_bytes() + (wal.read_bytes() if wal.exists() else b"")
    assert "合言".encode() not in left and "鯨".encode() not in left
    assert check(filled) == []


@pytest.mark.slow
def test_forgotten_words_leave_the_pairs_of_what_is_left(
    filled: sqlite3.Connection, db_path: Path, now: datetime
) -> None:
    filled.execute("update entries set text = '合言葉は鯨の歌です。本番の設定はどこにありますか' where uid = 't0'")
    grams.fill(filled)
    done = forget(filled, db_path, forgetting.by_words(filled, "合言葉は鯨の歌です"), now=now)
    assert done.left == []
    assert "鯨の".encode() not in db_path.read_bytes()
    assert "本番の設定" in first(filled, "設定", now, "entries")


@pytest.mark.slow
def test_a_file_of_before_is_answered_and_then_filled(tmp_path: Path, now: datetime) -> None:
    path = tmp_path / "memory.db"
    folder = Path(__file__).parents[1] / "data" / "schemas"
    path.write_bytes(gzip.decompress(sorted(folder.glob("11-*.db.gz"))[0].read_bytes()))
    with closing(sqlite3.connect(path)) as old:
        old.execute("update entries set text = '本番の設定はどこにありますか' where id = 1")
        old.commit()
    payload = json.dumps({"prompt": "本番の設定を教えて", "cwd": "/home/sam/tern", "session_id": "s"}).encode()
    answered("user-prompt", path, payload)
    with closing(open_database(path, now=now)) as db:
        assert check_grams(db) == []
        settings.put(db, "embedding_model", "none", now=now)
        index.run(db, now=now)
        assert first(db, "設定", now, "entries") == "本番の設定はどこにありますか"
        assert check_grams(db) == []


def check_grams(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """What the check finds of pairs."""
    return list(grams.unlike(db))


@pytest.mark.slow
def test_a_japanese_prompt_is_answered_by_a_cold_hook(filled: sqlite3.Connection, db_path: Path) -> None:
    payload = json.dumps(
        {"prompt": "マイグレーションを当てる前に承認は要りますか？", "cwd": "/chat", "session_id": "s"}
    )
    brief = json.loads(answered("user-prompt", db_path, payload.encode()))["hookSpecificOutput"]["additionalContext"]
    assert NOTES["マイグレーション"] in brief and "5433" not in brief
    chinese = json.dumps({"prompt": "数据库连接池该配多大？", "cwd": "/chat", "session_id": "t"}, ensure_ascii=False)
    assert "PgBouncer" in answered("user-prompt", db_path, chinese.encode()).decode()


def test_what_was_not_shown_says_which_pairs_it_shares(filled: sqlite3.Connection, now: datetime) -> None:
    answer = ask(filled, Question("数据库", scope="memories", limit=1), surface="test", now=now)
    uid = filled.execute("select uid from memories where title = '画像の上限'").fetchone()[0]
    told = why_not(filled, answer.recall_uid or "", uid)
    assert told["outcome"] == "not_considered" and "shares no word" in str(told)
    by_words = why_not(filled, answer.recall_uid or "", "画像の上限")
    assert by_words["about"]["uid"] == uid, "the one memory that the words meet is meant"


def test_reading_alone_is_enough(filled: sqlite3.Connection, db_path: Path, now: datetime) -> None:
    with closing(connect(db_path)) as reader:
        assert first(reader, "连接池上限", now) == "连接池"
