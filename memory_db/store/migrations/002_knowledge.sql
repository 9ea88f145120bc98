-- What is proposed, decided and known.

create table kinds (
    name text primary key,
    description text not null,
    prior_alpha real not null,
    prior_beta real not null,
    half_life_days real not null
) strict;

create table extraction_runs (
    id integer primary key,
    method text not null,
    version text not null,
    model text,
    started_at text not null,
    finished_at text,
    sessions_read integer not null default 0,
    entries_read integer not null default 0,
    candidates_found integer not null default 0,
    input_tokens integer,
    output_tokens integer,
    cost_nanocents integer,
    error text
) strict;

create table extraction_progress (
    session_id integer not null references sessions(id),
    method text not null,
    version text not null,
    entry_count integer not null,
    extraction_run_id integer references extraction_runs(id),
    primary key (session_id, method)
) strict, without rowid;

create table candidates (
    id integer primary key,
    uid text not null unique,
    extraction_run_id integer not null references extraction_runs(id),
    entry_id integer references entries(id),
    session_id integer references sessions(id),
    project_id integer references projects(id),
    kind text not null references kinds(name),
    scope text not null check (scope in ('project', 'user')),
    title text not null,
    text text not null,
    quote text not null,
    keys text not null default '[]',
    paths text not null default '[]',
    tags text not null default '[]',
    importance integer not null check (importance between 1 and 5),
    rule text not null,
    created_at text not null
) strict;

create index candidates_entry on candidates(entry_id);

create index candidates_session on candidates(session_id);

create table memories (
    id integer primary key,
    uid text not null unique,
    kind text not null references kinds(name),
    scope text not null check (scope in ('project', 'user')),
    project_id integer references projects(id),
    status text not null default 'active' check (status in ('active', 'superseded', 'retired')),
    lock_level text not null default 'none' check (lock_level in ('none', 'promoted', 'user')),
    importance integer not null default 3 check (importance between 1 and 5),
    layer_override integer check (layer_override between 0 and 3),
    title text not null,
    text text not null,
    keys text not null default '[]',
    context text not null default '',
    tokens integer not null,
    origin text not null check (origin in ('rules', 'model', 'user', 'import')),
    content_hash text not null,
    valid_from text not null,
    valid_to text,
    changed_by text not null,
    change_reason text not null,
    created_at text not null,
    updated_at text not null,
    check (scope = 'user' or project_id is not null)
) strict;

create index memories_hash on memories(content_hash);

create index memories_project on memories(project_id, status);

create table memory_versions (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    version integer not null,
    kind text not null,
    scope text not null,
    project_id integer,
    status text not null,
    lock_level text not null,
    importance integer not null,
    layer_override integer,
    title text not null,
    text text not null,
    keys text not null,
    context text not null,
    tokens integer not null,
    valid_from text not null,
    valid_to text,
    recorded_from text not null,
    recorded_to text,
    changed_by text not null,
    change_reason text not null,
    unique (memory_id, version)
) strict;

create unique index memory_versions_current on memory_versions(memory_id) where recorded_to is null;

create table decisions (
    id integer primary key,
    candidate_id integer not null references candidates(id),
    action text not null check (action in ('add', 'merge', 'supersede', 'duplicate', 'contradicts', 'reject',
        'quarantine', 'propose', 'revert')),
    memory_id integer references memories(id),
    reverts_id integer references decisions(id),
    reason text not null,
    decided_by text not null,
    decided_at text not null
) strict;

create index decisions_candidate on decisions(candidate_id);

create index decisions_memory on decisions(memory_id);

create table memory_sources (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    candidate_id integer references candidates(id),
    entry_id integer references entries(id),
    quote text not null,
    created_at text not null,
    unique (memory_id, entry_id, quote)
) strict;

create index memory_sources_entry on memory_sources(entry_id);

create table memory_paths (
    memory_id integer not null references memories(id) on delete cascade,
    path text not null,
    primary key (memory_id, path)
) strict, without rowid;

create index memory_paths_path on memory_paths(path);

create table tags (
    memory_id integer not null references memories(id) on delete cascade,
    tag text not null,
    primary key (memory_id, tag)
) strict, without rowid;

create index tags_tag on tags(tag);

create table evidence (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    kind text not null,
    direction text not null check (direction in ('for', 'against')),
    weight real not null check (weight >= 0),
    source text not null,
    entry_id integer references entries(id),
    recall_id integer references recalls(id),
    note text,
    created_at text not null,
    unique (memory_id, kind, source)
) strict;

create index evidence_belief on evidence(memory_id, created_at, direction, kind, weight);

create index evidence_recall on evidence(recall_id);

create table scan_findings (
    id integer primary key,
    rule text not null,
    category text not null check (category in ('secret', 'personal', 'private', 'injected', 'injection', 'invisible')),
    rules_version integer not null,
    place text not null,
    source_id integer references sources(id) on delete cascade,
    entry_id integer references entries(id) on delete cascade,
    memory_id integer references memories(id) on delete cascade,
    field text not null,
    start integer not null,
    hint text not null,
    found_at text not null,
    unique (place, field, rule, start)
) strict;

create index scan_findings_entry on scan_findings(entry_id);
