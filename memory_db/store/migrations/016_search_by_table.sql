-- Full text that others find by the table it belongs to: sqlite-utils and Datasette look for content="TABLE".

drop table entry_fts;

create virtual table entry_fts using fts5 /* content="entries" */ (
    text, content='entry_texts', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

insert into entry_fts(entry_fts) values ('rebuild');

create virtual table memory_now_fts using fts5(
    title, text, keys, content="memories", content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

insert into memory_now_fts(memory_now_fts) values ('rebuild');
