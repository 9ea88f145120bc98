"""The tables, as an append-only list of migrations.

A migration that has been released is never edited, and imports nothing of
ours: a default changed in code must not change what an old file became.
Views, triggers and seeded rows are kept in step by `db`, not here.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("memory_db")


def run_statements(db: Database, statements: str) -> None:
    """Executes statements separated by a blank line (`executescript` would commit the transaction)."""
    for statement in statements.strip().split("\n\n"):
        db.conn.execute(statement)


@migrations()
def m001_sources(db: Database) -> None:
    """What happened: files read, sessions, entries, tool calls, API calls."""
    run_statements(db, SOURCES)


@migrations()
def m002_knowledge(db: Database) -> None:
    """What is proposed, decided and known."""
    run_statements(db, KNOWLEDGE)


@migrations()
def m003_recall(db: Database) -> None:
    """What was asked, considered and shown."""
    run_statements(db, RECALL)


@migrations()
def m004_running(db: Database) -> None:
    """Settings, prices, jobs, run logs, static vectors."""
    run_statements(db, RUNNING)


@migrations()
def m005_full_text(db: Database) -> None:
    """Full text over entries and over every version of a memory."""
    run_statements(db, FULL_TEXT)


@migrations()
def m006_signatures(db: Database) -> None:
    """Signs of the static vectors, side by side."""
    run_statements(db, SIGNATURES)


@migrations()
def m007_conditions_edges_words(db: Database) -> None:
    """When a memory applies, how memories stand to each other, and the words that the file knows."""
    run_statements(db, CONDITIONS_EDGES_WORDS)


@migrations()
def m008_gate_beliefs_graph(db: Database) -> None:
    """Calls of models, what waits for a person, how surely something is known, and what memories are about."""
    run_statements(db, GATE_BELIEFS_GRAPH)


@migrations()
def m009_agents_life(db: Database) -> None:
    """What hooks did, what an agent was shown in a session and why, how sessions ended, and what was installed."""
    run_statements(db, AGENTS_LIFE)


@migrations()
def m010_workbench(db: Database) -> None:
    """Who changed what through the server, the tokens of programs, and what its pages have to find fast."""
    run_statements(db, WORKBENCH)


@migrations()
def m011_skipped_records(db: Database) -> None:
    """What is passed over in transcripts, by type; entries of before are to be looked at again."""
    run_statements(db, SKIPPED_RECORDS)


SOURCES = """
create table projects (
    id integer primary key,
    name text not null,
    canonical_path text not null unique,
    git_remote text,
    created_at text not null
) strict

create table project_aliases (
    id integer primary key,
    project_id integer not null references projects(id),
    path text not null unique,
    reason text not null check (reason in ('cwd', 'git remote', 'worktree', 'moved', 'user')),
    created_at text not null
) strict

create index project_aliases_project on project_aliases(project_id)

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
) strict

create table source_problems (
    id integer primary key,
    source_id integer not null references sources(id) on delete cascade,
    line integer not null,
    reason text not null,
    excerpt text,
    found_at text not null,
    unique (source_id, line, reason)
) strict

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
) strict

create index sessions_project on sessions(project_id)

create index sessions_parent on sessions(parent_session_id)

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
) strict

create index entries_session on entries(session_id, created_at)

create index entries_created on entries(created_at)

create index entries_source on entries(source_id)

create table session_entries (
    session_id integer not null references sessions(id),
    entry_id integer not null references entries(id),
    position integer not null,
    primary key (session_id, entry_id)
) strict, without rowid

create index session_entries_position on session_entries(session_id, position)

create index session_entries_entry on session_entries(entry_id, position)

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
) strict

create index actions_entry on actions(entry_id)

create index actions_tool on actions(tool, target)

create index actions_session on actions(session_id, tool, target, is_error)

create index actions_failed on actions(session_id) where is_error = 1

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
) strict

create index api_calls_session on api_calls(session_id)
"""

KNOWLEDGE = """
create table kinds (
    name text primary key,
    description text not null,
    prior_alpha real not null,
    prior_beta real not null,
    half_life_days real not null
) strict

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
) strict

create table extraction_progress (
    session_id integer not null references sessions(id),
    method text not null,
    version text not null,
    entry_count integer not null,
    extraction_run_id integer references extraction_runs(id),
    primary key (session_id, method)
) strict, without rowid

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
) strict

create index candidates_entry on candidates(entry_id)

create index candidates_session on candidates(session_id)

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
) strict

create index memories_hash on memories(content_hash)

create index memories_project on memories(project_id, status)

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
) strict

create unique index memory_versions_current on memory_versions(memory_id) where recorded_to is null

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
) strict

create index decisions_candidate on decisions(candidate_id)

create index decisions_memory on decisions(memory_id)

create table memory_sources (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    candidate_id integer references candidates(id),
    entry_id integer references entries(id),
    quote text not null,
    created_at text not null,
    unique (memory_id, entry_id, quote)
) strict

create index memory_sources_entry on memory_sources(entry_id)

create table memory_paths (
    memory_id integer not null references memories(id) on delete cascade,
    path text not null,
    primary key (memory_id, path)
) strict, without rowid

create index memory_paths_path on memory_paths(path)

create table tags (
    memory_id integer not null references memories(id) on delete cascade,
    tag text not null,
    primary key (memory_id, tag)
) strict, without rowid

create index tags_tag on tags(tag)

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
) strict

create index evidence_belief on evidence(memory_id, created_at, direction, kind, weight)

create index evidence_recall on evidence(recall_id)

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
) strict

create index scan_findings_entry on scan_findings(entry_id)
"""

RECALL = """
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
) strict

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
) strict

create index recalls_asked on recalls(asked_at)

create index recalls_session on recalls(session_id)

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
) strict

create index hits_memory on hits(memory_version_id, rank)

create index hits_entry on hits(entry_id)

create table query_sets (
    id integer primary key,
    name text not null unique,
    description text not null,
    created_at text not null
) strict

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
) strict

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
) strict

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
) strict
"""

RUNNING = """
create table settings (
    name text primary key,
    value text not null,
    changed_at text not null
) strict

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
) strict

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
) strict

create table runs (
    id integer primary key,
    stage text not null,
    started_at text not null,
    duration_ms real not null,
    counts text not null,
    error text
) strict

create table static_vectors (
    id integer primary key,
    memory_version_id integer unique references memory_versions(id) on delete cascade,
    entry_id integer unique references entries(id) on delete cascade,
    model text not null,
    vector blob not null,
    check ((memory_version_id is null) <> (entry_id is null))
) strict

create table schema_objects (
    name text primary key,
    type text not null check (type in ('view', 'trigger')),
    sql text not null
) strict
"""

FULL_TEXT = """
create view entry_texts as
select id, case when kind = 'tool_result' then substr(text, 1, 2000) else text end as text
from entries where kind <> 'other'

create virtual table entry_fts using fts5(
    text, content='entry_texts', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
)

create virtual table memory_fts using fts5(
    title, text, keys, context, content='memory_versions', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
)

insert into memory_fts(memory_fts, rank) values ('rank', 'bm25(1.0, 1.0, 1.0, 0.2)')
"""

SIGNATURES = """
create table signature_blocks (
    sort text not null check (sort in ('memories', 'entries')),
    block integer not null,
    model text not null,
    vector_count integer not null,
    id_sum integer not null,
    ids blob not null,
    planes blob not null,
    primary key (sort, block)
) strict
"""

CONDITIONS_EDGES_WORDS = """
alter table candidates add column condition text not null default ''

alter table memories add column condition text not null default ''

alter table memory_versions add column condition text not null default ''

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
) strict

create index edges_to on edges(to_memory_id, kind)

drop trigger if exists memory_versions_after_insert

drop trigger if exists memory_versions_after_delete

drop trigger if exists memory_versions_before_update

drop trigger if exists memory_versions_after_update

drop table memory_fts

create virtual table memory_fts using fts5(
    title, text, keys, context, condition, content='memory_versions', content_rowid='id',
    tokenize='porter unicode61 remove_diacritics 2'
)

insert into memory_fts(memory_fts) values ('rebuild')

insert into memory_fts(memory_fts, rank) values ('rank', 'bm25(1.0, 1.0, 1.0, 0.2, 1.0)')

create virtual table memory_words using fts5vocab(memory_fts, row)

create virtual table entry_words using fts5vocab(entry_fts, row)

create table condition_vectors (
    id integer primary key,
    memory_version_id integer not null unique references memory_versions(id) on delete cascade,
    model text not null,
    vector blob not null
) strict

drop table signature_blocks

create table signature_blocks (
    sort text not null check (sort in ('memories', 'entries', 'conditions')),
    block integer not null,
    model text not null,
    vector_count integer not null,
    id_sum integer not null,
    ids blob not null,
    planes blob not null,
    primary key (sort, block)
) strict

create table hook_runs (
    id integer primary key,
    hook text not null,
    started_at text not null,
    error text not null,
    reason text not null,
    spool text not null,
    line_number integer not null,
    unique (spool, line_number)
) strict
"""

GATE_BELIEFS_GRAPH = """
alter table extraction_runs add column is_dry_run integer not null default 0 check (is_dry_run in (0, 1))

alter table candidates add column supersedes text not null default ''

alter table extraction_progress add column skip_reason text

alter table candidates add column is_quote_found integer not null default 1 check (is_quote_found in (0, 1))

alter table decisions add column effects text not null default '{}'

alter table evidence add column recorded_at text not null default ''

alter table evidence add column withdrawn_at text

alter table memory_sources add column recorded_at text not null default ''

alter table memory_paths add column recorded_at text not null default ''

alter table tags add column recorded_at text not null default ''

create table edges_before as select * from edges

drop table edges

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
) strict

insert into edges (id, from_memory_id, to_memory_id, kind, score, reason, created_by, created_at)
select id, from_memory_id, to_memory_id, kind, score, reason, created_by, created_at from edges_before

drop table edges_before

create unique index edges_current on edges(from_memory_id, to_memory_id, kind) where ended_at is null

create index edges_from on edges(from_memory_id, kind)

create index edges_to on edges(to_memory_id, kind)

drop index evidence_belief

create index evidence_belief on evidence(
    memory_id, created_at, direction, kind, weight, recorded_at, withdrawn_at
)

create index evidence_entry on evidence(entry_id)

create table removed_parts (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    part text not null check (part in ('tag', 'path', 'source')),
    value text not null,
    recorded_at text not null,
    removed_at text not null
) strict

create index removed_parts_memory on removed_parts(memory_id, part)

create table tiers (
    name text primary key,
    description text not null,
    prior_factor real not null check (prior_factor > 0)
) strict

create table evidence_kinds (
    name text primary key,
    description text not null,
    direction text not null check (direction in ('for', 'against')),
    weight real not null check (weight >= 0)
) strict

create table edge_kinds (
    name text primary key,
    description text not null,
    spread real not null check (spread between -1 and 1)
) strict

create table prompts (
    id integer primary key,
    name text not null,
    version text not null,
    text text not null,
    is_edited integer not null check (is_edited in (0, 1)),
    created_at text not null,
    unique (name, version)
) strict

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
) strict

create index model_calls_run on model_calls(extraction_run_id)

create index model_calls_model on model_calls(model, id)

create index model_calls_failed on model_calls(model, id) where error is not null

create index model_calls_created on model_calls(created_at, cost_nanocents)

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
) strict

create index contradictions_other on contradictions(other_memory_id)

create table likeness_thresholds (
    id integer primary key,
    model text not null unique,
    duplicate real not null check (duplicate between -1 and 1),
    related real not null check (related between -1 and 1),
    pairs integer not null,
    memories integer not null,
    fitted_at text not null
) strict

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
) strict

create index proposals_state on proposals(state, created_at)

create index proposals_memory on proposals(memory_id)

create table suppressions (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    pattern text not null,
    reason text not null,
    created_by text not null,
    created_at text not null,
    ended_at text
) strict

create index suppressions_memory on suppressions(memory_id)

create table entities (
    id integer primary key,
    kind text not null check (kind in ('file', 'command', 'package', 'symbol', 'host')),
    name text not null,
    unique (kind, name)
) strict

create index entities_name on entities(name)

create table memory_entities (
    memory_id integer not null references memories(id) on delete cascade,
    entity_id integer not null references entities(id) on delete cascade,
    mentions integer not null check (mentions > 0),
    primary key (memory_id, entity_id)
) strict, without rowid

create index memory_entities_entity on memory_entities(entity_id)

create table project_links (
    project_id integer not null references projects(id),
    linked_project_id integer not null references projects(id),
    created_by text not null,
    created_at text not null,
    primary key (project_id, linked_project_id),
    check (project_id <> linked_project_id)
) strict, without rowid

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
) strict

create index portraits_project on portraits(project_id, kind, id)

create table portrait_sources (
    portrait_id integer not null references portraits(id) on delete cascade,
    memory_version_id integer not null references memory_versions(id) on delete cascade,
    position integer not null,
    primary key (portrait_id, memory_version_id)
) strict, without rowid

create index portrait_sources_version on portrait_sources(memory_version_id)

create table checkpoints (
    id integer primary key,
    name text not null unique,
    kind text not null,
    note text not null default '',
    session_id integer references sessions(id),
    created_by text not null,
    created_at text not null
) strict

create table scan_progress (
    place text primary key,
    rules_version integer not null,
    last_id integer not null,
    texts_scanned integer not null default 0,
    texts_changed integer not null default 0,
    started_at text not null,
    finished_at text
) strict
"""

AGENTS_LIFE = """
alter table hook_runs rename to hook_troubles

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
) strict

insert into hook_runs (id, hook, started_at, outcome, reason, error, spool, line_number)
    select id, hook, started_at, 'failed', reason, error, spool, line_number from hook_troubles

drop table hook_troubles

create index hook_runs_started on hook_runs(started_at)

create index hook_runs_session on hook_runs(session_uid, id) where session_uid is not null

create index hook_runs_recall on hook_runs(recall_id) where recall_id is not null

alter table recalls add column session_uid text

update recalls set session_uid = (select s.uid from sessions s where s.id = recalls.session_id)
    where session_id is not null

create index recalls_session_uid on recalls(session_uid, id) where session_uid is not null

drop index api_calls_session

create index api_calls_moment on api_calls(session_id, created_at)

create index api_calls_created on api_calls(created_at)

alter table hits add column role text

alter table hits add column shown_reason text

alter table hits add column shown_tokens integer

create index hits_shown on hits(recall_id, memory_version_id, entry_id, role) where rank is not null

create index memories_near on memories(project_id)
    where status = 'active'
        and (lock_level <> 'none' or importance >= 4 or scope = 'user' or layer_override is not null)

create index memories_kind on memories(project_id, kind, status, created_at)

create table holdouts (
    session_uid text primary key,
    is_held_out integer not null check (is_held_out in (0, 1)),
    share real not null check (share > 0 and share <= 1),
    decided_at text not null
) strict, without rowid

create table session_outcomes (
    session_id integer primary key references sessions(id) on delete cascade,
    outcome text not null check (outcome in ('good', 'mixed', 'bad', 'unknown')),
    score real not null check (score between -1 and 1),
    reason text not null,
    rules_version integer not null,
    found_at text not null
) strict

create table weak_labels (
    id integer primary key,
    recall_id integer not null references recalls(id) on delete cascade,
    memory_id integer not null references memories(id) on delete cascade,
    kind text not null,
    strength real not null check (strength between 0 and 1),
    entry_id integer references entries(id),
    created_at text not null,
    unique (recall_id, memory_id, kind)
) strict

create index weak_labels_memory on weak_labels(memory_id)

create table command_rules (
    id integer primary key,
    memory_id integer not null references memories(id) on delete cascade,
    pattern text not null,
    decision text not null check (decision in ('ask', 'deny')),
    created_by text not null,
    created_at text not null,
    ended_at text
) strict

create index command_rules_memory on command_rules(memory_id)

create table pauses (
    id integer primary key,
    session_uid text,
    project_id integer references projects(id),
    created_by text not null,
    created_at text not null,
    ends_at text,
    ended_at text
) strict

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
) strict

create table instruction_files (
    id integer primary key,
    project_id integer not null references projects(id),
    path text not null,
    tokens integer not null check (tokens >= 0),
    content_hash text not null,
    seen_at text not null,
    unique (project_id, path, content_hash)
) strict
"""

WORKBENCH = """
create table audit_log (
    id integer primary key,
    actor text not null,
    action text not null,
    target text not null,
    outcome text not null default 'started' check (outcome in ('started', 'done', 'refused', 'failed')),
    said text,
    started_at text not null,
    finished_at text
) strict

create table api_tokens (
    id integer primary key,
    name text not null unique,
    token_hash text not null unique,
    created_at text not null,
    expires_at text,
    revoked_at text,
    last_used_at text
) strict

create table review_batches (
    id integer primary key,
    action text not null check (action in ('accept', 'decline', 'first', 'second', 'both', 'neither')),
    items text not null,
    decided_by text not null,
    decided_at text not null,
    undone_at text
) strict

create index decisions_waiting on decisions(candidate_id, decided_at) where action in ('propose', 'quarantine')

create index memory_versions_recorded on memory_versions(recorded_from, memory_id, version)

create index entries_summaries on entries(session_id, created_at) where kind = 'summary'

create index model_calls_session on model_calls(session_id, purpose, created_at)

create index candidates_run on candidates(extraction_run_id)

create index memories_time on memories(valid_from, status, kind, scope, project_id)

create index edges_standing on edges(kind, ended_at) where ended_at is null

create index edges_by_hand on edges(from_memory_id, to_memory_id) where ended_at is null and created_by <> 'rules'
"""

SKIPPED_RECORDS = """
create table skipped_records (
    source_id integer not null references sources(id) on delete cascade,
    type text not null,
    is_known integer not null check (is_known in (0, 1)),
    lines integer not null check (lines > 0),
    first_line integer not null,
    found_at text not null,
    primary key (source_id, type)
) strict, without rowid

insert into scan_progress (place, rules_version, last_id, started_at)
select 'entries of the client', 1, 0, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') where exists (select 1 from entries)
"""
