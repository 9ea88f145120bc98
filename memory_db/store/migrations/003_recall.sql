-- What was asked, considered and shown.

create table profiles (
    id integer primary key,
    name text not null,
    version integer not null,
    weights text not null,
    threshold real not null default 0,
    description text not null,
    leaves_out text,
    fitted_on text,
    created_at text not null,
    unique (name, version)
) strict;

create table recalls (
    id integer primary key,
    uid text not null unique,
    query text not null,
    scope text not null check (scope in ('memories', 'entries', 'all')),
    surface text not null,
    project_id integer references projects(id),
    session_id integer references sessions(id),
    profile_id integer not null references profiles(id),
    context text not null,
    features text not null,
    semantic_model text,
    static_model text,
    considered_count integer not null,
    left_out text not null,
    abstained integer not null default 0,
    shown_text text,
    shown_tokens integer not null default 0,
    as_of text,
    asked_at text not null,
    duration_ms real not null
) strict;

create index recalls_asked on recalls(asked_at);

create index recalls_session on recalls(session_id);

create table hits (
    id integer primary key,
    recall_id integer not null references recalls(id) on delete cascade,
    memory_version_id integer references memory_versions(id),
    entry_id integer references entries(id),
    position integer not null,
    rank integer,
    left_out_reason text,
    logged_score real not null,
    features text not null,
    signals text not null,
    check ((memory_version_id is null) <> (entry_id is null)),
    check ((rank is null) <> (left_out_reason is null)),
    unique (recall_id, memory_version_id),
    unique (recall_id, entry_id)
) strict;

create index hits_memory on hits(memory_version_id, rank);

create index hits_entry on hits(entry_id);

create table query_sets (
    id integer primary key,
    name text not null unique,
    description text not null,
    created_at text not null
) strict;

create table labelled_queries (
    id integer primary key,
    query_set_id integer not null references query_sets(id) on delete cascade,
    uid text not null,
    query text not null,
    project_id integer references projects(id),
    style text not null default '',
    recall_id integer references recalls(id),
    asked_at text not null,
    unique (query_set_id, uid)
) strict;

create table judgements (
    id integer primary key,
    labelled_query_id integer not null references labelled_queries(id) on delete cascade,
    memory_id integer references memories(id) on delete cascade,
    entry_id integer references entries(id) on delete cascade,
    relevance integer not null check (relevance in (0, 1)),
    judged_by text not null,
    judged_at text not null,
    check ((memory_id is null) <> (entry_id is null)),
    unique (labelled_query_id, memory_id),
    unique (labelled_query_id, entry_id)
) strict;

create table eval_runs (
    id integer primary key,
    dataset text not null,
    format text not null,
    file_hash text,
    query_count integer not null,
    profile text not null,
    profile_version integer,
    weights text not null,
    metrics text not null,
    split text,
    semantic_model text,
    started_at text not null,
    duration_ms real not null
) strict;
