-- When a memory applies, how memories stand to each other, and the words that the file knows.

alter table candidates add column condition text not null default '';

alter table memories add column condition text not null default '';

alter table memory_versions add column condition text not null default '';

create table edges (
    id integer primary key,
    from_memory_id integer not null references memories(id) on delete cascade,
    to_memory_id integer not null references memories(id) on delete cascade,
    kind text not null check (kind in ('same_topic', 'supports', 'depends_on', 'supersedes', 'contradicts',
        'same_session', 'mentions')),
    score real not null default 1.0 check (score between 0 and 1),
    reason text not null,
    created_by text not null,
    created_at text not null,
    unique (from_memory_id, to_memory_id, kind),
    check (from_memory_id <> to_memory_id)
) strict;

create index edges_to on edges(to_memory_id, kind);

drop trigger if exists memory_versions_after_insert;

drop trigger if exists memory_versions_after_delete;

drop trigger if exists memory_versions_before_update;

drop trigger if exists memory_versions_after_update;

drop table memory_fts;

create virtual table memory_fts using fts5(
    title, text, keys, context, condition, content='memory_versions', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
);

insert into memory_fts(memory_fts) values ('rebuild');

insert into memory_fts(memory_fts, rank) values ('rank', 'bm25(1.0, 1.0, 1.0, 0.2, 1.0)');

create virtual table memory_words using fts5vocab(memory_fts, row);

create virtual table entry_words using fts5vocab(entry_fts, row);

create table condition_vectors (
    id integer primary key,
    memory_version_id integer not null unique references memory_versions(id) on delete cascade,
    model text not null,
    vector blob not null
) strict;

drop table signature_blocks;

create table signature_blocks (
    sort text not null check (sort in ('memories', 'entries', 'conditions')),
    block integer not null,
    model text not null,
    vector_count integer not null,
    id_sum integer not null,
    ids blob not null,
    planes blob not null,
    primary key (sort, block)
) strict;

create table hook_runs (
    id integer primary key,
    hook text not null,
    started_at text not null,
    error text not null,
    reason text not null,
    spool text not null,
    line_number integer not null,
    unique (spool, line_number)
) strict;
