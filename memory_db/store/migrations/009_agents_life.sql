-- What hooks did, what an agent was shown in a session and why, how sessions ended, and what was installed.

alter table hook_runs rename to hook_troubles;

create table hook_runs (
    id integer primary key,
    hook text not null,
    started_at text not null,
    duration_ms real,
    outcome text not null
        check (outcome in ('shown', 'silent', 'skipped', 'asked', 'denied', 'done', 'failed')),
    reason text not null default '',
    error text,
    session_uid text,
    recall_id integer references recalls(id) on delete set null,
    shown_tokens integer not null default 0,
    spool text,
    line_number integer,
    unique (spool, line_number),
    check ((outcome = 'failed') = (error is not null))
) strict;

insert into hook_runs (id, hook, started_at, outcome, reason, error, spool, line_number)
    select id, hook, started_at, 'failed', reason, error, spool, line_number from hook_troubles;

drop table hook_troubles;

create index hook_runs_started on hook_runs(started_at);

create index hook_runs_session on hook_runs(session_uid, id) where session_uid is not null;

create index hook_runs_recall on hook_runs(recall_id) where recall_id is not null;

alter table recalls add column session_uid text;

update recalls set session_uid = (select s.uid from sessions s where s.id = recalls.session_id)
    where session_id is not null;

create index recalls_session_uid on recalls(session_uid, id) where session_uid is not null;

drop index api_calls_session;

create index api_calls_moment on api_calls(session_id, created_at);

create index api_calls_created on api_calls(created_at);

alter table hits add column role text;

alter table hits add column shown_reason text;

alter table hits add column shown_tokens integer;

create index hits_shown on hits(recall_id, memory_version_id, entry_id, role) where rank is not null;

create index memories_near on memories(project_id)
    where status = 'active'
        and (lock_level <> 'none' or importance >= 4 or scope = 'user' or layer_override is not null);

create index memories_kind on memories(project_id, kind, status, created_at);

create table holdouts (
    session_uid text primary key,
    is_held_out integer not null check (is_held_out in (0, 1)),
    share real not null check (share > 0 and share <= 1),
    decided_at text not null
) strict, without rowid;

create table session_outcomes (
    session_id integer primary key references sessions(id) on delete cascade,
    outcome text not null check (outcome in ('good', 'mixed', 'bad', 'unknown')),
    score real not null check (score between -1 and 1),
    reason text not null,
    rules_version integer not null,
    found_at text not null
) strict;

create table weak_labels (
    id integer primary key,
    recall_id integer not null references recalls(id) on delete cascade,
    memory_id integer not null references memories(id) on delete cascade,
    kind text not null,
    strength real not null check (strength between 0 and 1),
    entry_id integer references entries(id),
    created_at text not null,
    unique (recall_id, memory_id, kind)
) strict;

create index weak_labels_memory on weak_labels(memory_id);

create table command_rules (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    pattern text not null,
    decision text not null check (decision in ('ask', 'deny')),
    created_by text not null,
    created_at text not null,
    ended_at text
) strict;

create index command_rules_memory on command_rules(memory_id);

create table pauses (
    id integer primary key,
    session_uid text,
    project_id integer references projects(id),
    created_by text not null,
    created_at text not null,
    ends_at text,
    ended_at text
) strict;

create table installations (
    id integer primary key,
    client text not null,
    scope text not null check (scope in ('user', 'project')),
    path text not null,
    backup_path text,
    added text not null default '{}',
    hash_before text,
    hash_after text,
    installed_at text not null,
    removed_at text
) strict;

create table instruction_files (
    id integer primary key,
    project_id integer not null references projects(id),
    path text not null,
    tokens integer not null check (tokens >= 0),
    content_hash text not null,
    seen_at text not null,
    unique (project_id, path, content_hash)
) strict;
