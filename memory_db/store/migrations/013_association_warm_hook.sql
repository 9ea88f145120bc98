-- What earlier prompts came to, and what memories are bound to: files, commands and names, as numbers.

create table prompt_vectors (
    id integer primary key,
    entry_id integer not null unique references entries(id) on delete cascade,
    model text not null,
    vector blob not null
) strict;

create table prompt_ties (
    tie integer not null,
    session_id integer not null references sessions(id) on delete cascade,
    entry_id integer not null references entries(id) on delete cascade,
    weight real not null check (weight > 0 and weight <= 1),
    primary key (tie, session_id, entry_id)
) strict, without rowid;

create index prompt_ties_entry on prompt_ties(entry_id, tie, weight);

create index prompt_ties_session on prompt_ties(session_id);

create table memory_ties (
    tie integer not null,
    memory_id integer not null references memories(id) on delete cascade,
    weight real not null check (weight > 0 and weight <= 1),
    primary key (tie, memory_id)
) strict, without rowid;

create index memory_ties_memory on memory_ties(memory_id);

create table tie_progress (
    session_id integer primary key references sessions(id) on delete cascade,
    read_to text not null
) strict;

create table memory_tie_progress (
    memory_id integer primary key references memories(id) on delete cascade,
    read_to text not null
) strict;

drop table signature_blocks;

create table signature_blocks (
    sort text not null check (sort in ('memories', 'entries', 'conditions', 'prompts')),
    block integer not null,
    model text not null,
    vector_count integer not null,
    id_sum integer not null,
    ids blob not null,
    planes blob not null,
    primary key (sort, block)
) strict;

-- Which process answered a hook: one of its own, or one that has the model loaded.

alter table hook_runs add column answered_by text not null default 'cold' check (answered_by in ('cold', 'warm'));
