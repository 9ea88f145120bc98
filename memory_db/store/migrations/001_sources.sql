-- What happened: files read, sessions, entries, tool calls, API calls.

create table projects (
    id integer primary key,
    name text not null,
    canonical_path text not null unique,
    git_remote text,
    created_at text not null
) strict;

create table project_aliases (
    id integer primary key,
    project_id integer not null references projects(id),
    path text not null unique,
    reason text not null check (reason in ('cwd', 'git remote', 'worktree', 'moved', 'user')),
    created_at text not null
) strict;

create index project_aliases_project on project_aliases(project_id);

create table sources (
    id integer primary key,
    path text not null unique,
    format text not null,
    size_bytes integer not null,
    mtime_ns integer not null,
    read_bytes integer not null default 0,
    read_lines integer not null default 0,
    head_hash text,
    cursor text,
    state text not null check (state in ('found', 'partial', 'read', 'missing', 'unreadable')),
    state_reason text,
    found_at text not null,
    read_at text
) strict;

create table source_problems (
    id integer primary key,
    source_id integer not null references sources(id) on delete cascade,
    line integer not null,
    reason text not null,
    excerpt text,
    found_at text not null,
    unique (source_id, line, reason)
) strict;

create table sessions (
    id integer primary key,
    uid text not null unique,
    format text not null,
    project_id integer references projects(id),
    parent_session_id integer references sessions(id),
    continued_from_id integer references sessions(id),
    agent text,
    title text,
    cwd text,
    git_branch text,
    agent_version text
) strict;

create index sessions_project on sessions(project_id);

create index sessions_parent on sessions(parent_session_id);

create table entries (
    id integer primary key,
    uid text not null unique,
    session_id integer not null references sessions(id),
    source_id integer references sources(id),
    parent_uid text,
    role text not null check (role in ('user', 'assistant', 'system', 'tool')),
    kind text not null check (kind in ('prompt', 'reply', 'thinking', 'tool_call', 'tool_result', 'summary',
        'notice', 'attachment', 'queue', 'document', 'other')),
    is_sidechain integer not null default 0,
    model text,
    text text not null,
    image_count integer not null default 0,
    created_at text not null
) strict;

create index entries_session on entries(session_id, created_at);

create index entries_created on entries(created_at);

create index entries_source on entries(source_id);

create table session_entries (
    session_id integer not null references sessions(id),
    entry_id integer not null references entries(id),
    position integer not null,
    primary key (session_id, entry_id)
) strict, without rowid;

create index session_entries_position on session_entries(session_id, position);

create index session_entries_entry on session_entries(entry_id, position);

create table actions (
    id integer primary key,
    uid text not null,
    entry_id integer not null references entries(id),
    result_entry_id integer references entries(id),
    session_id integer not null references sessions(id),
    tool text not null,
    target text,
    input text not null,
    is_error integer,
    excerpt text,
    created_at text not null,
    unique (session_id, uid)
) strict;

create index actions_entry on actions(entry_id);

create index actions_tool on actions(tool, target);

create index actions_session on actions(session_id, tool, target, is_error);

create index actions_failed on actions(session_id) where is_error = 1;

create table api_calls (
    id integer primary key,
    message_uid text not null,
    request_uid text not null default '',
    session_id integer not null references sessions(id),
    entry_id integer references entries(id),
    model text not null,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    cache_write_5m_tokens integer not null default 0,
    cache_write_1h_tokens integer not null default 0,
    cache_read_tokens integer not null default 0,
    service_tier text,
    created_at text not null,
    unique (message_uid, request_uid)
) strict;

create index api_calls_session on api_calls(session_id);
