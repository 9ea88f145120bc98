-- Who changed what through the server, the tokens of programs, and what its pages have to find fast.

create table audit_log (
    id integer primary key,
    actor text not null,
    action text not null,
    target text not null,
    outcome text not null default 'started' check (outcome in ('started', 'done', 'refused', 'failed')),
    said text,
    started_at text not null,
    finished_at text
) strict;

create table api_tokens (
    id integer primary key,
    name text not null unique,
    token_hash text not null unique,
    created_at text not null,
    expires_at text,
    revoked_at text,
    last_used_at text
) strict;

create table review_batches (
    id integer primary key,
    action text not null check (action in ('accept', 'decline', 'first', 'second', 'both', 'neither')),
    items text not null,
    decided_by text not null,
    decided_at text not null,
    undone_at text
) strict;

create index decisions_waiting on decisions(candidate_id, decided_at) where action in ('propose', 'quarantine');

create index memory_versions_recorded on memory_versions(recorded_from, memory_id, version);

create index entries_summaries on entries(session_id, created_at) where kind = 'summary';

create index model_calls_session on model_calls(session_id, purpose, created_at);

create index candidates_run on candidates(extraction_run_id);

create index memories_time on memories(valid_from, status, kind, scope, project_id);

create index edges_standing on edges(kind, ended_at) where ended_at is null;

create index edges_by_hand on edges(from_memory_id, to_memory_id) where ended_at is null and created_by <> 'rules';
