-- Full text over pairs of characters, for writing without spaces; vectors of other scripts are made again or not at all.

create virtual table entry_gram_fts using fts5(
    text, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

create virtual table memory_gram_fts using fts5(
    title, text, keys, context, condition, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

insert into memory_gram_fts(memory_gram_fts, rank) values ('rank', 'bm25(1.0, 1.0, 1.0, 0.2, 1.0)');

create table gram_progress (
    sort text primary key check (sort in ('memories', 'entries')),
    version integer not null,
    last_id integer not null
) strict;

insert into gram_progress (sort, version, last_id) values ('memories', 0, 0), ('entries', 0, 0);

delete from static_vectors where entry_id in (
    select id from entries where length(cast(text as blob)) > length(text) and text glob '*[Ͱ-῿⺀-﷿]*'
);

delete from static_vectors where memory_version_id in (
    select id from memory_versions where length(cast(text as blob)) > length(text) and text glob '*[Ͱ-῿⺀-﷿]*'
);

delete from condition_vectors where memory_version_id in (
    select id from memory_versions
    where length(cast(condition as blob)) > length(condition) and condition glob '*[Ͱ-῿⺀-﷿]*'
);
