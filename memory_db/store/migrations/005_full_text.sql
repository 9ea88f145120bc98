-- Full text over entries and over every version of a memory.

create view entry_texts as
select id, case when kind = 'tool_result' then substr(text, 1, 2000) else text end as text
from entries where kind <> 'other';

create virtual table entry_fts using fts5(
    text, content='entry_texts', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
);

create virtual table memory_fts using fts5(
    title, text, keys, context, content='memory_versions', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
);

insert into memory_fts(memory_fts, rank) values ('rank', 'bm25(1.0, 1.0, 1.0, 0.2)');
