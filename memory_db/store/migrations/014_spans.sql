-- Where the words of entries come from: slices of those that are not wholly of one provenance.

create table spans (
    entry_id integer not null references entries(id) on delete cascade,
    start integer not null check (start >= 0),
    stop integer not null check (stop > start),
    provenance text not null check (provenance in ('typed', 'pasted', 'agent', 'tool', 'web', 'subagent', 'file',
        'client')),
    tool text not null default '',
    primary key (entry_id, start)
) strict, without rowid;

create table span_progress (
    version text primary key,
    next_entry_id integer not null,
    last_entry_id integer not null
) strict;
