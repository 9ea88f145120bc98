"""The ordinary tables of a file are those that SQLite calls so."""

from __future__ import annotations

import sqlite3

from memory_db.store.ordinary_tables import ordinary_tables

BY_SQLITE = """
select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'
order by name
"""


def test_they_are_those_of_sqlite(db: sqlite3.Connection) -> None:
    names = [row[0] for row in db.execute(BY_SQLITE)]
    assert ordinary_tables(db) == names
    assert {"memories", "entries", "_sqlite_migrations"} <= set(names) and "memory_fts_data" not in names


def test_those_of_other_programs_too(db: sqlite3.Connection) -> None:
    db.executescript("""
        create table "log of (another) program" (said text, primary key (said)) without rowid;
        create table notes_using_fts5 (said text);
        create virtual table "Notes" using fts5(said);
        create virtual table older using FTS4(said);
        create virtual table [places of] using rtree(id, least, most);
        create virtual table words using fts5vocab(Notes, row);
        create table notes_more (said text);
        create table words_data (said text);
        create table placesof_node (said text);
        create temp table passing (said text);
    """)
    names = [row[0] for row in db.execute(BY_SQLITE)]
    assert ordinary_tables(db) == names
    assert {"notes_more", "words_data", "placesof_node", "notes_using_fts5"} <= set(names)
    assert not {"Notes", "Notes_idx", "older_segdir", "places of_node", "words", "passing"} & set(names)
