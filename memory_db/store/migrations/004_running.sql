-- Settings, prices, jobs, run logs, static vectors.

create table settings (
    name text primary key,
    value text not null,
    changed_at text not null
) strict;

create table prices (
    id integer primary key,
    model text not null,
    input_nanocents integer not null,
    output_nanocents integer not null,
    cache_write_5m_nanocents integer not null,
    cache_write_1h_nanocents integer not null,
    cache_read_nanocents integer not null,
    source text not null,
    valid_from text not null,
    unique (model, valid_from)
) strict;

create table jobs (
    id integer primary key,
    kind text not null,
    key text not null,
    payload text not null default '{}',
    state text not null default 'due' check (state in ('due', 'running', 'done', 'dead')),
    attempts integer not null default 0,
    leased_until text,
    last_error text,
    created_at text not null,
    changed_at text not null,
    unique (kind, key)
) strict;

create table runs (
    id integer primary key,
    stage text not null,
    started_at text not null,
    duration_ms real not null,
    counts text not null,
    error text
) strict;

create table static_vectors (
    id integer primary key,
    memory_version_id integer unique references memory_versions(id) on delete cascade,
    entry_id integer unique references entries(id) on delete cascade,
    model text not null,
    vector blob not null,
    check ((memory_version_id is null) <> (entry_id is null))
) strict;

create table schema_objects (
    name text primary key,
    type text not null check (type in ('view', 'trigger')),
    sql text not null
) strict;
