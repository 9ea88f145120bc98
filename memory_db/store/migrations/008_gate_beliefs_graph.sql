-- Calls of models, what waits for a person, how surely something is known, and what memories are about.

alter table extraction_runs add column is_dry_run integer not null default 0 check (is_dry_run in (0, 1));

alter table candidates add column supersedes text not null default '';

alter table extraction_progress add column skip_reason text;

alter table candidates add column is_quote_found integer not null default 1 check (is_quote_found in (0, 1));

alter table decisions add column effects text not null default '{}';

alter table evidence add column recorded_at text not null default '';

alter table evidence add column withdrawn_at text;

alter table memory_sources add column recorded_at text not null default '';

alter table memory_paths add column recorded_at text not null default '';

alter table tags add column recorded_at text not null default '';

create table edges_before as select * from edges;

drop table edges;

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
    ended_at text,
    check (from_memory_id <> to_memory_id)
) strict;

insert into edges (id, from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)
select id, from_memory_id, to_memory_id, kind, score, reason, created_by, created_at from edges_before;

drop table edges_before;

create unique index edges_current on edges(from_memory_id, to_memory_id, kind) where ended_at is null;

create index edges_from on edges(from_memory_id, kind);

create index edges_to on edges(to_memory_id, kind);

drop index evidence_belief;

create index evidence_belief on evidence(
    memory_id, created_at, direction, kind, weight, recorded_at, withdrawn_at
);

create index evidence_entry on evidence(entry_id);

create table removed_parts (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    part text not null check (part in ('tag', 'path', 'source')),
    value text not null,
    recorded_at text not null,
    removed_at text not null
) strict;

create index removed_parts_memory on removed_parts(memory_id, part);

create table tiers (
    name text primary key,
    description text not null,
    prior_factor real not null check (prior_factor > 0)
) strict;

create table evidence_kinds (
    name text primary key,
    description text not null,
    direction text not null check (direction in ('for', 'against')),
    weight real not null check (weight >= 0)
) strict;

create table edge_kinds (
    name text primary key,
    description text not null,
    spread real not null check (spread between -1 and 1)
) strict;

create table prompts (
    id integer primary key,
    name text not null,
    version text not null,
    text text not null,
    is_edited integer not null check (is_edited in (0, 1)),
    created_at text not null,
    unique (name, version)
) strict;

create table model_calls (
    id integer primary key,
    extraction_run_id integer references extraction_runs(id),
    prompt_id integer references prompts(id),
    purpose text not null,
    session_id integer references sessions(id),
    first_entry_id integer references entries(id),
    last_entry_id integer references entries(id),
    attempt integer not null default 1,
    model text not null,
    turn_uid text,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    is_counted_by_model integer not null default 0 check (is_counted_by_model in (0, 1)),
    cost_nanocents integer,
    duration_ms real not null,
    answer text not null default '',
    error text,
    left_out text not null default '[]',
    created_at text not null
) strict;

create index model_calls_run on model_calls(extraction_run_id);

create index model_calls_model on model_calls(model, id);

create index model_calls_failed on model_calls(model, id) where error is not null;

create index model_calls_created on model_calls(created_at, cost_nanocents);

create table contradictions (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    other_memory_id integer not null references memories(id) on delete cascade,
    found_by text not null,
    reason text not null,
    score real not null check (score between 0 and 1),
    quote text not null,
    other_quote text not null,
    found_at text not null,
    state text not null default 'open' check (state in ('open', 'resolved')),
    resolution text check (resolution in ('first', 'second', 'both', 'neither')),
    note text,
    resolved_by text,
    resolved_at text,
    effects text not null default '{}',
    unique (memory_id, other_memory_id),
    check (memory_id < other_memory_id),
    check ((state = 'open') = (resolution is null))
) strict;

create index contradictions_other on contradictions(other_memory_id);

create table likeness_thresholds (
    id integer primary key,
    model text not null unique,
    duplicate real not null check (duplicate between -1 and 1),
    related real not null check (related between -1 and 1),
    pairs integer not null,
    memories integer not null,
    fitted_at text not null
) strict;

create table proposals (
    id integer primary key,
    uid text not null unique,
    kind text not null check (kind in ('lock', 'unlock', 'retire', 'merge', 'supersede', 'relate', 'suppress',
        'rewrite')),
    memory_id integer not null references memories(id) on delete cascade,
    other_memory_id integer references memories(id) on delete cascade,
    text text not null default '',
    reason text not null,
    proposed_by text not null,
    created_at text not null,
    state text not null default 'open' check (state in ('open', 'accepted', 'declined', 'reverted')),
    decided_by text,
    decided_at text,
    effects text not null default '{}',
    check ((state = 'open') = (decided_at is null))
) strict;

create index proposals_state on proposals(state, created_at);

create index proposals_memory on proposals(memory_id);

create table suppressions (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    pattern text not null,
    reason text not null,
    created_by text not null,
    created_at text not null,
    ended_at text
) strict;

create index suppressions_memory on suppressions(memory_id);

create table entities (
    id integer primary key,
    kind text not null check (kind in ('file', 'command', 'package', 'symbol', 'host')),
    name text not null,
    unique (kind, name)
) strict;

create index entities_name on entities(name);

create table memory_entities (
    memory_id integer not null references memories(id) on delete cascade,
    entity_id integer not null references entities(id) on delete cascade,
    mentions integer not null check (mentions > 0),
    primary key (memory_id, entity_id)
) strict, without rowid;

create index memory_entities_entity on memory_entities(entity_id);

create table project_links (
    project_id integer not null references projects(id),
    linked_project_id integer not null references projects(id),
    created_by text not null,
    created_at text not null,
    primary key (project_id, linked_project_id),
    check (project_id <> linked_project_id)
) strict, without rowid;

create table portraits (
    id integer primary key,
    kind text not null check (kind in ('playbook', 'user')),
    project_id integer references projects(id),
    text text not null,
    tokens integer not null,
    model text,
    created_by text not null,
    created_at text not null,
    check ((kind = 'user') = (project_id is null))
) strict;

create index portraits_project on portraits(project_id, kind, id);

create table portrait_sources (
    portrait_id integer not null references portraits(id) on delete cascade,
    memory_version_id integer not null references memory_versions(id) on delete cascade,
    position integer not null,
    primary key (portrait_id, memory_version_id)
) strict, without rowid;

create index portrait_sources_version on portrait_sources(memory_version_id);

create table checkpoints (
    id integer primary key,
    name text not null unique,
    kind text not null,
    note text not null default '',
    session_id integer references sessions(id),
    created_by text not null,
    created_at text not null
) strict;

create table scan_progress (
    place text primary key,
    rules_version integer not null,
    last_id integer not null,
    texts_scanned integer not null default 0,
    texts_changed integer not null default 0,
    started_at text not null,
    finished_at text
) strict;
